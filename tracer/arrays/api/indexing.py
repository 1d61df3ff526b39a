"""Indices in the form that the indexing operators take."""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.ops.np_indexing import consumed
from npexport.ir.ops.stand_ins import error_of
from npexport.ir.raising import LISTED, along
from npexport.symshapes.broadcasting import must_equal
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymInt, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core import coercion, overlap_simulation, ownership, writes
from npexport.tracer.arrays.core.array_protocol import with_own_arrays
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.number_stand_ins import NUMBERS
from npexport.tracer.arrays.core.numpy_oracle import NoStandIn, numpys, raise_for_stand_ins, stand_ins
from npexport.tracer.arrays.core.proxy import (
    AnyProxy,
    ArrayProxy,
    Proxy,
    ScalarProxy,
    all_known,
    as_size,
    is_text_of_data,
    real_arguments,
    unknown_data,
)

_BASIC = frozenset({int, type(None), type(Ellipsis), SymInt})


def normalised(index: Any) -> tuple[Any, bool]:
    """The index with sequences as arrays and NumPy integers as ints, and whether NumPy copies the
    result.

    Raises NumPy's ``IndexError`` for an invalid index.
    """
    if not isinstance(index, tuple):
        return _item(index)
    items = list(map(_item, index))
    return tuple([item for item, _ in items]), any(copied for _, copied in items)


def _item(item: Any) -> tuple[Any, bool]:
    item = item.place() if type(item) in NUMBERS else item
    kind = type(item)
    if kind in _BASIC:
        return item, False
    if kind is slice:
        return _slice(item), False
    if kind is ScalarProxy:
        return item, item.dtype.kind == "b"
    if kind is ArrayProxy:
        return item, True
    if kind is bool or isinstance(item, np.bool_):
        return bool(item), True
    if kind is SymBool:
        return bool(item), True
    if isinstance(item, np.ndarray) or kind in coercion.CONVERSIONS:
        return coercion.array_of(item), True
    if kind in coercion.INDICES:
        return coercion.INDICES[kind](item), True
    if hasattr(kind, "__index__"):
        return _number(item), False
    if _is_sequence(item):
        if kind is SymRange:
            return coercion.array_of(item, np.intp), True
        array = coercion.array_of(list(item))
        return coercion.array_of(array, np.intp) if array.dtype != np.intp and array.size == 0 else array, True
    if not hasattr(kind, "__array__"):
        np.empty(1)[item]  # NumPy's refusal
    return coercion.array_of(item), True


def _number(item: Any) -> Any:
    """What the object's ``__index__`` gives; NumPy says its own of one that gives no integer."""
    try:
        return operator.index(item)
    except TypeError:
        np.empty(1)[0.5]  # type: ignore[call-overload]  # raises
        raise


def _is_sequence(item: Any) -> bool:
    """Whether NumPy makes an index array of it: a list, a range, a user's sequence and so on."""
    return not isinstance(item, (str, bytes, dict)) and hasattr(type(item), "__len__") and hasattr(type(item), "__getitem__")


def _slice(part: slice) -> slice:
    return slice(_bound(part.start), _bound(part.stop), _bound(part.step))


def _bound(bound: Any) -> Any:
    bound = bound.place() if type(bound) in NUMBERS else bound
    if type(bound) is int:
        return max(-sys.maxsize, min(bound, sys.maxsize))  # as C clips it
    if type(bound) in _BASIC:
        return bound
    if isinstance(bound, Proxy) and not bound.known and not bound.ndim:
        return as_size(bound, "a bound of a slice")
    return operator.index(bound)


def check_bounds(x: AnyProxy, index: Any) -> None:
    """Raise NumPy's ``IndexError`` if an index array whose data are known exceeds a static size."""
    if all(type(size) is int for size in x.meta.shape) and all_known(index):
        np.broadcast_to(np.zeros((), bool), x.meta.shape)[real_arguments(index)]


def is_field(index: Any) -> bool:
    """Whether an index of a structured array names fields."""
    return isinstance(index, str) or (isinstance(index, list) and bool(index) and all(isinstance(name, str) for name in index))


def getitem(self: AnyProxy, index: Any) -> Any:
    """``x[index]``: a view for basic indices, a copy for others."""
    if coercion.is_record(self):
        return getitem(coercion.memory_of(self), ()) if index == () else _field(self, index)[()]
    if self.meta.dtype.names is not None and is_field(index):
        return recorder().call(ops.np.field, self, index)
    if is_text_of_data(self):
        raise_for_stand_ins(operator.getitem, (self, index), {})
        raise unknown_data(self, "an item of a text")
    if type(index) is tuple and len(index) > 64 - self.ndim:
        raise_for_stand_ins(operator.getitem, (self, index), {}, IndexError)
    index, copied = normalised(index)
    if copied:
        check_bounds(self, index)
        index = _with_places_of_masks(self, index)
    if type(self) is ArrayProxy and self.meta.dtype.names is not None and self.known and not copied:
        recorder().materialize(self.storage)  # a record is a view, which must not outlive the data
    result = recorder().call(ops.np.index if copied else ops.np.getitem, self, index)
    if type(result) is ScalarProxy and self.meta.dtype.names is not None and type(self) is ArrayProxy:
        result.memory = recorder().call(ops.np.getitem, self, (*(index if type(index) is tuple else (index,)), Ellipsis))
    return result


