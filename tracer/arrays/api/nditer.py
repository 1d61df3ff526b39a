"""``np.nditer``, unrolled: NumPy's own iterator over arrays with the same layout decides the order
and the parts.

The program gets views of its arrays, or of buffers: copies in another dtype, which are written back
when the iterator ends.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.api.numpy_iterators import NumpyIterator
from npexport.tracer.arrays.core import coercion, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.numpy_oracle import stand_ins
from npexport.tracer.arrays.memory.layout import alike, stride_order
from npexport.tracer.arrays.memory.layout_guards import dynamic
from npexport.tracer.interpreter.native import stands_in_for

_REFUSED = ("delay_bufalloc",)
_REFUSED_OF_OPERANDS = ("writemasked", "arraymask", "virtual")
_BUFFER = 8192
"""The number of elements in NumPy's buffers."""


class NestedIterator(NumpyIterator):
    """The iterator; sizes must be static."""

    __slots__ = (
        "_axes", "_buffers", "_closed", "_end", "_entered", "_flags", "_iterator", "_operands", "_parts", "_pending", "_places",
        "_position", "_replaced", "_shape", "_start", "_started", "_writes",
    )  # fmt: skip

    def __init__(
        self,
        op: Any,
        flags: Any = (),
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        casting: str = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: int = 0,
    ) -> None:
        self._flags = tuple(flags or ())
        given = list(op) if isinstance(op, (tuple, list)) else [op]
        arrays = [None if array is None else coercion.array_of(array) for array in given]
        external = "external_loop" in self._flags
        refused = [name for name in self._flags if name in _REFUSED] + ["op_axes and external_loop"] * (op_axes is not None and external)
        if refused:
            raise Unsupported("E101", f"np.nditer with {', '.join(refused)}", hint="Loop over np.ndindex(x.shape), or use whole arrays.")
        if any(dynamic(array) for array in arrays if array is not None):
            raise Unsupported("E101", "np.nditer over an array whose size is dynamic", hint="Use operators on whole arrays.")
        for place, array in enumerate(arrays):
            if array is not None and _writes(op_flags, place, array):
                writes.read_only(array)
        mirrors = [_stand_in(value, array) for value, array in zip(given, arrays, strict=True)]
        self._iterator: Any = np.nditer(  # type: ignore[call-overload]
            mirrors,
            flags,
            *([] if op_flags is None else [op_flags]),
            op_dtypes=op_dtypes,
            order=order,
            casting=casting,
            itershape=itershape,
            buffersize=buffersize,
            **({} if op_axes is None else {"op_axes": op_axes}),
        )
        self._require_modelled(op_flags, arrays)
        self._replaced = any(mirror is not None and mirror is not own for mirror, own in zip(mirrors, self._iterator.operands, strict=True))
        self._operands = tuple([_operand(array, mirror) for array, mirror in zip(arrays, self._iterator.operands, strict=True)])
        plain = ["multi_index", *[name for name in self._flags if name in ("zerosize_ok", "reduce_ok")]]
        shape = {name: value for name, value in (("itershape", itershape), ("op_axes", op_axes)) if value is not None}
        writing = [["readwrite"] if _writes(op_flags, place, array) else ["readonly"] for place, array in enumerate(arrays)]
        walk = np.nditer([_alike(array) for array in self._operands], plain, writing, order=order, **shape)  # type: ignore[call-overload]
        self._shape = walk.shape
        self._places = list(_places(walk))
        self._start, self._end = 0, len(self._places)
        self._writes = [flags == ["readwrite"] for flags in writing]
        self._axes = [_axes_of(operand, op_axes and op_axes[place], len(self._shape)) for place, operand in enumerate(self._operands)]
        self._pending: list[tuple[Any, Any]] = []
        self._entered = self._closed = False
        self._buffers = [self._buffer(place, dtype) for place, dtype in enumerate(self._iterator.dtypes)]
        self._parts = self._chunks(list(map(_length, self._iterator.copy()))) if external else None
        if self._pending and len(self._places) > (buffersize or _BUFFER):
            raise Unsupported("E101", f"np.nditer that writes to more than {buffersize or _BUFFER} elements through buffers")
        if self._parts is not None:
            self._end = len(self._parts[0])
        self._position, self._started = 0, False

    def _require_modelled(self, op_flags: Any, arrays: list[Any]) -> None:
        """Raises ``Unsupported`` for flags with a meaning that is not modelled here."""
        named = [name for name in _REFUSED_OF_OPERANDS if name in str(op_flags)]
        pairs = itertools.combinations([array for array in arrays if array is not None], 2)
        if "copy_if_overlap" in self._flags and any(recorder().overlaps.meet(x.storage, y.storage) for x, y in pairs):
            named.append("copy_if_overlap")
        if named:
            raise Unsupported("E101", f"np.nditer with {', '.join(named)}", hint="Loop over np.ndindex(x.shape), or use whole arrays.")

    @property
    def operands(self) -> tuple[Any, ...]:
        """The arrays that are iterated over."""
        if self._closed:
            raise ValueError("Iterator is invalid")
        if self._replaced:
            raise Unsupported("E101", "np.nditer.operands where NumPy iterates over copies of the arrays")
        return self._operands

    def _buffer(self, place: int, dtype: Any) -> Any:
        """The operand, or a copy of it in the dtype of the iterator."""
        operand = self._operands[place]
        if operand.dtype == dtype:
            return operand
        buffer = operand.astype(dtype)
        if self._writes[place]:
            self._pending.append((operand, lambda: buffer))
        return buffer

    def _chunks(self, lengths: list[int]) -> list[list[Any]]:
        """The parts of each operand that an external loop gets."""
        axes, flips = _walk_order(self._places, self._shape)
        parts = []
        for operand, buffer, writing in zip(self._operands, self._buffers, self._writes, strict=True):
            whole = buffer if buffer.shape == self._shape else recorder().call(ops.np.broadcast_to, buffer, self._shape)
            turned = whole[flips].transpose(axes) if self._shape else whole
            chunks = _cut(turned, lengths)
            if writing and any(chunk.storage is not buffer.storage for chunk in chunks):
                if "buffered" not in self._flags or operand.shape != self._shape:
                    hint = "Leave external_loop out."
                    raise Unsupported("E101", "np.nditer with an external loop over memory that is not contiguous", hint=hint)
                flat = turned.flatten()
                chunks = _cut(flat, lengths)
                self._pending = [(target, value) for target, value in self._pending if target is not operand]
                self._pending.append((operand, lambda flat=flat, turned=turned: _turned_back(flat.reshape(turned.shape), axes, flips)))
            parts.append([_flagged(chunk, writing) for chunk in chunks])
        return parts

    def _flush(self) -> None:
        """Write the buffers back, once."""
        pending, self._pending = self._pending, []
        for operand, value in pending:
            writes.put(operand, value(), "unsafe")

    # The protocol

    __class__ = np.nditer  # type: ignore[assignment]

    def __next__(self) -> Any:
        if self._closed:
            raise StopIteration
        if self._started:
            self._position += 1
        if self.finished:
            self._flush()
            raise StopIteration
        self._started = True
        return self.value

    def __enter__(self) -> NestedIterator:
        self._entered = True
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._operands)

    def __getitem__(self, place: Any) -> Any:
        views = self._views()
        return views[self._place(place)]

    def __setitem__(self, place: Any, value: Any) -> None:
        views = self._views()
        if isinstance(place, slice):
            if place.step not in (None, 1):
                self._iterator[place] = value  # raises
            chosen = range(len(self))[self._place(place)]
            if not getattr(value, "ndim", 1) or not hasattr(value, "__len__") or len(chosen) != len(value):
                raise ValueError("Wrong size to assign to iterator slice")
            for each, item in zip(chosen, value, strict=True):
                self[each] = item
        else:
            view = views[self._place(place)]
            if not self._writes[place]:
                self._iterator[place] = 0  # raises
            try:
                view[...] = value
            except ValueError:  # it is a vector of one element to NumPy
                self._iterator[place] = stand_ins(value)
                view.reshape(1)[...] = value

    def _place(self, place: Any) -> Any:
        """The index as tuples take it: a slice that begins behind the last operand has that one.

        Raises what NumPy raises.
        """
        chosen = self._iterator[place]
        if not isinstance(place, slice):
            return place
        start = min(place.indices(len(self))[0], len(self) - 1)
        return slice(start, start + len(chosen))

    def __delitem__(self, place: Any) -> NoReturn:
        raise TypeError("Cannot delete iterator elements")

    def _views(self) -> tuple[Any, ...]:
        if self._pending and not self._entered:
            hint = "Write `with np.nditer(...) as it:`, at whose end the buffers are written back."
            raise Unsupported("E101", "np.nditer writes through buffers outside of a with statement", hint=hint)
        self._require_element()
        if self._parts is not None:
            return tuple([chunks[self._position] for chunks in self._parts])
        index = self._places[self._position]
        return tuple(
            [_element(*parts) for parts in zip(self._buffers, [index] * len(self._buffers), self._axes, self._writes, strict=True)]
        )

    def _require_element(self) -> None:
        if self.finished or self._closed:
            raise ValueError("Iterator is past the end")

    @property
    def value(self) -> Any:
        views = self._views()
        return views[0] if len(views) == 1 else views

    @property
    def finished(self) -> bool:
        return self._position >= self._end

    def iternext(self) -> bool:
        """Move to the next element; whether there is one."""
        self._position += 1
        if self.finished:
            self._flush()
        return not self.finished

    def reset(self) -> None:
        """Back to the first element."""
        if self._pending:
            raise Unsupported("E101", "np.nditer.reset while buffers are written to")
        self._position, self._started = self._start, False

    def close(self) -> None:
        """Write what is pending; everything else was written at once."""
        self._flush()
        self._iterator.close()
        self._closed = True

    @property
    def iterrange(self) -> tuple[int, int]:
        """The elements that are iterated over, by number."""
        whole: tuple[int, int] = self._iterator.iterrange  # raises where it is closed
        return (self._start, self._end) if self._parts is None else whole

    @iterrange.setter
    def iterrange(self, value: Any) -> None:
        self._iterator.iterrange = value  # raises
        if self._parts is not None or "buffered" in self._flags:
            raise Unsupported("E101", "np.nditer.iterrange is set where elements are given in parts")
        self._start, self._end = self._iterator.iterrange
        self.reset()

    @property
    def multi_index(self) -> tuple[int, ...]:
        self._require_element()
        if "multi_index" not in self._flags:
            return self._iterator.multi_index  # raises
        return self._places[self._position]

    @multi_index.setter
    def multi_index(self, value: Any) -> None:
        self._iterator.multi_index = value  # raises
        self._position = self._places.index(tuple(self._iterator.multi_index))

    @property
    def index(self) -> int:
        self._require_element()
        if "c_index" not in self._flags and "f_index" not in self._flags:
            return self._iterator.index  # raises
        return int(np.ravel_multi_index(self._places[self._position], self._shape, order="C" if "c_index" in self._flags else "F"))

    @index.setter
    def index(self, value: Any) -> None:
        self._iterator.index = value  # raises
        self._position = self._iterator.iterindex

    @property
    def iterindex(self) -> int:
        self._require_element()
        return self._position

    @iterindex.setter
    def iterindex(self, value: Any) -> None:
        self._iterator.iterindex = value  # raises
        if self._parts is not None or "buffered" in self._flags:
            raise Unsupported("E101", "np.nditer.iterindex is set where elements are given in parts")
        self._position = self._iterator.iterindex

    def __getattr__(self, name: str) -> Any:
        if name == "shape":
            self._require_element()
        if name in _PLAIN:
            return getattr(self._iterator, name)
        if hasattr(np.nditer, name):
            raise Unsupported("E101", f"np.nditer.{name}")
        raise AttributeError(f"'numpy.nditer' object has no attribute '{name}'", name=name, obj=self)


