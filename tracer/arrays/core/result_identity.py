"""Results that are an earlier array, depending on the data.

A result of a branch or a loop that shares memory with what outlives the program only on one side is
that very array there (``Recorder.choices``), if the program returns both or the caller holds that
one; anything else is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.rebuilt_views import at_places_that_are, is_by_places, is_of_data, nodes_in, places_of, view_after_branch
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.may_alias import AliasDependsOnData, MayAlias
from npexport.tracer.arrays.memory.model import Kind, Storage, data_of

_LASTING = (Kind.INPUT, Kind.STATE)


def note_identities(recorder: Recording, values: list[Any]) -> None:
    """Note the memories by which results are one array or another, as the data say."""
    for storage, other in _together(recorder, values):
        recorder.given.update(_shared(recorder, storage, other))


def require_apart(recorder: Recording, values: list[Any], made: Set[Storage]) -> None:
    """Check that a result that is another array only on one side of a branch does not leave the
    program together with that one. ``made``: the memories that are results already. Raises E103.
    """
    for storage, other in _together(recorder, values):
        chosen = _shared(recorder, storage, other)
        late = {memory for memory in chosen - {*recorder.given} if memory in recorder.choices}
        if not chosen or not made.isdisjoint(late):
            name = other.outside.path if other.outside is not None else "another result"
            if recorder.listed is not None and recorder.listed in recorder.may_alias.of(storage):
                what, hint = f"a result is an item of a list, as data decide, and may be in the memory of {name}", _COPY_ITEM
            else:
                what, hint = f"a result is in the memory of {name} on one side of a branch on data, and not on the other", _COPY_THERE
            raise AliasDependsOnData("E103", what, hint=hint, user_stack=recorder.may_alias_at.get(storage, ()))
        recorder.given.update(chosen)


def require_unlisted(recorder: Recording, values: list[Any]) -> None:
    """Check that no array leaves the program both by itself and within a list that a loop fills,
    whose items are made when the program is left. Raises E103.
    """
    for storage in {value.storage for value in values if type(value) is ArrayProxy} if recorder.lists.returned else ():
        if recorder.listed in recorder.may_alias.of(storage):
            what = "a result may be an item of a list that is returned, too"
            raise Unsupported("E103", what, hint=_COPY_ITEM, user_stack=recorder.may_alias_at.get(storage, ()))


def reachable_elsewhere(recorder: Recording, results: list[Any], kept: list[tuple[Any, ArrayProxy]]) -> list[ArrayProxy]:
    """The arrays of ``kept`` whose memory can also be reached through results or other state.

    ``kept``: pairs of a state that an array replaces, and that array. If the array is the state's
    own array on one side of a branch, and nothing else can reach either, nobody can see which of
    the two it is.
    """
    held = [value.storage for value in (*results, *[array for _, array in kept]) if type(value) is ArrayProxy]

    def is_alone(outside: Any, array: ArrayProxy) -> bool:
        others = [storage for storage in held if storage is not array.storage]
        near = {*others, *[each for storage in others for each in recorder.may_alias.of(storage)]}
        mine = {outside.storage, array.storage, *recorder.may_alias.of(array.storage)}
        if len(others) < len(held) - 1 or outside.mutated or len(outside.paths) > 1 or recorder.overlaps.of(outside):
            return False
        return near.isdisjoint(mine) and all(each.outside in (None, outside) for each in mine)

    return [array for outside, array in kept if not is_alone(outside, array)]


def _together(recorder: Recording, values: list[Any]) -> Iterator[tuple[Storage, Storage]]:
    """The memories of results, each with one that outlives the program and may be the same."""
    storages = {value.storage for value in values if type(value) is ArrayProxy}
    for storage in storages if recorder.may_alias else ():
        for other in recorder.may_alias.of(storage):
            if other.outside is not None or other in storages:
                yield storage, other


def _shared(recorder: Recording, storage: Storage, other: Storage) -> set[Storage]:
    """The memories by which the program returns one array as the other; empty if it cannot, as
    where both may be memory that nobody holds any more.
    """
    if not _gone(recorder, storage, other).isdisjoint(_gone(recorder, other, storage)):
        return set()
    for one, another in ((storage, other), (other, storage)):
        memories = earlier_memories_of(recorder, one)
        if another in memories:
            return {one, *memories}
    mine, theirs = earlier_memories_of(recorder, storage), earlier_memories_of(recorder, other)
    return {storage, other, *mine, *theirs} if are_told(recorder, storage, other) else set()


def _gone(recorder: Recording, storage: Storage, other: Storage) -> set[Any]:
    """What stands for the memories that an array may be, without being ``other``, and that nobody
    holds any more.
    """

    def of(ways: Ways) -> Iterator[Any]:
        for _, side in ways:
            array = None if side is None else side.array()
            if array is not None and array.storage is not other:
                yield from of(recorder.choices.get(array.storage, ()))
            elif array is None and side is not None:
                yield side.memory
                yield from of(side.ways or ())

    return {*of(recorder.choices.get(storage, ()))}


def are_told(recorder: Recording, one: Storage, other: Storage) -> bool:
    """Whether truths tell when two memories are one as the data decide. They do if both are one
    earlier memory then.
    """
    mine, theirs = {one, *earlier_memories_of(recorder, one)}, {other, *earlier_memories_of(recorder, other)}
    return not mine.isdisjoint(theirs) and (one in theirs or other in mine or recorder.mingled.isdisjoint((one, other)))


def may_be_one(recorder: Recording, one: Storage, other: Storage) -> bool:
    """Whether two memories may be one: they are not if the same truths choose for each of them
    another earlier memory.
    """
    mine, theirs = [[*known_ways(recorder.choices.get(each, ()))] for each in (one, other)]
    if not mine or [truth for truth, _ in mine] != [truth for truth, _ in theirs]:
        return True
    pairs = zip([array for _, array in mine], [array for _, array in theirs], strict=True)
    return any(a is None or b is None or a.storage is b.storage or a.storage in recorder.may_alias.of(b.storage) for a, b in pairs)


class Side:
    """The array that a result is on one side. It is held weakly, unless it lasts beyond the
    program: once nobody else holds its memory, no other array can show what is written later,
    except for earlier ones that it may be (``ways``). ``keeps``: nobody writes to it.
    """

    __slots__ = ("_array", "_form", "_kept", "_storage", "ways")

    def __init__(self, recorder: Recording, array: ArrayProxy, keeps: bool = False) -> None:
        storage = array.storage
        lasts = any(memory.outside is not None for memory in (storage, *earlier_memories_of(recorder, storage)))
        told = recorder.choices.get(storage) or (recorder.aliases[storage].ways if storage in recorder.aliases else None)
        self.ways: Ways | None = told if array.link is None else None
        self._kept = array if lasts or keeps or (told is not None and self.ways is None) else None
        self._array, self._storage = weakref.ref(array), weakref.ref(storage)
        self._form = array.link, array.meta, array.writeable

    @property
    def lasts(self) -> bool:
        """Whether the array is held here."""
        return self._kept is not None

    @property
    def gone(self) -> Any:
        """What stands for the array if nobody holds it any more, the same on every side; ``None``
        if it is a view, which branches make anew.
        """
        return self._array if self._form[0] is None else None

    @property
    def memory(self) -> Any:
        """What stands for the array's memory, the same on every side."""
        return self._storage

    def held(self) -> ArrayProxy | None:
        """The array, if anybody holds it."""
        return self._array()

    def array(self) -> ArrayProxy | None:
        """The array, if anybody holds its memory."""
        found, storage = self._array(), self._storage()
        if found is not None or storage is None:
            return found
        link, meta, writeable = self._form
        return ArrayProxy(storage, link, meta, data_of(storage, link), writeable)


