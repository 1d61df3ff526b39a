"""The C helper with which NumPy's Python code converts arguments and wraps results, and the choice
of the dtypes of results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import multiarray_umath
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, is_text_of_data, unknown_data

_SYMBOLIC_TYPES: dict[type, Any] = {SymInt: int, SymFloat: float, SymBool: bool}


def as_type(value: Any) -> Any:
    """What decides the dtype of a result: Python's types are weak."""
    if is_text_of_data(value):
        raise unknown_data(value, "the dtype of a text, which is its length,")
    if isinstance(value, Proxy):
        return value.dtype
    if type(value) in (tuple, list, dict):  # a description of one
        return coercion.dtype_of(value)
    return _SYMBOLIC_TYPES[type(value)](1) if type(value) in _SYMBOLIC_TYPES else value


class ArrayConverter:
    """The C helper with which NumPy's Python code converts arguments and wraps results."""

    __slots__ = ("_arrays", "_values", "scalar_input")

    def __init__(self, *values: Any) -> None:
        self._values = values
        self._arrays = [coercion.array_of(value) for value in values]
        self.scalar_input = tuple([not isinstance(value, (Proxy, list, tuple)) or type(value) is ScalarProxy for value in values])

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, index: int) -> Any:
        return self._arrays[index]

    def __iter__(self) -> Any:
        return iter(self._arrays)

    def as_arrays(self, *, subok: bool = True, pyscalars: Any = "convert_if_no_array") -> Any:
        """The arguments as arrays; Python scalars that are weak stay themselves."""
        if pyscalars not in ("convert", "preserve", "convert_if_no_array"):
            multiarray_umath._array_converter(0).as_arrays(pyscalars=pyscalars)  # raises
        weak = pyscalars == "preserve" or (
            pyscalars == "convert_if_no_array" and any(isinstance(v, (Proxy, np.generic)) for v in self._values)
        )
        return tuple(
            [
                value if weak and type(value) in (int, float, complex, *_SYMBOLIC_TYPES) else made
                for value, made in zip(self._values, self._arrays, strict=True)
            ]
        )

    def result_type(self, extra_dtype: Any = None, ensure_inexact: bool = False) -> Any:
        """The common dtype."""
        kinds = [
            as_type(value) if type(value) in (int, float, complex, *_SYMBOLIC_TYPES) else made.dtype
            for value, made in zip(self._values, self._arrays, strict=True)
        ]
        if extra_dtype is not None:
            kinds.append(as_type(extra_dtype))
        if ensure_inexact:
            kinds.append(1.0)
        return np.result_type(*kinds)

    def wrap(self, value: Any, /, to_scalar: Any = None) -> Any:
        """The result, a scalar where all arguments were."""
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        if to_scalar and isinstance(value, Proxy) and type(value) is ArrayProxy and not value.ndim:
            return recorder().call(ops.np.scalar, value) if not value.known else value.array[()]  # type: ignore[index]
        return value
