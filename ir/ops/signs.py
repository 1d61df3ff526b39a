"""The ``nonnegative`` of records: which real results are never negative, derived from the call that
computed them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.op import Op

Proof = Callable[[Any], bool]

_DEPTH = 20


def is_never_negative(node: Any, depth: int = _DEPTH) -> bool:
    """Whether a number, or the result of a node, is NaN or not negative, for all data."""
    if isinstance(node, (int, float)):
        return not node < 0
    if type(node) is not Node or not depth or not isinstance(node.target, Op) or not _is_real(node):
        return False
    rule = node.target.nonnegative
    return rule is not None and rule(node, lambda operand: is_never_negative(operand, depth - 1))


def always(node: Node, proof: Proof) -> bool:
    """Whatever the real operands are: a root is NaN, or raises."""
    return all(map(_is_real, node.args))


def where_all(node: Node, proof: Proof) -> bool:
    """Where no operand is negative."""
    return bool(node.args) and not node.kwargs and all(map(proof, node.args))


def where_first(node: Node, proof: Proof) -> bool:
    """Where the first operand is not negative: others say which elements are taken, and how."""
    return not node.kwargs and proof(node.args[0])


def product(node: Node, proof: Proof) -> bool:
    """The product of factors that are not negative, or a square."""
    return _is_real(node.args[0]) if node.args[0] is node.args[1] else where_all(node, proof)


def power(node: Node, proof: Proof) -> bool:
    """A power with an even exponent, or of a base that is not negative."""
    base, exponent = node.args
    return (type(exponent) in (int, float) and exponent % 2 == 0) or proof(base)


def _is_real(operand: Any) -> bool:
    dtype = getattr(operand.meta["val"], "dtype", None) if type(operand) is Node else np.dtype(type(operand))
    return dtype is None or dtype.kind == "f"
