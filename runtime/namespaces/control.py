"""Sizes, checks, branches and loops: what is Python in every namespace."""

from __future__ import annotations

from typing import Any

from npexport.runtime.kernels import control as checks
from npexport.runtime.namespaces.space import Space, row


@row("sym.size")
def size(space: Space, meta: Any, x: Any, dim: int) -> int:
    return int(x.shape[dim])


@row("sym.item")
def item(space: Space, meta: Any, values: Any, index: int) -> Any:
    return values[index]


@row("sym.checkpoint", "control.module_call")
def nothing(space: Space, meta: Any, *args: Any) -> None:
    """A call that raises leaves all state as it was."""


@row("sym.element", needs="reshape")
def element(space: Space, meta: Any, x: Any) -> int:
    return int(space.function("reshape")(x, ()))


@row("sym.floating", needs="reshape")
def floating(space: Space, meta: Any, x: Any) -> float:
    return float(space.function("reshape")(x, ()))


@row("sym.truth", needs="reshape")
def truth(space: Space, meta: Any, x: Any, /) -> bool:
    return bool(space.function("reshape")(x, ()) if space.is_array(x) else x)


@row("control.check")
def check(space: Space, meta: Any, condition: Any, error: Any, args: Any, /) -> None:
    checks.check(truth(space, None, condition), error, args)


@row("control.warn")
def warn(space: Space, meta: Any, condition: Any, category: Any, text: Any, /) -> None:
    checks.warn(truth(space, None, condition), category, text)


@row("control.chosen")
def chosen(space: Space, meta: Any, pred: Any, one: Any, other: Any, /) -> Any:
    return one if truth(space, None, pred) else other


@row("control.cond")
def cond(space: Space, meta: Any, pred: Any, true_graph: Any, false_graph: Any, operands: Any, /) -> Any:
    return (true_graph if truth(space, None, pred) else false_graph)(*operands)


@row("control.while_loop")
def while_loop(space: Space, meta: Any, cond_graph: Any, body_graph: Any, carried: Any, operands: Any, /) -> Any:
    while truth(space, None, cond_graph(*carried, *operands)[0]):
        carried = body_graph(*carried, *operands)
    return carried
