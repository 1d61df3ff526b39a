"""``sorted`` and ``list.sort`` of values that only the data know.

Python orders the keys at run time (``ops.py.order``), and the item at each place is chosen leaf by
leaf: all items have one structure.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.control import name_of
from npexport.ir.ops.python_orders import kind_of
from npexport.ir.printing import value_text
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import SymFloat, is_symbolic, is_unbacked, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.item_structures import is_tuple
from npexport.tracer.arrays.core.listed_memory import note_places, tie
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.new_numbers import is_new
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number, integer_of, truth_of
from npexport.tracer.arrays.memory.layout_guards import not_in_c_order, note_gaps
from npexport.tracer.control.counters import ChosenItems
from npexport.tracer.control.leaves import MOST, is_carried
from npexport.tracer.control.symbolic_unions import may_begin
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.world import ShadowedWorld, current_world
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers.comparing import MOST as MOST_COMPARED
from npexport.tracer.models.containers.comparing import Items, compare_of, is_compared_by_python, may_be_ordered_by_data
from npexport.tracer.models.containers.reordered_objects import (
    contents,
    fields_in_order,
    is_object,
    require_sorted_unheld,
    with_contents,
)
from npexport.tracer.models.polyfills import comparing, lists
from npexport.tracer.models.polyfills.searches import TWO_NANS
from npexport.tracer.models.registry import DECLINED, operands

_HINT = (
    "Order arrays: order = np.argsort(keys), and take x[order] of each; or give sorted() numbers, or tuples of numbers and arrays "
    "that are alike in all items."
)
_PLAIN = (int, float, str, bytes, bool, complex)


def by_data(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``sorted`` and ``list.sort``."""
    in_place, given = fn is not sorted, operands(fn, args)
    reverse = kwargs.get("reverse", False)
    if not world.captures or len(given) != 1 or not kwargs.keys() <= {"key", "reverse"} or type(reverse) not in (bool, int):
        return DECLINED
    key, values = kwargs.get("key"), given[0]
    if type(values) is FilledList:
        return Invoke(lists.sort if in_place else lists.in_order, (values, key, bool(reverse)))
    if world.counting and (type(values) is SymRange or (type(values) is ArrayProxy and values.ndim == 1)) and is_symbolic(values.__len__()):
        return Invoke(lists.sorted_as_list, (values, key, bool(reverse)))
    if in_place and type(values) is not list:
        return DECLINED
    compare = compare_of(key)
    if compare is not None:
        return _compared_by(compare, values, key, bool(reverse), in_place)
    if key is None and type(values) is list and (fields := fields_in_order(values)):
        key = operator.attrgetter(*fields)
    if key is None and type(values) in (list, tuple) and not any(is_data(value) or is_compared_by_python(value) for value in values):
        return DECLINED
    if type(values) in (set, frozenset, str, bytes) or (key is not None and _is_plain(key, values)):
        return DECLINED
    if type(values) is ArrayProxy and not (values.ndim == 1 and type(values.shape[0]) is int):
        return DECLINED
    return _sorting(None, values, key, bool(reverse), in_place)


def _sorting(compare: Any, values: Any, key: Any, reverse: bool, in_place: bool) -> Invoke:
    raises = comparison_raises if in_place else None
    in_order = functools.partial(comparing.in_order, _compared_by_python, raises, _in_order, compare)
    return Invoke(polyfills.sort_by if in_place else polyfills.sorted_by, (in_order, values, key, reverse))


def _compared_by(compare: Any, values: Any, key: Any, reverse: bool, in_place: bool) -> Any:
    """``sorted`` and ``list.sort`` by a function of two items."""
    if type(values) not in (list, tuple):
        return Invoke(lists.sorted_as_list, (values, key, reverse))
    return _sorting(compare, values, None, reverse, in_place) if 2 <= len(values) <= MOST_COMPARED else DECLINED


def _compared_by_python(values: list[Any], keys: list[Any], compare: Any) -> Items | None:
    """The keys, if data may decide how the program's Python compares them."""
    if not 2 <= len(keys) <= MOST_COMPARED or not (compare or may_be_ordered_by_data(keys, is_data)):
        return None
    world = current_world()
    require_unheld = functools.partial(require_sorted_unheld, world, world.host.vm, values, keys, refusal)
    return Items(values, keys, require_unheld, reordered, refusal)


def comparison_raises() -> None:
    """Raises ``Unsupported``: C leaves the list in a part of the order."""
    raise refusal("a comparison raises before the list is in order")


def reordered(values: list[Any], order: Any) -> list[Any]:
    """The items in the order that data have decided."""
    return _taken(values, order, "an item")


def _is_plain(key: Any, values: Any) -> bool:
    """Whether keys that C, or a polyfill, computes of known values are known."""
    owner = getattr(key, "__self__", None)
    if type(owner) is list and not any(map(is_data, owner)):
        return True
    return isinstance(key, type) and type(values) in (list, tuple) and all(type(value) in _PLAIN for value in values)


