"""Numbers after a loop of a known number of iterations that follow from the counter alone: they are
plain numbers, as if the iterations had been run one by one.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import CALL, Node
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymBool, SymInt, is_symbolic
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import Proxy
from npexport.tracer.interpreter.counting import Counting

UNKNOWN: Any = object()
"""Only the data know."""


def ends_by_count(entered: Counting, going: Any) -> bool:
    """Whether another iteration follows exactly as long as the counter says."""
    truth = entered.going()
    return type(going) is type(truth) is SymBool and going.expression == truth.expression


def finals(trips: int, leaves: list[tuple[Any, ...]]) -> list[Any]:
    """The values of leaves after the last of ``trips`` iterations, or `UNKNOWN`; each is given by
    its values before the first iteration, before any iteration, and after that.
    """
    last = {}
    for first, before, after in leaves:
        if type(before) is SymInt and type(first) is int and len(before.expression.symbols) == 1:
            step = after - before if type(after) is SymInt else UNKNOWN
            if type(step) is int:
                last[next(iter(before.expression.symbols))] = first + (trips - 1) * step
    return [_final(after, last) for _, _, after in leaves]


def _final(after: Any, last: dict[str, int]) -> Any:
    if type(after) is SymInt:
        return evaluate(after.expression, last) if after.expression.symbols <= last.keys() else UNKNOWN
    return UNKNOWN if is_symbolic(after) or isinstance(after, Proxy) else after


def varies(recorder: Recording, nodes: Any) -> bool:
    """Whether some of the nodes depend on anything that is unknown during the export."""
    literals = recorder.literals
    pending, seen = [node for node in nodes if type(node) is Node], set()
    while pending:
        node = pending.pop()
        if node in seen or node in literals:
            continue
        seen.add(node)
        if node.op != CALL:
            return True
        pending += node.all_input_nodes
    return False
