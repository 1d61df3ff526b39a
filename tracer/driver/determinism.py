"""Finds out whether the order of sets reaches the result: the program is traced again with other
orders, and the graphs are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import structural_key
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.graph import CALL, Graph, GraphModule, Node, map_nodes
from npexport.ir.meta import TensorMeta, content
from npexport.ir.op import Op
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import InputKind, OutputKind
from npexport.runtime.memory.layouts import size_key
from npexport.symshapes.errors import ExportError, Unsupported, blamed
from npexport.tracer.driver.trace import UserException
from npexport.tracer.effects.set_order import Orders, Permutation, Place

_PERMUTATIONS: tuple[Permutation, ...] = (lambda items: items[::-1], lambda items: items[1:] + items[:1])
"""The first exchanges every two items, the second moves every one."""


def require_one_order(places: list[Place], program: ExportedProgram, again: Callable[[Orders], ExportedProgram]) -> None:
    """Raises ``Unsupported`` (E109) if the program depends on the order of a set that it iterates
    over at one of the ``places``.

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
        hint="Iterate over sorted(names), or keep the items in a list or the keys of a dict, which have an order of their own.",
        location=blamed(place),
        user_stack=place,
    )


_STATE = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)


class Meanings:
    """Value numbering of programs: equal numbers mean equal values, whatever the order of the nodes
    and their names.

    ``memory``: whether copies are distinguished from what they copy. ``layouts``: whether arrays of
    different layouts are distinguished, also where a loop takes one number of them.
    """

    def __init__(self, *, memory: bool = True, layouts: bool = False) -> None:
        self._numbers: dict[Any, int] = {}
        self._memory = memory
        self._layouts = layouts

    def of_program(self, program: ExportedProgram) -> Any:
        """The meaning of a program, to be compared with others of the same ``Meanings``."""
        signature = program.graph_signature
        arrays = {**program.state_dict, **program.constants}
        inputs = []
        user = 0
        for spec in signature.input_specs:
            held = arrays.get(spec.target) if spec.target is not None else None
            user += spec.kind is InputKind.USER_INPUT
            if held is not None and spec.kind is InputKind.CONSTANT_TENSOR:
                inputs.append(held)
                continue
            what = user if held is None else (_content(held), spec.target)
            inputs.append((spec.kind, what, spec.same_as is None, spec.layout))
        outputs = self._of_graph(program.graph, inputs)
        specs = tuple(
            [(spec.kind, spec.target if spec.kind in _STATE else None, spec.rebinds, spec.alias is None) for spec in signature.output_specs]
        )
        guards = frozenset(str(guard.truth) for guard in program.guards)
        return outputs, specs, repr(program.call_spec.out_spec), guards

    def _of_graph(self, graph: Graph, inputs: list[Any]) -> Any:
        known: dict[Node, int] = {}
        data: dict[Node, Any] = {}
        for position, node in enumerate(graph.placeholders):
            what = inputs[position] if inputs else position
            if isinstance(what, np.ndarray):
                data[node] = what
                what = _content(what)
            known[node] = self._number(("placeholder", what))
        for node in graph:
            if node.op == CALL:
                computed = _computed(node, data, self._layouts)
                original = None if self._memory else _original(node)
                if original is not None:
                    known[node] = known[original]
                elif computed is None:
                    args = [_operand(arg, node, data, self._layouts) for arg in node.args]
                    known[node] = self._number((node.target, self._of(args, known), self._of(node.kwargs, known)))
                else:
                    data[node] = computed
                    known[node] = self._number(("placeholder", _content(computed)))
        raising = frozenset(known[node] for node in graph if node.meta.get("raises") and not is_checkpoint(node))
        return self._of(graph.output_node.args, known), raising

    def _number(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _of(self, value: Any, known: dict[Node, int]) -> Any:
        def key(leaf: Any) -> Any:
            if isinstance(leaf, Node):
                return known[leaf]
            if isinstance(leaf, GraphModule):
                return self._of_graph(leaf.graph, [])
            # A set's text follows the order of its members, which no result has.
            return type(leaf).__name__, tuple(sorted(map(repr, leaf))) if isinstance(leaf, (set, frozenset)) else repr(leaf)

        return structural_key(value, key)


def _original(node: Node) -> Any:
    """The array whose elements a call only copies to other memory; ``None`` if there is none."""
    if node.target is ops.np.copy:
        return node.args[0]
    if node.target is ops.np.setitem and node.args[1] is Ellipsis and isinstance(node.args[2], Node):
        value, whole = node.args[2].meta["val"], node.meta["val"]
        same = isinstance(value, TensorMeta) and value.dtype == whole.dtype and size_key(value) == size_key(whole)
        return node.args[2] if same else None
    return None


def _computed(node: Node, data: dict[Node, Any], layouts: bool) -> Any:
    """The data that a call computes of known data; ``None`` if they, or a layout, are unknown."""
    op, meta = node.target, node.meta["val"]
    if not isinstance(op, Op) or not isinstance(meta, TensorMeta) or not all(type(size) is int for size in meta.shape):
        return None
    if "blank" in op.traits and not (layouts and node.all_input_nodes):
        return np.zeros(meta.shape, meta.dtype)
    if node.meta.get("raises") or op.namespace != "np" or any(operand not in data for operand in node.all_input_nodes):
        return None
    args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: data[operand])
    return np.asarray(op.kernel(*args, **kwargs))


def _operand(arg: Any, node: Node, data: dict[Node, Any], layouts: bool) -> Any:
    """The number, for an operand that is known to consist of one repeated number: however it is
    written, the loop computes the same.
    """
    if not isinstance(node.target, Op) or "plain_loop" not in node.target.traits or node.kwargs or len(node.args) != 2:
        return arg
    result = node.meta["val"]
    others = [other for other in node.args if other is not arg and isinstance(other, Node)]
    if len(others) != 1 or not isinstance(others[0].meta["val"], TensorMeta) or size_key(others[0].meta["val"]) != size_key(result):
        return arg
    dtype = others[0].meta["val"].dtype
    array: Any = data.get(arg) if isinstance(arg, Node) else arg
    if isinstance(array, np.ndarray):
        if layouts and not array.flags.c_contiguous:
            return arg
        if array.dtype != dtype or not array.size or array.tobytes() != array.reshape(-1)[:1].tobytes() * array.size:
            return arg
        array = array.reshape(-1)[0]
    if type(array) in (int, float, np.int64, np.float64) and (dtype == np.float64 or type(array) in _INTEGERS and dtype == np.int64):
        return _As(dtype, float(array).hex() if dtype == np.float64 else int(array))
    return arg


_INTEGERS = (int, np.int64)


class _As(NamedTuple):
    dtype: Any
    value: Any


def _content(array: np.ndarray[Any, Any]) -> Any:
    return array.dtype, array.shape, content(array), array.flags.f_contiguous and not array.flags.c_contiguous
