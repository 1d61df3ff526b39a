"""NumPy's types as callables: scalar types, ``dtype``, ``ndindex``, ``errstate``, and those that
are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.api import arguments
from npexport.tracer.arrays.api.flat import FlatIterator
from npexport.tracer.arrays.api.nditer import NestedIterator
from npexport.tracer.arrays.api.numpy_iterators import NumpyIterator
from npexport.tracer.arrays.api.ufuncs import model_of
from npexport.tracer.arrays.core import coercion, numpy_oracle
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import raise_for_stand_ins
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, all_known, real_arguments, unknown_data
from npexport.tracer.effects.parts import HIDING
from npexport.tracer.interpreter.attributes import SHARED, SPECIAL_GETTERS, of_function
from npexport.tracer.interpreter.class_members import KEPT_AS_FOUND
from npexport.tracer.interpreter.native import named
from npexport.tracer.models.arrays.pyfuncs import frompyfunc
from npexport.tracer.models.registry import of_numpy
from npexport.tracer.models.specialization import plain


def scalar_type(cls: type[np.generic]) -> Callable[..., Any]:
    """``np.float32(value)``: a scalar, or for arrays an array of this dtype."""
    computed = issubclass(cls, (np.number, np.bool_)) and cls is not np.timedelta64  # type: ignore[comparison-overlap]

    def make(*args: Any, **kwargs: Any) -> Any:
        rec = recorder()
        if not computed:
            args, kwargs = plain((args, kwargs), f"numpy.{cls.__name__}() needs its value")
        if cls is np.datetime64 and args and args[0] in ("now", "today"):
            raise Unsupported("E106", f"`numpy.datetime64({args[0]!r})` reads the clock")
        if all_known((*args, *kwargs.values())):
            return rec.known(cls(*real_arguments(args), **real_arguments(kwargs)))
        if not computed and any(type(arg) is ArrayProxy for arg in args):
            cls(np.empty(0), *args[1:])  # raises of every array
        raise_for_stand_ins(cls, args, kwargs, (TypeError, ValueError) if cls is np.timedelta64 else TypeError)
        if issubclass(cls, np.complexfloating) and len(args) + len(kwargs) == 2:
            return _complex(np.dtype(cls), *args, **kwargs)
        if not issubclass(cls, (np.number, np.bool_)) or len(args) != 1:
            raise unknown_data(
                next(item for item in leaves_of((*args, *kwargs.values())) if isinstance(item, Proxy)), f"numpy.{cls.__name__}()"
            )
        dtype = np.dtype(cls)
        if type(args[0]) in coercion.SYMBOLIC or (type(args[0]) is ScalarProxy and args[0].dtype != dtype):
            return rec.call(ops.np.construct, args[0], dtype)
        value = args[0] if isinstance(args[0], Proxy) else coercion.array_of(args[0], dtype)  # item by item
        result = value if value.dtype == dtype else rec.call(ops.np.astype, value, dtype)
        return result if type(result) is ScalarProxy or result.ndim else rec.call(ops.np.scalar, result)

    return make


def _type_of_size(size: SymInt) -> np.dtype[Any]:
    """The least type that holds a size, of all sizes that have the same."""
    signed = not size >= 0
    for bits in (8, 16, 32):
        if size >= -(2 ** (bits - 1)) if signed else size < 2**bits:
            break
    else:
        bits = 64
    return np.dtype(f"{'i' if signed else 'u'}{bits // 8}")


def min_scalar_type(a: Any, /) -> Any:
    """``np.min_scalar_type``: for arrays with axes their own dtype."""
    if isinstance(a, Proxy) and not a.ndim:
        return np.min_scalar_type(a.value("np.min_scalar_type"))
    if type(a) is SymInt and a.hint is not None and -(2**63) <= a.hint < 2**63:
        return _type_of_size(a)
    return np.min_scalar_type(np.empty(1, a.dtype) if isinstance(a, Proxy) else plain(a, "np.min_scalar_type needs its value"))


def _complex(dtype: np.dtype[Any], real: Any, imag: Any) -> Any:
    """A complex scalar from its parts in memory: arithmetic would make NaN of infinities."""
    rec, double = recorder(), np.dtype(float)
    parts = [coercion.array_of(coercion.array_of(part), double) for part in (real, imag)]
    pair = rec.call(ops.np.view_dtype, rec.call(ops.np.stack, parts), np.dtype(complex))
    return rec.call(ops.np.scalar, rec.call(ops.np.astype, rec.call(ops.np.reshape, pair, ()), dtype))


def _dtype(*args: Any, **kwargs: Any) -> Any:
    """``np.dtype(...)`` only reads types."""
    given: list[Any] = [coercion.dtype_of(arg) if isinstance(arg, Proxy) else arg for arg in args]
    if any(isinstance(leaf, Proxy) for leaf in leaves_of(given)):
        given = numpy_oracle.stand_ins(given)
    return np.dtype(*given, **kwargs)


def _refused(name: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise Unsupported("E101", f"`numpy.{name}` is implemented in C, and what it does with data is not modelled", hint=hint)

    return refuse


def _ndarray(shape: Any, dtype: Any = float, buffer: Any = None, offset: int = 0, strides: Any = None, order: Any = None) -> Any:
    """``np.ndarray(shape, dtype)`` is ``np.empty``."""
    if buffer is not None or offset or strides is not None:
        raise Unsupported("E123", "np.ndarray of memory that exists")
    return model_of(np.empty)(shape, dtype, order=order or "C")


class Broadcast(NumpyIterator):
    """``np.broadcast``: the common shape, and an iterator over corresponding elements."""

    __slots__ = ("_arrays", "index", "iters", "shape")

    def __init__(self, *arrays: Any) -> None:
        if len(arrays) > 64:
            np.broadcast(*[0] * len(arrays))  # raises
        operands = [coercion.array_of(array) for array in arrays]
        self.shape = arguments.common_shape(*[tuple(array.shape) for array in operands])
        self._arrays = [recorder().call(ops.np.broadcast_to, array, self.shape) for array in operands]
        self.reset()

    __class__ = np.broadcast  # type: ignore[assignment]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    nd = ndim

    @property
    def numiter(self) -> int:
        return len(self.iters)

    @property
    def size(self) -> Any:
        return math.prod(self.shape)

    def __next__(self) -> Any:
        if self.index >= self.size:
            raise StopIteration
        self.index += 1
        return tuple(map(next, self.iters))

    def reset(self) -> None:
        """Start again."""
        self.index, self.iters = 0, tuple(map(FlatIterator, self._arrays))


def _limits(cls: Any) -> Callable[..., Any]:
    """``np.finfo`` and ``np.iinfo``: their objects never change visibly, whatever they cache."""

    def asked(value: Any) -> Any:
        return np.empty(0) if type(value) is ArrayProxy else coercion.dtype_of(value) if type(value) is ScalarProxy else value

    def make(*args: Any, **kwargs: Any) -> Any:
        return cls(*map(asked, args), **{name: asked(value) for name, value in kwargs.items()})

    return make


of_numpy(
    {
        **{cls: _limits(cls) for cls in (np.finfo, np.iinfo)},
        np.dtype: _dtype,
        np.min_scalar_type: min_scalar_type,
        np.broadcast: Broadcast,
        np.ndarray: _ndarray,
        np.matrix: _refused("matrix", "Use two-dimensional arrays and the operator @."),
        np.asmatrix: _refused("asmatrix", "Use two-dimensional arrays and the operator @."),
        np.bmat: _refused("bmat", "Use np.block."),
        np.nditer: NestedIterator,
        np.flatiter: _refused("flatiter", "Use x.flat."),
        np.recarray: _refused("recarray", "Use separate arrays for the fields."),
        np.frompyfunc: frompyfunc,
    }
)
named(Broadcast, "numpy.broadcast")
HIDING.add(Broadcast)
KEPT_AS_FOUND.add(np.generic)
SHARED.update((np.dtype, np.ufunc, type(np.sum)))
SPECIAL_GETTERS[type(np.sum)] = of_function
