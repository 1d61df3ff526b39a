"""Kernels of functions of text."""

from __future__ import annotations

from typing import Any

import numpy as np


def change_case(x: Any, case: str) -> Any:
    """``np.strings.upper(x)`` and its kin; a text of no axes is a 0-d array."""
    return np.asarray(getattr(np.strings, case)(x))
