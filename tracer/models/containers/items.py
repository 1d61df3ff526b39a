"""Items of lists, tuples, strings and dicts at places that only the data know: ``table[int(i)]``,
``counts[k] += 1``, ``cost[int(v)]``.

The number of items is known. The place is a number (``ops.py.place`` raises if there is no such
item), and its item is chosen leaf by leaf. A write may go to any place, so each item becomes a
choice. A list of more than `MOST` items is an array instead (`inner_lists.stand_in`).
"""

from __future__ import annotations

import functools
import operator
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.python_orders import kind_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_bool, sym_max, sym_min, sym_not
from npexport.symshapes.symint import SymBool, SymInt, python_type
from npexport.tracer.arrays.core import coercion, mixed
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_dict import stands_for
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.inner_lists import InnerList
from npexport.tracer.arrays.core.item_structures import is_tuple, joined, with_items
from npexport.tracer.arrays.core.listed_memory import note_places, tie
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number
from npexport.tracer.arrays.core.structures_of_items import structure_of
from npexport.tracer.arrays.core.texts import chosen_text, is_text
from npexport.tracer.arrays.memory.layout_guards import not_in_c_order, note_gaps
from npexport.tracer.control.refusals import require_few
from npexport.tracer.effects.parts import STAND_INS
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.world import IDENTITIES, current_world
from npexport.tracer.interpreter.native import stands_in_for
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion, options_of
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import lists, methods
from npexport.tracer.models.registry import DECLINED

MOST = 64
"""The largest number of items: each of them becomes a choice when one is written."""
FEW = 8
"""The largest number of lists of which data choose one that gets longer: each is a side of a
branch.
"""
_TABLE = 4096
"""The largest number of items that are only read, all plain numbers of one type: they are one
operand.
"""
_BRANCHES, _KINDS = 2, 8
"""The largest number of items if each is chosen on a side of a branch of its own."""
_SEQUENCES: dict[type, str] = {list: "list", tuple: "tuple", str: "string"}
_HINT = "Keep the items in an array, and take one of them: np.array(items)[i]; or write them there: array[i] = value."


def place_of(key: Any) -> Any:
    """The key of a sequence; a scalar for a number, which C treats as the same place."""
    return key.place() if type(key) is Mixed and key.kind is int and key.scalar.dtype == np.int64 else key


def number_of(key: Any) -> Any:
    """A key of a list as the integer that it means; another object itself.

    Raises `refused` for objects that C asks for one.
    """
    key = place_of(key)
    if type(key) is ScalarProxy and key.dtype.kind in "iu":
        return as_number(key, "an index")
    if isinstance(key, (np.integer, bool)):
        return int(key)
    if python_type(key) not in (int, slice) and hasattr(type(key), "__index__"):
        raise refused("is indexed by an object that is not an integer")
    return key


def index_of_data(key: Any) -> Any:
    """The integer that C makes of a key that only the data know; ``None`` for any other key."""
    key = place_of(key)
    if type(key) is ScalarProxy and not key.known and key.dtype.kind in "iu":
        key = as_number(key, "an index")
    return key if type(key) in (SymInt, SymBool) and key.hint is None else None


def is_at_data(container: Any, key: Any) -> bool:
    """Whether the place of the item is known only to the data."""
    kind = type(container)
    if kind not in _SEQUENCES and kind not in (dict, OneOf):
        return False
    if kind is dict and type(key) is Mixed:
        return False  # which tells the key that it has not
    return index_of_data(key) is not None and (kind is OneOf or 0 < len(container) <= MOST)


def is_read_at_data(container: Any, key: Any) -> bool:
    """The same of an item that is only read: there may be more of them in tables of numbers."""
    return is_at_data(container, key) or (_is_table(container) and index_of_data(key) is not None)


def _is_table(container: Any) -> bool:
    if type(container) not in (list, tuple) or not MOST < len(container) <= _TABLE:
        return False
    return {*map(type, container)} in ({int}, {float}, {bool})


def get(container: Any, key: Any) -> Any:
    """``container[key]``, where `is_read_at_data`."""
    index = index_of_data(key)
    if type(container) is OneOf:
        return container.get(key)
    if type(container) is dict:
        place = current_world().places.get(_place_key(container, index))
        place = _place_of_key(container, key) if place is None else place
        return _of(container, chosen([*container.values()], place))
    return _of(container, chosen([*container], _place(index, len(container), f"{_SEQUENCES[type(container)]} index out of range")))


def held_in(container: Any) -> list[Any]:
    """The items of a list, or the values of a dict."""
    return list(container.values() if type(container) is dict else container)


