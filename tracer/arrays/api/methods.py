"""The methods of ``ndarray``: those that are NumPy functions in one table, the others one function
each.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NO_VALUE
from npexport.ir.ops.evaluation import UNKNOWN
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, is_symbolic
from npexport.tracer.arrays.api import arguments, clipping, result_layout, scatters, ufuncs
from npexport.tracer.arrays.api.ufuncs import model_of
from npexport.tracer.arrays.core import coercion, complexes, numpy_oracle, views, writes
from npexport.tracer.arrays.core.array_protocol import converts_itself
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.data_bytes import DataBytes
from npexport.tracer.arrays.core.filled_list_arrays import list_of_numbers
from npexport.tracer.arrays.core.proxy import AnyProxy, ArrayProxy, Proxy, ScalarProxy, as_number, number_of, unknown_data

MAX_ITEMS = 4096
"""The largest number of elements of a list of numbers that depend on data; each of them is a
node.
"""

FUNCTIONS = (
    "all any argmax argmin argpartition argsort cumprod cumsum diagonal dot max mean min nonzero prod repeat searchsorted squeeze "
    "std sum swapaxes take trace var"
).split()
"""Methods that call the NumPy function of the same name with the array as first argument."""
MEMORY = ("E123", "touches the memory of an array", None)
_FILES = "Return the array, and write it where the program is called."
_BYTES = "Read them as numbers, with x.view(np.uint8); x.tobytes() gives them to the caller."
_LENGTHS = (
    "Bind the name to an array of the new length: x = np.concatenate([x, np.zeros(n - len(x))]), or x = x[:n].copy() for a shorter one."
)
REFUSED = {
    "tofile": ("E105", "writes a file", _FILES),
    "dump": ("E105", "writes a file", _FILES),
    "dumps": ("E123", "touches the bytes of an array", _BYTES),
    "resize": ("E123", "gives an array other memory under its name", _LENGTHS),
    "__sizeof__": ("E123", "says how much memory an array takes up", "Use x.nbytes, the size of its elements."),
}


def function(name: str) -> Callable[..., Any]:
    def method(self: ArrayProxy, *args: Any, **kwargs: Any) -> Any:
        return model_of(getattr(np, name))(self, *args, **kwargs)

    return method


def refused(name: str, code: str, what: str, hint: str | None) -> Callable[..., NoReturn]:
    def method(self: ArrayProxy, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unsupported(code, f"ndarray.{name} {what}", hint=hint)

    method.__name__ = name
    return method


# Shapes


def reshape(self: ArrayProxy, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    """``x.reshape(2, 3)`` and ``x.reshape((2, 3))``."""
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0]
    if isinstance(copy, str):
        np.array(0, copy=copy)  # type: ignore[call-overload]  # raises
    order = memory_order(self, order)
    if copy is True and type(self) is ArrayProxy:  # made in this order, also where the memory of the array would do
        self, copy = self.copy(order), None
    given = {} if copy is None else {"copy": copy}
    return model_of(np.reshape)(self, _shape_argument(shape), order=order, **given)


def _shape_argument(shape: Any) -> Any:
    shape = arguments.static(shape)
    if isinstance(shape, (tuple, list)):
        return tuple([size if type(size) in (int, bool) or type(size) in coercion.SYMBOLIC else operator.index(size) for size in shape])
    return shape


def memory_order(x: AnyProxy, order: Any) -> str:
    """``"C"`` or ``"F"`` for an order that may follow the memory."""
    order = arguments.known_order(order)
    if order is None or order == "C":
        return "C"
    if order == "F":
        return "F"
    if order != "A":
        np.empty(1).reshape(1, order=order)
    if type(x) is ScalarProxy or x.ndim < 2:
        return "C"
    flags = recorder().layouts.ask(x).flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


def ravel(self: AnyProxy, order: str = "C") -> Any:
    """A view if the memory allows it."""
    order = arguments.known_order(order)
    if type(self) is ScalarProxy:
        return recorder().call(ops.np.reshape, self, (1,))
    return _in_order(ops.np.ravel, self, order)


def flatten(self: AnyProxy, order: str = "C") -> Any:
    """Always a copy."""
    order = arguments.known_order(order)
    if type(self) is ScalarProxy:
        return recorder().call(ops.np.reshape, self.copy() if coercion.is_record(self) else self, (1,))
    return _in_order(ops.np.flatten, self, order)


def tobytes(self: AnyProxy, order: Any = "C") -> Any:
    """The elements' memory, one after the other; that of texts of any length lies elsewhere."""
    if self.array is not None and self.known:
        return self.array.tobytes(order)
    if not self.dtype.itemsize or self.dtype.kind not in "biufcmMSUV" or self.dtype.char in "gG":  # those have bytes that mean nothing
        raise Unsupported("E123", f"the bytes of an array of the dtype {self.dtype}")
    order = arguments.known_order(order)
    return DataBytes(flatten(self, "C" if order == "K" else order).view(np.uint8))


