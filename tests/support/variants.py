"""Calls of operators with operands that are other than their samples: in dtype, layout, values or sizes."""

from __future__ import annotations

import random
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.arguments import map_leaves
from npexport.ir.decompositions.calling import Operand, of_operands
from npexport.ir.op import Op
from tests.op_samples import samples_of


class Sample(NamedTuple):
    """A call as a program of its arrays and scalars, and by the kernel alone."""

    program: Callable[..., Any]
    kernel: Callable[..., Any]
    operands: tuple[Any, ...]


def sampled(op: Op) -> Iterator[Sample]:
    """The samples of an operator that have operands."""
    for args, kwargs in samples_of(op):
        operands: list[Any] = []

        def place(leaf: Any, operands: list[Any] = operands) -> Any:
            if not isinstance(leaf, (np.ndarray, np.generic)):
                return leaf
            operands.append(leaf)
            return Operand(len(operands) - 1)

        placed = map_leaves(args, place), map_leaves(kwargs, place)

        def kernel(*arrays: Any, placed: Any = placed) -> Any:
            given = map_leaves(placed, lambda leaf: arrays[leaf.index] if isinstance(leaf, Operand) else leaf)
            args, kwargs = op.bind(*given)
            return op.kernel(*args, **kwargs)

        if operands:
            yield Sample(of_operands(op, *placed), kernel, tuple(operands))


def in_dtype(array: Any, dtype: str) -> Any:
    """Numbers in another dtype of theirs, floats as integers too; ``">"``: in the other byte order."""
    if dtype == ">":
        swaps = isinstance(array, np.ndarray) and array.dtype.char != "T"  # texts of any length have no byte order
        return array.astype(array.dtype.newbyteorder()) if swaps else array
    kind, wanted = array.dtype.kind, np.dtype(dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        return array.astype(wanted) if (kind in "fc" and wanted.kind in "fc") or (kind in "iuf" and wanted.kind in "iu") else array


def lying(array: Any, layout: str) -> Any:
    if not isinstance(array, np.ndarray) or not array.ndim:
        return array
    if layout == "strided":
        within = np.zeros([2 * size for size in array.shape], array.dtype)[(slice(None, None, 2),) * array.ndim]
        within[...] = array
        return within
    turned = (slice(None, None, -1),) * array.ndim
    found = {"F": np.asfortranarray, "reversed": lambda a: a[turned].copy()[turned], "read-only": np.copy}[layout](array)
    found.flags.writeable = layout != "read-only"
    return found


def sized(array: Any, place: int, size: int) -> Any:
    """With another length of one axis."""
    if not isinstance(array, np.ndarray) or not array.ndim:
        return array
    shape = list(array.shape)
    shape[place] = size
    return np.resize(array, shape) if 0 not in shape else np.zeros(shape, array.dtype)


def mixed(array: Any, seed: int) -> Any:
    """The same numbers at other places, some of them twice."""
    if not isinstance(array, np.ndarray) or not array.size:
        return array
    return np.random.default_rng(seed).choice(array.ravel(), array.shape)


VARIANTS: dict[str, Callable[[Any], Any]] = {
    **{f"dtype {dtype}": lambda array, dtype=dtype: in_dtype(array, dtype) for dtype in ("f2", "g", "c8", "G", ">", "i1", "u8")},
    **{layout: lambda array, layout=layout: lying(array, layout) for layout in ("F", "reversed", "strided", "read-only")},
    **{f"{size} at {place}": lambda array, size=size, place=place: sized(array, place, size) for size in (0, 1) for place in (0, -1)},
    **{f"mixed {seed}": lambda array, seed=seed: mixed(array, seed) for seed in range(3)},
}


def variants(op: Op) -> Iterator[tuple[str, Sample]]:
    """A sample in each form, the same in every run; operands stay that have no such form."""
    found = list(sampled(op))
    chosen = random.Random(zlib.crc32(str(op).encode()))
    for name, form in VARIANTS.items() if found else ():
        sample = chosen.choice(found)
        yield name, sample._replace(operands=tuple(map(form, sample.operands)))
