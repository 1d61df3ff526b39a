"""The effects of a program: the difference between the shadows and their originals at its end."""

from __future__ import annotations

import enum
import operator
from collections import OrderedDict
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple
from weakref import ReferenceType

import numpy as np

from npexport.ir.pytree import same_key
from npexport.symshapes.errors import Location
from npexport.tracer.arrays.core.filled_dict import TABLES, stands_for
from npexport.tracer.effects import overlay as names
from npexport.tracer.effects.copiers import LOCKS, attributes_of, contents_of, places_of
from npexport.tracer.effects.overlay import DELETED, Overlay
from npexport.tracer.effects.parts import times_held
from npexport.tracer.effects.policy import ATOMS, KEPT, KEPT_BASES
from npexport.tracer.effects.recomputed import Recomputed
from npexport.tracer.effects.settled import NOTHING_SETTLED, Settled, is_as_found
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state_places import Known
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.interpreter.native import NATIVE_TYPES


class Write(NamedTuple):
    """An outside place left with another value; ``DELETED`` stands for an absent one."""

    path: str
    before: Any
    after: Any
    owner: Any = None
    name: str | None = None  # of an attribute
    stack: tuple[Location, ...] = ()  # of the write, innermost last


def differences(shadows: Shadows, overlay: Overlay) -> Iterator[Write]:
    """Every write that survived, in the order in which the objects were first seen."""
    for entry in shadows.entries:
        yield from entry_differences(shadows, entry)
    yield from cell_differences(shadows)
    yield from name_differences(shadows, overlay)


def cell_differences(shadows: Shadows) -> Iterator[Write]:
    """The writes to variables of closures."""
    for cell, shadow, origin in list({id(known[1]): known for known in shadows.cells.values()}.values()):
        before, after = _contents(cell, shadows.settled), _contents(shadow)
        if not same(shadows, before, after):
            yield Write(origin, before, after, shadow)


def name_differences(shadows: Shadows, overlay: Overlay) -> Iterator[Write]:
    """The writes to names of modules, classes and functions."""
    for write in overlay.surviving(shadows.shadow_of):
        yield Write(names.describe(write.owner, write.name), None, write.value, write.owner, write.name, write.stack)


def entry_differences(shadows: Shadows, entry: Entry) -> Iterator[Write]:
    """The writes to one object."""
    if type(entry.original) is not type(entry.shadow):
        yield Write(f"{entry.origin}.__class__", type(entry.original), type(entry.shadow), entry.shadow, "__class__")
        return
    if type(entry.shadow) in LOCKS and times_held(entry.shadow):
        yield Write(entry.origin, False, True, entry.shadow)
    before, after = dict(attributes_of(entry.original)), dict(attributes_of(entry.shadow))
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name, DELETED), after.get(name, DELETED)
        if not same(shadows, old, new):
            yield Write(f"{entry.origin}.{name}", old, new, entry.shadow, name)
    if type(entry.shadow) in TABLES and stands_for(entry.shadow) is not None:
        return  # it is where its stand-in is
    if issubclass(type(entry.original), set):
        yield from _member_differences(shadows, entry)
        return
    if _is_unwritten(shadows, entry.original, entry.shadow):
        return
    old_keys, new_keys = ([key for key, _ in contents_of(one)] for one in (entry.original, entry.shadow))
    if old_keys != new_keys and sorted(old_keys) == sorted(new_keys):
        yield Write(entry.origin, old_keys, new_keys, entry.shadow)  # of a dict: only the order
    absent = ("", DELETED)
    for (key, old), (other, new) in zip_longest(*_aligned(entry), fillvalue=absent):
        if (key != other or not same(shadows, old, new)) and not (new is DELETED and _is_new_member(entry.original, old)):
            yield Write(entry.origin + (key or other), old, new, entry.shadow)


def _is_new_member(table: Any, value: Any) -> bool:
    """Whether a combination of flags is in the table of its class, which makes them while a program
    is traced: nobody deletes them.
    """
    return issubclass(type(value), enum.Flag) and vars(type(value)).get("_value2member_map_") is table


def _is_unwritten(shadows: Shadows, before: Any, after: Any) -> bool:
    """A fast check that a dict holds the same values under the same keys in the same order: most
    programs write a small part of a large one.
    """
    kind = type(before)
    if not issubclass(kind, dict) or issubclass(kind, OrderedDict) or dict.__len__(before) != dict.__len__(after):
        return False
    if not all(map(operator.is_, dict.__iter__(before), dict.__iter__(after))):
        return False
    return all(old is new or same(shadows, old, new) for old, new in zip(dict.values(before), dict.values(after), strict=True))


def leaves(shadows: Shadows, write: Write) -> Iterator[Write]:
    """The write or, if it places a container of the program, the writes to its items."""
    yield from _leaves(shadows, write.path, write.before, write.after, set())


def _leaves(shadows: Shadows, path: str, before: Any, value: Any, seen: set[int]) -> Iterator[Write]:
    path = shadows.settled.aliases.get(path, path)
    yield Write(path, before, value)
    if issubclass(type(value), KEPT_BASES) or type(value) in KEPT or type(value) in NATIVE_TYPES:
        return
    if id(value) in seen or shadows.is_outside(value):
        return
    seen.add(id(value))
    for step, item in places_of(value):
        yield from _leaves(shadows, path + step, DELETED, item, seen)


