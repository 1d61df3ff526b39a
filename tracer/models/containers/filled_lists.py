"""Builtins applied to lists that loops fill (`npexport.tracer.arrays.core.filled_list`)."""

from __future__ import annotations

import functools
import itertools
import operator
import types
from collections import deque
from collections.abc import ItemsView, KeysView, Sequence, ValuesView
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.raising import fits
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_max
from npexport.symshapes.symint import SymInt, is_symbolic, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.api.indexing import normalised
from npexport.tracer.arrays.api.objects import SizedObjects
from npexport.tracer.arrays.core.complexes import are_summed_as_complex
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_dict import FilledDict
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_arrays import MayBeEmpty, MayNotFit, list_of_numbers, list_of_scalars
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.filled_list_orders import require_searchable
from npexport.tracer.arrays.core.inner_lists import InnerList
from npexport.tracer.arrays.core.item_structures import Items, Kinds, holds_arrays, is_tuple, joined, shown
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.structures_of_items import common_item, structure_of
from npexport.tracer.bytecode.host import SUMS_ARE_COMPENSATED
from npexport.tracer.effects.world import ShadowedWorld, current_world
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.generator_functions import GeneratorFunction, runs_as_function
from npexport.tracer.interpreter.handler_analysis import catching
from npexport.tracer.interpreter.polyfills.generator_functions import handed
from npexport.tracer.interpreter.specials.declare import special
from npexport.tracer.interpreter.specials.iterables import is_ours
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers import data_keys, items
from npexport.tracer.models.polyfills import lists, membership, numbers
from npexport.tracer.models.registry import DECLINED, models, operands


