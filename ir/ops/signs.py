"""Which results are never negative, by the operators that made them."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.op import Op

_DEPTH = 20
_OF_ANYTHING = frozenset({"py.abs", "py.sqrt", "py.exp", "py.exp2", "py.fabs", "py.hypot", "np.abs", "np.square", "np.sqrt", "np.exp"})
"""What is not negative, whatever the operands are: a root is NaN, or raises."""
_OF_SUCH = frozenset(
    {"py.add", "py.mul", "py.truediv", "py.max", "py.min", "py.float", "sym.floating", "np.add", "np.multiply", "np.getitem"}
    | {"np.sum", "np.mean", "np.max", "np.min", "np.astype", "np.scalar", "np.item"}
)
"""What is not negative where no operand is."""


def is_never_negative(node: Any, depth: int = _DEPTH) -> bool:
    """Whether a number, or the result of a node, is NaN or not negative, for all data."""
    if isinstance(node, (int, float)):
        return not node < 0
    if type(node) is not Node or not depth or not isinstance(node.target, Op):
        return False
    if not _is_real(node):
        return False
    name, args = f"{node.target.namespace}.{node.target.name}", node.args
    if name in ("py.mul", "np.multiply") and args[0] is args[1]:
        return _is_real(args[0])
    if name == "py.pow":
        whole = type(args[1]) in (int, float) and args[1] % 2 == 0
        return whole or is_never_negative(args[0], depth - 1)
    if name in _OF_ANYTHING:
        return all(map(_is_real, args))
    if name in ("py.real_pow", *_OF_SUCH):
        operands = args[:1] if name.startswith("np.") and len(args) > 1 and name not in ("np.add", "np.multiply") else args
        return bool(operands) and not node.kwargs and all(is_never_negative(operand, depth - 1) for operand in operands)
    return False


def _is_real(operand: Any) -> bool:
    dtype = getattr(operand.meta["val"], "dtype", None) if type(operand) is Node else np.dtype(type(operand))
    return dtype is None or dtype.kind == "f"
