"""Numbers that have been made arrays, each of one number, to be stacked: a list of numbers becomes
an array at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.symshapes.symint import python_type


def is_boxed(item: Any) -> bool:
    """Whether a value is an array of a scalar of NumPy's, of its dtype, or of a float of
    Python's.
    """
    if type(item) is not Node or item.op != CALL or item.kwargs or "raises" in item.meta:
        return False
    meta = item.meta["val"]
    if not _is_filled(item) and (item.target.rewrite != "copy" or item.args[1:] not in ((), (np.dtype(float),))):  # type: ignore[union-attr]
        return False
    scalar = unboxed(item)
    known = isinstance(scalar, np.generic)
    value = scalar if known else value_of(scalar)
    if item.args[1:] and not _is_filled(item):
        return python_type(value) is float and isinstance(meta, TensorMeta) and meta.shape == ()
    of_dtype = isinstance(meta, TensorMeta) and meta.dtype == getattr(value, "dtype", None)
    return of_dtype and (known or (isinstance(value, TensorMeta) and value.scalar))


def is_boxed_integer(item: Any) -> bool:
    """Whether a value is an array of one integer of Python's, which may be too large for it, or of
    one that is known.
    """
    if type(item) is not Node or item.op != CALL or item.kwargs or getattr(value_of(item), "dtype", None) != np.int64:
        return False
    return _is_filled(item) or (item.target.rewrite == "copy" and len(item.args) == 2 and python_type(value_of(item.args[0])) is int)  # type: ignore[union-attr]


def unboxed(item: Node) -> Any:
    """The number in such an array."""
    return item.target.kernel(*item.args)[()] if _is_filled(item) else item.args[0]  # type: ignore[union-attr]


def _is_filled(item: Node) -> bool:
    """Whether a value is an array filled with one known number."""
    return "creation" in item.target.traits and item.args[0] == () and not item.all_input_nodes  # type: ignore[union-attr]