def _in_order(op: Any, x: ArrayProxy, order: Any) -> Any:
    """``op`` of the elements in an order that `arguments.known_order` gave."""
    if order == "K" and x.ndim > 1:
        axes = walked(recorder().layouts.ask(x))
        x = recorder().call(ops.np.transpose, x, tuple(axes)) if axes != list(range(x.ndim)) else x
        order = "C"
    order = memory_order(x, "C" if order == "K" else order)
    return recorder().call(op, x, *(() if order == "C" else (order,)))


def walked(array: Any) -> list[int]:
    """The axes in the order in which NumPy walks an array of this layout, the slowest first.

    Axes without a stride stay in place.
    """
    walk = np.nditer(array[(slice(0, 2),) * array.ndim], ["multi_index", "zerosize_ok", "refs_ok"])
    places = []
    while not walk.finished:
        places.append(walk.multi_index)
        walk.iternext()
    periods = [next((k for k, place in enumerate(places) if place[axis] != places[0][axis]), 0) for axis in range(array.ndim)]
    return sorted(range(array.ndim), key=lambda axis: -periods[axis])


def transpose(self: ArrayProxy, *axes: Any) -> Any:
    """``x.transpose(1, 0)``, ``x.transpose((1, 0))`` and ``x.transpose()``."""
    order: Any = arguments.static(axes)
    if len(order) == 1 and (order[0] is None or not isinstance(order[0], int)):
        order = order[0]
        if order is not None and len(order) == 0:
            np.empty((0,) * self.ndim).transpose(order)  # raises where there are axes
    return recorder().call(ops.np.transpose, self, *(() if order is None or len(order) == 0 else (tuple(order),)))


def view(self: AnyProxy, dtype: Any = NO_VALUE, type: Any = None) -> Any:
    """The same memory, read as another dtype; of a scalar another scalar."""
    if builtin_type(self) is ScalarProxy:
        return view(coercion.array_of(self), dtype, type)[()]
    if isinstance(dtype, builtin_type) and issubclass(dtype, np.ndarray):
        dtype, type = NO_VALUE, dtype
    if type is not None and type is not np.ndarray:
        raise views.no_subclass(type)
    dtype = dtype if dtype is NO_VALUE else coercion.dtype_of(dtype)
    if dtype is NO_VALUE or dtype == self.dtype:
        return recorder().call(ops.np.getitem, self, Ellipsis) if builtin_type(self) is ArrayProxy else self
    if dtype.itemsize != self.dtype.itemsize:
        mirror = self.array if self.known else recorder().layouts.ask(self)
        mirror.view(dtype)  # type: ignore[union-attr] # raises where the last axis is not contiguous
    if dtype.subdtype is not None:
        return _part(self, dtype, 0, dtype.itemsize)
    held = _held(self.dtype), _held(dtype)
    if (held[0] != held[1] or dtype.itemsize != self.dtype.itemsize) and not all(map(_is_whole, held, (self.dtype, dtype))):
        hint = "Give every byte a field (an unused one of dtype 'V4' for four bytes), or take the fields one by one: x['a']."
        raise Unsupported("E121", f"a view of {self.dtype} as {dtype}, of which no field has some bytes", hint=hint)
    if not dtype.itemsize and self.dtype.itemsize:  # of the same length
        dtype = np.zeros(1, self.dtype).view(dtype).dtype
    return recorder().call(ops.np.view_dtype, self, dtype)


