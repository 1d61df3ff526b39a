"""Calls that compute where an operand stands, ``x *= y``, what they compute into a new array.

Exact operators do so in any memory. Products of complex numbers depend on the instructions that
NumPy's loop has for elements that lie as they do; where these stay the same, so do the products.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.memory.layouts import base_of, rounds_in_place, takes_any_memory, takes_memory

Array = np.ndarray[Any, Any]


def takes_own_memory(node: Node, operand: Node) -> bool:
    """Whether a call computes the same into the memory of an operand of its type as into a new
    array, with gaps or not.
    """
    if takes_any_memory(node):
        return True
    if rounds_in_place(node):
        return False
    op: Any = node.target
    if "scatter" in op.traits and op.out.aliases:
        return base_of(node) is operand  # where the result belongs
    metas = [each.meta["val"] for each in (node, *node.all_input_nodes)]
    alike = all(isinstance(meta, TensorMeta) and meta.dtype == metas[0].dtype for meta in metas)
    if not alike or metas[0].dtype.char not in "FD" or len(node.args) != 2 or operand not in node.args or not takes_memory(node):
        return False
    return updates_alike(op.kernel, metas[0].dtype.char)


@functools.cache
def updates_alike(ufunc: np.ufunc, char: str) -> bool:
    """Whether NumPy's loop computes the same of complex numbers where they stand as into new
    memory, however they lie.
    """
    for size in (2, 3, 4, 5, 7, 8, 17):
        for shape in ((size,), (3, size)):
            parts = np.sin(np.arange(1, 12 * size + 1)).reshape(4, -1)[:, : np.prod(shape)]
            one, other = (parts[:2] + 1j * parts[2:]).astype(char).reshape(2, *shape)
            for second in (*_ways_to_lie(other), other[(0,) * other.ndim]):
                for first in _ways_to_lie(one):
                    expected = [ufunc(first, second).tobytes(), ufunc(second, first).tobytes()]
                    again = first.copy()
                    found = [ufunc(first, second, out=first).tobytes()]
                    first[...] = again
                    if [*found, ufunc(second, first, out=first).tobytes()] != expected:
                        return False
    return True


def _ways_to_lie(array: Array) -> Iterator[Array]:
    """Copies of an array: without gaps, with gaps, backwards, in Fortran order."""
    yield array.copy()
    for turned in (False, True):
        for step in (1, 2, 3, -1):
            shape = [3 * size for size in array.shape]
            room = np.zeros(shape[::-1], array.dtype).T if turned else np.zeros(shape, array.dtype)
            part = room[(slice(None, None, step),) * array.ndim][tuple([slice(0, size) for size in array.shape])]
            part[...] = array
            yield part
