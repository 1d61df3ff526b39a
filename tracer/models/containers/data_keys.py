"""Dicts and sets that get keys which only the data know: from the first one on,
`npexport.tracer.arrays.core.filled_dict` stands for them.
"""

from __future__ import annotations

import operator
import types
from collections import Counter, OrderedDict, defaultdict
from typing import Any

from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.filled_dict import SETS, TABLES, FilledDict, FilledView, is_comparable, stands_for
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.control.growing import replaced
from npexport.tracer.control.refusals import require_few
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.calls import instantiate
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.specials.declare import special
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers import sets_of_sizes
from npexport.tracer.models.containers.sorting import is_data
from npexport.tracer.models.iterables import is_iterated, is_view
from npexport.tracer.models.polyfills import dicts
from npexport.tracer.models.registry import DECLINED, models, operands


def is_key_of_data(key: Any) -> bool:
    """Whether the data decide which key it is."""
    if type(key) is tuple:
        return any(map(is_key_of_data, key))
    return type(key) is Mixed or (type(key) is not ArrayProxy and is_data(key))


def table_of(world: ShadowedWorld, vm: Machine, fn: Any, owner: Any, row: tuple[Any, ...]) -> FilledDict | None:
    """The stand-in of a dict or a set that is about to get this item; ``None`` if it stays one."""
    if not world.captures or type(owner) not in TABLES or not is_key_of_data(row[0]):
        return None
    found: FilledDict = stands_for(owner) or replaced(world, vm, owner, row, fn)
    return found


def _polyfill(name: str) -> Any:
    return getattr(dicts, name.strip("_"))


_TAKING = ("__delitem__", "pop", "discard", "remove")


def changed(world: ShadowedWorld, vm: Machine, fn: Any, owner: Any, name: str, given: tuple[Any, ...]) -> Any:
    """What puts an item of such a key into a dict or a set, or takes it out; `DECLINED` for
    others.
    """
    if type(owner) is FilledDict:
        if not hasattr(owner.kind, name):
            getattr(operator, name)(owner.kind(), *given)  # raises
        if is_key_of_data(given[0]):
            require_few(world, vm.current_frame)
        return Invoke(_polyfill(name), (owner, *given))
    if name in _TAKING and not owner and is_key_of_data(given[0]):
        if name == "discard" or len(given) == 2:
            return given[1] if len(given) == 2 else None
        raise KeyError(given[0])
    value = given[1:2] or (None,)
    if type(owner) is defaultdict and name == "__getitem__":
        if not owner:
            return Invoke(dicts.missing_item, (owner, *given)) if owner.default_factory is not None else DECLINED
        value = (next(iter(owner.values())),)
    elif name in _TAKING and type(owner) in TABLES and type(owner) not in SETS:
        value = (next(iter(owner.values())),)
    row = given[:1] if type(owner) in SETS else (given[0], *value)
    table = table_of(world, vm, fn, owner, row)
    return DECLINED if table is None else Invoke(_polyfill(name), (table, *given))


def _may_change(owner: Any, key: Any) -> bool:
    return type(owner) is FilledDict or (type(owner) in TABLES and is_key_of_data(key))


