"""Floating-point errors as exceptions: what a program computes within
``np.errstate(over="raise")``."""

from __future__ import annotations

from typing import Any

from npexport.ir.op import REGISTRY
from npexport.ir.ops.rules import Rejected, record
from npexport.ir.raising import ANYTHING

ERRORS = ("divide", "over", "under", "invalid")


@record(kernel="np_trapped.trapped", see="numpy.errstate", raises=ANYTHING)
def trapped(op: str, errors: Any, *args: Any, **kwargs: Any) -> Any:
    """The call of another operator of NumPy, by its qualified name, where these kinds of errors
    raise ``FloatingPointError``."""
    called = REGISTRY.get(op)
    if called is None or called.name == "trapped" or "view" in called.traits or not set(errors) <= set(ERRORS):
        raise Rejected
    return called.rule(*args, **kwargs)
