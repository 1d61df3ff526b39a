"""Functions of NumPy that are interpreted from here and not from NumPy, whose own text asks what only the data know."""

from __future__ import annotations

from typing import Any

import numpy as np


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """``np.piecewise``. NumPy does not call a function where its condition holds nowhere; here it gets no elements."""
    x = np.asanyarray(x)
    n2 = len(funclist)
    if np.isscalar(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    condlist = np.asarray(condlist, dtype=bool)
    n = len(condlist)
    if n == n2 - 1:
        condlist = np.concatenate([condlist, ~np.any(condlist, axis=0, keepdims=True)], axis=0)
        n += 1
    elif n != n2:
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = np.zeros_like(x)
    for cond, func in zip(condlist, funclist, strict=True):
        y[cond] = func(x[cond], *args, **kw) if callable(func) else func
    return y


FUNCTIONS = {np.piecewise: piecewise, np.bartlett: bartlett, np.blackman: blackman, np.hamming: hamming, np.hanning: hanning, np.kaiser: kaiser}
