"""``max`` and ``min`` of values that depend on data: among NumPy scalars of one dtype the choice
needs no branch; everything else is compared by a polyfill, one branch after the other.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.symshapes.symint import is_unbacked, python_type
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.item_structures import is_tuple
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.iterables import is_listed
from npexport.tracer.models.registry import DECLINED


def choose(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``max`` and ``min``."""
    items = _scalars(args) if not kwargs else []
    if not items:
        return _branching(world, fn, args, kwargs)
    better = operator.gt if fn is max else operator.lt
    best = items[0]
    for item in items[1:]:  # as Python compares: of equal ones, and beside NaN, the first stays
        best = world.recorder.call(ops.np.scalar, world.recorder.call(ops.np.where, better(item, best), item, best))
    return best


def _branching(world: ShadowedWorld, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not world.captures or not args:
        return DECLINED
    if len(args) == 1 and not kwargs and is_listed(args[0]):
        return Invoke(polyfills.of_list, (fn, args[0]))
    if len(args) == 1 and (type(args[0]) is FilledList or _is_counted(args[0])):
        return Invoke(polyfills.max_of_list if fn is max else polyfills.min_of_list, args, kwargs)
    items = args if len(args) > 1 else args[0]
    values = items if type(items) in (list, tuple) else ()
    looped = type(items) is ArrayProxy or is_listed(items)
    if kwargs.get("key") is None and not looped and not needs_branches(values):
        return DECLINED
    return Invoke(polyfills.max_ if fn is max else polyfills.min_, args, kwargs)


def _is_counted(value: Any) -> bool:
    """Whether a value is a 1-d array whose length only the data know."""
    return type(value) is ArrayProxy and value.ndim == 1 and is_unbacked(value.shape[0])


def needs_branches(values: Any) -> bool:
    """Whether C would need the truth of a comparison that only the data know, or the data choose
    among Python numbers that are neither all integers nor all floats.
    """
    if any(map(_is_compared, values)):
        return True
    return any(map(is_unbacked, values)) and {python_type(value) for value in values} not in ({int}, {float})


def _is_compared(item: Any) -> bool:
    """Whether only the data know how an item compares."""
    if is_tuple(item):
        return any(_is_compared(part) or is_unbacked(part) for part in item)
    if any(python_method(type(item), name) is not None for name in ("__lt__", "__gt__")):
        return True
    return type(item) is Mixed or (type(item) in (ArrayProxy, ScalarProxy) and not item.known)


def _scalars(args: tuple[Any, ...]) -> list[Any]:
    """The arguments, or the items of one, if they are NumPy scalars of one dtype, some data."""
    items = args if len(args) > 1 else args[0] if args and type(args[0]) in (list, tuple) else ()
    if len(args) == 1 and type(args[0]) is ArrayProxy and args[0].ndim == 1 and type(args[0].shape[0]) is int:
        items = tuple(args[0])
    if not any(type(item) is ScalarProxy for item in items):
        return []
    alike = all(type(item) is ScalarProxy or issubclass(type(item), np.generic) for item in items)
    return list(items) if alike and len({item.dtype for item in items}) == 1 and items[0].dtype.kind in "biufmM" else []
