"""Keys that a dict has after one side of a branch only: from then on, it may lack them
(`npexport.tracer.interpreter.partial_dicts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from npexport.tracer.effects.copiers import state_of
from npexport.tracer.effects.parts import KINDS, Part, same_keys
from npexport.tracer.effects.snapshots import Snapshot
from npexport.tracer.effects.state import may_change
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import partial_dicts
from npexport.tracer.interpreter.frame import NULL

Parts = tuple[Part, ...]


def with_all_keys(world: ShadowedWorld, before: Snapshot, owner: Any, one: Parts, other: Parts) -> tuple[Parts, Parts]:
    """The parts of a dict from before the branch, with all keys that it has after either side, in
    the order that they have after both; as they are if that is not one order.
    """
    found = [_together(mine, theirs) for mine, theirs in zip(one, other, strict=False)]
    if not any(found) or not may_change(world.shadows, owner) or not partial_dicts.may_lack(owner):
        return one, other
    if any(state_of(value) is owner for value, _ in before.objects()):
        return one, other
    partial_dicts.note(owner)
    given = [(pair or given) for pair, given in zip(found, zip(one, other, strict=True), strict=True)]
    return tuple([mine for mine, _ in given]), tuple([theirs for _, theirs in given])


def put(world: ShadowedWorld, owner: Any, part: Part, values: list[Any]) -> None:
    """Put values into a part of an object from before the branch; a dict that may lack keys has
    none of those that it lacks after either side.
    """
    store = KINDS[part.kind]
    if store is None:
        return
    part = part._replace(values=tuple(values))
    if part.kind == "dict" and any(value is NULL for value in values) and world.partial_dicts.get(id(owner)) is owner:
        part = _filled([key for key, value in zip(part.keys, values, strict=True) if value is not NULL], part)
    store(owner, part)


def _together(one: Part, other: Part) -> tuple[Part, Part] | None:
    """The parts of two dicts with the keys of both; ``None`` if they are alike, or have no order in
    common.
    """
    if not (one.kind == other.kind == "dict") or same_keys(one.keys, other.keys):
        return None
    mine, theirs = list(one.keys), list(other.keys)
    if not all(type(key) in (str, int) for key in (*mine, *theirs)):
        return None
    found = _in_one_order(mine, theirs)
    return None if found is None else (_filled(found, one), _filled(found, other))


def _in_one_order(one: list[Any], other: list[Any]) -> list[Any] | None:
    """All keys, in an order that both have."""
    found = list(one)
    place = 0
    for key in other:
        if key in one:
            at = found.index(key)
            if at < place or type(found[at]) is not type(key):
                return None
            place = at + 1
        else:
            found.insert(place, key)
            place += 1
    return found


def _filled(keys: Iterable[Any], part: Part) -> Part:
    held = dict(zip(part.keys, part.values, strict=True))
    return part._replace(keys=dict.fromkeys(keys), values=tuple([held.get(key, NULL) for key in keys]))
