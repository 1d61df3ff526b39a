"""Where the lines of compiled programs come from: their text for tracebacks, and the user's lines for exceptions."""

from __future__ import annotations

import itertools
import linecache
import weakref

from npexport.ir.graph import Node
from npexport.ir.printing import node_text
from npexport.symshapes.errors import ExportError

_NUMBERS = itertools.count(1)


class Origins:
    """The nodes by their lines in the source of one compiled program."""

    def __init__(self, nodes: dict[int, Node]) -> None:
        self.nodes = nodes

    def file_of(self, text: str) -> str:
        """A file name of its own for the source, under which tracebacks find the text for as long as the program lives."""
        name = f"<npexport program {next(_NUMBERS)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        weakref.finalize(self, linecache.cache.pop, name, None)
        return name

    def explain(self, error: Exception) -> None:
        """Note on an exception that a node raised which node that was, and which line of the user's it comes from."""
        traceback = error.__traceback__
        node = None if traceback is None or isinstance(error, ExportError) else self.nodes.get(traceback.tb_lineno)
        if node is None:
            return
        stack = node.meta.get("stack_trace", ())
        error.add_note("\n".join([f"Raised by {node_text(node)}", *(location.render() for location in stack)]))
