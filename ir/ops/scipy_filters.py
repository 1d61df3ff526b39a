"""Compiled filters of ``scipy.ndimage`` and ``scipy.signal`` as operators ``ops.scipy.<name>``: the
C functions that SciPy's Python code calls, which fill an array that they are passed. An operator
returns that array as a new one, of a given shape and dtype.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Raises
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.rules import Rejected, as_tuple, axis_index, meta_of, record, same_sizes
from npexport.ir.raising import NOTHING
from npexport.ir.scipy_filters import FILTERS, PROMOTING, TAKES
from npexport.symshapes.errors import Unsupported

_COORDINATES = "Compute the coordinates as an array, and call scipy.ndimage.map_coordinates."


def _rule(name: str, parameters: list[str]) -> Callable[..., TensorMeta]:
    def rule(input: Any, *args: Any) -> TensorMeta:
        *given, shape, dtype = args
        if any(map(callable, given)):
            raise Unsupported("E101", f"`scipy.ndimage.{name}` with a function of Python", hint=_COORDINATES)
        source = meta_of(input).dtype
        if {source.char, dtype.char} - TAKES:
            raise Rejected
        if name in PROMOTING and (dtype != np.result_type(source, meta_of(given[0]).dtype) or dtype.kind == "b"):
            raise Rejected
        return TensorMeta(tuple(as_tuple(shape)), dtype)

    every = [*parameters, "shape", "dtype"]
    rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY) for each in every]
    )
    return rule


for _name, (_module, _function, _parameters) in FILTERS.items():
    record(
        kernel=f"scipy_filters.{_name}",
        namespace="scipy",
        name=_name,
        traits="c_order",
        doc=f"``{_module}.{_function}`` into a new array of this ``shape`` and ``dtype``.",
        raises=NOTHING,
    )(_rule(_name, [name for name in _parameters.split() if name != "output"]))


@record(
    kernel="scipy_filters.linear_filter",
    namespace="scipy",
    traits="c_order",
    doc="``scipy.signal._sigtools._linear_filter``: the filter along an axis, and with ``zi`` its state at the end, too.",
    raises=(Raises((ValueError,), lambda args: True, 1),),
)
def linear_filter(b: Any, a: Any, x: Any, axis: Any, zi: Any = None, /) -> Any:
    metas = [meta_of(value) for value in (b, a, x, *(() if zi is None else (zi,)))]
    dtype, shape = np.result_type(*[meta.dtype for meta in metas]), tuple(metas[2].shape)
    if dtype.char not in "fdFD" or any(meta.dtype.kind not in "biufc" for meta in metas) or not all(meta.ndim == 1 for meta in metas[:2]):
        raise Rejected
    result = TensorMeta(shape, dtype)
    if zi is None:
        return result
    place, length = axis_index(axis, len(shape)), max(metas[0].shape[0], metas[1].shape[0]) - 1
    if metas[3].ndim != len(shape) or not same_sizes(metas[3].shape, (*shape[:place], length, *shape[place + 1 :])):
        raise Rejected
    return result, TensorMeta(metas[3].shape, dtype)
