"""Parameters that NumPy refuses, whatever the data are: the program may handle that."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export

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
        except (TypeError, ValueError, OverflowError, IndexError) as error:
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


REFUSED: dict[str, Callable[[Any], Any]] = {
    "transpose to no axes, as a text": lambda x: np.transpose(x, ""),
    "transpose to no axes, as an array": lambda x: x.transpose(np.array([], int)),
    "permute_dims": lambda x: np.permute_dims(x, ""),
    "transform of one size": lambda x: np.fft.fftn(x, s=3),
    "transform of more sizes than axes": lambda x: np.fft.ifftn(x, s=(3, -1), axes=(0,)),
    "transform along a text": lambda x: np.fft.fft2(x, axes=""),
    "real transform along no axes": lambda x: np.fft.rfftn(x, axes=()),
    "tolerance that is a date": lambda x: np.isclose(x, 1, atol=np.datetime64("2020-01-01")),
    "numbers for NaN that do not fit": lambda x: np.nan_to_num(x, nan=[1, 2]),
    "infinities of a larger shape": lambda x: np.nan_to_num(x[0], posinf=x),
    "order of edges that is negative": lambda x: np.gradient(x, edge_order=-1),
    "period of several numbers": lambda x: np.interp(x[0], [0, 1], [2, 3], period=x),
    "place that is infinite": lambda x: np.take(x, math.inf),
    "place that is a date": lambda x: x.take(np.datetime64("2020-01-01")),
    "place that is a scalar beyond the end": lambda x: x[:, :1].take(np.uint8(7)),
    "partition at a truth": lambda x: np.partition(x, True),
    "step that is no number": lambda x: np.arange(3, step=math.nan) + x.sum(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    program = handled(REFUSED[name])
    assert program(X)[1] != "no error"
    assert is_exported(program, X)


@pytest.mark.parametrize("step", [math.inf, -math.inf, np.float32("inf"), 1e300, -1e300, 1e308], ids=repr)
@pytest.mark.parametrize("ends", [(3,), (0, -3), (1e-300,), (0, 0), (np.float32(3),)], ids=repr)
def test_steps_beyond_the_end(ends: tuple[Any, ...], step: Any) -> None:
    """A quotient that is too small for a float is still a step."""
    assert is_exported(handled(lambda x: np.arange(*ends, step=step) + x[0, 0]), X)


@pytest.mark.parametrize("step", [math.inf, -math.inf])
def test_infinite_steps_over_sizes(step: float) -> None:
    def program(x: Any) -> Any:
        return np.arange(x.shape[0] - 2, step=step)

    module = export(program, (np.zeros(5),), dynamic_shapes=({0: Dim("n")},)).module()
    for size in range(5):
        np.testing.assert_array_equal(module(np.zeros(size)), program(np.zeros(size)), strict=True)


BESIDE_NOTHING: dict[str, Callable[[Any], Any]] = {
    "minimum": lambda x: np.minimum(None, x),
    "subtract": lambda x: np.subtract(x, None),
    "concatenate": lambda x: np.concatenate([None, x]),
    "stack": lambda x: np.stack([x, None]),
    "matmul": lambda x: x @ None,
    "scalar": lambda x: np.maximum(x.sum(), None),
}


@pytest.mark.parametrize("name", BESIDE_NOTHING)
def test_nothing_among_arrays(name: str) -> None:
    compute = BESIDE_NOTHING[name]
    program = handled(compute)
    run = export(program, (np.arange(3.0),), dynamic_shapes=({0: Dim("n", min=3)},) if name in ("minimum", "scalar") else None).module()
    for x in (np.arange(3.0), np.full(3, np.nan)):
        found, expected = run(x), program(x)
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1:] == expected[1:] and expected[1] != "no error"


def test_objects_that_numpy_makes_of_nothing_are_refused() -> None:
    for compute in (lambda x: np.append(None, x), lambda x: np.where(x > 0, None, x), lambda x: np.logical_and(x, None)):
        with pytest.raises(Unsupported) as caught:
            export(handled(compute), (np.arange(3.0),))
        assert caught.value.code == "E122"