def _with_places_of_masks(x: AnyProxy, index: Any) -> Any:
    """The index with the places of their true elements for masks that are broadcast with other
    arrays: NumPy looks for them, too, and so their number is the size of a value of the program.
    """
    if type(index) is not tuple or sum(type(item) in (bool, ArrayProxy) for item in index) < 2:
        return index
    items: list[Any] = []
    axis = 0
    for item in index:
        count = consumed(getattr(item, "meta", item))
        axis += x.ndim - sum(consumed(getattr(each, "meta", each)) for each in index) if item is Ellipsis else count
        fits = type(item) is ArrayProxy and item.dtype == bool and item.ndim and _covers(item.shape, x.meta.shape[axis - count : axis])
        items.extend(recorder().call(ops.np.nonzero, item) if fits else (item,))
    return tuple(items)


def _covers(mask: tuple[Any, ...], sizes: tuple[Any, ...]) -> bool:
    """Whether a mask has the sizes of the axes that it stands for; NumPy takes one of none, too."""
    return all(known(have == 0) is True or must_equal(have, want) for have, want in zip(mask, sizes, strict=True))


def _field(record: ScalarProxy, index: Any) -> Any:
    """A field of a record's memory, by its name or its number."""
    name = record.meta.dtype.names[index] if isinstance(index, int) else index  # type: ignore[index]
    return recorder().call(ops.np.field, coercion.memory_of(record), name)


def setitem(self: AnyProxy, index: Any, value: Any) -> None:
    """``x[index] = value``. NumPy looks for the place first, and then makes elements of the
    value."""
    try:
        _setitem(self, index, value)
    except (TypeError, ValueError, OverflowError):
        if type(self) is ArrayProxy and not is_field(index):
            _require_place(self, *normalised(index))
        raise


def _require_place(x: ArrayProxy, index: Any, copied: bool) -> None:
    """Raises ``IndexError`` where a basic index selects nothing; a guard if sizes decide that."""
    items = index if type(index) is tuple else (index,)
    if not copied and not all(-size <= item < size for item, size in along(items, x.shape) if python_type(item) is int):
        getitem(x, index)


def _setitem(self: AnyProxy, index: Any, value: Any) -> None:
    value = value.element(self.dtype) if type(value) in NUMBERS else value
    if coercion.is_record(self):
        if not isinstance(index, (int, str)):
            raise IndexError("invalid index")
        _field(self, index)[...] = value
        return
    if type(self) is ScalarProxy:
        raise TypeError(f"'numpy.{self.__class__.__name__}' object does not support item assignment")
    target: ArrayProxy = self
    writes.require_writeable(target, "assignment destination is read-only")
    if target.meta.dtype.names is not None and is_field(index):
        target, index = getitem(target, index), Ellipsis
    given, (index, copied) = index, normalised(index)
    if target.meta.dtype.names is not None and type(value) in (tuple, list):
        value = _records(target, given, index, copied, value)
    if copied:
        check_bounds(target, index)
    if target.meta.dtype.names is None:
        value = with_own_arrays(value, target.meta.dtype)
    if target.meta.dtype.char == "c" and isinstance(value, (str, bytes)):
        value = np.array(value, "c")  # a sequence of characters
    if type(value) in _NO_NUMBERS and target.meta.dtype.names is None and _is_one_element(target, index):
        element = np.empty(1, target.meta.dtype)
        element[0] = value  # NumPy's refusal; anything is a bool
        value = element[0]
    if type(value) in (list, tuple) and not copied and _may_end_midway(value, target.dtype):
        place = getitem(target, index)
        if type(place) is ArrayProxy and known(place.shape[0] == len(value)) is True and place.ndim == len(np.shape(_outline(value))):
            for number, item in enumerate(value):
                setitem(place, number, item)
            return
    if type(value) in (list, tuple):
        try:
            value = sequence(target, index, value, target.dtype)
        except (TypeError, ValueError, OverflowError):
            if not copied:
                _write_until_refused(target, index, value)
            raise
    elif type(value) in coercion.LISTS and target.dtype.kind in "iu":
        value = coercion.array_of(value, target.dtype)  # NumPy makes an element of each number
    else:
        value = coercion.operand(value)
    if type(value) is ArrayProxy and _is_mask(index) and _is_read(target, value):
        one = value.storage is target.storage and all_known(index)
        if one and overlap_simulation.move(target, value, lambda target, source: target.__setitem__(real_arguments(index), source)):
            return
        hint = "Copy what is written first: x[mask] = y.copy()."
        raise Unsupported("E120", "elements that a mask chooses are written from a view of the same memory", hint=hint)
    if type(value) is ArrayProxy and not copied and value.storage is not None and not all_known(target, value):
        place = getitem(target, index)
        if type(place) is ArrayProxy and overlap_simulation.copy(place, value, lambda target, source: target.__setitem__(..., source)):
            return
    writes.setitem(target, index, value)