Ways = tuple[tuple[Any, Side | None], ...]
"""What an array is, as truths say: the first of these whose truth holds. ``None`` is memory of its
own; the last truth is ``True``.
"""
OWN: Ways = ((True, None),)


def known_ways(ways: Ways) -> Iterator[tuple[Any, ArrayProxy | None]]:
    """The arrays that somebody holds, and ``None`` for others, each with its truth: the first
    whose truth holds is meant. In place of one that nobody holds stands what it may be.
    """
    for truth, side in ways:
        array = None if side is None else side.array()
        if array is None and side is not None and side.ways is not None:
            yield from ((truth & more, each) for more, each in known_ways(side.ways))
        else:
            yield truth, array


def earlier_memories_of(recorder: Recording, storage: Storage) -> set[Storage]:
    """The earlier memories that an array may be in, as the data say."""
    sides = {array.storage for _, array in known_ways(recorder.choices.get(storage, ())) if array is not None}
    return sides.union(*[earlier_memories_of(recorder, side) for side in sides])


def may_be(recorder: Recording, storage: Storage) -> set[Storage]:
    """The earlier memories that the program returns an array in, as the data say."""
    return earlier_memories_of(recorder, storage) if storage in recorder.given else set()


def identity_node(recorder: Recording, storage: Storage, own: Node, node: Callable[[ArrayProxy], Node]) -> Node:
    """The node of a memory that may be an earlier one: ``own`` if it is none, ``node`` of the
    array that it is.
    """
    ways = list(known_ways(recorder.choices[storage]))
    _require_there(ways)
    ways = [(truth, None if array is None else at_places_that_are(recorder, array)) for truth, array in ways]
    found, *others = [own if array is None else node(array) for _, array in reversed(ways)]
    for (truth, _), one in zip(reversed(ways[:-1]), others, strict=True):
        found = recorder.node(ops.control.chosen, (truth, one, found))
    return found


