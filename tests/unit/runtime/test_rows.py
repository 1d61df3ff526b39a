"""Groups with reductions along the last axis, computed row by row in C: bits, warnings and errors are those of eager execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.runtime.blocks import expressions, rows
from tests.support.comparison import said_and_warned

pytestmark = pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def scaled(x):
    weight, bias = np.linspace(0.5, 2, x.shape[-1], dtype=x.dtype), np.linspace(-1, 1, x.shape[-1], dtype=x.dtype)
    apart = x - x.mean(axis=-1, keepdims=True)
    return apart / np.sqrt((apart * apart).mean(axis=-1, keepdims=True) + 1e-6) * weight + bias


def by_deviation(x):
    return (x - x.min(-1, keepdims=True)) / x.std(-1, keepdims=True) * 3


def several(x):
    low, high = x.min(-1, keepdims=True), x.max(-1, keepdims=True)
    return (x - low) / (high - low) * 2 - 1, high - low


def log_softmax(x):
    apart = x - x.max(-1, keepdims=True)
    return apart - np.log(np.exp(apart).sum(-1, keepdims=True))


def what_forgets_errors(x):
    """Some loops of NumPy's begin with no errors."""
    apart, half = 2 - x, x * 0.5
    mean, root = x.mean(-1, keepdims=True), np.sqrt(apart)
    return apart, half, mean, root, np.maximum(half, x.min(-1, keepdims=True))


def with_a_mask(x):
    mask = np.where(np.arange(x.shape[-1]) > np.arange(x.shape[-2])[:, None] + 9, -20, 0).astype(x.dtype)
    scores = x / 8 + mask
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


PROGRAMS = [softmax, layer_norm, scaled, by_deviation, several, log_softmax, what_forgets_errors]
BY_ROWS = {softmax, layer_norm, scaled, by_deviation, several}


def _numbers(kind: str, shape: tuple[int, ...], dtype: Any) -> Any:
    random = np.random.default_rng(11)
    x = random.standard_normal(shape)
    rows_ = x.reshape(-1, shape[-1])
    if kind == "masked":
        x[random.random(shape) < 0.3] = -1e9
    elif kind == "minus infinity":
        x[random.random(shape) < 0.3] = -np.inf
        rows_[:, 0] = 1
    elif kind == "nan":
        rows_[3, 7] = np.nan
    elif kind == "all equal":
        rows_[5] = 2.0
    elif kind == "zeros":
        x = np.where(x > 0, 0.0, -0.0) * np.ones(shape)
    elif kind == "zeros below":
        x = np.where(random.random(shape) < 0.1, np.where(x > 0, 0.0, -0.0), -abs(x))
    elif kind == "large":
        x *= 1e30 if dtype == np.float32 else 1e200
    return np.array(x, dtype)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call computed a block."""
    found: list[bool] = []
    run = expressions.engine.run_rows

    class Engine:
        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

        def run_rows(self, *args: Any) -> Any:
            result = run(*args)
            found.append(result is not None)
            return result

    engine = expressions.engine
    monkeypatch.setattr(expressions, "engine", Engine())
    return found


KINDS = ["plain", "masked", "minus infinity", "nan", "all equal", "zeros", "zeros below", "large"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_eagerly(program: Any, dtype: Any, ran: list[bool]) -> None:
    for shape in ((600, 128), (3, 40, 576)):
        x = _numbers("plain", shape, dtype)
        module = export(program, (x,)).module()
        ran.clear()
        assert repr(said_and_warned(module, x)) == repr(said_and_warned(program, x))
        assert program not in BY_ROWS or (ran and all(ran))
        for kind in KINDS:
            x = _numbers(kind, shape, dtype)
            for state in ({}, {"all": "raise"}, {"under": "warn"}):
                with np.errstate(**state):
                    one, other = said_and_warned(module, x), said_and_warned(program, x)
                    assert repr(one) == repr(other), (kind, state, shape)
                    if not state:
                        assert _bits(module(x)) == _bits(program(x)), (kind, state, shape)


def _bits(result: Any) -> list[bytes]:
    with np.errstate(all="ignore"):
        return [each.tobytes() for each in (result if type(result) is tuple else (result,))]


def test_rows_that_begin_anew(ran: list[bool]) -> None:
    x = _numbers("plain", (2, 6, 96, 128), np.float32)
    assert export(with_a_mask, (x,)).module()(x).tobytes() == with_a_mask(x).tobytes()
    assert ran and all(ran)


@pytest.mark.parametrize("program", [softmax, layer_norm])
def test_in_other_memory(program: Any) -> None:
    """Rows of other lengths, with gaps, in other orders, of other byte orders, and on threads."""
    base = _numbers("plain", (400, 512), np.float32)
    given = [base, base[::2], base[:, :256], base[:, ::2], base.T.copy().T, base[:, :250].copy(), base[::-1], base.astype(">f4")]
    for x in given:
        one = export(program, (x,)).module()
        two = export(program, (x,)).module(threads=2)
        expected = program(x)
        for found in (one(x), two(x)):
            assert found.tobytes() == expected.tobytes() and found.strides == expected.strides and found.dtype == expected.dtype


def test_sums_and_extremes_of_rows() -> None:
    """Of every length that rows may have."""
    random = np.random.default_rng(4)
    for dtype in (np.float32, np.float64):
        for width in range(64, 2113, 64):
            x = (random.standard_normal((4, width)) * 10.0 ** random.integers(-6, 6, (4, width))).astype(dtype)
            for what, kernel in ((1, np.max), (2, np.min), (3, np.sum), (4, np.mean)):
                found = np.empty((4, 1), dtype)
                assert expressions.engine.reduce_rows(what, x, found)
                assert found.tobytes() == kernel(x, -1, keepdims=True).tobytes(), (dtype, width, what)


def test_what_is_left_to_numpy() -> None:
    x, found = np.ones((2, 64)), np.empty((2, 1))
    x[1, 9] = np.nan
    for what in (1, 2, 3, 4):
        assert not expressions.engine.reduce_rows(what, x, found)
    x[:] = -0.0
    assert expressions.engine.reduce_rows(1, x, found) and np.signbit(found).all()
    x[1, 5] = 0.0
    assert not expressions.engine.reduce_rows(1, x, found)


def test_what_is_no_rows() -> None:
    assert rows.are_those_of_numpy()
    with pytest.raises(TypeError):
        expressions.engine.run_rows(None)
    with pytest.raises(ValueError, match="PyCapsule"):
        expressions.engine.Rows(None, (), 0, 0, (), None)
