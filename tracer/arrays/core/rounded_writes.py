"""Ufuncs whose last bits depend on the memory to which the results go: NumPy computes elements that
lie next to one another by other instructions than those with gaps between them, and by others again
where an operand shows what is written.

So a call that writes to an array is recorded as one that does (``ufunc_where``, with everything
computed), unless a new array would have the same layout.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import aliasing
from npexport.ir.op import REGISTRY
from npexport.tracer.arrays.core import ownership
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.model import mirror

_EXACT = {"f": "exact", "c": "by_parts"}
"""By kind of numbers, the trait of operators that any instructions compute alike."""


def are_rounded(ufunc: np.ufunc, out: Any) -> bool:
    """Whether the instructions decide the last bits of an output."""
    exact = _EXACT.get(out.dtype.kind) if type(out) is ArrayProxy and ufunc.signature is None else None
    return exact is not None and exact not in getattr(REGISTRY.modelling(ufunc), "traits", ())


def there(ufunc: np.ufunc, inputs: tuple[Any, ...], out: Any) -> bool:
    """Whether an output may have other bits than a new array."""
    if not are_rounded(ufunc, out) or (out.dtype.kind == "c" and not all(map(_is_complex, inputs))):
        return False  # times a real number, a complex one is rounded once
    op = REGISTRY.modelling(ufunc)
    if _is_view(out) or (op is not None and aliasing.rounds_in_place(op, out.meta) and _is_operand(out, inputs)):
        return True
    others = [x for x in inputs if type(x) is ArrayProxy and x.ndim > 1 and x is not out]
    return any(_is_view(x) or x.storage.layout != out.storage.layout for x in others)


def is_copied(value: Any, out: ArrayProxy, inputs: tuple[Any, ...]) -> bool:
    """Whether NumPy copies an operand if it shows other elements of an output that is an operand,
    too: elements that lie in the same steps may be read where they are.
    """
    if type(value) is not ArrayProxy or value.storage is not out.storage or ownership.are_one(out, value) or not _is_operand(out, inputs):
        return False
    one, other = [mirror(each.storage, each.link) for each in (value, out)]
    if out.ndim == 1:
        return one.shape == other.shape and one.strides == (-other.strides[0],)
    return out.ndim > 1 and (one.shape, one.strides) != (other.shape, other.strides)


def _is_operand(out: ArrayProxy, inputs: tuple[Any, ...]) -> bool:
    return any(type(x) is ArrayProxy and ownership.are_one(out, x) for x in inputs)


def _is_complex(value: Any) -> bool:
    return value.dtype.kind == "c" if hasattr(value, "dtype") else isinstance(value, complex)


def _is_view(array: ArrayProxy) -> bool:
    """Whether an array need not lie in memory of its own without gaps."""
    return array.link is not None or array.storage.outside is not None
