"""NumPy's own errors: it is asked about stand-ins, real objects of the same shapes, dtypes and flags whose data mean nothing.

A model that finds a call which NumPy refuses raises whatever it likes: `numpys` asks NumPy about stand-ins, and what it says is raised.
"""

from __future__ import annotations

import functools
import math
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.ops.rules import example
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays import protocols
from npexport.tracer.arrays.layout import alike, laid_out, mirror
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.current import recorder
from npexport.tracer.interpreter.native import NATIVE_TYPES

_BYTES = 1 << 28
"""The largest stand-in; memory that nobody touches costs nothing."""
CONVERSIONS: dict[type, Callable[[Callable[[Any], Any], Any], Any]] = {}
"""The stand-ins of objects of ours that hold arrays, made by what gives those of arrays."""
Kind = type[Exception] | tuple[type[Exception], ...]


class NoStandIn(Exception):
    """Nothing stands for an argument: it is of a class of the program's, or uses itself up."""


def numpys(function: Callable[..., Any], model: Callable[..., Any]) -> Callable[..., Any]:
    """The model of ``function``, whose errors are those of NumPy."""

    @functools.wraps(model)
    def call(*args: Any, **kwargs: Any) -> Any:
        return asked(function, model, args, kwargs)

    return call


def asked(function: Callable[..., Any], model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the model of ``function`` gives. Where it raises, NumPy says what is raised.

    Raises ``Unsupported`` (E101) where NumPy takes the stand-ins of what the model refuses.
    """
    nodes = recorder().graph.nodes
    start = len(nodes)
    try:
        return model(*args, **kwargs)
    except ExportError:
        raise
    except Exception as error:
        problem = error
    for node in nodes[start:]:
        node.meta.pop("raises", None)  # what is computed for a call that fails
    taken = not protocols.may_run_python(args, kwargs) and raise_for_stand_ins(function, args, kwargs, Exception)
    if taken and isinstance(problem, (TypeError, ValueError, LookupError, ArithmeticError)):  # others are defects of ours
        name = getattr(function, "__name__", "NumPy")
        raise Unsupported("E101", f"a call of {name} that NumPy takes, and of which the model says: {problem}") from problem
    raise problem


def raise_for_stand_ins(function: Callable[..., Any], args: Any, kwargs: Any, kind: Kind = TypeError) -> bool:
    """Raise the error of this kind that NumPy has for arguments of these types and shapes, if any: what else it says depends on data.

    Gives whether NumPy took them.
    """
    memo: dict[int, Any] = {}
    try:
        args, kwargs = _stand_in(tuple(args), memo), _stand_in(kwargs, memo)
    except NoStandIn:
        return False
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **kwargs)
    except kind:
        raise
    except Exception:  # of the data of stand-ins
        return False
    return True


def stand_ins(value: Any) -> Any:
    """The value with zeros for unknown data. Raises `NoStandIn`."""
    return _stand_in(value, {})


def _stand_in(value: Any, memo: dict[int, Any]) -> Any:
    kind = type(value)
    if kind is ArrayProxy:
        found = memo.get(id(value))
        if found is None:
            found = memo[id(value)] = _array(value)
        return found
    if kind is ScalarProxy:
        return np.zeros((), value.dtype)[()]
    if kind is SymInt or kind is SymFloat or kind is SymBool:
        return example(value)
    if kind is tuple or kind is list:
        return kind([_stand_in(item, memo) for item in value])
    if kind is dict:
        return {name: _stand_in(item, memo) for name, item in value.items()}
    if kind is slice:
        return slice(*[_stand_in(bound, memo) for bound in (value.start, value.stop, value.step)])
    if kind in CONVERSIONS:
        return CONVERSIONS[kind](lambda array: _stand_in(array, memo), value)
    if kind in NATIVE_TYPES or kind is types.FunctionType or hasattr(kind, "__next__"):
        raise NoStandIn
    return value


def _array(proxy: ArrayProxy) -> Any:
    """An array of the same shape, dtype and flags, which lies alike; the data of one that is known."""
    array: Any
    if proxy.known:
        array = proxy.array.copy(order="K")  # type: ignore[union-attr]
    else:
        shape = tuple(map(example, proxy.shape))
        if math.prod(shape) * proxy.itemsize > _BYTES:
            raise NoStandIn
        if all(type(size) is int for size in (*proxy.storage.meta.shape, *proxy.shape)):
            return alike(mirror(proxy.storage, proxy.link), proxy.writeable)
        array = laid_out(shape, proxy.dtype, proxy.storage.layout.order if proxy.link is None else None, np.zeros)
    array.flags.writeable = proxy.writeable
    return array
