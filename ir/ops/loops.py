"""The loops of ufuncs: the dtypes in which they compute."""

from __future__ import annotations

from typing import Any

import numpy as np


def loop_dtypes(ufunc: str, operands: tuple[Any, ...], dtype: Any) -> tuple[tuple[np.dtype[Any], ...], np.dtype[Any]]:
    """The dtypes of the loop of a ufunc: of its operands, and of its first result.

    Operands are given by their dtypes, or by the types of Python numbers.
    """
    function = getattr(np, ufunc)
    options = {} if dtype is None else {"signature": (*(None,) * function.nin, *(np.dtype(dtype),) * function.nout)}
    found = function.resolve_dtypes((*operands, *(None,) * function.nout), **options)
    return found[: function.nin], found[function.nin]