def list_at(container: Any, key: Any) -> Any:
    """The list at a place of data, of a few that stay where they are: one of several values."""
    lists = held_in(container)
    index = index_of_data(key)
    place = _place_of_key(container, key) if type(container) is dict else _place(index, len(lists), "list index out of range")
    return one_of_several(lists, place, "the list at a place")


def one_of_several(values: list[Any], place: Any, name: str) -> Any:
    """What stands at a place, as one of several values."""
    return current_world().one_of([sym_bool(place == number) for number in range(len(values) - 1)], values, name)


def _of(container: Any, item: Any) -> Any:
    if type(item) is OneOf and type(container) is not tuple:
        item.container = container
    return item


def get_or(container: dict[Any, Any], key: Any, default: Any) -> Any:
    """``dict.get`` for a key that only the data know."""
    place = recorder().node(ops.py.key_place, (tuple(container), index_of_data(key), True)).meta["val"]
    return chosen([*container.values(), default], place)


def set_(container: Any, key: Any, value: Any) -> Any:
    """``container[key] = value``, where `is_at_data`; `DECLINED` for a dict that may not have the
    key.
    """
    index = index_of_data(key)
    if type(container) is OneOf:
        container.set(key, value)
        return None
    if type(container) is dict:
        place, keys = current_world().places.get(_place_key(container, index)), list(container)
        if place is None:
            return DECLINED  # it may get a new key
    else:
        place, keys = _place(index, len(container), lists.NO_PLACE), list(range(len(container)))
    world = current_world()
    require_few(world, world.host.vm.current_frame)
    for number, each in enumerate(keys):
        container[each] = _at_once(chosen([container[each], value], sym_bool(place == number)))
    return None


def insert(items: list[Any], index: Any, value: Any) -> None:
    """``list.insert`` at a place that only the data know: the items after it move."""
    count = len(items)
    index = _number([index, index + count], sym_bool(index < 0))
    place = sym_min(sym_max(index, 0), count)
    items.append(value)
    before = items[:]
    for number in range(count, -1, -1):
        earlier, later = (before[number], before[number - 1] if number else value)
        kept = _at_once(chosen([value, earlier], sym_bool(place > number))) if number < count else value
        items[number] = _at_once(chosen([kept, later], sym_bool(place < number)))


def part(values: list[Any], bounds: slice) -> Any:
    """``list[a:b]``, where only the data know a bound: a list whose length they know."""
    ends = map(_bound, (bounds.start, bounds.stop, bounds.step))
    item, *others = map(structure_of, values)
    for other in others:
        item = None if item is None else joined(item, other)
    if item is None:
        raise refused("holds items of several kinds: put numbers, or tuples of numbers, into it")
    return FilledList.of(item, values)[slice(*ends)]


def _bound(end: Any) -> Any:
    place = index_of_data(end)
    return end if place is None else place


def is_part_of_data(container: Any, key: Any) -> bool:
    """Whether the data decide which items of a list these are."""
    if type(container) is not list or not container or type(key) is not slice:
        return False
    return any(index_of_data(end) is not None for end in (key.start, key.stop, key.step))


def pop(items: list[Any], index: Any, text: str = "pop index out of range") -> Any:
    """``list.pop`` from a place that only the data know."""
    place = _place(index, len(items), text)
    found = _at_once(chosen(items[:], place))
    for number in range(len(items) - 1):
        items[number] = _at_once(chosen([items[number], items[number + 1]], sym_bool(place <= number)))
    items.pop()
    return found


def place_in(values: FilledList, index: Any, text: str) -> Any:
    """The place of an item of such a list, if its length is known and only data know the index;
    else ``None``: branches ask for it.
    """
    of_data = values.kind is list and type(index) is SymInt and index.hint is None
    if not of_data or type(values.length) is not int or not values.length:
        return None
    return recorder().node(ops.py.place, (index, values.length, text)).meta["val"]


def _place(index: Any, count: int, text: str) -> Any:
    interval = index.env.facts.bounds(index.expression) if type(index) is SymInt else None
    if interval is not None and interval.lower >= 0 and interval.upper < count:
        return index
    return recorder().node(ops.py.place, (index, count, text)).meta["val"]


def _place_key(container: dict[Any, Any], index: Any) -> tuple[Any, ...]:
    return id(container), tuple(container), index.expression


def _place_of_key(container: dict[Any, Any], key: Any) -> Any:
    if any(type(each) not in (int, bool) for each in container):
        raise _refusal("the keys of a dict are not integers")
    place = recorder().node(ops.py.key_place, (tuple(container), recorder().argument(key), False)).meta["val"]
    if not recorder().regions:
        current_world().places[_place_key(container, index_of_data(key))] = place
    return place


# What stands at a place


