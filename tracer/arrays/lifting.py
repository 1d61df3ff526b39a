"""Outside arrays as placeholders, and known data as constants."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.layout import Layout, example_size, laid_out, stride_order
from npexport.tracer.arrays.storage import Storage

Array = np.ndarray[Any, Any]


_SHORT = 4096  # bytes


class Kind(Enum):
    """What a placeholder stands for. ``STATE`` is a parameter, buffer or plain array of the exported object."""

    INPUT = "input"
    STATE = "state"
    CONSTANT = "constant"


class Placeholder:
    """One outside array, made when the program first uses it.

    ``paths``: every name under which it was reached, the first one first. ``array``: the example, whose data is never read.
    ``node``: its node, ``None`` until the first use. ``storage``: its memory.
    Where the program relied on it: ``same_as``, the earlier input that is the very same array, ``distinct_from`` those that are others,
    ``overlaps``, by earlier inputs, how many bytes after them it begins (``None``: they share no memory), ``owns``, that it is no view,
    ``writeable``, its flag. What the program makes of it at the end: ``reshaped`` and ``frozen``, as in `InputSpec`.
    ``read_after``: how many outside arrays had been written to when it was last read.
    """

    __slots__ = (
        "array", "distinct_from", "frozen", "kind", "meta", "node", "overlaps", "owns", "paths", "read_after", "reshaped", "same_as",
        "storage", "writeable",
    )  # fmt: skip

    def __init__(self, kind: Kind, path: str, array: Array, meta: TensorMeta) -> None:
        self.kind = kind
        self.paths = [path]
        self.array = array
        self.meta = meta
        self.node: Node | None = None
        self.same_as: Placeholder | None = None
        self.distinct_from: list[Placeholder] = []
        self.overlaps: dict[Placeholder, int | None] = {}
        self.owns = False
        self.writeable: bool | None = None
        self.reshaped: tuple[int, ...] | None = None
        self.frozen = False
        self.read_after = 0
        self.storage = Storage(meta, None, None, Layout(stride_order(array), frozenset([self])), self)

    @property
    def path(self) -> str:
        """The first name."""
        return self.paths[0]

    @property
    def mutated(self) -> bool:
        """Whether the program has written to it."""
        return self.storage.mutated

    @property
    def mirror(self) -> Array:
        """The example as far as its layout goes; larger where dynamic sizes are 0 or 1 in it."""
        shape = tuple(map(example_size, self.meta.shape))
        return self.array if shape == self.array.shape else laid_out(shape, self.array.dtype, stride_order(self.array))

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.path}: {self.meta}>"


def digest(array: Array) -> bytes:
    """The elements in C order, as bytes, or what tells them from all others."""
    if array.nbytes <= _SHORT:
        return array.tobytes()
    import hashlib  # slow to load, and rarely needed

    return hashlib.blake2b(np.ascontiguousarray(array).view(np.uint8).data).digest()


def uniform(array: Array) -> bool:
    """Whether all elements of a numeric array are the same: the same bytes, so that ``-0.0`` is not ``0.0``."""
    if array.nbytes <= _SHORT:
        first = array[(0,) * array.ndim].tobytes()
        return array.tobytes() == first * array.size
    flat = np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize)
    return bool((flat == flat[0]).all())


def require_owner(placeholder: Placeholder) -> None:
    """The program relies on an outside array being no view. Raises ``Unsupported`` (E123) where it is one."""
    if placeholder.array.base is not None:
        raise Unsupported("E123", f"what {placeholder.path} is a view of depends on the caller")
    placeholder.owns = True
