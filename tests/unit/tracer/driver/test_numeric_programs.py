"""Numeric programs that write in place: exported, run on fresh data as they are and saved and loaded; nothing may differ from eager."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

from npexport import export
from tests.support.forms import reloaded
from tests.support.programs import linear_algebra, networks, stencils

MODULES = (stencils, linear_algebra, networks)
ROWS = [(module, index) for module in MODULES for index in range(len(module.rows(np.random.default_rng(0))))]

# programs that really branch on data or read values that a graph cannot know: (name, code of the refusal)
REFUSED: dict[str, str] = {}


def row(module, index, seed):
    return module.rows(np.random.default_rng(seed))[index]


def keep_static(example, fresh):
    """Python and NumPy scalars are static: fresh data keeps the example's."""
    return tuple(new if isinstance(new, np.ndarray) else old for old, new in zip(example, fresh, strict=True))


def same(actual, expected):
    if isinstance(expected, tuple):
        assert type(actual) is tuple and len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            same(a, e)
        return
    assert type(actual) is type(expected), (type(actual), type(expected))
    if not isinstance(expected, (np.ndarray, np.generic)):
        assert actual == expected
    else:
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("module", "index"), ROWS, ids=[f"{i}-{m.rows(np.random.default_rng(0))[i][0].__name__}" for m, i in ROWS])
def test_program(module, index):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        fn, args = row(module, index, seed=1)
        untouched = copy.deepcopy(args)
        ep = export(fn, args)
        for before, after in zip(untouched, args, strict=True):
            np.testing.assert_array_equal(before, after)
        for run in (ep.module(), reloaded(ep).module()):
            for seed in (1, 2):
                fresh = keep_static(args, row(module, index, seed)[1])
                eager, exported = copy.deepcopy(fresh), copy.deepcopy(fresh)
                same(run(*exported), fn(*eager))
                same(exported, eager)
