"""Containers and objects that an iteration of a loop on data rebinds a variable to (``state =
step(state)``, ``a, b = b, a``, ``previous = row``): the earlier one stays in place, and takes over
the contents of the new one.

Law: this happens only if nothing else holds either of them, before the iteration and after it. Then
nobody can tell them apart.
"""

from __future__ import annotations

import enum
import gc
import weakref
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.control.counters import lists_of
from npexport.tracer.control.endings import Holding, Iterated, Key
from npexport.tracer.control.fresh_values import Fresh, exception_apart
from npexport.tracer.control.leaves import is_of_items
from npexport.tracer.effects.copiers import COPIERS, copier_of
from npexport.tracer.effects.parts import Part, is_own, parts_of, same, same_keys, step_of
from npexport.tracer.effects.policy import KEPT, KEPT_BASES
from npexport.tracer.effects.snapshots import Change, Snapshot, snapshot
from npexport.tracer.effects.state import may_be_state
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import partial_objects
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.flow_graph import is_read
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.partial_dicts import hides

_KINDS = frozenset({"list", "dict", "deque", "set", "class", "slots", "attributes"})
"""The parts of objects that only their identity distinguishes."""
HOLDING = frozenset({"frame", *_KINDS})
"""The parts in which places are bound anew."""
_OWN = ("own", "length")
"""What an iteration may change in the stand-in of a list."""


def keep(iteration: Iterated, before: Snapshot, leaves: dict[Any, Any], olds: dict[Any, Any]) -> None:
    """In ``leaves``, which an iteration has changed, the parts of earlier containers take the place
    of those that are bound anew; ``olds``: what the leaves were.
    """
    pending = [key for key, new in leaves.items() if _is_pair(iteration, olds[key], new)]
    if not pending:
        return
    earlier = referrers(iteration, before.objects())
    with snapshot(iteration.world, iteration.vm) as now:
        later = referrers(iteration, now.objects())
    pairs = {key: (olds[key], leaves[key]) for key in pending}
    for key, (old, new, _) in _taken_over(iteration, before, pairs, earlier, later).items():
        del leaves[key]
        for inner in [inner for inner in leaves if inner[0] == id(old)]:
            del leaves[inner]
        iteration.owners[id(old)] = old
        for inner, (part, was, value) in _changed(before, old, new).items():
            olds[inner], leaves[inner] = was, value
            iteration.paths[inner] = iteration.paths[key] + step_of(part, inner[2])
        if type(old) is FilledList:
            _become(old, new)


def _changed(before: Snapshot, old: Any, new: Any) -> dict[Key, tuple[Part, Any, Any]]:
    """The places of an earlier container that get other contents from a new one: the part, what was
    there, and what comes there.
    """
    return {
        (id(old), position, place): (part, was.values[place], value)
        for position, (was, part) in enumerate(zip(before.parts(old), parts_of(new), strict=True))
        for place, value in enumerate(part.values)
        if not (_is_same(was.values[place], value) or (type(old) is FilledList and part.keys[place] not in _OWN))
    }


def _taken_over(
    iteration: Iterated, before: Snapshot, pairs: dict[Key, tuple[Any, Any]], earlier: Counter[int], later: Counter[int]
) -> dict[Key, tuple[Any, Any, Key | None]]:
    """Of these pairs, and those within, the ones of which the earlier container stays in place: by
    place, both containers and the place of the pair that it is within. Each earlier one is held
    nowhere afterwards, or is the new one of another pair.
    """
    found: dict[Key, tuple[Any, Any, Key | None]] = {}
    pending: list[tuple[Key, Any, Any, Key | None]] = [(key, *pair, None) for key, pair in pairs.items()]
    while pending:
        key, old, new, around = pending.pop()
        if earlier[id(old)] != 1 or later[id(new)] != 1 or is_hidden(old, new):
            continue
        if all(_fits(*part) for part in zip(before.parts(old), parts_of(new), strict=True)):
            found[key] = old, new, around
            within = [(inner, was, value) for inner, (_, was, value) in _changed(before, old, new).items()]
            pending += [(inner, was, value, key) for inner, was, value in within if _is_pair(iteration, was, value)]
    left: list[Key] | None = None
    while left is None or left:
        moved = {id(new) for _, new, _ in found.values()}
        lost = [key for key, (old, *_) in found.items() if later[id(old)] and id(old) not in moved]
        left = lost + [key for key, (*_, around) in found.items() if around is not None and around not in found]
        for key in set(left):
            del found[key]
    return found


