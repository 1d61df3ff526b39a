"""Methods of operators, called by name on sizes and numbers of data: they decline what those of numbers decline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

SELF = ("n", "(n / 2)", "(n > 2)", "int(x[0])", "float(x[0])", "5", "2.5", "True", "1j")
OTHER = (
    "3",
    "1.0",
    "True",
    "n",
    "n / 2",
    "n > 2",
    "1j",
    "'a'",
    "None",
    "np.int64(2)",
    "np.float64(2.0)",
    "x[1]",
    "x.astype('f4')[1]",
    "x[1] * 1j",
)
METHODS = ("__eq__", "__lt__", "__add__", "__radd__", "__sub__", "__mul__", "__truediv__", "__and__", "__divmod__", "__pow__", "__rsub__")


def program(text: str) -> Any:
    return function_of(
        f"def f(x):\n    n = len(x)\n    found = {text}\n    return 'declined' if found is NotImplemented else found", {"np": np}
    )


@pytest.mark.parametrize("method", METHODS)
def test_equal_those_of_python(method: str) -> None:
    compared = 0
    for number in SELF:
        for other in OTHER:
            kind = {"n": int, "(n / 2)": float, "(n > 2)": bool, "int(x[0])": int, "float(x[0])": float}.get(number)
            if not hasattr(kind or type(eval(number)), method):
                continue
            f = program(f"({number}).{method}({other})")
            try:
                exported = export(f, (np.array([1.0, 2.0, 3.0]),), dynamic_shapes=({0: Dim.AUTO},)).module()
            except ExportError as refusal:
                assert refusal.code in ("E104", "E126") and ("x[" in number + other or method == "__pow__")
                continue
            for x in (np.array([1.0, 2.0, 3.0]), np.array([4.0, 2.0, 5.0])):
                assert outcome(exported, (x,)) == outcome(f, (x,)), f"({number}).{method}({other})"
                compared += 1
    assert compared > 80


@pytest.mark.parametrize(
    "text",
    [
        "int.__eq__(n, 2.5)",
        "int.__add__(5, n / 2)",
        "int.__add__(5, n)",
        "float.__mul__(2.5, n)",
        "int.__eq__(n, n)",
        "float.__radd__(2.5, n)",
        "float.__rsub__(2.5, x[1])",
        "float.__add__(x[1], 2.5)",
        "float.__neg__(x[1])",
        "[getattr(2.5, name)(x[1]) for name in ('__add__', '__rtruediv__', '__divmod__')]",
    ],
)
def test_of_the_class(text: str) -> None:
    f, x = program(text), np.ones(3)
    assert outcome(export(f, (x,), dynamic_shapes=({0: Dim.AUTO},)).module(), (x,)) == outcome(f, (x,))


@pytest.mark.parametrize("text", ["float.__add__(n, 2.5)", "float.__rmul__(n, 2.5)", "int.__add__(x[1], 2)", "complex.__add__(x[1], 1j)"])
def test_numbers_of_other_classes_are_none(text: str) -> None:
    f, x = program(text), np.ones(3)
    with pytest.raises(TypeError) as expected:
        f(x)
    with pytest.raises(TypeError) as found:
        export(f, (x,), dynamic_shapes=({0: Dim.AUTO},))
    assert str(found.value) == str(expected.value)
