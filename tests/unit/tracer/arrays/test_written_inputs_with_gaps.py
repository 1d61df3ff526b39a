"""Arrays from outside that a program writes to and sums: gaps, and elements that run backwards, decide how NumPy rounds."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import InputMismatch, Unsupported, export
from tests.support.outcomes import outcome

N = 40


def twice(x, w):
    x += w
    x *= x
    return x @ w


def on_a_side(x, w):
    if w[0] > 0:
        x += 1
    return x @ w


def in_a_loop(x, w):
    for _ in range(int(w[0] > 0) + 1):
        x += w
    return x @ w


def after_a_sort(x, w):
    x += 1
    x.sort()
    return np.inner(x, w), np.einsum("i,i->", x, w)


def of_a_copy(x, w):
    x += 1
    z = x.copy()
    x += 1
    return z @ w, x @ w


def through_out(x, w):
    np.sqrt(abs(x), out=x)
    return np.dot(x, w)


def of_a_view(x, w):
    x *= w
    x *= 2
    return x.reshape(4, 10).T @ w[:4]


def backwards(x, w):
    x += 1
    x *= w
    return np.exp(x), np.sinh(x), np.arctan2(x, w)


PRODUCTS = (twice, on_a_side, in_a_loop, after_a_sort, of_a_copy, through_out, of_a_view)
LAYOUTS = {"packed": slice(None, N), "gaps": slice(None, None, 2), "reversed": slice(N - 1, None, -1), "both": slice(None, None, -2)}


def given(seed, layout):
    g = np.random.default_rng(seed)
    return g.normal(size=2 * N)[LAYOUTS[layout]], g.normal(size=N)


class Fresh:
    """Calls a function with arrays that lie as they were made, which copies of arguments do not."""

    def __init__(self, function):
        self.function = function

    def __call__(self, seed, layout):
        x, w = given(seed, layout)
        return self.function(x, w), x, w


@pytest.mark.parametrize("function", [*PRODUCTS, backwards])
@pytest.mark.parametrize("example", LAYOUTS)
def test_bits(function, example):
    compared = 0
    try:
        module = export(function, given(0, example)).module()
    except Unsupported as refused:
        assert refused.code in ("E103", "E121")  # noqa: PT017
        assert example != "packed"
        return
    for seed in range(12):
        for layout in LAYOUTS:
            try:
                found = outcome(Fresh(module), (seed, layout))
            except InputMismatch:
                assert layout != example
                continue
            assert found == outcome(Fresh(function), (seed, layout))
            compared += 1
    assert compared >= 12


class Weights:
    def __init__(self, full):
        self.full = full
        self.column = full[:, 3]

    def __call__(self, x):
        self.column += x
        self.column *= 2
        return self.column @ x


def test_state_with_gaps():
    with pytest.raises(Unsupported, match="not adjacent in memory") as refused:
        export(Weights(np.random.default_rng(0).normal(size=(N, 7))), (np.ones(N),))
    assert refused.value.code == "E121"


def exact(x, w):
    x += w
    x *= 2
    return np.sqrt(abs(x)) + x * w - x.max() + x.sum()


def whole(x, w):
    x += 1
    x *= 3
    return x @ x, x.reshape(2, -1).sum()


@pytest.mark.parametrize(("function", "dtype"), [(exact, "f8"), (whole, "i8")])
def test_what_rounds_alike_takes_any_layout(function, dtype):
    def calling(called):
        def call(seed, layout):
            g = np.random.default_rng(seed)
            x = g.integers(-9, 9, 2 * N).astype(dtype)[LAYOUTS[layout]]
            return called(x, g.normal(size=N)), x

        return call

    module = export(function, (np.ones(N, dtype), np.ones(N))).module()
    for seed, layout in enumerate(LAYOUTS):
        assert outcome(calling(module), (seed, layout)) == outcome(calling(function), (seed, layout))
