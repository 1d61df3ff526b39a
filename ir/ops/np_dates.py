"""Operators of dates: business days, and dates as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.rules import BOOL, Array, Rejected, Shape, array, broadcast, dtype_of, meta_of, record, shape_of, value
from npexport.ir.raising import DATA
from npexport.symshapes.errors import Unsupported


def _dates(*operands: Array) -> Shape:
    """The common shape of dates that NumPy takes as days."""
    for operand in operands:
        dtype = meta_of(operand).dtype
        if dtype.kind in "biufcSU" and not shape_of(operand):
            raise Unsupported("E101", "a number or text is taken for a date", hint="Make a date of it first: np.datetime64('2024-01-01').")
        if dtype.kind != "M" or not np.can_cast(dtype, "M8[D]", "safe" if shape_of(operand) else "same_kind"):
            raise Rejected
    return broadcast(*map(shape_of, operands))


def _require_holidays(holidays: Any) -> None:
    if isinstance(holidays, TensorMeta) and (holidays.dtype.kind != "M" or len(holidays.shape) != 1):
        raise Rejected


@record(np.is_busday, traits="c_order", raises=DATA)
def is_busday(dates: Array, weekmask: Any = "1111100", holidays: Array = None) -> TensorMeta:
    """Whether dates are business days: days of the week mask that are not holidays."""
    _require_holidays(holidays)
    return value(_dates(dates), BOOL)


@record(np.busday_count, traits="c_order", raises=DATA)
def busday_count(begindates: Array, enddates: Array, weekmask: Any = "1111100", holidays: Array = ()) -> TensorMeta:
    """How many business days lie between dates, the last ones not counted."""
    _require_holidays(holidays)
    return value(_dates(begindates, enddates), np.dtype(np.int64))


@record(np.busday_offset, traits="c_order", raises=DATA)
def busday_offset(dates: Array, offsets: Array, roll: Any = "raise", weekmask: Any = "1111100", holidays: Array = None) -> TensorMeta:
    """Dates moved by so many business days, after they have been rolled to one."""
    _require_holidays(holidays)
    if meta_of(offsets).dtype.kind == "m":
        raise Unsupported("E101", "np.busday_offset by times", hint="Give a number of days: offsets.astype('m8[D]').astype(int).")
    if not np.can_cast(meta_of(offsets).dtype, np.int64, "same_kind"):
        raise Rejected
    return value(broadcast(_dates(dates), shape_of(offsets)), np.dtype("M8[D]"))


@record(np.datetime_as_string, traits="c_order", raises=DATA)
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
