"""The functions of the table, exported, compute at other values what they compute eagerly. ``pip install npexport[corpus]``."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export
from tests.conformance.packages.corpus.table import ROWS
from tests.support.forms import reloaded


def assert_equal(actual, expected):
    """Equal in structure, types, dtypes and shapes; equal in values up to rounding."""
    if isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected) and len(actual) == len(expected)
        for one, other in zip(actual, expected):
            assert_equal(one, other)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        for key, value in expected.items():
            assert_equal(actual[key], value)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert type(actual) is type(expected) and actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)
    else:
        assert type(actual) is type(expected) and actual == expected


def resolved(row):
    """The function, or a skip where its package is missing. scikit-learn makes a thread's configuration when it is first asked for."""
    if row.package == "sklearn":
        pytest.importorskip("sklearn").get_config()
    try:
        return row.resolve()
    except ImportError as error:
        pytest.skip(f"{row.package} is not installed ({error}): pip install npexport[corpus]")


@pytest.mark.parametrize("row", [row for row in ROWS if row.refused], ids=lambda row: row.id)
def test_refused_with_a_code(row):
    function = resolved(row)
    with pytest.raises(ExportError) as caught:
        export(function, row.make(np.random.default_rng(0)), row.kwargs)
    assert caught.value.code in row.refused.split(), caught.value  # some releases of a package have parts in C


@pytest.mark.parametrize("row", [row for row in ROWS if not row.refused], ids=lambda row: row.id)
def test_exported_equals_eager(row):
    function = resolved(row)
    program = export(function, row.make(np.random.default_rng(0)), row.kwargs)
    for run in (program.module(), reloaded(program).module()):
        for seed in (0, 1, 2):
            args = row.make(np.random.default_rng(seed))
            assert_equal(run(*args, **row.kwargs), function(*args, **row.kwargs))


def test_the_corpus_is_wide():
    exported = [row for row in ROWS if not row.refused]
    assert len({row.name for row in exported}) >= 60 and len({row.package for row in exported}) >= 8
