"""Functions of C that look at the items of an iterable: of classes of the program, views of dicts and iterators as of lists."""

from __future__ import annotations

import collections
import math

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


class Held:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


class Made(Held):
    def __iter__(self):
        for item in self.items:
            yield item * 1


class Placed:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, place):
        return self.items[place]


class Listed(list):
    def __iter__(self):
        return iter([self[1], self[0]])


class Table(collections.abc.Mapping):
    def __init__(self, items):
        self.held = {"a": items[0], "b": items[1]}

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


class Keyed:
    def __init__(self, items):
        self.held = {"a": items[0]}

    def __getitem__(self, key):
        return self.held[key]

    def keys(self):
        return self.held.keys()


ITERABLES = {
    "an iterator of a class": Held,
    "a generator of a class": Made,
    "items by place": Placed,
    "a list of its own": lambda x: Listed(x),
    "a view of a dict": lambda x: {0: x[0], 1: x[1], 2: x[0]}.values(),
    "a tuple": lambda x: (x[0], x[1]),
    "a generator": lambda x: (v * 2 for v in x),
    "an array": lambda x: x,
}
CONSUMERS = {
    "fsum": math.fsum,
    "max": max,
    "min": min,
    "max with a default": lambda items: max(items, default=0),
    "min with a key": lambda items: min(items, key=lambda v: -v),
    "any": any,
    "all": all,
    "set": lambda items: len(set(items)),
    "frozenset": lambda items: 2.0 in frozenset(items),
    "Counter": lambda items: max(collections.Counter(items).values()),
    "fromkeys": lambda items: len(dict.fromkeys(items)),
}
EXAMPLE = np.array([0.5, 2.0, 2.0])


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("iterable", ITERABLES)
def test_items_that_only_the_data_know(consumer, iterable):
    program = lambda x: CONSUMERS[consumer](ITERABLES[iterable](x))
    run = export(program, (EXAMPLE,)).module()
    for x in (EXAMPLE, EXAMPLE[::-1].copy(), np.zeros(3), np.array([3.0, 1.0, -2.0])):
        assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.needs_answers
@pytest.mark.parametrize(
    "program",
    [
        lambda x: (dict(Table(x)), set(Table(x)), max(Table(x)), {**Table(x)}, collections.OrderedDict(Table(x))),
        lambda x: (dict(Keyed(x)), collections.Counter({"a": 2}), dict({"a": x[0]}.items())),
        lambda x: (collections.Counter(Table([2, 3])), any(Table(x)), sum(Listed(x)), list(Listed(x))),
    ],
)
def test_mappings_keep_their_keys(program):
    assert outcome(export(program, (EXAMPLE,)).module(), (EXAMPLE,)) == outcome(program, (EXAMPLE,))


@pytest.mark.usefixtures("frame_hook")
def test_items_behind_the_one_that_decides_are_not_made():
    def program(x):
        made = []

        class Counted:
            def __iter__(self):
                for item in x:
                    made.append(item)
                    yield item > 0.7

        return any(Counted()), len(made)

    run = export(program, (EXAMPLE,)).module()
    for x in (EXAMPLE, EXAMPLE[::-1].copy(), np.zeros(3)):
        assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("consumer", [max, any, set, math.fsum])
@pytest.mark.parametrize("iterate", [lambda self: 3, None, lambda self: {}[3]])
def test_what_iterating_raises(consumer, iterate):
    kind = type("Kind", (), {"__iter__": iterate})

    def program(x):
        try:
            return consumer(kind()) * x
        except (TypeError, KeyError) as error:
            return type(error).__name__, str(error)

    assert export(program, (EXAMPLE,)).module()(EXAMPLE) == program(EXAMPLE)
