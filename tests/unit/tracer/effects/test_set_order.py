"""The order of sets of strings and objects differs between processes: it may decide nothing in a program."""

from __future__ import annotations

import abc
import collections
import dataclasses
import enum
import functools
import itertools
import math
import operator

import numpy as np
import pytest

from npexport import explain, export
from npexport.symshapes.errors import Unsupported

NAMES = {"alpha", "beta", "gamma", "delta"}
LETTERS = frozenset("pqr")


class Plain:
    def __init__(self, number):
        self.number = number


class Listed:
    def __iter__(self):
        return iter(LETTERS)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


def loop(x):
    for name in NAMES:
        x = x * len(name) + ord(name[0])
    return x


def first_of_loop(x):
    for letter in LETTERS:
        if letter != "p":
            return x * ord(letter)


def unpacked(x):
    first, *_ = LETTERS
    return x, first


def popped(x):
    return x, set(NAMES).pop()


def keys_of_result(x):
    return {name: x * len(name) for name in NAMES}


def stacked(x):
    parts = {"p": x, "q": x * 2, "r": x * 3}
    return np.stack([parts[letter] for letter in LETTERS])


def summed(x):
    parts = {"p": x, "q": x * 2, "r": x * 3}
    return sum(parts[letter] for letter in LETTERS)


def numbered(x):
    numbers = {}
    for letter in LETTERS:
        numbers[letter] = len(numbers)
    return x * numbers["p"]


def delegated(x):
    def letters():
        yield from LETTERS

    return x, list(letters())


def extended(x):
    found = []
    found.extend(LETTERS)
    found += NAMES
    return x, found


def objects(x):
    return x, [one.number for one in {Plain(number) for number in range(7)}]  # few may lie in one order by chance


ORDERED = {
    **{f.__name__: f for f in (loop, first_of_loop, unpacked, popped, keys_of_result, stacked, summed, numbered, delegated, extended)},
    "objects": objects,
    "members": lambda x: (x, [colour.value for colour in {Colour.RED, Colour.GREEN, Colour.BLUE}]),
    "list": lambda x: (x, list(NAMES)),
    "tuple": lambda x: (x, tuple(LETTERS)),
    "next": lambda x: (x, next(iter({"a", "b"}))),
    "join": lambda x: (x, ",".join(NAMES)),
    "starred": lambda x: (x, [*NAMES]),
    "arguments": lambda x: (x, (lambda *letters: letters)(*LETTERS)),
    "comprehension": lambda x: (x, [letter for letter in LETTERS]),
    "generator": lambda x: (x, list(letter for letter in LETTERS)),
    "own_iterator": lambda x: (x, list(Listed())),
    "enumerate": lambda x: (x, dict(enumerate(LETTERS))),
    "zip": lambda x: (x, dict(zip(LETTERS, range(3), strict=True))),
    "map": lambda x: (x, list(map(str.upper, LETTERS))),
    "nested": lambda x: (x, list(map(list, [LETTERS]))),
    "mixed": lambda x: (x, list({1, "a", 2.5})),
    "pairs": lambda x: (x, list({("a", 1), ("b", 2)})),
    "algebra": lambda x: (x, list(LETTERS | {"z"})),
    "keys": lambda x: (x, list({"a": 1, "b": 2, "c": 3}.keys() - {"a"})),
    "reduce": lambda x: (x, functools.reduce(operator.add, LETTERS)),
    "chain": lambda x: (x, list(itertools.chain(LETTERS, "z"))),
    "deque": lambda x: (x, list(collections.deque(LETTERS))),
    "counter": lambda x: (x, list(collections.Counter(LETTERS))),
    "fromkeys": lambda x: (x, list(dict.fromkeys(LETTERS))),
    "tied_minimum": lambda x: (x, min(LETTERS, key=len)),
    "tied_sort": lambda x: (x, sorted(LETTERS, key=len)),
    "text": lambda x: (x, repr(LETTERS)),
    "f_string": lambda x: (x, f"{set(LETTERS)}"),
    "fromiter": lambda x: (x, np.fromiter((ord(letter) for letter in LETTERS), int)),
}


