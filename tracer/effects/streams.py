"""Standard output and error as the program sees them: what is written there is printed once, at
export, and listed in the report.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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


class _OfThread:
    """A stream that one thread finds in place of another, which all others find."""

    def __init__(self, target: Any, instead: Any) -> None:
        self._target, self._instead, self._thread = target, instead, threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instead if threading.get_ident() == self._thread else self._target, name)


@contextmanager
def written_in_c(world: Listing | None) -> Iterator[None]:
    """What compiled code prints within it is listed by the world, or lost where there is none."""
    found = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    put = {
        name: _OfThread(target, io.StringIO() if world is None else Stream(target, name, world))
        for name, target in found.items()
        if target is not None
    }
    try:
        vars(sys).update(put)
        yield
    finally:
        vars(sys).update({name: found[name] for name, stream in put.items() if getattr(sys, name, None) is stream})
