"""Sizes, checks, branches and loops: plain Python in every namespace."""

from __future__ import annotations

from typing import Any

from npexport.ir.meta import TensorMeta
from npexport.runtime.kernels import control as checks
from npexport.runtime.namespaces.space import Space, row


@row("sym.size")
def size(space: Space, meta: Any, x: Any, dim: int) -> int:
    return int(x.shape[dim])


@row("sym.item")
def item(space: Space, meta: Any, values: Any, index: int) -> Any:
    return values[index]


@row("control.module_call")
def nothing(space: Space, meta: Any, *args: Any) -> None:
    """What it says is for those who look at the graph."""


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
def check(space: Space, meta: Any, condition: Any, error: Any, args: Any, chain: Any = (), attributes: Any = (), /) -> None:
    checks.check(truth(space, None, condition), error, args, chain, attributes)


@row("control.warn")
def warn(space: Space, meta: Any, condition: Any, category: Any, text: Any, /) -> None:
    checks.warn(truth(space, None, condition), category, text)


@row("control.chosen")
def chosen(space: Space, meta: Any, pred: Any, one: Any, other: Any, /) -> Any:
    return one if truth(space, None, pred) else other


@row("control.with_room", needs="concat zeros")
def with_room(space: Space, meta: Any, x: Any, count: int, /) -> Any:
    if count <= x.shape[0]:
        return x
    more = max(count - x.shape[0], x.shape[0])
    return space.function("concat")([x, space.function("zeros")((more, *x.shape[1:]), dtype=x.dtype)])


@row("py.row_moved", needs="concat")
def row_moved(space: Space, meta: Any, x: Any, place: int, to: int, /) -> Any:
    if not (0 <= place < x.shape[0] and 0 <= to < x.shape[0]):
        return x
    row, rest = x[place : place + 1, ...], space.function("concat")([x[:place, ...], x[place + 1 :, ...]])
    return space.function("concat")([rest[:to, ...], row, rest[to:, ...]])


@row("control.cond")
def cond(space: Space, meta: Any, pred: Any, true_graph: Any, false_graph: Any, operands: Any, /) -> Any:
    return (true_graph if truth(space, None, pred) else false_graph)(*operands)


@row("control.while_loop")
def while_loop(space: Space, meta: Any, cond_graph: Any, body_graph: Any, carried: Any, operands: Any, /) -> Any:
    while truth(space, None, cond_graph(*carried, *operands)[0]):
        carried = body_graph(*carried, *operands)
    return carried


@row("control.scan", needs="stack zeros")
def scan(space: Space, meta: Any, combine_graph: Any, init: Any, xs: Any, operands: Any, dim: int, reverse: bool, shapes: Any, /) -> Any:
    iterations = range(xs[0].shape[dim])
    carry, elements = init, []
    for iteration in reversed(iterations) if reverse else iterations:
        outputs = combine_graph(*carry, *[_element(x, dim, iteration) for x in xs], *operands)
        carry = outputs[: len(init)]
        elements.append(outputs[len(init) :])
    if reverse:
        elements.reverse()
    columns = zip(*elements, strict=True) if elements else [()] * len(shapes)
    kinds = [each for each in meta[len(init) :] if isinstance(each, TensorMeta)]
    stacked = [_stacked(space, kind.dtype, column, shape, dim) for kind, column, shape in zip(kinds, columns, shapes, strict=True)]
    return (*carry, *stacked)


@row("control.map", needs="stack zeros")
def map_(space: Space, meta: Any, body_graph: Any, xs: Any, operands: Any, shapes: Any, /) -> Any:
    return scan(space, meta, body_graph, (), xs, operands, 0, False, shapes)


def _element(x: Any, dim: int, iteration: int) -> Any:
    items: list[Any] = [slice(None)] * x.ndim
    items[dim] = iteration
    return x[tuple(items)]


def _stacked(space: Space, dtype: Any, column: Any, shape: Any, dim: int) -> Any:
    """What the iterations gave, along ``dim``; ``shape`` is that of one of them."""
    if column:
        return space.function("stack")([space.array(each, dtype) for each in column], axis=dim)
    axis = dim % (len(shape) + 1)
    return space.function("zeros")((*shape[:axis], 0, *shape[axis:]), dtype=space.dtype(dtype))
