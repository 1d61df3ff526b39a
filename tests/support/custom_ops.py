"""A library of operators of its own, and what tests do with programs that call them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import npexport
from npexport import custom_op, ops


class Ends(NamedTuple):
    """Results of an operator, found by name where a file is loaded."""

    first: np.ndarray
    last: np.ndarray


def declare_lab():
    """Declare the operators of the library: ``ops.lab``."""

    @custom_op("lab::scale")
    def scale(x: np.ndarray, factor: float = 2.0) -> np.ndarray:
        return x * factor

    @scale.register_fake
    def _(x, factor):
        return np.multiply(x, factor)

    @custom_op("lab::positive")
    def positive(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.flatnonzero(x > 0), x[x > 0]

    @positive.register_fake
    def _(x):
        count = npexport.new_size(max=x.size)
        return np.empty(count, np.intp), np.empty(count, x.dtype)

    @custom_op("lab::add_to", mutates_args=("x",))
    def add_to(x: np.ndarray, by: float) -> None:
        x += by

    @add_to.register_fake
    def _(x, by):
        return None

    @custom_op("lab::drain", mutates_args=("xs",))
    def drain(xs: list[np.ndarray], into: np.ndarray | None = None) -> np.ndarray:
        total = sum(x.sum() for x in xs) + (0 if into is None else into.sum())
        for x in xs:
            x[...] = 0
        return np.full(len(xs), total)

    @drain.register_fake
    def _(xs, into):
        return np.empty(len(xs))

    @custom_op("lab::summary")
    def summary(x: np.ndarray) -> tuple[int, float, bool, np.ndarray]:
        return int((x > 0).sum()), float(x.sum()), bool((x > 0).all()), x.sum()

    @summary.register_fake
    def _(x):
        return npexport.new_size(max=x.size), 0.0, True, np.sum(x)

    @custom_op("lab::window")
    def window(x: np.ndarray, start: int, size: int) -> np.ndarray:
        return x[start : start + size].copy()

    @window.register_fake
    def _(x, start, size):
        return np.empty((size, *x.shape[1:]), x.dtype)

    return ops.lab


def same(one, other):
    """Hold values to each other: type, dtype, shape and elements."""
    if isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other, strict=True)
