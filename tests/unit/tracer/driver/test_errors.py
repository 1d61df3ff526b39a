"""Shapes, dtypes and axes that do not fit: the program gets the errors of NumPy while it is exported, and ``try`` works with them."""

from __future__ import annotations

import sys
import traceback
import warnings

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, nn
from tests.support.shards import shard

EXPRESSIONS = """
x[5]
x[0,9]
x[0,0,0]
x['a']
x[1.5]
x[[0,7]]
x[np.array([0,9])]
x[np.array([True,False])]
x[None,...,...]
x[x>0,0,0]
x[:, :, 0]
x[1:2:0]
x + np.ones(3)
x - np.ones((2,2))
x * [1,2,3]
x @ x
x @ np.ones(3)
np.matmul(x, 3)
np.dot(x, x)
np.inner(x, np.ones(3))
np.tensordot(x, x, 1)
np.vdot(x, np.ones(3))
np.einsum('ij,jk->ik', x, x)
np.einsum('ijk->i', x)
np.einsum('ij->k', x)
np.einsum('ij,jk', x)
np.einsum('i j->', x, x)
np.sum(x, axis=2)
np.sum(x, axis=(0,0))
x.mean(axis=-3)
x.max(axis=5)
np.max(x[:0], axis=0)
np.max(x[:0])
np.argmax(x[:0])
np.min(np.zeros((0,3)))
np.cumsum(x, axis=3)
np.sort(x, axis=4)
np.argsort(x, axis=-5)
np.flip(x, axis=2)
np.roll(x, 1, axis=3)
np.median(x, axis=3)
np.percentile(x, 150)
np.quantile(x, -1)
np.squeeze(x, axis=0)
np.expand_dims(x, 5)
np.swapaxes(x, 0, 3)
np.moveaxis(x, 0, 4)
np.transpose(x, (0,0))
np.transpose(x, (0,))
x.transpose(0,1,2)
np.rollaxis(x, 5)
np.reshape(x, (5,))
x.reshape(-1, -1)
x.reshape(5, -1)
np.broadcast_to(x, (2,2))
np.broadcast_arrays(x, np.ones(3))
np.concatenate([x, np.ones((2,2))])
np.concatenate([x, y])
np.concatenate([])
np.concatenate([x, x], axis=2)
np.stack([x, y])
np.stack([])
np.stack([x,x], axis=4)
np.vstack([x, np.ones(3)])
np.hstack([x, np.ones((2,2))])
np.column_stack([x, np.ones(2)])
np.split(x, 2)
np.split(x, [1], axis=3)
np.array_split(x, 0)
np.repeat(x, [1,2], axis=0)
np.repeat(x, -1)
np.pad(x, 1, mode='nope')
np.pad(x, [1, 2, 3])
np.pad(x, ((1,1),(1,1),(1,1)))
np.take(x, 20)
np.take(x, [0], axis=3)
np.take_along_axis(x, np.array([0]), axis=0)
np.put(x.copy(), [100], 1)
np.delete(x, 10, axis=0)
np.insert(x, 10, 1, axis=0)
np.diff(x, n=-1)
np.diff(x, axis=5)
np.linalg.inv(x)
np.linalg.inv(y)
np.linalg.det(x)
np.linalg.solve(x, y)
np.linalg.solve(np.ones((3,3)), np.ones(4))
np.linalg.cholesky(x)
np.linalg.eig(x)
np.linalg.svd(y)
np.linalg.qr(y)
np.linalg.norm(x, ord=7)
np.linalg.norm(x, ord='bad')
np.linalg.norm(np.ones((2,2,2)), ord=2)
np.linalg.matrix_power(x, 2)
np.linalg.lstsq(x, np.ones(5))
np.linalg.multi_dot([x, x])
np.linalg.pinv(y)
np.trace(y)
np.diag(np.ones((2,2,2)))
np.diagonal(y)
np.cross(x, x)
np.kron(x, 'a')
np.where(x>0, x)
np.where(x>0, x, np.ones(3))
np.select([x>0], [x, x])
np.choose([0,1], [y])
np.clip(x, 1)
np.searchsorted(x, 1)
np.digitize(x, x)
np.interp(1, y, y[:2])
np.histogram(x, bins=-1)
np.bincount(x)
np.convolve(x, y)
np.convolve(y, [])
np.correlate(x, y)
np.meshgrid(x, indexing='q')
np.arange()
np.arange(1, 2, 0)
np.linspace(0, 1, -1)
np.zeros(-1)
np.zeros('a')
np.full((2,), x)
np.eye(-1)
np.ones((2, -3))
np.tri('a')
np.array([x, y])
np.array([[1,2],[3]])
x.astype('nope')
x.astype(int, casting='safe')
x.view('i3')
x[:, ::2].view(np.int32)
np.add(x, y, out=np.ones(3))
np.add(x, 1, out=np.ones((3,4), int))
np.add(x)
np.add(x, y, y, y)
np.add(x, y, foo=1)
np.sin(x, where=5, bad=1)
np.bitwise_and(x, 1)
x & 1
~x
x << 2
-(x > 0)
(x > 0) - (x > 0)
np.logical_not(x, out=1)
x ** 'a'
x + 'a'
x + None
x + {}
'a' + x
x < 'a'
x % None
x // 'b'
divmod(x, 'a')
abs('a') + x
x.foo
np.sum()
np.sum(x, bad=1)
np.nothing(x)
x.shape.foo
len(x[0,0])
iter(x[0,0])
x()
x.T.bar()
np.fft.fft(x, n=0)
np.fft.fft(x, axis=4)
np.fft.fft2(y)
np.unravel_index(100, (2,2))
np.ravel_multi_index((5,5), (2,2))
np.packbits(x)
np.unpackbits(x)
np.lexsort(x, axis=3)
np.partition(x, 10)
np.unique(x, axis=3)
np.average(y, weights=[1,2])
np.average(x, weights=[1,2,3])
np.corrcoef(np.ones((2,2,2)))
np.gradient(y, axis=2)
np.gradient(y[:1])
np.polyfit(y, y[:2], 1)
np.polyval(y)
np.apply_along_axis(np.sum, 3, x)
np.vectorize(lambda a: a)(  )
np.outer(x)
np.atleast_2d(x, bad=1)
np.ix_(x)
np.fill_diagonal(y.copy(), 1)
np.triu(y[0])
np.nan_to_num(x, nan='a')
np.nan_to_num(x[0, 0], copy=False)
np.nan_to_num([1.5, x[0, 0]], copy=False)
np.nan_to_num(x, copy='no')
np.round(x, 'a')
np.isclose(x, y, rtol='a')
np.array_equal(x)
np.asarray(x, dtype='zz')
np.lib.stride_tricks.sliding_window_view(x, 10)
np.lib.stride_tricks.sliding_window_view(x, (1,2,3))
x.flatten('Z')
x.ravel(5)
x.item(100)
x.dot(x)
x.squeeze(1)
x.argmax(3)
x.take(50)
x.var(axis='a')
x.sort(axis=4)
np.float64('abc')
np.dtype('bad')
np.result_type(x, 'bad')
np.result_type((x, 1))
np.zeros(2, (x, 2))
np.dtype([('a', (x, 2))])
np.can_cast(3)
np.promote_types('f8')
np.shape(x)[5]
x.__index__()
hash(x)
{x: 1}
""".strip().splitlines()  # fmt: skip


