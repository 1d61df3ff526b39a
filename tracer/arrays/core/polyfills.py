"""NumPy's dispatch to classes that define ufuncs and functions themselves (NEP 13, NEP 18),
interpreted instead of the C code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.numpy_internals import array_function_errmsg_formatter, array_ufunc_errmsg_formatter


def array_ufunc(objects: Sequence[Any], ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``objects``: the operands whose classes are asked, in the order in which they are."""
    for operand in objects:
        if type(operand).__array_ufunc__ is None:
            raise TypeError(f"operand '{type(operand).__name__}' does not support ufuncs (__array_ufunc__=None)")
    for operand in objects:
        result = type(operand).__array_ufunc__(operand, ufunc, method, *inputs, **kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(array_ufunc_errmsg_formatter(None, ufunc, method, *inputs, **kwargs))


def array_function(objects: Sequence[Any], types: tuple[type, ...], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``types``: those of all arguments that take part, arrays included."""
    for argument in objects:
        result = type(argument).__array_function__(argument, function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(array_function_errmsg_formatter(function, types))  # type: ignore[arg-type]  # NumPy declares names
