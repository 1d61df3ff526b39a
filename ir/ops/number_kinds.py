"""Numbers that are Python's after one side of a branch on data and NumPy's after the other.

The graph has the value as a NumPy scalar, and the truth that tells whether it is Python's. Both
kinds compute alike with arrays and scalars of wide dtypes; where they differ, this module applies
the very operator that eager execution applies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.rules import Rejected, record, value
from npexport.ir.raising import NOTHING

COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
ARITHMETIC = frozenset({"add", "sub", "mul", "neg", "pos", "abs"})
KINDS = {float: "float64", int: "int64", bool: "bool"}
"""The kinds of Python numbers, and the dtype of the scalars that stand for them."""


@record(kernel="number_kinds.mixed_operator", namespace="py", raises=NOTHING)
def mixed_operator(name: Any, python: Any, numbers: Any, /) -> TensorMeta:
    """Python's operator ``name`` of floats, each of which is Python's where its truth in ``python``
    holds, and NumPy's elsewhere; the result as NumPy's."""
    if name not in COMPARISONS | ARITHMETIC | {"truediv"} or len(python) != len(numbers):
        raise Rejected
    return value((), np.dtype(np.bool_ if name in COMPARISONS else np.float64))


@record(kernel="number_kinds.mixed_number", namespace="py", raises=NOTHING, rejects=False)
def mixed_number(kind: Any, python: Any, number: Any, /) -> TensorMeta:
    """The number of Python, of the type ``kind``, that a scalar stands for where ``python`` holds;
    the scalar itself elsewhere."""
    if kind not in {cls.__name__ for cls in KINDS}:
        raise TypeError(f"{kind!r} is not a kind of numbers")
    return value((), number.dtype)
