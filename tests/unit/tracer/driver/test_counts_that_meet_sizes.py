"""Sizes that depend on data and turn out to be those of inputs, beside sizes of other inputs."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export


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
