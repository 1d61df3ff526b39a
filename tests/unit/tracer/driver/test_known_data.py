"""What is known at export takes the same way as what only the data know: the same values, the same errors, the same refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, UserError, export

ROW = np.array([0.5, np.nan, 3.0, 1.0])
NONE = np.zeros(0, np.int64)
LONG = np.iinfo(np.intc).max // 4 + 1


def _raised(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except (ValueError, TypeError) as error:
        return type(error).__name__, str(error)


def _places(x: Any) -> Any:
    kinds = [(mode, n) for mode in ("clip", "wrap") for n in (0, 1)]
    return [_raised(lambda mode=mode, n=n: np.ravel_multi_index(np.zeros((3, n), np.intp), (2, 1, 0), mode=mode)) for mode, n in kinds]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a slice up to the largest": lambda x: x[: np.nanargmax(ROW)] * 2,
    "a sum up to the first": lambda x: ROW[: int(np.argmax(ROW > 0.6))].sum() + x,
    "a truth": lambda x: (not np.isnan(ROW).any(), bool(np.greater(ROW[0], 0.1)), x),
    "places in nothing": _places,
    "places of data in nothing": lambda x: _raised(lambda: np.ravel_multi_index((x > 0, x > 0), (0, 2), mode="clip")),
    "no repeats": lambda x: (np.repeat(x[:0], NONE), np.repeat(np.zeros(0), NONE)),
    "no places": lambda x: (np.ravel_multi_index(np.zeros((2, 0), int), (2, 3)), np.unravel_index(NONE, (2, 3)), x),
    "a long text": lambda x: _raised(lambda: np.array([], dtype=f"S{LONG}").astype("U")),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_known_data_give_what_numpy_gives(name: str) -> None:
    x = np.arange(4.0)
    wanted, found = PROGRAMS[name](x), export(PROGRAMS[name], (x,)).module()(x)
    assert repr(found) == repr(wanted)


_OTHER = type(np.dtype(np._core._multiarray_umath._get_sfloat_dtype()(1.0)))  # type: ignore[attr-defined]
OTHERS = np.ones(2).view(np.float64).astype(_OTHER)

REFUSED: dict[str, Callable[[Any], Any]] = {
    "made": lambda x: np.array([1.0, 2.0], dtype=object).astype(_OTHER),
    "converted": lambda x: x.astype(_OTHER).astype(float),
    "from outside": lambda x: OTHERS + x,
    "viewed": lambda x: OTHERS.view(np.float64) + x,
}


@pytest.mark.parametrize("name", REFUSED)
def test_dtypes_that_are_not_numpys_own_are_refused(name: str) -> None:
    with pytest.raises(ExportError) as refusal:
        export(REFUSED[name], (np.ones(2),))
    assert refusal.value.code in ("E118", "E122")


def test_inputs_of_such_dtypes_are_refused() -> None:
    with pytest.raises(UserError, match="not one of NumPy's own"):
        export(lambda x: x, (OTHERS,))
