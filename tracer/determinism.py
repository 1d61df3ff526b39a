"""Whether the order of sets reaches the result: the program is traced again with other orders, and the graphs are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.program import ExportedProgram
from npexport.symshapes.errors import ExportError, Unsupported, blamed
from npexport.tracer.effects.orders import Orders, Permutation, Place
from npexport.tracer.trace import UserException

_PERMUTATIONS: tuple[Permutation, ...] = (lambda items: items[::-1], lambda items: items[1:] + items[:1])
"""The first exchanges every two items, the second moves every one."""


def require_one_order(places: list[Place], program: ExportedProgram, again: Callable[[Orders], ExportedProgram]) -> None:
    """Raises ``Unsupported`` (E109) where the program depends on the order of a set that it goes over at one of the ``places``.

    ``again(orders)`` traces the program once more.
    """
    if not places:
        return
    meanings = Meanings()
    wanted = meanings.of_program(program)

    def gives(orders: Orders) -> bool:
        try:
            return bool(meanings.of_program(again(orders)) == wanted)
        except (ExportError, UserException):
            return False

    for permute in _PERMUTATIONS:
        if not gives(Orders(permute)):
            guilty = (place for place in places if not gives(Orders(permute, place)))
            raise _refusal(next(guilty, places[0]))


def _refusal(place: Place) -> Unsupported:
    return Unsupported(
        "E109",
        "the result depends on the order of a set of strings or objects, which differs from process to process",
        hint="Go over sorted(names), or keep the items in a list or the keys of a dict, which have an order of their own.",
        location=blamed(place),
        user_stack=place,
    )


class Meanings:
    """Numbers for what programs compute: equal numbers mean the same, whatever the order of the nodes and their names."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def of_program(self, program: ExportedProgram) -> Any:
        """The meaning of a program, to be compared with others of the same ``Meanings``."""
        signature = program.graph_signature
        arrays = {**program.state_dict, **program.constants}
        inputs = []
        for position, spec in enumerate(signature.input_specs):
            held = arrays.get(spec.target) if spec.target is not None else None
            inputs.append((spec.kind, position if held is None else _content(held), spec.same_as is None, spec.layout))
        outputs = self._of_graph(program.graph, inputs)
        specs = tuple([(spec.kind, spec.rebinds, spec.alias is None) for spec in signature.output_specs])
        guards = frozenset(str(guard.truth) for guard in program.guards)
        return outputs, specs, repr(program.call_spec.out_spec), guards

    def _of_graph(self, graph: Graph, inputs: list[Any]) -> Any:
        known: dict[Node, int] = {}
        for position, node in enumerate(graph.placeholders):
            known[node] = self._number(("placeholder", inputs[position] if inputs else position))
        for node in graph:
            if node.op == CALL:
                known[node] = self._number((node.target, self._of(node.args, known), self._of(node.kwargs, known)))
        return self._of(graph.output_node.args, known)

    def _number(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _of(self, value: Any, known: dict[Node, int]) -> Any:
        if isinstance(value, Node):
            return known[value]
        if isinstance(value, (tuple, list)):
            return type(value).__name__, tuple([self._of(item, known) for item in value])
        if isinstance(value, dict):
            return "dict", tuple([(key, self._of(item, known)) for key, item in value.items()])
        if isinstance(value, slice):
            return "slice", self._of((value.start, value.stop, value.step), known)
        if isinstance(value, Graph):
            return self._of_graph(value, [])
        return type(value).__name__, repr(value)


def _content(array: np.ndarray[Any, Any]) -> Any:
    return array.dtype, array.shape, array.tobytes()
