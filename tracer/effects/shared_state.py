"""Several names of the exported object for one array: the program must leave them so.

The state of a program has one place for each array. If names of one array become names of several,
these have no place of their own. Names of several arrays may become names of one (``self.previous =
self.current``) if no call can tell: the program writes into none of them, and does not ask whether
they are identical.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.graph import Node
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.input_aliasing import Overlaps, same_place
from npexport.tracer.arrays.memory.model import Kind, mirror
from npexport.tracer.effects.checkpoints import Mutation
from npexport.tracer.effects.copiers import contents_of, places_of
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state import belongs_to_root, shown


def require_same_ties(shadows: Shadows, overlaps: Overlaps) -> None:
    """Raises ``Unsupported`` (E112) if one array's names become several arrays', or vice versa."""
    before: dict[int, tuple[str, ArrayProxy]] = {}  # by the array before
    after: dict[int, list[tuple[str, Any, ArrayProxy]]] = {}  # by the memory after
    for entry in shadows.entries:
        if not belongs_to_root(entry.origin):
            continue
        for path, old, new in _arrays(entry):
            name, first = before.setdefault(id(old), (path, new))
            if first is not new and not _same(first, new):
                raise changed(name, path, "one array before the call, and two after it")
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
    writes, get one array.
    """
    left = [(m.placeholder, m.value) for m in mutations if m.rebinds and m.placeholder is not None and type(m.value) is ArrayProxy]
    replaced = {m.placeholder for m in mutations if m.rebinds}
    for number, (place, value) in enumerate(left):
        outside = value.storage.outside
        stays = [(outside, value)] if outside is not None and outside.kind is Kind.STATE and outside not in replaced else []
        for other, array in [*left[:number], *stays]:
            if other is not place and (place.mutated or other.mutated) and value.storage is array.storage and share(value, array):
                first, second = sorted([place.path, other.path])
                raise changed(first, second, "two arrays before the call, and one after it")


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


def changed(first: str, second: str, how: str) -> Unsupported:
    """The error about two names of the state."""
    hint = "Assign copies (self.a = self.b.copy()), and write to arrays with two names in place (self.a[...] = value)."
    return Unsupported("E112", f"`{shown(first)}` and `{shown(second)}` are {how}", hint=hint)
