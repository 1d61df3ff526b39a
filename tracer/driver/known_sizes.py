"""What a traced decomposition knows of the sizes of its operands, and whether a program knows it
too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.machine_integers import INT64, is_count
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import InputKind
from npexport.symshapes.expr import eq, ge0
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.symint import SymFloat, SymInt


def left_open(sub: ExportedProgram, operands: list[Node]) -> str | None:
    """The first thing that the trace has found out about sizes of operands and that the program
    does not know; ``None`` where it knows all.
    """
    values = [value for operand in operands for value in shape_of(operand.meta["val"]) if isinstance(value, (SymInt, SymFloat))]
    if not values:
        return None
    env, counts = values[0].env, [value.expression for value in values if type(value) is SymInt and is_count(value)]
    held = {truth for count in counts for truth in _within(count, INT64)}
    return next((text for truth, text in _needed(sub, operands) if truth not in held and env.decide(truth) is not True), None)


def _needed(sub: ExportedProgram, operands: list[Node]) -> Iterator[tuple[Any, str]]:
    expressions = expressions_of(operands)

    def here(value: Any) -> Any:
        return substitute(getattr(value, "expression", value), expressions)

    for guard in sub.guards:
        yield here(guard.truth), str(guard)
    for node, operand in zip([node for node, _ in given_to(sub)], operands, strict=True):
        for axis, (mine, theirs) in enumerate(zip(shape_of(node.meta["val"]), shape_of(operand.meta["val"]), strict=True)):
            if type(theirs) is not SymFloat:
                yield eq(here(mine), getattr(theirs, "expression", theirs)), f"{operand.name}.shape[{axis}] == {mine}"
    for size, found in sub.ranges.items():
        if size.symbols <= expressions.keys():
            for truth in _within(here(size), found):
                yield truth, f"{size} in {found}"


def expressions_of(operands: list[Node]) -> dict[str, Any]:
    """What the symbols of a decomposition are: they count the dynamic sizes, and the floats, of the
    operands.
    """
    values = [number for operand in operands for number in shape_of(operand.meta["val"])]
    kinds = {letter: [value for value in values if isinstance(value, kind)] for letter, kind in (("s", SymInt), ("f", SymFloat))}
    return {f"{letter}{index}": value.expression for letter, found in kinds.items() for index, value in enumerate(found)}


def _within(size: Any, bounds: Any) -> list[Any]:
    low = [ge0(size - bounds.lower)] if isinstance(bounds.lower, int) else []
    return [*low, ge0(bounds.upper - size)] if isinstance(bounds.upper, int) else low


def shape_of(value: Any) -> tuple[Any, ...]:
    """The sizes of an array; a size that is an operand itself."""
    return value.shape if isinstance(value, TensorMeta) else (value,)


def given_to(sub: ExportedProgram) -> list[tuple[Node, Any]]:
    """The inputs of a decomposition that stand for operands, and their specifications."""
    pairs = zip(sub.graph.placeholders, sub.graph_signature.input_specs, strict=True)
    return [(node, spec) for node, spec in pairs if spec.kind is InputKind.USER_INPUT]
