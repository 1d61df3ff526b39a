"""Which structure a value has as an item of a list that a captured loop fills
(`npexport.tracer.arrays.core.item_structures`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.tracer.arrays.core.filled_list_kinds import refused, structure_of_leaf
from npexport.tracer.arrays.core.item_structures import Items, Like, Record, Reference, Row, alike, all_joined, is_tuple, refers, with_items

STRUCTURES: dict[type, Callable[[Any], Any]] = {}
"""The structures of lists that loops fill, which are items of others."""


def structure_of(value: Any) -> Any:
    """The structure of an item."""
    if is_tuple(value):
        return with_items(value, map(structure_of, value))
    if type(value) is list and value:
        parts = tuple(map(structure_of, value))
        return Items(len(parts), parts[0]) if all(alike(part, parts[0]) for part in parts[1:]) else Row(parts)
    if _is_record(value):
        return _record_of(value)
    if type(value) in STRUCTURES:
        return STRUCTURES[type(value)](value)
    if type(value) is Like:
        return value.structure
    return value.store if issubclass(type(value), Reference) else structure_of_leaf(value)


def structure_beside(value: Any, item: Any) -> Any:
    """The structure of an item of a list of such items: where these are records, it is one, too."""
    return _record_of(value, True) if isinstance(item, Record) and _is_record(value) else structure_of(value)


def _is_record(value: Any) -> bool:
    """Whether a value is a dict of texts as keys, with items."""
    return type(value) is dict and bool(value) and all(type(key) is str for key in value)


def _record_of(value: dict[str, Any], inside: bool = False) -> Record:
    """The structure of a dict of values that no dict of a store holds together, or of one
    ``inside`` such a dict. Raises `refused` for others: the program may write to those.
    """
    parts = tuple([_record_of(item, True) if _is_record(item) else structure_of(item) for item in value.values()])
    together = all_joined(parts) is not None
    if (together and not inside) or any(map(refers, parts)):
        raise refused("holds a dict")
    return Record(tuple(value), parts)


def common_item(values: list[Any]) -> Any:
    """The structure that all items share; ``None`` if there is none. Raises `refused`."""
    first, *rest = map(structure_of, values)
    return first if all(alike(one, first) for one in rest) else None
