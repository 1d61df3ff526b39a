"""Warnings of what is computed from constants, while the program has filters of its own: these decide, as in eager
execution.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.functions import function_of

CALLS = (
    "np.mean(np.zeros(0))", "np.mean(())", "np.zeros(2) / 0", "np.log(np.zeros(2))", "np.int8(100) + np.int8(100)",
    "np.var(np.zeros(0))",
    "np.nanmean(np.array([np.nan]))", "np.cov(np.zeros((3, 0)))", "divmod(np.int64(7), 0)", "np.zeros(2).__itruediv__(0)",
    "np.float64(1) / 0",
    "np.ones(1)[0]", "np.ones(3) + 1",
)  # fmt: skip


def program_of(call: str, filters: str) -> Any:
    body = f"with warnings.catch_warnings():\n  {filters}\n  try: found = {call}\n  except RuntimeWarning as error: found = str(error)"
    return function_of(f"def program(x):\n {body}\n return found, x", {"np": np, "warnings": warnings})


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """What is warned of when the library is first used has been."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        export(lambda x: x + 1, (np.ones(2),)).module()(np.ones(2))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "filters",
    [
        "warnings.simplefilter('error')",
        "warnings.simplefilter('ignore')",
        "warnings.filterwarnings('error', 'Mean of')",
        "warnings.filterwarnings('ignore', 'Mean of'); warnings.filterwarnings('ignore', 'invalid')",
        "warnings.filterwarnings('error', category=DeprecationWarning)",
    ],
)
def test_the_filters_of_the_program_decide(call: str, filters: str) -> None:
    program = program_of(call, filters)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = export(program, (np.ones(2),)).module()
        mine = [str(each.message) for each in caught]
        caught.clear()
        wanted = program(np.ones(2))
        assert mine == [str(each.message) for each in caught]
    assert repr(run(np.ones(2))) == repr(wanted)


def test_what_is_recorded_is_refused() -> None:
    def program(x: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            np.log(np.zeros(2))
        return len(caught), x

    with pytest.raises(Unsupported, match="records warnings, and this warns: divide by zero encountered in log") as found:
        export(program, (np.ones(2),))
    assert found.value.code == "E126"


def test_filters_by_place_are_refused() -> None:
    with pytest.raises(Unsupported, match="filters of its own for warnings, and this warns: Mean of empty slice") as found:
        export(program_of("np.mean(np.zeros(0))", "warnings.filterwarnings('error', module='numpy')"), (np.ones(2),))
    assert found.value.code == "E126"


def test_a_caller_that_records_warnings_gets_them() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        export(lambda x: (divmod(np.int64(7), 0), np.log(np.zeros(1)), x), (np.ones(2),))
    assert [str(each.message) for each in caught] == ["divide by zero encountered in scalar divmod", "divide by zero encountered in log"]


def test_the_filters_of_the_process_are_what_they_were() -> None:
    before, shows = [*warnings.filters], warnings._showwarnmsg  # type: ignore[attr-defined]
    export(program_of("np.log(np.zeros(2))", "warnings.simplefilter('error')"), (np.ones(2),))
    assert [*warnings.filters] == before and warnings._showwarnmsg is shows  # type: ignore[attr-defined]
