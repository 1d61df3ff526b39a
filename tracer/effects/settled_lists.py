"""Which lists and arrays of the exported object calls make longer or shorter: these are state."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.layout_copies import alike
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.arrays.core.filled_dict import TABLES, FilledDict
from npexport.tracer.arrays.core.item_structures import all_joined, is_tuple, with_items
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.effects.copiers import contents_of
from npexport.tracer.effects.difference import Write
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.settled import FILLED, LISTS, NO_ITEM, ListPlace, item_of, items_of
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.state import belongs_to_root, is_registered, may_be_state
from npexport.tracer.effects.state_places import Place, inputs_in
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import NULL

_CHANGEABLE = (list, dict, set, deque)


class CannotSettle(Exception):
    """A call leaves behind what no later call can begin with."""


def of_lists(shadows: Shadows, writes: list[Write]) -> Iterator[Write]:
    """The writes, in which one stands for all that make one list of the exported object longer or
    shorter. Raises `CannotSettle` for one list in several places.
    """
    lists = {id(entry.shadow): entry for entry in shadows.entries if type(entry.shadow) in LISTS}
    resized = {
        id(write.owner): lists[id(write.owner)]
        for write in writes
        if (write.before is DELETED or write.after is DELETED) and write.name is None and id(write.owner) in lists
        if belongs_to_root(write.path)
    }
    held = [id(write.after) for write in writes if type(write.after) in (*LISTS, *FILLED)]
    if len({*held}) < len(held) or not all(may_be_state(shadows, entry.shadow) for entry in resized.values()):
        raise CannotSettle
    yield from (write for write in writes if id(write.owner) not in resized)
    yield from (Write(entry.origin, entry.original, entry.shadow) for entry in resized.values())


def list_place(world: ShadowedWorld, write: Write, before: Any, held: Any) -> ListPlace | None:
    """The place of a list that calls make longer or shorter; ``None`` for anything else.

    ``before``: what the first call finds there; ``held``: the place as it was known by now.
    """
    after, shadows = write.after, world.shadows
    first = type(before) in (TABLES if type(after) is FilledDict else LISTS)
    if not (first or before is None or before is DELETED) or type(after) not in (*LISTS, *FILLED):
        return None
    if type(after) in LISTS and shadows.is_outside(after) and shadows.shadow_of(write.before) is not after:
        return None  # which is held elsewhere
    if held is None and first and not _is_alone(world, before, write.path):
        return None
    items = items_of(before) if first else []
    found = [item for item in (item_of([_shadow_of(shadows, item) for item in items]), item_of(after)) if item is not NO_ITEM]
    found += [held.item] if type(held) is ListPlace else []
    item = all_joined(found) if found and None not in found else None
    return None if item is None else ListPlace(after, item, items, first)


def resized(world: ShadowedWorld, write: Write, before: Any) -> Place | None:
    """The place of an array that calls make longer or shorter, along the first axis (`np.append`,
    `np.vstack`).
    """
    after = write.after
    if type(before) is not np.ndarray or type(after) is not ArrayProxy or after.dtype != before.dtype or len(after.shape) != before.ndim:
        return None
    sizes = tuple([size if decided(size == old) is True else None for size, old in zip(after.shape, before.shape, strict=True)])
    if None not in sizes or is_registered(write.owner, write.name) or not _is_alone(world, before, write.path):
        return None
    found = alike(before)
    found.flags.writeable = before.flags.writeable
    return Place(np.ndarray, found, sizes, first=True)


def may_come_first(world: ShadowedWorld, write: Write, before: Any) -> bool:
    """Whether a call may find this where others find state: a constant, or an array that is nowhere
    else, and no buffer that a module has registered.
    """
    if before is NULL or type(before) in ATOMS or isinstance(before, np.generic):
        return True
    return type(before) is np.ndarray and not is_registered(write.owner, write.name) and _is_alone(world, before, write.path)


def _shadow_of(shadows: Shadows, item: Any) -> Any:
    """An item as the program sees it; a row of a dict is not one of its objects."""
    return with_items(item, [_shadow_of(shadows, part) for part in item]) if is_tuple(item) else shadows.shadow_of(item)


def _is_alone(world: ShadowedWorld, value: Any, path: str) -> bool:
    """Whether nothing else that the program has reached holds a container, or what is in it; or
    has memory of its arrays.
    """
    if isinstance(value, (np.ndarray, *_CHANGEABLE)) and not world.shadows.only_name(value, path):
        return False
    if type(value) is np.ndarray:
        shadow = world.shadows.shadow_of(value)
        outside = shadow.storage.outside if type(shadow) is ArrayProxy else None
        return outside is not None and outside.array is value and len(outside.paths) == 1 and not world.recorder.overlaps.of(outside)
    return not isinstance(value, (*_CHANGEABLE, tuple)) or all(_is_alone(world, item, path + key) for key, item in contents_of(value))


def sizes_within(values: Any) -> frozenset[str]:
    """The sizes of inputs in the shapes of arrays in a list, or in tuples in it."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, tuple):
            found |= sizes_within(tuple.__iter__(value))
        elif type(value) is ArrayProxy:
            found |= inputs_in(value.shape)
    return frozenset(found)