def chosen(items: list[Any], place: Any) -> Any:
    """One of the items."""
    first = items[0]
    if all(item is first or (type(item) is type(first) and type(first) in ATOMS and _is_same(item, first)) for item in items):
        return first
    if is_tuple(first) and all(type(item) is type(first) and len(item) == len(first) for item in items):
        return with_items(first, [_at_once(chosen(list(column), place)) for column in zip(*items, strict=True)])
    if all(type(item) in (list, OneOf) for item in items):
        return OneOf(items, place)
    if all(map(is_text, items)):
        return functools.reduce(
            lambda text, row: chosen_text(sym_bool(place == row[0]), row[1], text), list(enumerate(items))[:-1], items[-1]
        )
    if all(type(item) is ArrayProxy for item in items):
        return _array(items, place)
    if all(_is_number(item) for item in items):
        return _number(items, place)
    return _by_branches(items, place)


def _by_branches(items: list[Any], place: Any) -> Any:
    alike = all(type(item) in (type(None), str, ArrayProxy, SymbolicUnion) or _is_number(item) for item in items)
    most = _BRANCHES if alike or any(type(item) is BuiltinFunctionType for item in items) else _KINDS
    return _one_of(items, place) if len(items) > most else Invoke(methods.item_of_branches, (items, place))


def _at_once(value: Any) -> Any:
    """An item chosen without a branch."""
    return _one_of(*value.args) if type(value) is Invoke else value


def _one_of(items: list[Any], place: Any) -> Any:
    """One of several values: of each kind the item that stands at the place, if it is of that."""
    kinds: dict[Any, list[tuple[Any, Any]]] = {}
    for number, item in enumerate(items):
        here = sym_bool(place == number)
        for test, value in _kinds_of(item):
            kinds.setdefault(_form(value), []).append((here if test is True else here & test, value))
    if len(kinds) > _KINDS:
        raise _refusal(f"items of {len(kinds)} kinds are too many")
    tests = [functools.reduce(operator.or_, [test for test, _ in rows]) for rows in kinds.values()]
    options = [functools.reduce(lambda found, row: chosen([found, row[1]], row[0]), rows[1:], rows[0][1]) for rows in kinds.values()]
    return current_world().one_of(tests[:-1], options, "an item at a place that data decide")


def _kinds_of(item: Any) -> list[tuple[Any, Any]]:
    """What an item may be: truths, and the value if one holds."""
    found = []
    for test, option in options_of(item):
        if type(option) is not Mixed:
            found.append((test, option))
            continue
        if option.kind is int and option.scalar.dtype.kind == "f":
            option.refuse("an item at a place that data decide")
        for own, value in ((option.python, as_number(option.scalar, "an item of a list")), (sym_not(option.python), option.scalar)):
            found.append((own if test is True else test & own, value))
    return found


def _form(item: Any) -> Any:
    """The kind of an item, of which one value is chosen."""
    if type(item) is ArrayProxy:
        return item.dtype, item.shape
    if type(item) in (type(None), str):
        return type(item), item
    if not _is_number(item):
        raise _refusal("an item is not a number, array or text")
    return _kind(item)


def _is_same(item: Any, first: Any) -> bool:
    return bool(item == first) and repr(item) == repr(first)


def _is_number(item: Any) -> bool:
    if type(item) is Mixed:
        return True
    return type(item) is ScalarProxy or isinstance(item, np.generic) or python_type(item) in (int, float, bool)


def _number(items: list[Any], place: Any) -> Any:
    exact = {type(item) if type(item) is Mixed else _kind(item) for item in items}
    if len(exact) == 1 and Mixed not in exact:
        try:
            kind_of(items[0].meta if type(items[0]) is ScalarProxy else items[0])
        except TypeError:
            raise _refusal(f"an item is a number of the type {exact.pop()}") from None
        return recorder().call(ops.py.item, tuple(items), place)
    sides = list(map(mixed.Side, items))
    of_python, of_numpy = [side for side in sides if side.kind is not None], [side for side in sides if side.dtype is not None]
    together = (
        {mixed.kind_of(side, (of_numpy if side.dtype is None else of_python)[0]) for side in sides} if of_python and of_numpy else {None}
    )
    found = together.pop()
    if found is None or together:
        raise _refusal(f"an item is a number of one type, and of another in other items: {', '.join(sorted(map(_shown, exact)))}")
    (kind, dtype), rec = found, recorder()
    current_world().mixes = True
    python = rec.call(ops.py.item, tuple([side.python for side in sides]), place)
    scalar = rec.call(ops.py.item, tuple([side.scalar(dtype) for side in sides]), place)
    return Mixed(kind, python, scalar, "an item of a list", max(side.most for side in sides))


