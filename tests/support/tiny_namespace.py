"""An array-API namespace of a few functions, stricter than any library: arrays of one dtype meet, no kinds are mixed, nothing is
indexed out of bounds, nothing is written.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

FUNCTIONS = "add subtract multiply divide floor_divide remainder maximum exp sin matmul equal less greater_equal logical_or"


class Tiny:
    """An array that has a shape, a dtype, and no methods."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def dtype(self) -> str:
        return f"tiny.{self.data.dtype.name}"

    def __getitem__(self, index: Any) -> Tiny:
        items = index if isinstance(index, tuple) else (index,)
        assert sum(item is not None for item in items) == self.ndim
        for item, size in zip([item for item in items if item is not None], self.shape, strict=True):
            assert 0 <= item.start <= item.stop <= size if isinstance(item, slice) else 0 <= item < size
        return Tiny(self.data[index])

    def _with(self, other: Any, name: str) -> Tiny:
        return _called(name, self, other if isinstance(other, Tiny) else Tiny(np.asarray(other, self.data.dtype)))

    def __eq__(self, other: Any) -> Any:
        return self._with(other, "equal")

    def __lt__(self, other: Any) -> Tiny:
        return self._with(other, "less")

    def __ge__(self, other: Any) -> Tiny:
        return self._with(other, "greater_equal")

    def __add__(self, other: Any) -> Tiny:
        return self._with(other, "add")

    def __mul__(self, other: Any) -> Tiny:
        return self._with(other, "multiply")

    def __truediv__(self, other: Any) -> Tiny:
        return self._with(other, "divide")

    def __bool__(self) -> bool:
        return bool(self.data)


def _called(name: str, *arrays: Any) -> Tiny:
    assert len({array.dtype for array in arrays}) == 1, f"{name} of {[array.dtype for array in arrays]}"
    return Tiny(getattr(np, name)(*[array.data for array in arrays]))


def namespace(*without: str) -> Any:
    """The namespace, without some of its functions."""
    found: dict[str, Any] = {name: (lambda *arrays, name=name: _called(name, *arrays)) for name in FUNCTIONS.split()}
    found |= {name: f"tiny.{name}" for name in ("bool", "int64", "float32", "float64")}
    found |= {
        "__name__": "tiny",
        "asarray": lambda value, copy=False: Tiny(np.array(value.data if isinstance(value, Tiny) else value)),
        "astype": lambda x, dtype: Tiny(x.data.astype(dtype.partition(".")[2])),
        "zeros_like": lambda x: Tiny(np.zeros_like(x.data)),
        "ones_like": lambda x: Tiny(np.ones_like(x.data)),
        "where": lambda condition, x, y: Tiny(np.where(condition.data, x.data, y.data)),
        "reshape": lambda x, shape: Tiny(x.data.reshape(shape)),
        "take": lambda x, places, axis: Tiny(np.take(x.data, places.data, axis)),
        "any": lambda x: Tiny(x.data.any()),
        "nonzero": lambda x: [Tiny(each) for each in x.data.nonzero()],
        "broadcast_arrays": lambda *arrays: [Tiny(each) for each in np.broadcast_arrays(*[array.data for array in arrays])],
        "flip": lambda x, axis: Tiny(np.flip(x.data, axis)),
        "permute_dims": lambda x, axes: Tiny(x.data.transpose(axes)),
        "sum": lambda x, axis, dtype, keepdims: Tiny(x.data.sum(axis, keepdims=keepdims, dtype=dtype.partition(".")[2])),
    }
    return SimpleNamespace(**{name: value for name, value in found.items() if name not in without})
