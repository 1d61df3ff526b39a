"""An example that raises: `export` raises what eager execution raises, also where the trace meets another exception first."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

from npexport import custom_op, export


def inverted(x: Any) -> Any:
    y = np.linalg.inv(x)
    return y.reshape(7)


def checked(x: Any) -> Any:
    def require(values: Any) -> None:
        if values.sum() > 0:
            raise KeyError("too much", 3)

    require(x)
    return x.reshape(7)


def looked_up(x: Any) -> Any:
    x[0, 0] = x[x.astype(int)[0, 0]].sum()
    raise ValueError("later")


def trapped(x: Any) -> Any:
    with np.errstate(divide="raise"):
        y = 1 / x
    return y.reshape(7)


def filled(x: Any) -> Any:
    found = []
    for row in x:
        if row[0] < 0.5:
            continue
        found.append([] * row[1])
    return max(found)


SINGULAR, REGULAR, LARGE = np.zeros((2, 2)), np.eye(2) - 2, np.full((2, 2), 5.0)


@pytest.mark.parametrize("program", [inverted, checked, looked_up, trapped, filled])
@pytest.mark.parametrize("example", [SINGULAR, REGULAR, LARGE], ids=["singular", "regular", "large"])
def test_export_raises_what_eager_execution_raises(program: Any, example: Any) -> None:
    with pytest.raises(Exception) as wanted:
        program(example.copy())
    before = example.copy()
    with pytest.raises(Exception) as found:
        export(program, (example,))
    assert (found.type, str(found.value)) == (wanted.type, str(wanted.value))
    assert np.array_equal(example, before)


def test_its_traceback_ends_in_the_lines_of_the_program() -> None:
    with pytest.raises(KeyError) as found:
        export(checked, (LARGE,))
    lines = [frame.line for frame in traceback.extract_tb(found.value.__traceback__)]
    assert lines[-2:] == ["require(x)", 'raise KeyError("too much", 3)']
    assert found.value.__context__ is None


def test_operators_of_users_are_not_run() -> None:
    ran = []

    @custom_op("earlier::touch", mutates_args=())
    def touch(x: np.ndarray) -> np.ndarray:
        ran.append(1)
        return x + 1

    touch.register_fake(np.empty_like)

    def program(x: Any) -> Any:
        return np.linalg.inv(touch(x)).reshape(7)

    with pytest.raises(ValueError, match="cannot reshape"):
        export(program, (SINGULAR - 1,))
    assert not ran
