"""Kernels of branches and loops. A graph is whatever can be called: interpreted, or compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir.declared import is_uncaught
from npexport.ir.ops.control import class_of

Iteration = Callable[..., tuple[Any, ...]]


def own(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values; arrays as copies in C order, so that none lies in memory of another, or of an
    operand.
    """
    return tuple([np.array(value, order="C") if isinstance(value, np.ndarray) else value for value in values])


def cond(pred: Any, true_graph: Iteration, false_graph: Iteration, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    return own((true_graph if pred else false_graph)(*operands))


def while_loop(cond_graph: Iteration, body_graph: Iteration, carried: tuple[Any, ...], operands: tuple[Any, ...]) -> tuple[Any, ...]:
    while cond_graph(*carried, *operands)[0]:
        carried = body_graph(*carried, *operands)
    return own(carried)


_FEWEST = 16
"""The smallest number of items for which a list that gets longer has room. It is one for items of
all shapes, as the columns of a list have the same room.
"""


def with_room(x: Any, count: int, out: Any = None) -> Any:
    if count <= len(x):
        return np.array(x) if out is None else out
    longer = np.zeros((max(count, 2 * len(x), _FEWEST), *x.shape[1:]), x.dtype)
    longer[: len(x)] = x
    return longer


def scan(
    combine_graph: Iteration,
    init: tuple[Any, ...],
    xs: tuple[Any, ...],
    operands: tuple[Any, ...],
    dim: int,
    reverse: bool,
    shapes: tuple[tuple[int, ...], ...],
) -> tuple[Any, ...]:
    return scanned(combine_graph, init, xs, operands, dim, reverse, shapes, _dtypes(combine_graph, len(init)))


def scanned(
    combine_graph: Iteration,
    init: tuple[Any, ...],
    xs: tuple[Any, ...],
    operands: tuple[Any, ...],
    dim: int,
    reverse: bool,
    shapes: tuple[tuple[int, ...], ...],
    dtypes: Iterable[Any],
) -> tuple[Any, ...]:
    """``shapes`` and ``dtypes`` are those of one iteration's results: no iterations at all give as
    many stacks of nothing.
    """
    rows = [np.moveaxis(x, dim, 0) for x in xs]
    iterations = range(len(rows[0]))
    carry, count = init, len(init)
    elements: list[tuple[Any, ...]] = []
    for iteration in reversed(iterations) if reverse else iterations:
        outputs = combine_graph(*carry, *[row[iteration] for row in rows], *operands)
        carry = outputs[:count]
        elements.append(tuple([np.array(y, order="C") for y in outputs[count:]]))
    if reverse:
        elements.reverse()
    if elements:
        ys = [np.stack(column, axis=dim) for column in zip(*elements, strict=True)]
    else:
        axes = [dim % (len(shape) + 1) for shape in shapes]
        ys = [np.empty((*shape[:axis], 0, *shape[axis:]), dtype) for shape, axis, dtype in zip(shapes, axes, dtypes, strict=True)]
    return (*own(carry), *own(tuple(ys)))


def map_(body_graph: Iteration, xs: tuple[Any, ...], operands: tuple[Any, ...], shapes: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
    return mapped(body_graph, xs, operands, shapes, _dtypes(body_graph, 0))


def mapped(
    body_graph: Iteration, xs: tuple[Any, ...], operands: tuple[Any, ...], shapes: tuple[tuple[int, ...], ...], dtypes: Iterable[Any]
) -> tuple[Any, ...]:
    return scanned(body_graph, (), xs, operands, 0, False, shapes, dtypes)


def _dtypes(graph: Any, count: int) -> Iterator[Any]:
    """The dtypes of an iteration's results behind ``count`` carries, once they are asked for."""
    from npexport.ir.ops.control_flow import outputs_of, stacked_of

    for value in outputs_of(getattr(graph, "module", graph))[count:]:
        yield stacked_of(value, 0, 0).dtype


def raised(try_graph: Iteration, errors: tuple[Any, ...], operands: tuple[Any, ...]) -> int:
    classes = classes_of(errors)
    error = _attempt(try_graph, classes, operands)
    return 0 if error is None else number_of(error, classes)


def number_of(error: BaseException, classes: tuple[type[BaseException], ...]) -> int:
    """The number of the error's class among these, from 1 on. What says that an operator does not
    do what it declares, or that data do not fit, is raised again: no handler gets it.
    """
    if is_uncaught(error):
        raise error
    if type(error) in classes:
        return 1 + classes.index(type(error))
    return next(place for place, cls in enumerate(classes, 1) if isinstance(error, cls))


def message(try_graph: Iteration, errors: tuple[Any, ...], operands: tuple[Any, ...]) -> Any:
    classes = classes_of(errors)
    error = _attempt(try_graph, classes, operands)
    return np.str_(error if error is not None and number_of(error, classes) else "")


@functools.cache
def classes_of(errors: tuple[Any, ...]) -> tuple[type[BaseException], ...]:
    """The classes of these names."""
    return tuple(map(class_of, errors))


def _attempt(try_graph: Iteration, errors: tuple[type[BaseException], ...], operands: tuple[Any, ...]) -> BaseException | None:
    """The one of ``errors`` that the graph raises; the operator itself warns, where it is
    computed.
    """
    try:
        if getattr(try_graph, "is_quiet", False):
            try_graph(*operands)
        else:
            with np.errstate(all="ignore"):
                try_graph(*operands)
    except errors as error:
        return error.with_traceback(None)
    return None


def chosen(pred: Any, one: Any, other: Any) -> Any:
    return one if pred else other
