"""The ``view`` of records: how a write through a view becomes a new value of its source, and the
strides of the view.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.ir.op import Namespace, Op
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt

Sizes = tuple[Any, ...]
Truth = Callable[[Any], bool]
_np = Namespace("np")


class Builder(Protocol):
    """What makes nodes of a graph."""

    def node(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Node: ...
    def constant(self, array: np.ndarray[Any, Any]) -> Node: ...
    def argument(self, value: Any) -> Any: ...


class Step(Protocol):
    """A call of a view operator, without its first argument."""

    op: Op
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    meta: TensorMeta


class Open(Exception):
    """Whether a condition holds depends on sizes."""


def order_of(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The memory order that a call asks for."""
    return str(op.signature.bind(*args, **kwargs).arguments.get("order", "C"))


def _is_static(arg: Any) -> bool:
    """Whether an argument holds no sizes or values that only calls know."""
    if isinstance(arg, (tuple, list)):
        return all(map(_is_static, arg))
    if isinstance(arg, slice):
        return _is_static((arg.start, arg.stop, arg.step))
    return not isinstance(arg, (Node, SymInt, SymFloat, SymBool))


# Inverses


def set_items(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    return builder.node(_np.setitem, (old, link.args[0], new))


def set_places(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    """Write to elements one by one, of which none is there twice."""
    meta = old.meta["val"]
    shape = meta.shape
    if _is_static((shape, link.args, tuple(link.kwargs.values()))) and math.prod(shape) <= _LISTED and link.meta.dtype == meta.dtype:
        numbers = np.arange(math.prod(shape)).reshape(shape)
        shown = link.op.kernel(numbers, *link.args, **link.kwargs)
        places = shown.reshape(-1)
        alone = len(set(places.tolist())) == len(places)  # np.unique imports, which a program would be blamed for
        if alone and (not shown.size or np.may_share_memory(shown, numbers)):
            return builder.node(_np.set_flat, (old, builder.constant(places), builder.node(_np.reshape, (new, (-1,)))))
    raise Unsupported("E120", f"a write through {link.op.namespace}.{link.op.name}, whose elements may be each other's")


_LISTED = 1 << 16  # elements of an array of which some are listed one by one


def set_field(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    return builder.node(_np.set_field, (old, link.args[0], new))


def reshape_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    order = order_of(link.op, (old, *link.args), link.kwargs)
    return builder.node(_np.reshape, (new, old.meta["val"].shape), {} if order == "C" else {"order": order})


def itself_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    return new


def same_shape_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    return builder.node(_np.reshape, (new, old.meta["val"].shape))


def transpose_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    axes = link.args[0] if link.args else link.kwargs.get("axes")
    if axes is None:
        return builder.node(_np.transpose, (new,))
    ndim = len(old.meta["val"].shape)
    inverse = sorted(range(ndim), key=lambda axis: axes[axis] % ndim)
    return builder.node(_np.transpose, (new, tuple(inverse)))


def again(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    return builder.node(link.op, (new, *link.args), link.kwargs)


def diagonal_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    """A diagonal of two axes."""
    call = link.op.signature.bind(old, *link.args, **link.kwargs)
    call.apply_defaults()
    axes = [call.arguments["axis1"], call.arguments["axis2"]]
    size = new.meta["val"].shape[-1]
    places = builder.node(_np.arange, (builder.argument(size),))
    offset = call.arguments["offset"]
    rows, columns = (places if shift == 0 else builder.node(_np.add, (places, shift)) for shift in _rows_and_columns(offset))
    moved = builder.node(_np.moveaxis, (old, tuple(axes), (0, 1)))
    value = builder.node(_np.moveaxis, (new, -1, 0))
    written = builder.node(_np.setitem, (moved, (rows, columns), value))
    return builder.node(_np.moveaxis, (written, (0, 1), tuple(axes)))


def _rows_and_columns(offset: Any) -> tuple[Any, Any]:
    """Where the diagonal begins."""
    return (0, offset) if offset >= 0 else (-offset, 0)


def move_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    source, destination = link.args
    return builder.node(_np.moveaxis, (new, destination, source))


def dtype_back(builder: Builder, old: Node, new: Node, link: Step) -> Node:
    return builder.node(_np.view_dtype, (new, old.meta["val"].dtype))


def set_part(part: str) -> Callable[[Builder, Node, Node, Step], Node]:
    """Write the real or the imaginary part of every number."""

    def scatter(builder: Builder, old: Node, new: Node, link: Step) -> Node:
        return builder.node(_np.set_part, (old, part, new))

    return scatter


# Strides


def is_one(size: Any) -> bool:
    """Whether a size is 1; sizes that are not plain numbers count as others."""
    return type(size) is int and size == 1


def reshaped(before: Sizes, strides: Sizes, shape: Sizes, order: str, itemsize: int, truth: Truth) -> Sizes | None:
    """The strides of the reshaped view, ``None`` where there is none: the algorithm behind
    ``ndarray.reshape``."""
    sign = 1 if order == "F" else -1
    axes = [(size, stride) for size, stride in zip(before, strides, strict=True) if not is_one(size)][::sign]  # the fastest first
    target = list(shape[::sign])
    result: list[Any] = []
    last: Any = itemsize
    while axes and len(result) < len(target):
        size, step = axes.pop(0)
        end = step * size
        first = len(result)
        goal = target[first]
        count = 1
        while not truth(goal == size):
            if truth(goal < size):
                if first + count == len(target):
                    raise Open  # an axis without elements
                goal = goal * target[first + count]
                count += 1
            elif not axes:
                raise Open
            else:
                more, stride = axes.pop(0)
                if not truth(stride == end):
                    return None
                size, end = size * more, stride * more
        for axis in range(first, first + count):
            result.append(step)
            step = last = step * target[axis]
    result += [last] * (len(target) - len(result))
    return tuple(result[::sign])


def of_slices(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    index = step.args[0] if type(step.args[0]) is tuple else (step.args[0],)
    taken = sum(item is not None and item is not Ellipsis for item in index)
    rest = list(strides)
    found: list[Any] = []
    for item in index:
        if item is None:
            found.append(0)
        elif item is Ellipsis:
            found, rest = found + rest[: len(rest) - taken], rest[len(rest) - taken :]
        else:
            stride, taken = rest.pop(0), taken - 1
            if type(item) is slice:
                found.append(stride if item.step is None else stride * value_of(item.step))
    return (*found, *rest)


def at_first(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Any:
    """The view begins where the argument does."""
    return 0


def at_slices(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Any:
    """Where the slices begin. Raises ``Unsupported`` where one begins outside."""
    index = step.args[0] if type(step.args[0]) is tuple else (step.args[0],)
    taken = sum(item is not None and item is not Ellipsis for item in index)
    axis, place = 0, 0
    for item in index:
        if item is Ellipsis:
            axis += len(shape) - taken
        elif item is not None:
            place, axis = place + _begin(item, shape[axis], truth) * strides[axis], axis + 1
    return place


def _begin(item: Any, size: Any, truth: Truth) -> Any:
    """The first place along an axis that an item of an index shows."""
    start = item
    if type(item) is slice:
        backwards = item.step is not None and truth(value_of(item.step) < 0)
        start = (size - 1 if backwards else 0) if item.start is None else item.start
    start = value_of(start)
    start = start if truth(start >= 0) else start + size
    if not (truth(start >= 0) and truth(start <= size)):
        raise Unsupported("E121", "the place of a view whose slice begins outside the array")
    return start


def of_reshape(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    order = order_of(step.op, (None, *step.args), step.kwargs)
    found = reshaped(shape, strides, step.meta.shape, order, step.meta.dtype.itemsize, truth)
    if found is None:
        raise Unsupported("E121", "whether a reshape is a view or a copy depends on a dynamic size")
    return found


def of_itself(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    return strides


def of_field(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    """Those of the records, and of the arrays that each holds."""
    inner, found = step.meta.dtype.itemsize, list[Any]()
    for size in reversed(step.meta.shape[len(shape) :]):
        found.insert(0, inner)
        inner = inner * size
    return (*strides, *found)


def of_permutation(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    """The operator itself is asked, of an array whose strides are the numbers of its axes, from 1
    on."""
    numbered = np.lib.stride_tricks.as_strided(np.empty(0, np.uint8), (2,) * len(shape), range(1, len(shape) + 1))
    asked = step.op.kernel(numbered, *step.args, **step.kwargs)
    return tuple([0 if size == 1 else strides[number - 1] for size, number in zip(asked.shape, asked.strides, strict=True)])


def of_squeeze(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    (axis,) = _arguments(step, "axis")
    dropped = None if axis is None else {one % len(shape) for one in (axis if isinstance(axis, tuple) else (axis,))}
    return tuple([stride for i, stride in enumerate(strides) if (i not in dropped if dropped is not None else not truth(shape[i] == 1))])


def of_broadcast(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    more = len(step.meta.shape) - len(shape)
    pairs = zip(shape, step.meta.shape[more:], strides, strict=True)
    return (0,) * more + tuple([stride if old is new or truth(old == new) else 0 for old, new, stride in pairs])


def of_diagonal(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    first, second = [axis % len(shape) for axis in _arguments(step, "axis1", "axis2")]
    return (*[stride for i, stride in enumerate(strides) if i not in (first, second)], strides[first] + strides[second])


def of_windows(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    (axis,) = _arguments(step, "axis")
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return (*strides, *[strides[i] for i in axes])


def of_elements(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    return tuple([value_of(stride) * step.meta.dtype.itemsize for stride in step.args[1]])


def of_dtype(step: Step, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    """An element of another size is one of a packed last axis."""
    if step.meta.shape == shape:
        return strides
    return (*strides[:-1], step.meta.dtype.itemsize)


def _arguments(step: Step, *names: str) -> list[Any]:
    call = step.op.signature.bind(None, *step.args, **step.kwargs)
    call.apply_defaults()
    return [call.arguments[name] for name in names]
