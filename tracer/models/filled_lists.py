"""Builtins applied to lists that loops fill (`npexport.tracer.arrays.core.filled_list`)."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import ItemsView, KeysView, ValuesView
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_max
from npexport.symshapes.symint import SymInt, is_symbolic
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList, common_item, refused
from npexport.tracer.arrays.core.item_structures import holds_arrays
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.bytecode.host import FROM_3_12
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.generator_functions import GeneratorFunction, runs_as_function
from npexport.tracer.interpreter.polyfills.generator_functions import handed
from npexport.tracer.interpreter.specials.declare import special
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import lists
from npexport.tracer.models.registry import DECLINED, models


def total(world: Any, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``sum``."""
    values = args[0] if args else None
    if type(values) is ArrayProxy and world.counting and values.ndim and type(values.shape[0]) is SymInt:
        return Invoke(polyfills.sum_in_order, args, kwargs)
    if type(values) is not FilledList:
        return Invoke(polyfills.sum_of_items, args, kwargs) if _is_iterable_of_c(values) else DECLINED
    # From CPython 3.12 on, a sum of floats adds up their rounding errors, too.
    compensated = FROM_3_12 and values.item is float
    return Invoke(polyfills.sum_with_rest if compensated else polyfills.sum_in_order, args, kwargs)


def _is_iterable_of_c(values: Any) -> bool:
    """Whether C takes items out of it, in another way than out of a list or tuple, without running
    Python: floats of data are then added as objects, without compensation of rounding errors.
    """
    kind = type(values)
    if kind.__module__ not in ("builtins", "itertools", "collections") or kind in (types.GeneratorType, map, filter):
        return False
    return hasattr(kind, "__next__") or isinstance(values, (dict, set, frozenset, deque, KeysView, ValuesView, ItemsView))


def listed(world: Any, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list``."""
    values = args[0] if len(args) == 1 and not kwargs else None
    if type(values) is FilledList and type(values.length) is not int:
        return values.copy()
    if type(values) is SymRange and world.counting and is_symbolic(values.__len__()):
        world.counted = True
        return FilledList.of_numbers(recorder().call(ops.np.arange, values.start, values.stop, values.step))
    return DECLINED


@special(np.fromiter)
def from_iterator(vm: Any, args: tuple[Any, ...], kwargs: dict[str, Any], then: Any) -> Any:
    """``np.fromiter`` of all that a generator yields."""
    whole = len(args) in (1, 2) and not kwargs.keys() - {"dtype"}
    if whole and runs_as_function(vm, args[0]):
        return vm.call(handed, (np.fromiter, GeneratorFunction(args[0]), args[1:], kwargs), {}, then)
    return vm.native(np.fromiter, args, kwargs, then)


def repeated(op: str, left: Any, right: Any) -> Any:
    """``[value] * n`` if only sizes or data know ``n``."""
    values, times = (left, right) if type(left) is list else (right, left)
    world = recorder().session.world
    if op != "fmul" or type(values) is not list or not values or type(times) is not SymInt or not world.counting:
        return NotImplemented
    try:
        item = common_item(values)
    except Unsupported:
        item = None
    if item is None or holds_arrays(item):
        return NotImplemented
    world.counted = True
    return FilledList.of(item, values).repeated(sym_max(times, 0))


@models("npexport.tracer.arrays.core.filled_list", "FilledList.pop")
def pop(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list.pop``."""
    if any(is_symbolic(arg) and arg.hint is None for arg in args):
        raise refused("gives up an item at a place that only data know")
    return Invoke(lists.pop_of_list, args, kwargs)


@models("builtins", "list.copy")
def copied(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list.copy(values)``, as `copy.copy` calls it."""
    return args[0].copy() if len(args) == 1 and type(args[0]) is FilledList and not kwargs else DECLINED


@models("npexport.runtime.kernels.control_flow", "with_room")
def with_room(world: Any, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Called by a captured program inside another one: nothing else holds the array."""
    return recorder().call(ops.control.with_room, *args)