def place_there(recorder: Recording, array: ArrayProxy) -> ArrayProxy:
    """A view that a loop may not have found, by places that are there."""
    if array.link is None or not array.link.untold:
        return array
    _require_there([(False, array), (True, None)])
    return at_places_that_are(recorder, array)


def _require_there(ways: list[tuple[Any, ArrayProxy | None]]) -> None:
    """A view that a side makes is made again behind the branch, also if that side is not taken: the
    places where it looks are there on every side, or sizes are required for which they are.
    """
    conditions = [{} if array is None else _places(array) for _, array in ways]
    for found in conditions:
        for expression, condition in found.items():
            if not all(expression in others for others in conditions) and not bool(condition):
                what = "a result is a view on one side of a branch on data, at a place that the array may not have"
                raise AliasDependsOnData("E103", what, hint=_COPY_THERE)


def _places(array: ArrayProxy) -> dict[Any, SymBool]:
    """What sizes have to be for the places of a view in its array, by expression."""
    found: list[Any] = []
    for item, size in places_of(array):
        place = item.meta["val"] if isinstance(item, Node) else item
        found += [size > 0] if is_of_data(item) else [place < size, place >= -size]
    return {each.expression: each for each in found if isinstance(each, SymBool) and known(each) is not True}


def choice_of(values: Sequence[Any], regions: Sequence[LoggingRegion], may_alias: MayAlias) -> list[Ways] | None:
    """By side, what the result is (`Ways`) of what was there before the branch; ``None`` in it
    stands for memory that the side makes.

    No list at all if that cannot be told, or both sides make it. ``may_alias``: what shares memory.
    """
    sides: list[Ways] = []
    for value, region in zip(values, regions, strict=True):
        if value is None or (region.owns(value.storage) and is_made_in(region, value.storage, may_alias)):
            sides.append(OWN)
            continue
        ways = _ways_in(region, value) if _is_known(value.storage, regions, may_alias) else None
        if ways is None:
            return None
        sides.append(ways)
    return sides if any(ways is not OWN for ways in sides) else None


def is_made_in(region: LoggingRegion, storage: Storage, may_alias: MayAlias) -> bool:
    """Whether a side has made all that shares this memory, in which lists may hold an array."""
    return all(region.owns(other) or other is region.recorder.listed for other in may_alias.of(storage))


def _ways_in(region: LoggingRegion, array: ArrayProxy) -> Ways | None:
    """What an array of a side is of what was there before it; ``None`` if that cannot be told."""
    recorder, storage = region.recorder, array.storage
    if not region.owns(storage):
        given = _given_behind(region, array)
        return None if given is None else ((True, Side(recorder, given)),)
    if is_made_in(region, storage, recorder.may_alias):
        return OWN
    if array.link is not None or storage not in recorder.choices:
        return None
    found: list[tuple[Any, Side | None]] = []
    for truth, earlier in known_ways(recorder.choices[storage]):
        ways = OWN if earlier is None else _ways_in(region, earlier)
        if ways is None:
            return None
        found += [(truth & more, each) for more, each in ways]
    return tuple(found) if any(each is not None for _, each in found) else OWN


def joined_ways(truth: Any, one: Ways, other: Ways) -> Ways:
    """What a result is that is one thing on each side; the truths are known behind the branch."""
    *before, (_, last) = one
    return (*before, (truth, last), *other)


def _is_known(storage: Storage, regions: Sequence[LoggingRegion], may_alias: MayAlias) -> bool:
    """Whether the data tell when earlier memory is that of another array, for all memory that it
    may have shared then; memory that a side has made does not exist on the other one.
    """
    recorder = regions[0].recorder
    told = {recorder.listed, recorder.taken} if storage in recorder.choices else {recorder.listed}
    others = [other for other in may_alias.of(storage) if other not in told]
    return all(any(region.owns(other) for region in regions) or are_told(recorder, storage, other) for other in others)


def _given_behind(region: LoggingRegion, array: ArrayProxy) -> ArrayProxy | None:
    """An array of before a side, or a view of one at places that are known behind it, if the
    program may return it.
    """
    if not _may_be_held(array) or not (nodes_in(array) == [] or is_by_places(array)):
        return None
    return view_after_branch(region, array)


def may_be_given(array: ArrayProxy) -> bool:
    """Whether a program may return the array itself, depending on the data: it is one that the
    caller passes, or state, or the program's own, or a view of one that does not depend on data.
    """
    return _may_be_held(array) and not nodes_in(array)


def _may_be_held(array: ArrayProxy) -> bool:
    outside = array.storage.outside
    return outside is None or outside.kind in _LASTING


_COPY_THERE = "Copy the array on that side, `return x.copy()`, or choose with np.where(condition, a, b), which gives a new array."
_COPY_ITEM = "Return a copy of the item, `return items[-1].copy()`, or put copies into the list: `items.append(x.copy())`."
