"""Integer inputs of any size: floats made of them are those of eager execution, or the call refuses
integers that are not exact as floats. No `Dim` has to promise it.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export, load, save

ROUNDED = {
    "round": lambda n: round(n * 0.5), "floor": lambda n: math.floor(n / 7), "int": lambda n: int(n / 3), "of 1.5": lambda n: int(n * 1.5),
    "ceil": lambda n: math.ceil(n / 2), "trunc": lambda n: math.trunc(n / 3), "tens": lambda n: round(n / 10) * 10,
    "sum": lambda n: round(n * 1.0 + 1 - n * 1.0), "halves": lambda n: n / 2 > n // 2, "float": lambda n: float(n) == n,
    "whole": lambda n: (n / 4).is_integer(), "root": lambda n: int(math.sqrt(abs(n))),
    "branch": lambda n: 1 if n * 1.0 > 9007199254740993 else 2, "quotient": lambda n: 1 if n / 1 == n else 2,
    "order": lambda n: n / 1000003 < n // 1000003 + 1, "divisor": lambda n: n / 3 > 2**49 + 0.5,
    "square": lambda n: round(n * n * 0.25),
}  # fmt: skip
FLOATS = {
    "third": lambda n: n / 3, "constant": lambda n: n > 1e17, "equal": lambda n: n == 9007199254740992.0, "half": lambda n: n > 2.5,
    "sign": lambda n: n * 0.5 > 0, "truth": lambda n: bool(n / 3), "modulo": lambda n: n % 2.5, "floored": lambda n: n // 2.5,
}  # fmt: skip
INTEGERS = [
    0, 1, 5, 7, 2**43 + 1, 2**51 + 1, 2**52 - 1, 2**52 + 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 3, 2**62 + 1, 2**63, 2**64 + 1, 10**20 + 1,
    -5, -(2**52) - 1, -(2**53) - 1, -(2**63), -(2**70) - 1,
]  # fmt: skip


def _same(run: Any, f: Any, n: int) -> bool:
    """Whether a call gives what eager execution gives; it may refuse integers that are too large."""
    try:
        return repr(run(n)) == repr(f(n))
    except InputMismatch:
        return False


@pytest.mark.parametrize("name", ROUNDED)
def test_roundings_and_orders_of_floats_of_any_integer(name: str, tmp_path: Any) -> None:
    program = export(ROUNDED[name], (7,), dynamic_shapes=(Dim.AUTO,))
    save(program, tmp_path / "program.np2")
    for run in (
        program.module(),
        load(tmp_path / "program.np2").module(),
        export(program.module(), (7,), dynamic_shapes=(Dim.AUTO,)).module(),
    ):
        for n in INTEGERS:
            try:
                assert repr(run(n)) == repr(ROUNDED[name](n)), n
            except InputMismatch as refusal:
                assert abs(n) > 2**25 or (name == "branch" and n > 7), n
                assert "E401" in str(refusal)
        assert all(_same(run, ROUNDED[name], n) for n in INTEGERS if 0 <= n < 2**20)


@pytest.mark.parametrize("name", FLOATS)
def test_floats_that_nothing_rounds_are_of_any_integer(name: str) -> None:
    run = export(lambda n: FLOATS[name](n), (7,), dynamic_shapes=(Dim.AUTO,)).module()
    for n in INTEGERS:
        try:
            assert repr(run(n)) == repr(FLOATS[name](n)), n
        except InputMismatch:
            assert name == "truth" and n == 0


@pytest.mark.parametrize("f", [lambda n: math.floor(n / 7), lambda n: np.arange(n), lambda n: np.mod(n, 5), lambda n: np.array([n, 1])])
def test_no_dim_has_to_promise_a_limit_of_the_machine(f: Any) -> None:
    program = export(f, (7,), dynamic_shapes=(Dim("n"),))
    assert repr(program.module()(12)) == repr(f(12))
    with pytest.raises(InputMismatch, match="a limit of the machine"):
        program.module()(2**64)
    again = export(program.module(), (7,), dynamic_shapes=(Dim("n"),))
    with pytest.raises(InputMismatch, match="a limit of the machine"):
        again.module()(2**64)


def test_an_example_beyond_the_limit_keeps_the_floats() -> None:
    run = export(lambda n: math.floor(n / 7), (2**60 + 1,), dynamic_shapes=(Dim.AUTO,)).module()
    assert [run(n) for n in INTEGERS] == [math.floor(n / 7) for n in INTEGERS]


def test_sizes_of_axes_are_what_memory_holds_and_their_squares_are_checked() -> None:
    x = np.ones(6)
    assert export(lambda x: x[: round(x.shape[0] * 0.5)], (x,), dynamic_shapes=({0: Dim("n")},)).guards == ()
    (guard,) = export(lambda x: round(x.shape[0] ** 2 * 0.5), (x,), dynamic_shapes=({0: Dim("n")},)).guards
    assert guard.is_limit and guard.text == "x.shape[0]**2 <= 2251799813685248"
    run = export(lambda x: round(x.shape[0] ** 2 * 0.5), (x,), dynamic_shapes=({0: Dim("n")},)).module()
    with pytest.raises(InputMismatch, match="a limit of the machine"):
        run(np.broadcast_to(np.ones(1), (10**8 + 1,)))


_NAMES = [
    name
    for name in dir(np)
    if callable(getattr(np, name)) and not name.startswith("_") and name not in ("info", "show_config", "show_runtime")
]


def _dtype(name: str, n: Any) -> Any:
    return str(getattr(np, name)(n).dtype)


def _outcome(call: Any, *args: Any) -> Any:
    try:
        return call(*args)
    except (OverflowError, TypeError, ValueError, AttributeError, LookupError, InputMismatch) as error:
        return type(error)


def test_dtypes_of_functions_of_an_integer() -> None:
    """Of every function of NumPy that takes one: that of eager execution, or E401."""
    seen = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _NAMES:
            if isinstance(_outcome(_dtype, name, 7), type):
                continue
            try:
                run = export(lambda n, name=name: _dtype(name, n), (7,), dynamic_shapes=(Dim.AUTO,)).module()
            except Exception as refusal:
                assert getattr(refusal, "code", None) == "E101", (name, refusal)
                continue
            for n in (7, 2**63, 2**64, -(2**70)):
                found = _outcome(run, n)
                assert found == _outcome(_dtype, name, n) or (found is InputMismatch and n != 7), (name, n)
                seen += found is not InputMismatch
    assert seen > 100
