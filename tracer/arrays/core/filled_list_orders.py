"""Reordering the items of lists that captured loops fill
(`npexport.tracer.arrays.core.filled_list`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic, is_unbacked, python_type
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.item_structures import Constant, Items, Kinds, Row, Text, is_tuple, metas_of, refers, shown
from npexport.tracer.arrays.core.structures_of_items import common_item


def turn_round(grown: FilledList) -> None:
    """Reverse the items."""
    places = _places(grown)
    _rearrange(grown, recorder().call(ops.np.where, places < grown.length, grown.length - 1 - places, places))


def put_in_order(grown: FilledList, keys: Any, reverse: bool) -> None:
    """Put the items in the order of their keys, a list of the same length."""
    if type(keys) is not FilledList:
        raise refused("is sorted by keys that are known")
    call = recorder().call
    if keys is grown and grown.item in (int, bool) and _is_full(grown):  # equal ones are one and the same
        ordered = call(ops.np.sort, grown.columns[0])
        _require_movable(grown)
        grown.columns[0][:] = ordered[::-1] if reverse else ordered
        return
    rearrange(grown, call(ops.py.order_of_rows, _columns(keys.item, iter(keys.arrays())), reverse))


def rearrange(grown: FilledList, order: Any) -> None:
    """Each item becomes the one at its place of ``order``, an array as long as the list."""
    if _is_full(grown):
        _rearrange(grown, order)
        return
    places = _places(grown)
    places[: grown.length] = order
    _rearrange(grown, places)


def _is_full(grown: FilledList) -> bool:
    """Whether a list has as many items as it has room for."""
    return known(grown.length == grown.capacity) is True


def _require_movable(grown: FilledList) -> None:
    grown.require_loose()
    grown.require_unseen("moves")


def _places(grown: FilledList) -> Any:
    """The positions of all rows of the columns."""
    return recorder().call(ops.np.arange, grown.capacity)


def _rearrange(grown: FilledList, places: Any) -> None:
    """Each row becomes the one that stands at its place of ``places``."""
    _require_movable(grown)
    for column in grown.columns:  # which stay where they are, as on another side of a branch
        column[:] = recorder().call(ops.np.take, column, places, 0, mode="clip")


_LONGEST_KEY = 16
"""The length of lists from which on they are not compared part by part."""


def _columns(item: Any, columns: Iterator[Any]) -> Any:
    """The columns of keys, nested as these are; lists are compared as tuples are."""
    if is_tuple(item) or isinstance(item, Row):
        return tuple([_columns(part, columns) for part in (item.parts if isinstance(item, Row) else item)])
    if isinstance(item, Items) and (length := _parts(item.length)):
        mine = [next(columns) for _ in metas_of(item.item)]
        return tuple([_columns(item.item, iter([column[:, place] for column in mine])) for place in range(length)])
    if isinstance(item, Kinds) and len(item.dtypes()) == 1 and not any(isinstance(option, (Constant, Text)) for option in item.options):
        next(columns)  # of which kind it is: Python's and NumPy's numbers of one dtype are compared alike
        item = item.options[0]
    if not (isinstance(item, type) or (isinstance(item, TensorMeta) and item.scalar and item.dtype.kind in "biuf")):
        raise refused(f"is sorted by keys that are {shown(item)}")
    return next(columns)


def _parts(length: Any) -> int:
    """How many parts lists of this length are compared by; 0 if they are not."""
    if is_unbacked(length):
        return 0
    number = length._constant("lists of this length are compared") if is_symbolic(length) else length
    return number if number < _LONGEST_KEY else 0


def are_in_order(keys: Any) -> bool:
    """Whether there are so few keys that they are in order whatever they are."""
    return type(keys) is list and len(keys) < 2


def in_columns(keys: Any) -> FilledList:
    """Keys whose number is known, as a list of the kind that is sorted."""
    if type(keys) is not list:
        return keys
    item = common_item(keys)
    if item is None:
        raise refused("is sorted by keys of several kinds")
    return FilledList.of(item, keys)


def before_lists(keys: FilledList) -> FilledList:
    """The parts of keys, tuples, that stand before the first list of a store in them; the keys
    themselves if there is none.
    """
    item = keys.item
    if not refers(item):
        return keys
    count = next((place for place, part in enumerate(item) if refers(part)), 0) if is_tuple(item) else 0
    if not count:
        raise refused("is sorted by lists at places that only the data know")
    found = FilledList(item[:count], tuple(keys.columns[: len(metas_of(item[:count]))]), keys.length)
    return found.copy()


def floats_before_others(keys: FilledList) -> list[Any]:
    """The columns of floats in tuples whose comparison goes on if they are equal: two NaN are equal
    if they are the same object.
    """
    found = _columns(keys.item, iter(keys.arrays()))
    parts: list[Any] = []
    while type(found) is tuple:
        *before, found = found
        parts += before
    return [column for column in _flat(parts) if column.dtype.kind == "f"]


def _flat(parts: Any) -> list[Any]:
    return [column for part in parts for column in (_flat(part) if type(part) is tuple else (part,))]


def _is_no_nan(value: Any) -> bool:
    """Whether it is known that a value is and holds no NaN."""
    if is_tuple(value):
        return all(map(_is_no_nan, value))
    return python_type(value) in (int, bool) or (issubclass(type(value), (float, str, np.generic, type(None))) and bool(value == value))


def require_searchable(grown: FilledList, item: Any) -> None:
    """Raises `refused` if an item may be NaN, and what is searched for may be the same object: then
    they are equal.
    """
    if not _is_no_nan(item) and any(dtype.kind in "fc" for _, dtype in metas_of(grown.item)):
        raise refused("is searched, and holds floats: NaN is equal to itself where it is one object")
