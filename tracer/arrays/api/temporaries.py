"""Large temporaries: NumPy computes ``a * 2 - b`` in the memory of ``a * 2``, which nobody else
holds, so that the result has its memory order and its order of bytes
(``numpy/_core/src/multiarray/temp_elide.c``).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from npexport.symshapes.env import known
from npexport.tracer.arrays.core import writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy

_LEAST = 256 * 1024
"""How many bytes a temporary has at least."""
_REUSING = {"add": 2, "mul": 2, "and": 2, "xor": 2, "or": 2, "sub": 1, "truediv": 1, "floordiv": 1, "lshift": 1, "rshift": 1}
"""In how many of the operands, from the first on, NumPy may compute."""


@functools.cache
def _are_reused() -> bool:
    """Whether this NumPy reuses temporaries, as it does where it can tell who calls it."""
    square = np.zeros((200, 200))
    return not (square.T * 2 - square).flags.c_contiguous


def in_its_memory(name: str, first: Any, second: Any, result: Any) -> Any:
    """``first name second``, which is ``result``; written into the temporary in whose memory NumPy
    computes it, if its order, or that of its bytes, is not that of ``result``.
    """
    if name not in _REUSING or not type(first) is type(second) is type(result) is ArrayProxy:
        return result
    order = result.storage.layout.order
    if all(
        each.dtype.isnative and (result.ndim < 2 or each.link is not None or each.storage.layout.order == order) for each in (first, second)
    ):
        return result
    for temporary, other in ((first, second), (second, first))[: _REUSING[name]]:
        large = math.prod(temporary.shape) * temporary.dtype.itemsize >= _LEAST
        if large is not False and _are_reused() and _may_be_reused(temporary, other, result):
            stays = temporary.dtype.isnative and temporary.storage.layout.order == order  # then it does not matter whether it is large
            return result if stays or not large else writes.put(temporary, result)
    return result


def _may_be_reused(array: ArrayProxy, other: ArrayProxy, result: ArrayProxy) -> bool:
    """Whether NumPy computes in the memory of an array if that is large."""
    if array.link is not None or array.storage.outside is not None or array.storage.ambiguities:
        return False
    alike = len(array.shape) == len(other.shape) and all(
        known(mine == theirs) for mine, theirs in zip(array.shape, other.shape, strict=True)
    )
    if (
        not alike
        or array.dtype.newbyteorder("=") != result.dtype
        or array.dtype.kind not in "biufc"
        or not np.can_cast(other.dtype, array.dtype)
    ):
        return False
    return array.writeable and array.flags.owndata and recorder().session.is_temporary(array)