_PLAIN = ("dtypes", "has_delayed_bufalloc", "has_index", "has_multi_index", "iterationneedsapi", "itersize", "ndim", "nop", "shape")
"""Attributes that are read from NumPy's iterator over arrays of the same layout."""


def _alike(array: Any) -> Any:
    return None if array is None else alike(recorder().layouts.ask(array) if array.ndim else np.empty((), array.dtype), array.writeable)


def _stand_in(value: Any, array: Any) -> Any:
    """An array of the same layout; numbers, which are read-only, unchanged."""
    if isinstance(value, (int, float, complex, np.generic)):
        known = type(value) in (bool, int, float, complex) or issubclass(type(value), np.generic)
        return value if known else np.zeros((), array.dtype)[()]
    return _alike(array)


def _operand(array: Any, mirror: Any) -> Any:
    """The operand itself; a new array if the iterator allocates one."""
    if array is not None:
        return array
    order = stride_order(mirror)
    axes = tuple(range(mirror.ndim)) if order is None else order
    new = recorder().call(ops.np.zeros, tuple([mirror.shape[axis] for axis in axes]), mirror.dtype)
    return new if order is None else new.transpose(tuple(np.argsort(axes).tolist()))


def _writes(op_flags: Any, place: int, array: Any) -> bool:
    if op_flags is None:
        return array is None
    flags = op_flags if isinstance(op_flags[0], str) else op_flags[min(place, len(op_flags) - 1)]
    return any(name in ("readwrite", "writeonly") for name in flags)


