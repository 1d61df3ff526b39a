"""The attributes of ``ndarray`` that need more than a row of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.raising import fits
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymFloat, SymInt
from npexport.tracer.arrays.api.methods import reshape, view
from npexport.tracer.arrays.core import coercion, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import raise_for_stand_ins
from npexport.tracer.arrays.core.ownership import are_one, is_whole
from npexport.tracer.arrays.core.proxy import AnyProxy, ArrayProxy, Proxy, ScalarProxy
from npexport.tracer.arrays.memory.layout_guards import keeps_axes, require_large, splits_only
from npexport.tracer.arrays.memory.strides import strides_of


def transposed(self: AnyProxy) -> Any:
    """``x.T``."""
    return self if type(self) is ScalarProxy else recorder().call(ops.np.transpose, self)


def matrix_transposed(self: ArrayProxy) -> Any:
    """``x.mT``."""
    if len(self.meta.shape) < 2:
        np.empty(1).mT  # noqa: B018 -- raises NumPy's own error
    return recorder().call(ops.np.matrix_transpose, self)


def strides(self: AnyProxy) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis."""
    if type(self) is ScalarProxy:
        return ()
    array = recorder().layouts.ask(self)
    recorder().layouts.require_strides(self)
    if all(type(size) is int for size in self.meta.shape):
        return array.strides
    link = recorder().layouts.original(self)
    if link is not None or self.storage.outside is not None or self.meta.ndim != 1:
        require_large(self.shape)
    else:  # one packed axis has the same strides at every size but 0, where NumPy 2.4 has no steps
        bool(self.shape[0] != 0)
    return tuple([size if real else 0 for size, real in zip(strides_of(self.storage, link, bool), array.strides, strict=True)])


def set_shape(self: ArrayProxy, shape: Any) -> None:
    """``x.shape = ...``: in place, never a copy."""
    reshaped = in_place(self, reshape(self, shape))
    if reshaped.storage is not self.storage:
        raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.")
    _become(self, reshaped)


def in_place(x: ArrayProxy, reshaped: Any) -> Any:
    """The reshaped array; the program learns whether it is a copy, so that is a condition if the
    layout of an input decides.
    """
    static = all(type(size) is int for size in (*x.shape, *reshaped.shape))
    if x.storage.layout.depends and not (keeps_axes(x.shape, reshaped.shape) or static and splits_only(x.shape, reshaped.shape)):
        recorder().layouts.ask(x)
    return reshaped


def set_dtype(self: ArrayProxy, dtype: Any) -> None:
    """``x.dtype = ...``: the same memory under another dtype."""
    _become(self, view(self, dtype))


def _become(x: ArrayProxy, other: ArrayProxy) -> None:
    for one in recorder().layouts.one_object(x):
        one.link, one.meta, one.array = other.link, other.meta, other.array
        if is_whole(one) and one.meta == one.storage.meta and _keeps_elements(one.link):
            one.link = None  # as it was
        recorder().overlaps.changed(one, "shape or dtype")


def _keeps_elements(link: Any) -> bool:
    """Whether the elements of the whole are back in their places, now that the shape is."""
    return all(step.op.view.copies == "order" or (step.op.view.copies == "reshape" and len(step.args) == 1) for step in link.chain())


def _are_views_alike(part: ArrayProxy, value: ArrayProxy) -> bool:
    """Whether both show the same part of one array: ``x.real += y`` writes it to where it is."""
    one, other = part.link, value.link
    return one is not None and other is not None and part.storage is value.storage and one.parent is other.parent and one.op is other.op


def set_part(name: str) -> Callable[[ArrayProxy, Any], None]:
    """``x.real = ...`` and ``x.imag = ...``."""

    def set_(self: ArrayProxy, value: Any) -> None:
        if type(value) is ArrayProxy and (are_one(part := getattr(self, name), value) or _are_views_alike(part, value)):
            return
        if name == "imag" and self.dtype.kind != "c":
            np.empty(1).imag = 0.0  # raises
        if not isinstance(value, Proxy):  # an assignment, or a copy that casts: that differs between versions of NumPy
            raise_for_stand_ins(lambda x, part: setattr(x, name, part), (self, value), {}, Exception)
        cast = type(value) is SymFloat or (type(value) is ScalarProxy and value.dtype.kind in "fcmM")
        if self.dtype.kind in "iu" and (cast or (type(value) is SymInt and not fits(value, self.dtype))):
            raise Unsupported("E126", f"`x.{name} = value` raises for some data in some versions of NumPy", hint="Write x[...] = value.")
        value = coercion.array_of(value) if isinstance(value, (int, float, complex, np.generic)) else coercion.operand(value)
        writes.setitem(getattr(self, name), Ellipsis, value)

    return set_
