"""What the nodes of a trace are for the example inputs, as the recorded graph computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.graph import Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.memory.layout import example_size


class Values:
    """The values of a trace's nodes for the example inputs; ``invents``: also inside captured
    branches and loops, for made-up data. ``twins`` are the objects of C that the program made, by
    identity, each with one that holds the example's data.
    """

    def __init__(self, trace: Any, *, invents: bool = False) -> None:
        self._trace, self._invents = trace, invents
        self._values: dict[Node, Any] = {}
        self.twins: dict[int, tuple[Any, Any]] = {}

    def of(self, node: Node) -> Any:
        """The value. Raises ``LookupError`` if it depends on what is inside a captured branch or
        loop, and whatever an operator raises.
        """
        self._values.update({leaf.node: leaf.value for leaf in self._trace.leaves if leaf.node is not None})
        self._values.update({place.node: place.array for place in self._trace.recorder.placeholders if place.node is not None})
        pending = [node]
        while pending:
            last = pending[-1]
            missing = [each for each in last.all_input_nodes if each not in self._values]
            if last in self._values or not missing:
                pending.pop()
                if last not in self._values:
                    self._values[last] = self._computed(last)
            else:
                pending += missing
        return self._values[node]

    def _computed(self, node: Node) -> Any:
        if node.op != "call_function":
            return self._invented(node)
        args, kwargs = map_nodes((node.args, node.kwargs), self._values.__getitem__)
        return node.target.computing(node)(*args, **kwargs)  # type: ignore[union-attr]

    def _invented(self, node: Node) -> Any:
        """An array for what every iteration finds anew."""
        val = node.meta["val"]
        if not self._invents or type(val) is not TensorMeta or val.dtype.kind not in "biufc":
            raise LookupError(node.name)
        numbers = np.random.default_rng(len(self._values)).integers(0, 100, [*map(example_size, val.shape)])
        made = (numbers % 2 if val.dtype.kind == "b" else numbers / 8 if val.dtype.kind in "fc" else numbers).astype(val.dtype)
        return made[()] if val.scalar else made

    def operand(self, value: Any) -> Any:
        """A proxy or a number as the example's data give it, in memory of its own; all else itself.

        Raises ``LookupError``: they do not give it.
        """
        if type(value) is not ArrayProxy and type(value) is not ScalarProxy and not is_symbolic(value):
            return value
        if is_symbolic(value):
            return self.of(self._trace.recorder.sizes.node(value))
        found = np.array(self.of(value.node()))
        return found if type(value) is ArrayProxy else found[()]
