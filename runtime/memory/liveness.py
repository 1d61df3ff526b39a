"""Liveness: when the values of a graph, and the memory that they are in, are used."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import dataclass, field

from npexport.ir.graph import Graph, Node


@dataclass
class Liveness:
    """When values and storages are used: ``last_use[value]``, ``storage_end[root]`` and
    ``reads[root]`` are positions in the graph's order.

    ``held[node]``: what must be in the memory of mutated arrays if this call raises; ``kept``: what
    is used after the graph; ``leaving``: the values whose memory leaves the program; ``borrowed``:
    results of branches that may share the memory of operands.
    """

    graph: Graph
    storages: dict[Node, set[Node]]
    held: dict[Node, list[Node]]
    kept: Collection[Node] = ()
    leaving: frozenset[Node] = frozenset()
    borrowed: frozenset[Node] = frozenset()
    place: dict[Node, int] = field(default_factory=dict)
    last_use: dict[Node, int] = field(default_factory=dict)
    storage_end: dict[Node, int] = field(default_factory=dict)
    reads: dict[Node, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for here, node in enumerate(self.graph.nodes):
            self.place[node] = self.last_use[node] = here
            for operand in self.used(node):
                self.last_use[operand] = here
                for root in self.storages[operand]:
                    reads = self.reads.setdefault(root, [])
                    if not reads or reads[-1] != here:
                        reads.append(here)
        self.last_use.update(dict.fromkeys(self.kept, len(self.place)))
        for node, roots in self.storages.items():
            for root in roots:
                self.storage_end[root] = max(self.storage_end.get(root, 0), self.last_use[node])

    def used(self, node: Node) -> list[Node]:
        """The values that a node needs."""
        held = self.held.get(node)
        return list(dict.fromkeys((*node.all_input_nodes, *held))) if held else node.all_input_nodes

    def is_read_between(self, node: Node, first: int, last: int) -> bool:
        """Whether anything between two positions reads memory that this value may share."""
        return any(
            bisect_right(reads, first) != bisect_left(reads, last) for reads in (self.reads.get(root, []) for root in self.storages[node])
        )
