"""Standard output and error as the program sees them: what is written there is printed once, at
export, and listed in the report.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.native import named

NAMES = ("stdout", "stderr", "__stdout__", "__stderr__")
_FACTS = ("encoding", "errors", "newlines", "name", "mode", "closed")
"""Attributes that are facts of the export, like the version of Python."""


class Stream:
    """The stand-in of one of them; ``isinstance`` answers as for the real one. ``say(text, name)``
    lists what is written.
    """

    __slots__ = ("_name", "_say", "_target")

    def __init__(self, target: Any, name: str, say: Callable[[str, str], None]) -> None:
        self._target = target
        self._name = name
        self._say = say

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._target)

    def write(self, text: str) -> int:
        """Raises ``TypeError`` for anything but a text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._say(text, self._name)
        return len(text)

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


def standard(say: Callable[[str, str], None]) -> dict[int, tuple[Any, Stream]]:
    """The streams of the process with their stand-ins, by identity; none where there is none."""
    found: dict[int, tuple[Any, Stream]] = {}
    for name in NAMES:
        target = getattr(sys, name)
        if target is not None and id(target) not in found:
            found[id(target)] = (target, Stream(target, name.strip("_"), say))
    return found
