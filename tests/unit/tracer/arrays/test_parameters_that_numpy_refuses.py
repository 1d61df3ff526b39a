"""Parameters of reductions that NumPy refuses, whatever the data are: the program may handle that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export

X = np.array([[1.5, -2.0, 0.5], [3.0, 0.0, -1.0]])
STARTS: dict[str, Any] = {
    "text": "a", "digits": "3", "bytes": b"3", "complex": 1j, "list": [1], "tuple": (1,), "dict": {}, "object": Ellipsis, "infinity": 1e400,
    "negative": -1, "large": 300, "longer": 2**70, "date": np.datetime64("2020-01-01"), "scalar": np.float64(3), "nothing": None,
}  # fmt: skip
REDUCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, start: np.sum(x, axis=0, initial=start),
    "prod": lambda x, start: x.prod(initial=start),
    "max": lambda x, start: np.max(x, axis=1, initial=start),
    "min": lambda x, start: x.min(initial=start),
    "nansum": lambda x, start: np.nansum(x, axis=0, initial=start),
    "nanmax": lambda x, start: np.nanmax(x, axis=0, initial=start),
    "reduce": lambda x, start: np.maximum.reduce(x, initial=start),
    "logical": lambda x, start: np.logical_or.reduce(x, initial=start),
}


def handled(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        try:
            return compute(x), "no error"
        except (TypeError, ValueError, OverflowError) as error:
            return x * 2, type(error).__name__, str(error)

    return program


def is_exported(program: Callable[[Any], Any], x: Any) -> bool:
    """Whether the program is exported; then it gives what it gives eagerly."""
    try:
        module = export(program, (x,)).module()
    except Unsupported:
        return False
    found, expected = module(x), program(x)
    assert found[1:] == expected[1:]
    np.testing.assert_array_equal(found[0], expected[0], strict=True)
    return True


@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "?", "c8"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_initial(name: str, dtype: str) -> None:
    x = np.abs(X).astype(dtype)
    programs = [handled(lambda x, start=start: REDUCTIONS[name](x, start)) for start in STARTS.values()]  # type: ignore[misc]
    with np.errstate(all="ignore"):
        assert sum(is_exported(program, x) for program in programs) >= 10


@pytest.mark.parametrize("name", ["ddof", "correction", "mean"])
@pytest.mark.parametrize("function", [np.std, np.var])
def test_moments(function: Any, name: str) -> None:
    values = ("a", b"3", None, 1j, (), [1, 2], X, X > 0, X[0], np.datetime64("2020-01-01"), 2.5, -1)
    programs = [handled(lambda x, value=value: function(x, **{name: value})) for value in values]  # type: ignore[misc]
    with np.errstate(all="ignore"):
        assert sum(is_exported(program, X) for program in programs) >= 6
