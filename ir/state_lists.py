"""Lists of the exported object that calls make longer or shorter, as state.

Each leaf of the items is a lifted input, a *column*: its first size is one that only the data know,
the length of the list. Columns of one list share it.

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


def length_of(meta: Any) -> Any:
    """The name of the length of the list that a lifted input is a column of; else ``None``."""
    if not isinstance(meta, TensorMeta) or not meta.shape or not is_symbolic(meta.shape[0]):
        return None
    expression = meta.shape[0].expression
    return str(expression) if expression.is_symbol else None


def holds(meta: TensorMeta, array: Any) -> bool:
    """Whether an array may be this state."""
    first, shape = 0 if length_of(meta) is None else 1, np.shape(array)
    sizes = meta.shape[first:]
    fits = len(shape) == len(meta.shape) and all(type(size) is int for size in sizes) and shape[first:] == sizes
    return fits and np.asarray(array).dtype == meta.dtype


def states(program: Program) -> Iterator[tuple[Node | None, str]]:
    """Only buffers that are no part of the state dict have a length that differs from call to call,
    which no input shows; columns of one list have one length, at first and after each call.
    """
    lists: dict[str, list[tuple[Node, Any]]] = {}
    pairs = list(zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True))
    for node, spec in pairs:
        name = None if spec.kind is InputKind.USER_INPUT else length_of(node.meta["val"])
        if name is not None:
            lists.setdefault(name, []).append((node, spec))
    for name, columns in lists.items():
        for node, spec in columns:
            if spec.kind is not InputKind.BUFFER or spec.persistent:
                yield node, f"the length of {spec.target!r} differs from call to call, and it is not a buffer outside the state dict"
        if any(spec.kind is InputKind.USER_INPUT and name in lengths(node) for node, spec in pairs):
            yield columns[0][0], f"{name} is the length of a list of the state, and a size of an input"
        if len({len(program.lifted(spec)) for _, spec in columns}) > 1:
            yield columns[0][0], "the columns of a list differ in length"
    outputs = list(zip(program.graph.output_node.args[0], program.graph_signature.output_specs, strict=True))
    given = {spec.target: value for value, spec in outputs if spec.kind in MUTATIONS and spec.rebinds}
    for columns in lists.values():
        sizes = [value_of(given[spec.target]).shape[0] for _, spec in columns if spec.target in given]
        if sizes and (len(sizes) < len(columns) or any(known(size == sizes[0]) is not True for size in sizes[1:])):
            yield program.graph.output_node, f"the columns of the list {columns[0][1].target!r} differ in length after a call"
