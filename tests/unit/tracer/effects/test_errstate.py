"""Within ``np.errstate(over="raise")`` and its kin a program raises what eager NumPy raises, and nothing outside of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import result_or_error

ORDINARY, LARGE, ZEROS, NEGATIVE, SMALL = (np.full(3, value) for value in (1.5, 1e300, 0.0, -1.0, 1e-300))


def product(x: Any) -> Any:
    with np.errstate(over="raise"):
        return x * 1e300


def outside(x: Any) -> Any:
    with np.errstate(over="raise"):
        y = x + 1
    return y, x * 1e300, x / 0


def nested(x: Any) -> Any:
    with np.errstate(all="raise"), np.errstate(divide="ignore"):
        return 1 / x, np.sqrt(x)


@np.errstate(all="raise")
def decorated(x: Any) -> Any:
    narrow = np.zeros(3, "f4")
    narrow[:] = x
    narrow /= x[0]
    return narrow.mean(), np.linalg.inv(np.eye(2) * x[0]), np.log(x).sum(axis=0, keepdims=True), x.astype("f4")


def scalars(x: Any) -> Any:
    with np.errstate(under="raise", over="raise"):
        return x[0] * x[1], np.float64(1e200) * x[2], np.add.reduce(x)


def parts(x: Any) -> Any:
    with np.errstate(divide="raise"):
        return np.divide(1, x, where=x != 0, out=np.zeros(3)), np.maximum(x, 0), x.reshape(3, 1).T, x > 0


def switched(x: Any) -> Any:
    old = np.seterr(invalid="raise")
    y = np.sqrt(x)
    np.seterr(**old)
    return y, np.log(x)


def outcome(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except FloatingPointError as error:
            return type(error), str(error).replace("scalar ", "")


@pytest.mark.parametrize("program", [product, outside, nested, decorated, scalars, parts, switched])
def test_what_is_raised_is_what_eager_execution_raises(program: Any) -> None:
    exported = export(program, (ORDINARY,))
    for run in (exported.module(), reloaded(exported).module()):
        for x in (ORDINARY, LARGE, ZEROS, NEGATIVE, SMALL):
            np.testing.assert_equal(outcome(lambda run=run, x=x: run(x)), outcome(lambda x=x: program(x)))


def test_the_callers_own_error_state_is_not_the_programs() -> None:
    with np.errstate(over="raise"):
        run = export(lambda x: x * 1e300, (ORDINARY,)).module()
    with np.errstate(over="ignore"):
        assert np.isinf(run(LARGE)).all()


def test_known_data_raise_at_export() -> None:
    def program(x: Any) -> Any:
        with np.errstate(over="raise"):
            return x + np.array([1e300]) * 1e300

    with pytest.raises(FloatingPointError):
        export(program, (ORDINARY,))


def caught(x: Any) -> Any:
    with np.errstate(over="raise"):
        try:
            return x * 1e300
        except FloatingPointError:
            return x


def test_caught() -> None:
    run = export(caught, (ORDINARY,)).module()
    for x in (ORDINARY, LARGE, ZEROS, NEGATIVE, SMALL):
        np.testing.assert_equal(outcome(lambda x=x: run(x)), outcome(lambda x=x: caught(x)))


def called(x: Any) -> Any:
    with np.errstate(over="call"):
        return x * 1e300


@pytest.mark.parametrize("program, code", [(called, "E101")])
def test_refused(program: Any, code: str) -> None:
    with pytest.raises(ExportError) as error:
        export(program, (ORDINARY,))
    assert error.value.code == code


@pytest.mark.parametrize(
    "text", ["C / n", "np.log(n)", "np.sqrt(n - 1)", "C // n", "np.float16(60000 * n)", "np.exp(n * 500)", "np.divide(n, n - 2)"]
)
def test_numbers_of_sizes_meet_errors(text):
    f = function_of(f"def f(n):\n    with np.errstate(all='raise'):\n        return {text}", {"np": np, "C": np.float32(3)})
    run, raised = export(f, (1 if "2" in text else 3,), dynamic_shapes=(Dim.DYNAMIC,)).module(), 0
    for n in (3, 0, 1, 2):
        wanted = result_or_error(f, n)
        found = result_or_error(run, n)
        assert (type(found), str(found)) == (type(wanted), str(wanted))
        raised += isinstance(wanted, FloatingPointError)
    assert raised


def test_handlers_get_errors_of_numbers_of_sizes():
    def program(n):
        with np.errstate(over="raise"):
            try:
                np.exp(n * 1000)
            except FloatingPointError:
                return "over"
        return "fine"

    run = export(program, (3,), dynamic_shapes=(Dim.DYNAMIC,)).module()
    assert [run(n) for n in (3, 0, 1)] == ["over", "fine", "over"]


@pytest.mark.parametrize(
    "text", ["t / t", "t / 0", "t // t", "t % t", "t // 0", "np.divmod(t, t)", "t / np.timedelta64(0, 'D')", "t + t", "-t"]
)
@pytest.mark.parametrize("states", ["all='raise'", "divide='raise'", "invalid='raise'"])
def test_times_that_are_divided_meet_errors(text, states):
    program = function_of(f"def program(t):\n with np.errstate({states}): return {text}", {"np": np})
    days = np.array([0, 5, -5], "m8[D]")
    for example in (days, days[1:]):
        run = export(program, (example,), dynamic_shapes=({0: Dim.AUTO},)).module()
        assert repr(result_or_error(run, days)) == repr(result_or_error(program, days))
