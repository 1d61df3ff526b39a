"""Attributes that an object has after one side of a branch only, or after some iterations of a
loop: from then on, it may lack them (`npexport.tracer.interpreter.partial_objects`).
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.control.absent_keys import with_all_keys
from npexport.tracer.control.one_sided import JOINED
from npexport.tracer.effects.copiers import copier_of
from npexport.tracer.effects.parts import Part, named_attributes, same_keys
from npexport.tracer.effects.snapshots import Change, Snapshot
from npexport.tracer.effects.state import may_change
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import partial_objects
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.program import running

Parts = tuple[Part, ...]


def with_gaps(world: ShadowedWorld, before: Snapshot, owner: Any, one: Parts, other: Parts) -> tuple[Parts, Parts]:
    """The parts of an object from before the branch, with all attributes that it has after either
    side; it may lack some from now on.
    """
    one, other = with_all_keys(world, before, owner, one, other)
    pairs = [(mine, theirs) for mine, theirs in zip(one, other, strict=False) if _is_uneven(mine, theirs)]
    if not pairs or not may_lack(world, owner):
        return one, other
    earlier = [part for part in before.parts(owner) if part.kind == "attributes"]
    names = [name.lstrip(".") for part in (*earlier, *(part for pair in pairs for part in pair)) for name in part.keys]
    known = partial_objects.note(running.vm, owner, names)
    one, other = [tuple([_named(known, part) for part in parts]) for parts in (one, other)]
    return one, other


def with_new_attributes(world: ShadowedWorld, change: Change) -> tuple[Parts, Parts]:
    """The parts of an object before an iteration and after it; it may lack the attributes that only
    some iterations set. Those from before keep their places.
    """
    before, after = change.before, change.after
    for old, new in zip(before, after, strict=True):
        if _is_uneven(old, new) and may_lack(world, change.owner):
            names = [name.lstrip(".") for part in (old, new) for name in part.keys]
            known = partial_objects.note(running.vm, change.owner, names)
            if old.kind == "slots" or known[: len(old.keys)] == tuple(old.keys):
                before, after = [tuple([_named(known, part) for part in parts]) for parts in (before, after)]
    return before, after


def may_lack(world: ShadowedWorld, owner: Any) -> bool:
    """Whether data may decide which attributes an object has: one that the program has made, or
    whose attributes are state.
    """
    joined = any(copier_of(type(owner)) is row for row in JOINED)
    return joined and may_change(world.shadows, owner) and partial_objects.may_lack(running.vm, owner)


def _is_uneven(one: Part, other: Part) -> bool:
    """Whether an object has other attributes after one side than after the other."""
    if one.kind == other.kind == "slots" and len(one.values) == len(other.values):
        return any((a is NULL) is not (b is NULL) for a, b in zip(one.values, other.values, strict=True))
    return one.kind == other.kind == "attributes" and not same_keys(one.keys, other.keys)


def _named(names: partial_objects.Names, part: Part) -> Part:
    if part.kind != "attributes":
        return part
    return named_attributes(names, dict(zip(part.keys, part.values, strict=True)))
