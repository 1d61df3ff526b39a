"""Branches and loops on data within handlers, which their sides leave: what is handled behind them is what it was before the handler."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome


def solved(a, x):
    try:
        y = np.linalg.solve(a, x)
    except np.linalg.LinAlgError:
        if x[0] > 0:
            y = x * np.nan
        else:
            y = x * 0
    return y


def solved_in_turn(a, x):
    y = x * 1
    for k in range(3):
        try:
            y = np.linalg.solve(a * k, y + x)
        except np.linalg.LinAlgError:
            if y[0] > 0:
                y = y - 1
                continue
            y = x * k
        y = y + 1
    return y


def handled_behind(a, x):
    try:
        y = x / {}["a"]
    except KeyError:
        if x[0] > 0:
            y = x * 2
        else:
            y = x - a[0]
    return y, sys.exc_info()[0] is None


def raised_again(a, x):
    try:
        {}["a"]
    except KeyError:
        if x[0] > 0:
            y = x * 2
        else:
            y = x - a[0]
    try:
        raise  # noqa: PLE0704
    except RuntimeError as error:
        return y, str(error)


def within_another_handler(a, x):
    try:
        {}["a"]
    except KeyError:
        try:
            y = np.linalg.solve(a, x)
        except np.linalg.LinAlgError:
            if x[0] > 0:
                y = x * 3
            else:
                y = x * 5
        return y, sys.exc_info()[0].__name__


def left_by_a_loop(a, x):
    seen = 0
    for _ in range(2):
        try:
            {}["a"]
        except KeyError:
            while x[0] > 1:
                x = x / 2
                if x[1] > 1:
                    break
            else:
                continue
        seen += sys.exc_info()[0] is None
    return x + a[0], seen


def returned(a, x):
    def inner(x):
        try:
            return np.linalg.solve(a, x)
        except np.linalg.LinAlgError:
            if x[0] > 0:
                return x * 2
            if x[1] > 0:
                return x * 3
        return x * 4

    return inner(x), sys.exc_info()[0] is None


PROGRAMS = [solved, solved_in_turn, handled_behind, raised_again, within_another_handler, left_by_a_loop, returned]
MATRICES = [np.diag([1.0, 2.0]), np.zeros((2, 2)), np.ones((2, 2))]
VALUES = [np.array(value, float) for value in itertools.product((-3, 0, 5), repeat=2)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_handled_behind_a_handler(program):
    module = export(program, (MATRICES[0], VALUES[0])).module()
    for args in itertools.product(MATRICES, VALUES):
        assert outcome(module, args) == outcome(program, args)


def given_out_of_finally(x, k):
    t, i, q = float(k[1]), int(k[0]), bool(k[0] > 1)
    p = (t, x)
    if i <= 1:
        t *= 0.5
    else:
        try:
            t = t / int(k[1])
            if len(x) > 1:
                return i
        finally:
            i = i if not q or p[0] > 0.5 else 0
    return t if q else i


def raised_through_finally(x, k):
    n, t, u = int(k[0]), float(k[1]), 1.0
    if n > 0:
        try:
            u = t / n
            if n > 3:
                return u
        finally:
            t = 1.0 if n > 2 or u > 0.5 else 2.0
    return t if n > 1 else u


@pytest.mark.parametrize("program", [given_out_of_finally, raised_through_finally])
def test_a_branch_of_a_handler_that_is_tried_decides_nothing_around_it(program):
    data = [np.array([n, m]) for n in (0, 1, 2, 3, 4) for m in (-2, 0, 1, 5)]
    try:
        run = export(program, (np.ones(3), np.array([3, 0]))).module()
    except Unsupported as refused:
        assert refused.code == "E126"
    else:
        for k in data:
            assert outcome(run, (np.ones(3), k)) == outcome(program, (np.ones(3), k))
