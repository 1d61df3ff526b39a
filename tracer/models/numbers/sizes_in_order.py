"""``np.sort`` and ``np.unique`` of a few sizes whose order is known: they stay sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.evaluation import UNKNOWN
from npexport.symshapes.env import known
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.api import ufuncs
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, number_of
from npexport.tracer.models.registry import of_numpy

_MOST = 8


def _in_order(numbers: list[Any], repeats: bool) -> list[Any] | None:
    """The numbers from the least on; ``None`` if their order is not known."""
    found: list[Any] = []
    for number in numbers:
        before = [known(other < number) for other in found]
        equal = [known(other == number) for other in found]
        if None in before or None in equal:
            return None
        if repeats or True not in equal:
            found.insert(before.count(True), number)
    return found


def _sizes_of(x: Any) -> list[Any]:
    """The elements of a short array of integers that sizes are among; none of other arrays."""
    if type(x) is not ArrayProxy or x.known or x.ndim != 1 or x.dtype != np.int64 or type(x.shape[0]) is not int or x.shape[0] > _MOST:
        return []
    numbers = [number_of(recorder().call(ops.np.getitem, x, place)) for place in range(x.shape[0])]
    return numbers if all(number is not UNKNOWN for number in numbers) and any(map(is_symbolic, numbers)) else []


def _of_sizes(function: Any, repeats: bool) -> Callable[..., Any]:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        numbers = [] if args or kwargs else _in_order(_sizes_of(a), repeats)
        return coercion.array_of(numbers, np.int64) if numbers else ufuncs.model_of(function)(a, *args, **kwargs)

    return call


of_numpy({np.sort: _of_sizes(np.sort, True), np.unique: _of_sizes(np.unique, False)})
