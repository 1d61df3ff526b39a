"""Arrays are checked by one call of the C extension, where it was built: it holds where the written-out condition does."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, export
from npexport.runtime import conditions


class Sub(np.ndarray):
    pass


X, Y = np.arange(6.0).reshape(2, 3), np.arange(3)
GIVEN: dict[str, tuple[Any, bool]] = {
    "the example": (X, True),
    "other memory": (np.asfortranarray(X)[::1], True),
    "a view": (np.zeros((4, 6))[::2, ::2], True),
    "another size": (np.zeros((2, 4)), False),
    "another rank": (np.zeros((2, 3, 1)), False),
    "no axes": (np.zeros(()), False),
    "another dtype": (X.astype(np.float32), False),
    "other bytes": (X.astype(X.dtype.newbyteorder()), False),
    "a class of its own": (X.view(Sub), False),
    "a list": (X.tolist(), False),
    "a number": (1.0, False),
    "a dtype": (X.dtype, False),
    "nothing": (None, False),
}


@pytest.mark.skipif(conditions.are is None, reason="the C extension was not built")
@pytest.mark.parametrize("name", GIVEN)
def test_what_holds(name: str) -> None:
    value, holds = GIVEN[name]
    expected = np.ndarray, (X.dtype, X.shape), (Y.dtype, Y.shape)
    assert conditions.are(expected, value, Y) is holds
    assert conditions.are(expected, X, value) is False
    assert (type(value) is np.ndarray and value.dtype is X.dtype and value.shape == X.shape) is holds


@pytest.mark.skipif(conditions.are is None, reason="the C extension was not built")
@pytest.mark.parametrize("args", [(), (1,), ((),), ((np.ndarray, 1), X), ((np.ndarray, (X.dtype, 3)), X), ((np.ndarray, (X.dtype, (3,))),)])
def test_what_is_malformed_is_refused(args: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="takes"):
        conditions.are(*args)


@pytest.mark.skipif(conditions.are is None, reason="the C extension was not built")
def test_no_reference_is_kept() -> None:
    expected = np.ndarray, (X.dtype, X.shape)
    before = [sys.getrefcount(each) for each in (X, expected, X.dtype)]
    for value in (X, Y, None) * 100:
        conditions.are(expected, value)
    assert [sys.getrefcount(each) for each in (X, expected, X.dtype)] == before


@pytest.mark.parametrize(
    "built", [pytest.param(True, marks=pytest.mark.skipif(conditions.are is None, reason="the C extension was not built")), False]
)
def test_programs_take_the_same(built: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not built:
        monkeypatch.setattr(conditions, "are", None)

    def program(pair: Any, y: Any, scale: Any) -> Any:
        return pair[0] * scale + pair[1]["z"] + y

    example = ((X, {"z": X}), Y, 2.0)
    module = export(program, example).module()
    np.testing.assert_array_equal(module(*example), program(*example))
    for name, (value, holds) in GIVEN.items():
        given = ((X, {"z": value}), Y, 2.0)
        if holds:
            np.testing.assert_array_equal(module(*given), program(*given), err_msg=name)
        else:
            with pytest.raises(InputMismatch):
                module(*given)
