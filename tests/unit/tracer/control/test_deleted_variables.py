"""Variables that paths through an iteration leave unbound."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


def past_an_exception(x, k):
    t = 0.5
    for w in range(2):
        if x[w] > 2:
            return 9.0
        try:
            if k[0] > 2:
                del t
                raise IndexError
        except Exception:
            continue
    return t


def in_a_while_loop(x, k):
    t, w = 0.5, 0
    while w < 2:
        if x[w] > 2:
            return t
        w += 1
        try:
            if k[0] > 2:
                del t
                raise IndexError
        except (IndexError, UnboundLocalError):
            continue
    return t


def before_a_lookup(x, k):
    t = 0.5
    for w in range(3):
        if x[w] > 2:
            return t
        try:
            w = [1, 2, 3][int(k[0])]
        except IndexError:
            try:
                del t
            except UnboundLocalError:
                continue
        else:
            t = t + w
    return t


def in_a_cell(x, k):
    t, read = 0.5, lambda: t
    for w in range(2):
        if x[w] > 2:
            return read()
        try:
            if k[0] > 2:
                del t
                raise IndexError
        except Exception:
            continue
    return read()


def bound_again(x, k):
    t = 0.5
    for w in range(3):
        if x[w] > 2:
            return t
        try:
            if k[0] > w:
                del t
                raise IndexError
        except Exception:
            continue
        t = x[w]
    return t


@pytest.mark.parametrize("program", [past_an_exception, in_a_while_loop, before_a_lookup, in_a_cell, bound_again])
def test_they_are_unbound_as_in_eager_execution(program):
    module = export(program, (np.array([1.0, 1.0, 1.0]), np.array([0]))).module()
    for large in ([], [0], [1], [2], [1, 2]):
        x = np.array([3.0 if place in large else 1.0 for place in range(3)])
        for number in range(5):
            args = x, np.array([number])
            assert outcome(module, args) == outcome(program, args), args
