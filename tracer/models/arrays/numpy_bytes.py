"""Arrays of what bytes and texts hold: those of the program itself, which nobody can change."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.models.arrays.numpy_functions import plain
from npexport.tracer.models.registry import of_numpy


def frombuffer(buffer: Any, *args: Any, **kwargs: Any) -> Any:
    """The numbers in bytes; the array is read-only, and a view of them."""
    if type(buffer) is not bytes:
        of_others()
    memory = plain(np.frombuffer)(buffer, *args, **kwargs)
    memory.setflags(write=False)
    return memory[...]


def fromstring(string: Any, *args: Any, **kwargs: Any) -> Any:
    """The numbers in a text of the program itself."""
    if type(string) is not str:
        of_others()
    return plain(np.fromstring)(string, *args, **kwargs)


def of_others(*args: Any, **kwargs: Any) -> NoReturn:
    """Files, and memory that others may change, as data."""
    raise Unsupported("E105", "an array is read from text, bytes or a file")


of_numpy({np.frombuffer: frombuffer, np.fromstring: fromstring, np.fromfile: of_others})
