"""Sides and iterations that never end, and loops without effect, are refused: an export ends."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export
from npexport.tracer.control import iterations
from npexport.tracer.interpreter import join_points
from tests.support.outcomes import outcome


def spins(k):
    while k < 10:
        k = k % 3
    return k


def on_a_side(x):
    k = 1
    if x[0] > 0:
        k = spins(k)
    return x + k


def over_a_list_that_grows(x):
    if x[0] > 0:
        items = [1]
        for item in items:
            items.append(item)
    return x


def in_an_iteration(x):
    t = 0
    while x[0] > t:
        t += spins(1)
    return x


def waits_or_leaves(x):
    while x[0] <= 0:
        if x[1] > 0:
            break
    return x


@pytest.mark.parametrize("f", [waits_or_leaves, on_a_side, over_a_list_that_grows, in_an_iteration])
def test_what_never_ends_is_refused(f, monkeypatch):
    monkeypatch.setattr(join_points, "MOST_INSTRUCTIONS", 20_000)
    monkeypatch.setattr(iterations, "MOST_INSTRUCTIONS", 20_000)
    with pytest.raises(ExportError, match=r"E103.* runs through more than 1,000,000 instructions, or never ends"):
        export(f, (np.ones(3),))


def waits(x):
    while x[0] <= 0:
        pass
    return x


def test_a_loop_that_changes_nothing_is_refused():
    with pytest.raises(ExportError, match="E103.*no iteration changes what the next one reads"):
        export(waits, (np.ones(3),))


def counts(x):
    i = 0
    while i < x[0]:
        i += 1
    return x


def over_a_range(x):
    for _ in range(int(x[0])):
        pass
    else:
        x = x * 2
    return x


def leaves_at_once(x):
    while True:
        if x[0] > 0:
            break
        return x * 3 if x[1] > 0 else x * 4
    return x


@pytest.mark.parametrize("f", [counts, over_a_range, leaves_at_once])
def test_a_loop_whose_results_nobody_reads_is_captured(f):
    run = export(f, (np.ones(3),)).module()
    for x in (np.array([3.0, 1, 2]), np.array([-1.0, 1, 2]), np.array([-1.0, -1, 2])):
        assert outcome(run, (x,)) == outcome(f, (x,))
