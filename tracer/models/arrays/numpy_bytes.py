"""Arrays of what bytes and texts hold: those of the program itself, which nobody can change."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.api import arguments
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.data_bytes import DataBytes, refusal
from npexport.tracer.models.arrays.numpy_functions import plain
from npexport.tracer.models.registry import of_numpy


def frombuffer(buffer: Any, *args: Any, **kwargs: Any) -> Any:
    """The numbers in bytes; the array is read-only, and a view of them."""
    if type(buffer) is DataBytes:
        return _of_data(buffer, *args, **kwargs)
    if type(buffer) is not bytes:
        of_others()
    memory = plain(np.frombuffer)(buffer, *args, **kwargs)
    memory.setflags(write=False)
    return memory[...]


def _of_data(buffer: DataBytes, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
    """The same in bytes that only the data know."""
    found: Any = buffer.array
    dtype, length = coercion.dtype_of(dtype), buffer.__len__()
    if type(length) is int:
        offset, count = arguments.static((offset, count))
        count = len(np.frombuffer(bytes(length), dtype, count, offset))  # raises
        found = found[offset : offset + count * dtype.itemsize]
    elif count != -1 or offset or length % dtype.itemsize:
        raise refusal("an array of them has a part, or a number of elements, that is dynamic")
    else:
        found = found.copy()  # whose memory is one piece at all sizes
    found.storage.writeable, found.storage.hidden = False, True
    found = found.view(dtype)
    found.writeable = False
    return found


def fromstring(string: Any, *args: Any, **kwargs: Any) -> Any:
    """The numbers in a text of the program itself."""
    if type(string) is not str:
        of_others()
    return plain(np.fromstring)(string, *args, **kwargs)


def of_others(*args: Any, **kwargs: Any) -> NoReturn:
    """Files, and memory that others may change, as data."""
    raise Unsupported("E105", "an array is read from text, bytes or a file")


of_numpy({np.frombuffer: frombuffer, np.fromstring: fromstring, np.fromfile: of_others})
