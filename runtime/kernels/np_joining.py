"""Kernels of joining operators."""

from __future__ import annotations

from typing import Any

import numpy as np

# Which of the options each mode of np.pad takes; it refuses the others.
_PAD_OPTIONS = {
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
}


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    return np.pad(array, pad_width, mode, **{name: options[name] for name in _PAD_OPTIONS.get(mode, ()) if name in options})
