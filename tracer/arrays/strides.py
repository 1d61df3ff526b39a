"""Strides over dynamic sizes: whether a reshape is a view, by NumPy's own algorithm, whose comparisons of sizes are asked of ``truth``.

With ``bool`` as ``truth`` they are guards, which hold the answer at every size; with `proved` nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.storage import Link, Storage

Sizes = tuple[Any, ...]
Truth = Callable[[Any], bool]


class Open(Exception):
    """Whether a condition on sizes holds depends on them."""


def proved(condition: Any) -> bool:
    """Whether it holds for all sizes or for none. Raises `Open` elsewhere."""
    answer = known(condition)
    if answer is None:
        raise Open
    return answer


def shares(storage: Storage, link: Link | None, shape: Sizes | None, order: str, truth: Truth) -> bool:
    """Whether NumPy reshapes a view without a copy; ``shape=None``: whether it is contiguous in this order.

    Sizes that are not plain numbers count as other than 1.
    """
    before = storage.meta.shape if link is None else link.meta.shape
    if any(type(size) is int and size == 0 for size in before):
        return True
    strides = strides_of(storage, link, truth)
    itemsize = (storage if link is None else link).meta.dtype.itemsize
    if shape is None:
        axes = [(size, stride) for size, stride in zip(before, strides, strict=True) if not _is_one(size)]
        for size, stride in axes[::-1] if order == "C" else axes:
            if not truth(stride == itemsize):
                return False
            itemsize = itemsize * size
        return True
    return _reshaped(before, strides, shape, order, itemsize, truth) is not None


def _is_one(size: Any) -> bool:
    return type(size) is int and size == 1


def strides_of(storage: Storage, link: Link | None, truth: Truth) -> Sizes:
    """Bytes from one element of a view to the next, along each axis."""
    strides, shape = _of_whole(storage), storage.meta.shape
    for step in link.chain() if link is not None else ():
        strides = STEPS[step.op](step, shape, strides, truth)
        shape = step.meta.shape
    return strides


def _of_whole(storage: Storage) -> Sizes:
    """Strides of packed memory; where an input is packed in no order, the example's, which are its condition."""
    outside, order = storage.outside, storage.layout.order
    if outside is not None:
        flags = outside.array.flags
        if not flags.forc:
            return outside.array.strides
        order = None if flags.c_contiguous else order
    shape = storage.meta.shape
    strides: dict[int, Any] = {}
    step: Any = storage.meta.dtype.itemsize
    for axis in reversed(range(len(shape)) if order is None else order):
        strides[axis] = step
        step = step * shape[axis]
    return tuple([strides[axis] for axis in range(len(shape))])


def _reshaped(before: Sizes, strides: Sizes, shape: Sizes, order: str, itemsize: int, truth: Truth) -> Sizes | None:
    """The strides of the reshaped view, ``None`` where there is none: the algorithm behind ``ndarray.reshape``."""
    sign = 1 if order == "F" else -1
    axes = [(size, stride) for size, stride in zip(before, strides, strict=True) if not _is_one(size)][::sign]  # the fastest first
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


# One step of a chain of views


def _of_slices(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
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
                found.append(stride if item.step is None else stride * _size(item.step))
    return (*found, *rest)


def _size(arg: Any) -> Any:
    return arg.meta["val"] if isinstance(arg, Node) else arg


def _of_reshape(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    rest = step.args[1:] if step.op is ops.np.reshape else step.args
    order = str(rest[0] if rest else step.kwargs.get("order", "C"))
    found = _reshaped(shape, strides, step.meta.shape, order, step.meta.dtype.itemsize, truth)
    if found is None:
        raise Unsupported("E121", "whether a reshape is a view or a copy depends on a dynamic size")
    return found


def _of_itself(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    return strides


def _of_permutation(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    """The operator itself is asked, of an array whose strides are the numbers of its axes, from 1 on."""
    numbered = np.lib.stride_tricks.as_strided(np.empty(0, np.uint8), (2,) * len(shape), range(1, len(shape) + 1))
    asked = step.op.kernel(numbered, *step.args, **step.kwargs)
    return tuple([0 if size == 1 else strides[number - 1] for size, number in zip(asked.shape, asked.strides, strict=True)])


def _of_squeeze(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    (axis,) = _arguments(step, "axis")
    dropped = None if axis is None else {one % len(shape) for one in (axis if isinstance(axis, tuple) else (axis,))}
    return tuple([stride for i, stride in enumerate(strides) if (i not in dropped if dropped is not None else not truth(shape[i] == 1))])


def _of_broadcast(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    more = len(step.meta.shape) - len(shape)
    pairs = zip(shape, step.meta.shape[more:], strides, strict=True)
    return (0,) * more + tuple([stride if old is new or truth(old == new) else 0 for old, new, stride in pairs])


def _of_diagonal(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    first, second = [axis % len(shape) for axis in _arguments(step, "axis1", "axis2")]
    return (*[stride for i, stride in enumerate(strides) if i not in (first, second)], strides[first] + strides[second])


def _of_windows(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    (axis,) = _arguments(step, "axis")
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    return (*strides, *[strides[i] for i in axes])


def _of_elements(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    return tuple([_size(stride) * step.meta.dtype.itemsize for stride in step.args[1]])


def _of_dtype(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    """An element of another size is one of a packed last axis."""
    if step.op is not ops.np.view_dtype or step.meta.shape == shape:
        return strides
    return (*strides[:-1], step.meta.dtype.itemsize)


def _arguments(step: Link, *names: str) -> list[Any]:
    call = step.op.signature.bind(None, *step.args, **step.kwargs)
    call.apply_defaults()
    return [call.arguments[name] for name in names]


STEPS: dict[Op, Callable[[Link, Sizes, Sizes, Truth], Sizes]] = {
    ops.np.getitem: _of_slices,
    ops.np.reshape: _of_reshape,
    ops.np.ravel: _of_reshape,
    ops.np.as_contiguous: _of_itself,
    ops.np.with_flags: _of_itself,
    ops.np.squeeze: _of_squeeze,
    ops.np.broadcast_to: _of_broadcast,
    ops.np.diagonal: _of_diagonal,
    ops.np.sliding_window_view: _of_windows,
    ops.np.as_strided: _of_elements,
    **dict.fromkeys((ops.np.transpose, ops.np.matrix_transpose, ops.np.swapaxes, ops.np.moveaxis, ops.np.expand_dims), _of_permutation),
    **dict.fromkeys((ops.np.field, ops.np.real, ops.np.imag, ops.np.view_dtype, ops.np.as_contiguous, ops.np.with_flags), _of_dtype),
}
"""A row for every operator of ``views.VIEWS``."""
