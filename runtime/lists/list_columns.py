"""Which values leave a program as lists of Python's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from npexport.ir.graph import Node
from npexport.ir.list_of_rows import OF_ROWS, ListOfRows, numbers_in
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import MUTATIONS, OutputKind


def columns_of(program: ExportedProgram) -> dict[Node, str]:
    """The values that leave a program once, as a column of a list."""
    pairs = zip(program.graph_signature.output_specs, program.graph.output_node.args[0], strict=True)
    values = [value for spec, value in pairs if spec.kind is OutputKind.USER_OUTPUT]
    kinds = list(_leaves(program.call_spec.out_spec))
    times = Counter([value for value in program.graph.output_node.args[0] if type(value) is Node])
    once = {value for value, count in times.items() if count == 1}
    if len(kinds) != len(values):
        return {}
    return {value: kind for value, kind in zip(values, kinds, strict=True) if type(value) is Node and value in once and kind}


def columns_of_numbers(program: ExportedProgram) -> set[Node]:
    """The values that leave a program that writes to nothing, once, as Python numbers of a list."""
    if any(spec.kind in MUTATIONS for spec in program.graph_signature.output_specs):
        return set()
    return {value for value, kind in columns_of(program).items() if kind == "number"}


def _leaves(spec: TreeSpec) -> Iterator[str]:
    if spec.type is None:
        yield ""
    elif spec.type is ListOfRows:
        context = spec.context[1] if spec.context[0] in OF_ROWS else spec.context
        numbers = numbers_in(context)
        plain = "one" not in repr(context)
        yield from [number if plain and number != "array" else "" for number in numbers]
    else:
        for child in spec.children:
            yield from _leaves(child)
