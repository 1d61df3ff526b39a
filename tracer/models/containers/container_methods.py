"""The methods of the stand-ins of containers: of lists and deques, and of dicts and sets, by
themselves (`FilledList`, `FilledDict`) or at places of data (`InnerList`, `InnerTable`).

Each method is a polyfill. Those of lists are written with a few operations that both stand-ins of
lists have: the item at a place, writing it, appending one, taking one out, moving the last one.
What only looks at a container at a place of data looks at a copy of its items.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from typing import Any, NoReturn

from npexport.symshapes.symint import python_type
from npexport.tracer.arrays.core import filled_dict, inner_lists
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.inner_lists import INNER, InnerList, InnerTable
from npexport.tracer.arrays.core.item_structures import METHODS
from npexport.tracer.control.refusals import require_few
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers import filled_lists, items, sorting
from npexport.tracer.models.polyfills import dicts, lists, membership
from npexport.tracer.models.polyfills import inner_lists as at_places
from npexport.tracer.models.registry import models, receiver

_OF_PLACES = ("pop", "insert", "rotate")
_ALONE = ("popleft", "reverse", "clear", "copy")
"""Methods without arguments."""
_OF_ITEMS = ("extend", "extendleft", "__iadd__")
_SEARCHES = ("count", "index", "remove")
_WITHIN = {"appendleft": lists.appendleft_within, "insert": lists.insert_within}
"""Of deques that have at most so many items."""
_OWN = ("take", "move_last")
"""What a list at a place of data has for its polyfills alone."""


def read(value: Any) -> Any:
    """What C reads of a container at a place of data."""
    if type(value) is items.OneOf:
        return [value.get(place) for place in range(len(value))]
    return value.read() if type(value) in INNER else value


def _raise(kind: type, name: str, given: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    """Raises what C raises for such a call."""
    getattr(kind(), name)(*given, **kwargs)
    raise refused(f"is used with `{name}` and arguments by name")


@models("npexport.tracer.arrays.core.filled_list", *[f"FilledList.{name}" for name in METHODS if not name.startswith("__")])
@models("npexport.tracer.arrays.core.inner_lists", *[f"InnerList.{name}" for name in (*inner_lists.METHODS, *_OWN)])
def of_list(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The methods of lists and deques."""
    name, (values, given) = fn.__name__, receiver(fn, args)
    many = given and (name in _ALONE or (name == "pop" and values.kind is deque))
    if name not in _OWN and (many or not hasattr(values.kind, name) or (kwargs and name != "sort")):
        _raise(values.kind, name, given, kwargs)
    if name in _OF_PLACES and given:
        given = items.number_of(given[0]), *given[1:]
        if python_type(given[0]) is not int:
            _raise(values.kind, name, given, kwargs)
    if name in _OF_ITEMS:
        given = tuple(map(read, given))
    if name in _SEARCHES:
        searched = values if type(values) is FilledList or name == "remove" else values.read()
        return filled_lists.searched(getattr(lists, name, None) or getattr(membership, name), searched, given)
    if type(values) is FilledList and values.maxlen is not None and name in _WITHIN:
        return Invoke(_WITHIN[name], (values, *given))
    if type(values) is InnerList:
        require_few(world, vm.current_frame)
        return Invoke(getattr(at_places, name.strip("_"), None) or getattr(lists, name.strip("_")), (values, *given), kwargs)
    if name == "sort":
        return sorting.by_data(world, vm, fn, (values, *given), kwargs)
    return (
        filled_lists.extended(lists.extend, values, *given)
        if name == "extend" and len(given) == 1
        else Invoke(getattr(lists, name), (values, *given))
    )


@models("npexport.tracer.arrays.core.filled_list", "FilledList.append")
def appended(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``append``: a deque that has as many items as it may loses its first one."""
    values, given = receiver(fn, args)
    if len(given) != 1 or kwargs:
        _raise(values.kind, "append", given, kwargs)
    return values.append(*given) if values.maxlen is None else Invoke(lists.append_within, (values, *given))


_VIEWS = ("keys", "values", "items")
_OF_COPY = frozenset("copy most_common total isdisjoint issubset issuperset union intersection difference symmetric_difference".split())
_BY_NAME = {OrderedDict: ("pop", "popitem", "setdefault", "move_to_end"), Counter: ("most_common",)}
"""The methods whose arguments may be given by name."""


@models("npexport.tracer.arrays.core.filled_dict", *[f"FilledDict.{name}" for name in filled_dict.METHODS])
@models("npexport.tracer.arrays.core.inner_lists", *[f"InnerTable.{name}" for name in inner_lists.TABLE_METHODS])
def of_table(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The methods of dicts and sets."""
    name, (table, given) = fn.__name__, receiver(fn, args)
    if table.is_set and name == "pop":
        raise filled_dict.refused("loses a member by pop(), and the order of the set decides which one")
    if kwargs and name == "update" and not table.is_set:
        raise filled_dict.refused("gets keys that are texts")
    if not hasattr(table.kind, name) or (kwargs and name not in _BY_NAME.get(table.kind, ())):
        _raise(table.kind, name, given, kwargs)
    if type(table) is InnerTable:
        given = tuple(map(read, given)) if name in _OF_COPY or name == "update" else given
        table = table.read() if name in _OF_COPY or name in _VIEWS else table
        if name in _VIEWS:
            return getattr(table, name)(*given)
    if given and sorting.is_data(given[0]):
        require_few(world, vm.current_frame)
    return Invoke(getattr(dicts, name.strip("_")), (table, *given), kwargs)
