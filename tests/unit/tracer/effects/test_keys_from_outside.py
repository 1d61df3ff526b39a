"""Keys and members of containers from outside are found by programs as Python finds them, also
where hashes are told by addresses.
"""

import dataclasses
import sys
from collections import Counter, OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

from npexport import ExportError, export, frame_hook


class Plain:
    def __init__(self, number):
        self.number = number

    def method(self):
        return self.number


class OfId(Plain):
    def __hash__(self):
        return id(self)


class OfAddress(Plain):
    def __hash__(self):
        return object.__hash__(self) + 1


class OfSuper(Plain):
    def __hash__(self):
        return super().__hash__() ^ 5


class ComparedInPython(Plain):
    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


class OfPart(Plain):
    def __init__(self, number):
        self.number = number
        self.part = Plain(number)

    def __hash__(self):
        return hash(self.part)

    def __eq__(self, other):
        return self.part is other.part


class OfParts(OfPart):
    def __hash__(self):
        return hash((self.part, frozenset([self.part, 2]), self.part.method))


class Pair(namedtuple("Pair", "part number")):
    __slots__ = ()

    def __hash__(self):
        return super().__hash__() + 1


@dataclasses.dataclass(frozen=True)
class Frozen:
    part: Plain
    number: int = 1


class Number(int):
    def __hash__(self):
        return int.__hash__(self) + 1


MAKERS = {
    **{cls.__name__: cls for cls in (Plain, OfId, OfAddress, OfSuper, ComparedInPython, OfPart, OfParts, Number)},
    "Pair": lambda number: Pair(Plain(number), number),
    "Frozen": lambda number: Frozen(Plain(number)),
    "method": lambda number: Plain(number).method,
}
WRAPPED = {
    "bare": lambda key: key,
    "tuple": lambda key: (key, 1),
    "nested": lambda key: ((1, key), 2),
    "frozenset": lambda key: frozenset([key, 2]),
}
CONTAINERS = {
    "dict": lambda keys: {key: place for place, key in enumerate(keys)},
    "ordered": lambda keys: OrderedDict((key, place) for place, key in enumerate(keys)),
    "defaultdict": lambda keys: defaultdict(int, {key: place for place, key in enumerate(keys)}),
    "counter": Counter,
    "set": set,
    "frozenset": frozenset,
}


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("maker", MAKERS)
def test_keys_are_found(maker, wrapped):
    keys = [WRAPPED[wrapped](MAKERS[maker](number)) for number in range(5)]
    first, x = keys[0], np.ones(2)
    for name, build in CONTAINERS.items():
        container, other = build(keys), build(keys[1:])

        def program(x, container=container, other=other):
            found = [key in container for key in container]
            found += [first in container, first in other, len({*container, *other}), len({*container} & {*other})]
            if isinstance(container, dict):
                return x, found, [container[key] for key in container]
            found += [len(container | other), len(container - other)]
            return x, found

        try:
            result = export(program, (x,)).module()(x)
        except ExportError as refusal:
            if frame_hook() == "settrace" and refusal.code in ("E112", "E119"):
                continue  # C asks Python for the hashes, and what is not answered may count as a change
            asked = name == "ordered" or (sys.version_info < (3, 12) and (maker, wrapped) == ("Number", "frozenset"))
            assert (refusal.code, asked) == ("E118", True)  # nobody knows these keys' order, or compares them, without their code
            continue
        assert result[1:] == program(x)[1:], name


def test_tuples_of_whose_hash_nobody_knows_the_new_value_are_refused():
    key = (Number(3), Plain(1))
    table = {key: 5}
    with pytest.raises(ExportError, match="E118"):
        export(lambda x: x * table[key], (2.0,))
    members = {frozenset(key): 5}
    assert export(lambda x: x * sum(members[key] for key in members), (2.0,)).module()(2.0) == 10.0
