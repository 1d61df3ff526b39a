"""Warnings that a program ignores by filters of its own are ignored where it runs, whatever the caller's filters are; other filters
of its own are refused where an operator may warn.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, cond, custom_op, export, while_loop
from tests.support.forms import FORMS
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard
from tests.support.told import CALLERS, told

X, Y = np.array([1.0, 0.0, -1.0]), np.zeros(3)
FILTERS = ("default", "ignore", "error", "always")


@custom_op("tests_warning_filters::inverse", mutates_args=())
def inverse(x: np.ndarray) -> np.ndarray:
    warnings.warn("of the operator's own", stacklevel=1)
    return 1 / x


inverse.register_fake(np.empty_like)


def all_ignored(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = x / y
    return z


def then_not(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = x / y
    return z, np.log(x)


def by_action(x: Any, y: Any) -> Any:
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        return np.sqrt(x) / y


def by_filter(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        return x[0] / y[0], 1 / y


def of_empty(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=RuntimeWarning)
        return np.nanmean(x / y * np.nan), np.nanmax(np.where(x == 7, x, np.nan))


def with_states(x: Any, y: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(invalid="warn", divide="ignore"):
        warnings.simplefilter("ignore")
        a = x / y
        with np.errstate(all="warn"):
            return a, np.log(x)


def one_side(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x.sum() > 0:
            z = x / y
        else:
            z = np.sqrt(x)
    return z / y


def given_functions(x: Any, y: Any) -> Any:
    def quiet(x: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return x / y

    return cond(x.sum() > 0, quiet, lambda x: x / y, (x,))


def loop(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, z / y), (0, x))


def mutated(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x /= y
    return x * 2


def of_users(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return inverse(x)


def unchanged(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        return x / y


class Small(RuntimeWarning):
    pass


def of_no_operator(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Small)
        return x / y


def beside_one_of_no_operator(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("error", Small)
        return x / y


def within_a_side(x: Any, y: Any) -> Any:
    if x.sum() > 5:
        z = x * 2
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            z = x / y
    return z / y


def returned_within(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x.sum() > 5:
            return x * 2
        return x / y


def within_iterations(x: Any, y: Any) -> Any:
    z = x * 1.0
    while z.sum() < 9:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            z = np.abs(x / y) + z + 4
    return z / y


def by_message(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "DIVIDE by zero")
        z = 1 / x
    return z, 1 / y


def by_messages(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r".*of empty slice", RuntimeWarning)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "invalid value encountered in", RuntimeWarning)
            z = np.nanmean(x[:0]) + np.sqrt(y)
        return z, np.log(x), np.nanmean(y[:0])


def of_other_kinds(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return 1 / x, (x * 1j).astype(float), np.log(y)


def of_parts_that_are_lost(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        return (x * 1e300).astype("f4"), np.asarray(x / y, int), np.log(y)


def within_a_loop(x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "overflow")
        while x.max() < 1e200 and y.size:
            x = np.exp(np.abs(x)) + 1 / y
    return x


PROGRAMS = (
    by_message,
    by_messages,
    of_other_kinds,
    of_parts_that_are_lost,
    within_a_loop,
    given_functions,
    of_no_operator,
    beside_one_of_no_operator,
    within_a_side,
    returned_within,
    within_iterations,
    all_ignored,
    then_not,
    by_action,
    by_filter,
    of_empty,
    with_states,
    one_side,
    loop,
    mutated,
    of_users,
    unchanged,
)


def heard(function: Callable[..., Any], action: str) -> Any:
    """The result or the exception, the arguments after the call, and the warnings under the caller's filter."""
    args = X.copy(), Y.copy()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        try:
            result = function(*args)
        except RuntimeWarning as warning:
            result, args = str(warning).replace("scalar ", ""), ()  # type: ignore[assignment]
    return result, args, [(each.category, str(each.message).replace("scalar ", "")) for each in found]


CALLS = list(itertools.product(PROGRAMS, FORMS, ["ignore", "default"]))


