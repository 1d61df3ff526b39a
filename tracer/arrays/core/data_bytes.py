"""Python bytes that depend on data: ``x.tobytes()``, ``rng.bytes(n)``.

They are an array of numbers below 256, which nobody writes to. The result of the program takes
them apart into that array. What else C or the program would read of them is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.containers import register_bytes
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.symshapes.immutable import Immutable
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.core import coercion, numpy_oracle
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import as_number, truth_of
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, SPECIAL_HAS
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import ASKED, stands_in_for

_HINT = "Read them as an array: np.frombuffer(data, dtype); or return them, and go on where the program is called."
_CACHED = "Compare arrays with np.array_equal, and keep what is cached by an array outside."
_BYTE = np.dtype(np.uint8)
_LONGEST = 7
"""The number of bytes of the longest integer that is made of them, which an int64 holds."""


class DataBytes(Immutable):
    """Bytes that only the data know: ``array``, whose elements they are."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    __class__ = bytes  # type: ignore[assignment]

    def __len__(self) -> Any:
        return self.array.shape[0]

    def __bool__(self) -> Any:
        return self.__len__() > 0

    def __getitem__(self, index: Any) -> Any:
        if type(index) is slice:
            return DataBytes(self.array[index])
        length, kind = self.__len__(), type(index)
        if not isinstance(index, (int, np.integer)) or (kind is SymInt and not known((index >= -length) & (index < length))):
            raise refusal("data say which of them is read")
        if not -length <= index < length:
            raise IndexError("index out of range")
        return as_number(self.array[index], "an item of bytes")

    def __iter__(self) -> Iterator[Any]:
        length = self.__len__()
        if type(length) is not int:
            raise refusal("the program goes through them, and their number is dynamic")
        return iter([self[place] for place in range(length)])

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, bytes):
            return NotImplemented
        mine, others, rec = self.array, elements(other), recorder()
        return bool(mine.shape[0] == others.shape[0]) and truth_of(rec.call(ops.np.all, rec.call(ops.np.equal, mine, others)))

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else sym_not(same)

    def __add__(self, other: Any) -> Any:
        return joined([self, other]) if isinstance(other, bytes) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined([other, self]) if isinstance(other, bytes) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return joined([self] * count or [b""]) if type(count) is int else NotImplemented

    __rmul__ = __mul__

    def hex(self, *separators: Any) -> Any:
        """The text of two digits for each."""
        if separators:
            raise refusal("`hex` is given a separator")
        return DataText("hexadecimal", self.array)

    def __hash__(self) -> NoReturn:
        raise refusal("they are a key", _CACHED)


def refusal(what: str, hint: str = _HINT) -> Unsupported:
    """The error for reading bytes."""
    return Unsupported("E123", f"bytes depend on data, and {what}", hint=hint)


def elements(value: Any) -> Any:
    """The bytes as an array of numbers: of plain ones too."""
    return value.array if type(value) is DataBytes else recorder().known(np.frombuffer(value, _BYTE))


def joined(parts: Iterable[Any]) -> DataBytes:
    """Bytes, one after the other."""
    return DataBytes(recorder().call(ops.np.concatenate, list(map(elements, parts))))


def integer(value: DataBytes, byteorder: str, signed: bool) -> Any:
    """``int.from_bytes``."""
    length = value.__len__()
    if type(length) is not int or length > _LONGEST:
        raise refusal(f"an integer is made of more than {_LONGEST} of them, or of a dynamic number")
    if not length:
        return 0
    digits = value.array if byteorder == "little" else value.array[::-1]
    padded = joined([DataBytes(digits), bytes(_LONGEST + 1 - length)]).array
    number = as_number(padded.view("<i8")[0], "int.from_bytes")
    return number - ((number >> (8 * length - 1)) << (8 * length)) if signed else number


def _reading(name: str) -> Callable[..., NoReturn]:
    def read(self: DataBytes, *args: Any) -> NoReturn:
        raise refusal(f"the program reads them (`{name}`)")

    return read


for _name in "contains lt le gt ge mod rmod repr str format reduce_ex buffer".split():
    setattr(DataBytes, f"__{_name}__", _reading(_name))


def _attribute(vm: Machine, value: DataBytes, name: str, then: Any) -> Any:
    if not hasattr(b"", name):
        return getattr(b"", name)
    if name not in vars(DataBytes):
        raise refusal(f"their attribute `{name}` is used")
    return getattr(value, name)


def _refuse_array(*args: Any) -> NoReturn:
    raise refusal("NumPy makes an array of them")


DataBytes.__qualname__ = "bytes"
stands_in_for(DataBytes, bytes)
ASKED.add(DataBytes)
coercion.CONVERSIONS[DataBytes] = _refuse_array
numpy_oracle.CONVERSIONS[DataBytes] = lambda stand_in, value: stand_in(value.array).tobytes()
SPECIAL_GETTERS[DataBytes] = _attribute
SPECIAL_HAS[DataBytes] = lambda value, name: hasattr(b"", name)
register_bytes(DataBytes)
