"""Objects of Python classes among the arguments of NumPy's functions: which of them are asked what
the function means.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import implementation
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core import polyfills
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.world import Invoke

UFUNC, FUNCTION, CONVERSION = "__array_ufunc__", "__array_function__", "__array__"
_PLAIN = frozenset(
    {ArrayProxy, ScalarProxy, SymInt, SymFloat, SymBool, int, float, complex, bool, str, bytes, type(None), slice, tuple, list, dict, type}
)
_PARAMETERS = {
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("axis", "dtype", "out"),
}
"""What the methods of ufuncs take after their operands."""


def defines(value: Any, protocol: str) -> bool:
    """Whether the value's class defines the protocol in Python (``None``: takes no part). What
    stands in for ``x.flat`` does not.
    """
    cls = type(value)
    if cls in _PLAIN or isinstance(value, np.flatiter):
        return False
    method = getattr(cls, protocol, cls)
    return method is None or type(method) is types.FunctionType


def may_run_python(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an argument, or an item of a list or tuple among them, is of a class whose special
    methods may be in Python.
    """
    values = (*args, *kwargs.values()) if kwargs else args
    for value in values:
        kind = type(value)
        if kind is list or kind is tuple:
            if any(type(item) not in _PLAIN and _is_users(type(item)) for item in value):
                return True
        elif kind not in _PLAIN and _is_users(kind):
            return True
    return False


def may_be_numbers(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether NumPy may take one of those objects for an integer."""
    return any(_is_users(type(value)) and hasattr(type(value), "__index__") for value in _flat((*args, *kwargs.values())))


def is_plain(values: tuple[Any, ...]) -> bool:
    """Whether all are arrays, sizes and plain data, or sequences of those."""
    return all(is_plain(value) if type(value) in (list, tuple) else type(value) in _PLAIN for value in values)


def _is_users(cls: type) -> bool:
    return bool(cls.__flags__ & HEAP_TYPE) and cls not in NATIVE_TYPES and cls.__module__.partition(".")[0] != "numpy"


def ufunc(function: np.ufunc, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke | None:
    """The call of the classes' ``__array_ufunc__``; ``None`` if no operand has one."""
    out = kwargs.get("out")
    given = (*args, *(out if isinstance(out, tuple) else (out,)))
    if method != "__call__":  # what stands for a number leaves operators to itself, and nothing else
        given = tuple([value for value in given if type(value) not in NATIVE_TYPES])
    if any(defines(value, UFUNC) for value in given):
        return overridden(function, method, args, kwargs)
    return None


def overridden(function: np.ufunc, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
    """The call of ``__array_ufunc__``, with the arguments arranged as NumPy arranges them."""
    operands = {"__call__": function.nin, "reduce": 1, "accumulate": 1, "reduceat": 2}.get(method, len(args))
    inputs, rest = args[:operands], args[operands:]
    named = {"out": rest} if method == "__call__" and any(value is not None for value in rest) else {}
    named |= dict(zip(_PARAMETERS.get(method, ()), rest, strict=False))
    kwargs = {**named, **kwargs}
    if "sig" in kwargs:
        kwargs["signature"] = kwargs.pop("sig")
    outs = kwargs.pop("out", None)
    if method == "__call__" and outs is not None and (len(outs) != function.nout if isinstance(outs, tuple) else function.nout > 1):
        function(*[0] * function.nin, out=(None,) * len(outs) if isinstance(outs, tuple) else np.empty(1))  # raises
    outs = outs if isinstance(outs, tuple) else (outs,) * (outs is not None)
    if any(value is not None for value in outs):
        kwargs["out"] = outs
    objects = _in_order((*inputs, *outs), UFUNC)
    return Invoke(polyfills.array_ufunc, (objects, function, method, inputs, kwargs), {})


def function(dispatcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke | None:
    """The call of the classes' ``__array_function__``, or of NumPy's own Python code, which asks
    them for methods, ufuncs and conversion.

    ``None`` if no argument is of such a class.
    """
    found = list(_flat((*args, *kwargs.values())))
    objects = _in_order(found, FUNCTION)
    if objects:
        kinds = tuple(dict.fromkeys(np.ndarray if type(v) is ArrayProxy else type(v) for v in found if _takes_part(v)))
        return Invoke(polyfills.array_function, (objects, kinds, dispatcher, args, kwargs), {})
    inner = implementation(dispatcher)
    if type(inner) is types.FunctionType and any(defines(v, UFUNC) or defines(v, CONVERSION) for v in found):
        return Invoke(inner, args, kwargs)
    return None


def _takes_part(value: Any) -> bool:
    return type(value) is ArrayProxy or defines(value, FUNCTION)


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if type(value) is list or type(value) is tuple:
            yield from value
        else:
            yield value


def _in_order(values: Iterable[Any], protocol: str) -> list[Any]:
    """One object of each class, subclasses before their bases, otherwise from left to right."""
    objects: list[Any] = []
    for value in values:
        if defines(value, protocol) and all(type(value) is not type(other) for other in objects):
            place = next((i for i, other in enumerate(objects) if issubclass(type(value), type(other))), len(objects))
            objects.insert(place, value)
    return objects
