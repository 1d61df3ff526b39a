"""Draws that data or sizes decide, of generators that the program makes with a seed: to the bit what eager NumPy draws."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said
from tests.support.forms import reloaded

X = np.arange(3.0) + 1


def sizes(x: Any) -> Any:
    rng = np.random.default_rng(3)
    first = rng.normal(size=4)
    noise = rng.standard_normal(len(x))
    counts = rng.integers(10, size=5)
    return first, x + noise, counts, rng.random(3, dtype="f4"), rng.integers(0, 5, size=(len(x), 2), dtype=np.int8, endpoint=True)


def data(x: Any) -> Any:
    rng = np.random.Generator(np.random.PCG64(7))
    return rng.normal(x), rng.uniform(-1, x), rng.poisson(np.abs(x)), rng.normal(loc=x, scale=2, size=(4, *x.shape)), rng.random(2)


def raising(x: Any) -> Any:
    return np.random.default_rng(0).normal(0, x)


def restarted(x: Any) -> Any:
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    first = rng.random(x.shape)
    rng.bit_generator.state = state
    return first, rng.random(x.shape), rng.integers(2**40, size=3)


@pytest.mark.parametrize("program", [sizes, data, raising, restarted])
@pytest.mark.parametrize("dynamic", [False, True])
def test_draws(program: Any, dynamic: bool) -> None:
    exported = export(program, (X,), dynamic_shapes=({0: Dim("n", max=100)},) if dynamic else None)
    for run in (exported.module(), reloaded(exported).module()):
        for x in (X, -X, np.zeros(3), *((np.ones(0), np.ones(9)) if dynamic else ())):
            np.testing.assert_equal(said(run, x), said(program, x))


def state(rng: Any, x: Any) -> Any:
    rng.normal(size=len(x))
    return rng.bit_generator.state["has_uint32"]


def seed(rng: Any, x: Any) -> Any:
    rng.normal(size=len(x))
    return rng.bit_generator.seed_seq.entropy


def pickled(rng: Any, x: Any) -> Any:
    rng.normal(size=len(x))
    return pickle.loads(pickle.dumps(rng)).random(2)


@pytest.mark.parametrize("program", [state, seed, pickled])
def test_refused(program: Any) -> None:
    with pytest.raises(ExportError) as caught:
        export(lambda x: program(np.random.default_rng(0), x), (X,), dynamic_shapes=({0: Dim("n")},))
    assert caught.value.code == "E107"
