"""Every program of ``tests/language`` is exported once, run at two sets of values, also saved and loaded, and held to eager."""

from __future__ import annotations

import importlib
import io
import types
import warnings

import numpy as np
import pytest

from npexport import export, load, save
from npexport.ir.pytree import tree_flatten

CHAPTERS = (
    "control", "functions", "generators", "exceptions", "objects", "datatypes", "stdlib", "algorithms",
    "overloading", "classes", "programs", "coroutines", "texts", "callbacks",
)  # fmt: skip
NOT_SAVED = {"ordered_dict"}


def programs():
    for chapter in CHAPTERS:
        module = importlib.import_module(f"tests.language.{chapter}")
        for name, value in vars(module).items():
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield pytest.param(value, id=f"{chapter}-{name}")


PROGRAMS = list(programs())


def inputs(seed):
    generator = np.random.default_rng(seed)
    return generator.uniform(-2, 2, (3, 4)), generator.uniform(1, 2, 4)


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
        buffer = io.BytesIO()
        save(exported, buffer)
        for run in (exported.module(), load(io.BytesIO(buffer.getvalue())).module()):
            for seed in (1, 2):
                same(run(*inputs(seed)), program(*inputs(seed)))


def test_there_are_many():
    assert len(PROGRAMS) >= 300
