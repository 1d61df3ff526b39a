"""Containers: apart and together again, paths, structures that do not fit."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest

from npexport.ir.pytree import (
    LEAF,
    REGISTERED,
    find_named_tuple,
    flatten_like,
    register_dataclass,
    tree_flatten,
    tree_leaves_with_paths,
    tree_map,
)

Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    left: object
    right: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    value: object


TREES = {
    "leaf": (1, [1], ["t"]),
    "none is a leaf": (None, [None], ["t"]),
    "array is a leaf": ("abc", ["abc"], ["t"]),
    "tuple": ((1, (2, 3), ()), [1, 2, 3], ["t[0]", "t[1][0]", "t[1][1]"]),
    "list": ([1, [2]], [1, 2], ["t[0]", "t[1][0]"]),
    "dict keeps its order": ({"b": 1, "a": 2}, [1, 2], ["t['b']", "t['a']"]),
    "any keys": ({0: 1, (1, 2): 3, None: 4}, [1, 3, 4], ["t[0]", "t[(1, 2)]", "t[None]"]),
    "ordered dict": (OrderedDict(b=1, a=2), [1, 2], ["t['b']", "t['a']"]),
    "defaultdict": (defaultdict(list, a=[1]), [1], ["t['a'][0]"]),
    "deque": (deque([1, 2], maxlen=3), [1, 2], ["t[0]", "t[1]"]),
    "named tuple": (Point(1, [2]), [1, 2], ["t.x", "t.y[0]"]),
    "dataclass": (Pair(1, {"k": 2}), [1, 2], ["t.left", "t.right['k']"]),
    "frozen dataclass with slots": (Frozen((1,)), [1], ["t.value[0]"]),
}


@pytest.mark.parametrize("tree, leaves, paths", TREES.values(), ids=TREES)
def test_apart_and_together(tree, leaves, paths):
    found, spec = tree_flatten(tree)
    assert found == leaves
    assert [path for path, _ in tree_leaves_with_paths(tree, "t")] == paths
    again = spec.unflatten(found)
    assert again == tree and type(again) is type(tree)
    assert tree_flatten(again)[1] == spec
    assert flatten_like(spec, tree) == (leaves, [])


def test_details_of_containers_survive():
    again = tree_map(lambda leaf: leaf, defaultdict(list, a=1))
    assert again.default_factory is list
    assert tree_map(lambda leaf: leaf, deque([1], maxlen=2)).maxlen == 2
    extra = Pair(1, 2)
    extra.note = 3
    assert tree_map(lambda leaf: leaf + 1, extra).note == 4


class Loud(dict):
    pass


@pytest.mark.parametrize(
    "leaf", [np.zeros(2), np.float32(1), Loud(a=1), frozenset((1, 2)), Pair, object()], ids=lambda leaf: type(leaf).__name__
)
def test_everything_else_is_a_leaf(leaf):
    assert tree_flatten(leaf)[1] is LEAF


MISFITS = {
    "length": ((1, 2), (1, 2, 3), "t", "(*, *)", "(*, *, *)"),
    "list for tuple": (((1,),), ([1],), "t[0]", "(*,)", "[*]"),
    "key": ({"a": {"k": 1}}, {"a": {"j": 1}}, "t['a']", "{'k': *}", "{'j': *}"),
    "order": ({"a": 1, "b": 2}, {"b": 1, "a": 2}, "t", "{'a': *, 'b': *}", "{'b': *, 'a': *}, the same keys in another order"),
    "leaf for container": ([[1]], [1], "t[0]", "[*]", "a value of type int"),
    "container for leaf": ([1], [[1]], "t[0]", "a single value", "[*]"),
    "class": (Point(1, 2), (1, 2), "t", "Point(x=*, y=*)", "(*, *)"),
}


@pytest.mark.parametrize("expected, actual, path, need, have", MISFITS.values(), ids=MISFITS)
def test_misfits_name_the_place(expected, actual, path, need, have):
    _, misfits = flatten_like(tree_flatten(expected)[1], actual, "t")
    assert misfits == [(path, need, have)]


def test_all_misfits_are_found():
    spec = tree_flatten({"a": (1,), "b": [1], "c": 1})[1]
    _, misfits = flatten_like(spec, {"a": 1, "b": (1,), "c": 1}, "t")
    assert [misfit.path for misfit in misfits] == ["t['a']", "t['b']"]


def test_wrong_number_of_leaves():
    with pytest.raises(ValueError, match="2 leaves are needed, 1 came"):
        tree_flatten((1, 2))[1].unflatten([1])


def test_registration():
    assert register_dataclass(Pair, serialized_type_name="tests.Pair") is Pair
    assert REGISTERED["tests.Pair"] is Pair
    with pytest.raises(ValueError, match="belongs to"):
        register_dataclass(Frozen, serialized_type_name="tests.Pair")
    with pytest.raises(TypeError, match="needs a dataclass"):
        register_dataclass(Point)


def test_named_tuples_are_found_only_where_they_are():
    name = f"{Point.__module__}:Point"
    assert find_named_tuple(name, ("x", "y")) is Point
    assert find_named_tuple(name, ("x",)) is None
    assert find_named_tuple("no.such.module:Point", ("x", "y")) is None
    assert find_named_tuple("os:path.join", ("x", "y")) is None