def _records(target: ArrayProxy, given: Any, index: Any, copied: bool, value: Any) -> ArrayProxy:
    """A list or tuple that is written into records, as an array of these.

    ``given``: the index, and ``index``: the same, normalised.
    """
    if type(value) is list and _is_one_element(target, index):
        first = target.meta.dtype[0]  # where it takes the list, that is written before another raises
        raise_for_stand_ins(operator.setitem, (np.zeros(1, [("", first)]), 0, value), {}, (TypeError, ValueError))
        raise Unsupported("E101", "a list is written into one record, each field of which takes the list", hint="Write the fields.")
    try:
        return coercion.array_of(value, target.meta.dtype)
    except (TypeError, ValueError, OverflowError):
        if not copied:
            _write_fields_until_refused(target, given, value)
        raise


def _may_end_midway(value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether an item of a list may raise after those before it have been written."""
    items = list(leaves_of(value))
    if dtype.kind not in "iu" or any(type(item) is ArrayProxy and item.ndim for item in items):
        return False
    nodes = [recorder().argument(item) for item in items[1:]]
    return any(row.when((node, dtype)) for node in nodes for row in LISTED)


def _write_until_refused(target: ArrayProxy, index: Any, value: Any) -> None:
    """Write the items of a list before the first that NumPy makes no element of."""
    place = getitem(target, index)
    if type(place) is not ArrayProxy or place.ndim != 1 or known(place.shape[0] == len(value)) is not True:
        return  # NumPy makes an array of the list first
    try:
        given = stand_ins(list(value))
    except NoStandIn:
        given = value
    if any(isinstance(item, (list, tuple, np.ndarray)) for item in given):
        return
    refused = [error_of(operator.setitem, (np.empty(1, target.dtype), ..., [item]), {}) is not None for item in given]
    if any(refused) and (number := refused.index(True)):
        setitem(place, slice(0, number), value[:number])


def _write_fields_until_refused(target: ArrayProxy, index: Any, value: Any) -> None:
    """Write the fields before the first that NumPy makes no element of, as it does."""
    names: tuple[str, ...] = target.meta.dtype.names  # type: ignore[assignment]
    place = getitem(target, index)
    place = coercion.memory_of(place) if coercion.is_record(place) else place
    if type(value) is list:
        if place.ndim != 1 or known(place.shape[0] == len(value)) is not True:
            return  # NumPy makes an array of the list first
        parts: list[Any] = [(place, number, item) for number, item in enumerate(value)]
    else:
        if place.ndim or len(value) != len(names):
            return
        parts = [(_field_of(place, name), Ellipsis, item) for name, item in zip(names, value, strict=True)]
    for part in parts:
        try:
            setitem(*part)
        except (TypeError, ValueError, OverflowError):
            return


def _field_of(array: ArrayProxy, name: str) -> Any:
    return recorder().call(ops.np.field, array, name)


def _outline(value: Any) -> Any:
    """Zeros in place of the items of nested lists."""
    return [_outline(item) for item in value] if isinstance(value, (list, tuple)) else 0


def _is_mask(index: Any) -> bool:
    """Whether a single mask chooses: NumPy then writes while it reads."""
    only = index[0] if type(index) is tuple and len(index) == 1 else index
    return type(only) is ArrayProxy and only.dtype == bool


def _is_read(target: ArrayProxy, value: ArrayProxy) -> bool:
    """Whether ``value`` may be read after it was written to; a single element is read at once."""
    one = value.storage is target.storage and type(value.size) is int and value.size == 1
    return ownership.meet(target, value) and not one


def sequence(target: Any, index: Any, value: Any, dtype: np.dtype[Any]) -> ArrayProxy:
    """A list or tuple that is written, element by element in the dtype of the target.

    Raises what NumPy raises for it.
    """
    if all_known(index):
        raise_for_stand_ins(operator.setitem, (target, index, value), {}, (TypeError, ValueError, OverflowError))
    return coercion.array_of(value, dtype)


_NO_NUMBERS = frozenset({type(None), list, tuple, dict, set, frozenset, range, slice})


def _is_one_element(x: ArrayProxy, index: Any) -> bool:
    """Whether a normalised index selects one element: NumPy then makes the value a number."""
    items = index if type(index) is tuple else (index,)
    return len(items) == x.ndim and all(python_type(item) is int for item in items)


def delitem(self: ArrayProxy, index: Any) -> None:
    """Raises NumPy's error."""
    raise ValueError("cannot delete array elements")


Proxy.__getitem__ = numpys(operator.getitem, getitem)  # type: ignore[misc]
Proxy.__setitem__ = numpys(operator.setitem, setitem)  # type: ignore[index]
Proxy.__delitem__ = delitem  # type: ignore[attr-defined]
