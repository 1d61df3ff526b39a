"""Dead code: calls that neither an output nor a guard needs, and that never raise."""

from __future__ import annotations

from npexport.ir.graph import CALL
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import InputKind


def dead_code(program: ExportedProgram) -> None:
    """Drop the calls that no output needs, no guard looks at and that never raise, and the
    constants that nothing uses any more.

    Other inputs stay: they are the program's interface.
    """
    graph, signature = program.graph, program.graph_signature
    needed = graph.needed(graph.asked)
    constants = {spec.arg.name: spec for spec in signature.input_specs if spec.kind is InputKind.CONSTANT_TENSOR}
    unused = {node.name for node in graph.placeholders if node.name in constants and node not in needed}
    graph.keep(node for node in graph.nodes if node in needed or (node.op != CALL and node.name not in unused))
    signature.input_specs[:] = [spec for spec in signature.input_specs if spec.arg.name not in unused]
    for spec in signature.input_specs:
        spec.overlaps = tuple([(name, offset) for name, offset in spec.overlaps if name not in unused])
    targets = {spec.target for spec in signature.input_specs}
    for name in unused:
        target = constants[name].target
        if target not in targets:
            program.constants.pop(target or "", None)
