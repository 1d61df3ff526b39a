"""The contents of objects where the sides of a branch meet: part by part, each with the same places
after both sides.

Attributes may be missing after one side (`npexport.tracer.control.absent_attributes`).
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.control.one_sided import REFERRING, Build, Mismatch
from npexport.tracer.control.side_lists import joined_columns
from npexport.tracer.effects.copiers import copier_of
from npexport.tracer.effects.parts import KINDS, PLACED, Part, same, same_keys, same_parts, step_of
from npexport.tracer.interpreter.frame import NULL

Parts = tuple[Part, ...]


class Uneven(Mismatch):
    """The sides leave a container with different lengths, or different keys."""

    def hint(self) -> str:
        return _COUNT


class Elsewhere(Mismatch):
    """The sides leave an iterator at different places."""

    def hint(self) -> str:
        return _PLACE


_PLACE = (
    "Keep the place as an integer, which each side adds to (`i += 1`), and read `values[i]` of a list or an array, in place of an iterator "
    "that only one side takes an item of."
)
_COUNT = (
    "Collect the values in an array with np.where, or choose them by a mask after the loop: how many there are must not depend on data."
)
_OPEN = frozenset({"list", "deque", "dict", "attributes", "slots", "cell"})
"""Parts whose values may be one of several."""
_LACKING = frozenset({"attributes", "slots", "cell", "dict"})
"""Parts whose values may be missing after one side."""
_FLAGS = frozenset({"__suppress_context__"})
"""Attributes that C keeps as truths: no stand-in can be written to them."""


def joined_parts(join: Any, one: Parts, other: Parts, path: str) -> list[tuple[Part, list[Build]]]:
    """The joined parts of an object. Raises `Mismatch`."""
    for mine, theirs in zip(one, other, strict=False):
        if not PLACED.isdisjoint((mine.kind, theirs.kind)) and not same_parts((mine,), (theirs,)):
            raise Elsewhere(path, _stands(mine), _stands(theirs))
    if [part.kind for part in one] != [part.kind for part in other]:
        raise Mismatch(path, "an object with some attributes", "with others")
    found = []
    for mine, theirs in zip(one, other, strict=True):
        if len(mine.values) != len(theirs.values) or not same_keys(mine.keys, theirs.keys):
            raise Uneven(path, _counted(mine, theirs), _counted(theirs, mine))
        builds = []
        for place, (a, b) in enumerate(zip(mine.values, theirs.values, strict=True)):
            inner = path + step_of(mine, place)
            if KINDS[mine.kind] is None and not (same(a, b) or type(a) in REFERRING or copier_of(type(a)) is not None):
                raise join.mismatch(inner, a, b)
            is_flag = mine.kind == "named" and mine.keys[place] in _FLAGS
            if is_flag and a is not b or ((a is NULL) is not (b is NULL) and mine.kind not in _LACKING):
                raise join.mismatch(inner, a, b)
            if mine.kind == "named" and mine.keys[place] == "own" and a is not b:
                builds.append(joined_columns(join, a, b, inner))
            else:
                builds.append(join.value(a, b, inner) if mine.kind in _OPEN else join.strict(a, b, inner))
        found.append((mine, builds))
    return found


def _counted(part: Part, other: Part) -> str:
    """How many items a container has, compared with another."""
    count = f"{len(part.values)} item{'s' * (len(part.values) != 1)}"
    return f"of {count}" if len(part.values) != len(other.values) else f"of {count} with keys of its own"


def _stands(iterator: Part) -> str:
    """The position of an iterator, in words."""
    if iterator.kind == "generator" and iterator.values:
        return "a generator that may go on"
    return f"an iterator that {iterator.values[1]} items were taken of" if iterator.kind == "position" else "one at its end"
