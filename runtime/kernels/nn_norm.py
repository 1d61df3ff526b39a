"""Normalisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions.nn_norm import by_channel, factor_and_offset, norms
from npexport.runtime.array_types import Array
from npexport.runtime.kernels.rows import by_rows


def _scaled(x: Any, weight: Any, bias: Any, owned: bool = False) -> Any:
    """``x * weight + bias`` in one array: that of ``x`` where nobody else has it (``owned``)."""
    out = x
    for ufunc, operand in ((np.multiply, weight), (np.add, bias)):
        if operand is not None:
            mine = (owned or out is not x) and out.ndim and np.result_type(out, operand) == out.dtype
            out = ufunc(out, operand, out=out) if mine else ufunc(out, operand)
    return out


def batch_norm(
    input: Array, running_mean: Array, running_var: Array, weight: Array | None = None, bias: Array | None = None, eps: Any = 1e-5
) -> Array:
    factor, offset = factor_and_offset(running_mean, running_var, weight, bias, eps)
    return _scaled(input, by_channel(factor, input.ndim), by_channel(offset, input.ndim))


def _scaled_in_place(x: Any, weight: Any, bias: Any) -> Any:
    return _scaled(x, weight, bias, owned=True)


batch_norm_train, layer_norm, rms_norm, group_norm = norms(_scaled_in_place, by_rows)
