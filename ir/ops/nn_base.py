"""Shared code of the operators of the ``nn`` namespace: how they are declared, and the checks and
arithmetic of their rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from npexport.ir.facts import Raises
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.rules import record, same_sizes

_AXES = {1: "the last axis", 2: "the last two axes", 3: "the last three axes"}


def operator(
    kernel: str,
    *,
    traits: Iterable[str] = (),
    name: str = "",
    doc: str = "",
    raises: tuple[Raises, ...] | None,
    c_order: bool = True,
    **facts: Any,
) -> Callable[[Callable[..., Any]], Op]:
    """`record` of the operator ``ops.nn.<its name>`` with this kernel (``"nn_conv.conv"``).

    Kernels of this namespace give arrays in C order for such, but those that say otherwise by
    ``c_order``.
    """
    words = " ".join(("checked", *traits, *(["c_order"] if c_order else [])))
    return record(kernel=kernel, traits=words, namespace="nn", name=name, doc=doc, raises=raises, rejects=False, **facts)


def of_each_rank(
    name: str, kernel: str, *, raises: tuple[Raises, ...] | None, rows: Any, **facts: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated function of (name, rank, operands and options) as one operator for one,
    two and three spatial axes each.

    ``name`` and ``kernel`` say ``{rank}`` where the rank stands, the docstring also ``{axes}``;
    ``rows`` of a rank is the record's.
    """

    def declare(rule: Callable[..., Any]) -> Callable[..., Any]:
        for rank, axes in _AXES.items():
            own = name.format(rank=rank)
            doc = (rule.__doc__ or "").format(rank=rank, axes=axes)
            operator(kernel.format(rank=rank), name=own, doc=doc, raises=raises, rows=rows(rank), **facts)(partial(rule, own, rank))
        return rule

    return declare


def array(value: Any, op: str, name: str) -> TensorMeta:
    """``value`` if it is an array; raises ``TypeError`` otherwise."""
    if not isinstance(value, TensorMeta):
        raise TypeError(f"{op}: {name} must be an array, not {type(value).__name__}")
    return value


def _of_kinds(kinds: str, words: str) -> Callable[..., TensorMeta]:
    def check(value: Any, op: str, name: str = "input") -> TensorMeta:
        meta = array(value, op, name)
        if meta.dtype.kind not in kinds:
            raise TypeError(f"{op}: {name} must be {words}, not {meta.dtype}")
        return meta

    check.__doc__ = f"``value`` if it is an array that is {words}; raises ``TypeError`` otherwise."
    return check


floating = _of_kinds("f", "floating-point")
integral = _of_kinds("iu", "of integers")
real = _of_kinds("iuf", "of real numbers")
numeric = _of_kinds("iufc", "numeric")


def optional(value: Any, shape: tuple[Any, ...], op: str, name: str) -> list[np.dtype[Any]]:
    """The dtype of an optional operand in a list that is empty without it; raises ``ValueError``
    where its shape is not ``shape``."""
    if value is None:
        return []
    meta = floating(value, op, name)
    if not same_sizes(meta.shape, shape):
        raise ValueError(f"{op}: {name} must have shape {show(shape)}, not {show(meta.shape)}")
    return [meta.dtype]


def show(shape: Iterable[Any]) -> str:
    """A shape as NumPy prints it, sizes without ``repr``: ``(2, s0)``."""
    sizes = [str(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def axis_of(dim: Any, ndim: int, op: str) -> int:
    """``dim`` counted from the front; raises ``np.exceptions.AxisError`` where there is no such
    axis."""
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise np.exceptions.AxisError(f"{op}: axis {dim} is out of bounds for array of dimension {ndim}")
    return int(dim) % span


def per_axis(value: Any, rank: int, op: str, name: str) -> tuple[Any, ...]:
    """``value`` once for each of ``rank`` axes; a tuple or list must have one entry for each, or
    one for all."""
    if not isinstance(value, (tuple, list)):
        return (value,) * rank
    if len(value) == 1:
        return tuple(value) * rank
    if len(value) != rank:
        raise ValueError(f"{op}: {name} must be one integer or {rank}, got {tuple(value)}")
    return tuple(value)


def check_rank(x: TensorMeta, rank: int, op: str) -> None:
    """Raises ``ValueError`` where ``x`` is not ``([N,] C, ...)`` with ``rank`` spatial axes."""
    if x.ndim not in (rank + 1, rank + 2):
        raise ValueError(f"{op}: input must have {rank + 2} dimensions, or {rank + 1} without a batch, got shape {show(x.shape)}")


def at_least(values: tuple[Any, ...], least: int, op: str, name: str) -> tuple[Any, ...]:
    """``values``; raises ``ValueError`` where one is smaller than ``least``."""
    for value in values:
        if value < least:
            raise ValueError(f"{op}: {name} must be at least {least}, got {value}")
    return values
