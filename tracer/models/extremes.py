"""``max`` and ``min`` of NumPy scalars of one dtype: the data choose among them, no branch does."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.current import recorder

_BETTER: dict[Any, Callable[[Any, Any], Any]] = {max: operator.gt, min: operator.lt}


def choosing(model: Callable[..., Any]) -> Callable[..., Any]:
    """The model of ``max`` or ``min`` that asks ``model`` for all but such scalars."""

    def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        items = _scalars(args) if not kwargs else []
        if not items:
            return model(world, vm, fn, args, kwargs)
        best = items[0]
        for item in items[1:]:  # as Python compares: of equal ones, and beside NaN, the first stays
            best = recorder().call(ops.np.scalar, recorder().call(ops.np.where, _BETTER[fn](item, best), item, best))
        return best

    return choose


def _scalars(args: tuple[Any, ...]) -> list[Any]:
    """The arguments, or the items of the only one, if they are NumPy scalars of one dtype, some of them data."""
    items = args if len(args) > 1 else args[0] if args and type(args[0]) in (list, tuple) else ()
    if len(args) == 1 and type(args[0]) is ArrayProxy and args[0].ndim == 1 and type(args[0].shape[0]) is int:
        items = tuple(args[0])
    if not any(type(item) is ScalarProxy for item in items):
        return []
    alike = all(type(item) is ScalarProxy or issubclass(type(item), np.generic) for item in items)
    return list(items) if alike and len({item.dtype for item in items}) == 1 and items[0].dtype.kind in "biufmM" else []
