"""Rows of source, each where it stands within others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from npexport.ir.error_states import State
from npexport.ir.graph import Node
from npexport.runtime.emission.emit import Source
from npexport.runtime.origins import Row


class SourceRows:
    """The rows so far."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[Row] = []
        self._around: tuple[Node, ...] = ()
        self._depth = 0

    def take(self) -> list[Row]:
        """The rows since the last call."""
        rows, self.rows = self.rows, []
        return rows

    def _add(self, text: str, *nodes: Node) -> None:
        self.rows.append(Row("    " * self._depth + text, (*nodes, *self._around)))

    @contextmanager
    def _within(self, state: State | None, *nodes: Node) -> Iterator[None]:
        """Put the rows that are added meanwhile under this error state."""
        if not state:
            yield
            return
        self._add(f"with {self.source.errors(state)}:", *nodes)
        before = len(self.rows)
        self._depth += 1
        yield
        self._depth -= 1
        if len(self.rows) == before:
            self.rows.pop()

    def _delete(self, names: list[str]) -> None:
        variables = [name for name in names if name.isidentifier()]
        if variables and self.source.deletes:
            self._add(f"del {', '.join(variables)}")