def is_data(key: Any) -> bool:
    if is_tuple(key) or type(key) is list:
        return any(map(is_data, key))
    return (type(key) in (ArrayProxy, ScalarProxy) and not key.known) or is_unbacked(key)


def _in_order(values: Any, keys: Any, reverse: bool) -> tuple[list[Any] | None, Any]:
    """The items in the order of the keys; if no data decide it ``None``, and what is compared."""
    keys = list(map(_compared, keys))
    if any(map(is_data, keys)):
        keys = compared_parts(keys)
    if not any(map(is_data, keys)):
        return None, keys
    return _of_data(values, keys, reverse), keys


def _compared(key: Any) -> Any:
    """The key with numbers of NumPy in place of those that are Python's or NumPy's as data decide:
    they are ordered alike.
    """
    if is_tuple(key) or type(key) is list:
        parts = list(map(_compared, key))
        return key if all(map(operator.is_, parts, key)) else parts if type(key) is list else tuple(parts)
    return key.scalar if type(key) is Mixed else key


def _of_data(values: Any, keys: Any, reverse: bool) -> list[Any]:
    if len(set(map(_form, keys))) > 1:
        raise refusal("the keys are numbers, tuples or lists, of different types")
    require_sorted_unheld(current_world(), current_world().host.vm, values, keys, refusal)
    keys = list(map(_plain, keys))
    try:
        kinds = [kind_of(_metas(key)) for key in keys]
    except TypeError:
        raise refusal("a key is not a number of NumPy or Python, or tuple of numbers") from None
    if any(kind != kinds[0] for kind in kinds):
        raise refusal("the keys are numbers, or tuples of numbers, of different types")
    if is_tuple(keys[0]):
        for column in _columns(keys):
            _expect_one_nan(column)
    if all(value is key and _is_atom(value) for value, key in zip(values, keys, strict=True)):
        _require_one_type(values, "an item")
        return list(recorder().call(ops.py.sorted, tuple(values), **({"reverse": True} if reverse else {})))
    order = recorder().call(ops.py.order, tuple(keys), reverse)
    if list(map(type, values)) == [int] * len(values) and list(values) == list(range(len(values))):
        return [integer_of(order[place]) for place in range(len(values))]
    return _taken(list(values), order, "an item")


def compared_parts(keys: list[Any]) -> list[Any]:
    """What Python looks at of keys as it compares them: of tuples, or of lists, the parts before
    any of data, if these tell all of the keys apart.
    """
    if len({type(key) for key in keys}) != 1 or not (is_tuple(keys[0]) or type(keys[0]) is list):
        return keys
    count = min(_known_parts(key) for key in keys)
    parts = [tuple(key[:count]) for key in keys]
    return parts if all(one != other for one, other in itertools.combinations(parts, 2)) else keys


def _known_parts(key: Any) -> int:
    """How many plain values a tuple or a list begins with."""
    return next((place for place, part in enumerate(key) if not _is_known(part)), len(key))


def _is_known(part: Any) -> bool:
    return all(map(_is_known, part)) if is_tuple(part) else python_type(part) in _PLAIN and not is_data(part)


def _plain(key: Any) -> Any:
    """The key with plain tuples in place of named ones and lists, which are ordered alike."""
    return tuple(map(_plain, key)) if is_tuple(key) or type(key) is list else key


def _form(key: Any) -> Any:
    """Whether a key is a tuple or a list, and the parts in it."""
    return (type(key) is list, *map(_form, key)) if is_tuple(key) or type(key) is list else None


def _metas(key: Any) -> Any:
    if is_tuple(key):
        return tuple(map(_metas, key))
    return key.meta if type(key) in (ArrayProxy, ScalarProxy) else key


def _columns(keys: Any) -> Iterator[list[Any]]:
    """The floats at each place of tuples whose comparison goes on behind it if they are equal."""
    *before, last = zip(*keys, strict=True) if keys[0] else ((),)
    for leaves in before:
        yield from _floats_in(leaves)
    if last and is_tuple(last[0]):
        yield from _columns(last)


def _floats_in(leaves: Sequence[Any]) -> Iterator[list[Any]]:
    """The floats at each place of numbers, or of tuples of numbers."""
    if is_tuple(leaves[0]):
        for column in zip(*leaves, strict=True):
            yield from _floats_in(column)
    elif type(leaves[0]) in (float, SymFloat) or getattr(leaves[0], "dtype", np.dtype(int)).kind == "f":
        yield list(leaves)


def floats_in(keys: Any) -> list[Any]:
    """The floats among keys, an array of those at each place of them, which are not NaN where a
    heap orders items.
    """
    if type(keys) is FilledList:
        found = [column for column in keys.arrays() if column.dtype.kind == "f"]
    else:
        found = [coercion.array_of(column) for column in (_floats_in(keys) if keys else ())]
    if found:
        recorder().session.require_unexpected(ValueError, "NaN may be among items that a heap orders")
    return found


