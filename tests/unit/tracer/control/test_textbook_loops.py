"""Textbook programs whose loops depend on data: captured, and equal to eager execution on data that
takes every way.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support import textbook_exits, textbook_nested, textbook_searches, textbook_simulations  # noqa: F401  declare more
from tests.support.functions import function_of
from tests.support.textbook_loops import PROGRAMS


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_captured_programs_give_what_they_give_eagerly(name: str) -> None:
    program, calls = PROGRAMS[name]
    module = export(program, copy.deepcopy(calls[0])).module()
    for arguments in calls:
        given = copy.deepcopy(arguments)
        wanted, found = program(*copy.deepcopy(arguments)), module(*given)
        assert repr(found) == repr(wanted)
        np.testing.assert_equal(given, arguments)


def test_there_are_many_programs() -> None:
    assert len(PROGRAMS) >= 70


@pytest.mark.parametrize("name", ["newton_square_root", "bisection", "collatz"])
def test_loops_are_refused_where_capture_is_off(name: str) -> None:
    program, calls = PROGRAMS[name]
    with pytest.raises(ExportError) as refusal:
        export(program, copy.deepcopy(calls[0]), capture_control_flow=False)
    assert refusal.value.code in ("E103", "E104")


def _tail(after: str) -> Any:
    """A program that goes on after a loop in which a variable may be one of several arrays."""
    lines = [
        "def program(x, y):", "x, y = x.copy(), y.copy()", "z, k = y, 0", "while x.sum() < 6.0 and k < 5:", "    if x[0] > 0.0:",
        "        z = x", "    x = x + 0.5", "    k += 1", after, "return x.sum(), y * 1.0, z * 1.0, k",
    ]  # fmt: skip
    return function_of("\n    ".join(lines), {"np": np})


def _unread(p):
    rate, turns, close = 0.1, 0, False
    while turns < 50 and not np.all(close):
        new = rate - (rate * rate - p) / (2 * rate + 1)
        close = np.abs(new - rate) < 1e-9
        turns += 1
        rate = new
    if not np.all(close):
        rate[~close] = np.nan
    return rate


def _unread_by_a_function(p):
    def clipped(a):
        b = a * 1
        kept = b
        if a.sum() > 1:
            b = a * 2
        b[b < 0.5] = 0
        return b

    return clipped(p) + p


@pytest.mark.parametrize("program", [_unread, _unread_by_a_function])
def test_what_no_variable_that_is_read_shares_is_written_to(program: Any) -> None:
    run = export(program, (np.array([2.0, 3.0]),)).module()
    for data in ([2.0, 3.0], [0.1, 0.2], [-1.0, 4.0], [np.nan, 1.0], [0.0, 0.0]):
        x = np.array(data)
        np.testing.assert_array_equal(run(x.copy()), program(x.copy()))


@pytest.mark.parametrize("after", ["z[0] = 9.0", "y += 1.0"])
def test_what_may_be_one_array_with_another_is_not_written_to(after: str) -> None:
    x, y = np.array([-0.5, 0.25]), np.array([1.0, 2.0])
    with pytest.raises(ExportError, match="shares its memory"):
        export(_tail(after), (x, y))
    program = _tail("z = z.copy(); z[0] = 9.0")
    module = export(program, (x, y)).module()
    for first in (x, x + 1, x + 9):
        assert repr(module(first, y)) == repr(program(first, y))


def test_an_index_out_of_range_raises_when_the_program_runs() -> None:
    def program(x: Any) -> Any:
        i = 0
        while x[i] > 0.0:
            i += 1
        return i

    module = export(program, (np.array([1.0, 2.0, -1.0]),)).module()
    assert module(np.array([1.0, 2.0, -1.0])) == 2
    with pytest.raises(IndexError):
        module(np.array([1.0, 2.0, 3.0]))
