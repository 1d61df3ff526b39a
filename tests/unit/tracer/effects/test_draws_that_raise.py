"""Draws whose parameters are none for some data, where the program waits for the exception: it has drawn nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said
from tests.support.forms import reloaded

X = np.arange(3.0) + 1


def spread(rng: Any, x: Any) -> Any:
    try:
        return rng.normal(0, x[0])
    except ValueError:
        return np.float64(rng.random())


def told(rng: Any, x: Any) -> Any:
    try:
        y = rng.poisson(x)
    except ValueError:
        return False, np.zeros(len(x), np.int64)
    return True, y


def otherwise(rng: Any, x: Any) -> Any:
    n = 0.0
    for v in x:
        try:
            n = n + rng.gamma(v)
        except ValueError:
            n = n - rng.random()
        else:
            rng.shuffle(x)
        finally:
            n = n * 2
    return n, x


def again(rng: Any, x: Any) -> Any:
    try:
        return rng.choice(x, p=np.abs(x) / x.sum())
    except ValueError as error:
        raise RuntimeError("no weights") from error


@pytest.mark.parametrize("program", [spread, told, otherwise, again])
@pytest.mark.parametrize("dynamic", [False, True])
def test_handlers_draw_on(program: Any, dynamic: bool) -> None:
    shapes = (None, {0: Dim("n", min=1)}) if dynamic else None
    exported = export(program, (np.random.default_rng(0), X), dynamic_shapes=shapes)
    for run in (exported.module(), reloaded(exported).module()):
        for x in (X, -X, np.array([1.0, -2.0, 3.0]), np.array([1.0, np.nan, 3.0]), *([np.ones(5), np.ones(1)] if dynamic else ())):
            ours, theirs = np.random.default_rng(7), np.random.default_rng(7)
            np.testing.assert_equal(said(run, ours, x.copy()), said(program, theirs, x.copy()))
            assert ours.bit_generator.state == theirs.bit_generator.state


def test_a_matrix_that_is_asked_after_the_draw_is_refused() -> None:
    def program(rng: Any, x: Any) -> Any:
        try:
            return rng.multivariate_normal(x, np.diag(x), check_valid="raise")
        except ValueError:
            return x

    with pytest.raises(ExportError) as caught:
        export(program, (np.random.default_rng(0), X))
    assert caught.value.code == "E126"
