"""Calls of the operators of `ir/ops/np_dates.py`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Call, Samples, call

_DATES = np.array(["2024-01-01", "2024-01-06", "2024-03-05"], "M8[D]")

_HOLIDAYS = np.array(["2024-01-01"], "M8[D]")


def _is_busday_samples() -> Iterator[Call]:
    yield call(_DATES)
    yield call(_DATES.reshape(3, 1), "1010100", _HOLIDAYS)


def _busday_count_samples() -> Iterator[Call]:
    yield call(_DATES, _DATES[::-1])
    yield call(_DATES.reshape(3, 1), _DATES, "1111110", _HOLIDAYS)


def _busday_offset_samples() -> Iterator[Call]:
    yield call(_DATES, np.array([1, -2, 0]), "forward")
    yield call(_DATES.reshape(3, 1), 3, "modifiedpreceding", "1111100", _HOLIDAYS)


def _text_samples() -> Iterator[Call]:
    yield call(_DATES)
    yield call(_DATES.astype("M8[ms]"), "s", casting="unsafe")


SAMPLES: dict[Op, Samples] = {
    ops.np.is_busday: _is_busday_samples,
    ops.np.busday_count: _busday_count_samples,
    ops.np.busday_offset: _busday_offset_samples,
    ops.np.datetime_as_string: _text_samples,
}
