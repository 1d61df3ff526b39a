"""The arrays ``a`` and ``b`` of the calls in `library_calls.txt`, and the names that these use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Data(NamedTuple):
    """Arguments by a seed and a size; ``example`` is the size at export, ``others`` those of calls (none: sizes are fixed)."""

    make: Callable[[np.random.Generator, int], tuple[Any, ...]]
    example: int = 24
    others: tuple[int, ...] = (15, 33)

    def arguments(self, seed: int, size: int) -> tuple[Any, ...]:
        return self.make(np.random.default_rng(seed), size)


def _image(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    rows, columns = np.mgrid[:size, : size + 3]
    return (np.clip(0.5 + 0.3 * np.sin(rows / 3) * np.cos(columns / 2) + 0.1 * rng.standard_normal((size, size + 3)), 0, 1),)


def _definite(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    factor = rng.standard_normal((size, size))
    return factor @ factor.T + size * np.eye(size), rng.standard_normal(size)


DATA = {
    "start": Data(lambda rng, size: (rng.uniform(0.5, 3.5, size),), 1, ()),
    "bracketed": Data(lambda rng, size: (rng.uniform(2.5, 3.5, size),), 1, ()),
    "point": Data(lambda rng, size: (rng.uniform(-1.5, 2.0, size),), 2, (3, 4)),
    "series": Data(lambda rng, size: (rng.standard_normal(size) + np.arange(size) / 12,)),
    "positive": Data(lambda rng, size: (rng.gamma(2.0, 1.0, size) + 0.1,)),
    "pair": Data(lambda rng, size: (rng.standard_normal(size), rng.standard_normal(size) + 0.3)),
    "knots": Data(lambda rng, size: (np.cumsum(rng.uniform(0.5, 1.5, size)), rng.standard_normal(size)), 12, (9, 20)),
    "image": Data(_image, 16, (12, 21)),
    "two images": Data(lambda rng, size: _image(rng, size) + _image(rng, size), 16, (12, 21)),
    "mask": Data(lambda rng, size: (rng.random((size, size)) < 0.6,), 16, (12, 21)),
    "square": Data(lambda rng, size: (rng.standard_normal((size, size)),), 4, (3, 6)),
    "definite": Data(_definite, 4, (3, 6)),
    "table": Data(lambda rng, size: (rng.standard_normal((size, 3)),)),
    "points": Data(lambda rng, size: (rng.standard_normal((size, 2)), rng.standard_normal((size, 2))), 8, (6, 11)),
}


def _cubic(x: Any) -> Any:
    return x * x * x - 2 * x - 5


def _rosenbrock(x: Any) -> Any:
    return ((1 - x[:-1]) ** 2).sum() + 100 * ((x[1:] - x[:-1] ** 2) ** 2).sum()


def _rosenbrock_slope(x: Any) -> Any:
    slope = np.zeros_like(x)
    slope[:-1] = -2 * (1 - x[:-1]) - 400 * x[:-1] * (x[1:] - x[:-1] ** 2)
    slope[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return slope


def _residuals(x: Any) -> Any:
    return np.concatenate([1 - x[:-1], 10 * (x[1:] - x[:-1] ** 2)])


def _rosenbrock_curvature(x: Any) -> Any:
    diagonal = np.zeros_like(x)
    diagonal[:-1] = 2 - 400 * (x[1:] - 3 * x[:-1] ** 2)
    diagonal[1:] += 200
    return np.diag(diagonal) + np.diag(-400 * x[:-1], 1) + np.diag(-400 * x[:-1], -1)


def names() -> dict[str, Any]:
    """What the texts call beside the functions of their package."""
    return {
        "np": np,
        "cubic": _cubic,
        "slope": lambda x: 3 * x * x - 2,
        "curvature": lambda x: 6 * x,
        "rosen": _rosenbrock,
        "rosen_slope": _rosenbrock_slope,
        "rosen_curvature": _rosenbrock_curvature,
        "residuals": _residuals,
        "decay": lambda t, y: -y,
        "pendulum": lambda t, y: np.concatenate([y[1:], -np.sin(y[:1])]),
        "blur": np.full((3, 3), 1 / 9),
        "given": np.vander(np.arange(40.0) / 24, 3),
        "trend": lambda n: np.vander(np.arange(n) / n, 3),
    }