def inputs():
    return np.arange(12.0).reshape(3, 4) + 1, np.arange(4.0) + 1


def functions(expression):
    """One that does not catch what the expression raises, one that does and goes on."""
    space = {"np": np}
    source = "def plain(x, y):\n    return {0}\n\ndef trying(x, y):\n    try:\n        return {0}\n    except Exception as error:\n"
    exec(source.format(expression) + "        return x * 2, type(error).__name__, str(error)\n", space)
    return space["plain"], space["trying"]


def raised(call, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(*args)
        except Exception as error:
            return error
    raise AssertionError("nothing was raised")


NAMED_BY_C = {"{x: 1}"} if sys.version_info >= (3, 14) else set()
"""CPython 3.14 names the class of a key that has no hash: that of the stand-in, where it should name the array's."""


@pytest.mark.parametrize("expression", shard([each for each in EXPRESSIONS if each not in NAMED_BY_C], 2))
def test_errors_are_those_of_numpy(expression):
    plain, trying = functions(expression)
    expected = raised(plain, *inputs())
    actual = raised(export, plain, inputs())
    assert type(actual) is type(expected) and str(actual) == str(expected)
    assert [entry.name for entry in frames(actual)] == ["plain"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = export(trying, inputs()).module()(*inputs())
    result, *told = trying(*inputs())
    np.testing.assert_array_equal(exported[0], result)
    assert list(exported[1:]) == told


def frames(error):
    """The frames of the traceback that are the program's own; those of npexport's machinery are none."""
    entries = traceback.extract_tb(error.__traceback__)
    assert not [entry for entry in entries if "kernels" in entry.filename or "interpreter" in entry.filename]
    return [entry for entry in entries if entry.filename == "<string>"]


def test_there_are_many():
    assert len(EXPRESSIONS) > 150


class Plain:
    pass


def gives_an_object(x):
    made = Plain()
    if len(x) > 9:
        return None
    return {"made": made}


def gives_an_object_array(x):
    made = np.empty(2, object)
    made[:] = x, x
    return made


def gives_one_of_two(x, early=False):
    if early:
        return Plain()
    return Plain(), x


async def gives_a_coroutine(x):
    return Plain()


class GivesAnObject(nn.Module):
    def forward(self, x):
        return Plain()


@pytest.mark.parametrize(
    "program, blamed",
    [
        (gives_an_object, 'return {"made": made}'),
        (gives_an_object_array, "return made"),
        (gives_one_of_two, "def gives_one_of_two"),
        (gives_a_coroutine, "async def gives_a_coroutine"),
        (GivesAnObject(), "return Plain()"),
    ],
)
def test_a_result_that_cannot_be_is_blamed_on_its_return(program, blamed):
    """... where the function has one; a program that gives it back on several lines is blamed as a whole."""
    with pytest.raises(Unsupported) as refused:
        export(program, (np.ones(2),))
    assert refused.value.location.source.strip().startswith(blamed)


@pytest.mark.parametrize("shapes", [None, {"x": {0: Dim("n")}}, ({0: Dim("n")},), ({0: Dim("n")}, {0: Dim("n")}), [None, None]])
def test_arguments_that_the_function_does_not_take_are_told_before_their_sizes(shapes):
    def program(x):
        return x * 2

    x = np.ones(3)
    with pytest.raises(TypeError, match="E201.*takes 1 positional argument but 2 were given"):
        export(program, (x, x), dynamic_shapes=shapes)
