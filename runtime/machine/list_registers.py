"""Lists of a fixed number of numbers in the machine of `_loops.c`: each item is a register, and a
table says which, so that a place that only data know is one instruction.

Law: a register has the item that the list has at every moment (`FixedLists`), so all values of the
graph that are an item are its register. What is written there is taken back like what is written to
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.lists.fixed_lists import FixedLists, Put

_ASKS = ("ops.sym.eq", "ops.sym.sub")
"""The calls that ask whether a write is at an item."""


class ListRegisters:
    """The lists that a loop carries. ``puts``: the call of each write that knows its place;
    ``members``: the values that are items, with the number of the carry; ``direct``: what is
    computed of them.
    """

    def __init__(self, body: Graph, count: int) -> None:
        fixed = FixedLists(body, count, (), lambda loop: loop.args[1].graph, 0)
        places = {node: place for place, node in enumerate(body.placeholders[:count])}
        self.puts: dict[Node, Put] = fixed.puts
        self.direct = fixed.direct
        self.members: dict[Node, int] = {}
        for member, (group, number) in fixed.members.items():
            self.members[member] = places[fixed.groups[group][number]]
        self._needed = {value for put in fixed.puts.values() for value in (put.place[0], _value(put)) if type(value) is Node}

    def written(self, put: Put) -> tuple[Node, int, Any]:
        """The value and the number whose sum is where a call writes, and what."""
        return (*put.place, _value(put))

    def carries(self, carried: Sequence[Any]) -> list[int | None]:
        """Of these values the carries that they are as items."""
        return [self.members.get(value) if type(value) is Node else None for value in carried]

    def unneeded(self, graph: Graph) -> set[Node]:
        """The calls that only ask whether writes are at single items."""
        found: set[Node] = set()
        for node in reversed(graph.nodes if self.puts else ()):
            asks = node.op == CALL and str(node.target) in _ASKS and node not in self._needed
            if asks and node.users and all(user in found or (user in self.members and user.op == CALL) for user in node.users):
                found.add(node)
        return found


def _value(put: Put) -> Any:
    return next(choice for choice in put.after if type(choice) is Node).args[0][1]
