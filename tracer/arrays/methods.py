"""The methods and attributes of ``ndarray``: those that are functions of NumPy by one table, the others one function each."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays import coercion, functions, standins, views, writes
from npexport.tracer.arrays.doubts import keeps_axes, require_large, splits_only
from npexport.tracer.arrays.flags import Flags
from npexport.tracer.arrays.flat import FlatIterator
from npexport.tracer.arrays.indexing import record
from npexport.tracer.arrays.numbers import UNKNOWN
from npexport.tracer.arrays.owners import are_one, base, setflags
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, as_number, number_of, unknown_data
from npexport.tracer.arrays.standins import numpys, raise_for_stand_ins
from npexport.tracer.arrays.strides import strides_of
from npexport.tracer.arrays.ufuncs import model_of
from npexport.tracer.current import recorder

MAX_ITEMS = 4096
"""How many elements a list of numbers that depend on data may have; each of them is a node."""

FUNCTIONS = (
    "all any argmax argmin argpartition argsort choose cumprod cumsum diagonal dot max mean min nonzero prod repeat searchsorted squeeze "
    "std sum swapaxes take trace var"
).split()
"""Methods that are the NumPy function of that name with the array first."""
REFUSED = {
    "tobytes": "the bytes of an array",
    "tofile": "the bytes of an array",
    "dump": "the bytes of an array",
    "dumps": "the bytes of an array",
    "resize": "the memory of an array",
}


def _function(name: str) -> Callable[..., Any]:
    def method(self: ArrayProxy, *args: Any, **kwargs: Any) -> Any:
        return model_of(getattr(np, name))(self, *args, **kwargs)

    return method


def _refused(name: str, what: str) -> Callable[..., NoReturn]:
    def method(self: ArrayProxy, *args: Any, **kwargs: Any) -> NoReturn:
        raise Unsupported("E123", f"ndarray.{name} touches {what}")

    return method


# Shapes


def reshape(self: ArrayProxy, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    """``x.reshape(2, 3)`` and ``x.reshape((2, 3))``."""
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0]
    given = {} if copy is None else {"copy": copy}
    return model_of(np.reshape)(self, _shape_argument(shape), order=memory_order(self, order), **given)


def _shape_argument(shape: Any) -> Any:
    shape = functions.static(shape)
    if isinstance(shape, (tuple, list)):
        return tuple([size if type(size) in (int, bool) or type(size) in coercion.SYMBOLIC else operator.index(size) for size in shape])
    return shape


def memory_order(x: ArrayProxy, order: Any) -> str:
    """``"C"`` or ``"F"`` for an order that may follow the memory."""
    functions.require_order(order)
    if order is None or order in ("C", "c"):
        return "C"
    if order in ("F", "f"):
        return "F"
    if order not in ("A", "a"):
        np.empty(1).reshape(1, order=order)
    if type(x) is ScalarProxy or x.ndim < 2:
        return "C"
    flags = recorder().layouts.ask(x).flags
    return "F" if flags.f_contiguous and not flags.c_contiguous else "C"


def ravel(self: ArrayProxy, order: str = "C") -> Any:
    """A view where the memory allows it."""
    if type(self) is ScalarProxy:
        return recorder().call(ops.np.reshape, self, (1,))
    return _in_order(ops.np.ravel, self, order)


def flatten(self: ArrayProxy, order: str = "C") -> Any:
    """Always a copy."""
    if type(self) is ScalarProxy:
        return recorder().call(ops.np.reshape, self, (1,))
    return _in_order(ops.np.flatten, self, order)


def _in_order(op: Any, x: ArrayProxy, order: Any) -> Any:
    functions.require_order(order)
    if order in ("K", "k") and x.ndim > 1:
        axes = walked(recorder().layouts.ask(x))
        x = recorder().call(ops.np.transpose, x, tuple(axes)) if axes != list(range(x.ndim)) else x
        order = "C"
    order = memory_order(x, "C" if order in ("K", "k") else order)
    return recorder().call(op, x, *(() if order == "C" else (order,)))


def walked(array: Any) -> list[int]:
    """The axes in the order in which NumPy walks an array that lies like this, the slowest first. Axes without a stride stay in place."""
    walk = np.nditer(array[(slice(0, 2),) * array.ndim], ["multi_index", "zerosize_ok", "refs_ok"])
    places = []
    while not walk.finished:
        places.append(walk.multi_index)
        walk.iternext()
    periods = [next((k for k, place in enumerate(places) if place[axis] != places[0][axis]), 0) for axis in range(array.ndim)]
    return sorted(range(array.ndim), key=lambda axis: -periods[axis])


def transpose(self: ArrayProxy, *axes: Any) -> Any:
    """``x.transpose(1, 0)``, ``x.transpose((1, 0))`` and ``x.transpose()``."""
    order: Any = functions.static(axes)
    if len(order) == 1 and (order[0] is None or not isinstance(order[0], int)):
        order = order[0]
    return recorder().call(ops.np.transpose, self, *(() if order is None or len(order) == 0 else (tuple(order),)))


def view(self: ArrayProxy, dtype: Any = None, type: Any = None) -> Any:
    """The same memory, read as another dtype."""
    if isinstance(dtype, builtin_type) and issubclass(dtype, np.ndarray):
        dtype, type = None, dtype
    if type is not None and type is not np.ndarray:
        raise views.no_subclass(type)
    if dtype is None or np.dtype(dtype) == self.dtype:
        return recorder().call(ops.np.getitem, self, Ellipsis) if builtin_type(self) is ArrayProxy else self
    if builtin_type(self) is ArrayProxy and np.dtype(dtype).itemsize != self.dtype.itemsize:
        mirror = self.array if self.known else recorder().layouts.ask(self)
        mirror.view(dtype)  # type: ignore[union-attr] # raises where the last axis is not contiguous
    if np.dtype(dtype).subdtype is not None:
        return _part(self, dtype, 0, np.dtype(dtype).itemsize)
    return recorder().call(ops.np.view_dtype, self, np.dtype(dtype))


def _part(x: ArrayProxy, dtype: Any, offset: int, itemsize: int) -> Any:
    """A field of elements read as records of this size."""
    record = np.dtype({"names": ["part"], "formats": [dtype], "offsets": [offset], "itemsize": itemsize})
    return recorder().call(ops.np.field, recorder().call(ops.np.view_dtype, x, record), "part")


def getfield(self: ArrayProxy, dtype: Any, offset: int = 0) -> Any:
    """A part of the bytes of each element, read as another dtype."""
    dtype = np.dtype(dtype)
    np.zeros(1, self.dtype).getfield(dtype, offset)  # raises
    return _part(self, dtype, offset, self.itemsize)


def setfield(self: ArrayProxy, val: Any, dtype: Any, offset: int = 0) -> None:
    """Write a part of the bytes of each element."""
    writes.setitem(getfield(self, dtype, offset), Ellipsis, coercion.operand(val))


builtin_type = type


# Copies


def copy(self: ArrayProxy, order: str = "C") -> Any:
    """A copy of its own."""
    functions.require_order(order)
    if type(self) is ScalarProxy:
        return self if self.view is None else copy(self.view)[()]
    result = recorder().call(ops.np.copy, self)
    return functions.laid_out(result, order, self)


def deepcopy(self: ArrayProxy, memo: Any = None) -> Any:
    """``copy.copy`` and ``copy.deepcopy``."""
    return copy(self, "K")


def astype(self: ArrayProxy, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Any:
    """The array in another dtype; itself where ``copy`` is false and nothing changes."""
    dtype = coercion.dtype_of(dtype)
    if type(self) is ArrayProxy and not copy and dtype == self.dtype and _lies_anyhow(self, order):
        return functions.in_memory_order(self, order)
    if casting == "unsafe":
        result = recorder().call(ops.np.astype, self, dtype)
    else:
        result = recorder().call(ops.np.astype, self, dtype, casting=casting)
    return functions.laid_out(result, order, self)


def _lies_anyhow(x: ArrayProxy, order: Any) -> bool:
    """Whether there is no need of a copy to have the array in this order, but for "C" and "F" themselves."""
    if order not in ("A", "a"):
        return True
    flags = recorder().layouts.ask(x).flags
    return bool(flags.c_contiguous or flags.f_contiguous)


def byteswap(self: ArrayProxy, inplace: bool = False) -> Any:
    """The bytes of each element in opposite order."""
    swapped = astype(view(self, self.dtype.newbyteorder()), self.dtype)
    if inplace or type(self) is ScalarProxy:
        return writes.put(self, swapped) if inplace else swapped
    return functions.laid_out(swapped, "A", self)


# Elements


def item(self: ArrayProxy, *args: Any) -> Any:
    """One element as a Python number, which depends on data where the array does."""
    if self.known:
        return self.array.item(*functions.static(args))  # type: ignore[union-attr]
    if args:
        index = args[0] if len(args) == 1 else args
        self = self.flat[index] if isinstance(index, int) else self[index]  # type: ignore[attr-defined, index]
    if self.size != 1:
        np.empty(2).item()  # raises: only one element can be a number
    number = number_of(self)
    return as_number(self, "ndarray.item") if number is UNKNOWN else number


def tolist(self: ArrayProxy) -> Any:
    """The elements as Python numbers: as ``item`` gives them one by one, for at most `MAX_ITEMS` of them."""
    if self.known:
        return self.array.tolist()  # type: ignore[union-attr]
    numbers = recorder().number(self.node())
    if isinstance(numbers, list):
        return list(numbers)
    if math.prod(map(int, self.shape)) > MAX_ITEMS:
        raise unknown_data(self, f"ndarray.tolist of more than {MAX_ITEMS} elements")
    return _items(self)


def _items(array: Any) -> Any:
    return [_items(row) for row in array] if array.ndim else item(array)


def fill(self: ArrayProxy, value: Any) -> None:
    """All elements become ``value``; of a scalar none."""
    if isinstance(value, (ArrayProxy, list, tuple)):
        np.zeros(1, self.dtype).fill(standins.stand_ins(value))
    if type(self) is ScalarProxy:
        return
    if self.dtype.names is not None and type(value) is tuple:
        value = record(value, self.dtype)
    writes.setitem(self, Ellipsis, coercion.operand(value))


def sort(self: ArrayProxy, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    """In place."""
    _require_no_fields(order)
    writes.require_whole(self)
    writes.require_writeable(self, "sort array is read-only")
    options = {} if kind is None else {"kind": kind}
    writes.put(
        self, recorder().call(ops.np.sort, self, functions.static(axis), **options, **({} if stable is None else {"stable": stable}))
    )


def argsort(self: ArrayProxy, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """The places of the elements in order."""
    _require_no_fields(order)
    return model_of(np.argsort)(self, axis, kind, stable=stable)


def partition(self: ArrayProxy, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    """In place."""
    _require_no_fields(order)
    writes.require_whole(self)
    writes.require_writeable(self, "partition array is read-only")
    writes.put(self, recorder().call(ops.np.partition, self, functions.static(kth), functions.static(axis), kind))


def _require_no_fields(order: Any) -> None:
    if order is not None:
        raise Unsupported("E101", "sorting by fields is not modelled")


def put(self: ArrayProxy, indices: Any, values: Any, mode: str = "raise") -> None:
    """The elements at flat places."""
    from npexport.tracer.arrays import scatters

    scatters.put(self, indices, values, mode)


def compress(self: ArrayProxy, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """The slices where the condition is true."""
    return model_of(np.compress)(condition, self, axis, **({} if out is None else {"out": out}))


def round_(self: ArrayProxy, decimals: int = 0, out: Any = None) -> Any:
    """Rounded to decimals."""
    return model_of(np.round)(self, decimals, **({} if out is None else {"out": out}))


def clip(self: ArrayProxy, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """Limited to an interval; unlike ``np.clip`` it may be called with one bound."""
    return model_of(np.clip)(self, min, max, **kwargs, **({} if out is None else {"out": out}))


def conjugate(self: ArrayProxy, *out: Any) -> Any:
    """The complex conjugate."""
    from npexport.tracer.arrays import ufuncs

    if self.dtype.kind not in "biufc":
        np.empty((), self.dtype).conjugate()  # raises
    if not out and self.dtype.kind != "c":
        return self
    return ufuncs.call(np.conjugate, self, *out)


# Attributes


def transposed(self: ArrayProxy) -> Any:
    """``x.T``."""
    return self if type(self) is ScalarProxy else recorder().call(ops.np.transpose, self)


def matrix_transposed(self: ArrayProxy) -> Any:
    """``x.mT``."""
    if len(self.meta.shape) < 2:
        np.empty(1).mT  # noqa: B018 -- raises NumPy's own error
    return recorder().call(ops.np.matrix_transpose, self)


def strides(self: ArrayProxy) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis."""
    if type(self) is ScalarProxy:
        return ()
    array = recorder().layouts.ask(self)
    if all(type(size) is int for size in self.meta.shape):
        return array.strides
    require_large(self.shape)
    link = recorder().layouts.original(self)
    return tuple([size if real else 0 for size, real in zip(strides_of(self.storage, link, bool), array.strides, strict=True)])


