"""The contents of a sliding window: padding, and elements taken one axis after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.symshapes.symint import is_symbolic


def padded(x: Any, pairs: Any, fill: Any) -> Any:
    """``x`` with ``(before, after)`` elements ``fill`` around its last axes."""
    if not any(is_symbolic(width) or width for pair in pairs for width in pair):
        return x
    lead = x.ndim - len(pairs)
    sizes = [size + before + after for size, (before, after) in zip(x.shape[lead:], pairs, strict=True)]
    out: Any = np.full((*x.shape[:lead], *sizes), fill, x.dtype)
    place: Any = (..., *[slice(before, before + size) for size, (before, _) in zip(x.shape[lead:], pairs, strict=True)])
    out[place] = x
    return out


def windows(x: Any, kernel: Any, counts: Any, steps: Any, spread: Any) -> Any:
    """``(..., *counts, *kernel)``: the elements of the last axes under the kernel at each
    position.
    """
    rank = len(kernel)
    lead = x.ndim - rank
    for axis in range(rank):
        places = np.arange(counts[axis])[:, None] * steps[axis] + np.arange(kernel[axis]) * spread[axis]
        x = np.take(x, places, axis=lead + 2 * axis)
    return np.transpose(x, (*range(lead), *range(lead, lead + 2 * rank, 2), *range(lead + 1, lead + 2 * rank, 2)))


def under(offset: Any, counts: Any, steps: Any, spread: Any) -> Any:
    """The index of the elements under kernel position ``offset``, one for each output position."""
    starts = [position * step for position, step in zip(offset, spread, strict=True)]
    return (..., *[slice(start, start + (size - 1) * step + 1, step) for start, size, step in zip(starts, counts, steps, strict=True)])
