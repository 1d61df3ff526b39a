"""Objects whose class says in Python, by ``__array__``, which array they are: it is called as C of
NumPy calls it.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.interpreter.native import NATIVE_TYPES

_PLAIN = frozenset({ArrayProxy, ScalarProxy, int, float, bool, complex, str, bytes})


def converts_itself(value: Any) -> bool:
    """Whether the value's class has an ``__array__`` of Python's.

    Raises ``Unsupported`` (E101) for one that also wraps what NumPy computes.
    """
    kind = type(value)
    if kind in _PLAIN or kind in NATIVE_TYPES:
        return False
    if type(getattr(kind, "__array_wrap__", None)) is types.FunctionType:
        raise Unsupported("E101", f"an object of type {kind.__name__} wraps what NumPy computes by its own code")
    return type(getattr(kind, "__array__", None)) is types.FunctionType


def own_array(value: Any, dtype: Any, copy: bool | None = None) -> tuple[Any, bool]:
    """What the object's ``__array__`` gives, of any dtype; and whether that is the copy asked for.

    It is told a dtype only if there is one, and of a copy only if one is asked for or forbidden. A
    method without that parameter is called again without it, of which NumPy warns.
    """
    session = recorder().session
    args = (value,) if dtype is None else (value, np.dtype(dtype))
    method = type(value).__array__
    copied = copy is True
    try:
        array = session.invoke(method, args, {} if copy is None else {"copy": copy})
    except TypeError as error:
        if copy is None or _NO_COPY not in str(error):
            raise
        np.array(_Uncopied(), copy=copy)  # warns, or raises the warning
        array, copied = session.invoke(method, args, {}), False
    if not issubclass(session.world.type_of(array), np.ndarray):
        raise ValueError(NO_ARRAY)
    return array, copied


NO_ARRAY = "object __array__ method not producing an array"
"""What NumPy says of an `__array__` that gives no array, and of one that gives what stands for it.
"""
_NO_COPY = "__array__() got an unexpected keyword argument 'copy'"


class _Uncopied:
    def __array__(self, dtype: Any = None) -> Any:
        return np.zeros(())


def with_own_arrays(value: Any, dtype: Any, copy: bool | None = None) -> Any:
    """A nested list or tuple with the arrays of the objects in it that convert themselves; itself
    where there are none. A copy is made of the items anyway: none of them is asked for one.
    """
    if type(value) is not list and type(value) is not tuple:
        return own_array(value, dtype, None if copy else copy)[0] if converts_itself(value) else value
    if _PLAIN.issuperset(map(type, value)):
        return value
    items = [with_own_arrays(item, dtype, copy) for item in value]
    return value if all(new is old for new, old in zip(items, value, strict=True)) else items


def numpys_array(value: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """``np.asarray``. Raises ``Unsupported`` (E101) for what is converted by code of the program's
    that C finds elsewhere than in a class.
    """
    try:
        return np.asarray(value, dtype)
    except ValueError as error:
        if str(error) != NO_ARRAY:
            raise
        message = f"an object of type {type(value).__name__} is, or holds, what is converted to an array by its own code"
        raise Unsupported("E101", message, hint="Define `__array__` as a method of the class.") from None
