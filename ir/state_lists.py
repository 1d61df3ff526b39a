"""Lists and arrays of the exported object that calls make longer or shorter, as state.

Each leaf of a list's items is a lifted input, a *column*: its first size is one that only the data
know, the length of the list. Columns of one list share it. Of an array, any size may be such a one.

Law: a call that replaces one column replaces all of the list, by arrays of one length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.contract import lengths
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.ir.protocols import Program
from npexport.ir.signature import MUTATIONS, InputKind
from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic


def open_sizes(meta: Any) -> dict[int, str]:
    """The axes of a lifted input along which it gets longer or shorter, with the sizes' names."""
    sizes = enumerate(meta.shape) if isinstance(meta, TensorMeta) else ()
    return {axis: str(size.expression) for axis, size in sizes if is_symbolic(size) and size.expression.is_symbol}


def holds(meta: TensorMeta, array: Any) -> bool:
    """Whether an array may be this state."""
    free, shape = open_sizes(meta), np.shape(array)
    fits = len(shape) == len(meta.shape) and all(axis in free or size == shape[axis] for axis, size in enumerate(meta.shape))
    return fits and np.asarray(array).dtype == meta.dtype


def states(program: Program) -> Iterator[tuple[Node | None, str]]:
    """Only buffers that are no part of the state dict have a length that differs from call to call,
    which no input shows; columns of one list have one length, at first and after each call.
    """
    lists: dict[str, list[tuple[Node, Any, int]]] = {}
    pairs = list(zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True))
    for node, spec in pairs:
        for axis, name in open_sizes(node.meta["val"]).items() if spec.kind is not InputKind.USER_INPUT else ():
            lists.setdefault(name, []).append((node, spec, axis))
    for name, columns in lists.items():
        for node, spec, _ in columns:
            if spec.kind is not InputKind.BUFFER or spec.persistent:
                yield node, f"the length of {spec.target!r} differs from call to call, and it is not a buffer outside the state dict"
        if any(spec.kind is InputKind.USER_INPUT and name in lengths(node) for node, spec in pairs):
            yield columns[0][0], f"{name} is the length of a list of the state, and a size of an input"
        if len({np.shape(program.lifted(spec))[axis] for _, spec, axis in columns}) > 1:
            yield columns[0][0], "the columns of a list differ in length"
    outputs = list(zip(program.graph.output_node.args[0], program.graph_signature.output_specs, strict=True))
    given = {spec.target: value for value, spec in outputs if spec.kind in MUTATIONS and spec.rebinds}
    for columns in lists.values():
        sizes = [value_of(given[spec.target]).shape[axis] for _, spec, axis in columns if spec.target in given]
        if sizes and (len(sizes) < len(columns) or any(known(size == sizes[0]) is not True for size in sizes[1:])):
            yield program.graph.output_node, f"the columns of the list {columns[0][1].target!r} differ in length after a call"
