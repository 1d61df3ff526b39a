"""The operands with which a decomposition is traced."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.symshapes.dims import Dim
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.driver.known_sizes import shape_of


def has_example(value: Any) -> bool:
    """Whether there are examples of an operand of this value."""
    return isinstance(value, (TensorMeta, SymInt, SymFloat, SymBool)) and not (isinstance(value, TensorMeta) and value.dtype.hasobject)


def examples_of(operands: list[Node]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """An example of each operand, and its dynamic dims."""
    numbers = _numbers(operands)
    return tuple([_example(operand.meta["val"], numbers) for operand in operands]), tuple(
        [_dims(operand.meta["val"]) for operand in operands]
    )


def _numbers(operands: list[Node]) -> dict[str, int]:
    """An example for every symbol: the export's, or a number for one of data. Raises
    ``NotImplementedError`` where no few numbers make sizes of all that are computed of them.
    """
    values = [operand.meta["val"] for operand in operands]
    known: dict[str, int | None] = {}
    for size in (size for value in values for size in shape_of(value) if isinstance(size, SymInt)):
        env: Any = size.env
        known |= {name: env.hints.get(name) for name in size.expression.symbols}
    shapes = [size.expression for value in values if isinstance(value, TensorMeta) for size in value.shape if isinstance(size, SymInt)]
    open_ = [name for name, number in known.items() if number is None]
    for chosen in itertools.islice(itertools.product(_UNKNOWN, repeat=len(open_)), _ATTEMPTS):
        numbers: dict[str, Any] = known | dict(zip(open_, chosen, strict=True))
        if all(evaluate(size, numbers) >= 0 for size in shapes):
            return numbers
    raise NotImplementedError


_UNKNOWN = (3, 0, 1, 2, 7)
"""Examples of a size that only the data know."""
_ATTEMPTS = 1000


def _example(value: Any, numbers: Mapping[str, int]) -> Any:
    if isinstance(value, SymFloat):
        return 1.5
    if isinstance(value, SymBool):
        return np.False_
    if not isinstance(value, TensorMeta):
        return evaluate(value.expression, numbers)
    shape = [evaluate(size.expression, numbers) if isinstance(size, SymInt) else size for size in value.shape]
    return np.zeros((), value.dtype)[()] if value.scalar else np.zeros(shape, value.dtype)  # what it raises of these is the same each time


def _dims(value: Any) -> Any:
    """Every dynamic size, decided by what the decomposition needs."""
    if isinstance(value, TensorMeta):
        return {axis: Dim.AUTO for axis, size in enumerate(value.shape) if isinstance(size, SymInt)} or None
    return None if isinstance(value, SymBool) else Dim.AUTO