def set_shape(self: ArrayProxy, shape: Any) -> None:
    """``x.shape = ...``: in place, never a copy."""
    if type(self) is ScalarProxy:
        raise AttributeError("attribute 'shape' of 'numpy.generic' objects is not writable")
    reshaped = in_place(self, reshape(self, shape))
    if reshaped.storage is not self.storage:
        raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.")
    _become(self, reshaped)


def in_place(x: ArrayProxy, reshaped: Any) -> Any:
    """The reshaped array, of which the program learns whether it is a copy: a condition where an input's layout decides."""
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
        if one.storage.root is not None and one.storage.root() is one:
            if one.meta == one.storage.meta and _keeps_elements(one.link):
                one.link = None  # as it was
            recorder().overlaps.changed(one, "shape or dtype")


def _keeps_elements(link: Any) -> bool:
    """Whether the elements of the whole are in their places again, now that the shape is."""
    return all(step.op is ops.np.as_contiguous or (step.op is ops.np.reshape and len(step.args) == 1) for step in link.chain())


def set_part(name: str) -> Callable[[ArrayProxy, Any], None]:
    """``x.real = ...`` and ``x.imag = ...``."""

    def set_(self: ArrayProxy, value: Any) -> None:
        if type(self) is ScalarProxy:
            raise AttributeError(f"attribute '{name}' of 'numpy.generic' objects is not writable")
        if type(value) is ArrayProxy and are_one(getattr(self, name), value):
            return
        if name == "imag" and self.dtype.kind != "c":
            np.empty(1).imag = 0.0  # raises
        if not isinstance(value, ArrayProxy):  # an assignment, or a copy that casts: that differs between versions of NumPy
            raise_for_stand_ins(lambda x, part: setattr(x, name, part), (self, value), {}, Exception)
        value = coercion.array_of(value) if isinstance(value, (int, float, complex, np.generic)) else coercion.operand(value)
        writes.setitem(getattr(self, name), Ellipsis, value)

    return set_


