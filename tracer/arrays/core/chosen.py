"""Results that are an earlier array if the data say so.

A result of a branch or a loop that shares memory with what outlives the program only on one side is
that very array there (``Recorder.choices``), if the program returns both or the caller holds that
one; anything else is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence, Set
from typing import Any

from npexport.ir.arguments import leaves_of
from npexport.ir.graph import Node
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.model import Kind, Storage
from npexport.tracer.arrays.memory.torn import Torn

_LASTING = (Kind.INPUT, Kind.STATE)


def note_chosen(recorder: Any, values: list[Any]) -> None:
    """Note the memories by which results are one array or another, as the data say."""
    for storage, other in _together(recorder, values):
        recorder.given.update(_chosen(recorder, storage, other))


def require_apart(recorder: Any, values: list[Any], made: Set[Storage]) -> None:
    """Check that a result that is another array only on one side of a branch does not leave the
    program together with that one. ``made``: the memories that are results already. Raises E103.
    """
    for storage, other in _together(recorder, values):
        chosen = _chosen(recorder, storage, other)
        if not chosen or not made.isdisjoint(chosen - {*recorder.given}):
            name = other.outside.path if other.outside is not None else "another result"
            what = f"a result lies in the memory of {name} on one side of a branch on data, and not on the other"
            raise Unsupported("E103", what, hint=_COPY_THERE, user_stack=recorder.torn_at.get(storage, ()))
        recorder.given.update(chosen)


def handed_on(recorder: Any, results: list[Any], kept: list[tuple[Any, ArrayProxy]]) -> list[ArrayProxy]:
    """The arrays of ``kept`` whose memory somebody else may have: results, other state.

    ``kept``: the state that an array replaces, and the array. If that is the state's own array on
    one side of a branch, and nobody else ever has either, nobody can see which it is.
    """
    held = [value.storage for value in (*results, *[array for _, array in kept]) if type(value) is ArrayProxy]

    def is_alone(outside: Any, array: ArrayProxy) -> bool:
        others = [storage for storage in held if storage is not array.storage]
        near = {*others, *[each for storage in others for each in recorder.torn.of(storage)]}
        mine = {outside.storage, array.storage, *recorder.torn.of(array.storage)}
        if len(others) < len(held) - 1 or outside.mutated or len(outside.paths) > 1 or recorder.overlaps.of(outside):
            return False
        return near.isdisjoint(mine) and all(each.outside in (None, outside) for each in mine)

    return [array for outside, array in kept if not is_alone(outside, array)]


def _together(recorder: Any, values: list[Any]) -> Iterator[tuple[Storage, Storage]]:
    """The memories of results, each with one that outlives the program and may be the same."""
    storages = {value.storage for value in values if type(value) is ArrayProxy}
    for storage in storages if recorder.torn else ():
        for other in recorder.torn.of(storage):
            if other.outside is not None or other in storages:
                yield storage, other


def _chosen(recorder: Any, storage: Storage, other: Storage) -> set[Storage]:
    """The memories by which the program returns one array as the other; empty if it cannot."""
    for one, another in ((storage, other), (other, storage)):
        memories = chosen_of(recorder, one)
        if another in memories and not any(memory.mutated for memory in memories):
            return {one, *memories}
    return set()


class Side:
    """The array that a result is on one side. It is held weakly, unless it lasts beyond the
    program: once nobody else holds its memory, no other array can show what is written later.
    """

    __slots__ = ("_array", "_form", "_kept", "_storage")

    def __init__(self, recorder: Any, array: ArrayProxy) -> None:
        storage = array.storage
        lasts = any(memory.outside is not None for memory in (storage, *chosen_of(recorder, storage)))
        self._kept = array if lasts else None
        self._array, self._storage = weakref.ref(array), weakref.ref(storage)
        self._form = array.link, array.meta, array.writeable

    def array(self) -> ArrayProxy | None:
        """The array, if anybody holds its memory."""
        found, storage = self._array(), self._storage()
        if found is not None or storage is None:
            return found
        link, meta, writeable = self._form
        return ArrayProxy(storage, link, meta, None, writeable)


def chosen_of(recorder: Any, storage: Storage) -> set[Storage]:
    """The earlier memories that an array may be in, as the data say."""
    arrays = [side.array() for side in recorder.choices.get(storage, ())[1:] if side is not None]
    sides = {array.storage for array in arrays if array is not None}
    return sides.union(*[chosen_of(recorder, side) for side in sides])


def choice_of(values: Sequence[Any], regions: Sequence[LoggingRegion], torn: Torn) -> list[Side | None] | None:
    """By side, the earlier array that the result is; ``None`` for one that the side makes.

    No list at all if that cannot be told, or both sides make one. ``torn``: what shares memory.
    """
    sides: list[Side | None] = []
    for value, region in zip(values, regions, strict=True):
        if value is None or all(map(region.owns, (value.storage, *torn.of(value.storage)))):
            sides.append(None)
        elif not region.owns(value.storage) and may_be_given(value) and _is_known(value.storage, regions, torn):
            sides.append(Side(region.recorder, value))
        else:
            return None
    return sides if any(side is not None for side in sides) else None


def _is_known(storage: Storage, regions: Sequence[LoggingRegion], torn: Torn) -> bool:
    """Whether the data tell when earlier memory is that of another array, for all memory that it
    may have shared then; memory that a side has made does not exist on the other one.
    """
    recorder = regions[0].recorder
    chosen = chosen_of(recorder, storage)
    return all(
        any(region.owns(other) for region in regions) or other in chosen or storage in chosen_of(recorder, other)
        for other in torn.of(storage)
    )


def may_be_given(array: ArrayProxy) -> bool:
    """Whether a program may return the array itself if the data say so: it is one that the caller
    passes, or state, or the program's own, or a view of one that does not depend on data.
    """
    outside, steps = array.storage.outside, array.link.chain() if array.link is not None else ()
    if outside is not None and outside.kind not in _LASTING:
        return False
    return not any(type(leaf) is Node for step in steps for leaf in leaves_of((step.args, step.kwargs)))


_COPY_THERE = "Copy the array on that side, `return x.copy()`, or choose with np.where(condition, a, b), which gives a new array."
