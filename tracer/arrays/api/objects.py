"""Arrays of Python objects, as `np.frompyfunc` takes and returns them: indices of items, which
NumPy moves and Python computes with; or, if only sizes know how many there are, a list that a
captured loop fills.

An item of a numeric array is what ``ndarray.item`` returns for it: a Python number.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.api import methods
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_arrays import array_of_items
from npexport.tracer.arrays.core.item_structures import Kinds
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.views import no_objects
from npexport.tracer.arrays.memory.layout import alike, stride_order
from npexport.tracer.arrays.memory.layout_guards import not_in_c_order
from npexport.tracer.arrays.memory.layout_inference import with_layout
from npexport.tracer.arrays.memory.model import Layout
from npexport.tracer.interpreter.native import NATIVE_TYPES, stands_in_for

OBJECT = np.dtype(object)
_BASIC = (int, slice, type(None), type(...))
NUMBERS = (bool, int, float, complex, ScalarProxy, *coercion.SYMBOLIC)
MAX_ITEMS = 4096
"""The largest number of items in an array of objects: Python is called for each of them."""


class _Array:
    """What arrays of objects have in common: what is not defined is refused."""

    __slots__ = ()

    __class__ = np.ndarray  # type: ignore[assignment]

    dtype = OBJECT
    __array_priority__ = 1.0  # operators of other arrays and scalars are left to this class

    def astype(self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Any:
        """Numbers, each converted separately."""
        if order != "K" or casting != "unsafe":
            raise no_objects(OBJECT)
        wanted = coercion.dtype_of(dtype)
        return copied(self) if wanted == OBJECT and copy else converted(self, wanted)

    def __getattr__(self, name: str) -> NoReturn:
        raise no_objects(OBJECT)

    __hash__: Any = None


class Objects(_Array):
    """``places``: for each element of the array, in its memory order, its index into ``items``."""

    __slots__ = ("items", "places")

    def __init__(self, items: list[Any], places: np.ndarray[Any, Any]) -> None:
        self.items = items
        self.places = places

    @property
    def shape(self) -> tuple[int, ...]:
        return self.places.shape

    @property
    def ndim(self) -> int:
        return self.places.ndim

    @property
    def size(self) -> int:
        return self.places.size

    @property
    def T(self) -> Objects:
        return Objects(self.items, self.places.T)

    def reshape(self, *shape: Any, **kwargs: Any) -> Objects:
        return self._part(self.places.reshape(*shape, **kwargs))

    def ravel(self, order: Any = "C") -> Objects:
        return self._part(self.places.ravel(order))

    def flatten(self, order: Any = "C") -> Objects:
        return self._part(self.places.flatten(order))

    def copy(self, order: Any = "C") -> Objects:
        return self._part(self.places.copy(order))

    def _part(self, places: np.ndarray[Any, Any]) -> Objects:
        """A view where NumPy returns one: writes to either show in both."""
        return Objects(self.items if np.may_share_memory(places, self.places) else list(self.items), places)

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        found = self.places[_known(index)]
        return self._part(found) if isinstance(found, np.ndarray) else self.items[found]

    def __setitem__(self, index: Any, value: Any) -> None:
        index = _known(index)
        if not all(type(part) in _BASIC for part in (index if type(index) is tuple else (index,))):
            raise no_objects(OBJECT)
        found = self.places[index]
        if not isinstance(found, np.ndarray):
            self.items[found] = value
            return
        given, target = _to_depth(value, found.ndim), np.empty(found.shape, np.intp)
        target[...] = given.places
        items = [given.items[place] for place in target.ravel().tolist()]
        for place, item in zip(found.ravel().tolist(), items, strict=True):
            self.items[place] = item

    def in_order(self) -> list[Any]:
        """The items in C order."""
        return [self.items[place] for place in self.places.ravel().tolist()]

    def tolist(self) -> Any:
        return [row.tolist() if type(row) is Objects else row for row in self] if self.ndim else self.item()

    def item(self, *index: Any) -> Any:
        return self.items[self.places.item(*index)]


class SizedObjects(_Array):
    """An array, never written to, whose shape only sizes know: its items in C order, its order in
    memory.
    """

    __slots__ = ("items", "shape")

    def __init__(self, items: FilledList, shape: tuple[Any, ...]) -> None:
        self.items = items
        self.shape = shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Any:
        return math.prod(self.shape)

    def in_order(self) -> FilledList:
        return self.items


def _refused(self: _Array, *args: Any, **kwargs: Any) -> NoReturn:
    raise no_objects(OBJECT)


_OF_CLASSES = ("__new__", "__doc__", "__class_getitem__")
for _name in vars(np.ndarray):  # of operators that are not there Python would say that arrays have none
    own = _name in vars(_Array) or _name in _OF_CLASSES or (_name.startswith("__array_") and _name != "__array__")
    if _name.startswith("__") and not own:
        setattr(_Array, _name, _refused)

ARRAYS = (Objects, SizedObjects)
for _cls in ARRAYS:
    stands_in_for(_cls, np.ndarray)


def _known(index: Any) -> Any:
    """The index with sizes as numbers. Raises ``Unsupported`` if only data know it."""
    if type(index) is tuple:
        return tuple(map(_known, index))
    if type(index) is ArrayProxy:
        raise no_objects(OBJECT)
    return operator.index(index) if type(index) is ScalarProxy or type(index) in coercion.SYMBOLIC else index


def array(value: Any, dtype: np.dtype[Any], *, plain: bool, copy: bool) -> Any:
    """``np.array(value, dtype)`` of or into objects; others are refused unless ``plain``."""
    if not plain:
        raise no_objects(OBJECT)
    found = as_objects(value, ragged=True)
    return copied(found) if copy and found is value and dtype == OBJECT else converted(found, dtype)


def holds_none(value: Any) -> bool:
    """Whether the items are numbers and ``None``, which NumPy makes an array of objects."""
    found: list[Any] = []
    return _are_numbers_or_none(value, found) and bool(found)


def _are_numbers_or_none(value: Any, found: list[Any]) -> bool:
    """``found``: collects every ``None``."""
    if value is None:
        found.append(value)
        return True
    if type(value) in (list, tuple):
        return all(_are_numbers_or_none(item, found) for item in value)
    return type(value) in NUMBERS or isinstance(value, np.generic)


def made(shape: Any, content: Any, order: Any) -> Objects | None:
    """A new array with the same content everywhere; ``None`` if only sizes know its shape."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(type(size) is int for size in sizes) or order not in ("C", "F"):
        return None
    places = np.empty(sizes, np.intp, order)  # raises for what is not a shape
    if places.size > MAX_ITEMS:
        return None
    places[...] = np.arange(places.size).reshape(sizes)
    result = Objects([None] * places.size, places)
    result[...] = content
    return result


