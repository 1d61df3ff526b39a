"""Kernels of functions of text."""

from __future__ import annotations

from typing import Any

import numpy as np


def change_case(x: Any, case: str) -> Any:
    """``np.strings.upper(x)`` and its kin; a text of no axes is a 0-d array."""
    return np.asarray(getattr(np.strings, case)(x))


def justified(x: Any, width: int, side: str, fillchar: str = " ") -> Any:
    """``np.strings.center(x, width, fillchar)`` and its kin, of the dtype of that width where all
    texts are as wide."""
    parameters = (width,) if side == "zfill" else (width, fillchar)
    return getattr(np.strings, side)(x, *parameters)
