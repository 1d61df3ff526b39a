"""Sampling at other positions than the elements': resized images, and images read along a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.nn_base import at_least, floating, numeric, operator, per_axis, show
from npexport.ir.raising import NOTHING

# The modes of ``interpolate``, and the numbers of spatial axes that each is for.
INTERPOLATIONS = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "trilinear": (3,),
    "bicubic": (2,),
    "lanczos": (2,),
}
_ANTIALIASED = ("bilinear", "bicubic", "lanczos")


@operator("nn_resample.interpolate", raises=NOTHING, rows=rows.batch())
def interpolate(
    input: Any, size: Any, mode: str = "nearest", align_corners: bool = False, scales: Any = None, antialias: bool = False
) -> TensorMeta:
    """``(N, C, ...)`` with spatial axes of the sizes ``size``.

    ``scales`` says by what each axis is enlarged where that is not the quotient of the sizes
    (``None``: it is).
    """
    if mode not in INTERPOLATIONS:
        raise ValueError(f"interpolate: mode must be one of {sorted(INTERPOLATIONS)}, not {mode!r}")
    x = numeric(input, "interpolate") if mode.startswith("nearest") else floating(input, "interpolate")
    rank = x.ndim - 2
    if rank not in INTERPOLATIONS[mode]:
        wanted = " or ".join(f"{axes + 2}D" for axes in INTERPOLATIONS[mode])
        raise ValueError(f"interpolate: mode {mode!r} is for {wanted} input, got shape {show(x.shape)}")
    if antialias and mode not in _ANTIALIASED:
        raise ValueError(f"interpolate: antialias=True is for the modes {_ANTIALIASED}, not {mode!r}")
    if mode == "lanczos" and not antialias:
        raise ValueError("interpolate: mode 'lanczos' needs antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("interpolate: mode 'lanczos' does not support align_corners=True")
    sizes = at_least(per_axis(size, rank, "interpolate", "size"), 1, "interpolate", "size")
    at_least(x.shape[2:], 1, "interpolate", "the sizes of input")
    return TensorMeta((*x.shape[:2], *sizes), x.dtype)


@operator("nn_resample.grid_sample", raises=NOTHING, c_order=False, rows=rows.batch(others=("grid",)))
def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False) -> TensorMeta:
    """``input`` ``(N, C, ...)`` read at the positions ``grid`` ``(N, ..., 2 or 3)``: x first, from
    -1 to 1 across the image."""
    x, g = floating(input, "grid_sample"), floating(grid, "grid_sample", "grid")
    if x.ndim not in (4, 5) or g.ndim != x.ndim:
        raise ValueError(f"grid_sample: input and grid must both have 4 or both have 5 dimensions, got {show(x.shape)} and {show(g.shape)}")
    if x.shape[0] != g.shape[0]:
        raise ValueError(f"grid_sample: input {show(x.shape)} and grid {show(g.shape)} must have the same batch size")
    if g.shape[-1] != x.ndim - 2:
        raise ValueError(f"grid_sample: the last axis of grid must have size {x.ndim - 2}, got shape {show(g.shape)}")
    if mode not in ("bilinear", "nearest", "bicubic") or (mode == "bicubic" and x.ndim != 4):
        raise ValueError(f"grid_sample: mode must be 'bilinear' or 'nearest', or 'bicubic' for 4D input, not {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"grid_sample: padding_mode must be 'zeros', 'border' or 'reflection', not {padding_mode!r}")
    at_least(x.shape[2:], 1, "grid_sample", "the sizes of input")
    return TensorMeta((*x.shape[:2], *g.shape[1:-1]), np.result_type(x.dtype, g.dtype))