def _held(dtype: np.dtype[Any]) -> set[int]:
    """The bytes of an element that belong to fields: copies need not have the others."""
    if dtype.subdtype is not None:
        part = dtype.subdtype[0]
        return {place + byte for place in range(0, dtype.itemsize, part.itemsize or 1) for byte in _held(part)}
    if dtype.fields is None:
        return set(range(dtype.itemsize))
    return {part[1] + byte for part in dtype.fields.values() for byte in _held(part[0])}


def _is_whole(held: set[int], dtype: np.dtype[Any]) -> bool:
    return len(held) == dtype.itemsize


def _part(x: ArrayProxy, dtype: Any, offset: int, itemsize: int) -> Any:
    """A field of elements read as records of this size."""
    end = offset + np.dtype(dtype).itemsize  # all bytes belong to a field: those between fields need not survive a copy
    parts: dict[str, Any] = {"before": (f"V{offset}", 0), "part": (dtype, offset), "after": (f"V{itemsize - end}", end)}
    record: Any = np.dtype({name: part for name, part in parts.items() if np.dtype(part[0]).itemsize or name == "part"})  # type: ignore[call-overload]
    return recorder().call(ops.np.field, recorder().call(ops.np.view_dtype, x, record), "part")


def getfield(self: AnyProxy, dtype: Any, offset: int = 0) -> Any:
    """A part of the bytes of each element, read as another dtype."""
    dtype = coercion.dtype_of(dtype)
    np.zeros(1, self.dtype).getfield(dtype, offset)  # raises
    if type(self) is ScalarProxy:
        return _part(coercion.array_of(self), dtype, offset, self.itemsize)[()]
    return _part(self, dtype, offset, self.itemsize)


def setfield(self: ArrayProxy, val: Any, dtype: Any, offset: int = 0) -> None:
    """Write a part of the bytes of each element."""
    writes.setitem(getfield(self, dtype, offset), Ellipsis, coercion.operand(val))


builtin_type = type


# Copies


def copy(self: AnyProxy, order: str = "C") -> Any:
    """A copy of its own."""
    order = arguments.known_order(order)
    if coercion.is_record(self):
        return copy(coercion.memory_of(self))[()]
    if type(self) is ScalarProxy:
        return self
    order = order or "C"
    result = recorder().call(ops.np.copy, self, **result_layout.asked_order(self, order))
    return result_layout.laid_out(result, order, self)


def deepcopy(self: ArrayProxy, memo: Any = None) -> Any:
    """``copy.copy`` and ``copy.deepcopy``."""
    return copy(self, "K")


