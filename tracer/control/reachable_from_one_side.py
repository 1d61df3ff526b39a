"""Objects that only one side of a branch can reach: each is one of the values of a `SymbolicUnion`
whose truth does not hold on the other side. What that side does to them is joined with nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from npexport.tracer.control.one_sided import Build
from npexport.tracer.control.referrers import is_hidden, is_method
from npexport.tracer.control.symbolic_unions import left_open
from npexport.tracer.effects.parts import Part
from npexport.tracer.effects.snapshots import Change, Snapshot
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion

_CONTAINERS = (list, set, dict)


class Side(Protocol):
    """What is needed of a side: its changes, by the identity of what has changed, and what is known
    of truths where it ended.
    """

    @property
    def changes(self) -> dict[int, Change]: ...
    @property
    def facts(self) -> Any: ...


def left_by_one_side(key: int, taken: Snapshot, *sides: Side) -> list[tuple[Any, Part, list[Build]]] | None:
    """The places of a container, out of which one of two sides has taken items, and which the other
    one cannot reach, as that side has left them; ``None`` for other objects. ``taken``: what there
    was before the sides.
    """
    for side, other in (sides, sides[::-1]):
        change = side.changes.get(key)
        if change is not None and key not in other.changes and _loses_items(change) and _is_unseen(change.owner, taken, other.facts):
            return [(change.owner, part, [functools.partial(_value, value) for value in part.values]) for part in change.after]
    return None


def _loses_items(change: Change) -> bool:
    had = set(map(id, _held(change.before)))
    plain = type(change.owner) in _CONTAINERS and len(change.before) == len(change.after)
    return plain and all(id(value) in had for value in _held(change.after))


def _value(value: Any, results: Any) -> Any:
    return value


def _held(parts: tuple[Part, ...]) -> Iterator[Any]:
    for part in parts:
        yield from part.values
        yield from part.keys if isinstance(part.keys, (set, dict)) else ()


def _is_unseen(owner: Any, taken: Snapshot, other: Callable[[Any], bool | None]) -> bool:
    referrers = [value for value, parts in taken.objects() if any(_is_of(held, owner) for part in parts for held in part.values)]
    found = [value for value, _ in taken.objects() if type(value) is SymbolicUnion]
    unions = [union for union in found if any(_is_of(option, owner) for option in union.options)]
    tuples = {id(union.options) for union in unions}
    if not unions or any(id(value) not in tuples for value in referrers):
        return False
    if any(_is_of(option, owner) for union in unions for _, option in left_open(union, other)):
        return False
    return not is_hidden(owner, [option for union in unions for option in union.options])


def _is_of(value: Any, owner: Any) -> bool:
    """Whether a value is this object, or a method of C bound to it."""
    return value is owner or is_method(value, owner)
