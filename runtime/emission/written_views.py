"""What leaves a program and shares memory with arrays that it writes to: the array itself, or view
operators applied to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from npexport.ir.aliasing import leads_to, way_to
from npexport.ir.graph import Graph, Node
from npexport.ir.signature import OutputSpec
from npexport.runtime.emission.emit import Source
from npexport.runtime.emission.results import MAX_DEPTH


class WrittenViews(NamedTuple):
    """``last``: the number, the last value and the placeholder of everything that is written, by
    the placeholder's name; ``names``: the texts of all values.
    """

    graph: Graph
    last: Mapping[str, tuple[int, Any, Node]]
    source: Source
    names: dict[Node, str]

    def of_written(self, value: Node, written: dict[Node, Node]) -> str | None:
        """The text of a new array of the state that is a written array itself, or a view of it;
        ``None`` where it is no such array.
        """
        if not leads_to(value, written):
            return None
        names = self.names | {final: self.names[target] for final, target in written.items()}
        for node in way_to(value, written):
            names[node] = self.source.call(node, names, None)
        return names[value]

    def finals(self, spec: OutputSpec) -> dict[Node, Node]:
        """The last values of the written inputs whose memory an output shares, with these."""
        found = sorted([self.last[name] for name in {*spec.aliases} & self.last.keys()], key=itemgetter(0))
        return {value: node for _, value, node in found}

    def outputs(self, outputs: list[tuple[OutputSpec, Node]], held: dict[Node, str]) -> tuple[dict[Node, str], list[str]]:
        """The texts of outputs that share memory with a written input, and the lines before them.

        A value of which several outputs are made, or which is there twice, is taken once: it is one
        object. So is one that is made of many others. ``held``: the texts of what they may be
        instead, as the data say.
        """
        chains: dict[Node, list[Node]] = {}
        names = self.names | held
        for spec, value in outputs:
            finals = self.finals(spec)
            chains[value] = way_to(value, finals)
            names |= {final: self.names[target] for final, target in finals.items()}
        uses = Counter(node for _, value in outputs for node in chains[value])
        taken: dict[Node, str] = {}
        depths: dict[Node, int] = {}
        for chain in chains.values():
            for node in chain:
                if node in taken:
                    continue
                names[node] = self.source.call(node, names, None)
                depths[node] = 1 + max([0 if each in taken else depths.get(each, 0) for each in node.all_input_nodes], default=0)
                if uses[node] > 1 or depths[node] > MAX_DEPTH:
                    name = self.source.fresh()
                    taken[node] = f"{name} = {names[node]}"
                    names[node] = name
        return {value: names[value] for value in chains}, list(taken.values())