def placed(mirror: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Indices of items in C order, in memory with the layout of the mirror."""
    strides = [stride * np.dtype(np.intp).itemsize for stride in mirror.strides]
    places = alike(np.lib.stride_tricks.as_strided(np.empty(0, np.intp), mirror.shape, strides), True)
    places[...] = np.arange(mirror.size).reshape(mirror.shape)
    return places


def copied(value: Any) -> Any:
    """A copy in the same memory order; itself if it is never written to."""
    return value.copy("K") if type(value) is Objects else value


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """The array of this dtype of these objects, in their memory order."""
    if dtype == OBJECT:
        return value
    if type(value) is SizedObjects:
        if not _is_number(value.items.item):
            raise no_objects(OBJECT)
        return array_of_items(value.items, dtype).reshape(value.shape)
    items = value.in_order()
    if any(_is_sequence(item) for item in items):
        raise ValueError("setting an array element with a sequence.")
    array = coercion.array_of(items, dtype).reshape(value.shape)
    if value.ndim < 2:
        return array
    return with_layout(recorder(), recorder().call(ops.np.copy, array), Layout(stride_order(value.places.copy("K"))))


def _is_number(structure: Any) -> bool:
    """Whether the items of a list are numbers of Python or NumPy."""
    if isinstance(structure, Kinds):
        return all(map(_is_number, structure.options))
    return structure in (bool, int, float) if isinstance(structure, type) else isinstance(structure, TensorMeta) and not structure.ndim


def _is_sequence(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (type(item) in (ArrayProxy, *ARRAYS) and item.ndim > 0)


def as_objects(value: Any, *, ragged: bool = False) -> Objects | SizedObjects:
    """What ``np.asarray(value, object)`` returns: items of arrays, and objects of nested sequences
    unchanged; if ``ragged``, arrays and sequences of different lengths are objects.
    """
    if type(value) in ARRAYS:
        return value
    if type(value) is ArrayProxy:
        if any(map(is_symbolic, value.shape)):
            return _of_operand(recorder().call(ops.np.copy, value))
        objects = _of_array(value)
        return Objects(objects.items, objects.places.copy("K"))
    items: list[Any] = []
    shape = _discover(value, items.append, ragged)
    return in_c_order(items, shape)


def in_c_order(items: list[Any], shape: tuple[int, ...]) -> Objects:
    """A new array of these items."""
    return Objects(items, np.arange(len(items)).reshape(shape))


def as_operand(value: Any) -> Objects | SizedObjects:
    """An argument of a Python ufunc: the items of the array of numbers that it is, or itself."""
    if type(value) in ARRAYS:
        return value
    if isinstance(value, (list, tuple)):
        objects = as_objects(value)
        if not all(isinstance(item, (int, float, complex, np.generic, *coercion.SYMBOLIC, ScalarProxy)) for item in objects.items):
            return objects
    elif not isinstance(value, (np.ndarray, np.generic, int, float, complex, *coercion.SYMBOLIC)):
        return as_objects(value)
    return _of_operand(coercion.array_of(value))


def _of_operand(array: ArrayProxy) -> Objects | SizedObjects:
    """The items of an array, of which there may be as many as sizes say."""
    if not any(map(is_symbolic, array.shape)):
        return _of_array(array)
    why = not_in_c_order(recorder().layouts, array)
    if why is not None:
        what = f"a function of Python is called for each element of {why}, as often as sizes say ({array.meta})"
        raise Unsupported("E104", what, hint="Copy it first: np.ascontiguousarray(x).")
    items = methods.tolist(array.reshape(-1))
    return SizedObjects(items, tuple(array.shape)) if type(items) is FilledList else _laid_out(items, array)


def _of_array(array: ArrayProxy) -> Objects:
    shape = tuple(array.shape)
    if not all(isinstance(size, int) for size in shape):
        what = f"how many Python objects an array holds depends on dynamic sizes ({array.meta})"
        raise Unsupported("E104", what, hint="Give the array itself to np.vectorize or np.frompyfunc, not a list of such arrays.")
    if math.prod(shape) > MAX_ITEMS:
        raise Unsupported("E104", f"a function of Python is called for each of more than {MAX_ITEMS} elements ({array.meta})")
    return _laid_out(methods.tolist(array.reshape(-1)), array)


def _laid_out(items: list[Any], array: ArrayProxy) -> Objects:
    shape = tuple(map(int, array.shape))
    return Objects(items, placed(recorder().layouts.ask(array) if shape else np.empty(())))


def stretched(objects: Objects | SizedObjects, shape: tuple[Any, ...]) -> FilledList:
    """The items broadcast to a shape that only sizes know."""
    items: Any = objects.in_order()
    if (
        type(objects) is SizedObjects
        and len(shape) == objects.ndim
        and all(known(a == b) for a, b in zip(objects.shape, shape, strict=True))
    ):
        return objects.items
    kinds = {items.item} if type(items) is FilledList else {python_type(item) if is_symbolic(item) else type(item) for item in items}
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        array = coercion.array_of(items).reshape(objects.shape)
        found = methods.tolist(recorder().call(ops.np.broadcast_to, array, shape).reshape(-1))
        if type(found) is FilledList:
            return found
    what = "an array of Python objects is broadcast to dynamic sizes, and its items are no numbers of Python of one type"
    raise Unsupported("E104", what, hint="Broadcast first: a, b = np.broadcast_arrays(a, b).")


def _discover(value: Any, keep: Callable[[Any], None], ragged: bool) -> tuple[int, ...]:
    """The shape of nested sequences, whose items are kept in C order."""
    if type(value) is ArrayProxy and value.ndim:
        objects = _of_array(value)
        for item in objects.in_order():
            keep(item)
        return objects.shape
    if not isinstance(value, (list, tuple)):
        keep(value)
        return ()
    for item in value:
        _require_plain(item)
    if ragged and not _are_equal([_length(item) for item in value]):
        for item in value:
            keep(item)
        return (len(value),)
    shapes = {_discover(item, keep, ragged) for item in value} or {()}
    if len(shapes) > 1:
        raise no_objects(OBJECT)  # sequences as objects
    return (len(value), *shapes.pop())


def _to_depth(value: Any, depth: int) -> Objects:
    """The items that NumPy finds in a value written to this many axes of sequences."""
    if type(value) is ArrayProxy:
        return _of_array(value)
    if type(value) is Objects:
        return value
    if not isinstance(value, (list, tuple)) or not depth:
        _require_plain(value)
        return Objects([value], np.zeros((), np.intp))
    if depth == 1:
        return Objects(list(value), np.arange(len(value)))
    rows = [_to_depth(item, depth - 1) for item in value]
    if not rows or any(row.shape != rows[0].shape or row.ndim != depth - 1 for row in rows):
        raise no_objects(OBJECT)  # sequences as objects
    items = [item for row in rows for item in row.in_order()]
    return in_c_order(items, (len(rows), *rows[0].shape))


def _length(item: Any) -> Any:
    """The length of the first axis of a sequence; ``None`` for anything else."""
    if not _is_sequence(item):
        return None
    return item.shape[0] if type(item) in (ArrayProxy, Objects) else len(item)


def _are_equal(lengths: list[Any]) -> bool:
    sequences = [length for length in lengths if length is not None]
    return len(sequences) in (0, len(lengths)) and all(bool(length == sequences[0]) for length in sequences[1:])


_NO_SEQUENCES = (str, bytes, dict)


def _require_plain(item: Any) -> None:
    """Raises ``Unsupported`` (E122) for what NumPy may treat as a sequence, such as ranges."""
    kind = type(item)
    if kind in NATIVE_TYPES or isinstance(item, (list, tuple, np.generic, *_NO_SEQUENCES)):
        return
    if any(hasattr(kind, name) for name in ("__getitem__", "__array__", "__array_interface__", "__array_struct__")):
        raise no_objects(OBJECT)