def astype(self: ArrayProxy, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Any:
    """The array in another dtype; itself if ``copy`` is false and nothing changes."""
    dtype = coercion.dtype_of(dtype)
    order = arguments.known_order(order)
    if casting != "unsafe":
        np.empty(0).astype(float, casting=casting)  # type: ignore[call-overload]  # raises for any other word
    if type(self) is ArrayProxy and not copy and dtype == self.dtype and _has_order(self, order):
        return result_layout.in_memory_order(self, order)
    options = {} if casting == "unsafe" else {"casting": casting}
    result = recorder().call(ops.np.astype, self, dtype, **options, **result_layout.asked_order(self, order))
    return result_layout.laid_out(result, order, self)


def _has_order(x: ArrayProxy, order: Any) -> bool:
    """Whether the array has this order without a copy, for orders other than "C" and "F"."""
    if order != "A":
        return True
    flags = recorder().layouts.ask(x).flags
    return bool(flags.c_contiguous or flags.f_contiguous)


def byteswap(self: AnyProxy, inplace: bool = False) -> Any:
    """The bytes of each element in opposite order."""
    if _has_unused_bytes(self.dtype):
        raise Unsupported("E123", f"the bytes of elements of the dtype {self.dtype}, not all of which their values decide")
    swapped = astype(view(self, self.dtype.newbyteorder()), self.dtype, "A")
    if inplace or type(self) is ScalarProxy:
        return writes.put(self, swapped) if inplace else coercion.owning(swapped)
    return swapped


def _has_unused_bytes(dtype: np.dtype[Any]) -> bool:
    """Whether an element has bytes that hold nothing, as x86's long doubles have."""
    if dtype.subdtype is not None:
        return _has_unused_bytes(dtype.subdtype[0])
    if dtype.fields is not None:
        return any(_has_unused_bytes(field[0]) for field in dtype.fields.values())
    return dtype.char in "gG" and np.finfo(np.longdouble).nmant == 63


# Elements


def _place(part: Any) -> Any:
    """What C reads an object as that is to be a place; raises ``TypeError`` for none."""
    return part if isinstance(part, (int, SymInt, np.integer, Proxy)) else operator.index(part)


def item(self: ArrayProxy, *args: Any) -> Any:
    """One element as a Python number, which depends on data if the array does."""
    if self.known:
        return self.array.item(*arguments.static(args))  # type: ignore[union-attr]
    if args:
        index = args[0] if len(args) == 1 else args
        if type(index) is tuple and len(index) != self.ndim:
            np.empty((1,) * self.ndim).item(*index)  # raises
        index = tuple(map(_place, index)) if type(index) is tuple else _place(index)
        self = self.flat[index] if isinstance(index, int) and self.ndim != 1 else self[index]  # type: ignore[index]
    if self.size != 1:
        np.empty(2).item()  # raises: only one element can be a number
    if self.dtype.char in "gG":  # which no number of Python holds
        return self[()]  # type: ignore[index]
    if self.dtype.kind == "c":
        return complexes.of_proxy(self)
    number = number_of(self)
    return as_number(self, "ndarray.item") if number is UNKNOWN else number


def tolist(self: ArrayProxy) -> Any:
    """The elements as Python numbers, as from ``item``, at most `MAX_ITEMS` of them."""
    if self.known:
        return self.array.tolist()  # type: ignore[union-attr]
    numbers = recorder().number(self.node())
    if isinstance(numbers, np.ndarray):
        return numbers.tolist()
    if _is_counted(self):
        return list_of_numbers(recorder().call(ops.np.astype, self, python_dtype(self.dtype)))
    if any(map(is_symbolic, self.shape[1:])) and type(self.shape[0]) is int and recorder().session.world.counting:
        return [tolist(row) for row in self]
    if math.prod(map(int, self.shape)) > MAX_ITEMS:
        raise unknown_data(self, f"ndarray.tolist of more than {MAX_ITEMS} elements")
    return _items(self)


def _is_counted(array: ArrayProxy) -> bool:
    """Whether only sizes know the length of the first axis, so that a loop fills its list; or it is
    so long that loops over it are one node.
    """
    world = recorder().session.world
    if not array.ndim or array.dtype.kind not in "biuf" or array.dtype.char in "QLg":
        return False
    counted = is_symbolic(array.shape[0])
    if counted and world.counting:
        world.counted = True
        return True
    rolled = not counted and world.unrolling.is_large(array.shape[0])
    world.rolled |= rolled
    return rolled


def python_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the numbers of Python that elements are given as."""
    return np.dtype({"b": bool, "i": np.int64, "u": np.int64, "f": np.float64}[dtype.kind])


def _items(array: Any) -> Any:
    return [_items(row) for row in array] if array.ndim else item(array)


def choose(self: ArrayProxy, *choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """``x.choose((a, b))`` and ``x.choose(a, b)``."""
    options = {} if out is None else {"out": out}
    return model_of(np.choose)(self, choices[0] if len(choices) == 1 else choices, mode=mode, **options)


def fill(self: AnyProxy, value: Any) -> None:
    """All elements become ``value``; a scalar has none to fill unless it has fields."""
    if coercion.is_record(self):
        self = coercion.memory_of(self)
    if type(self) is ArrayProxy:
        writes.require_writeable(self, "assignment destination is read-only")
    of_record = coercion.is_record(value) and self.dtype.names is not None  # whose fields are cast one by one
    if (isinstance(value, (Proxy, list, tuple)) and not of_record) or type(self) is ScalarProxy:
        numpy_oracle.raise_for_stand_ins(np.zeros(1, self.dtype).fill, (value,), {}, (TypeError, ValueError))
    coercion.require_alike(value, self.dtype, "`x.fill`")
    if converts_itself(value):
        raise Unsupported("E101", f"`x.fill` asks an object of type {type(value).__name__} for a number")
    if type(value) is ArrayProxy and value.ndim and not value.size == 1:  # a guard: of more elements there is no number
        raise ValueError("setting an array element with a sequence.")
    if type(self) is ScalarProxy:
        return
    if self.dtype.names is not None and type(value) is tuple:
        value = coercion.array_of(value, self.dtype)
    writes.setitem(self, Ellipsis, coercion.operand(value))


def sort(self: ArrayProxy, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = NO_VALUE) -> None:
    """In place."""
    writes.require_whole(self)
    writes.require_writeable(self, "sort array is read-only")
    given = {"kind": kind, "order": arguments.static(order), "stable": stable, **_descending(descending, kind)}
    options = {name: value for name, value in given.items() if value is not None}
    writes.assign(self, recorder().call(ops.np.sort, self, arguments.static(axis), **options), alike=True)


def argsort(
    self: ArrayProxy, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = NO_VALUE
) -> Any:
    """The places of the elements in order."""
    return model_of(np.argsort)(self, axis, kind, order, stable=stable, **_descending(descending, kind))


def _descending(descending: Any, kind: Any) -> dict[str, bool]:
    """Whether the greatest comes first, if that is given: not every version of NumPy accepts it."""
    if descending is NO_VALUE:
        return {}
    np.empty(0).sort(kind=kind, descending=descending)  # raises
    return {"descending": True} if descending else {}


def partition(self: ArrayProxy, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    """In place."""
    writes.require_whole(self)
    writes.require_writeable(self, "partition array is read-only")
    fields = {} if order is None else {"order": arguments.static(order)}
    found = recorder().call(ops.np.partition, self, arguments.static(kth), arguments.static(axis), kind, **fields)
    writes.assign(self, found, alike=True)


def put(self: ArrayProxy, indices: Any, values: Any, mode: str = "raise") -> None:
    """The elements at flat places."""
    scatters.put(self, indices, values, mode)


def compress(self: ArrayProxy, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """The slices for which the condition is true."""
    if isinstance(condition, np.flatiter):
        condition = coercion.mask_of(condition)  # raises where it is none
    return model_of(np.compress)(condition, self, axis, **({} if out is None else {"out": out}))


def round_(self: AnyProxy, decimals: int = 0, out: Any = None) -> Any:
    """Rounded to decimals."""
    return model_of(np.round)(self, decimals, **({} if out is None else {"out": out}))


def clip(self: ArrayProxy, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """Limited to an interval; unlike ``np.clip`` it may be called with one bound."""
    return clipping.clip(self, min, max, out, **kwargs)


def conjugate(self: ArrayProxy, *out: Any) -> Any:
    """The complex conjugate."""
    if self.dtype.kind not in "biufc":
        np.empty((), self.dtype).conjugate()  # raises
    out = tuple([item for item in out if item is not None])
    if not out and self.dtype.kind != "c":
        return self
    return ufuncs.call(np.conjugate, self, *out)
