"""Arguments of NumPy's functions that are not operands: concrete values, shapes, memory orders,
``out=``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.numpy_internals import CopyMode
from npexport.ir.ops.evaluation import UNKNOWN
from npexport.ir.ops.rules import Rejected, broadcast
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.analysis.binding import Mistyped
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import stand_ins
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_size, unknown_data
from npexport.tracer.interpreter.native import NATIVE_TYPES


def out_array(out: Any) -> Any:
    """``out=`` as one array: ufuncs take a tuple too. Raises ``TypeError`` for anything else."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if type(out) is not ArrayProxy:
        if type(out) in NATIVE_TYPES and type(out) is not ScalarProxy:
            raise Unsupported("E122", "the result is written to an array of Python objects")
        raise TypeError("return arrays must be of ArrayType")
    return out


def raise_for_out(function: Any, problem: Exception) -> NoReturn:
    """Raises what a function says of its ``out=``, or refuses it where floating-point errors are
    exceptions: only NumPy knows which of the two comes first.
    """
    if recorder().session.traps():
        raise Unsupported("E101", f"numpy.{function.__name__} refuses its out=: {problem}", hint="Give it one that fits.") from problem
    raise problem


def copies(copy: Any) -> bool | None:
    """What ``copy=`` says. Raises NumPy's ``ValueError`` for text."""
    if isinstance(copy, str):
        np.array(0, copy=copy)  # type: ignore[call-overload]
    if isinstance(copy, CopyMode):
        return {"ALWAYS": True, "NEVER": False}.get(copy.name)
    return None if copy is None else bool(copy)


class DataNeeded(Exception):
    """A parameter that must be known while tracing depends on data."""

    def __init__(self, name: str, proxy: ArrayProxy) -> None:
        super().__init__(name)
        self.name = name
        self.proxy = proxy


def unknown_part(value: Any) -> ArrayProxy | None:
    """An array or scalar of unknown data in a parameter."""
    return next((leaf for leaf in leaves_of(value) if type(leaf) in (ArrayProxy, ScalarProxy)), None)


def known_parameter(function: Callable[..., Any], name: str, value: Any) -> Any:
    """A parameter that is not an array. Raises ``Unsupported`` (E104) if it depends on data."""
    value = static(value)
    needed = unknown_part(value)
    if needed is not None:
        raise unknown_data(needed, f"`{name}` of numpy.{function.__name__}")
    return value


def moved_to(axis: Any) -> Any:
    """An axis to which NumPy moves the first: a sequence of one is that one, what equals 0 is 0."""
    if isinstance(axis, float) and axis == 0:
        return 0
    single = type(axis) in (list, tuple) and len(axis) == 1 and isinstance(axis[0], int)
    return axis[0] if single else axis


def static(value: Any) -> Any:
    """A parameter that is not an array, as plain values: ints, lists, sizes for integers of
    data.
    """
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([static(item) for item in value])
    if kind is range:
        return list(value)
    if kind is ScalarProxy or (kind is ArrayProxy and not value.known and not value.ndim):
        return as_size(value, "a parameter that must be known") if value.dtype.kind in "iu" else value
    if isinstance(value, np.integer):
        return int(value)
    if kind is np.bool_:
        return bool(value)
    if kind is ArrayProxy and value.known:
        return value.array.tolist()
    if kind is ArrayProxy and len(value.meta.shape) == 1 and value.dtype.kind in "iu":
        numbers = recorder().number(value.node())
        return value if numbers is UNKNOWN else numbers.tolist()
    if isinstance(value, np.flatiter):
        raise Unsupported("E101", "an iterator over an array is given for a parameter that is no array", hint=_LISTED)
    return value


_LISTED = "Write list(x.flat) for x.flat."
_ORDERS = frozenset("CFAKcfak")


def common_shape(*shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape that these broadcast to; sizes may be dynamic. Raises NumPy's ``ValueError``.

    Where only the data know whether they do, no handler of the program may wait for that.
    """
    if any(
        is_symbolic(size) and size.hint is None and not _fits(size, axis, shapes)
        for shape in shapes
        for axis, size in enumerate(shape[::-1])
    ):
        recorder().session.require_unexpected(ValueError, "arrays of sizes that only the data know are broadcast")
    try:
        return broadcast(*shapes) if shapes else ()
    except Rejected:
        return np.broadcast_shapes(*shapes)


def _fits(size: Any, axis: int, shapes: tuple[tuple[Any, ...], ...]) -> bool:
    """Whether a size at an axis, counted from the last, is known to fit all others there."""
    others = [shape[-1 - axis] for shape in shapes if len(shape) > axis]
    return all(any(known(truth) is True for truth in (size == other, other == 1, size == 1)) for other in others)


def require_device(device: Any) -> None:
    """Raises NumPy's error if arrays are to be made on another device."""
    if device not in (None, "cpu"):
        np.asarray(0, device=device)


def known_order(order: Any) -> Any:
    """A memory order in capitals, or ``None``. Raises NumPy's error for an invalid one,
    ``Mistyped`` for one that is no text.
    """
    if order is None:
        return None
    if type(order) is not str or order not in _ORDERS:
        np.empty(0).copy(stand_ins(order))
        if not isinstance(order, str):
            raise Mistyped(f"{type(order).__name__} object is no order")
    return order.upper()
