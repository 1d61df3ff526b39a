"""Objects whose class says by ``__array__`` which array they are: what it is told, and what it gives where copies are made of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome, result_or_error


class Kept:
    """What it gives depends on what it is asked for."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.told: list[Any] = []

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.told.append((dtype is None, copy))
        return self.value.copy() if copy else self.value


class Old:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __array__(self) -> Any:
        return self.value


class OnItself:
    def __init__(self, value: Any) -> None:
        self.__array__ = lambda dtype=None, copy=None: value


def of(expression: str, cls: type = Kept) -> Any:
    """The program that computes the expression of an object ``k`` of the array ``x``, and writes to it."""
    compute = eval(f"lambda k, x: {expression}", {"np": np})  # noqa: S307

    def program(x: Any) -> Any:
        k = cls(x)
        result = compute(k, x)
        result[...] += 1
        return result, x, getattr(k, "told", None)

    return program


@pytest.mark.parametrize("cls", [Kept, Old])
@pytest.mark.parametrize(
    "expression",
    [
        "np.array(k)",
        "np.array(k, copy=True)",
        "np.array(k, copy=False)",
        "np.array(k, copy=None)",
        "np.asarray(k)",
        "np.asarray(k, copy=True)",
        "np.copy(k)",
        "np.array(k, ndmin=2)",
        "np.array(k, np.float32)",
        "np.array([k, x])",
        "np.array((k, k))",
        "np.array([[k], [x]])",
        "np.stack([k, k])",
        "np.full(len(x), k)",
        "np.zeros(len(x)) + k",
    ],
)
@pytest.mark.parametrize("dynamic", [None, ({0: Dim.AUTO},)])
def test_it_is_told_of_copies_and_dtypes(expression: str, cls: type, dynamic: Any) -> None:
    program = of(expression, cls)
    run = result_or_error(export, program, (np.arange(3.0),), dynamic_shapes=dynamic)
    if isinstance(run, Exception):
        assert repr(run) == repr(result_or_error(program, np.arange(3.0)))
        return
    run = run.module()
    for size in (3,) if dynamic is None else (3, 1, 0, 4):
        assert outcome(run, (np.arange(float(size)),)) == outcome(program, (np.arange(float(size)),))


@pytest.mark.parametrize("write", ["x[:] = k", "x[...] = k", "x[1:] = [k][0]", "x[:] = [k]", "x.flat = k", "np.copyto(x, k)"])
def test_what_is_written_is_asked_for_in_the_dtype_of_the_target(write: str) -> None:
    body = (
        f"k = Kept(y)\n    try:\n        {write}\n    except ValueError as error:\n        return str(error), k.told\n    return x, k.told"
    )
    function = function_of(f"def program(y, x):\n    {body}", {"np": np, "Kept": Kept})  # noqa: S102
    program = function
    arguments = np.arange(3.0), np.zeros(3, np.float32)
    run = export(program, arguments).module()
    assert outcome(run, arguments) == outcome(program, arguments)


def test_what_numpy_says_of_shapes_is_said() -> None:
    def program(x: Any) -> Any:
        try:
            return x[:2] + Kept(x)
        except ValueError as error:
            return str(error)

    x = np.ones(3)
    assert export(program, (x,)).module()(x) == program(x)


@pytest.mark.parametrize("expression", ["np.array(OnItself(x))", "np.array([OnItself(x)])", "np.float64(2) * Kept(x)", "x.fill(Kept(x))"])
def test_what_c_makes_an_array_of_by_itself_is_refused(expression: str) -> None:
    program = eval(f"lambda x: {expression}", {"np": np, "OnItself": OnItself, "Kept": Kept})  # noqa: S307
    with pytest.raises(Unsupported, match="E101|E119"):
        export(program, (np.ones(3),))
