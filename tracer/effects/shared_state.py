"""Several names of the exported object for one array: the program must leave them so.

The state of a program has one place for each array. Names of several arrays may become names of
one (``self.previous = self.current``) if no call can tell: the program writes into none of them,
and does not ask whether they are identical. Names of one array become names of several
(``self.best = self.current = np.zeros(3)``) where nobody else can tell either (`require_untold`):
these are several arrays from the beginning.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.graph import Node
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.core.aliased_writes import all_of
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.result_identity import may_be_one
from npexport.tracer.arrays.memory.input_aliasing import Overlaps, same_place
from npexport.tracer.arrays.memory.model import Kind, mirror
from npexport.tracer.effects.checkpoints import Mutation
from npexport.tracer.effects.copiers import contents_of, places_of
from npexport.tracer.effects.difference import Write
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state import belongs_to_root, is_registered, shown
from npexport.tracer.effects.world import ShadowedWorld


class Tied(Unsupported):
    """One array's names become several arrays'."""


def require_same_ties(shadows: Shadows, overlaps: Overlaps, unties: bool) -> None:
    """Raises ``Unsupported`` (E112) if one array's names become several arrays', unless the run
    ``unties`` these, or vice versa.
    """
    before: dict[int, tuple[str, ArrayProxy]] = {}  # by the array before
    after: dict[int, list[tuple[str, Any, ArrayProxy]]] = {}  # by the memory after
    for entry in shadows.entries:
        if not belongs_to_root(entry.origin):
            continue
        for path, old, new in _arrays(entry):
            name, first = before.setdefault(id(old), (path, new))
            if not unties and first is not new and not _same(first, new):
                raise changed(name, path, "one array before the call, and two after it", Tied)
            for name, array, other in after.setdefault(id(new.storage), []):
                if not same_place(array, old) and share(other, new):
                    found = [shadows.shadow_of(array), shadows.shadow_of(old)]
                    places = [shadow.storage.outside for shadow in found if type(shadow) is ArrayProxy]  # one of objects has a fence
                    if frozenset(places) in overlaps.compared or any(place and place.mutated for place in (*places, new.storage.outside)):
                        raise changed(name, path, "two arrays before the call, and one after it")
            after[id(new.storage)].append((path, old, new))


def require_still_apart(recorder: Recording, mutations: list[Mutation]) -> None:
    """Raises ``Unsupported`` (E112) if two arrays that the program compares (``is``,
    ``np.shares_memory``) were apart before the call, and may be one array after it.
    """
    after = {m.placeholder: m.value.storage for m in mutations if m.rebinds and m.placeholder is not None and type(m.value) is ArrayProxy}
    for pair in recorder.overlaps.compared:
        memories = [after.get(each, each.storage) for each in pair if each.kind is not Kind.INPUT]
        families = [{storage, *recorder.may_alias.of(storage)} for storage in memories]
        if len(families) == 2 and not families[0].isdisjoint(families[1]):
            one, other = sorted([each.path for each in pair])
            raise changed(one, other, "two arrays before the call, and may be one after it")


def require_apart_where_written(recorder: Recording, mutations: list[Mutation]) -> None:
    """Raises ``Unsupported`` (E112) if two places of the state, into one of which the program
    writes, get one array, or may as the data decide.
    """
    left = {m.placeholder: m.value for m in mutations if m.rebinds and m.placeholder is not None and type(m.value) is ArrayProxy}
    others = {m.placeholder for m in mutations if m.rebinds}
    for value in list(left.values()):
        outsides = [memory.outside for memory in (value.storage, *recorder.may_alias.of(value.storage)) if memory.outside is not None]
        left |= {each: all_of(each.storage) for each in outsides if each.kind is Kind.STATE and each not in others}
    for (first, one), (second, other) in itertools.combinations(left.items(), 2):
        if (first.mutated or second.mutated) and (how := become_one(recorder, one, other)):
            earlier, later = sorted([first.path, second.path])
            raise changed(earlier, later, f"two arrays before the call, and {how} after it")


def become_one(recorder: Recording, one: ArrayProxy, other: ArrayProxy) -> str | None:
    """How two arrays share memory, if they may."""
    if one.storage is other.storage:
        return "one" if share(one, other) else None
    return (
        "may be one" if other.storage in recorder.may_alias.of(one.storage) and may_be_one(recorder, one.storage, other.storage) else None
    )


def _same(first: ArrayProxy, second: ArrayProxy) -> bool:
    """Whether these are the same elements in the same order."""
    if first.storage is not second.storage or (_dynamic(first, second) and first.link is not second.link):
        return False
    return same_place(mirror(first.storage, first.link), mirror(second.storage, second.link))


def share(first: ArrayProxy, second: ArrayProxy) -> bool:
    """Whether two views of one memory have elements in common, for all layouts of the memory."""
    return _dynamic(first, second) or bool(np.shares_memory(mirror(first.storage, first.link), mirror(second.storage, second.link)))


def _dynamic(*views: ArrayProxy) -> bool:
    """Whether a size decides which elements the views have."""
    steps = [step for view in views if view.link is not None for step in view.link.chain()]
    return any(type(leaf) in (SymInt, Node) for step in steps for leaf in leaves_of((step.args, step.kwargs)))


def _arrays(entry: Entry) -> Iterator[tuple[str, Any, ArrayProxy]]:
    """Path, array before and array after, of every place in an object that holds one both times."""
    yield from _pairs(entry.origin, dict(places_of(entry.original)), dict(places_of(entry.shadow)))


def _pairs(origin: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, ArrayProxy]]:
    for step, value in old.items():
        path, now = origin + step, new.get(step)
        if type(value) is np.ndarray and type(now) is ArrayProxy:
            yield path, value, now
        elif issubclass(type(value), tuple) and type(now) is type(value):  # no entry of its own
            yield from _pairs(path, dict(contents_of(value)), dict(contents_of(now)))


def has_other_names(shadows: Shadows, value: Any, path: str) -> bool:
    """Whether the program has reached an array by other paths than this one."""
    return type(value) is np.ndarray and not shadows.only_name(value, path)


def may_be_untied(world: ShadowedWorld, write: Write) -> bool:
    """Whether one of several names of an array of the state gets another array of its kind: it may
    have had an array of its own, if nobody can tell (`require_untold`).
    """
    before, after = world.shadows.shadow_of(write.before), write.after
    if not has_other_names(world.shadows, write.before, write.path) or not belongs_to_root(write.path):
        return False
    if type(before) is not ArrayProxy or type(after) is not ArrayProxy or is_registered(write.owner, write.name):
        return False
    outside = before.storage.outside
    if outside is None or outside.kind is not Kind.STATE or world.recorder.overlaps.of(outside):
        return False
    return after.dtype == before.dtype and all(type(size) is int for size in after.shape) and after.shape == before.shape


def require_untold(shadows: Shadows, recorder: Recording, shown: list[Any], kept: list[tuple[Any, ArrayProxy]]) -> None:
    """Raises ``Unsupported`` (E112) where somebody could tell that arrays of the state were one
    array: the program writes into one, or compares two; or what is ``shown`` may be one of them,
    and something else that is shown or stays another, so that a caller who writes into the one
    changes the other. ``kept``: what replaces arrays of the state.
    """
    seen = {value.storage for value in shown if type(value) is ArrayProxy}
    left = dict(kept)
    for tied in shadows.settled.ties:
        arrays = [shadows.shadow_of(array) for array in tied]
        members = {array.storage.outside: array for array in arrays if type(array) is ArrayProxy}
        mine = {place.storage for place in members}
        reached = {*seen, *[left.get(place, array).storage for place, array in members.items()]}
        may_be = {storage: found for storage in reached if (found := mine & {storage, *recorder.may_alias.of(storage)})}
        told = any(pair <= members.keys() for pair in recorder.overlaps.compared) or any(place.mutated for place in members)
        if told or (seen & may_be.keys() and len(may_be) > 1 and len(set().union(*may_be.values())) > 1):
            first, second = sorted([place.path for place in members])[:2]
            raise changed(first, second, "one array before the call, and two after it")


def changed(first: str, second: str, how: str, kind: type[Unsupported] = Unsupported) -> Unsupported:
    """The error about two names of the state."""
    hint = "Assign copies (self.a = self.b.copy()), and write to arrays with two names in place (self.a[...] = value)."
    return kind("E112", f"`{shown(first)}` and `{shown(second)}` are {how}", hint=hint)
