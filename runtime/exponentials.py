"""Whether chains of C compute `exp` of single precision as NumPy's own loop does
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
def are_those_of_numpy() -> bool:
    """Whether this NumPy, on this machine, has the bits of chains wherever elements lie."""
    try:
        engine = extension("npexport.runtime._expressions")
    except ImportError:
        return False
    single = np.dtype(np.float32)
    try:
        types, loop = numpy_internals.loop_of(np.exp, (single, None))
    except (TypeError, ValueError):
        return False
    return types == (single, single) and bool(engine.exponentials(loop))


def is_exponential(node: Node) -> bool:
    """Whether a call is an `exp` that chains compute."""
    meta = node.meta["val"]
    single = isinstance(meta, TensorMeta) and meta.dtype == np.float32
    return single and getattr(node.target, "kernel", None) is np.exp and are_those_of_numpy()