class Rebound(NamedTuple):
    """A place that a side of a branch has rebound: its owner, the part and the index in it, the
    earlier container, the new one, and the contents of that at the end of the side.

    ``moves``: whether another place holds the earlier one then.
    """

    owner: Any
    position: int
    place: int
    old: Any
    new: Any
    parts: tuple[Part, ...]
    moves: bool = False


def _is_left(changes: dict[int, Change], before: Snapshot, pair: Rebound) -> bool:
    """Whether a side leaves the earlier container in its place."""
    owner, position, place, old, *_ = pair
    parts = changes[id(owner)].after if id(owner) in changes else before.parts(owner)
    return len(parts) > position and len(parts[position].values) > place and parts[position].values[place] is old


@dataclass(slots=True)
class AtJoinPoint:
    """The end of a side of a branch, as seen by the search for the referrers of a container."""

    world: ShadowedWorld
    vm: Machine
    frame: Frame
    place: int

    def is_read(self, key: Key) -> bool:
        """Whether a variable may be read after the branch."""
        return bool(is_read(self.frame, key[2], self.place))

    def fills(self, grown: FilledList) -> bool:
        """Lists that loops fill are left alone."""
        return True


def rebound_on_side(iteration: Holding, before: Snapshot, changes: dict[int, Change]) -> list[Rebound]:
    """The containers that a side has bound places to and that nothing else holds; at most one other
    place holds the earlier ones.
    """
    pairs = [
        Rebound(change.owner, position, place, was, value, parts_of(value))
        for change in changes.values()
        for position, (old, new) in enumerate(zip(change.before, change.after, strict=False))
        if old.kind in HOLDING and _fits(old, new)
        for place, (was, value) in enumerate(zip(old.values, new.values, strict=True))
        if _is_pair(iteration, was, value)
    ]
    if not pairs:
        return []
    earlier = referrers(iteration, before.objects())
    with snapshot(iteration.world, iteration.vm) as now:
        later = referrers(iteration, now.objects())
    return [pair._replace(moves=later[id(pair.old)] == 1) for pair in pairs if _is_moved(before, pair, earlier, later)]


def _is_moved(before: Snapshot, pair: Rebound, earlier: Counter[int], later: Counter[int]) -> bool:
    old, new, others = pair.old, pair.new, pair.parts
    if (earlier[id(old)], later[id(new)]) != (1, 1) or later[id(old)] > 1 or is_hidden(old, new):
        return False
    parts = before.parts(old)
    return len(parts) == len(others) and all(map(_fits, parts, others))


def take_back(one: Any, other: Any, before: Snapshot) -> None:
    """In the changes of a side, the earlier container takes over what the new one holds, if the
    other side leaves it in its place.
    """
    _take_back(one.changes, other.changes, before, one.rebound)
    _take_back(other.changes, one.changes, before, other.rebound)


def _take_back(mine: dict[int, Change], theirs: dict[int, Change], before: Snapshot, rebound: list[Rebound]) -> None:
    pairs = [pair for pair in rebound if _is_left(theirs, before, pair)]
    while left := [pair for pair in pairs if pair.moves and all(pair.old is not other.new for other in pairs)]:
        pairs = [pair for pair in pairs if all(pair is not each for each in left)]
    for owner, position, place, old, _, parts, _ in pairs:
        change = mine[id(owner)]
        values = list(change.after[position].values)
        values[place] = old
        after = list(change.after)
        after[position] = after[position]._replace(values=tuple(values))
        mine[id(owner)] = change._replace(after=tuple(after))
        mine[id(old)] = Change(old, before.path(old), before.parts(old), parts)


