"""Sizes that depend on data: those that turn out to be sizes of inputs, beside other inputs, and numbers that are sizes or less than 0."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from npexport import Dim, InputMismatch, check, export
from tests.support.comparison import said
from tests.support.forms import FORMS


def written_before(x, y):
    u = np.unique(x)
    u[...] = y
    return np.stack([u, x])


def written_where(x, y):
    u = np.unique(x)
    np.copyto(u, y, where=x > 0)
    return np.stack([u, x])


PROGRAMS = {
    "write": lambda x, y: (both := np.stack([np.unique(x), x]), both.__setitem__(..., y)),
    "blocks": lambda x, y: (both := np.block([[np.unique(x)], [x]]), both.__setitem__(..., y)),
    "write before": written_before,
    "copyto": written_where,
    "operator": lambda x, y: np.stack([np.unique(x), x]) + y,
    "branch": lambda x, y: (np.stack([np.unique(x), x]), len(np.unique(x)) == len(y)),
    "where=": lambda x, y: np.add(np.unique(x), 1, where=y > 0, out=np.zeros(x.shape, int)),
    "where= before": lambda x, y: np.stack([np.add(u := np.unique(x), 1, where=y > 0, out=u), x]),
    "out=": lambda x, y: np.negative(np.unique(x), where=y > 0, out=y * 2),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("dims", [(Dim.AUTO, Dim.AUTO), (Dim.AUTO, None), (None, Dim.AUTO)], ids=str)
def test_counts_that_are_sizes(program, dims):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = export(program, (np.arange(1, 4), np.arange(4, 7)), dynamic_shapes=tuple({0: dim} for dim in dims)).module()
    accepted = 0
    for size, other, factor in itertools.product(range(1, 5), range(1, 5), (0, 1)):
        given = np.arange(1, size + 1) * factor, np.arange(4, 4 + other)
        try:
            found = run(*[array.copy() for array in given])
        except InputMismatch:
            continue
        except ValueError as error:
            with pytest.raises(type(error)):
                program(*[array.copy() for array in given])
            continue
        accepted += 1
        assert repr(found) == repr(program(*[array.copy() for array in given]))
    assert accepted


def told_before(k, y):
    n = int(k[0])
    y[n:] = 5
    before = y[:n].sum()
    made = np.zeros((n, 2))
    y[:n] += 1
    return made.reshape((2, n)), before


def told_after_a_loop(k, y):
    n = k[0]
    for i in range(3):
        y[i] += n
        if y[i] > 3:
            y[i:n] = 0
    return np.zeros(n).reshape((n,)), y[:n] * 2


def caught(k, y):
    n = int(k[0])
    try:
        made = np.zeros(n)
    except ValueError:
        made = np.ones(2)
    return made, n >= 0, y[:n].copy()


def on_a_side(k, y):
    n = int(k[0])
    made = np.zeros(n) if k[1] > 0 else np.zeros(2)
    return made, n >= 0, y[:n].copy()


def stretched(k, y):
    n = k.max()
    made = np.broadcast_to(np.ones((1, 2)), (n, 2))
    return np.concatenate([made, made]).reshape((2, n, 2)), made[:n] * 2, len(y[:n])


def checked(k, y):
    n = int(k[0])
    before = y[:n] * 2
    check(n >= 0, "less")
    return before, y[:n] * 2


def after_a_raise(k, y):
    n = int(k[0])
    before = y[:n] * 2
    if n < 0:
        raise ValueError(f"{n} is less than 0")
    return np.zeros((n, 2)).reshape((2, n)), before, y[:n] * 2, np.zeros(n, int).reshape((n,))


def sides_before(k, y):
    n = int(k[0])
    half = y[:n] * 2 if n < 0 else y[: n + 1] * 3
    if n < 0:
        y[n:] = 1
        m = len(y[n:]) + np.arange(4 + n).sum()
    else:
        y[:n], m = 2, 5
    return half, m, y[:n], np.zeros(n)


def sides_before_a_check(k, y):
    n = int(k[0])
    half = y[:n] * 2 if n < 0 else y[: n + 1] * 3
    check(n >= 0)
    return half, y[:n]


NUMBERS = (sides_before, sides_before_a_check, after_a_raise, told_before, told_after_a_loop, caught, on_a_side, stretched, checked)


@pytest.mark.parametrize("program", NUMBERS)
def test_what_an_operator_requires_of_a_number_holds_after_it(program):
    exported = export(program, (np.array([2, 1]), np.arange(6.0)))
    again = export(exported.module(), (np.array([2, 1]), np.arange(6.0)))
    for ep in (again, *[form(exported) for form in FORMS.values()]):
        run = ep.module()
        for k in ([2, 1], [-1, 1], [-1, 0], [0, 1], [3, 0], [-3, -1], [6, 0], [9, 0], [-9, 0]):
            ours, theirs = np.arange(6.0), np.arange(6.0)
            have, need = said(run, np.array(k), ours), said(program, np.array(k), theirs)
            assert repr((have, ours)) == repr((need, theirs)), k
