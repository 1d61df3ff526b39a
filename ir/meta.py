"""What is known of an array without its data: shape, dtype, and whether NumPy returns it as an
array or as a scalar.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from npexport.symshapes.parameters import Kind, instance, require
from npexport.symshapes.symint import SymBool, SymFloat, SymInt

_SHORT = {
    "bool": "b8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64", "longdouble": "f128",
    "complex64": "c64", "complex128": "c128", "clongdouble": "c256",
}  # fmt: skip
TEXTS = np.dtype("T")
"""The dtype of texts of any length. Each array has an instance of its own, which owns the texts: a
meta has this one, which no array has.
"""
_LONG = {short: long for long, short in _SHORT.items()}


def dtype_name(dtype: np.dtype[Any]) -> str:
    """The printed name of a dtype: ``f32``, ``i64``, ``b8``, ``c128``, its fields where it has any;
    NumPy's own ``str`` for all others (``<U5``).

    >>> dtype_name(np.dtype("float32"))
    'f32'
    """
    if dtype.fields is not None:
        return str(dtype)
    if dtype.kind == "T":
        return "T"
    return _SHORT.get(dtype.name, dtype.str) if dtype.isnative else dtype.str


def parse_dtype(text: str) -> np.dtype[Any]:
    """The inverse of :func:`dtype_name`. Raises ``TypeError`` where NumPy knows no such dtype.

    >>> parse_dtype("f32")
    dtype('float32')
    """
    if not text.startswith(("[", "{")):
        return np.dtype(_LONG.get(text, text))
    fields = ast.literal_eval(text)
    aligned = type(fields) is dict and fields.pop("aligned", False)
    found: np.dtype[Any] = np.dtype(fields, align=aligned)
    return found


def holds_data(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is of NumPy's own, and holds no Python objects: of others nothing is known,
    and no archive has them.

    >>> holds_data(np.dtype("f4,U3")), holds_data(np.dtype("f4,O"))
    (True, False)
    """
    if dtype.kind == "T":
        return dtype == TEXTS
    parts = [dtype.base] if dtype.subdtype else [field[0] for field in (dtype.fields or {}).values()]
    return not dtype.hasobject and 0 <= dtype.num <= np.dtype(np.float16).num and all(map(holds_data, parts))


def content(array: np.ndarray[Any, Any] | np.generic) -> bytes:
    """The elements in C order, as bytes that no other elements of this dtype and shape have, and
    that equal ones have: texts of any length and objects do not lie in the array itself, and of
    a ``longdouble`` some bytes mean nothing.

    >>> content(np.array(["a"], "T")), content(np.int8(1))
    (b"['a']", b'\\x01')
    """
    return repr(array.tolist()).encode() if array.dtype.hasobject else meant(array).tobytes()


def meant(array: Any) -> Any:
    """The array, or a copy with zeros for the bytes of a ``longdouble`` that mean nothing."""
    if array.dtype.char not in "gG" or _MEANT == _WHOLE:
        return array
    numbers = np.array(array, array.dtype.newbyteorder("="), order="C")
    numbers.reshape(-1).view(np.uint8).reshape(-1, _WHOLE)[:, _MEANT:] = 0
    return numbers.astype(array.dtype, copy=False)


_WHOLE = np.dtype(np.longdouble).itemsize
_MEANT = 10 if np.finfo(np.longdouble).nmant == 63 else _WHOLE
"""How many bytes of a ``longdouble`` there are, and how many of them, the first, mean something."""


def no_data(dtype: np.dtype[Any]) -> tuple[str, str | None]:
    """Why programs have no arrays of a dtype that does not hold data, and what to write instead:
    ``None`` where the error says it.
    """
    if dtype.kind == "T":
        return f"an array of dtype {dtype} holds more than texts", "Leave na_object and coerce out: x.astype(np.dtypes.StringDType())."
    if dtype.hasobject:
        return f"an array of dtype {dtype} holds Python objects", None
    return f"dtype {dtype} is not one of NumPy's own", None


_DTYPE = Kind(lambda value: isinstance(value, np.dtype), "a dtype", 'Write np.dtype("float32").')
_SIZE = Kind(lambda value: hasattr(value, "__index__"), "an int or a SymInt")
MOST_AXES = 64
"""No array has more axes (``NPY_MAXDIMS``)."""


@dataclass(frozen=True, slots=True)
class TensorMeta:
    """Shape and dtype of an array of the graph.

    Parameters
    ----------
    shape : tuple
        Each size an ``int`` or a ``SymInt``.
    dtype : numpy.dtype
        The dtype.
    scalar : bool, default False
        Whether NumPy returns an ``np.generic`` here, not an array.

    Examples
    --------
    >>> str(TensorMeta((2, 3), np.dtype("float32")))
    'f32[2, 3]'
    """

    shape: tuple[Any, ...]
    dtype: np.dtype[Any]
    scalar: bool = False

    def __post_init__(self) -> None:
        if type(self.shape) is not tuple or not isinstance(self.dtype, np.dtype):
            require("shape", self.shape, instance(tuple))
            require("dtype", self.dtype, _DTYPE)
        for size in self.shape:
            if type(size) is not int and not hasattr(size, "__index__"):
                require("a size of shape", size, _SIZE)
        if len(self.shape) > MOST_AXES:
            raise ValueError(f"maximum supported dimension for an ndarray is {MOST_AXES}, found {len(self.shape)}")
        if self.scalar and not self.dtype.isnative and self.dtype.names is None:  # so does NumPy hand elements over
            object.__setattr__(self, "dtype", self.dtype.newbyteorder("="))
        elif self.dtype.kind == "T" and self.dtype == TEXTS:
            object.__setattr__(self, "dtype", TEXTS)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """The number of elements."""
        return math.prod(self.shape)

    def with_(self, **changes: Any) -> TensorMeta:
        """A copy with the fields ``changes`` replaced."""
        return replace(self, **changes)

    def __str__(self) -> str:
        return f"{dtype_name(self.dtype)}[{', '.join(map(size_text, self.shape))}]"


def size_text(size: Any) -> str:
    """A size as text.

    Of a ``SymInt`` it is the expression's: the ``SymInt``'s own ``str`` makes it a constant while a
    program is traced.
    """
    return str(getattr(size, "expression", size))


def described(value: Any) -> Any:
    """The meta of an array or NumPy scalar; every other value is itself.

    >>> described(np.float32(1)), described(3)
    (TensorMeta(shape=(), dtype=dtype('float32'), scalar=True), 3)
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return TensorMeta(value.shape, value.dtype, isinstance(value, np.generic))
    return value


def map_numbers(value: Any, change: Callable[[Any], Any]) -> Any:
    """What a node's value is with its symbolic sizes, numbers and truths changed; containers keep
    their types, and what does not change is the same object.
    """
    if isinstance(value, (SymInt, SymFloat, SymBool)):
        return change(value)
    if isinstance(value, TensorMeta):
        shape = tuple([map_numbers(size, change) for size in value.shape])
        return value if all(map(operator.is_, shape, value.shape)) else value.with_(shape=shape)
    if not isinstance(value, (tuple, list)):
        return value
    items = [map_numbers(item, change) for item in value]
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def dtype_key(dtype: np.dtype[Any]) -> Any:
    """Equal for dtypes that are one in all: those that differ in their metadata alone compare
    equal.
    """
    if dtype.names is not None:
        return dtype, repr(dtype.metadata), *[dtype_key(dtype[name]) for name in dtype.names]
    return dtype if dtype.metadata is None else (dtype, repr(dtype.metadata))
