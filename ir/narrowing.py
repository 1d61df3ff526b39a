"""Whether numbers go into dtypes that may not hold them, of which NumPy warns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node
from npexport.ir.raising import of_complex
from npexport.symshapes.symint import SymFloat, SymInt


def narrows(args: tuple[Any, ...]) -> bool:
    """Whether a number of Python goes among floats of NumPy that may not hold it: its cast
    overflows or underflows then.
    """
    dtypes = [found for arg in args if (found := _dtype_beside_numbers(arg)) is not None and found.char in "efF"]
    if not dtypes:
        return False
    limits = np.finfo(min(dtypes, key=lambda dtype: np.finfo(dtype).bits))
    return not all(_holds(limits, arg) for arg in args)


def fills_another(args: tuple[Any, ...]) -> bool:
    """Whether a value goes into a dtype that is asked for, and that may not hold it."""
    asked = next((np.dtype(arg) for arg in args if isinstance(arg, (np.dtype, type))), None)
    if asked is None:
        return False
    value = args[1]
    if isinstance(value, Node):
        val = value.meta["val"]
        own = val.dtype if isinstance(val, TensorMeta) else np.dtype(float if isinstance(val, SymFloat) else int)
        return not np.can_cast(own, asked)
    if asked.char in "efF":
        return not _holds(np.finfo(asked), value)
    return isinstance(value, (float, complex, np.inexact)) and asked.kind in "iu"


def comparing(args: tuple[Any, ...]) -> bool:
    """Whether a comparison in order is `of_complex` or `narrows`."""
    return of_complex(args) or narrows(args)


def _dtype_beside_numbers(arg: Any) -> np.dtype[Any] | None:
    """The dtype that an array or a scalar of NumPy brings; a number of Python takes on that of
    others.
    """
    if isinstance(arg, Node):
        val = arg.meta.get("val")
        return val.dtype if isinstance(val, TensorMeta) else None
    return arg.dtype if isinstance(arg, (np.generic, np.ndarray)) else None


def _holds(limits: np.finfo[Any], arg: Any) -> bool:
    """Whether floats of these limits hold an argument, if it is a number of Python, without
    overflow or underflow.
    """
    if isinstance(arg, Node):
        val = arg.meta.get("val")
        return not isinstance(val, SymFloat) and not (isinstance(val, SymInt) and limits.bits == 16)
    if isinstance(arg, complex):
        return _holds(limits, arg.real) and _holds(limits, arg.imag)
    if not isinstance(arg, (int, float)) or not arg or not math.isfinite(arg):
        return True
    return float(limits.smallest_normal) <= abs(arg) <= float(limits.max)
