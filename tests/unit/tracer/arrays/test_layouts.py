"""How results lie in memory: eager NumPy's answer is the program's own and that of the exported program, for every operator and layout."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.ir.op import REGISTRY
from npexport.tracer.arrays.memory import layout_inference
from tests.op_samples import has_samples, samples_of
from tests.support.comparison import steps
from tests.support.shards import shard

UNARY = """
x + 1 | -x | np.exp(x) | x == 1 | np.isnan(x) | np.add(x, 1, dtype=np.float32) | np.round(x, 1) | x.round() | np.round(x.astype(int), -1)
np.clip(x, 0, 1) | np.nan_to_num(x) | np.imag(x) | np.real(x + 1j) + 0 | np.imag(x + 1j).round() | np.angle(x) | np.conj(x + 1j)
np.sort(x, 0) | np.sort(x) | np.argsort(x, 0) | np.partition(x, 0, 0) | np.tile(x, 2) | np.repeat(x, 2, 0) | np.roll(x, 1)
np.roll(x, 1, 0) | np.flip(x) * 1 | np.rot90(x).copy("K") | np.pad(x, 1) | np.pad(x, 1, "edge") | np.where(x > 1, x, 0)
np.where(x > 1, 1, 0) | np.choose(x.astype(int) % 2, [x, -x]) | np.select([x > 1], [x], 0) | np.piecewise(x, [x > 0], [1])
np.cumsum(x, 0) | np.cumprod(x, 1) | np.add.accumulate(x) | np.diff(x, axis=0) | np.gradient(x, axis=-1) | np.gradient(x)[0]
x.sum(0, keepdims=True) | x.mean(1) | x.any(1) | x.max(-1, keepdims=True) + x | np.median(x, 0) | np.percentile(x, [25, 50], axis=0)
np.nanquantile(x, 0.5, axis=-1) | np.nanmean(x, 0) | np.copy(x) | np.copy(x, "A") | x.copy() | x.copy("F") | x.copy("A") | x.copy("K")
np.array(x, order="A") | np.array(x, int, order="A") | x.astype(int, order="A") | x.astype(int, order="F") | x.astype(int)
np.asarray(x, int, order="F") | np.asfortranarray(x) | np.array([x, x]) | np.zeros_like(x) | np.zeros_like(x, order="A")
np.full_like(x, 2, order="F") | np.ones_like(x, shape=x.shape[::-1]) | np.ones(x.shape, order="F") | x.ravel("K")
x.reshape(x.shape[::-1], order="A") | x.reshape((2, -1), order="F") | x.T + 1 | x.T.copy("K") | x.swapaxes(0, -1) * 2 | x[None] + 1
x[..., None] * 2 | np.broadcast_to(x, (2, *x.shape)).copy("K") | x.byteswap() | x.view(np.int64) + 1 | x[::-1] + 1 | x[:, ::-1].copy("K")
x[1:] + 1 | x[[0, 1]] | x[:, [0, 1]] | x[[0, 1], :1] | x[[0, 1], None] | x[[[0, 1], [1, 0]]] | x[:, [[0, 1], [1, 0]]]
x[np.ix_([0, 1], [0])] | np.take(x, [1, 0], -1) | np.take(x, [[0, 1]], 1) | np.delete(x, 0, 1) | np.insert(x, 1, 5, 1)
np.append(x, x, 0) | np.take_along_axis(x, np.argsort(x, 0), 0) | np.resize(x, (3, 5)) | np.concatenate([x, x])
np.concatenate([x, x.astype(int)], -1) | np.stack([x, x], -1) | np.hstack([x, x]) | np.dstack([x, x]) | np.block([[x], [x]])
np.kron(x, x) | np.kron(np.eye(2), x) | np.triu(x) | np.diagonal(x).copy("K") | np.multiply.outer(x, x[0]) | np.tensordot(x, x, 0)
x @ np.swapaxes(x, -1, -2) | np.dot(x, np.swapaxes(x, -1, -2)) | np.outer(x, x) | np.einsum("ij...->ji...", x)
np.einsum("ij...->ji...", x).copy("K") | np.einsum("ij...,ij...->ji...", x, x) | np.einsum("ij...,ij...->ij...", x, x, order="A")
np.fft.fft(x, axis=0) | np.fft.rfft(x) | np.linalg.pinv(x) | np.linalg.qr(x)[1] | np.linalg.svd(x)[2]
np.linalg.solve(np.eye(x.shape[-2]) * 2, x) | np.linalg.norm(x, axis=0) | np.interp(x, [0, 1], [1, 2]) | np.digitize(x, [1, 2])
np.modf(x)[1] | np.frexp(x)[1] | np.divmod(x, 2)[1] | np.ldexp(x, 2) | np.vectorize(lambda t: t + 1)(x)
np.vectorize(abs, otypes=[float])(x) | np.frompyfunc(abs, 1, 1)(x).astype(float) | np.apply_along_axis(lambda row: row * 2, 0, x)
np.lexsort((x, x)) | np.add(x, x, order="C") | np.add(x, x, order="F") | np.negative(x, order="A") | np.modf(x, order="F")[1]
np.add(x, 1, where=x > -9) | np.linspace(x[0], x[1], 3, axis=-1) | np.modf(x, out=(None, np.zeros(x.shape)))[0]
np.lib.stride_tricks.sliding_window_view(x, 2, 0).copy("K") | np.packbits(x > 1, axis=0) | x.astype("M8[s]") == 1.5 | x.astype("S3") != 1
x.astype(int).astype("S3").astype(int)
"""
BINARY = """
x + y | y + x | np.where(x > 1, x, y) | np.maximum(x, y) | np.concatenate([y, x], 1) | np.stack([x, y]) | x == y | np.add(x, y, order="A")
np.add(x, y, where=y > -1) | np.choose(x.astype(int) % 2, [x, y]) | np.clip(x, y, 9) | x[:1] + y | x[..., :1] * y | x + y[0]
np.divmod(x, y)[0] | np.einsum("ij...,ij...->ij...", x, y) | np.take_along_axis(x, np.argsort(y, 0), 0) | x[None] + y
np.add(x, y, dtype="f4") | np.kron(x, y) | np.multiply.outer(x, y) | np.append(x, y, 0) | np.ldexp(x, y.astype(int))
np.vectorize(lambda t, u: t + u, otypes=[float])(x, y) | np.add(x[::-1], y) | np.add(x[:, ::-1], y[::-1]) | np.minimum(x, x[::-1])
np.insert(x, 0, y[0], 0) | np.select([x > 1], [y], x)
"""
LAYOUTS: dict[str, Callable[[tuple[int, ...]], Any]] = {
    "C": np.empty,
    "F": lambda shape: np.empty(shape, order="F"),
    "strided": lambda shape: np.empty([2 * size for size in shape])[(slice(None, None, 2),) * len(shape)],
    "reversed": lambda shape: np.empty(shape)[(slice(None, None, -1),) * len(shape)],
    "reversed F": lambda shape: np.empty(shape, order="F")[(slice(None, None, -1),) * len(shape)],
    "permuted": lambda shape: np.moveaxis(np.empty((shape[-1], *shape[:-1])), 0, -1),
    "columns": lambda shape: np.empty((shape[-1] + 1, *shape[-2::-1])).T[..., : shape[-1]],
    "rows": lambda shape: np.empty((shape[0] + 1, *shape[1:]))[1:],
    "repeated": lambda shape: np.broadcast_to(np.ones((1, *shape[1:])), shape),
    "repeated last": lambda shape: np.broadcast_to(np.ones((*shape[:-1], 1)), shape),
}


def program(texts: str, arguments: str) -> Callable[..., list[Any]]:
    """All expressions, each with what the program itself says of its order."""
    calls = [text.strip() for line in texts.strip().splitlines() for text in line.split("|") if text.strip()]
    counting = lambda v: v.strides if min(v.shape, default=2) > 1 else (0,) * v.ndim  # noqa: E731 -- those of other axes are refused
    scope = {"np": np, "lying": lambda v: (v, counting(v), v.flags.c_contiguous, v.flags.f_contiguous, np.isfortran(v))}
    return eval(f"lambda {arguments}: [{', '.join(f'({text!r}, lying({text}))' for text in calls)}]", scope)  # type: ignore[no-any-return]


def made(layout: str, shape: tuple[int, ...]) -> Any:
    array = LAYOUTS[layout](shape)
    if array.flags.writeable:
        array[...] = np.arange(array.size).reshape(shape) % 7 + 1
    return array


def held(function: Callable[..., list[Any]], *arrays: Any) -> None:
    with np.errstate(all="ignore"):
        expected, found = function(*arrays), export(function, arrays).module()(*arrays)
    for (text, (want, *theirs)), (_, (have, *ours)) in zip(expected, found, strict=True):
        assert steps(have) == steps(want), f"{text}: strides {have.strides}, not {want.strides}"
        assert steps(want, ours[0]) == steps(want, theirs[0]), f"{text}: the program says strides {ours[0]}, not {theirs[0]}"
        assert ours[1:] == theirs[1:], f"{text}: the program says {ours[1:]}, not {theirs[1:]}"


SHAPES = [((3, 4), layout_inference.SMALL), ((2, 3, 2), -1)]
"""Shapes, and from which size on stand-ins are smaller."""


@pytest.mark.parametrize(("layout", "shape", "small"), shard([(layout, *shape) for layout in LAYOUTS for shape in SHAPES], 3))
def test_results_lie_as_in_eager_execution(layout: str, shape: tuple[int, ...], small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_inference, "SMALL", small)
    held(program(UNARY, "x"), made(layout, shape))


@pytest.mark.parametrize(("first", "second"), shard(itertools.product(LAYOUTS, ["F", "permuted", "repeated last"]), 3))
def test_results_of_two_operands_lie_as_in_eager_execution(first: str, second: str) -> None:
    held(program(BINARY, "x, y"), made(first, (3, 4)), made(second, (3, 4)))


@pytest.mark.parametrize("view", ["x[::-1, ::-1]", "x.T"])
@pytest.mark.parametrize("layout", ["C", "reversed F", "permuted", "columns", "repeated"])
def test_results_of_overlapping_operands_lie_as_in_eager_execution(layout: str, view: str) -> None:
    x = made(layout, (4, 4))
    held(program(BINARY, "x, y"), x, eval(view))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_of_large_operands_lie_as_in_eager_execution(layout: str) -> None:
    large = """
