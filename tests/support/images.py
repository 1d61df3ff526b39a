"""What a program can see of values, as something that can be compared: equal where two values are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.comparison import steps


def image(value: Any, *, strides: bool = False) -> Any:
    """Type, dtype, shape and bits, but for the payloads of NaN; with ``strides`` how arrays lie in memory, too."""
    if isinstance(value, (np.ndarray, np.generic)):
        layout = steps(value) if strides and isinstance(value, np.ndarray) else []
        return type(value), value.dtype, value.shape, layout, _bits(np.asarray(value))
    if isinstance(value, dict):
        return dict, [(image(key), image(item, strides=strides)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [image(item, strides=strides) for item in value]
    return type(value), repr(value)


def _bits(array: Any) -> Any:
    if array.dtype.names:
        return [_bits(array[name]) for name in array.dtype.names]
    if array.dtype == object:
        return [image(item) for item in array.ravel().tolist()]
    if array.dtype.char in "gGT":  # padding means nothing, and texts of any length are elsewhere
        return repr(array.tolist())
    if array.dtype.kind in "fc":
        parts = np.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
        return np.where(np.isnan(parts), parts.dtype.type(np.nan), parts).tobytes()
    return array.tobytes()


def arrays_of(value: Any) -> list[Any]:
    """The arrays in a result."""
    if isinstance(value, np.ndarray):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [array for item in items for array in arrays_of(item)]


def shared(arrays: list[Any]) -> list[tuple[int, int]]:
    """Which pairs of arrays share memory."""
    return [(i, j) for i in range(len(arrays)) for j in range(i) if np.shares_memory(arrays[i], arrays[j])]


def places_of(program: Any, x: np.ndarray, refused: tuple[type[Exception], ...] = (ValueError,)) -> Any:
    """Where the arrays of a result are in the memory of the input; ``None`` for those that are elsewhere."""
    given = x.copy()
    try:
        arrays = arrays_of(program(given))
    except refused:
        return []
    start = given.__array_interface__["data"][0]
    return [each.__array_interface__["data"][0] - start if np.shares_memory(each, given) else None for each in arrays]
