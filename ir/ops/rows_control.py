"""Where the rows of a dim are in the results of branches and loops."""

from __future__ import annotations

from typing import Any

from npexport.ir.rows import NUMBER, Coupled, RowCall, Rows, State
from npexport.symshapes.expr import integer


def _states(call: RowCall, args: Any) -> list[State]:
    return [call.state(arg) for arg in args]


def branches(call: RowCall) -> State:
    """One of two graphs, by a truth that is the same for all rows."""
    operands = _states(call, call["operands"])
    return _either(call, call.inner(call["true_graph"], operands), call.inner(call["false_graph"], operands))


def chosen(call: RowCall) -> State:
    """One of two arrays, by a truth that is the same for all rows."""
    return _either(call, call.state(call["one"]), call.state(call["other"]))


def _either(call: RowCall, one: State, other: State) -> State:
    call.same(call["pred"])
    if one != other:
        raise Coupled("its two sides have the rows in different places")
    return one


def iterations(call: RowCall) -> State:
    """A loop whose condition is the same for all rows."""
    carried, operands = _states(call, call["carried"]), _states(call, call["operands"])
    if call.inner(call["cond_graph"], carried + operands) != [None]:
        raise Coupled("how often it turns depends on the rows")
    if call.inner(call["body_graph"], carried + operands) != carried:
        raise Coupled("an iteration gives the rows in other places than it takes them")
    return carried


def scanned(call: RowCall) -> State:
    """Iterations along an axis: each row by itself where the axis is that of the rows and nothing
    is carried.
    """
    init, operands = _states(call, call.arguments.get("init", ())), _states(call, call["operands"])
    dim = call.arguments.get("dim", 0)
    graph = call["combine_graph"] if "combine_graph" in call.arguments else call["body_graph"]
    arrays = [(call.rows(x), dim % call.ndim(x)) for x in call["xs"]]
    if any(rows is not None and rows.axis == axis for rows, axis in arrays):
        return _each_row(call, graph, arrays, [*init, *operands], len(init))
    inside = [rows and rows._replace(axis=rows.axis - (rows.axis > axis)) for rows, axis in arrays]
    found = call.inner(graph, [*init, *inside, *operands])
    if found[: len(init)] != init:
        raise Coupled("an iteration gives the rows in other places than it takes them")
    return init + [_stacked(rows, dim) for rows in found[len(init) :]]


def _stacked(rows: State, dim: int) -> State:
    if rows is NUMBER:
        raise Coupled("it stacks the size of the dim")
    if rows is None:
        return None
    if dim < 0:
        raise Coupled("it stacks along an axis that is counted from the end")
    return rows._replace(axis=rows.axis + (rows.axis >= dim))


def _each_row(call: RowCall, graph: Any, arrays: list[tuple[Rows | None, int]], others: list[State], carries: int) -> State:
    if carries:
        raise Coupled("an iteration takes what the row before it gives")
    if any(state is not None for state in others) or any(
        rows is None or rows.axis != axis or rows.each != integer(1) for rows, axis in arrays
    ):
        raise Coupled("an iteration takes more than its own row")
    found = call.inner(graph, [None] * (len(arrays) + len(others)))
    if found != [None] * len(found):
        raise Coupled("an iteration takes more than its own row")
    return [Rows(0)] * len(found)