x + 1 | np.round(x, 1) | np.copy(x, 'A') | np.pad(x, 1) | x[:, [0, 1]] | np.sort(x, 0)
x.sum(0) | np.cumsum(x, 1) | x @ x.swapaxes(-1, -2)
"""
    held(program(large, "x"), made(layout, (20, 30, 20)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_that_are_said_to_keep_c_order_do() -> None:
    others = set()
    with np.errstate(all="ignore"):
        for op in REGISTRY:
            if layout_inference.is_plain(op) and has_samples(op) and "view" not in op.traits:
                for args, kwargs in samples_of(op):
                    results = op.kernel(*args, **kwargs)
                    for result in results if isinstance(results, (tuple, list)) else [results]:
                        if np.ndim(result) > 1 and not result.flags.c_contiguous:
                            others.add(op)
    assert not others


def test_an_answer_is_not_that_of_another_call() -> None:
    x, y = np.ones((3, 4)), np.ones((3, 4), order="F")
    for first, second in ((x, y), (y, x)):
        assert export(lambda x: np.copy(x, "K"), (first,)).module()(first).flags.c_contiguous == first.flags.c_contiguous
        assert export(lambda x: np.copy(x, "K"), (second,)).module()(second).flags.c_contiguous == second.flags.c_contiguous


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="reshape has no copy= in NumPy 2.0")
@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("array", [np.ones((2, 3)), np.ones((2, 3), order="F"), np.ones((4, 3))[::2], np.ones((2, 3))[::-1]])
def test_a_copy_by_reshape_lies_in_the_order_that_is_asked_for(array: Any, order: Any) -> None:
    def program(x: Any) -> Any:
        return [y.reshape(shape, order=order, copy=True) for y in (x, x.T) for shape in (y.shape, (-1,), (6, 1), y.shape[::-1])]

    module = export(program, (array,)).module()
    assert [*map(steps, module(array))] == [*map(steps, program(array))]
