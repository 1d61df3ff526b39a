"""Exported programs as text: the graph, the signature as a table, ranges and guards."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from npexport.ir.argument_specs import ArgumentSpec, ConstantArgument
from npexport.ir.printing import INDENT, graph_module_code, indent
from npexport.ir.protocols import Program
from npexport.ir.signature import ExportGraphSignature, InputSpec, OutputSpec
from npexport.symshapes.plain import plain_lines


def range_text(ranges: Mapping[Any, Any]) -> str:
    """``{s0: VR[3, 6], s0 + 1: VR[4, 7]}``."""
    return "{" + ", ".join(f"{symbol}: {bounds}" for symbol, bounds in ranges.items()) + "}"


def signature_table(signature: ExportGraphSignature) -> str:
    """One line for each input and output: its name (a constant output: its value), its kind, and
    the other fields that are set.
    """
    rows: tuple[list[tuple[str, InputSpec | OutputSpec]], ...] = (
        [("input", spec) for spec in signature.input_specs],
        [("output", spec) for spec in signature.output_specs],
    )
    cells = [(place, _argument_text(spec.arg), spec.kind.name, _set_fields(spec)) for place, spec in itertools.chain(*rows)]
    widths = [max((len(row[column]) for row in cells), default=0) for column in range(3)]
    return "\n".join(" ".join(map(str.ljust, row, (*widths, 0))).rstrip() for row in cells)


def _argument_text(arg: ArgumentSpec) -> str:
    if not isinstance(arg, ConstantArgument):
        return arg.name
    return f"{arg.name}={arg.value!r}" if arg.name else repr(arg.value)


def _set_fields(spec: InputSpec | OutputSpec) -> str:
    shown = [(field, getattr(spec, field.name)) for field in fields(spec) if field.name not in ("kind", "arg")]
    return " ".join(f"{field.name}={value!r}" for field, value in shown if value is not None and value != field.default)


def program_text(program: Program) -> str:
    """The whole program: graph, signature, ranges, and the guards where there are any."""
    text = "ExportedProgram:\n" + indent(graph_module_code(program.graph))
    text += f"\nGraph signature:\n{indent(signature_table(program.graph_signature))}\n"
    text += f"Range constraints: {range_text(program.ranges)}\n"
    if program.guards:
        text += "Guards:\n" + "".join(f"{INDENT}{guard}\n" for guard in program.guards)
    return plain_lines(text)
