"""Along which dims a program keeps rows apart: a proof from the records of its operators.

The program is gone through once for each named dim. Of every node it is known whether it is the
same whatever the rows are, holds rows along one axis, or depends on how many rows there are. What
an operator makes of these is stated in its record (``rows=``, `npexport.ir.rows`); one that states
nothing couples rows, and so do guards about the size. What a program writes to its state or inputs
is an output as others: it keeps rows apart or is the same whatever they are. Only calls of parts
are not one call then (`effect`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.rows import NUMBER, Coupled, RowCall, Rows, State, standing, symbols_of
from npexport.ir.signature import MUTATIONS
from npexport.symshapes.errors import Location

if TYPE_CHECKING:
    from npexport.ir.program import ExportedProgram


@dataclass(frozen=True)
class Coupling:
    """Why rows along a dim depend on each other.

    Parameters
    ----------
    dim : str
        The name of the ``Dim``.
    what : str
        The operator, as it is printed, or what else couples them.
    reason : str
        How.
    location : Location, optional
        The user's line.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> rows = npexport.Dim("rows")
    >>> program = npexport.export(lambda x: x - x.mean(0), (np.zeros((4, 2)),), dynamic_shapes=({0: rows},))
    >>> why = program.coupling("rows")
    >>> why.what, why.reason
    ('ops.np.mean', 'it reduces axis 0, along which the rows stand')
    """

    dim: str
    what: str
    reason: str
    location: Location | None = None

    def __str__(self) -> str:
        text = f"{self.what} couples rows along {self.dim!r}: {self.reason}"
        return text if self.location is None else f"{text}\n{self.location.render()}"


class _Found(Exception):
    """A coupling, as it propagates out of sub-graphs."""

    def __init__(self, node: Node | None, what: str, reason: str) -> None:
        super().__init__(reason)
        stack = node.meta.get("stack_trace", ()) if node is not None else ()
        self.what, self.reason, self.location = what, reason, stack[-1] if stack else None


@dataclass
class Proof:
    """What is proved about one dim.

    ``inputs`` and ``outputs`` are the states of the graph's inputs and outputs, ``rounded`` the
    calls that may be rounded differently if there are fewer rows.
    """

    name: str
    symbol: str
    inputs: list[State] = field(default_factory=list)
    outputs: list[State] = field(default_factory=list)
    rounded: list[Node] = field(default_factory=list)


def named_dims(program: ExportedProgram) -> dict[str, str]:
    """The named dims of a program and their symbols, in the order of the inputs."""
    symbols = [symbol for env in program.graph.environments() for symbol in env.symbols.values()]
    return {symbol.dim: symbol.name for symbol in symbols if symbol.dim}


def prove(program: ExportedProgram, dim: str, symbol: str) -> Proof | Coupling:
    """That the program keeps rows along a dim apart, or what couples them."""
    proof = Proof(dim, symbol)
    try:
        if program.call_spec.out_spec.is_open:
            raise _Found(None, "the result", "how long it is, or which of several values, only its rows together may say")
        for guard in program.guards:
            if symbol in guard.truth.symbols:
                raise _Found(None, f"the guard `{guard.text}`", "it is about the size of the dim")
        proof.inputs = [_input(node, symbol) for node in program.graph.placeholders]
        proof.outputs = _states_of(program.graph, proof.inputs, proof)
        for node, state in zip(_values(program.graph), proof.outputs, strict=True):
            if state is NUMBER or (isinstance(state, Rows) and state.numbers):
                raise _Found(node if type(node) is Node else None, "a result", "it depends on how many rows there are")
    except _Found as found:
        return Coupling(dim, found.what, found.reason, found.location)
    return proof


def _values(graph: Graph) -> Sequence[Any]:
    values: Sequence[Any] = graph.output_node.args[0]
    return values


def _input(node: Node, symbol: str) -> State:
    value = node.meta.get("val")
    if not isinstance(value, TensorMeta):
        return NUMBER if symbol in symbols_of(value) else None
    try:
        return standing(value, symbol)
    except Coupled as coupled:
        raise _Found(node, f"the input {node.name!r}", str(coupled)) from None


def effect(program: ExportedProgram, dim: str) -> Coupling | None:
    """Why calls of parts of the rows are not one call though rows are independent: a write to state
    or to an input.
    """
    for spec, value in zip(program.graph_signature.output_specs, _values(program.graph), strict=True):
        if spec.kind in MUTATIONS:
            found = _Found(value if type(value) is Node else None, f"the write to {spec.target!r}", "each call does it once")
            return Coupling(dim, found.what, found.reason, found.location)
    return None


def _states_of(graph: Graph, inputs: Sequence[State], proof: Proof) -> list[State]:
    """The states of the outputs of a graph."""
    states: dict[Node, State] = dict(zip(graph.placeholders, inputs, strict=True))
    for node in graph.nodes:
        if node.op == CALL:
            try:
                states[node] = _state(node, states, proof)
            except Coupled as coupled:
                raise _Found(node, str(node.target), str(coupled)) from None
    return [states[value] if type(value) is Node else None for value in _values(graph)]


def _state(node: Node, states: dict[Node, State], proof: Proof) -> State:
    op: Any = node.target
    several = isinstance(node.meta.get("val"), (tuple, list))
    found: State = [None] * len(node.meta["val"]) if several else None
    if any(not _is_same(states[operand]) for operand in node.all_input_nodes):
        if op.rows is None:
            raise Coupled("its record does not say that it keeps rows apart")
        call = RowCall(node, proof.symbol, states, lambda module, given: _states_of(module.graph, given, proof))
        found = op.rows(call)
        if call.rounds:
            proof.rounded.append(node)
    for state, meta in _pairs(found, node.meta.get("val")):
        _require_fit(state, meta, proof.symbol)
    return found


def _is_same(state: State) -> bool:
    return all(each is None for each in state) if isinstance(state, list) else state is None


def _pairs(state: State, meta: Any) -> Iterator[tuple[State, Any]]:
    if isinstance(meta, (tuple, list)):
        if not isinstance(state, list) or len(state) != len(meta):
            raise Coupled("its record says nothing about some of its results")
        for one, other in zip(state, meta, strict=True):
            yield from _pairs(one, other)
    else:
        yield state, meta


def _require_fit(state: State, meta: Any, symbol: str) -> None:
    """What a record says is held to the shape: rows stand where the size of the dim stands."""
    if not isinstance(meta, TensorMeta):
        if (symbol in symbols_of(meta)) != (state is NUMBER) and state is not NUMBER:
            raise Coupled("its result depends on how many rows there are")
        if isinstance(state, Rows):
            raise Coupled("it makes one number of all rows")
        return
    rows = standing(meta, symbol)
    if state is NUMBER or (state is None) != (rows is None) or (rows is not None and rows != state._replace(numbers=False)):
        raise Coupled("its result has the size of the dim elsewhere")
