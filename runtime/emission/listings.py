"""The lines of a call about arrays that lists of the state hold, and others too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from npexport.ir.graph import Node
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import InputKind, OutputKind, OutputSpec
from npexport.runtime.emission.emit import Source
from npexport.runtime.listed_arrays import RESULT


def named_if_any(program: ExportedProgram, source: Source) -> str:
    """The global name of a module's `ListedArrays`; empty if the program needs none."""
    inputs, outputs = program.graph_signature.input_specs, program.graph_signature.output_specs
    return source.fresh("s") if any([*[spec.listed for spec in inputs], *[spec.listed for spec in outputs]]) else ""


def beginning(listed: str, program: ExportedProgram, names: Mapping[Node, str], written: Iterable[str], source: Source) -> list[str]:
    """The line that looks at these arrays, and adds the inputs of this call. ``written``: the names
    of what it writes to.
    """
    if not listed:
        return []
    inputs = [(names[node], spec) for node, spec in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True)]
    given = [(name, spec.target or spec.arg.name) for name, spec in inputs if spec.listed]
    state = [name for name, spec in inputs if spec.kind is InputKind.BUFFER]
    told = source.bind(tuple([path for _, path in given]))
    return [f"{listed}.begin({_tuple(name for name, _ in given)}, {told}, {_tuple(written)}, {_tuple(state)})"]


def noting(listed: str, leaving: Iterable[tuple[OutputSpec, str]], source: Source) -> list[str]:
    """The line that adds what leaves the program."""
    found = [(text, RESULT if spec.kind is OutputKind.USER_OUTPUT else spec.target) for spec, text in leaving if spec.listed]
    return [f"{listed}.note({_tuple(text for text, _ in found)}, {source.bind(tuple([path for _, path in found]))})"] if found else []


def _tuple(texts: Iterable[str]) -> str:
    return f"({''.join(f'{text}, ' for text in texts)})"
