"""Loops that keep a part of an array until nothing is left, and that are left in the middle of an
iteration: the length is one on one path, and another on the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def boxes(count: int, seed: int) -> Any:
    found = np.abs(np.random.default_rng(seed).standard_normal((count, 5))) + np.array([0, 0, 1, 1, 0])
    found[:, 4] /= 3
    return found


INPUTS = [boxes(8, 5), boxes(13, 2), boxes(8, 7), boxes(2, 3), boxes(20, 11), np.ones((8, 5)), np.zeros((8, 5))]


def soft_suppression(b: Any, sigma: float = 0.5, least: float = 0.05) -> Any:
    b, kept = b.copy(), []
    while len(b):
        place = b[:, 4].argmax()
        best = b[place].copy()
        kept.append(best)
        b = np.delete(b, place, 0)
        if len(b) == 0:
            break
        width, height = [np.minimum(best[i + 2], b[:, i + 2]) - np.maximum(best[i], b[:, i]) for i in (0, 1)]
        b[:, 4] *= np.exp(-((np.clip(width, 0, None) * np.clip(height, 0, None)) ** 2) / sigma)
        b = b[b[:, 4] > least]
    return np.array(kept)


def rounds(b: Any) -> Any:
    n = 0
    while len(b):
        b = b[1:]
        if len(b) == 0:
            break
        b = b[b[:, 4] > 0.2]
        n += 1
    return n


def climb(b: Any) -> Any:
    best = b[0].copy()
    while True:
        b = b[b[:, 0] > best[0]]
        if len(b) == 0:
            break
        best = b[0].copy()
    return best


def apart(b: Any) -> Any:
    kept, left = [], np.argsort(-b[:, 4], kind="stable")
    while len(left) > 0:
        first = left[0]
        kept.append(int(first))
        if len(left) == 1:
            break
        rest = left[1:]
        left = rest[np.abs(b[rest, 0] - b[first, 0]) > 0.5]
    return kept


def below_the_mean(b: Any) -> Any:
    while len(b) > 2:
        fewer = b[b[:, 4] <= b[:, 4].mean()]
        if len(fewer) == len(b):
            break
        b = fewer
    return b


def in_five_steps(b: Any) -> Any:
    left = b
    for _ in range(5):
        left = left[left[:, 0] > 0.3]
        if left.shape[0] < 2:
            break
        left = left[1:]
    return left


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [soft_suppression, rounds, climb, apart, below_the_mean, in_five_steps])
def test_what_is_left_is_that_of_eager_execution(function: Any, dynamic: bool) -> None:
    run = export(function, (INPUTS[0],), dynamic_shapes={"b": {0: Dim("n", min=3)}} if dynamic else None).module()
    for b in INPUTS:
        if b.shape == INPUTS[0].shape or (dynamic and len(b) > 2):
            assert outcome(run, (b,)) == outcome(function, (b,))