def _expect_one_nan(leaves: list[Any]) -> None:
    """A check that no two of the floats are NaN, unless each is an object of its own: Python
    considers an object in a tuple equal to itself.
    """
    rec = recorder()
    open_ = [rec.argument(leaf) for leaf in leaves if not _is_number(leaf)]
    if len(open_) < 2 or (len(set(open_)) == len(open_) and all(map(is_new, open_))):
        return
    rec.session.require_unexpected(ValueError, "two NaN in tuples that are sorted may be one object")
    count = rec.call(ops.np.sum, rec.call(ops.np.isnan, coercion.array_of(leaves)))
    rec.effect(ops.control.check, (truth_of(count <= 1), name_of(ValueError), (TWO_NANS,)), rec.stack())


def _is_number(leaf: Any) -> bool:
    """Whether a leaf that is not a stand-in is not NaN."""
    return issubclass(type(leaf), (float, np.generic)) and bool(leaf == leaf)


def refusal(what: str) -> Unsupported:
    return Unsupported("E103", f"data decide the order of a list, and {what}", hint=_HINT)


def _taken(values: list[Any], order: Any, path: str) -> list[Any]:
    """The item at each place of the order: new tuples, the same numbers, copies of arrays."""
    first = values[0]
    kind = type(first)
    if (kind in ATOMS or kind is ScalarProxy) and all(_is_same(value, first) for value in values):
        return values
    if is_tuple(first) and all(type(value) is kind and len(value) == len(first) for value in values):
        parts = [_taken(list(column), order, f"{path}[{place}]") for place, column in enumerate(zip(*values, strict=True))]
        return [tuple.__new__(kind, row) for row in zip(*parts, strict=True)] if parts else values
    if is_object(first):
        return _objects(values, order, path)
    if all(map(_is_atom, values)):
        return _numbers(values, order, path)
    if all(type(value) is ArrayProxy for value in values):
        return _arrays(values, order, path)
    if len(values) <= MOST and all(type(value) is kind and is_carried(value) for value in values) and may_begin(current_world()):
        return [ChosenItems(tuple(values))(as_number(order[place], "a place")) for place in range(len(values))]
    wrong = next((value for value in values if type(value) is not kind), first)
    raise refusal(f"{path} is {_text(wrong)}, of which data cannot choose one")


def _objects(values: list[Any], order: Any, path: str) -> list[Any]:
    """New objects with the contents of these."""
    form, items = contents(values[0])
    if not all(is_object(value) and contents(value)[0] == form for value in values):
        what = "in another item a value of another kind, with other attributes or of another length"
        raise refusal(f"{path} is {_text(values[0])}, and {what}")
    names = range(len(items)) if type(values[0]) is list else [name for _, name in form[1:]]
    columns = zip(names, zip(*[contents(value)[1] for value in values], strict=True), strict=True)
    parts = [_taken(list(column), order, f"{path}[{name!r}]") for name, column in columns]
    return [with_contents(values[0], row) for row in zip(*parts, strict=True)] if parts else values


def _is_same(value: Any, first: Any) -> bool:
    return value is first or (type(value) is type(first) and type(value) in (int, str, bool, bytes) and value == first)


def _is_atom(value: Any) -> bool:
    return type(value) is ScalarProxy or isinstance(value, np.generic) or python_type(value) in (int, float, bool)


def _text(value: Any) -> str:
    return with_article(getattr(type(value), "__name__", "value"))


def _numbers(values: list[Any], order: Any, path: str) -> list[Any]:
    _require_one_type(values, path)
    return list(recorder().call(ops.py.in_order, order, tuple(values)))


def _require_one_type(values: list[Any], path: str) -> None:
    exact = {value.dtype if type(value) is ScalarProxy or isinstance(value, np.generic) else python_type(value) for value in values}
    if len(exact) > 1:
        raise refusal(f"{path} is a number of one type, and of another in other items: {', '.join(sorted(map(str, exact)))}")
    try:
        kind_of(_metas(values[0]))
    except TypeError:
        raise refusal(f"{path} is a number of the type {exact.pop()}") from None


def _arrays(values: list[Any], order: Any, path: str) -> list[Any]:
    rec, first = recorder(), values[0].meta
    for value in values:
        if value.meta.dtype != first.dtype or value.meta.shape != first.shape or not value.dtype.isnative:
            raise refusal(f"{path} is the array {value_text(first)}, and {value_text(value.meta)} in another item")
        problem = not_in_c_order(rec.layouts, value)
        if problem is not None:
            raise refusal(f"{path} is {problem}")
    rows = rec.call(ops.np.take, coercion.array_of(values), order, 0, mode="clip")
    for value in values:
        tie(value.storage)
    found: list[Any] = [rec.call(ops.np.copy, coercion.array_of(rows[place])) for place in range(len(values))]
    for place, array in enumerate(found):
        note_gaps(array, values)
        tie(array.storage, taken=True)
        note_places(array, values, as_number(order[place], "a place"), within=order)
    return found