def array_wrap(self: ArrayProxy, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    """What NumPy's Python calls on a result to make it of the type of an argument."""
    return array[()] if return_scalar and type(array) is ArrayProxy and not array.ndim else array  # type: ignore[index]


def install() -> None:
    """Give the proxies their methods and attributes."""
    methods: dict[str, Any] = {name: _function(name) for name in FUNCTIONS}
    methods |= {name: _refused(name, what) for name, what in REFUSED.items()}
    own = (
        reshape,
        ravel,
        flatten,
        transpose,
        view,
        copy,
        astype,
        byteswap,
        getfield,
        setfield,
        item,
        tolist,
        fill,
        sort,
        argsort,
        partition,
        put,
        compress,
        clip,
        conjugate,
        setflags,
    )
    methods |= {function.__name__: function for function in own}
    methods |= {"round": round_, "__round__": _round, "conj": conjugate, "__copy__": deepcopy, "__deepcopy__": deepcopy}
    methods |= {"__array_wrap__": array_wrap, "__array_priority__": 0.0, "__array_namespace__": _namespace, "to_device": _to_device}
    attributes = {
        "shape": _property("shape", lambda self: self.meta.shape, set_shape),
        "dtype": _property("dtype", lambda self: self.meta.dtype, set_dtype),
        "T": property(transposed),
        "mT": property(matrix_transposed),
        "real": _property("real", lambda self: recorder().call(ops.np.real, self), set_part("real")),
        "imag": _property("imag", lambda self: recorder().call(ops.np.imag, self), set_part("imag")),
        "flat": _property("flat", FlatIterator, lambda self, value: FlatIterator(self).fill(value)),
        "strides": property(strides),
        "base": property(base),
        "flags": property(Flags),
        "data": property(_refused("data", "the memory of an array")),
        "ctypes": property(_refused("ctypes", "the memory of an array")),
    }
    methods = {name: numpys(_method_of_numpy(name), value) if callable(value) else value for name, value in methods.items()}
    for name, value in (methods | attributes).items():
        setattr(ArrayProxy, name, value)
        if not hasattr(np.generic, name) and not name.startswith("__"):
            setattr(ScalarProxy, name, property(_missing))


def _method_of_numpy(name: str) -> Callable[..., Any]:
    return lambda array, *args, **kwargs: getattr(array, name)(*args, **kwargs)


def _property(name: str, get: Callable[[Any], Any], set_: Callable[[Any, Any], None]) -> property:
    """An attribute; NumPy says why it cannot be written."""
    return property(get, numpys(lambda array, value: setattr(array, name, value), set_))


def _missing(self: ArrayProxy) -> NoReturn:
    raise AttributeError  # ScalarProxy.__getattr__ says it in NumPy's words


def _namespace(self: ArrayProxy, *, api_version: Any = None) -> Any:
    return np


def _to_device(self: ArrayProxy, device: Any, /, *, stream: Any = None) -> Any:
    return np.zeros(0).to_device(device, stream=stream) if device != "cpu" else self


def _round(self: ArrayProxy, ndigits: Any = None) -> Any:
    if type(self) is not ScalarProxy:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if ndigits is None:
        raise unknown_data(self, "round()")
    return round_(self, ndigits)


install()
