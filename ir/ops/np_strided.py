"""Views by explicit strides. In a graph they are counted in elements of the array's C order, so
that no memory layout is meant."""

from __future__ import annotations

import functools
import operator
from typing import Any

from npexport.ir.facts import View
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import views
from npexport.ir.ops.rules import Array, array, larger, meta_of, product, record, smaller, violated
from npexport.ir.raising import NOTHING


@record(
    kernel="np_strided.as_strided",
    traits="view",
    see="numpy.lib.stride_tricks.as_strided",
    raises=NOTHING,
    view=View(inverse=views.set_places, strides=views.of_elements, read_only=True, held=True),
)
def as_strided(x: Array, shape: Any, strides: Any, offset: Any = 0, *, writeable: Any = False) -> TensorMeta:
    """Element ``[i, j]`` is element ``offset + i * strides[0] + j * strides[1]`` of ``x`` in C
    order.

    Raises ``ValueError`` where an element is not one of ``x``.
    """
    x = meta_of(x)
    if any(violated(size >= 0) for size in shape):
        raise ValueError("negative dimensions are not allowed")
    reach = [stride * (size - 1) for size, stride in zip(shape, strides, strict=True)]
    low = offset + sum([smaller(step, 0) for step in reach])
    high = offset + sum([larger(step, 0) for step in reach])
    empty = functools.reduce(operator.or_, [size == 0 for size in shape], False)
    if not empty | ((low >= 0) & (high < product(x.shape))):
        raise ValueError("as_strided: an element lies outside the memory of the array")
    return array(tuple(shape), x.dtype)
