"""The layout of arrays that the first call is assumed to find.

Laws, unless the first call makes arrays with the layout of the assumed ones for every input:

1. Every call, also the first one, leaves an array with the assumed layout. Inputs that decide it
   must have the layout of the example.
2. The layout of what the first call returns is that which follows from the assumed array, whatever
   decides it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from npexport.ir.program import ExportedProgram
from npexport.runtime.entry.checks import has_layout
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.driver.determinism import Meanings
from npexport.tracer.driver.trace import Trace
from npexport.tracer.effects.settled_lists import CannotSettle


def same_layouts(first: ExportedProgram, same: ExportedProgram) -> bool:
    """Whether two programs compute the same for arrays of equal layouts."""
    meanings = Meanings(layouts=True)
    return bool(meanings.of_program(first) == meanings.of_program(same))


def require_layouts(assumed: dict[str, np.ndarray[Any, Any]], firsts: tuple[Trace, Trace], later: Trace, program: ExportedProgram) -> None:
    """Check the laws, for arrays by path.

    ``firsts``: the first call as it is, and as it is assumed to be. ``later``: the trace of the
    program. Raises `CannotSettle` if a law does not hold.
    """
    if not assumed:
        return
    first, same = firsts
    for mine, other in zip(first.given, same.given, strict=True):
        if mine.ndim > 1 and _rule(mine) != _rule(other):
            if mine.storage.layout.order != other.storage.layout.order:
                raise CannotSettle
            first.recorder.layouts.ask(mine)
            same.recorder.layouts.ask(other)
    for trace in (first, later):
        for path in assumed.keys() & trace.left.keys():
            if not has_layout(trace.recorder.layouts.ask(trace.left[path]), assumed[path].strides):
                raise CannotSettle(path)
    for trace in (first, same, later):
        conditions = trace.recorder.layouts.conditions.items()
        inputs = [(trace.recorder.use(held), condition.order) for held, condition in conditions if held.kind is Kind.INPUT]
        _require_orders(program, {node.name: order for node, order in inputs})


def _rule(value: Any) -> Any:
    """What decides the layout of a result."""
    layout = value.storage.layout
    return layout.known, layout.order, sorted([held.path for held in layout.depends])


def _require_orders(program: ExportedProgram, orders: dict[str, Any]) -> None:
    """Require the inputs of the program of these names to have this layout."""
    specs = program.graph_signature.input_specs
    for index, spec in enumerate(specs):
        order = orders.get(spec.arg.name)
        if order is None or spec.layout == order:
            continue
        if spec.layout is not None:
            raise CannotSettle
        specs[index] = dataclasses.replace(spec, layout=order)