@models("builtins", "dict.__setitem__", "dict.setdefault", "dict.pop", "set.discard", "set.remove")
@models("collections", "OrderedDict.setdefault", "OrderedDict.pop", "OrderedDict.move_to_end")
def of_method(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Methods that change a dict or a set."""
    given = operands(fn, args)
    if len(given) < 2 or kwargs or not _may_change(*given[:2]):
        return DECLINED
    return changed(world, vm, fn, given[0], fn.__name__, given[1:])


@models("builtins", "set.add")
def added(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``set.add``."""
    given = operands(fn, args)
    if len(given) == 2 and not kwargs and _may_change(*given):
        return changed(world, vm, fn, given[0], "add", given[1:])
    return sets_of_sizes.added(world, vm, fn, args, kwargs)


def is_absent(world: ShadowedWorld, owner: Any, key: Any) -> bool:
    """Whether a dict or a set is asked for such a key, and is empty."""
    return world.captures and type(owner) in TABLES and not owner and is_key_of_data(key)


# What makes them


def _holds_data(items: Any, depth: int = 2) -> bool:
    """Whether keys that only the data know may be among the items."""
    if type(items) in (FilledList, FilledDict, FilledView, types.GeneratorType) or hasattr(type(items), "__next__"):
        return True
    if is_view(items):
        return any(map(is_key_of_data, items))
    if type(items) is ArrayProxy:
        return items.ndim > 0 and not items.known
    if type(items) in (list, tuple):
        return any(is_key_of_data(item) or (depth > 1 and type(item) in (list, tuple) and _holds_data(item, 1)) for item in items)
    return False


def _holds_members(items: Any) -> bool:
    """The same of what becomes members of a set, or is counted: Python may iterate over it."""
    return _holds_data(items) or (is_iterated(items) and not hasattr(type(items), "keys"))


_MAKERS: dict[Any, Any] = {
    dict: dicts.new_dict, OrderedDict: dicts.new_ordered_dict, set: dicts.new_set, frozenset: dicts.new_frozen_set,
    defaultdict: dicts.new_default_dict,
}  # fmt: skip


def _require_pairs(pairs: Any, new: bool) -> None:
    """Raises what C raises for the first item that is not a pair. ``new``: nobody sees what has
    been stored before it.
    """
    if type(pairs) is ArrayProxy and type(pairs.shape[0]) is int and pairs.shape[0]:
        dict([_like(pairs[0])])  # type: ignore[index]
    elif type(pairs) in (list, tuple):
        for number, item in enumerate(pairs if new else pairs[:1]):
            dict([(0, 0)] * number + [_like(item)])


def _like(item: Any) -> Any:
    """What is as good a pair as the item; a pair if that is not known."""
    if type(item) in (list, tuple, ArrayProxy):
        return (0,) * len(item) if type(item) is not ArrayProxy or (item.ndim and type(item.shape[0]) is int) else (0, 0)
    if type(item) is ScalarProxy and item.dtype.kind in "biufc":
        return item.dtype.type(0)
    return 0 if is_symbolic(item) else (0, 0)


def made(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``dict``, ``set`` and their kin, of items of data."""
    if not args or kwargs or len(args) != 1 + (fn is defaultdict) or not world.captures:
        return DECLINED
    if not (_holds_members if fn in (set, frozenset) else _holds_data)(args[-1]):
        return DECLINED
    if fn in (dict, OrderedDict):
        _require_pairs(args[0], True)
    return Invoke(_MAKERS[fn], args)


models("collections", "OrderedDict", "defaultdict", iterates="items")(made)


def new_set(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``set``."""
    found = sets_of_sizes.made(world, vm, fn, args, kwargs)
    return made(world, vm, fn, args, kwargs) if found is DECLINED else found


@models("builtins", "dict.fromkeys", iterates="items")
def from_keys(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``dict.fromkeys``."""
    kind = getattr(fn, "__self__", None)
    if kwargs or not args or kind not in (dict, OrderedDict) or not world.captures or not _holds_members(args[0]):
        return DECLINED
    return Invoke(dicts.from_keys, (kind, *args))


@models("builtins", "dict.update", iterates="items")
@models("builtins", "set.update")
def updated(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``update`` with items of data."""
    given = operands(fn, args)
    if type(given[0]) is FilledDict:
        return Invoke(given[0].update, given[1:], kwargs)
    if len(given) != 2 or kwargs or type(given[0]) not in TABLES or not world.captures:
        return DECLINED
    if not (_holds_data if isinstance(given[0], dict) else _holds_members)(given[1]):
        return DECLINED
    if isinstance(given[0], dict):
        _require_pairs(given[1], False)
    return Invoke(dicts.fill_set if type(given[0]) is set else dicts.fill_dict, given)


@models("_collections", "_count_elements", iterates="items")
def counted(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``Counter.update`` calls."""
    return Invoke(dicts.count_elements, args) if world.captures and _holds_members(args[1]) else DECLINED


@special(Counter)
def new_counter(vm: Machine, args: tuple[Any, ...], kwargs: dict[str, Any], then: Any) -> Any:
    """``Counter(...)``: while its ``__init__`` runs, more than variables would hold it."""
    if vm.world.captures and args and _holds_members(args[0]):
        return vm.call(dicts.new_counter, args, kwargs, then)
    return vm.start(instantiate(Counter, dict.__new__, args, kwargs), then)


_ALGEBRA = {"and_": dicts.intersection, "or_": dicts.union, "sub": dicts.difference, "xor": dicts.symmetric_difference}


@models("_operator", "ior")
def joined(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``|=`` of two sets or two dicts, one of which has keys of data."""
    if isinstance(args[0], Counter):
        return of_counters(world, vm, fn, args, kwargs)
    fits = isinstance(args[0], set) and isinstance(args[1], tuple(SETS)) or all(isinstance(value, dict) for value in args)
    return Invoke(dicts.updated, args) if fits and FilledDict in map(type, args) else DECLINED


@models("_operator", "and_", "or_", "sub", "xor")
def algebra(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Operators of two sets, one of which has members of data."""
    if _counters(args):
        return of_counters(world, vm, fn, args, kwargs)
    if not any(type(value) is FilledDict and value.is_set for value in args) or not all(isinstance(value, tuple(SETS)) for value in args):
        return DECLINED
    return Invoke(_ALGEBRA[fn.__name__], args)


def _counters(args: tuple[Any, ...]) -> bool:
    """Whether each is a ``Counter``, and one of them has keys of data."""
    return FilledDict in map(type, args) and all(value.__class__ is Counter for value in args)


@models("_operator", "add", "isub", "iand", "pos", "neg")
def of_counters(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Operators that ``Counter`` defines in Python."""
    name = fn.__name__.strip("_")
    return Invoke(dicts.ORDERS.get(name) or getattr(Counter, f"__{name}__"), args) if _counters(args) else DECLINED


_EQUALITY = {"eq": dicts.equal, "ne": dicts.unequal}


def equality(name: str, left: Any, right: Any) -> Any:
    """``==`` and ``!=`` of two dicts or two sets, one of which has keys of data; else ``None``."""
    if FilledDict not in (type(left), type(right)):
        return None
    if _counters((left, right)):
        return Invoke(dicts.ORDERS[name], (left, right))
    sets = [isinstance(value, tuple(SETS)) for value in (left, right)]
    plain = [isinstance(value, dict) and not isinstance(value, (Counter, OrderedDict)) for value in (left, right)]
    fits = all(sets) or (all(plain) and is_comparable(left) and is_comparable(right))
    return Invoke(_EQUALITY[name], (left, right)) if fits else None


def current(owner: Any) -> Any:
    """What stands for a dict or a set now; another value is itself."""
    return (stands_for(owner) or owner) if type(owner) in TABLES else owner
