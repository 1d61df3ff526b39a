"""The layout of arrays in memory, read from mirrors.

A *mirror* of a proxy is a real ndarray with the same strides whose data mean nothing. For an
outside array it is the example itself, of which only the layout is ever read.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.numpy_internals import NUMPY
from npexport.ir.op import Op
from npexport.runtime.entry.checks import address
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymInt

Array = np.ndarray[Any, Any]


_LARGER = 24


def example_size(size: Any) -> int:
    """A stand-in for a size: its own value; for a dynamic one the example's, with unknown symbols,
    and those that are 0 or 1 there and would make all layouts alike, replaced by larger ones of the
    same remainders.
    """
    if type(size) is int:
        return size
    env = size.env
    expression = env.simplify(size.expression)
    hints = {name: env.hints.get(name, 0) for name in expression.symbols}
    return max(int(evaluate(expression, {name: hint + _LARGER if hint in (0, 1) else hint for name, hint in hints.items()})), 0)


def example_argument(arg: Any, index: bool = False) -> Any:
    """An argument of a view for its mirror: sizes as examples, data as zero, integers too that only
    data know and that are an ``index``.
    """
    kind = type(arg)
    if kind is tuple or kind is list:
        return kind([example_argument(item, index) for item in arg])
    if index and kind is SymInt and arg.env.hints.keys().isdisjoint(arg.expression.symbols):
        return 0
    if kind is slice:
        return slice(example_argument(arg.start), example_argument(arg.stop), example_argument(arg.step))
    if kind is Node:
        arg = arg.meta["val"]
        if index and isinstance(arg, SymInt):
            return example_argument(arg, index)
        return example_size(arg) if isinstance(arg, SymInt) else 0
    return example_size(arg) if isinstance(arg, SymInt) else arg


def laid_out(shape: tuple[int, ...], dtype: np.dtype[Any], order: tuple[int, ...] | None, make: Callable[..., Array] = np.empty) -> Array:
    """An array whose axes have this order, from the outermost to the innermost."""
    if order is None:
        return make(shape, dtype)
    return make([shape[axis] for axis in order], dtype).transpose(np.argsort(order))


def alike(mirror: Array, writeable: bool) -> Array:
    """An array of its own with the layout of the mirror, writeable or not."""
    if mirror.dtype.kind == "T":
        return _texts_alike(mirror)
    low, high = byte_bounds(mirror)
    memory = np.zeros(max(high - low, mirror.itemsize), np.uint8)
    offset = address(mirror) - low if mirror.size else 0
    array = np.ndarray(mirror.shape, mirror.dtype, memory.data, offset, mirror.strides)
    array.flags.writeable = writeable
    return array


def _texts_alike(mirror: Array) -> Array:
    """`alike` for texts of any length, which lie in no buffer: slices of an array whose axes are as
    long as the strides ask for.

    Raises ``Unsupported`` (E121) for strides of other kinds.
    """
    if not mirror.size:
        return np.zeros(mirror.shape, mirror.dtype)
    axes = outermost_first(mirror, [axis for axis in range(mirror.ndim) if mirror.shape[axis] > 1 and mirror.strides[axis]])
    steps = [abs(mirror.strides[axis]) for axis in axes] + [mirror.itemsize]
    sizes, inner = [mirror.shape[axis] for axis in axes], [outer // step for outer, step in itertools.pairwise(steps)]
    if any(outer % step for outer, step in itertools.pairwise(steps)) or any(map(operator.gt, sizes[1:], inner)):
        hint = "Use a copy: x.copy()."
        raise Unsupported("E121", "an array of StringDType cannot have the memory layout of a slice of another array", hint=hint)
    flips: list[Any] = [slice(None, None, -1 if mirror.strides[axis] < 0 else 1) for axis in axes]
    places: list[Any] = [*map(slice, sizes), 0] if axes else []
    memory = np.zeros([*sizes[:1], *inner], mirror.dtype)[(*places, ...)][(*flips, ...)]
    shape = [size if axis in axes else 1 for axis, size in enumerate(mirror.shape)]
    return np.broadcast_to(memory.transpose(np.argsort(axes)).reshape(shape), mirror.shape)


def as_long(view: Array, shape: tuple[Any, ...]) -> Array:
    """The mirror of a view of this shape. The stand-in for its place, which a loop or data know,
    may have cut it short: then it has memory of its own.
    """
    sizes = tuple(map(example_size, shape))
    if view.shape == sizes:
        return view
    return alike(np.lib.stride_tricks.as_strided(view, sizes, view.strides), view.flags.writeable)


def apply(op: Op, base: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Array:
    """The view of a mirror.

    Raises ``Unsupported`` (E121) if the stand-ins for sizes of 0 and 1 do not fit each other.
    """
    try:
        result = op.kernel(
            base, *example_argument(args, op is ops.np.getitem), **{name: example_argument(value) for name, value in kwargs.items()}
        )
    except (ValueError, IndexError) as error:
        raise Unsupported(
            "E121",
            f"the memory layout of the result of {op} cannot be inferred from an example with sizes of 0 or 1",
            hint="Give an example whose dynamic sizes are 2 or more.",
        ) from error
    return result if isinstance(result, np.ndarray) else np.asarray(result)


def fits_without_copy(array: Array, shape: tuple[int, ...], order: str) -> bool:
    """Whether NumPy reshapes this array as a view; not where stand-ins for sizes do not fit each
    other.
    """
    try:
        if NUMPY < "2.1.0":  # which has no copy= here
            return not array.size or np.may_share_memory(np.reshape(array, shape, order=order), array)  # type: ignore[call-overload]
        np.reshape(array, shape, order=order, copy=False)  # type: ignore[call-overload]
    except ValueError:
        return False
    return True


def is_packed(array: Array) -> bool:
    """Whether the elements are adjacent in memory, in whatever order of the axes."""
    order = stride_order(array)
    return bool((array if order is None else array.transpose(order)).flags.c_contiguous)


def runs_backwards(array: Array) -> bool:
    """Whether elements are at lower addresses than those that precede them."""
    return any(stride < 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True))


def outermost_first(array: Array, axes: Iterable[int]) -> list[int]:
    """These axes in the order of their strides."""
    return sorted(axes, key=lambda axis: -abs(array.strides[axis]))


def stride_order(array: Array) -> tuple[int, ...] | None:
    """The axes from the outermost to the innermost, ``None`` if that is C order.

    Among equal strides that of size 1 is inner.
    """
    order = tuple(sorted(range(array.ndim), key=lambda axis: (-abs(array.strides[axis]), array.shape[axis] == 1)))
    return None if order == tuple(range(array.ndim)) else order
