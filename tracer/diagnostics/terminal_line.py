"""The progress line that a long export shows on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from npexport.symshapes.plain import plain

DELAY, EVERY = 1.0, 0.1
"""Seconds before the line appears, and between its updates."""

Where = Callable[[], tuple[str, int]]


def shown_on(stream: Any, environ: Any = os.environ) -> bool:
    """Whether progress is shown there: on terminals that support carriage returns, and in
    notebooks.
    """
    if stream is None:
        return False
    if _is_notebook(stream):
        return True
    try:
        return bool(stream.isatty()) and environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # a closed stream
        return False


def _is_notebook(stream: Any) -> bool:
    return type(stream).__module__.partition(".")[0] == "ipykernel"


class Line:
    """One line, written over and over, gone when the export is done.

    Parameters
    ----------
    stream : file
        Where it is written.
    clock : callable
        Seconds from anywhere.
    environ : mapping
        ``NO_COLOR`` there leaves out colours.
    """

    def __init__(self, stream: Any, clock: Callable[[], float] = time.monotonic, environ: Any = os.environ) -> None:
        self._stream = stream
        self._clock = clock
        self._begun = clock()
        self._next = self._begun + DELAY
        self._width = 0  # of what is shown now
        self._colours = ("", "") if environ.get("NO_COLOR") or _is_notebook(stream) else ("\x1b[2m", "\x1b[0m")

    def step(self, where: Where) -> None:
        """A node was recorded; ``where`` returns the user's line, and the number of nodes."""
        now = self._clock()
        if now >= self._next:
            self._next = now + EVERY
            place, nodes = where()
            self._show(f"npexport: {place}{', ' if place else ''}{nodes} nodes, {now - self._begun:.1f} s")

    def _show(self, text: str) -> None:
        import shutil

        text = plain(text)[: max(shutil.get_terminal_size().columns - 1, 1)]
        before, after = self._colours
        self._write(f"\r{before}{text}{after}{' ' * (self._width - len(text))}")
        self._width = len(text)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads any more: the export goes on
            self._next = float("inf")
            self._width = 0


def line() -> Line | None:
    """The line of an export that begins now; ``None`` if nobody would see it."""
    return Line(sys.stderr) if shown_on(sys.stderr) else None