def apart(iteration: Holding, before: Snapshot, values: list[Any]) -> list[Any]:
    """The values, with stand-ins in place of containers and objects that were made since a snapshot
    and that nothing else holds.
    """
    if not any(_is_made(iteration, before, value) for value in values):
        return values
    with snapshot(iteration.world, iteration.vm) as now:
        held = referrers(iteration, now.objects())
    return [_apart(iteration, before, held, value) for value in values]


def _apart(iteration: Holding, before: Snapshot, held: Counter[int], value: Any) -> Any:
    if is_of_items(value):
        return tuple.__new__(type(value), [_apart(iteration, before, held, item) for item in value])
    if not _is_made(iteration, before, value) or held[id(value)] != 1 or is_hidden(value):
        return value
    if isinstance(value, BaseException):
        return exception_apart(value)
    parts = parts_of(value)
    return Fresh.of(value, parts, [_apart(iteration, before, held, item) for part in parts for item in part.values])


def _is_made(iteration: Holding, before: Snapshot, value: Any) -> bool:
    """Whether a value is, or holds, a new object since a snapshot that can be taken apart."""
    if is_of_items(value):
        return any(_is_made(iteration, before, item) for item in value)
    if isinstance(value, BaseException):
        return not (before.knows(value) or iteration.world.shadows.is_outside(value) or hasattr(type(value), "__del__"))
    return not before.knows(value) and _is_told(iteration, value, (object, list, dict))


def _is_told(iteration: Holding, value: Any, bases: tuple[type, ...]) -> bool:
    """Whether an object of the program is fully described by its parts and its identity."""
    cls = type(value)
    if cls in NATIVE_TYPES or is_own(cls) or cls in KEPT or hasattr(cls, "__del__") or isinstance(value, (*KEPT_BASES, enum.Enum)):
        return False
    if partial_objects.names_of(value) or id(value) in iteration.world.partial_dicts:
        return False
    shadows = iteration.world.shadows
    if shadows.is_outside(value) and not may_be_state(shadows, value):
        return False
    if not any(copier_of(cls) is COPIERS[base] for base in bases):
        return False
    parts = parts_of(value)
    return bool(parts) and all(part.kind in _KINDS for part in parts)


def _is_pair(iteration: Holding, old: Any, new: Any) -> bool:
    """Whether one object may take over the contents of the other."""
    cls = type(old)
    if old is new or cls is not type(new):
        return False
    if cls is FilledList:
        plain = not (old.within or new.within or old.frozen or new.frozen or old.is_open or new.is_open)
        return plain and old.is_like(new) and not any(map(iteration.fills, (old, new)))
    return all(_is_told(iteration, each, (object, list, dict, deque, set)) for each in (old, new))


def _fits(old: Part, new: Part) -> bool:
    """Whether two parts have the same places."""
    if old.kind == "frame":
        return new.kind == old.kind and len(old.values) == len(new.values)
    if old.kind != new.kind or len(old.values) != len(new.values):
        return False
    if old.kind in ("dict", "attributes"):
        return all(map(same, list(old.keys), list(new.keys)))
    return same_keys(old.keys, new.keys)


def _is_same(old: Any, new: Any) -> bool:
    return same(old, new) or (is_symbolic(old) and is_symbolic(new) and known(old == new) is True)


def referrers(iteration: Holding, objects: Iterable[tuple[Any, tuple[Part, ...]]]) -> Counter[int]:
    """How many places hold each object, except for variables that nobody reads."""
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
                    found.update(map(id, lists_of(value.items)))
    return found


def is_hidden(*values: Any) -> bool:
    """Whether something refers to one of the containers and cannot be examined, or is told when one
    dies.
    """
    if any(weakref.getweakrefcount(value) and type(value) is not FilledList for value in values):
        return True
    return any(map(hides, gc.get_referrers(*values)))


def _become(old: FilledList, new: FilledList) -> None:
    """From now on, whatever is known of either list holds for the list that stays."""
    old.least = min(old.least, new.least)
    old.shared, old.changed = old.shared or new.shared, old.changed or new.changed
    old.handed_out += new.handed_out
