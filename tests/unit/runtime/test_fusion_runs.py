"""Runs over blocks that write in place or over ranges of memory: results, warnings and errors are eager ones, also where a run stops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.runtime.blocks.fusion_runs import Run
from tests.support.blocks import compare, described, forced


def _array(*shape: int, seed: int = 0, dtype: Any = np.float64) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _updates(a: Any, b: Any) -> None:
    a[:, 1:] -= 0.5 * (b[:, 1:] - b[:, :-1])
    b[:-1, :-1] -= 0.7 * (a[:-1, 1:] - a[:-1, :-1] + a[1:, :-1])


def _moments(a: Any, b: Any) -> None:
    a *= 0.9
    a += 0.1 * b
    b *= 0.99
    b += 0.01 * a * a


def _whole_rows(a: Any, b: Any) -> Any:
    a -= a.max(axis=-1, keepdims=True)
    a /= np.sqrt(b * b + 1)
    return a[1:] * 2 - b[1:]


def _of_functions(a: Any, b: Any) -> None:
    a[1:-1, 2:] = np.sin(a[1:-1, 2:]) * b[1:-1, 2:] + 1


def _other_part(a: Any, b: Any) -> None:
    a[1:] = a[1:] * 2 + a[:-1] * b[1:] - 1
    a[:, :-1] += (a[:, 1:] * 2 + 1) * b[:, :-1]


def _quotients(a: Any, b: Any) -> Any:
    return (a[1:-1, 1:-1] + b[2:, 1:-1]) / b[1:-1, 1:-1] - a[:-2, 2:], np.sqrt(a[1:-1, 1:-1]) * 2 > b[2:, 2:]


def _mixed(a: Any, b: Any) -> Any:
    small = a[:, 1:-1].astype(np.float32) * np.float32(2) + 1
    return np.where(a[1:, 2:] > b[1:, :-2], a[1:, 2:] * 2 - b[1:, :-2], np.maximum(a[1:, 1:-1], b[:-1, 1:-1])), small


def _part_of_what_is_made(a: Any, b: Any) -> Any:
    made = np.square(a) * 2 + b
    made[:, 1:] -= made[:, :-1]
    made *= 2
    return made


PROGRAMS = [_updates, _moments, _whole_rows, _of_functions, _other_part, _quotients, _mixed, _part_of_what_is_made]
STATES: tuple[dict[str, Any], ...] = ({}, {"all": "warn"}, {"all": "ignore"}, {"all": "raise"}, {"invalid": "raise", "over": "ignore"})
SPECIAL = [np.inf, -np.inf, np.nan, -np.nan, 1e308, -1e308, 0.0, -0.0, 1e-310]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("columns", [6, 14, 33, 64])
@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_results_warnings_and_errors_are_those_of_eager_execution(program: Any, columns: int, count: int) -> None:
    a, b = abs(_array(150, columns)), abs(_array(150, columns, seed=1)) + 1
    assert any(compare(program, (a, b), count, STATES[:1]))
    for first in (3, 70, 140):  # where a run stops: at its begin, in the middle, at its end
        one, other = a.copy(), b.copy()
        one[first : first + 9, columns // 2] = SPECIAL
        other[first : first + 9, columns // 3] = SPECIAL[::-1]
        compare(program, (one, other), count, STATES)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_views_of_larger_arrays_are_taken(program: Any, order: Any) -> None:
    given, wanted = ([abs(_array(152, 35)).copy(order)[1:-1, 2:], abs(_array(150, 66, seed=1)).copy(order)[:, ::2]] for _ in range(2))
    with forced():
        run = export(program, [array.copy("K") for array in given]).module()
        found, expected = run(*given), program(*wanted)
    given, wanted = (
        [*arrays, *results] if isinstance(results, tuple) else [*arrays, results]
        for arrays, results in ((given, found), (wanted, expected))
    )
    assert [described(value) for value in given] == [described(value) for value in wanted]


@pytest.mark.parametrize("program", [_updates, _moments], ids=["windows", "whole arrays"])
def test_what_stops_in_the_middle_goes_on_there(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The warnings are those of eager execution, and each comes once for its operator."""
    went_on, rest = [], Run.rest
    monkeypatch.setattr(Run, "rest", lambda run: went_on.append(len(run.done)) or rest(run))
    a, b = _array(400, 60), _array(400, 60, seed=1)
    a[-1, 7] = b[-1, 7] = 1.5e308
    b[-1, 8] = -1.5e308
    wanted = a.copy(), b.copy()
    with forced():
        run = export(program, (a, b)).module()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(a, b)
        messages = [str(warning.message) for warning in said]
        said.clear()
        program(*wanted)
        assert messages == [str(warning.message) for warning in said] != []
    assert [array.tobytes() for array in (a, b)] == [array.tobytes() for array in wanted]
    assert max(went_on) > 1


def test_what_lies_between_rows_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    forms: list[bool] = []
    began = Run.__init__
    monkeypatch.setattr(Run, "__init__", lambda run, work, form, *rest: forms.append(bool(form.level)) or began(run, work, form, *rest))
    a, b = _array(150, 30), abs(_array(150, 30, seed=1)) + 1
    b[:, 0] = b[:, -1] = 0.0
    a[:, 0] = np.nan
    with forced(), np.errstate(all="raise"):
        run = export(_quotients, (abs(a), b)).module()
        found, wanted = run(abs(a), b), _quotients(abs(a), b)
    for one, other in zip(found, wanted, strict=True):
        assert one.tobytes() == other.tobytes()
    assert True in forms and False in forms
