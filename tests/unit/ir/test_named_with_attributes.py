"""Named tuples with attributes beside their items, as SciPy's results are: as inputs and results, in all forms of a program."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export, load, save
from npexport.ir.containers import fits_named
from tests.support.forms import FORMS
from tests.support.functions import function_of

_Pair = collections.namedtuple("_Pair", "value error")


class Measured(_Pair):
    """Of items, and of what its maker adds; it is made with other arguments than its items."""

    def __new__(cls, values):
        return super().__new__(cls, values.mean(), values.std())

    def __init__(self, values):
        self.count = len(values)
        self.unit = "m"
        self._values = values

    def __deepcopy__(self, memo):
        return Measured(self._values.copy())


def measured(x):
    return Measured(x * 2)


def nested(x):
    one = Measured(x)
    one.history = [one.value, {"last": x[-1]}]
    return {"one": one, "both": (one, Measured(x + 1))}


def given(pair):
    return pair.value + pair.error * pair.count, pair._values * 2, pair.unit


def shown(value: Any) -> Any:
    """The types, items and attributes of what a program returns."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.tolist()
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value), [shown(item) for item in value], shown(getattr(value, "__dict__", {}))
    return type(value), value


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("program", [measured, nested])
def test_results(program: Any, form: str) -> None:
    exported = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim("n")},))
    module = FORMS[form](exported).module()
    for x in (np.arange(4.0), np.array([2.5, -1.0])):
        assert shown(module(x)) == shown(program(x))


def test_inputs() -> None:
    exported = export(given, (Measured(np.arange(4.0)),))
    for form in FORMS.values():
        module = form(exported).module()
        pair = Measured(np.array([0.5, -2.0, 1.0, 3.0]))
        assert shown(module(pair)) == shown(given(pair))
        for change in ({"count": 4, "unit": "m"}, {**vars(pair), "more": 1}):
            other = Measured(pair._values)
            other.__dict__ = change
            with pytest.raises(InputMismatch):
                module(other)


def test_as_plain_python() -> None:
    forward = function_of(compile(export(nested, (np.arange(4.0),)).to_python(), "<plain>", "exec"))
    x = np.array([2.5, -1.0, 0.0, 1.0])
    assert shown(forward(x)) == shown(nested(x))


@pytest.mark.parametrize("name", ["value", "__class__", "no name", "history"])
def test_an_archive_gives_only_attributes_that_an_instance_may_have(tmp_path: Any, name: str) -> None:
    assert fits_named(Measured, ("value", "error", "unit", name)) is (name == "history")
    assert not fits_named(_Pair, ("value", "error", name))
    path = tmp_path / "program.npx"
    save(export(measured, (np.arange(4.0),)), path)
    assert shown(load(path).module()(np.ones(4))) == shown(measured(np.ones(4)))
