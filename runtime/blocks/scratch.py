"""Memory for the temporaries of blocks, kept from one call to the next: memory that is new costs
more than what is computed in it.

Buffers that are lent to a call are nobody else's; they are given back when it ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SIZE = 1 << 19
"""Bytes of a buffer."""
MOST = 16
"""How many buffers wait for the next call."""
_LINE = 64  # bytes of a line of the cache
_buffers: list[Array] = []


@contextmanager
def arrays(specs: Sequence[tuple[tuple[int, ...], Any]]) -> Iterator[list[Array]]:
    """Arrays of these shapes and dtypes with any elements, as long as the context lasts."""
    lent: list[Array] = []
    found = []
    for shape, dtype in specs:
        size = math.prod(shape) * dtype.itemsize
        if size > SIZE:
            found.append(np.empty(shape, dtype))
            continue
        try:
            buffer = _buffers.pop()
        except IndexError:
            buffer = np.empty(SIZE + _LINE, np.uint8)
        lent.append(buffer)
        begin = -buffer.ctypes.data % _LINE
        found.append(buffer[begin : begin + size].view(dtype).reshape(shape))
    try:
        yield found
    finally:
        del _buffers[MOST:]
        _buffers.extend(lent)
