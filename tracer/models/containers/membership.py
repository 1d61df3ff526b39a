"""Searches of lists, tuples and arrays that depend on data: ``in``, ``count``, ``index``, ``==``.

The comparisons with the items are interpreted in the order in which C makes them; each is a truth
that depends on data.
"""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

from npexport.symshapes.membership import sym_contains, sym_equal
from npexport.tracer.arrays.core.filled_dict import TABLES, FilledDict, FilledView, is_key, listed
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_orders import require_searchable
from npexport.tracer.arrays.core.item_structures import is_tuple
from npexport.tracer.arrays.core.numpy_oracle import raise_for_stand_ins
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers.data_keys import current, is_key_of_data
from npexport.tracer.models.containers.sorting import is_data
from npexport.tracer.models.polyfills import dicts, membership
from npexport.tracer.models.registry import DECLINED, models, receiver

_SEQUENCES = frozenset({list, tuple})
_SEARCHED = _SEQUENCES | {deque, type({}.values())}
_EQUALITY: dict[tuple[str, type], Any] = {
    ("eq", list): membership.equal_lists, ("eq", tuple): membership.equal_tuples,
    ("ne", list): membership.unequal_lists, ("ne", tuple): membership.unequal_tuples,
}  # fmt: skip


def _holds_data(value: Any) -> bool:
    return any(map(_holds_data, value)) if _sequence(value) is not None else is_data(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (type(value) is ScalarProxy and value.dtype.kind == "U")


def _is_compared(container: Any, item: Any) -> bool:
    """Whether keys that are equal have one hash: numbers, and tuples of these."""
    return all(map(is_key, (*container, item)))


def _search(container: Any, item: Any) -> Any:
    container = current(container)
    if _is_text(container) and type(item) in NATIVE_TYPES and not _is_text(item):
        raise_for_stand_ins(operator.contains, ("", item), {})
    if type(container) is FilledList:
        require_searchable(container, item)
        return Invoke(membership.in_items, (container, item))
    if type(container) is FilledDict:
        return Invoke(dicts.contains, (container, item))
    if type(container) is FilledView:
        return _search(listed(container), item)
    if type(container) in TABLES and is_key_of_data(item) and _is_compared(container, item):
        return Invoke(membership.in_items, (tuple(container), item)) if container else False
    if type(container) is ArrayProxy and not container.known:
        return Invoke(membership.in_array, (container, item))
    if type(container) in _SEARCHED and any(map(_holds_data, (*container, item))):
        return Invoke(membership.in_items, (container, item))
    return DECLINED


def _contains_size(container: Any, item: Any) -> Any:
    found = _search(container, item)
    return sym_contains(container, item) if found is DECLINED else found


@models("_operator", "contains", calls=polyfills.contains, sizes=_contains_size, scalars="kept")
def contains(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``in``."""
    return _search(*args) if len(args) == 2 else DECLINED


@models("builtins", "list.count", "list.index", "list.remove", "tuple.count", "tuple.index", asks=False)
def search(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``count``, ``index`` and ``remove`` of a list or tuple."""
    items, given = receiver(fn, args)
    bounds = given[1:] if fn.__name__ == "index" else ()
    searched = len(given) - len(bounds) == 1 and len(bounds) <= 2 and all(type(bound) is int for bound in bounds)
    if type(items) not in _SEQUENCES or not searched or kwargs or not any(map(_holds_data, (*items, given[0]))):
        return DECLINED
    return Invoke(getattr(membership, fn.__name__), (items, *given))


def equality(name: str, left: Any, right: Any) -> Any:
    """``==`` and ``!=`` of two lists or two tuples; ``None`` if no data and no sizes decide it."""
    if _are_compared(left, right):
        return Invoke(_EQUALITY[name, list if type(left) is list else tuple], (left, right))
    return sym_equal(name, left, right)


def ordering(fn: Any, left: Any, right: Any) -> Any:
    """``<`` and its kin of two lists or two tuples; `DECLINED` if no data decide it."""
    return Invoke(membership.ordered, (fn, left, right)) if _are_compared(left, right) else DECLINED


def _sequence(value: Any) -> type | None:
    return tuple if is_tuple(value) else list if type(value) is list else None


def _are_compared(left: Any, right: Any) -> bool:
    """Whether two values are compared item by item, and data decide the comparison."""
    kind = _sequence(left)
    return kind is not None and kind is _sequence(right) and (_holds_data(left) or _holds_data(right))
