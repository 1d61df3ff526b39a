"""What ``out=`` of another dtype does to reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    """Whether a dtype has all numbers of another; ``can_cast`` takes ``int64`` to ``float64``."""
    rounded = narrow.kind in "iu" and narrow.itemsize == 8 and wide.char in "dD"
    return np.can_cast(narrow, wide) and not rounded
