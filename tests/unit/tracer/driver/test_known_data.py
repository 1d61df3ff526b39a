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


def test_text_of_any_width_is_refused_with_what_to_write_instead() -> None:
    texts = np.array(["ab", "cde"], np.dtypes.StringDType())
    for program, given in ((lambda x: x == "ab", texts), (lambda x: x == texts, np.array(["ab", "cde"]))):
        with pytest.raises(ExportError, match="texts of any length") as refusal:
            export(program, (given,))
        assert refusal.value.code in ("E122", "E202")
        assert "U{np.strings.str_len(x).max()}" in str(refusal.value.hint)


TEXTS = np.array(["a", "bcd"], np.dtypes.StringDType())
"""Texts of any length from outside."""
WAYS_TO_TEXTS = {
    "astype": lambda u: u.astype("T"),
    "astype of a class": lambda u: u.astype(np.dtypes.StringDType()),
    "zeros": lambda u: np.zeros(3, "T"),
    "full": lambda u: np.full(3, "a", dtype="T"),
    "empty_like": lambda u: np.empty_like(u, dtype="T"),
    "asarray": lambda u: np.asarray(u, dtype="T"),
    "fromiter": lambda u: np.fromiter(["a"], dtype="T"),
    "concatenate": lambda u: np.concatenate([u, u], dtype="T"),
    "where": lambda u: np.where(u == "a", u, TEXTS),
    "isin": lambda u: np.isin(u, TEXTS),
    "multiply": lambda u: np.strings.multiply(TEXTS, 2),
    "lengths": lambda u: np.strings.str_len(TEXTS),
    "unique": lambda u: np.unique(TEXTS),
    "a constant": lambda u: TEXTS,
    "items": lambda u: [str(text) for text in TEXTS],
    "a count": lambda u: (TEXTS == "a").sum(),
    "a missing one": lambda u: np.isnan(np.array(["a", None], np.dtypes.StringDType(na_object=None))),
}


@pytest.mark.parametrize("way", WAYS_TO_TEXTS)
def test_every_way_to_text_of_any_width_is_refused(way: str) -> None:
    with pytest.raises(ExportError) as refusal:
        export(WAYS_TO_TEXTS[way], (np.array(["a", "bcd"]),))
    assert refusal.value.code == "E122"