def _member_differences(shadows: Shadows, entry: Entry) -> Iterator[Write]:
    """Members are compared by identity, plain data by value: no ``__eq__`` of the program runs."""
    before = {_token(shadows, member): (path, member) for path, member in contents_of(entry.original)}
    after = {_token(shadows, member): (path, member) for path, member in contents_of(entry.shadow)}
    for path, member in (found for token, found in before.items() if token not in after):
        yield Write(entry.origin + path, member, DELETED, entry.shadow)
    for path, member in (found for token, found in after.items() if token not in before):
        yield Write(entry.origin + path, DELETED, member, entry.shadow)


def _token(shadows: Shadows, value: Any) -> Any:
    if type(value) is tuple:
        return tuple([_token(shadows, item) for item in value])
    return (type(value), value) if type(value) in ATOMS or issubclass(type(value), np.generic) else id(shadows.shadow_of(value))


def _aligned(entry: Entry) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """The contents of both, with keys that are absent from one inserted where the other has them,
    so that one write is one difference.
    """
    old, new = list(contents_of(entry.original)), list(contents_of(entry.shadow))
    old_keys, new_keys = [key for key, _ in old], [key for key, _ in new]
    if old_keys == new_keys or len(set(old_keys)) < len(old) or len(set(new_keys)) < len(new):
        return old, new
    olds, news = dict(old), dict(new)
    keys = list(dict.fromkeys([*old_keys, *new_keys]))
    return [(key, olds.get(key, DELETED)) for key in keys], [(key, news.get(key, DELETED)) for key in keys]


def same(shadows: Shadows, before: Any, after: Any) -> bool:
    """Whether ``after`` is ``before`` as it was entered; plain data are compared by value."""
    if type(before) is Known:
        return before.equals(after)
    if type(before) is Recomputed:
        return shadows.shadow_of(before) is after and not getattr(getattr(after, "storage", None), "mutated", False)
    if before is after or shadows.shadow_of(before) is after:
        return is_as_found(before, after)
    if type(before) is not type(after):
        return False
    if type(before) in ATOMS or issubclass(type(before), np.generic):
        return same_key(before, after)
    if type(before) is ReferenceType:
        return before() is after() is None  # those to objects that are gone are alike
    if type(before) is tuple and not shadows.was_replaced(before):
        return len(before) == len(after) and all(same(shadows, b, a) for b, a in zip(before, after, strict=True))
    return False


def _contents(cell: Any, settled: Settled = NOTHING_SETTLED) -> Any:
    try:
        return settled.contents(cell)
    except ValueError:
        return DELETED


def leads_to(place: str, path: str) -> bool:
    """Whether a path is this place, or one within it."""
    return path.startswith(place) and path[len(place) : len(place) + 1] in ("", ".", "[")


def _identity(value: Any) -> Any:
    return value if type(value) in (bytes, str, int, bool) else id(value)


def _stack(frame: Frame, pc: int, back: Any) -> tuple[Location, ...]:
    """The user's call chain where the frame stood at an instruction, innermost last."""
    found = []
    while frame is not None:
        if not frame.info.internal:
            found.append(frame.info.decoded.location(frame.code, max(pc, 0)))
        frame, pc, back = back, back.pc - 1 if back is not None else 0, back.back if back is not None else None
    return tuple(reversed(found))


_COMPARISONS = 1_000_000
"""How many pairs of objects and paths a `Watch` looks at before it gives up."""


class Watch:
    """Finds the lines that made the writes of an earlier run: called before every instruction of a
    second run, which takes the same path. Of programs with many writes to many objects, those of
    the first instructions.
    """

    def __init__(self, writes: list[Write]) -> None:
        self.shadows: Any = None  # of the second run
        self._paths = {write.path for write in writes}
        self._previous: Any = None
        self._values: dict[str, Any] = {}
        self._left = _COMPARISONS
        self.stacks: dict[str, tuple[Location, ...]] = {}

    def __call__(self, frame: Frame) -> None:
        self.settle()
        self._previous = (frame, frame.pc - 1, frame.back)

    def settle(self) -> None:
        """Note the watched places that the previous instruction wrote."""
        self._left -= len(self._paths) * len(self.shadows.entries)
        if self._left < 0:
            return
        current = {path: _identity(write.after) for write in self._current() for path in self._paths if leads_to(write.path, path)}
        for path in [*current, *(path for path in self._values if path not in current)]:
            if current.get(path) != self._values.get(path) and self._previous is not None:
                self.stacks[path] = _stack(*self._previous)
        self._values = current

    def _current(self) -> Iterator[Write]:
        for entry in self.shadows.entries:
            if any(path.startswith(entry.origin) for path in self._paths):
                yield from entry_differences(self.shadows, entry)
        for cell, shadow, origin in list(self.shadows.cells.values()):
            if origin in self._paths and not same(self.shadows, _contents(cell), _contents(shadow)):
                yield Write(origin, _contents(cell), _contents(shadow))
