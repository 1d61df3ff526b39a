"""``max`` and ``min`` of NumPy scalars of one dtype, ``any`` and ``all`` of arrays: the data
choose, no branch does.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, truth_of
from npexport.tracer.models.registry import DECLINED


def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``max`` and ``min``."""
    items = _scalars(args) if not kwargs else []
    if not items:
        return DECLINED
    better = operator.gt if fn is max else operator.lt
    best = items[0]
    for item in items[1:]:  # as Python compares: of equal ones, and beside NaN, the first stays
        best = recorder().call(ops.np.scalar, recorder().call(ops.np.where, better(item, best), item, best))
    return best


def test(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``any`` and ``all`` of one-dimensional arrays of data.

    Their items are numbers that C asks for nothing but their truth: NumPy's function asks all of
    them at once.
    """
    array = args[0] if len(args) == 1 and not kwargs else None
    if type(array) is ArrayProxy and array.ndim == 1 and not array.known and array.dtype.kind in "biufc":
        return truth_of(recorder().call(ops.np.any if fn is any else ops.np.all, array))
    return DECLINED


def _scalars(args: tuple[Any, ...]) -> list[Any]:
    """The arguments, or the items of the only one, if they are NumPy scalars of one dtype, some of
    them data.
    """
    items = args if len(args) > 1 else args[0] if args and type(args[0]) in (list, tuple) else ()
    if len(args) == 1 and type(args[0]) is ArrayProxy and args[0].ndim == 1 and type(args[0].shape[0]) is int:
        items = tuple(args[0])
    if not any(type(item) is ScalarProxy for item in items):
        return []
    alike = all(type(item) is ScalarProxy or issubclass(type(item), np.generic) for item in items)
    return list(items) if alike and len({item.dtype for item in items}) == 1 and items[0].dtype.kind in "biufmM" else []
