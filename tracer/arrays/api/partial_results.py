"""What ``out=`` of another dtype does to reductions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.numpy_oracle import WRITE_AFTERWARDS
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.model import mirror

_EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)


def survive(ufunc: np.ufunc, elements: np.dtype[Any], loop: np.dtype[Any], out: np.dtype[Any]) -> bool:
    """Whether what a reduction computes in ``loop`` is the same although the first element, which
    starts one without an identity, and what a buffer leaves go through the dtype of ``out``.
    """
    kept = _holds(out, loop)
    if ufunc in _EXTREMES:
        ordered = out.kind in "fc" and (out.kind == "c" or loop.kind != "c")  # rounding keeps the order
        return (kept or ordered) and np.can_cast(elements, loop, "same_kind")
    return kept and (ufunc.identity is not None or _holds(out, elements))


def _holds(wide: np.dtype[Any], narrow: np.dtype[Any]) -> bool:
    """Whether a dtype has all numbers of another; ``can_cast`` takes ``int64`` to ``float64``, and
    every number to a text, which is true also where that is "False".
    """
    if wide.kind in "SUT" and narrow.kind not in "SUT":
        return False
    rounded = narrow.kind in "iu" and narrow.itemsize == 8 and wide.char in "dD"
    return np.can_cast(narrow, wide) and not rounded


_BUFFER = 8192
"""How many elements NumPy's buffers hold."""


def require_one_rounding(shown: str, loop: np.dtype[Any], out: ArrayProxy, operands: tuple[Any, ...], ufunc: Any = None) -> None:
    """Refuses an ``out`` that makes NumPy add floats in another order than it does without one:
    what is cast, or lies at unaligned addresses, goes through a buffer, and its end is the end of a
    sum by pairs.
    """
    if loop.kind not in "fc" or ufunc in _EXTREMES or out.dtype.kind not in "biufc":  # NumPy adds nothing into times or texts
        return
    if out.dtype == loop and mirror(out.storage, out.link).flags.aligned:
        return
    sizes = [size for operand in operands for size in np.shape(operand)]
    if all(type(size) is int for size in sizes) and math.prod(sizes) <= _BUFFER:
        return
    what = f"{shown} of more than {_BUFFER} elements of {loop} with out= of {out.dtype}, which NumPy adds in parts"
    raise Unsupported("E101", what, hint=WRITE_AFTERWARDS)
