"""The origins of lines of compiled programs: their text for tracebacks, and the user's lines for
exceptions.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from npexport.ir.graph import Node
from npexport.ir.printing import node_text, source_comment
from npexport.symshapes.errors import ExportError

_NUMBERS = itertools.count(1)
_GONE: list[str] = []
"""The file names of programs that were collected, whose text `linecache` still holds."""


GENERATED = "<npexport program "
"""What the names of the files of generated code begin with."""


class Row(NamedTuple):
    """A line of source, and the nodes that it computes: the innermost first, then those
    around it.
    """

    text: str
    nodes: tuple[Node, ...]

    @property
    def statement(self) -> str:
        """The text without its indentation."""
        return self.text.lstrip()

    @property
    def indentation(self) -> str:
        """The blanks in front of the statement."""
        return self.text[: len(self.text) - len(self.statement)]


class Origins:
    """The nodes by their lines in the source of one compiled program: of one in a sub-graph also
    those around it.
    """

    def __init__(self, nodes: dict[int, tuple[Node, ...]]) -> None:
        self.nodes = nodes

    def file_of(self, text: str) -> str:
        """A file name of its own for the source, under which tracebacks and warnings find the text
        for as long as the program lives.

        Texts of collected programs go when the next program is compiled, not at the collection:
        `linecache.checkcache` takes the keys of its dict to stay while its own code may collect.
        """
        while _GONE:
            linecache.cache.pop(_GONE.pop(), None)
        name = f"{GENERATED}{next(_NUMBERS)}>"
        linecache.cache[name] = (len(text), None, _Lines(self, text), name)  # type: ignore[assignment]
        weakref.finalize(self, _GONE.append, name).atexit = False
        return name

    def shown(self, line: int, text: str) -> str:
        """A line as tracebacks and warnings show it: with the user's own."""
        comment = next(filter(None, map(source_comment, self.nodes.get(line, ()))), "")
        return f"{text}  {comment}\n" if comment else f"{text}\n"

    def explain(self, error: Exception) -> Node | None:
        """The node of the graph itself that raised an exception.

        It is noted on it, with the line of the user's that it comes from, after those of
        sub-graphs.
        """
        traceback = error.__traceback__
        return None if traceback is None else self.noted(error, traceback.tb_lineno)

    def noted(self, error: Exception, line: int) -> Node | None:
        """The same of an exception that this line raised."""
        nodes = () if isinstance(error, ExportError) else self.nodes.get(line, ())
        for node in nodes:
            stack = node.meta.get("stack_trace", ())
            error.add_note("\n".join([f"Raised by {node_text(node)}", *(location.render() for location in stack)]))
        return nodes[-1] if nodes else None


class _Lines(Sequence[str]):
    """The lines of a source as tracebacks and warnings show them, made at the first look: few
    programs ever raise, and the user's lines cost as much as the source itself.
    """

    def __init__(self, origins: Origins, text: str) -> None:
        self.origins, self.text = weakref.ref(origins), text
        self.lines: list[str] | None = None

    def _made(self) -> list[str]:
        if self.lines is None:
            origins, lines = self.origins(), self.text.splitlines()
            self.lines = [f"{line}\n" if origins is None else origins.shown(number, line) for number, line in enumerate(lines, 1)]
        return self.lines

    def __len__(self) -> int:
        return len(self._made())

    def __getitem__(self, index: Any) -> Any:
        return self._made()[index]
