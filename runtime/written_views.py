"""What leaves a program and shares memory with arrays that it writes to: the array itself, or view
operators applied to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from npexport.ir.aliasing import is_view
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.signature import OutputSpec
from npexport.runtime.emit import Source


class WrittenViews(NamedTuple):
    """``mutations``: the last values of what is written, with their placeholders; ``names``: the
    texts of all values.
    """

    graph: Graph
    mutations: Sequence[tuple[Any, Node | None]]
    source: Source
    names: dict[Node, str]

    def of_written(self, value: Node, written: dict[Node, Node]) -> str | None:
        """The text of a new array of the state that is a written array itself, or a view of it;
        ``None`` where it is no such array.
        """
        chain = [value]
        while chain[-1] not in written:
            if chain[-1].op != CALL or not is_view(chain[-1]):
                return None
            chain.append(chain[-1].args[0])
        names = self.names | {chain[-1]: self.names[written[chain[-1]]]}
        for node in reversed(chain[:-1]):
            names[node] = self.source.call(node, names, None)
        return names[value]

    def outputs(self, outputs: list[tuple[OutputSpec, Node]]) -> tuple[dict[Node, str], list[str]]:
        """The texts of outputs that share memory with a written input, and the lines before them.

        An output of which another is made, or which is there twice, is taken once: it is one
        object.
        """
        chains: dict[Node, list[Node]] = {}
        names = dict(self.names)
        for spec, value in outputs:
            placeholder = next(node for node in self.graph.placeholders if node.name == spec.alias)
            chain = chains[value] = [value]
            final = next(node for node, target in self.mutations if target is placeholder)
            while chain[-1] is not final:
                chain.append(chain[-1].args[0])
            names[final] = self.names[placeholder]
        uses = Counter(node for _, value in outputs for node in chains[value][:-1])
        taken: dict[Node, str] = {}
        for chain in chains.values():
            for node in reversed(chain[:-1]):
                if node in taken:
                    continue
                names[node] = self.source.call(node, names, None)
                if node in chains and uses[node] > 1:
                    name = self.source.fresh()
                    taken[node] = f"{name} = {names[node]}"
                    names[node] = name
        return {value: names[value] for value in chains}, list(taken.values())
