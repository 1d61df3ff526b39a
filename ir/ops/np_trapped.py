"""Calls that raise: floating-point errors as exceptions (what a program computes within
``np.errstate(over="raise")``), and what a write that raises leaves behind.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.op import REGISTRY
from npexport.ir.ops.rules import record
from npexport.ir.raising import NOTHING

ERRORS = ("divide", "over", "under", "invalid")


def _raised(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[type[Exception], ...]:
    """The exceptions of the other operator, and ``FloatingPointError``."""
    called = REGISTRY.get(args[0])
    return (*(called.errors(args[2:], kwargs) if called is not None else (Exception,)), FloatingPointError)


@record(kernel="np_trapped.trapped", traits="trapping", see="numpy.errstate", raises=_raised, rejects=False)
def trapped(op: str, errors: Any, *args: Any, **kwargs: Any) -> Any:
    """The call of another operator of NumPy, by its qualified name, where these kinds of errors
    raise ``FloatingPointError``."""
    called = REGISTRY.get(op)
    if called is None or called.name == "trapped" or "view" in called.traits or not set(errors) <= set(ERRORS):
        raise TypeError(f"{op!r} is no such operator")
    return called.rule(*args, **kwargs)


@record(kernel="np_trapped.left", traits="quiet c_order", raises=NOTHING, rejects=False)
def left(op: str, *args: Any, **kwargs: Any) -> Any:
    """The array to which another operator of NumPy writes, by its qualified name, as the call
    leaves it: also where that raises, when it has written some elements."""
    called = REGISTRY.get(op)
    if called is None or "scatter" not in called.traits:
        raise TypeError(f"{op!r} is no such operator")
    return called.rule(*args, **kwargs)
