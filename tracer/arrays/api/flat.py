"""``x.flat``: the elements in C order, read and written one by one or by an index."""

from __future__ import annotations

import contextlib
import itertools
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import python_type
from npexport.tracer.arrays.api import indexing
from npexport.tracer.arrays.api.numpy_iterators import NumpyIterator
from npexport.tracer.arrays.api.scatters import write
from npexport.tracer.arrays.core import coercion, overlap_simulation, writes
from npexport.tracer.arrays.core.array_protocol import with_own_arrays
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.number_stand_ins import NUMBERS
from npexport.tracer.arrays.core.numpy_oracle import CONVERSIONS, numpys
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, all_known, real_arguments
from npexport.tracer.interpreter.native import stands_in_for

_MOST_AXES = 32
"""The largest number of axes that NumPy's own flat iterator supports."""


class FlatIterator(NumpyIterator):
    """Reads the array whenever an element is requested, so that writes in between are seen."""

    __slots__ = ("_array", "_position")

    def __init__(self, array: ArrayProxy) -> None:
        if array.ndim > _MOST_AXES:
            np.empty((1,) * array.ndim).flat  # noqa: B018  raises
        self._array = array
        self._position: int | None = 0

    __class__ = np.flatiter  # type: ignore[assignment]

    @property
    def base(self) -> ArrayProxy:
        array: Any = self._array
        if type(array) is ScalarProxy:  # NumPy goes over a new array
            self._array = coercion.array_of(array)
        return self._array

    @property
    def index(self) -> int:
        if self._position is None:
            raise Unsupported("E104", "where x.flat is after a write to places that only the data know", hint="Write x.flat anew.")
        return self._position

    @property
    def coords(self) -> Any:
        rest, found = self.index, []
        for size in reversed(self._array.shape[1:]):
            rest, place = divmod(rest, size) if size else (0, 0)
            found.append(place)
        return tuple([rest, *reversed(found)] if self._array.shape else [])

    def __delitem__(self, index: Any) -> NoReturn:
        raise TypeError("Cannot delete iterator elements")

    def __len__(self) -> Any:
        return self._array.size

    def __next__(self) -> Any:
        place = self.index
        if place >= self._array.size:
            raise StopIteration
        self._position = place + 1
        return self._read(place)

    def go_to(self, place: int | None) -> None:
        self._position = place

    def go_to_end(self) -> None:
        self.go_to(len(self))

    def _flattened(self) -> Any:
        return recorder().call(ops.np.flatten, self._array)

    def _require_place(self, index: Any) -> None:
        size = self._array.size
        if type(index) is int and type(size) is int and not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for size {size}")

    def _plain(self, index: Any, writing: bool = False) -> Any:
        """The places that an index other than an integer, a slice or an array stands for, according
        to NumPy's own iterator.

        Raises its ``IndexError``.
        """
        size = self._array.size
        if type(index) is bool:  # the element at which the iterator is, or none
            if index and self.index >= size:
                raise Unsupported("E101", "an iterator at its end is indexed by a truth: NumPy reads and writes beyond the memory")
            return self.index if index else slice(0)
        if type(size) is not int and (not _is_place(index) or (writing and index == ())):
            np.zeros(1).flat[index] = 1  # raises, whatever the size
        if type(size) is not int or not _is_constant(index):
            return index
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if writing:
                np.zeros(size).flat[index] = 1
            places = np.arange(size).flat[index]
        return places if isinstance(places, np.ndarray) else int(places)

    def _open(self, index: Any) -> Any:
        """The integer places of an index that only sizes and data know to be in range; ``None`` for
        any other index. The errors are the iterator's own.
        """
        places, _ = indexing.normalised(index)
        item = python_type(places) is int or (isinstance(places, Proxy) and places.ndim < 2 and places.dtype.kind in "iu")
        return places if item and not (type(self._array.size) is int and all_known(places)) else None

    def _chosen(self, index: Any) -> Any:
        """The elements at these places."""
        places = self._open(index)
        return self._flattened()[index] if places is None else recorder().call(ops.np.flat_index, self._array, places)

    def _places(self, index: Any) -> Any:
        """An array with the shape of these places, or a number for a single one; it raises nothing
        that the write itself has to raise.
        """
        places = self._open(index)
        return self._flattened()[index] if places is None else places

    def _before(self, index: Any) -> list[int] | None:
        """The places of a constant index before the first that is not there: a write reaches them
        before it raises. ``None`` if there is nothing of the kind.
        """
        size, places = self._array.size, index.array if type(index) is ArrayProxy and index.known else index
        if isinstance(places, np.ndarray) and places.ndim == 1 and places.dtype.kind in "iu":
            places = places.tolist()
        if type(size) is not int or type(places) is not list or any(type(each) is not int for each in places):
            return None
        found = list(itertools.takewhile(lambda each: -size <= each < size, places))
        return found if 0 < len(found) < len(places) else None

    def _record(self, index: Any) -> tuple[int, ...] | None:
        """The index of a single record."""
        x = self._array
        if x.dtype.names is None or type(index) is not int or type(x.size) is not int:
            return None
        return tuple(map(int, np.unravel_index(index % x.size, x.shape)))

    def __getitem__(self, index: Any) -> Any:
        with _restarting(self, index):
            return self._read(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        with _restarting(self, index, self._last_of(index)):
            self._write(index, value)

    def _last_of(self, index: Any) -> int | None:
        """Where a write leaves the iterator: at the last place that it reaches of several integer
        ones, and else at the first. ``None`` where only sizes and data know it.
        """
        places = index[0] if type(index) is tuple and len(index) == 1 else index
        if not isinstance(places, (list, np.ndarray)) or not np.ndim(places) or not _is_of_integers(places):
            return 0
        size, before = self._array.size, self._before(index)
        if type(size) is not int or not all_known(places):
            return None
        reached = np.ravel(real_arguments(places) if before is None else before)
        return int(reached[-1]) % size if len(reached) and all(-size <= each < size for each in reached) else 0

    def _read(self, index: Any) -> Any:
        index = self._plain(index)
        self._require_place(index)
        if (place := self._record(index)) is not None:
            return self._array[place]  # type: ignore[index]  # a view
        result = self._chosen(index)
        if type(result) is ArrayProxy and result.link is not None:
            return recorder().call(ops.np.copy, result)
        return result

    def _write(self, index: Any, value: Any) -> None:
        """Values are repeated if there are too few, and cut if there are too many."""
        x = self._array
        if writes.read_only(x):
            raise ValueError("underlying array is read-only")
        if (before := self._before(index)) is not None:
            values = recorder().session.invoke(np.resize, (value, len(before)), {})
            for number, place in enumerate(before):  # one by one: of an index of several a handler would ask whether they are there
                x[tuple(map(int, np.unravel_index(place % x.size, x.shape))) if x.ndim else ()] = values[number]
        index = self._plain(index, writing=True)
        self._require_place(index)
        if type(value) is tuple and (record := self._record(index)) is not None:
            x[record] = value  # field by field
            return
        rec = recorder()
        place = self._places(index)
        value = value.element(x.dtype) if type(value) in NUMBERS else value
        if type(value) is ScalarProxy and type(index) is int and x.dtype.kind in "iu" and not np.can_cast(value.dtype, x.dtype):
            raise Unsupported("E126", "`x.flat[i] = value` raises for numbers that are not integers of its dtype", hint=_OF_AN_INTEGER)
        if type(value) is FlatIterator:
            value = value.as_array()
        if x.dtype.names is None:
            value = with_own_arrays(value, x.dtype)
        if type(value) in (list, tuple) and x.dtype.names is None:
            value = indexing.sequence(self, index, value, x.dtype)
        elif not isinstance(value, Proxy) and x.dtype.names is None and type(value) not in coercion.SYMBOLIC:
            np.zeros(1, x.dtype).flat[0 if type(index) is int else [0]] = value  # NumPy's refusal, of a single element in its own words
        value = coercion.operand(value)
        if isinstance(value, np.generic):
            value = coercion.array_of(value).astype(x.dtype)
        if type(value) is ArrayProxy and _shared(x, value, index):
            self._set_shared(index, value, operator.setitem)
            return
        if type(value) is ArrayProxy and type(place) is ArrayProxy:
            value = rec.call(ops.np.ravel, value)
            count, have = place.size, value.size
            if known(have == count) is not True:
                if have == 0:
                    return
                if have != count:
                    value = rec.call(ops.np.tile, value, -(-count // have))[:count]
            value = rec.call(ops.np.reshape, value, place.shape)
        index, _ = indexing.normalised(index)
        write(ops.np.set_flat, _set_known, x, index, value, read_only="underlying array is read-only")

    def fill(self, value: Any) -> None:
        """``x.flat = value``: the same as ``x.flat[:] = value`` unless both share memory."""
        if type(value) is FlatIterator:
            value = value.as_array()
        if type(value) is ArrayProxy and self._array.writeable and _shared(self._array, value, slice(None)):
            self._set_shared(slice(None), value, lambda flat, places, source: setattr(flat.base, "flat", source))
        else:
            self[:] = value

    def _set_shared(self, index: Any, value: ArrayProxy, write: Callable[[Any, Any, Any], Any]) -> None:
        """Write elements of the same memory, some of them perhaps overwritten before a read."""
        x = self._array
        places, _ = indexing.normalised(index)
        if value.storage is x.storage and all_known(places):
            places = real_arguments(places)
            if overlap_simulation.move(x, value, lambda target, source: write(target.flat, places, source)):
                return
        hint = "Copy the view first: x.flat = y.copy()."
        raise Unsupported("E120", "x.flat is written from a view of x, element by element", hint=hint)

    def as_array(self) -> Any:
        """A view if the array is contiguous, otherwise a read-only copy."""
        result = recorder().call(ops.np.ravel, self._array)
        if result.storage is not self._array.storage and not result.known:
            result.writeable = False
        return result

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return coercion.array_of(self.as_array(), dtype)

    def copy(self) -> Any:
        """The elements as a new vector."""
        return self._flattened()


@contextlib.contextmanager
def _restarting(flat: FlatIterator, index: Any, place: int | None = 0) -> Iterator[None]:
    """The iterator is at this place after an index is used or found out of range, except for
    truths.
    """
    begins = type(index) is not bool
    try:
        yield
    except IndexError:
        begins = _is_of_integers(index)
        raise
    except ValueError:
        place = 0
        raise
    finally:
        if begins:
            flat.go_to(place)


def _is_of_integers(index: Any) -> bool:
    """Whether NumPy takes an index for one of places before it finds it out of range."""
    if isinstance(index, Proxy):
        return index.dtype.kind in "iu"
    if type(index) in (list, tuple):
        return (type(index) is list or len(index) == 1) and all(map(_is_of_integers, index))
    return index is Ellipsis or python_type(index) in (int, float, slice) or isinstance(index, (np.integer, np.floating))


_OF_AN_INTEGER = "Write an integer: x.flat[i] = int(value); or cast an array of it: x.flat[[i]] = value."


def _set_known(x: Any, index: Any, value: Any) -> None:
    ops.np.set_flat.kernel(x, index, value, out=x)


def _is_constant(index: Any) -> bool:
    """Whether it is a Boolean, ``None``, an ellipsis, or a list or tuple of numbers."""
    if type(index) in (list, tuple):
        return all(type(item) in (int, float) or _is_constant(item) for item in index)
    return index is None or index is Ellipsis or isinstance(index, (bool, float, np.bool_))


def _is_place(index: Any) -> bool:
    """Whether no Boolean or ``None`` is in a constant index."""
    if type(index) in (list, tuple):
        return all(map(_is_place, index))
    return type(index) is not bool and index is not None and not isinstance(index, np.bool_)


def _shared(x: ArrayProxy, value: ArrayProxy, index: Any) -> bool:
    """Whether elements that are read may have been written before."""
    if value.storage is x.storage:
        each_to_itself = type(index) is slice and index in (slice(None), slice(None, None, 1))
        return value.known or value.node() is not x.node() or not each_to_itself
    return recorder().overlaps.meet(x.storage, value.storage)


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[[FlatIterator, Any], Any]:
    return lambda self, other: compare(self.as_array(), other)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(FlatIterator, f"__{_name}__", _comparison(getattr(operator, _name)))
FlatIterator.__hash__ = None  # type: ignore[assignment]
FlatIterator._read = numpys(operator.getitem, FlatIterator._read)  # type: ignore[method-assign]
FlatIterator._write = numpys(operator.setitem, FlatIterator._write)  # type: ignore[method-assign]
stands_in_for(FlatIterator, np.flatiter)
CONVERSIONS[FlatIterator] = lambda stand_in, flat: stand_in(flat.base).flat
coercion.CONVERSIONS[FlatIterator] = FlatIterator.as_array
