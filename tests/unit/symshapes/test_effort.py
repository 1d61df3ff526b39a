"""The limit to the work that expressions from outside may cause: what is dear is charged for."""

from __future__ import annotations

import random

import pytest

from npexport.symshapes.decide import Facts
from npexport.symshapes.effort import TooMuchWork, limited
from npexport.symshapes.parsing import parse_bool
from npexport.symshapes.ranges import ValueRanges


def nested(rng, depth):
    """Extrema of extrema, of ``s0``, ``s1`` and small numbers."""
    if not depth:
        return rng.choice(["s0", "s1", "3", "7 - s0"])
    return f"{rng.choice(['min', 'max'])}({', '.join(nested(rng, depth - 1) for _ in range(3))}) + {rng.randint(1, 9)}"


def test_intervals_of_extrema_are_charged_for():
    rng = random.Random(0)
    truths = [parse_bool(f"{nested(rng, 6)} >= {nested(rng, 6)}") for _ in range(10)]
    facts = Facts()
    for name in ("s0", "s1"):
        facts.add_symbol(name, ValueRanges(0, 1 << 40), None)
    with pytest.raises(TooMuchWork), limited(5_000):
        for truth in truths:
            facts.quick(truth)
