"""Containers of many leaves are taken apart by one call of the C extension, where it was built, as by the written-out condition."""

from __future__ import annotations

import gc
import sys
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, export
from npexport.runtime.entry import conditions

needs_c = pytest.mark.skipif(conditions.parts_of is None, reason="the C extension was not built")


class Text(str):
    __slots__ = ()


class Pair(list[Any]):
    pass


def tree(places: int = 10) -> dict[Any, Any]:
    layers = [{"weight": np.full(3, place), "bias": (np.full(3, 2.0), place)} for place in range(places)]
    return {"layers": layers, 1: np.arange(3), "empty": [], None: {"x": {}}} | {b"scale": 2.5, "none": None, "word": "a"}


def program(parts: Any, x: Any) -> Any:
    for layer in parts["layers"]:
        x = x * layer["weight"] + layer["bias"][0] * layer["bias"][1]
    return x + parts[1] * parts[b"scale"], parts


def changed(given: dict[Any, Any]) -> dict[str, dict[Any, Any]]:
    layers = given["layers"]
    last = layers[-1]
    return {
        "a tuple": given | {"layers": tuple(layers)},
        "a subclass of list": given | {"layers": Pair(layers)},
        "one less": given | {"layers": layers[:-1]},
        "one more": given | {"layers": [*layers, last]},
        "another order": given | {"layers": [*layers[:-1], dict(reversed(last.items()))]},
        "another dict": given | {"layers": [*layers[:-1], OrderedDict(last)]},
        "a key more": given | {"more": 1},
        "a key of another class": {Text(key) if key == "word" else key: value for key, value in given.items()},
        "a float as key": {1.0 if key == 1 else key: value for key, value in given.items()},
        "another number": given | {b"scale": 2.0},
        "another word": given | {"word": "b"},
        "an array of another size": given | {"layers": [*layers[:-1], last | {"weight": np.zeros(4)}]},
        "something in an empty list": given | {"empty": [1]},
        "no container": given | {"layers": None},
        "nothing": {},
    }


@pytest.mark.parametrize("built", [pytest.param(True, marks=needs_c), False])
def test_what_is_taken(built: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not built:
        monkeypatch.setattr(conditions, "parts_of", None)
    module, x = export(program, (tree(), np.ones(3))).module(), np.ones(3)
    for given in (tree(), tree()):
        found, same = module(given, x)
        np.testing.assert_array_equal(found, program(given, x)[0])
        assert same is given
    for name, given in changed(tree()).items():
        with pytest.raises(InputMismatch):
            module(given, x)
            pytest.fail(name)
    with pytest.raises(InputMismatch):
        module(None, x)


@needs_c
def test_parts_of_forms() -> None:
    form = (dict, ("a", 1), ((list, None, (None, None)), (tuple, None, ())))
    parts = conditions.parts_of(form)
    assert parts({"a": [1, 2], 1: ()}) == (1, 2)
    for other in ({"a": [1], 1: ()}, {1: (), "a": [1, 2]}, {"a": [1, 2], True: ()}, {"a": (1, 2), 1: ()}, [], None):
        assert parts(other) is None
    for wrong in (
        1,
        (dict, None, ()),
        (list, (), ()),
        (dict, ("a",), ()),
        (set, None, ()),
        (list, None, [None]),
        (list, None, ((list, 1, ()),)),
    ):
        with pytest.raises(TypeError):
            conditions.parts_of(wrong)


@needs_c
def test_no_reference_is_kept() -> None:
    value = object()
    parts = conditions.parts_of((list, None, (None, (list, None, (None,)))))
    count = sys.getrefcount(value)
    for _ in range(100):
        parts([value, [value]])
        parts([value, [value, value]])
    gc.collect()
    assert sys.getrefcount(value) == count
