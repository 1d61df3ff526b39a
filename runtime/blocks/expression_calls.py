"""The calls of a graph that a run in C can make: NumPy's loop for each and its arguments.

Law: a call is one if NumPy would run this very loop over the elements as they are, without casting
an operand on the way, and the loop cannot raise.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from npexport.ir import numpy_internals, ops
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.ir.op import Op
from npexport.runtime.blocks.fusion import is_plain_ufunc
from npexport.runtime.emission.emit import scalar_operands
from npexport.runtime.memory.layouts import is_elementwise_ufunc


class ElementCall(NamedTuple):
    """``loop``: a capsule of NumPy's, or the bytes of an element that is chosen by a condition.
    ``args``: nodes, and constants as 0-d arrays.
    """

    loop: Any
    args: tuple[Any, ...]
    op: Op


class Calls:
    """The calls of one graph, each examined once."""

    def __init__(self) -> None:
        self._known: dict[Node, ElementCall | None] = {}

    def of(self, node: Node) -> ElementCall | None:
        """The call that a node makes; ``None`` if a run in C cannot make it."""
        if node not in self._known:
            self._known[node] = _call_of(node)
        return self._known[node]


KINDS = "?bBhHiIlLqQfd"
"""The dtypes of elements."""
_loops: dict[Any, Any] = {}


def _call_of(node: Node) -> ElementCall | None:
    op: Any = node.target
    if is_elementwise_ufunc(node):
        return _ufunc_call(op, op.kernel, scalar_operands(node)) if is_plain_ufunc(op) else None
    if len(node.args) != 3 or node.kwargs:
        return None
    return _where(node) if op is ops.np.where else _clip(node) if op.out.ufunc is numpy_internals.umath.clip else None


def _ufunc_call(op: Op, kernel: Any, args: tuple[Any, ...]) -> ElementCall | None:
    types = [_dtype_of(arg) for arg in args]
    if not all(kind is not None and kind.char in KINDS and kind.isnative for kind in types):
        return None
    key = (kernel, *types)
    if key not in _loops:
        _loops[key] = _new_loop(kernel, tuple(types))
    return None if _loops[key] is None else ElementCall(_loops[key], args, op)


def _dtype_of(arg: Any) -> Any:
    value = value_of(arg)
    return value.dtype if isinstance(value, (TensorMeta, np.ndarray)) else None


def _new_loop(kernel: Any, types: tuple[Any, ...]) -> Any:
    if kernel is np.power and types[-1].kind in "iu":
        return None  # raises for negative exponents
    try:
        found, loop = numpy_internals.loop_of(kernel, (*types, None))
    except (TypeError, ValueError):
        return None
    return loop if found[: len(types)] == types and found[-1].char in KINDS else None


def _where(node: Node) -> ElementCall | None:
    """Of a condition of truths: the bytes of one or the other."""
    dtype = node.meta["val"].dtype
    choices = [_as_dtype(arg, dtype) for arg in node.args[1:]]
    kinds = [_dtype_of(arg) for arg in (node.args[0], *choices)]
    fits = all(kind is not None for kind in kinds) and kinds == [np.dtype(bool), dtype, dtype]  # None equals the dtype of floats
    return ElementCall(dtype.itemsize, (node.args[0], *choices), ops.np.where) if fits and dtype.char in KINDS else None


def _clip(node: Node) -> ElementCall | None:
    dtype, op = node.meta["val"].dtype, cast(Op, node.target)
    return _ufunc_call(op, op.out.ufunc, tuple([_as_dtype(arg, dtype) for arg in node.args]))


def _as_dtype(arg: Any, dtype: Any) -> Any:
    """A number of Python's as a 0-d array of this dtype, if NumPy would convert it to the same
    one.
    """
    if type(arg) is float and dtype.kind == "f" and (not np.isfinite(arg) or abs(arg) <= float(np.finfo(dtype).max)):
        return np.array(arg, dtype)
    if type(arg) in (int, bool) and dtype.kind in "iuf" and abs(arg) < 1 << 24 and (arg >= 0 or dtype.kind != "u"):
        found = np.array(arg).astype(dtype)
        return found if int(found) == arg else None
    return arg if type(arg) is Node else None
