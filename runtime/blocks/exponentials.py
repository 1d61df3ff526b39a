"""Whether chains of C compute `exp` of floats as NumPy's own loops do
(`_exponentials.h` states the laws).
"""

from __future__ import annotations

import functools

import numpy as np

from npexport.ir import numpy_internals
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node
from npexport.runtime.extensions import extension


@functools.cache
def are_those_of_numpy(size: int) -> bool:
    """Whether this NumPy, on this machine, has the bits of chains for floats of 4 or of 8 bytes,
    wherever they lie.
    """
    try:
        engine = extension("npexport.runtime._expressions")
    except ImportError:
        return False
    dtype = np.dtype(f"f{size}")
    try:
        types, loop = numpy_internals.loop_of(np.exp, (dtype, None))
    except (TypeError, ValueError):
        return False
    return types == (dtype, dtype) and bool(engine.exponentials(loop, size))


def is_exponential(node: Node) -> bool:
    """Whether a call is an `exp` that chains compute."""
    meta = node.meta["val"]
    if getattr(node.target, "kernel", None) is not np.exp or not isinstance(meta, TensorMeta):
        return False
    return meta.dtype.char in "fd" and meta.dtype.isnative and are_those_of_numpy(meta.dtype.itemsize)
