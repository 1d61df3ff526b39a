"""Lists that a side of a branch on data binds a variable to anew, while the variable held one whose
length only sizes or data know (`cur = []` beside `cur.append(v)`): the earlier list gets the items
of the new one.

Law: as for containers that are bound anew (`npexport.tracer.control.rebound`), this happens only if
nothing else holds either of them, before the side and after it. A list of a store has a number,
which tells it from others; what takes its place becomes another one of the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_dict import FilledDict
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import InnerList
from npexport.tracer.arrays.core.item_structures import Like, holds_arrays
from npexport.tracer.control.endings import Holding
from npexport.tracer.control.rebound import HOLDING, Rebound, is_hidden, rebound_on_side, referrers
from npexport.tracer.control.refusals import Grows
from npexport.tracer.effects.parts import KINDS, Part, parts_of
from npexport.tracer.effects.settled import FILLED
from npexport.tracer.effects.snapshots import Change, Snapshot, snapshot
from npexport.tracer.effects.state import may_be_state
from npexport.tracer.effects.world import ShadowedWorld


class Place(NamedTuple):
    """A place that held one list before a side, and holds another after it."""

    owner: Any
    position: int
    place: int
    old: Any
    new: Any


def renew(iteration: Holding, before: Snapshot, changes: dict[int, Change]) -> bool:
    """Let the stand-ins of earlier lists take over the items of those that places are bound to at
    the end of a side; returns whether there are any. Raises `Grows` if one has no room for them.
    """
    places = [each for each in _places(changes) if not before.knows(each.new) and _may_renew(each.old, each.new)]
    inner = [each for each in places if type(each.old) is InnerList]
    for each in inner:
        _put(each, recorder().session.world.into(each.old.store, each.new))
    alone = _alone(iteration, before, [each for each in places if type(each.old) in FILLED])
    for each in alone:
        each.old.replace(each.new)
        _put(each, each.old)
    return bool(inner or alone)


def renewable(iteration: Holding, before: Snapshot, changes: dict[int, Change]) -> list[Place]:
    """The places of lists that would be renewed if the earlier list had a stand-in."""
    found = [each for each in _places(changes) if type(each.old) is list and type(each.new) in (list, FilledList)]
    return _alone(iteration, before, [each for each in found if not before.knows(each.new) and _differs(each.old, each.new)])


def bound_anew(iteration: Holding, before: Snapshot, changes: dict[int, Change]) -> tuple[list[Rebound], list[Place]]:
    """The places that a side has bound to other containers: of the same size, and of others."""
    return rebound_on_side(iteration, before, changes), renewable(iteration, before, changes)


def of_state(world: ShadowedWorld, owner: Any, places: list[Place]) -> list[Place]:
    """Those of an owner that held lists of the exported object, which are no constants."""
    return [each for each in places if each.owner is owner and may_be_state(world.shadows, each.old)]


def require_stand_ins(places: list[Place]) -> None:
    """Raises `Grows` if one of these lists has no stand-in."""
    for _, _, _, old, new in places:
        if type(new) is FilledList:
            raise Grows("a list", old, old[0] if old else Like(new.item))
        if old or new:
            raise Grows("a list", old, (old or new)[0], len(new))


def _places(changes: dict[int, Change]) -> Iterator[Place]:
    for change in changes.values():
        for position, (was, now) in enumerate(zip(change.before, change.after, strict=False)):
            if was.kind not in HOLDING:
                continue
            ends_alike = len(was.values) == len(now.values)
            if not ends_alike and was.kind != "frame":
                continue
            count = len(was.values) if ends_alike else len(was.keys)  # but for the operands on the stack
            for place, (old, new) in enumerate(zip(was.values[:count], now.values[:count], strict=True)):
                if old is not new:
                    yield Place(change.owner, position, place, old, new)


def _differs(old: list[Any], new: Any) -> bool:
    """Whether lists have different lengths, as far as they are known, and no other holds the new
    one.
    """
    return _is_loose(new) if type(new) is FilledList else len(old) != len(new)


def _is_loose(grown: FilledList) -> bool:
    """Whether no other list holds this one, by value."""
    return grown.kind is list and not grown.frozen and grown.within is None


def _may_renew(old: Any, new: Any) -> bool:
    """Whether the stand-in of a list can take over the items of another list."""
    if type(old) is InnerList:
        return old.store.takes(new)
    if type(old) is FilledDict:
        return old.is_like(new)
    if type(old) is not FilledList or not _is_loose(old):
        return False
    if type(new) is FilledList:  # whose items would be those of two lists for a moment: which of them are one is told by their lists
        return _is_loose(new) and not holds_arrays(new.item)
    return type(new) is list


def _alone(iteration: Holding, before: Snapshot, places: list[Place]) -> list[Place]:
    """The places of lists that nothing else holds."""
    if not places:
        return []
    earlier: Counter[int] = referrers(iteration, before.objects())
    with snapshot(iteration.world, iteration.vm) as now:
        later = referrers(iteration, now.objects())
    return [
        each
        for each in places
        if (earlier[id(each.old)], later[id(each.old)], later[id(each.new)]) == (1, 0, 1) and not is_hidden(each.old, each.new)
    ]


def _put(each: Place, value: Any) -> None:
    part: Part = parts_of(each.owner)[each.position]
    values = list(part.values)
    values[each.place] = value
    put = KINDS[part.kind]
    assert put is not None
    put(each.owner, part._replace(values=tuple(values)))
