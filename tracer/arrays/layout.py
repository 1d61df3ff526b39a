"""How arrays lie in memory: asked of NumPy, on mirrors.

A *mirror* of a proxy is a real ndarray with the same strides whose data means nothing. Of an outside array it is the example
itself, of which nothing but its layout is ever read. A :class:`Layout` says how a whole storage lies, and which inputs decide that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.runtime.checks import address
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
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
_TINY = slice(0, 2)
_LARGER = 24
_KEEPING_NAMES = (
    "copy astype where concatenate stack cumsum cumprod sort partition clip index pad tril triu roll ufunc_accumulate zeros_like ones_like "
    "full_like tile cumulative_sum cumulative_prod"
)
_KEEPING = frozenset(f"np.{name}" for name in _KEEPING_NAMES.split())
"""Operators, beside element-wise ones and reductions, whose results lie as their operands do, whatever the sizes."""


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
    """The axes from the outermost to the innermost, ``None`` where that is C order."""
    order = tuple(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])))
    return None if order == tuple(range(array.ndim)) else order


def layout_of_result(op: Op, operands: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], ndim: int) -> Layout:
    """How the result of a call lies. ``operands`` are the proxies among the arguments."""
    plain = True
    depends: frozenset[Placeholder] = frozenset()
    for operand in operands:
        storage = operand.storage
        if storage is None:
            continue
        layout = storage.layout
        if layout.depends and layout.depends is not depends:
            depends = depends | layout.depends
        if (operand.link is not None or layout.order is not None or not layout.known) and len(operand.meta.shape) > 1:
            plain = False
    if ndim < 2:
        return C_ORDER
    keeping, plainly, always = _habit(op)
    if plain and plainly:
        return Layout(None, depends) if depends else C_ORDER
    if not keeping:
        return Layout(None, depends, not operands or always)
    if not all(operand.storage is None or operand.storage.layout.known for operand in operands):
        return Layout(None, depends, False)
    try:
        return Layout(_order_by_numpy(op, args, kwargs), depends)
    except (ValueError, IndexError):  # stand-ins for sizes of 0 and 1 that do not fit each other
        return Layout(None, depends, False)


_ASKING = frozenset({ops.np.pad, ops.np.round})
"""Operators whose kernels ask whether an operand is contiguous, which no corner tells."""


@functools.cache
def _habit(op: Op) -> tuple[bool, bool, bool]:
    """Whether results lie as the operands do, in C order where those do, always in C order."""
    name = f"{op.namespace}.{op.name}"
    keeping = not op.traits.isdisjoint(("elementwise", "reduction")) or name in _KEEPING
    return keeping, (keeping or "creation" in op.traits) and op is not ops.np.index, name in _ALWAYS_C


_ALWAYS_C = frozenset({"np.matmul", "np.dot", "np.take", "np.repeat", "np.outer", "np.flatten", "np.compress", "np.argsort", "np.diag"})


def _order_by_numpy(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, ...] | None:
    """Run the operator on corners of mirrors: two elements along each axis lie as all of them do."""
    if op is ops.np.index:
        args = (args[0], _anywhere(args[1]))
    part = _whole if op in _ASKING else _corner
    with np.errstate(all="ignore"):
        result = op.kernel(*_tiny(args, part), **_tiny(kwargs, part))
    if isinstance(result, (tuple, list)):
        result = result[0]
    return stride_order(result) if isinstance(result, np.ndarray) else None


def _anywhere(index: Any) -> Any:
    """An index of the same kind that fits into a corner: its numbers and bounds have no say in how the result lies."""
    if type(index) is tuple:
        return tuple([_anywhere(item) for item in index])
    if type(index) is slice:
        return slice(None)
    return index if index is None or index is Ellipsis or hasattr(index, "dtype") else 0


def _tiny(arg: Any, part: Callable[[Any], Any]) -> Any:
    kind = type(arg)
    if kind is tuple or kind is list:
        return kind([_tiny(item, part) for item in arg])
    if kind is dict:
        return {name: _tiny(item, part) for name, item in arg.items()}
    storage = getattr(kind, "storage", None)
    if storage is not None:
        return np.ones((), arg.meta.dtype)[()] if arg.storage is None else part(arg)
    if isinstance(arg, (SymInt, Node)):
        return 1
    if isinstance(arg, (SymFloat, SymBool)):
        return 1.0 if isinstance(arg, SymFloat) else True
    return arg


def _whole(proxy: Any) -> Any:
    return mirror(proxy.storage, proxy.link)


def _corner(proxy: Any) -> Any:
    array = mirror(proxy.storage, proxy.link)
    corner = array[(_TINY,) * array.ndim]
    once = corner[tuple([slice(1) if stride == 0 else slice(None) for stride in corner.strides])]
    blank = np.ones_like(once) if corner.dtype == bool else np.zeros_like(once)
    return blank if once.shape == corner.shape else np.broadcast_to(blank, corner.shape)  # repeated elements have no say in an order