def _kind(item: Any) -> Any:
    return item.dtype if type(item) is ScalarProxy or isinstance(item, np.generic) else python_type(item)


def _shown(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _array(items: list[Any], place: Any) -> Any:
    """A copy: nobody writes to any of the arrays, or to it, from now on."""
    rec, first = recorder(), items[0].meta
    for item in items:
        if item.meta.dtype != first.dtype or item.meta.shape != first.shape or not item.dtype.isnative:
            return _by_branches(items, place)
        problem = not_in_c_order(rec.layouts, item)
        if problem is not None:
            raise _refusal(f"an item is {problem}")
    number = place if python_type(place) is int else place + 0
    found = rec.call(ops.np.copy, rec.call(ops.np.take, coercion.array_of(items), number, 0, mode="clip"))
    note_gaps(found, items)
    for array in (*items, found):
        tie(array.storage, taken=array is found)
    note_places(found, items, number)
    return found


def _refusal(what: str) -> Unsupported:
    return Unsupported("E104", f"the place of an item depends on data, and {what}", hint=_HINT)


class OneOf:
    """The list at a place that only the data know: what is read from it is chosen at the read, and
    what is written may be written to each of the lists. ``container``: the list or dict whose items
    they are.
    """

    __slots__ = ("container", "lists", "place")

    def __init__(self, lists: list[Any], place: Any) -> None:
        self.lists, self.place = lists, place
        current_world().refers = True
        self.container: Any = None

    __class__ = list  # type: ignore[assignment]

    def current(self) -> Any:
        """The list of a store, if the lists have become some; or itself."""
        lists = list(map(stands_for, self.lists))
        if not any(each is not None for each in lists):
            return self
        if any(type(each) is not InnerList or each.store is not lists[0].store for each in lists):
            raise _refusal("the lists that may stand there have become items of other containers")
        return lists[0].store.list_at(recorder().call(ops.py.item, tuple([each.number for each in lists]), self.place))

    def __len__(self) -> Any:
        found = self.current()
        if found is not self:
            return found.length
        lengths = {len(each) for each in self.lists}
        if len(lengths) > 1:
            raise _refusal("the lists that may stand there are of different lengths")
        return lengths.pop()

    def get(self, key: Any) -> Any:
        len(self)
        return chosen([_at_once(get(each, key)) if is_at_data(each, key) else each[key] for each in self.lists], self.place)

    def __getitem__(self, key: Any) -> Any:
        if type(key) is slice:
            raise _refusal("a part of it is taken")
        return self.get(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.set(key, value)

    def set(self, key: Any, value: Any) -> None:
        len(self)
        if type(key) is slice:
            raise _refusal("a part of it is written")
        for number, each in enumerate(self.lists):
            old = _at_once(get(each, key)) if is_at_data(each, key) else each[key]
            new = _at_once(chosen([old, value], sym_bool(self.place == number)))
            set_(each, key, new) if is_at_data(each, key) else operator.setitem(each, key, new)

    def attribute(self, name: str) -> Any:
        """An attribute that the program asks for."""
        if name in ("__len__", "__getitem__", "__setitem__", "__class__"):
            return getattr(self, name)
        if not hasattr(list, name):
            return getattr([], name)
        if len(self.lists) > FEW or not all(type(each) is list for each in self.lists):
            raise _refusal(f"its attribute `{name}` is used")
        return one_of_several([getattr(each, name) for each in self.lists], self.place, f"the method `{name}`")

    def _refuse(self, *args: Any) -> Any:
        raise _refusal("the list that stands there is used as a whole")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = _refuse
    __iter__ = __contains__ = __reversed__ = __repr__ = __format__ = __delitem__ = __copy__ = __deepcopy__ = __reduce_ex__ = _refuse
    __hash__ = None  # type: ignore[assignment]


def _are_one(left: Any, right: Any) -> Any:
    """Whether two lists, one of which is `OneOf`, are the same."""
    left, right = [each.current() if type(each) is OneOf else each for each in (left, right)]
    if OneOf not in (type(left), type(right)):
        return current_world().same(left, right)
    mine, others = (left, right) if type(left) is OneOf else (right, left)
    if type(others) is OneOf and all(map(operator.is_, mine.lists, others.lists)) and len(set(map(id, mine.lists))) == len(mine.lists):
        return mine.place == others.place
    found: Any = False
    for number, each in enumerate(mine.lists):
        same = _are_one(others, each) if type(others) is OneOf else each is others
        found |= same & sym_bool(mine.place == number)
    return found


OneOf.__qualname__ = "list"
stands_in_for(OneOf, list)
IDENTITIES[OneOf] = _are_one
STAND_INS[OneOf] = OneOf.__slots__
