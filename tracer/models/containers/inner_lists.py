"""Lists that stand in other containers at places of data: how they become those of a store
(`npexport.tracer.arrays.core.inner_lists`), and what C is given in their place.
"""

from __future__ import annotations

import operator
import types
from typing import Any

from npexport.symshapes.symint import python_type
from npexport.tracer.arrays.core.filled_dict import stands_for
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import INNER, KINDS, METHODS, TABLE_METHODS, InnerList, InnerTable, Store, refused, sample
from npexport.tracer.arrays.core.item_structures import is_tuple, with_items
from npexport.tracer.control.growing import stand_in_here, stand_in_now
from npexport.tracer.control.refusals import Grows, ListsFromOutside
from npexport.tracer.effects.state import may_be_state
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS
from npexport.tracer.interpreter.counting import COUNTED
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.symbolic_union import keeps
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers.container_methods import read
from npexport.tracer.models.containers.filled_lists import attribute, searched, total
from npexport.tracer.models.containers.items import FEW, MOST, OneOf, held_in, index_of_data, place_of
from npexport.tracer.models.polyfills import dicts, membership
from npexport.tracer.models.registry import DECLINED

# How they become those of a store


def into(world: ShadowedWorld, structure: Any, value: Any) -> Any:
    """The value as an item of this structure: lists in it become those of its stores."""
    if is_tuple(structure) and type(value) is type(structure) and len(value) == len(structure):
        return with_items(value, [into(world, *pair) for pair in zip(structure, value, strict=True)])
    if not isinstance(structure, Store) or (type(value) in INNER and value.store is structure):
        return value
    if type(value) in KINDS and (found := stands_for(value)) is not None:
        return into(world, structure, found)
    if not structure.takes(value):
        raise refused("is put beside lists of other containers, or beside an object that is not a list")
    rooms = world.recorder.growing
    if rooms is not None and rooms.knows(value) and not rooms.knows(structure):
        raise refused("was made before the loop or the branch in which it is put there")
    return stand_in_here(world, Grows("a list", value, structure))


def filled(world: ShadowedWorld, value: list[Any]) -> Any:
    """The stand-in of a list that is put into another one while the program holds it."""
    return stand_in_now(world, world.host.vm, Grows("a list", value, value[0]))


def is_long(world: ShadowedWorld, container: Any, key: Any) -> bool:
    """Whether one of many items of a list of the program's is asked for, or written, at a place of
    data.
    """
    if type(container) is not list or len(container) <= MOST or index_of_data(key) is None or not world.captures:
        return False
    return not world.shadows.is_outside(container) or may_be_state(world.shadows, container)


def stand_in(world: ShadowedWorld, container: list[Any]) -> Any:
    """The stand-in of such a list."""
    return stand_in_here(world, Grows("a list", container, container[0], 0))


def begin(world: ShadowedWorld, store: Store, value: Any) -> None:
    """The lists of a store get their first item."""
    rooms = world.recorder.growing
    if rooms is not None and rooms.knows(store):
        raise Grows("a list", store, sample(value))
    store.begin(value)


def is_nested(container: Any, key: Any) -> bool:
    """Whether one of several lists of different lengths is asked for, at a place of data."""
    if type(container) not in (list, dict) or not container or index_of_data(key) is None:
        return False
    found = held_in(container)
    if any(type(item) not in KINDS and type(item) not in INNER for item in found):
        return False
    lists = [item for item in found if type(item) is list]
    return len(lists) < len(found) or not all(lists) or len(set(map(len, lists))) > 1 or len(lists) > MOST


def are_state(world: ShadowedWorld, container: Any) -> bool:
    """Whether a container holds a few lists of the exported object, which stay where they are."""
    lists = held_in(container)
    is_outside = world.shadows.is_outside(container) and len(lists) <= FEW
    return is_outside and all(type(each) in KINDS and may_be_state(world.shadows, each) for each in lists)


def nested(world: ShadowedWorld, container: Any) -> Any:
    """The stand-in of a list, or a dict, of lists."""
    if world.shadows.is_outside(container):
        raise ListsFromOutside
    item: Any = next(iter(container.items())) if type(container) is dict else container[0]
    return stand_in_here(world, Grows("a container of lists", container, sample(item), 0))


# Calls


def _current(value: Any) -> Any:
    """The list of a store that a choice means, if its lists have become some."""
    return value.current() if type(value) is OneOf else value


_ITEMS = ("setitem", "delitem", "getitem", "iadd")
_AS_THEY_ARE = (len, isinstance, issubclass, type, bool, callable, operator.truth, operator.not_, operator.is_, operator.is_not, super)


def call(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What C means that is given such a container; `DECLINED` if it takes the stand-in."""
    if not any(type(arg) in _STAND_INS for arg in (*args, *kwargs.values())):
        return DECLINED
    args = tuple(map(_current, args))
    if fn is id:
        raise refused("has its id() read")
    owner = args[0] if args else None
    name = f"__{fn.__name__}__" if getattr(fn, "__name__", None) in _ITEMS and fn.__module__ == "_operator" else ""
    if name in TABLE_METHODS and type(owner) is InnerTable:
        return Invoke(getattr(owner, name), args[1:])
    if name and type(owner) is InnerList:
        place = place_of(args[1])
        if name == "__iadd__" or python_type(place) is int:
            return Invoke(getattr(owner, name), (place, *args[2:]))
    if fn is operator.contains and type(owner) is InnerList:
        return searched(membership.in_items, owner, args[1:])
    if fn is operator.contains and type(owner) is InnerTable:
        return Invoke(dicts.contains, args)
    if fn is sum and type(owner) is InnerList and world.recorder.regions:
        return total(world, vm, fn, args, kwargs)  # item by item, where they are
    if fn in _AS_THEY_ARE or keeps(fn) or _is_own(fn) or (type(owner) is OneOf and name):
        return DECLINED
    return Invoke(fn, tuple(map(read, args)), {name: read(arg) for name, arg in kwargs.items()})


_STAND_INS = (*INNER, OneOf)


def _is_own(fn: Any) -> bool:
    function = fn.__func__ if type(fn) is types.MethodType else fn
    return (getattr(function, "__module__", None) or "").startswith("npexport.")


# Lists at places of data that have been lists of Python until now


def as_counted(world: ShadowedWorld, value: Any) -> Any:
    """What a loop iterates over."""
    value = _current(value)
    return list_of(world, value) if type(value) is OneOf and value.container is not None and world.captures else value


def of_one_of(vm: Machine, value: OneOf, name: str, then: Any) -> Any:
    """An attribute of the list at a place of data: one that gets longer is one of a store."""
    found = value.current()
    if found is value and (value.container is None or name not in METHODS or are_state(vm.world, value.container)):
        return value.attribute(name)
    return getattr(list_of(vm.world, value) if found is value else found, name)


def list_of(world: ShadowedWorld, value: OneOf) -> Any:
    """The list of a store that is meant by a choice."""
    found = nested(world, value.container)
    return found.at(value.place) if type(found) is FilledList else found.value_at(value.place)


SPECIAL_GETTERS |= {InnerList: attribute, InnerTable: attribute, OneOf: of_one_of}
COUNTED.add(OneOf)
