"""The result of `ExportedProgram.independent_dims`: the proof in terms of the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npexport.ir.graph import Node
from npexport.ir.independence import Coupling, Proof, named_dims, prove
from npexport.ir.program import ExportedProgram
from npexport.ir.rows import Rows
from npexport.ir.verifier import require_valid
from npexport.runtime.calling import Leaf, slots_of
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import TEXT, takes


@dataclass(frozen=True)
class IndependentDim:
    """A dim along which every output row depends only on the same rows of the inputs.

    So the program may be called with parts of the rows: its results are parts of the results. (One
    that writes to its state or inputs would write in each of these calls: ``chunks=`` refuses it.)

    Parameters
    ----------
    name : str
        The name of the ``Dim``.
    inputs : dict of str to int
        The inputs that hold rows, as error messages name them, and the axis along which they stand.
    outputs : dict of str to int
        The same of the outputs: ``result``, ``result[0]``, ``result['mask']``. All others are the
        same for all parts.
    exact : bool
        Whether parts are equal bit for bit. Where it is false the program has sums of floats along
        other axes, which libraries may order by the number of rows (BLAS does so in matrix
        products): parts are equal within the rounding of such sums.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros((4, 2)),), dynamic_shapes=({0: npexport.Dim("rows")},))
    >>> program.independent_dims()
    {'rows': IndependentDim(name='rows', inputs={'x': 0}, outputs={'result': 0}, exact=True)}
    """

    name: str
    inputs: dict[str, int]
    outputs: dict[str, int]
    exact: bool


@dataclass(frozen=True)
class Split:
    """How inputs are cut along a dim, and results assembled: by the numbers of the leaves.

    ``inputs``: leaf -> (axis, how many elements a row has there); ``outputs``: the same for
    outputs.
    """

    public: IndependentDim
    inputs: dict[int, tuple[int, int]]
    outputs: dict[int, int]


def independent_dims(program: ExportedProgram) -> dict[str, IndependentDim]:
    """The named dims along which rows do not affect one another."""
    require_valid(program)
    return {dim: found.public for dim in named_dims(program) if isinstance(found := split(program, dim), Split)}


@takes(dim=TEXT)
def coupling(program: ExportedProgram, dim: str) -> Coupling | None:
    """What couples rows along a dim. Raises ``UserError`` (E201) if no size has this name."""
    require_valid(program)
    found = split(program, dim)
    return found if isinstance(found, Coupling) else None


def leaves_of(program: ExportedProgram) -> list[Leaf]:
    """The leaves of the inputs that the call gives, in order."""
    slots = slots_of(program.call_spec, program.graph, program.graph_signature)
    return [leaf for slot in slots for leaf in slot.leaves]


def split(program: ExportedProgram, dim: str) -> Split | Coupling:
    """How the program is cut along a dim, or why it cannot be. Raises ``UserError`` (E201) if no
    size has this name.
    """
    dims = named_dims(program)
    if dim not in dims:
        raise UserError("E201", f"no size of the program has the name {dim!r}: it has {', '.join(map(repr, dims)) or 'none'}")
    found = prove(program, dim, dims[dim])
    if isinstance(found, Coupling):
        return found
    return _split(program, found)


def _split(program: ExportedProgram, proof: Proof) -> Split:
    states: dict[Node, Any] = dict(zip(program.graph.placeholders, proof.inputs, strict=True))
    leaves = leaves_of(program)
    rows = {i: states[leaf.node] for i, leaf in enumerate(leaves) if isinstance(states.get(leaf.node), Rows)}
    paths = program.call_spec.out_spec.paths("result")
    results = proof.outputs[len(proof.outputs) - len(paths) :]
    outputs = {i: state.axis for i, state in enumerate(results) if isinstance(state, Rows)}
    public = IndependentDim(
        proof.name,
        {leaves[i].path: state.axis for i, state in rows.items()},
        {paths[i]: axis for i, axis in outputs.items()},
        not proof.rounded,
    )
    return Split(public, {i: (state.axis, state.each.const) for i, state in rows.items()}, outputs)