def total(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``sum``."""
    values: Any = args[0] if args else None
    if type(values) is ArrayProxy and world.counting and values.ndim and type(values.shape[0]) is SymInt:
        return Invoke(polyfills.sum_in_order, args, kwargs)
    if type(values) in (list, tuple) and any(type(value) is SymbolicUnion for value in values):
        return total(world, vm, fn, (FilledList.of(_shared_item(values), values), *args[1:]), kwargs)
    start = kwargs.get("start", (*args, 0)[1])
    if type(values) not in (FilledList, InnerList):
        if are_summed_as_complex(values, start):
            return Invoke(numbers.sum_with_complex, args, kwargs)
        return Invoke(polyfills.sum_of_items, args, kwargs) if _is_iterable_of_c(values) else DECLINED
    compensated = SUMS_ARE_COMPENSATED and values.item is float
    if SUMS_ARE_COMPENSATED and isinstance(values.item, Kinds) and float in values.item.options:
        if {float, int, bool}.issuperset(values.item.options) and python_type(start) in (int, float):
            return Invoke(numbers.sum_of_kinds, args, kwargs)
        raise refused(f"is summed, and holds {shown(values.item)}: np.sum adds numbers of one dtype")
    return Invoke(numbers.sum_with_rest if compensated else polyfills.sum_in_order, args, kwargs)


def _shared_item(values: Sequence[Any]) -> Any:
    """A structure that all items fit into. Raises `refused`."""
    item, *others = map(structure_of, values)
    for other in others:
        wider = joined(item, other)
        if wider is None:
            raise refused(f"holds {shown(item)}, and {shown(other)}")
        item = wider
    return item


def _is_iterable_of_c(values: Any) -> bool:
    """Whether C takes items out of it, in another way than out of a list or tuple, without running
    Python: floats of data are then added as objects, without compensation of rounding errors.
    """
    kind = type(values)
    if kind.__module__ not in ("builtins", "itertools", "collections") or kind in (types.GeneratorType, map, filter):
        return False
    return hasattr(kind, "__next__") or isinstance(values, (dict, set, frozenset, deque, KeysView, ValuesView, ItemsView))


def listed(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list``."""
    values = args[0] if len(args) == 1 and not kwargs else None
    if type(values) is FilledList and type(values.length) is not int:
        return values.listed()
    if type(values) is ArrayProxy and values.ndim == 1 and _is_long(world, values) and values.dtype.kind in "biuf":
        world.counted = True
        return list_of_scalars(values)
    if type(values) is SymRange and world.counting and is_symbolic(values.__len__()):
        world.counted = True
        return list_of_numbers(world.recorder.call(ops.np.arange, values.start, values.stop, values.step))
    return DECLINED


def exact_total(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``math.fsum`` of what is no list."""
    listed = len(args) != 1 or kwargs or not world.captures or type(args[0]) in (list, FilledList)
    return DECLINED if listed else Invoke(polyfills.of_list, (fn, args[0]))


def product(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``math.prod``."""
    return Invoke(numbers.product, args, kwargs) if len(args) == 1 and _is_long(world, args[0]) else DECLINED


def of_items_or_none(world: ShadowedWorld, vm: Machine, refusal: MayBeEmpty, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What NumPy makes of a list, on both sides of a branch on whether it holds anything."""
    places = [place for place, value in enumerate(args) if type(value) is FilledList]
    if len(places) != 1 or not world.captures or _is_caught(vm):
        raise refusal
    return Invoke(lists.of_items_or_none, (args[places[0]], fn, args, places[0], kwargs))


def of_fitting(world: ShadowedWorld, vm: Machine, refusal: MayNotFit, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What NumPy makes of a list of numbers of Python, which it converts one by one; as elements of
    an array, each is there when the next is converted.
    """
    values = refusal.values
    place = _place_of(*args) if fn is operator.setitem and world.captures else None
    if place is not None:
        return Invoke(lists.write_each, (place, values))
    places = [place for place, value in enumerate(args) if (value.items if type(value) is SizedObjects else value) is values]
    if len(places) != 1 or not world.captures or isinstance(values.item, Items) or is_tuple(values.item):
        raise refusal

    def put(scalars: FilledList) -> Any:
        given = args[places[0]]
        return SizedObjects(scalars, given.shape) if type(given) is SizedObjects else scalars

    return Invoke(lists.of_numbers_that_fit, (values, np.array, refusal.dtype, put, fn, args, places[0], kwargs))


def _place_of(target: Any, index: Any, values: FilledList) -> ArrayProxy | None:
    """The elements that are written one by one; ``None`` if NumPy makes an array of the list first,
    as it does for indices that are arrays.
    """
    place = None if normalised(index)[1] else target[index]
    return place if type(place) is ArrayProxy and place.ndim == 1 and place.shape[0] == values.length else None


def _is_caught(vm: Machine) -> bool:
    """Whether the program handles what a call raises."""
    return any(catching(vm, vm.frame, (error,)) is not None for error in (ZeroDivisionError, OverflowError, ValueError, TypeError))


@special(np.fromiter)
def from_iterator(vm: Machine, args: tuple[Any, ...], kwargs: dict[str, Any], then: Any) -> Any:
    """``np.fromiter`` of all that a generator yields, or of a list of what an iterator of C gives:
    data may have to decide between its items after they were taken.
    """
    whole = len(args) in (1, 2) and not kwargs.keys() - {"dtype"}
    if whole and runs_as_function(vm, args[0]):
        return vm.call(handed, (np.fromiter, GeneratorFunction(args[0]), args[1:], kwargs), {}, then)
    count = args[2] if len(args) > 2 else kwargs.get("count", -1)
    if args and hasattr(type(args[0]), "__next__") and not is_ours(args[0]) and type(count) is int:
        taken = args[0] if count < 0 else itertools.islice(args[0], count)
        return vm.call(handed, (np.fromiter, functools.partial(list, taken), args[1:], kwargs), {}, then)
    return vm.native(np.fromiter, args, kwargs, then)


def repeated(op: str, left: Any, right: Any) -> Any:
    """``[value] * n`` if only sizes or data know ``n``."""
    values, times = (left, right) if type(left) is list else (right, left)
    world = current_world()
    if op != "fmul" or type(values) is not list or not values or type(times) is not SymInt or not world.counting:
        return NotImplemented
    try:
        item = common_item(values)
    except Unsupported:
        item = None
    if item is None or holds_arrays(item):
        return NotImplemented
    world.counted = True
    if not fits(times, np.dtype(np.int64)):
        times = recorder().node(ops.py.repetitions, (times,)).meta["val"]
    return FilledList.of(item, values).repeated(sym_max(times, 0))


def extended(polyfill: Any, values: Any, others: Any) -> Any:
    """``list.extend`` and ``+=``."""
    if others is values:
        others = values.copy()
    if type(others) in (list, tuple) and values.maxlen is not None:
        others = tuple(others)
    elif type(others) in (list, tuple):
        for value in list(others):
            values.append(value)
        return values if polyfill is lists.iadd else None
    return Invoke(polyfill, (values, others))


def searched(polyfill: Any, values: Any, given: tuple[Any, ...]) -> Any:
    """What compares with the items, one after the other."""
    if len(given) != 1 and (polyfill is not membership.index or any(python_type(bound) is not int for bound in given[1:])):
        raise refused("is searched within bounds")
    require_searchable(values, given[0])
    return Invoke(polyfill, (values, *given))


@models("builtins", "list.extend", "list.__iadd__", iterates="items")
@models("collections", "deque.extend", iterates="items")
@models("_operator", "iadd", iterates="items")
def added(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list.extend`` and ``list += values``."""
    given = operands(fn, args)
    if fn is operator.iadd and type(given[0]) is FilledDict:
        return data_keys.of_counters(world, vm, fn, args, kwargs)
    if len(given) != 2 or kwargs or not (type(given[0]) is FilledList or (type(given[0]) in (list, deque) and _is_long(world, given[1]))):
        return DECLINED
    if fn is operator.iadd and isinstance(given[1], (np.ndarray, np.generic)):  # which is asked first: a list has no number's `+=`
        return DECLINED if type(given[0]) is not FilledList else world.call_model(vm, operator.add, given, {})
    return extended(lists.extend if fn.__name__ == "extend" else lists.iadd, *given)


def _is_long(world: ShadowedWorld, values: Any) -> bool:
    """Whether only sizes or data know how many items there are."""
    if type(values) is ArrayProxy:
        return bool(values.ndim and world.counting and is_symbolic(values.shape[0]))
    return type(values) is FilledList or (type(values) is SymRange and world.counting and is_symbolic(values.__len__()))


@models("_operator", "delitem")
def deleted(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``del list[i]``."""
    if len(args) == 2 and type(args[0]) is FilledList:
        return _deleted(*args)
    if len(args) == 2 and type(args[0]) is list and world.captures and items.is_at_data(*args):
        items.pop(args[0], items.index_of_data(args[1]), lists.NO_PLACE)
        return None
    if len(args) == 2 and (type(args[0]) is FilledDict or data_keys.is_key_of_data(args[1])):
        return data_keys.changed(world, vm, fn, args[0], "__delitem__", args[1:])
    return DECLINED


def is_part(values: FilledList, index: Any) -> bool:
    """Whether an index is a part of a list. Raises `refused` for one with a step."""
    if type(index) is not slice or values.kind is not list:
        return False
    if index.step not in (None, 1):
        raise refused("is changed by a slice with a step")
    return True


def ends_of(part: slice) -> list[Any]:
    """Where a part begins and ends, as integers."""
    return [None if end is None else items.number_of(end) for end in (part.start, part.stop)]


def _deleted(values: FilledList, index: Any) -> Any:
    if is_part(values, index):
        return Invoke(lists.delete_part, (values, *ends_of(index)))
    index = items.number_of(index)
    if python_type(index) is not int:
        del values.kind()[index]  # raises
    return Invoke(lists.delitem, (values, index))


@models("builtins", "list.copy")
@models("collections", "deque.copy", "deque.__copy__")
def copied(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list.copy(values)`` and ``deque.__copy__(values)``, as `copy.copy` calls them."""
    return args[0].copy() if len(args) == 1 and type(args[0]) is FilledList and not kwargs else DECLINED


def attribute(vm: Machine, value: Any, name: str, then: Any) -> Any:
    """Only polyfills see what a list or a dict of Python does not have."""
    frame = vm.current_frame
    if not frame.info.internal and not hasattr(value.kind, name):
        getattr(value.kind(), name)  # raises
    return getattr(value, name)


SPECIAL_GETTERS.update(dict.fromkeys((FilledList, FilledDict), attribute))


@models("npexport.runtime.kernels.control_flow", "with_room")
def with_room(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Called by a captured program inside another one: nothing else holds the array."""
    return world.recorder.call(ops.control.with_room, *args)
