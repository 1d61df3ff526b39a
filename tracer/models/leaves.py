"""The values of a graph, as branches and loops hand them on: arrays, NumPy scalars, and numbers of
Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS
from npexport.ir.printing import value_text
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy

_ARRAYS = (ArrayProxy, ScalarProxy, np.generic, TensorMeta)


def is_value(leaf: Any) -> bool:
    """Whether a leaf is of the graph: an array, a scalar of NumPy, or a number of Python."""
    return isinstance(leaf, _ARRAYS) or type(leaf) in (ArrayProxy, ScalarProxy) or python_type(leaf) in NUMBERS


def meta_of(leaf: Any) -> Any:
    """What goes into a sub-graph for a leaf: its meta; of a number the number."""
    if type(leaf) in (ArrayProxy, ScalarProxy):
        return leaf.meta
    return TensorMeta((), leaf.dtype, scalar=True) if isinstance(leaf, np.generic) else leaf


def text_of(leaf: Any) -> str:
    if type(leaf) is Mixed:
        return f"a Python {leaf.kind.__name__} or the NumPy scalar {value_text(leaf.scalar.meta)}"
    meta = meta_of(leaf)
    if isinstance(meta, TensorMeta):
        return f"the {'NumPy scalar' if meta.scalar else 'array'} {value_text(meta)}"
    return f"the Python {python_type(leaf).__name__} {leaf if not is_symbolic(leaf) else ''}".rstrip() if is_value(leaf) else repr(leaf)


def standing_for(value: Any) -> Any:
    """A number or a scalar of the same kind; what is of no graph is itself."""
    if not is_value(value):
        return value
    meta = meta_of(value)
    return meta.dtype.type(0) if isinstance(meta, TensorMeta) else python_type(value)()
