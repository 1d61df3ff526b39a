"""What an export reports beside the program: what it read from outside and baked in, what the
program printed, and its cost.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field
from typing import Any

from npexport.ir import cost
from npexport.ir.graph import Graph
from npexport.symshapes.errors import Location
from npexport.symshapes.guards import Guard


@dataclass(frozen=True, slots=True)
class Read:
    """A value from outside that the program is specialised to: its path, the value at export, and
    where the program reads it, if it is no name of Python's.
    """

    path: str
    value: Any
    location: Location | None = None

    def __str__(self) -> str:
        text = repr(self.value)
        place = f"{self.location.file}:{self.location.line}: " if self.location else ""
        return f"{place}{self.path} == {text if len(text) <= 100 else text[:97] + '...'}"


@dataclass(frozen=True, slots=True)
class Emission:
    """Something the program printed, warned of or logged: it happens once, at export, and is not
    part of the program.
    """

    kind: str  # print, warning, log
    text: str
    location: Location | None
    detail: Any = None  # the stream, the warning's category, (logger, level)

    def emit(self) -> None:
        """Do it."""
        if self.kind == "print":
            stream = sys.stderr if self.detail == "stderr" else sys.stdout
            stream.write(self.text)
        elif self.kind == "log":
            import logging  # the program has done so

            logger, level = self.detail
            logging.getLogger(logger).log(level, "%s", self.text)
        else:
            file, line = (self.location.file, self.location.line) if self.location else ("<unknown>", 1)
            warnings.warn_explicit(self.text, self.detail, file, line)

    def __str__(self) -> str:
        place = f"{self.location.file}:{self.location.line}: " if self.location else ""
        return f"{place}{self.kind} {self.text.rstrip()!r}"


@dataclass
class Report:
    """``reads``: the values baked in; ``emitted``: what the program printed, warned and logged
    while it was exported; ``seconds``: how long that took; ``graph``: that of the program;
    ``lost``: the paths of what it wrote outside, which happens neither at export nor in the program
    (``strict=False``); ``constants``: why sizes that were to vary (``Dim.AUTO``) are constants. Of
    a program that was loaded, or that nothing exported, the graph alone is known.
    """

    reads: list[Read] = field(default_factory=list)
    emitted: list[Emission] = field(default_factory=list)
    seconds: float | None = None
    graph: Graph | None = field(default=None, repr=False, compare=False)
    lost: list[str] = field(default_factory=list)
    constants: tuple[Guard, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The report as data that JSON takes: ``seconds``, the values baked in (``reads``), what
        was ``emitted``, each with file and line, the ``constants``, what is ``lost``, and
        ``cost``: operations and bytes per line and per module, and the peak of memory, numbers or
        expressions in sizes.
        """
        emitted = [{"kind": emission.kind, "text": emission.text, **_place(emission.location)} for emission in self.emitted]
        reads = [{"path": read.path, "value": repr(read.value), **_place(read.location)} for read in self.reads]
        constants = [str(guard) for guard in self.constants]
        found = cost.as_dict(self.graph) if self.graph is not None else None
        return {"seconds": self.seconds, "reads": reads, "emitted": emitted, "constants": constants, "lost": self.lost, "cost": found}

    def __str__(self) -> str:
        parts = []
        if self.reads:
            parts += ["Values baked in:", *(f"  {read}" for read in self.reads)]
        if self.constants:
            parts += ["Sizes that were to vary, and are constants:", *(f"  {guard}" for guard in self.constants)]
        if self.emitted:
            parts += ["Emitted once, at export:", *(f"  {emission}" for emission in self.emitted)]
        if self.lost:
            parts += ["Written outside by the function, but not by the program:", *(f"  {path}" for path in self.lost)]
        return "\n".join(parts) or "Nothing to report."


def _place(location: Location | None) -> dict[str, Any]:
    return {"file": location.file, "line": location.line} if location else {"file": None, "line": None}
