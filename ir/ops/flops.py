"""The ``flops`` of records: the number of arithmetic operations of a call, counted as for products:
a multiplication and an addition for each pair of elements that are combined.

A fact is a function of the arguments by name, a ``TensorMeta`` for every array, and of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from npexport.ir.ops.rules import axis_index
from npexport.ir.rows import product
from npexport.symshapes.expr import Expr

__all__ = ["Fact", "along", "attended", "contracted", "convolved", "over_axes", "product", "spread"]

Fact = Callable[[Mapping[str, Any], Any], Expr]


def contracted(name: str) -> Fact:
    """Each element of the result is a sum of products along the last axis of an argument."""

    def fact(arguments: Mapping[str, Any], result: Any) -> Expr:
        return product(result.shape) * product(arguments[name].shape[-1:]) * 2

    return fact


def along(arguments: Mapping[str, Any], result: Any) -> Expr:
    """Sums of products along ``axis``."""
    shape = arguments["x1"].shape
    return product(result.shape) * product([shape[axis_index(arguments["axis"], len(shape))]]) * 2


def over_axes(arguments: Mapping[str, Any], result: Any) -> Expr:
    """``np.tensordot``: sums of products over ``axes``."""
    shape, axes = arguments["a"].shape, arguments["axes"]
    if isinstance(axes, Sequence):
        own = axes[0] if isinstance(axes[0], Sequence) else [axes[0]]
        sizes = [shape[axis] for axis in own]
    else:
        sizes = list(shape[len(shape) - axes :])
    return product(result.shape) * product(sizes) * 2


def convolved(arguments: Mapping[str, Any], result: Any) -> Expr:
    """Each element of the result is a sum over a window of the channels of its group."""
    return product(result.shape) * product(arguments["weight"].shape[1:]) * 2


def spread(arguments: Mapping[str, Any], result: Any) -> Expr:
    """Each element of the input is added, with weights, to a window of the channels of its
    group.
    """
    return product(arguments["input"].shape) * product(arguments["weight"].shape[1:]) * 2


def attended(arguments: Mapping[str, Any], result: Any) -> Expr:
    """Scores of all pairs of positions, and sums of values weighed by them."""
    keys = product(arguments["key"].shape[-2:-1])
    return (product(arguments["query"].shape) + product(result.shape)) * keys * 2
