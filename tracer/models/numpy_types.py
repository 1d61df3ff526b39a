"""NumPy's types as callables: scalar types, ``dtype``, ``ndindex``, ``errstate`` and those that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays import coercion
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, real_arguments
from npexport.tracer.current import recorder

CALLS: dict[Any, Callable[..., Any]] = {}


def scalar_type(cls: type[np.generic]) -> Callable[..., Any]:
    """``np.float32(value)``: a scalar, or for arrays an array of this dtype."""

    def make(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs or not _has_unknown(args[0]):
            return recorder().known(cls(*real_arguments(args), **real_arguments(kwargs)))
        rec = recorder()
        value = args[0] if isinstance(args[0], ArrayProxy) else coercion.array_of(args[0])
        result = value if value.dtype == np.dtype(cls) else rec.call(ops.np.astype, value, np.dtype(cls))
        return result if type(result) is ScalarProxy or result.ndim else rec.call(ops.np.scalar, result)

    return make


def _has_unknown(value: Any) -> bool:
    from npexport.tracer.arrays.ufuncs import all_known

    return not all_known((value,))


def _dtype(*args: Any, **kwargs: Any) -> Any:
    """``np.dtype(...)`` reads nothing but types."""
    return np.dtype(*args, **kwargs)


def _refused(name: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise Unsupported("E101", f"`numpy.{name}` is implemented in C, and what it does with data is not modelled", hint=hint)

    return refuse


def _errstate(*, call: Any = None, **kwargs: Any) -> Any:
    """Warnings on and off do not change results; ``"raise"`` and ``"call"`` would."""
    for name, mode in kwargs.items():
        if mode not in (None, "ignore", "warn", "print"):
            raise Unsupported("E103", f"numpy.errstate({name}={mode!r}) makes the program raise where data say so", hint="Use 'ignore' or 'warn'.")
    return np.errstate(**kwargs)


def _ndindex(*shape: Any) -> Any:
    """Indices of known sizes."""
    from npexport.tracer.arrays.functions import static

    shape = static(shape)
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return np.ndindex(*map(int, sizes))


class Enumerated:
    """``np.ndenumerate``: indices and elements in C order, read when they are asked for."""

    __slots__ = ("_array", "_indices")

    def __init__(self, array: Any) -> None:
        self._array = coercion.array_of(array)
        self._indices = iter(np.ndindex(*map(int, self._array.shape)))

    def __iter__(self) -> Enumerated:
        return self

    def __next__(self) -> Any:
        index = next(self._indices)
        return index, self._array[index]  # type: ignore[index]


class Broadcast:
    """``np.broadcast``: the common shape of arrays."""

    __slots__ = ("iters", "shape")

    def __init__(self, *arrays: Any) -> None:
        from npexport.ir.ops.rules import Rejected, broadcast

        shapes = [tuple(coercion.array_of(array).shape) for array in arrays]
        try:
            self.shape: tuple[Any, ...] = broadcast(*shapes) if shapes else ()
        except Rejected:
            self.shape = np.broadcast_shapes(*shapes)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    nd = ndim

    @property
    def size(self) -> Any:
        total: Any = 1
        for size in self.shape:
            total = total * size
        return total


CALLS.update(
    {
        np.dtype: _dtype,
        np.errstate: _errstate,
        np.ndindex: _ndindex,
        np.ndenumerate: Enumerated,
        np.broadcast: Broadcast,
        np.ndarray: _refused("ndarray", "Use np.zeros or np.empty."),
        np.matrix: _refused("matrix", "Use two-dimensional arrays and the operator @."),
        np.memmap: _refused("memmap", "Open the file outside the exported function and pass the array in."),
        np.nditer: _refused("nditer", "Use whole-array operations, or loop over np.ndindex(x.shape)."),
        np.flatiter: _refused("flatiter", "Use x.flat."),
        np.recarray: _refused("recarray", "Use separate arrays for the fields."),
        np.frompyfunc: _refused("frompyfunc", "Write the function with NumPy's own operators, or use np.vectorize."),
    }
)