@pytest.mark.parametrize("program", ORDERED.values(), ids=ORDERED)
def test_an_order_in_the_result_is_refused(program):
    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),))
    if caught.value.code == "E119":  # the fallback hook cannot hash a member of an enumeration
        raise caught.value
    assert caught.value.code == "E109" and "sorted" in caught.value.hint
    assert caught.value.location.file == __file__


def only_asked(x):
    return x * len(NAMES), "alpha" in NAMES, {"a"} == NAMES, NAMES.isdisjoint(LETTERS), bool(NAMES), len(NAMES | LETTERS)


def consumed(x):
    lengths = (len(name) for name in NAMES)
    total = sum(lengths), math.prod(map(ord, LETTERS)), max(map(len, NAMES)), any(name == "beta" for name in NAMES)
    return x * total[0], total, min(NAMES), max(NAMES), all(map(len, NAMES))


def made_of_others(x):
    names = {*{"a", "b"}, *("c", "d")}
    names.update({"e", "a"})
    return x + len(set.difference({"a", "z"}, names)) + ("e" in names)


def in_order(x):
    return (
        x,
        sorted(NAMES),
        sorted(name.upper() for name in NAMES if len(name) > 4),
        sorted(list(LETTERS)),
        sorted(NAMES, key=lambda name: (len(name), name)),
    )


def looked_up(x):
    lengths = {name: len(name) for name in NAMES}
    return x * lengths["alpha"], [lengths[name] for name in sorted(lengths)], sum(lengths.values())


def parts_by_place(x):
    places = {"p": 0, "q": 1, "r": 2}
    parts = {}
    for letter in LETTERS:
        parts[places[letter]] = np.sin(x) * places[letter]
    return np.stack([parts[place] for place in range(3)])


def checked(x):
    for name in NAMES:
        if name not in ("alpha", "beta", "gamma", "delta"):
            raise ValueError(name)
    return x


def changed(x):
    found = set()
    found.update(LETTERS)
    found |= NAMES
    found -= {"p"}
    return x, len(found), found.copy() == found, sorted(found ^ LETTERS)


def of_numbers(x):
    return x, list({3, 1, 2}), [number * 2 for number in {5, 9, 7}], {1.5, 2.5}.pop(), next(iter({(7, 1), (8, 2)}))


def of_one(x):
    return x, list({"a"}), {"z"}.pop(), [*{"b"}]


def told(x):
    print(NAMES)
    return x


def library(x):
    @dataclasses.dataclass
    class Pair(abc.ABC):
        left: int
        right: int = 2

    groups = collections.defaultdict(set)
    for word in ("ab", "ac", "bd"):
        groups[word[0]].add(word)
    return x * Pair(1).right, {key: len(words) for key, words in groups.items()}


FREE = (only_asked, consumed, made_of_others, in_order, looked_up, parts_by_place, checked, changed, of_numbers, of_one, told, library)


@pytest.mark.parametrize("program", FREE, ids=lambda program: program.__name__)
def test_an_order_that_decides_nothing_is_free(program):
    exported = export(program, (np.ones(3),))
    np.testing.assert_equal(exported.module()(np.arange(3.0)), program(np.arange(3.0)))


def test_the_place_that_matters_is_blamed():
    def program(x):
        count = 0
        for _ in NAMES:
            count += 1
        letters = list(LETTERS)
        return x * count, letters

    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),))
    assert caught.value.location.source.strip() == "letters = list(LETTERS)"
    (problem,) = explain(program, (np.ones(3),)).problems
    assert problem.code == "E109" and problem.location.source.strip() == "letters = list(LETTERS)"


def test_what_is_printed_is_printed_once(capsys):
    exported = export(told, (np.ones(3),))
    assert capsys.readouterr().out.count("alpha") == 1 and len(exported.report.emitted) == 1
