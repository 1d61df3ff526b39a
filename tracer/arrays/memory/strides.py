"""Strides over dynamic sizes: NumPy's own algorithm decides whether a reshape is a view; ``truth``
decides its comparisons of sizes.

With ``bool`` as ``truth`` they become guards, so that the answer holds at every size; with `proved`
nothing is recorded.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.views import Open, Sizes, Truth, is_one, reshaped
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.memory.model import Link, Storage


def proved(condition: Any) -> bool:
    """Whether it holds for all sizes or for none. Raises `Open` elsewhere."""
    answer = known(condition)
    if answer is None:
        raise Open
    return answer


def shares(storage: Storage, link: Link | None, shape: Sizes | None, order: str, truth: Truth) -> bool:
    """Whether NumPy reshapes a view without a copy; ``shape=None``: whether it is contiguous in
    this order.

    Sizes that are not plain numbers count as other than 1.
    """
    before = storage.meta.shape if link is None else link.meta.shape
    if any(type(size) is int and size == 0 for size in before):
        return True
    strides = strides_of(storage, link, truth)
    itemsize = (storage if link is None else link).meta.dtype.itemsize
    if shape is None:
        axes = [(size, stride) for size, stride in zip(before, strides, strict=True) if not is_one(size)]
        for size, stride in axes[::-1] if order == "C" else axes:
            if not truth(stride == itemsize):
                return False
            itemsize = itemsize * size
        return True
    return reshaped(before, strides, shape, order, itemsize, truth) is not None


def strides_of(storage: Storage, link: Link | None, truth: Truth) -> Sizes:
    """Bytes from one element of a view to the next, along each axis."""
    strides, shape = _of_whole(storage), storage.meta.shape
    for step in link.chain() if link is not None else ():
        strides, shape = _shown(step, shape, strides, truth), step.meta.shape
    return strides


def place_of(storage: Storage, link: Link | None, truth: Truth) -> Any:
    """How many bytes after the first element of packed memory that of a view lies."""
    place: Any = 0
    strides, shape = _of_whole(storage), storage.meta.shape
    for step in link.chain() if link is not None else ():
        if step.op.view.first is None:
            raise Unsupported("E121", f"the place of a view by {step.op.namespace}.{step.op.name}, which depends on sizes")
        place = place + step.op.view.first(step, shape, strides, truth)
        strides, shape = _shown(step, shape, strides, truth), step.meta.shape
    return place


def _shown(step: Link, shape: Sizes, strides: Sizes, truth: Truth) -> Sizes:
    """The strides of one view of an array."""
    found = step.op.view.strides
    if found is None:
        raise Unsupported("E121", f"the layout of a view by {step.op.namespace}.{step.op.name}, of whose strides nothing is known")
    return found(step, shape, strides, truth)


def _of_whole(storage: Storage) -> Sizes:
    """Strides of packed memory; where an input is packed in no order, the example's, which are its
    condition.
    """
    outside, order = storage.outside, storage.layout.order
    if outside is not None:
        flags = outside.array.flags
        if not flags.forc:
            return outside.array.strides
        order = None if flags.c_contiguous else order
    shape = storage.meta.shape
    strides: dict[int, Any] = {}
    step: Any = storage.meta.dtype.itemsize
    for axis in reversed(range(len(shape)) if order is None else order):
        strides[axis] = step
        step = step * shape[axis]
    return tuple([strides[axis] for axis in range(len(shape))])