def _places(walk: Any) -> Iterator[tuple[int, ...]]:
    while not walk.finished:
        yield walk.multi_index
        walk.iternext()


def _length(chunk: Any) -> int:
    return len(chunk[0] if isinstance(chunk, tuple) else chunk)


def _walk_order(places: list[tuple[int, ...]], shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[slice, ...]]:
    """The axes from the slowest to the fastest, and slices that reverse those walked backwards."""
    first = places[0] if places else (0,) * len(shape)
    periods = [next((k for k, place in enumerate(places) if place[axis] != first[axis]), len(places)) for axis in range(len(shape))]
    axes = tuple(sorted(range(len(shape)), key=lambda axis: -periods[axis]))
    return axes, tuple([slice(None, None, -1) if start else slice(None) for start in first])


def _cut(array: Any, lengths: list[int]) -> list[Any]:
    """The array in parts of these lengths, each a vector: its last axes, or runs of elements."""
    outer = next((axis for axis in range(array.ndim + 1) if set(lengths) == {math.prod(array.shape[axis:])}), None)
    if outer is not None:
        return [array[place].reshape(-1) for place in np.ndindex(array.shape[:outer])]
    flat, starts = array.reshape(-1), np.cumsum([0, *lengths]).tolist()
    return [flat[start : start + length] for start, length in zip(starts, lengths, strict=False)]


def _axes_of(operand: Any, given: Any, ndim: int) -> list[int]:
    """For each axis of the operand, the axis of the iteration along which it runs."""
    if given is None:
        return list(range(ndim - operand.ndim, ndim))
    return [list(given).index(axis) if axis in given else -1 for axis in range(operand.ndim)]


def _turned_back(array: Any, axes: tuple[int, ...], flips: tuple[slice, ...]) -> Any:
    """The elements in the order of the operand."""
    return array.transpose(tuple(np.argsort(axes).tolist()))[flips] if axes else array


def _element(operand: Any, index: tuple[int, ...], axes: list[int], writes: bool) -> Any:
    own = [0 if size == 1 or axis < 0 else index[axis] for axis, size in zip(axes, operand.shape, strict=True)]
    return _flagged(operand[(*own, ...)], writes)


def _flagged(view: Any, writes: bool) -> Any:
    if not writes:
        view.setflags(write=False)
    return view


stands_in_for(NestedIterator, np.nditer)
