"""Keys of results that are objects: the caller's own, or what nobody can write to, or they are refused."""

import collections
import dataclasses
import enum
import functools
import io
import pathlib

import numpy as np
import pytest

from npexport import Unsupported, UserError, export, load, save

X = np.ones(3)


class Named:
    pass


class Colour(enum.Enum):
    RED = 1


def function():
    pass


class Valued:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Valued) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


@dataclasses.dataclass(frozen=True)
class Edge:
    start: object
    end: object = 0


@dataclasses.dataclass(unsafe_hash=True)
class Open:
    value: int


Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024


class Text(str):
    pass


VALUED, OPEN, EDGE, PATH = Valued(5), Open(1), Edge(1), pathlib.Path("here")
MEMBERS = frozenset([VALUED])
NAMED, MADE, PARTIAL = Named(), object(), functools.partial(function)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: {NAMED: x},
        lambda x: {(1, NAMED): x},
        lambda x: {frozenset([NAMED]): x},
        lambda x: {NAMED.__init__: x},
        lambda x: {PARTIAL: x},
        lambda x: {(lambda: x.sum()): x},
    ],
    ids="object in-tuple in-set method partial function".split(),
)
def test_what_stands_for_an_object_is_no_key(program):
    with pytest.raises(Unsupported, match="a key of result is an object of type") as caught:
        export(program, (X,))
    assert caught.value.code == "E115"


@pytest.mark.parametrize(
    "key",
    [function, len, np.add, Named, Colour.RED, MADE, np.dtype("f4"), ..., (1, Colour.RED)],
    ids="function builtin ufunc class member object dtype ellipsis tuple".split(),
)
def test_what_there_is_one_of_is_a_key(key):
    assert key in export(lambda x: {key: x}, (X,)).module()(X)


class Marked:
    def __init__(self):
        self.mark, self.table = MADE, {"a": [MADE], MADE: (1, MADE)}

    def __call__(self, x):
        return {self.mark: x, (1, self.table["a"][0]): x, self.table[MADE]: x}


@pytest.mark.parametrize(
    "program", [Marked(), lambda x, mark=MADE: {mark: x}, lambda x: {(MADE, 2): x}, lambda x: {mark: x for mark in (MADE, 1)}]
)
def test_marks_that_exist_before_the_call_are_keys(program):
    assert export(program, (X,)).module()(X).keys() == program(X).keys()


@pytest.mark.parametrize("key", [NAMED, PARTIAL, function, MADE], ids="named partial function object".split())
def test_keys_of_inputs_are_the_callers(key):
    assert key in export(lambda d: {name: x + 1 for name, x in d.items()}, ({key: X},)).module()({key: X})


@pytest.mark.parametrize(
    "program",
    [
        lambda x: {Valued(1): x},
        lambda x: {(1, Valued(1)): x},
        lambda x: {frozenset([Valued(1)]): x},
        lambda x: {Open(1): x},
        lambda x: {Edge(Valued(1)): x},
        lambda x: {Named(): x},
        lambda x: {Text("a"): x},
        lambda x: collections.OrderedDict([(Valued(1), x)]),
        lambda x: [{"a": {Pair(1, Valued(1)): x}}],
        lambda x: {object(): x},
        lambda x: {(1, object()): x},
    ],
    ids="new in-tuple in-set dataclass in-dataclass by-identity text ordered named mark mark-in-tuple".split(),
)
def test_a_new_object_that_somebody_could_write_to_is_no_key(program):
    """Every call would give the same one."""
    with pytest.raises(Unsupported) as caught:
        export(program, (X,))
    if caught.value.code == "E119":  # hashes that C asks for
        raise caught.value
    assert caught.value.code == "E115" and "is an object of type" in caught.value.message


@pytest.mark.parametrize("key", [VALUED, OPEN, EDGE, PATH, MEMBERS], ids="valued open edge path members".split())
def test_outside_objects_are_the_callers_own(key):
    (found,) = export(lambda x: {key: x + 1}, (X,)).module()(X)
    assert found is key
    for inside in ((1, key), frozenset([key]), Pair(key, 2)):
        (found,) = export(lambda x, inside=inside: {inside: x + 1}, (X,)).module()(X)
        assert found == inside and type(found) is type(inside) and any(part is key for part in found)


def test_objects_of_the_exported_object_are_the_callers_own():
    class Holder:
        def __init__(self):
            self.key, self.table = Valued(1), {Valued(2): 3}

        def __call__(self, x):
            return {self.key: x, next(iter(self.table)): x * 2}

    held = Holder()
    found = list(export(held, (X,)).module()(X))
    assert found[0] is held.key and found[1] is next(iter(held.table))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: {pathlib.Path("a") / "b": x},
        lambda x: {Edge(1, (2, "a")): x},
        lambda x: {frozenset([Edge(1), pathlib.Path("a")]): x},
        lambda x: {Pair(1, 2): x},
        lambda x: {(len(x), VALUED): x},
    ],
    ids="path edge members pair size".split(),
)
def test_new_objects_that_nobody_can_write_to_are_keys(program):
    (found,), (expected,) = export(program, (X,)).module()(X), program(X)
    assert found == expected and hash(found) == hash(expected) and type(found) is type(expected)


@pytest.mark.parametrize(
    "key",
    [MEMBERS, VALUED, PATH, frozenset([1j]), frozenset([frozenset([1])]), frozenset([Colour.RED]), frozenset([EDGE]), Pair(1, 2)],
    ids="object-in-set object path complex set-in-set member-in-set dataclass-in-set named".split(),
)
def test_keys_that_no_file_can_hold_are_refused(key):
    program = export(lambda x: {key: x + 1}, (X,))
    with pytest.raises(UserError) as caught:
        save(program, io.BytesIO())
    assert caught.value.code == "E242"


@pytest.mark.parametrize("key", [frozenset([1, 2]), frozenset(["a", None]), (1, ("a", 2.5)), 1j, b"a", np.float32(1)])
def test_keys_are_read_back_as_they_were(key):
    save(export(lambda x: {key: x + 1}, (X,)), file := io.BytesIO())
    (found,) = load(file).module()(X)
    assert found == key and type(found) is type(key)
