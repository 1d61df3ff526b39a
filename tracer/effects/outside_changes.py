"""What the program has changed by now of what it found outside the exported object: names of
modules and classes, containers of inputs, and objects that globals and closures hold.

A graph holds no such change. What is left at the end is refused (E112); what is put back by then is
no effect, unless an exception of the data leaves the program before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.tracer.effects.difference import Write, cell_differences, entry_differences, name_differences
from npexport.tracer.effects.overlay import Overlay
from npexport.tracer.effects.parts import Part, parts_of, same_parts
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state import belongs_to_root


class _Seen(NamedTuple):
    """The parts of a shadow, and how it differs from its original."""

    entry: Entry
    parts: tuple[Part, ...]
    writes: tuple[Write, ...]


class OutsideChanges:
    """Objects are compared with their originals only where their parts have changed.

    ``loses``: whether such changes are lost, but for those of containers of inputs.
    """

    def __init__(self, shadows: Shadows, overlay: Overlay, loses: bool) -> None:
        self._shadows, self._overlay, self._loses = shadows, overlay, loses
        self._seen: dict[int, _Seen] = {}

    def now(self) -> Iterator[tuple[str, Any, Any]]:
        """Path, value before and value now."""
        for write in self._writes():
            yield write.path, write.before, write.after

    def paths(self) -> frozenset[str]:
        """The places with another value now."""
        return frozenset([write.path for write in self._writes()])

    def is_as_before(self, value: Any) -> bool:
        """Whether this is an object from outside that is as the call found it."""
        entry = next((entry for entry in self._shadows.entries if entry.shadow is value), None)
        return entry is not None and not self._of(entry)

    def _writes(self) -> Iterator[Write]:
        for entry in self._shadows.entries:
            if not belongs_to_root(entry.origin) and (not self._loses or id(entry.shadow) in self._shadows.inputs):
                yield from self._of(entry)
        if not self._loses:
            yield from cell_differences(self._shadows)
            yield from name_differences(self._shadows, self._overlay)

    def _of(self, entry: Entry) -> tuple[Write, ...]:
        parts = parts_of(entry.shadow)
        seen = self._seen.get(id(entry.shadow))
        if seen is None or seen.entry is not entry or not same_parts(seen.parts, parts):
            seen = self._seen[id(entry.shadow)] = _Seen(entry, parts, tuple(entry_differences(self._shadows, entry)))
        return seen.writes
