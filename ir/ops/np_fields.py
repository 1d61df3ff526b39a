"""Fields of structured arrays, read and written."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, View
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows, views
from npexport.ir.ops.rules import Array, Rejected, array, as_tuple, meta_of, record
from npexport.ir.raising import NOTHING


def _field_dtype(dtype: np.dtype[Any], name: Any) -> np.dtype[Any]:
    if dtype.names is None or any(part not in dtype.names for part in as_tuple(name)):
        raise Rejected
    return dtype[name]


@record(
    kernel=operator.getitem,
    traits="view",
    see="numpy.ndarray.__getitem__",
    raises=NOTHING,
    emit=Emit(("{0}[{1}]",)),
    view=View(inverse=views.set_field, strides=views.of_field, other_elements=True),
    rows=rows.first,
)
def field(x: Array, name: Any) -> TensorMeta:
    """One field of a structured array, or several as a structured array."""
    x = meta_of(x)
    dtype = _field_dtype(x.dtype, name)
    return array((*x.shape, *dtype.shape), dtype.base)


@record(kernel="np_scatter.setitem", traits="c_order scatter", see="numpy.ndarray.__setitem__", raises=NOTHING, rows=rows.written("value"))
def set_field(x: Array, name: Any, value: Array) -> TensorMeta:
    """``x`` after ``x[name] = value``."""
    x = meta_of(x)
    _field_dtype(x.dtype, name)
    return array(x.shape, x.dtype)
