"""NumPy functions that take a sequence of arrays, applied to a list that a loop fills
(`npexport.tracer.arrays.core.filled_list`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.tracer.arrays.api import ufuncs
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_arrays import array_of_items, require_some
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.models.arrays.numpy_functions import sized
from npexport.tracer.models.registry import of_numpy


def _recorded(function: Any, *args: Any, **kwargs: Any) -> Any:
    return ufuncs.model_of(function)(*args, **kwargs)


def _rows(grown: FilledList, what: str) -> ArrayProxy:
    """The items, arrays or scalars, as the rows of an array."""
    if not isinstance(grown.item, (TensorMeta, type)):
        raise refused(f"is passed to {what}, and its items are not arrays")
    require_some([grown.least or grown.length], f"{what} takes none")
    return array_of_items(grown)


def _stack(grown: FilledList, axis: Any = 0) -> Any:
    rows = _rows(grown, "np.stack")
    if axis == 0 and type(axis) is int:
        return rows
    if rows.ndim == 2 and axis in (1, -1) and type(axis) is int:
        return rows.T.copy()
    raise refused("is stacked along another axis than the first")


def _vstack(grown: FilledList) -> Any:
    rows = _rows(grown, "np.vstack")
    return rows if rows.ndim == 2 else rows[:, None].copy() if rows.ndim == 1 else _joined(rows)  # type: ignore[index]


def _column_stack(grown: FilledList) -> Any:
    rows = _rows(grown, "np.column_stack")
    if rows.ndim != 2:
        raise refused("is passed to np.column_stack, and its items have not one axis")
    return rows.T.copy()


def _concatenate(grown: FilledList, axis: Any = 0) -> Any:
    rows = _rows(grown, "np.concatenate")
    if rows.ndim < 2:
        np.concatenate([np.float64(0)])  # raises
    if axis != 0 or type(axis) is not int:
        raise refused("is joined along another axis than the first")
    return _joined(rows)


def _hstack(grown: FilledList) -> Any:
    rows = _rows(grown, "np.hstack")
    if rows.ndim > 2:
        raise refused("is passed to np.hstack, and its items have more than one axis")
    return rows if rows.ndim == 1 else _joined(rows)


def _joined(rows: Any) -> Any:
    return rows.reshape((rows.shape[0] * rows.shape[1], *rows.shape[2:]))


def stacking(function: Any, own: Callable[..., Any], rest: Callable[..., Any]) -> Callable[..., Any]:
    """The model of a function that takes a sequence of arrays. ``own``: what it means for such a
    list; ``rest``: for everything else.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is FilledList and type(args[0].length) is int:
            args = (list(args[0]), *args[1:])
        if not (args and type(args[0]) is FilledList):
            return rest(*args, **kwargs)
        if len(args) > 2 or kwargs.keys() - {"axis"}:
            raise refused(f"is passed to np.{function.__name__} with further arguments")
        return own(*args, **kwargs)

    return call


of_numpy(
    {
        np.stack: stacking(np.stack, _stack, functools.partial(_recorded, np.stack)),
        np.concatenate: stacking(np.concatenate, _concatenate, functools.partial(_recorded, np.concatenate)),
        np.hstack: stacking(np.hstack, _hstack, sized(np.hstack)),
        np.vstack: stacking(np.vstack, _vstack, sized(np.vstack)),
        np.column_stack: stacking(np.column_stack, _column_stack, sized(np.column_stack)),
    }
)
