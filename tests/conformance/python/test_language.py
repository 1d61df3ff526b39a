"""Every program of ``language/`` is exported once, run at two sets of values, also saved and loaded, and held to eager."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from npexport import export
from npexport.ir.pytree import tree_flatten
from tests.support.forms import reloaded
from tests.support.language import PROGRAMS, inputs

NOT_SAVED = {"ordered_dict"}


def same(actual, expected):
    left, right = tree_flatten(actual), tree_flatten(expected)
    assert left[1] == right[1], (left[1], right[1])
    for a, e in zip(left[0], right[0], strict=True):
        assert type(a) is type(e), (type(a), type(e))
        if isinstance(e, (np.ndarray, np.generic)):
            assert a.dtype == e.dtype and a.shape == e.shape
            np.testing.assert_allclose(a, e, rtol=1e-12, atol=1e-12)
        else:
            assert a == e or (a != a and e != e), (a, e)


@pytest.mark.parametrize("program", PROGRAMS)
def test_language(program, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = export(program, inputs(0))
        for run in (exported.module(), reloaded(exported).module()):
            for seed in (1, 2):
                same(run(*inputs(seed)), program(*inputs(seed)))


def test_there_are_many():
    assert len(PROGRAMS) >= 300
