"""Standard output and error as the program sees them: what is written there is printed once, at
export, and listed in the report.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, Protocol

from npexport.symshapes.errors import Location, Unsupported
from npexport.tracer.interpreter.native import named, plain_text

NAMES = ("stdout", "stderr", "__stdout__", "__stderr__")
_FACTS = ("encoding", "errors", "newlines", "name", "mode", "closed")
"""Attributes that are facts of the export, like the version of Python."""


class Listing(Protocol):
    """The part of the world that lists what is printed."""

    rehearses: bool

    def say(self, kind: str, text: str, location: Location | None, detail: Any) -> None: ...

    def where(self) -> Location | None: ...


class Stream:
    """The stand-in of one of them; ``isinstance`` answers as for the real one. The world lists what
    is written.
    """

    __slots__ = ("_name", "_target", "_world")

    def __init__(self, target: Any, name: str, world: Listing) -> None:
        self._target = target
        self._name = name
        self._world = world

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._target)

    def write(self, text: str) -> int:
        """Raises ``TypeError`` for anything but a text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        world = self._world
        known = plain_text(text) if type(text) is str or not world.rehearses else ""  # a rehearsal prints no data
        world.say("print", known, world.where(), self._name)
        return len(known)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """What the program writes is always flushed."""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._target.isatty())

    def __getattr__(self, name: str) -> Any:
        if name in _FACTS:
            return getattr(self._target, name)
        raise Unsupported("E105", f"the program reads `sys.{self._name}.{name}` of a stream that existed before the call")


named(Stream, "stream")


def standard(world: Listing) -> dict[int, tuple[Any, Stream]]:
    """The streams of the process with their stand-ins, by identity; none where there is none."""
    found: dict[int, tuple[Any, Stream]] = {}
    for name in NAMES:
        target = getattr(sys, name)
        if target is not None and id(target) not in found:
            found[id(target)] = (target, Stream(target, name.strip("_"), world))
    return found
