"""What calls of operators are made of: small inputs, deterministic, of every kind of shape that rules treat apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

Call = tuple[tuple[Any, ...], dict[str, Any]]
Calls = Iterable[Call]
Samples = Callable[[], Calls]


def arr(*shape: int, dtype: str = "f8") -> np.ndarray[Any, Any]:
    """An array of small numbers, not sorted, some of them equal; negative ones too where the dtype
    has them."""
    numbers = np.arange(math.prod(shape)) * 7 % 11
    kind = np.dtype(dtype)
    if kind.kind in "ifc":
        numbers = numbers - 3
    values = numbers.astype(kind)
    if kind.kind == "c":
        values = values + kind.type(1j) * (numbers % 3).astype(kind)
    result: np.ndarray[Any, Any] = values.reshape(shape)
    return result


def mask(*shape: int) -> np.ndarray[Any, Any]:
    """A boolean array with both values in it where it has two elements."""
    truths: np.ndarray[Any, Any] = np.arange(math.prod(shape)) % 3 == 0
    return truths.reshape(shape)


def positions(*shape: int, below: int) -> np.ndarray[Any, Any]:
    """Valid indices into an axis of length ``below``, negative ones among them."""
    return (np.arange(math.prod(shape)) * 3 % (2 * below) - below).reshape(shape)


def call(*args: Any, **kwargs: Any) -> Call:
    return args, kwargs


def unary(*dtypes: str, **kwargs: Any) -> Iterator[Call]:
    """Calls with one array: 0-d, empty, vectors and more, of each dtype."""
    for dtype in dtypes or ("f8", "f4", "i8", "i4", "u1", "?", "c8"):
        for shape in ((), (3,), (2, 3), (0, 2), (2, 1, 3)):
            yield (arr(*shape, dtype=dtype),), dict(kwargs)


def sample(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray[Any, Any]:
    """Normally distributed example data."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)
