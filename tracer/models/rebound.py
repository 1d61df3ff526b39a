"""Containers and objects that an iteration of a loop on data binds a variable to anew
(``state = step(state)``, ``a, b = b, a``, ``previous = row``): the one of before stays where it is,
and holds what the new one holds.

Law: only where nothing else holds either of them, before the iteration and after it. Then nobody
can tell them apart.
"""

from __future__ import annotations

import gc
import types
import weakref
from collections import Counter
from collections.abc import Iterable
from typing import Any

from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.grown import Grown
from npexport.tracer.arrays.core.item_structures import alike
from npexport.tracer.effects.parts import Part, is_own, parts_of, same, same_keys, step_of
from npexport.tracer.effects.snapshots import Snapshot, snapshot
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.native import NATIVE_TYPES

_KINDS = frozenset({"list", "dict", "deque", "class", "slots", "attributes"})
"""The parts of what can be told apart by its identity alone."""
_OWN = ("own", "length")
"""What an iteration may leave otherwise in what stands for a list."""


def keep(iteration: Any, before: Snapshot, leaves: dict[Any, Any], olds: dict[Any, Any]) -> None:
    """In ``leaves``, which an iteration has changed, the parts of containers of before take the
    place of those that are bound anew; ``olds``: what the leaves were.
    """
    pending = [key for key, new in leaves.items() if _is_pair(iteration, olds[key], new)]
    if not pending:
        return
    earlier = _holders(iteration, before.objects())
    with snapshot(iteration.world, iteration.vm) as now:
        later = _holders(iteration, now.objects())
    while pending:
        key = pending.pop()
        old, new = olds[key], leaves[key]
        if earlier[id(old)] != 1 or later[id(new)] != 1 or any(map(_is_hidden, (old, new))):
            continue
        parts = list(zip(before.parts(old), parts_of(new), strict=True))
        if not all(_fits(*part) for part in parts):
            continue
        del leaves[key]
        for inner in [inner for inner in leaves if inner[0] == id(old)]:
            del leaves[inner]
        iteration.owners[id(old)] = old
        for position, (was, part) in enumerate(parts):
            for place, value in enumerate(part.values):
                inner = id(old), position, place
                if _is_same(was.values[place], value) or (type(old) is Grown and part.keys[place] not in _OWN):
                    continue
                olds[inner], leaves[inner] = was.values[place], value
                iteration.paths[inner] = iteration.paths[key] + step_of(part, place)
                if _is_pair(iteration, was.values[place], value):
                    pending.append(inner)
        if type(old) is Grown:
            _become(old, new)


def _is_pair(iteration: Any, old: Any, new: Any) -> bool:
    """Whether one may hold what the other does."""
    cls = type(old)
    if old is new or cls is not type(new) or hasattr(cls, "__del__"):
        return False
    if cls is Grown:
        plain = not (old.within or new.within or old.frozen or new.frozen or old.is_open or new.is_open)
        return plain and alike(old.item, new.item) and not any(map(iteration.fills, (old, new)))
    if cls in NATIVE_TYPES or is_own(cls):
        return False
    shadows = iteration.world.shadows
    parts = (*parts_of(old), *parts_of(new))
    return bool(parts) and all(part.kind in _KINDS for part in parts) and not (shadows.is_outside(old) or shadows.is_outside(new))


def _fits(old: Part, new: Part) -> bool:
    """Whether two parts have the same places."""
    if old.kind != new.kind or len(old.values) != len(new.values):
        return False
    if old.kind in ("dict", "attributes"):
        return all(map(same, list(old.keys), list(new.keys)))
    return same_keys(old.keys, new.keys)


def _is_same(old: Any, new: Any) -> bool:
    return same(old, new) or (is_symbolic(old) and is_symbolic(new) and known(old == new) is True)


def _holders(iteration: Any, objects: Iterable[tuple[Any, tuple[Part, ...]]]) -> Counter[int]:
    """How many places hold each object, variables that nobody reads aside."""
    found: Counter[int] = Counter()
    frame = iteration.frame
    for owner, parts in objects:
        for number, part in enumerate(parts):
            for place, value in enumerate(part.values):
                is_variable = owner is frame and number == 0 and place < len(frame.fast)
                if is_variable and not iteration.is_read((id(frame), 0, place)):
                    continue
                found[id(value)] += 1
                if type(value) is Counting:
                    found.update(map(id, _gone_over(value.items)))
    return found


def _gone_over(items: Any) -> list[Any]:
    """The lists that a counter goes over."""
    parts = items if type(items) is tuple else getattr(items, "_fields", ()) and tuple(items)
    return [part for part in parts or () if type(part) is Grown] + [one for part in parts or () for one in _gone_over(part)]


def _is_hidden(value: Any) -> bool:
    """Whether something refers to a container and does not say so, or tells when it dies."""
    if weakref.getweakrefcount(value) and type(value) is not Grown:
        return True
    hiding = (types.BuiltinMethodType, types.MethodWrapperType)
    return any(isinstance(one, hiding) or hasattr(type(one), "__next__") for one in gc.get_referrers(value))


def _become(old: Grown, new: Grown) -> None:
    """What is known of both holds of the list from now on."""
    old.least = min(old.least, new.least)
    old.shared, old.changed, old.seen = old.shared or new.shared, old.changed or new.changed, old.seen or new.seen
