"""Parameters that are not arrays, given what is of another kind: NumPy's result, NumPy's very error, or a refusal; never a defect."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said

CALLS = (
    "np.array(deque([x[0], x[1], 2.0]))",
    "np.mean(deque(x, maxlen=2), axis=0)",
    "np.concatenate(deque([x, x]))",
    "x + deque([1, 2])",
    "np.repeat(x, np.array([1.,2.,3.]), axis=0)",
    "np.repeat(x, 2.0)",
    "np.expand_dims(x, np.array(True))",
    "np.expand_dims(x, np.bool_(True))",
    "np.expand_dims(x, np.array(1))",
    "np.sum(x, axis=0, keepdims=np.array(True))",
    "np.sum(x, axis=0, keepdims=np.bool_(True))",
    "np.sum(x, axis=0, keepdims=[1])",
    'np.sum(x, axis=0, keepdims="yes")',
    "np.sum(x, axis=0, keepdims=None)",
    "np.sum(x, axis=0, keepdims=2)",
    "np.sum(x, axis=0, keepdims=1.0)",
    "np.max(x, axis=0, keepdims=[1])",
    "np.mean(x, axis=0, keepdims=[1])",
    'np.var(x, axis=0, keepdims="a")',
    "np.any(x, axis=0, keepdims=np.array(True))",
    'np.argmax(x, axis=0, keepdims="a")',
    'np.median(x, axis=0, keepdims="a")',
    'np.quantile(x, .5, axis=0, keepdims="a")',
    "np.sum(x, axis=1.0)",
    "np.sum(x, axis=True)",
    "np.sum(x, axis=np.array(1))",
    "np.sum(x, axis=np.array(True))",
    "np.sum(x, axis=[0,1])",
    'np.sum(x, axis="0")',
    "np.roll(x, 1.0)",
    "np.roll(x, True)",
    "np.rot90(x, 1.0)",
    "np.diag(x, 1.0)",
    "np.diag(x, True)",
    "np.tril(x, 1.0)",
    'np.triu(x, "a")',
    "np.reshape(x, (2.0, 6))",
    "np.reshape(x, (True, 12))",
    "np.reshape(x, np.array([2, 6]))",
    "np.reshape(x, np.array([2., 6]))",
    "np.tile(x, 2.0)",
    "np.split(x, 3.0)",
    "np.array_split(x, True)",
    "np.swapaxes(x, 0, 1.0)",
    "np.moveaxis(x, True, 0)",
    "np.transpose(x, (1.0, 0))",
    "np.transpose(x, (True, False))",
    "np.squeeze(x[:, :1], True)",
    "np.squeeze(x[:, :1], np.array(True))",
    "np.cumsum(x, 1.0)",
    "np.diff(x, 1.0)",
    "np.diff(x, True)",
    "np.take(x, 1.0)",
    "np.take(x, True)",
    "np.stack([x,x], axis=1.0)",
    "np.concatenate([x,x], axis=True)",
    "np.concatenate([x,x], axis=np.array(1))",
    "np.concatenate([x,x], axis=np.array(True))",
    'np.std(x, ddof="a")',
    "np.std(x, ddof=None)",
    "np.std(x, ddof=[1])",
    "np.linspace(0, 1, 3.0)+x[:, 0]",
    "np.eye(3.0)@x",
    "np.eye(3, k=1.0)@x",
    "np.zeros(3.0)+x[:,0]",
    "np.zeros(True)+x[:,0]",
    "np.full(np.array([3, 4]), 1.0)+x",
    "np.zeros(np.array([3., 4]))+x",
    "np.pad(x, 1.0)",
    "np.pad(x, True)",
    'np.clip(x, "a", 2)',
    "np.round(x, 1.0)",
    "np.round(x, True)",
    "np.sort(x, kind=3)",
    "np.sort(x, axis=1.0)",
    "np.ravel(x, order=1)",
    'np.ravel(x, order="Q")',
    'np.sum(x, dtype="nope")',
    'np.linalg.norm(x, ord="q")',
    "np.linalg.norm(x, ord=[1])",
    'np.linalg.norm(x, axis=0, keepdims="a")',
    "np.trace(x, 1.0)",
    "np.bincount(x.ravel().astype(int), minlength=2.0)",
    'np.percentile(x, "a")',
    "np.histogram(x, 3.0)",
    "np.einsum(3, x)",
    "np.tensordot(x, x.T, 1.0)",
    'np.sum(x, where="a")',
    'np.sum(x, initial="a")',
    "np.sum(x, initial=[1.0, 2.0])",
    "(float(x[0,0]) * 2).as_integer_ratio()",
    "np.flip(x, 1.0)",
    "np.flip(x, np.array(True))",
    "np.partition(x, 1.0)",
    "np.partition(x, True)",
    "np.partition(x, np.array([1.0]))",
    "np.linalg.matrix_power(x[:, :3], 2.0)",
    "np.delete(x, 1.0, 0)",
    "np.insert(x, 1.0, 0, 0)",
    "np.broadcast_to(x, (2.0, 3, 4))",
    'np.nan_to_num(x, nan="a")',
    'np.gradient(x, "a")',
    "np.quantile(x, .5, method=3)",
    "np.convolve(x[0], x[1], mode=[1])",
    "np.fft.fft(x, 3.0)",
    "np.fft.fft(x, norm=3)",
    'x.astype(int, copy="a")',
    "np.vander(x[0], 3.0)",
    "np.tri(3.0)+0*x[0,0]",
    "np.resize(x, 3.0)",
    "np.unwrap(x, axis=1.0)",
    "np.cross(x[:, :3], x[:, :3], axis=1.0)",
    "np.trapezoid(x, axis=1.0)",
    'np.digitize(x[0], np.array([1., 2]), right="a")',
    "np.searchsorted(x[0], 1.0, side=3)",
    "np.take_along_axis(x, np.array([[1.0]]), 1)",
    "np.take_along_axis(x.tolist(), np.array([[0]]), 1)",
    "np.take_along_axis(x, [[0]], 1)",
    "np.put_along_axis(x, [[0]], 3, 1)",
    "np.put_along_axis(x, ((0,),), 3, None)",
    "np.put_along_axis(x, x.astype(int).flat, 3, None)",
    "np.rollaxis(x, 1.0)",
    "np.sum(x, axis=0, keepdims=np._NoValue)",
    "np.add.reduce(x, keepdims=[1])",
    "np.maximum.reduce(x, keepdims='a')",
    "np.add.accumulate(x, axis=1.0)",
    "np.add.reduce(x, axis=np.array(True))",
    "np.gradient(x, None)",
    "np.roll(x, None)",
    "np.tril(x, None)",
    "np.triu(x, (0,))",
    "np.isclose(x, x, None)",
    "np.broadcast_to(x, True)",
    "np.full_like(x, None)",
    "np.linspace(x, 3, True)",
    "np.clip(x, None, 0.5)",
    "np.histogram(x, density={1: 2})",
    "np.histogram2d(x[0], x[1], density={})",
    "np.polyfit(x[0], x[1], 1, cov=np._NoValue)",
    "np.var(x, ddof=np._NoValue)",
    "np.interp(x, x[0], x[1], left=len)",
    "np.interp(x, x[0], x[1], right=NotImplemented)",
    "np.cross(x[:, :3], x[:, :3], axisc={1: 2})",
    "np.cov(x, ddof=deque)",
    "np.sum(x, axis=np)",
    "np.sum(x, keepdims=len)",
    "np.linspace(0, x[0, 0], np.True_)",
    "np.linspace(0, x[0, 0], np.int8(3))",
    "np.linspace(0, x[0, 0], 2.0)",
    "np.array(x, ndmin=Fraction(3))",
    "np.array(x, ndmin=np.uint8(3))",
    "np.array(x, ndmin=np.array(3))",
    "np.array(x, ndmin=None)",
    "np.einsum(x, [0, Fraction(1)], [1, 0])",
    "np.einsum(x, [0, True], [True, 0])",
    "np.einsum(x, [0, np.int8(1)], [1, 0])",
    "np.einsum(x, [0, 1.0], [1, 0])",
    "np.einsum(x, [0, -1], [-1, 0])",
    'np.asarray(x, order="f").strides',
    'np.array(x, order="f", copy=False)',
    'np.array(x.T, order="c", copy=None).strides',
    'x.astype(float, order="f", copy=False).strides',
    'x.T.astype(float, order="a", copy=False).strides',
    'x.T.ravel("k")',
    'x.reshape((4, 3), order="f")',
    'x.reshape((4, 3), order="k")',
    'x.copy("f").strides',
    'np.concatenate([x, x], axis=0).copy(order="a").strides',
    'np.full_like(x, 1, order="f").strides',
    'np.einsum("ij->ji", x, order="f").strides',
    'np.add(x, x, order="f").strides',
    'np.array([x, x], order="f").strides',
    "np.fromiter([1, 2], None) * x[0, 0]",
    "np.fromiter([1, x[0, 0]], None)",
    "np.can_cast(x.dtype, None)",
    "np.can_cast(x.dtype, np.dtypes.Float32DType)",
    "np.can_cast(x.dtype, np.float32, 'same_kind')",
    "np.linspace(0, 1, 3, dtype=('f4', (2,)))",
    'x.ravel(b"F")',
    'np.reshape(x, -1, order=b"F")',
    'x.T.flatten(np.bytes_("F"))',
    'x.ravel(np.str_("F"))',
    'x.copy(b"Z")',
    'np.ravel_multi_index(([1], [2]), (2, 3), mode=b"clip")',
    'np.einsum("ij,ij", x, x, casting=b"safe")',
    'np.einsum("ij->ji", x, order=b"C")',
    "np.vecdot(x, x, keepdims=True)",
    "np.vecdot(x, x, keepdims=np.True_)",
    "np.vecdot(x, x, keepdims=np.False_)",
    "np.vecdot(x, x, keepdims=1)",
    "x + np",
    "x[np]",
)
X = np.ones((3, 4))


@pytest.mark.parametrize("call", CALLS)
def test_arguments_of_other_kinds_are_taken_as_numpy_takes_them(call: str) -> None:
    f = eval(f"lambda x: {call}", {"np": np, "deque": deque, "Fraction": Fraction})
    expected = said(f, X.copy())
    try:
        found = said(lambda x: export(f, (x,)).module()(x), X.copy())
    except ExportError as refusal:
        assert refusal.code.startswith("E1"), refusal
        assert not isinstance(expected, tuple) or expected[0] is not TypeError, refusal
    else:
        np.testing.assert_equal(found, expected)
    if isinstance(expected, tuple) and expected[0] is TypeError:
        assert said(export(handled(f), (X.copy(),)).module(), X.copy()) == handled(f)(X.copy())


def handled(f: Any) -> Any:
    """A program that handles what the call raises."""

    def program(x: Any) -> Any:
        try:
            return f(x)
        except TypeError as error:
            return str(error)

    return program


class Point(NamedTuple):
    x: Any
    y: Any


class Numbers(list):
    """A list by another name."""


class Backwards(list):
    """A list that Python goes over."""

    def __iter__(self):
        return reversed([list.__getitem__(self, place) for place in range(len(self))])


SEQUENCES = {
    "a named tuple": lambda x: np.asarray(Point(x.sum(), x.max())),
    "a subclass of list": lambda x: np.array(Numbers([x.sum(), 2])),
    "of arrays": lambda x: np.stack(Point(x[0], x[1])) + np.concatenate(Numbers([x[2], x[0]])).sum(),
    "within a list": lambda x: np.array([Point(x.sum(), 1), Point(2, x.max()), (3, 4.5)]),
    "of sizes": lambda x: np.array(Point(len(x), 2)) * np.add(Point(x.min(), 1), Numbers([1, x.max()])),
    "of rows": lambda x: np.apply_along_axis(lambda row: Point(row.sum(), row.max()), 0, x),
    "a deque of points": lambda x: np.mean(deque([Point(x[0, 0], x[1, 1]), Point(1, 2)]), axis=0),
    "Python's own way over it": lambda x: np.array(Backwards([x.sum(), 2])),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences_of_other_classes_are_sequences(name: str) -> None:
    f = SEQUENCES[name]
    try:
        program = export(f, (X.copy(),))
    except ExportError as refusal:
        assert name == "Python's own way over it", refusal
        return
    for x in (X, X * 2 - 3):
        np.testing.assert_equal(program.module()(x.copy()), f(x.copy()))


def test_no_handler_gets_what_says_that_no_graph_holds_an_argument():
    def handled(x):
        try:
            return np.histogram(x, density={1: 2})[0]
        except TypeError:
            return x

    with pytest.raises(ExportError, match="no graph holds: an object of type dict") as caught:
        export(handled, (X,))
    assert caught.value.code == "E101"


MADE = [
    "zeros(n, str)",
    "ones((2, n), 'S')",
    "eye(n, dtype='S')",
    "identity(n, str)",
    "tri(n, dtype=str)",
    "tri(n, k=1, dtype='V')",
    "full(n, 'ab', 'U')",
]
MADE += [
    "zeros(n, ('f4', (2,)))",
    "zeros((n, 2), 'i4,(2,)f8')",
    "zeros_like(x, dtype=str)",
    "ones_like(x, dtype=('i4', (2,)))",
    "full_like(x, 3, dtype=str)",
]


@pytest.mark.parametrize("spec", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("call", MADE)
def test_dtypes_without_a_size_and_with_a_shape(call: str, spec: Any) -> None:
    """Arrays get room for one character, and the axes of the dtype."""
    program = eval(f"lambda x: (lambda made: (made, made.dtype, made.shape))((lambda n: np.{call})(x.shape[0]))", {"np": np})
    run = export(program, (X,), dynamic_shapes=spec).module()
    for x in (X, X[:2], X[:0]) if spec else (X,):
        assert repr(run(x)) == repr(program(x))
