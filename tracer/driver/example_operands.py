"""The operands with which a decomposition is traced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.symshapes.dims import Dim
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymFloat, SymInt
from npexport.tracer.driver.known_sizes import shape_of


def has_example(value: Any) -> bool:
    """Whether there are examples of an operand of this value."""
    return isinstance(value, (TensorMeta, SymInt, SymFloat)) and not (isinstance(value, TensorMeta) and value.dtype.hasobject)


def examples_of(operands: list[Node]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """An example of each operand, and its dynamic dims."""
    numbers = _numbers(operands)
    return tuple([_example(operand.meta["val"], numbers) for operand in operands]), tuple(
        [_dims(operand.meta["val"]) for operand in operands]
    )


def _numbers(operands: list[Node]) -> dict[str, int]:
    """An example for every symbol: the export's, or any number for one of data."""
    numbers: dict[str, int] = {}
    for value in (operand.meta["val"] for operand in operands):
        for size in shape_of(value):
            if isinstance(size, SymInt):
                env: Any = size.env
                numbers |= {name: env.hints.get(name, _UNKNOWN) for name in size.expression.symbols}
    return numbers


_UNKNOWN = 3
"""The example of a size that only the data know."""


def _example(value: Any, numbers: Mapping[str, int]) -> Any:
    if isinstance(value, SymFloat):
        return 1.5
    if not isinstance(value, TensorMeta):
        return evaluate(value.expression, numbers)
    shape = [evaluate(size.expression, numbers) if isinstance(size, SymInt) else size for size in value.shape]
    return np.zeros((), value.dtype)[()] if value.scalar else np.zeros(shape, value.dtype)  # what it raises of these is the same each time


def _dims(value: Any) -> Any:
    """Every dynamic size, decided by what the decomposition needs."""
    if isinstance(value, TensorMeta):
        return {axis: Dim.AUTO for axis, size in enumerate(value.shape) if isinstance(size, SymInt)} or None
    return Dim.AUTO
