"""Operators of dates: business days, and dates as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.rules import BOOL, Array, Rejected, Shape, array, broadcast, dtype_of, meta_of, record, shape_of, value
from npexport.ir.ops.samples import Call, call
from npexport.ir.raising import DATA
from npexport.symshapes.errors import Unsupported

_DATES = np.array(["2024-01-01", "2024-01-06", "2024-03-05"], "M8[D]")
_HOLIDAYS = np.array(["2024-01-01"], "M8[D]")


def _dates(*operands: Array) -> Shape:
    """The common shape of dates that NumPy takes as days."""
    for operand in operands:
        dtype = meta_of(operand).dtype
        if dtype.kind in "biufc" and not shape_of(operand):
            raise Unsupported("E101", "a number is taken for a date", hint="Cast it first: n.astype('M8[D]').")
        if dtype.kind != "M" or not np.can_cast(dtype, "M8[D]", "same_kind"):
            raise Rejected
    return broadcast(*map(shape_of, operands))


def _require_holidays(holidays: Any) -> None:
    if isinstance(holidays, TensorMeta) and (holidays.dtype.kind != "M" or len(holidays.shape) != 1):
        raise Rejected


def _is_busday_samples() -> Iterator[Call]:
    yield call(_DATES)
    yield call(_DATES.reshape(3, 1), "1010100", _HOLIDAYS)


@record(np.is_busday, samples=_is_busday_samples, traits="c_order", raises=DATA)
def is_busday(dates: Array, weekmask: Any = "1111100", holidays: Array = None) -> TensorMeta:
    """Whether dates are business days: days of the week mask that are no holidays."""
    _require_holidays(holidays)
    return value(_dates(dates), BOOL)


def _busday_count_samples() -> Iterator[Call]:
    yield call(_DATES, _DATES[::-1])
    yield call(_DATES.reshape(3, 1), _DATES, "1111110", _HOLIDAYS)


@record(np.busday_count, samples=_busday_count_samples, traits="c_order", raises=DATA)
def busday_count(begindates: Array, enddates: Array, weekmask: Any = "1111100", holidays: Array = ()) -> TensorMeta:
    """How many business days lie between dates, the last ones not counted."""
    _require_holidays(holidays)
    return value(_dates(begindates, enddates), np.dtype(np.int64))


def _busday_offset_samples() -> Iterator[Call]:
    yield call(_DATES, np.array([1, -2, 0]), "forward")
    yield call(_DATES.reshape(3, 1), 3, "modifiedpreceding", "1111100", _HOLIDAYS)


@record(np.busday_offset, samples=_busday_offset_samples, traits="c_order", raises=DATA)
def busday_offset(dates: Array, offsets: Array, roll: Any = "raise", weekmask: Any = "1111100", holidays: Array = None) -> TensorMeta:
    """Dates moved by so many business days, after they have been rolled to one."""
    _require_holidays(holidays)
    if not np.can_cast(meta_of(offsets).dtype, np.int64, "same_kind"):
        raise Rejected
    return value(broadcast(_dates(dates), shape_of(offsets)), np.dtype("M8[D]"))


def _text_samples() -> Iterator[Call]:
    yield call(_DATES)
    yield call(_DATES.astype("M8[ms]"), "s", casting="unsafe")


@record(np.datetime_as_string, samples=_text_samples, traits="c_order", raises=DATA)
def datetime_as_string(arr: Array, unit: Any = None, timezone: Any = "naive", casting: Any = "same_kind") -> TensorMeta:
    """Dates as text, as wide as the unit asks for."""
    if meta_of(arr).dtype.kind != "M" or not isinstance(timezone, str):
        raise Rejected
    if not shape_of(arr):
        raise Unsupported(
            "E114", "the text of one date is as wide as it is", hint="Give an array with an axis: np.datetime_as_string(x[None])."
        )
    return array(shape_of(arr), dtype_of(_text_of, arr, unit=unit, timezone=timezone, casting=casting))


def _text_of(dates: Any, **options: Any) -> Any:
    return np.datetime_as_string(dates, **options)
