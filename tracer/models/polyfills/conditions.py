"""The input checks of compiled programs, for a program that is called inside an exported one."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.entry.conditions import ANY, FLAGS, WRITTEN


def are(rows: tuple[Any, ...], *arrays: Any) -> bool:
    """`npexport.runtime.entry.conditions.Arrays` for these rows."""
    for array, (dtype, shape, mask, flags, part, *_) in zip(arrays, rows, strict=True):
        if type(array) is not np.ndarray or array.dtype != dtype or len(array.shape) != len(shape):
            return False
        if any(size not in (ANY, have) for size, have in zip(shape, array.shape, strict=True)):
            return False
        asked = [(bit, getattr(array.flags, name)) for name, bit in FLAGS.items() if mask & bit]
        if any((flags & bit != 0) is not flag for bit, flag in asked) or (part == WRITTEN and not array.flags.forc):
            return False
    parts = [(array, row[4]) for array, row in zip(arrays, rows, strict=True) if row[4]]
    pairs = [(one, other) for place, (one, part) in enumerate(parts) for other, own in parts[:place] if WRITTEN in (part, own)]
    return not any(np.may_share_memory(one, other) for one, other in pairs)
