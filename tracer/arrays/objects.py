"""Arrays of Python objects, as `np.frompyfunc` takes and gives them: places of items, which NumPy moves about and Python computes with.

An item of an array of numbers is what ``ndarray.item`` gives of it: a number of Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays import coercion, methods
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.views import no_objects
from npexport.tracer.interpreter.native import NATIVE_TYPES

OBJECT = np.dtype(object)
MAX_ITEMS = 4096
"""How many items an array of objects may have: Python is called for each."""


class Objects:
    """``places`` says, in the shape and memory order of the array, which of ``items`` stands where."""

    __slots__ = ("items", "places")

    def __init__(self, items: list[Any], places: np.ndarray[Any, Any]) -> None:
        self.items = items
        self.places = places

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return np.ndarray

    dtype = OBJECT

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
        return Objects(self.items, self.places.reshape(*shape, **kwargs))

    def ravel(self, *order: Any) -> Objects:
        return Objects(self.items, self.places.ravel(*order))

    flatten = ravel

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        found = self.places[index]
        return Objects(self.items, found) if isinstance(found, np.ndarray) else self.items[found]

    def in_order(self) -> list[Any]:
        """The items in C order."""
        return [self.items[place] for place in self.places.ravel().tolist()]

    def tolist(self) -> Any:
        return [row.tolist() if type(row) is Objects else row for row in self] if self.ndim else self.item()

    def item(self, *index: Any) -> Any:
        return self.items[self.places.item(*index)]

    def astype(self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Any:
        """Numbers, each converted by itself."""
        if order != "K" or casting != "unsafe":
            raise no_objects(OBJECT)
        return converted(self, coercion.dtype_of(dtype))

    def __getattr__(self, name: str) -> NoReturn:
        raise no_objects(OBJECT)

    def _refused(self, *args: Any) -> NoReturn:
        raise no_objects(OBJECT)

    __setitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __matmul__ = __pow__ = __bool__ = __array__ = __repr__ = _refused
    __hash__: Any = None


NATIVE_TYPES.add(Objects)


def array(value: Any, dtype: np.dtype[Any], *, plain: bool) -> Any:
    """``np.array(value, dtype)`` of objects, or into objects; with other arguments, not ``plain``, it is refused."""
    if not plain:
        raise no_objects(OBJECT)
    return converted(as_objects(value), dtype)


def is_fortran(places: np.ndarray[Any, Any]) -> bool:
    """Whether NumPy goes over the elements with the first axis fastest."""
    return places.flags.f_contiguous and not places.flags.c_contiguous


def computed(shape: tuple[int, ...], fortran: bool) -> np.ndarray[Any, Any]:
    """The places of items that are in memory order."""
    places = np.arange(math.prod(shape))
    return places.reshape(shape[::-1]).T if fortran else places.reshape(shape)


def converted(value: Objects, dtype: np.dtype[Any]) -> Any:
    """The array of this dtype of these objects, in their memory order."""
    if dtype == OBJECT:
        return value
    items = value.in_order() if not is_fortran(value.places) else value.T.in_order()
    if any(_is_sequence(item) for item in items):
        raise ValueError("setting an array element with a sequence.")
    shape = value.shape[::-1] if is_fortran(value.places) else value.shape
    array = coercion.array_of(items, dtype).reshape(shape)  # type: ignore[attr-defined]
    return array.T if is_fortran(value.places) else array


def _is_sequence(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (type(item) in (ArrayProxy, Objects) and item.ndim > 0)


def as_objects(value: Any) -> Objects:
    """What ``np.asarray(value, object)`` gives: items of arrays, and objects of nested sequences as they are."""
    if type(value) is Objects:
        return value
    if type(value) is ArrayProxy:
        return _of_array(value)
    items: list[Any] = []
    shape = _discover(value, items.append)
    return Objects(items, computed(shape, False))


def as_operand(value: Any) -> Objects:
    """What a ufunc of Python makes of an argument: first an array of numbers, where it is one, and of that the items."""
    if type(value) is Objects:
        return value
    if isinstance(value, (list, tuple)):
        objects = as_objects(value)
        if not all(isinstance(item, (int, float, complex, np.generic, *coercion.SYMBOLIC, ScalarProxy)) for item in objects.items):
            return objects
    elif not isinstance(value, (np.ndarray, np.generic, int, float, complex, *coercion.SYMBOLIC)):
        return as_objects(value)
    return _of_array(coercion.array_of(value))


def _of_array(array: ArrayProxy) -> Objects:
    shape = tuple(array.shape)
    if not all(isinstance(size, int) for size in shape):
        raise Unsupported("E104", f"how often a function of Python is called depends on dynamic sizes ({array.meta})")
    if math.prod(shape) > MAX_ITEMS:
        raise Unsupported("E104", f"a function of Python is called for each of more than {MAX_ITEMS} elements ({array.meta})")
    flags = array.flags  # type: ignore[attr-defined]
    fortran = len(shape) > 1 and flags.f_contiguous and not flags.c_contiguous
    flat = (array.T if fortran else array).reshape(-1)  # type: ignore[attr-defined]
    return Objects(methods.tolist(flat), computed(shape, fortran))


def _discover(value: Any, keep: Callable[[Any], None]) -> tuple[int, ...]:
    """The shape of nested sequences, whose items are kept in C order."""
    if type(value) is ArrayProxy and value.ndim:
        objects = _of_array(value)
        for item in objects.in_order():
            keep(item)
        return objects.shape
    if not isinstance(value, (list, tuple)):
        keep(value)
        return ()
    shapes = {_discover(item, keep) for item in value} or {()}
    if len(shapes) > 1:
        raise no_objects(OBJECT)  # sequences as objects
    return (len(value), *shapes.pop())