@pytest.mark.parametrize(("program", "form", "outside"), shard(CALLS, 4), ids=lambda value: getattr(value, "__name__", value))
def test_callers_filters(program: Any, form: Any, outside: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter(outside)
        run = FORMS[form](export(program, (X, Y))).module()
    for action in FILTERS:
        np.testing.assert_equal(heard(run, action), heard(program, action))
    for state in CALLERS if program not in (mutated, of_users) else ():
        np.testing.assert_equal(told(run, (X, Y), state), told(program, (X, Y), state))


def by_module(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="numpy")
        return 1 / x


def by_a_pattern(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(divide|invalid)+ by zero")
        return 1 / x


def shown_always(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        return 1 / x


@custom_op("tests_warning_filters::small", mutates_args=())
def small(x: np.ndarray) -> np.ndarray:
    warnings.warn("of few", Small, stacklevel=1)
    return x + 1


small.register_fake(np.empty_like)


def of_an_operator_of_users(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Small)
        return small(x)


def left_on_a_side(x: Any) -> Any:
    with warnings.catch_warnings():
        if x[0] > 0:
            warnings.simplefilter("ignore")
        return 1 / x


def without_filters(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.resetwarnings()
        return 1 / x


def refused(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return 1 / x


def of_complex_numbers(x: Any) -> Any:
    z = 1 / x * 1j
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        return z.astype(float)


@pytest.mark.parametrize(
    "program", [of_complex_numbers, by_module, by_a_pattern, shown_always, of_an_operator_of_users, without_filters, refused]
)
@pytest.mark.parametrize("outside", ["ignore", "error", None])
def test_other_filters_are_refused(program: Any, outside: Any) -> None:
    """Also where the caller's filters at the export do the same: those of a call may not."""
    with warnings.catch_warnings() if outside else nullcontext():
        if outside:
            warnings.simplefilter(outside)
        with pytest.raises(ExportError) as error:
            export(program, (X,))
    assert error.value.code == "E126"
    assert "np.errstate" in str(error.value)


def raises_within(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x[0] > 5:
            raise ValueError("large")
        for value in x:
            if value < -5:
                raise ValueError(f"small: {value}")
        return 1 / x


def raises_around(x: Any) -> Any:
    def checked(value: Any) -> Any:
        if not value > -5:
            raise ValueError("small")
        return np.sqrt(value)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "invalid value")
        found = [checked(x[place]) for place in range(2)]
    return found, np.sqrt(x[2])


@pytest.mark.parametrize("program", [raises_within, raises_around])
def test_sides_raise_out_of_filters(program: Any) -> None:
    run = export(program, (X,)).module()
    for x in (X, X - 9, X + 9, X * np.nan, np.abs(X)):
        np.testing.assert_equal(outcome(run, (x,), warns=True), outcome(program, (x,), warns=True))


def test_filters_that_one_side_leaves_are_refused() -> None:
    with pytest.raises(ExportError) as error:
        export(left_on_a_side, (X,))
    assert error.value.code == "E103"


def test_plain_python() -> None:
    program = export(then_not, (X, Y))
    text = program.to_python()
    forward = function_of(text)
    assert "import warnings" in text
    for action in FILTERS:
        np.testing.assert_equal(heard(forward, action), heard(then_not, action))


def test_printed_and_parsed() -> None:
    graph = export(with_states, (X, Y)).graph_module
    text = str(graph.code)
    assert "np.errstate(divide='ignore', invalid='warn'), warnings.catch_warnings(action='ignore', category=Warning):" in text


def test_of_what_never_warns() -> None:
    def program(x: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "nothing")
            return x[::2].reshape(-1, 1), x.copy()

    np.testing.assert_equal(export(program, (X,)).module()(X), program(X))


def told_and_warned(x: Any) -> Any:
    if x.sum() > 100:
        print("large")
        warnings.warn("large", stacklevel=1)
        return x * 2
    return x + 1


def told_by_functions(x: Any) -> Any:
    def large(x: Any) -> Any:
        print("large")
        warnings.warn("large", stacklevel=1)
        return x * 2

    return cond(x.sum() > 100, large, lambda x: x + 1, (x,))


def told_in_iterations(x: Any) -> Any:
    while x.sum() < 100:
        warnings.warn("small", stacklevel=1)
        print("small")
        x = x + 1
    return x


@pytest.mark.parametrize("program", [told_and_warned, told_by_functions, told_in_iterations])
def test_nothing_that_a_trial_says_is_told(program: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The side of a refused branch is not what the caller's data take."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with pytest.raises(ExportError):
            export(program, (X,))
    assert (found, capsys.readouterr().out) == ([], "")
