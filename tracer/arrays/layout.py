"""How arrays lie in memory: asked of NumPy, on mirrors.

A *mirror* of a proxy is a real ndarray with the same strides whose data means nothing. Of an outside array it is the example
itself, of which nothing but its layout is ever read. A :class:`Layout` says how a whole storage lies, and which inputs decide that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.runtime.checks import address
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.storage import Link, Storage

if TYPE_CHECKING:
    from npexport.tracer.arrays.lifting import Placeholder

Array = np.ndarray[Any, Any]


class Layout(NamedTuple):
    """``order``: the axes from the outermost to the innermost, ``None`` for C order.

    ``depends``: the outside arrays whose layout decides it. ``known`` is false where NumPy promises no layout.
    """

    order: tuple[int, ...] | None = None
    depends: frozenset[Placeholder] = frozenset()
    known: bool = True


C_ORDER = Layout()
_LARGER = 24


def example_size(size: Any) -> int:
    """A stand-in for a size: its own value; for a dynamic one the example's, with symbols that are 0 or 1 there, which make all layouts
    alike, or unknown, replaced by larger ones of the same remainders.
    """
    if type(size) is int:
        return size
    env = size.env
    expression = env.simplify(size.expr)
    hints = {name: env.hints.get(name, 0) for name in expression.symbols}
    return max(int(evaluate(expression, {name: hint + _LARGER if hint in (0, 1) else hint for name, hint in hints.items()})), 0)


def example_argument(arg: Any) -> Any:
    """An argument of a view for its mirror: sizes as examples, data as zero."""
    kind = type(arg)
    if kind is tuple or kind is list:
        return kind([example_argument(item) for item in arg])
    if kind is slice:
        return slice(example_argument(arg.start), example_argument(arg.stop), example_argument(arg.step))
    if kind is Node:
        arg = arg.meta["val"]
        return example_size(arg) if isinstance(arg, SymInt) else 0
    return example_size(arg) if isinstance(arg, SymInt) else arg


def storage_mirror(storage: Storage) -> Array:
    """A real array that lies as the whole storage does."""
    if storage.array is not None:
        return storage.array
    if storage.outside is not None:
        return storage.outside.mirror
    if storage.mirror is None:
        shape = tuple(map(example_size, storage.meta.shape))
        storage.mirror = laid_out(shape, storage.meta.dtype, storage.layout.order)
    return storage.mirror


def laid_out(shape: tuple[int, ...], dtype: np.dtype[Any], order: tuple[int, ...] | None, make: Callable[..., Array] = np.empty) -> Array:
    """An array whose axes lie in this order, from the outermost to the innermost."""
    if order is None:
        return make(shape, dtype)
    return make([shape[axis] for axis in order], dtype).transpose(np.argsort(order))


def mirror(storage: Storage, link: Link | None) -> Array:
    """A real array that lies as the view does."""
    if link is None:
        return storage_mirror(storage)
    array = link.mirror
    if array is None:
        for step in link.chain():
            if step.mirror is None:
                base = storage_mirror(storage) if step.parent is None else step.parent.mirror
                step.mirror = apply(step.op, base, step.args, step.kwargs)
        array = link.mirror
    return array  # type: ignore[return-value]


def alike(mirror: Array, writeable: bool) -> Array:
    """An array of its own that lies in memory as the mirror does, and may be written to or not."""
    low, high = byte_bounds(mirror)
    memory = np.zeros(max(high - low, mirror.itemsize), np.uint8)
    offset = address(mirror) - low if mirror.size else 0
    array = np.ndarray(mirror.shape, mirror.dtype, memory.data, offset, mirror.strides)
    array.flags.writeable = writeable
    return array


def apply(op: Op, base: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Array:
    """The view of a mirror. Raises ``Unsupported`` (E121) where the stand-ins for sizes of 0 and 1 do not fit each other."""
    try:
        result = op.kernel(base, *example_argument(args), **{name: example_argument(value) for name, value in kwargs.items()})
    except (ValueError, IndexError) as error:
        raise Unsupported(
            "E121",
            f"how the result of {op} lies in memory cannot be found out from an example with sizes of 0 or 1",
            hint="Give an example whose dynamic sizes are 2 or more.",
        ) from error
    return result if isinstance(result, np.ndarray) else np.asarray(result)


def fits_without_copy(array: Array, shape: tuple[int, ...], order: str) -> bool:
    """Whether NumPy reshapes this array as a view."""
    try:
        np.reshape(array, shape, order=order, copy=False)  # type: ignore[call-overload]
    except ValueError:
        return False
    return True


def stride_order(array: Array) -> tuple[int, ...] | None:
    """The axes from the outermost to the innermost, ``None`` where that is C order. Of equal strides that of size 1 is inner."""
    order = tuple(sorted(range(array.ndim), key=lambda axis: (-abs(array.strides[axis]), array.shape[axis] == 1)))
    return None if order == tuple(range(array.ndim)) else order
