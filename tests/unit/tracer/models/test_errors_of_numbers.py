"""Calls with a number that only the data know, for some of which they raise: what handlers make of that (the exceptions that
they raise from it included), and what happens where nobody uses the result, are as in eager execution, or refused."""

import linecache
import math
import operator

import numpy as np
import pytest

from npexport import export
from npexport.symshapes.errors import ExportError
from tests.support.functions import function_of
from tests.support.shards import shard

CALLS = """
np.take(x, k)
x.take(k)
x.take([0, k])
np.choose(k, [x, -x])
np.put(x, k, 3.0)
np.add.at(x, k, 1.0)
np.add.at(x, [0, k], 1.0)
np.repeat(x, k)
np.roll(x, k)
np.delete(x, k)
np.insert(x, k, 5.0)
np.split(x, [k])
np.array_split(x, k)
np.unravel_index(k, (2, 2))
np.ravel_multi_index((k, 0), (2, 2))
np.bincount(np.array([k]))
np.add.reduceat(x, [k])
np.partition(x, k)
np.expand_dims(x, k)
np.sum(x, axis=k)
x.reshape(k, -1)
x.reshape(k)
np.resize(x, k)
np.zeros(k)
np.ones((k, 2))
np.arange(k)
np.linspace(0, 1, k)
np.eye(k)
np.identity(k)
np.indices((k, 2))
np.tri(k)
np.percentile(x, k)
np.quantile(x, k)
np.moveaxis(x[None], k, 0)
x[k:]
x[k]
x.flat[k]
x.flat[[0, k]]
x[[0, k]]
x[k, ...]
x[None][k]
x[::-1][k]
x[k:k + 2][1]
np.diff(x, k)
np.tile(x, k)
np.pad(x, k)
np.hanning(k)
np.full(k, 1.0)
np.empty(k).size
np.diag(x, k)
np.fft.fft(x, k)
np.convolve(x, np.ones(k))
np.lib.stride_tricks.sliding_window_view(x, k)
np.lib.stride_tricks.as_strided(x, (k,), (8,))
np.broadcast_to(x, (k, 3))
np.power(2, k)
2 ** k
1 << k
np.float64(1) / k
1 // k
7 % k
divmod(5, k)
np.uint8(k)
np.array(k, np.int8)
np.binary_repr(k, 4)
range(k)[0]
[1, 2, 3][k]
(1, 2, 3)[k]
'abc'[k]
max(range(k))
next(iter(range(k)))
np.linalg.matrix_power(np.eye(2), k)
np.vander(x, k)
np.digitize(x, [0, k])
np.histogram(x, k)[0]
x.item(k)
np.cumsum(x, k)
np.concatenate([x, x], k)
np.take_along_axis(x, np.array([k]), 0)
np.random.default_rng(0).integers(k)
np.random.default_rng(0).normal(size=k)
complex(1) / k
math.factorial(k)
math.sqrt(k)
math.comb(5, k)
operator.index(k)
np.nonzero(x)[0][k]
np.unique(x)[k]
np.sort(x)[k]
""".strip().splitlines()
HANDLERS = {
    "returns": "return 'failed'",
    "raises": "raise RuntimeError('mine') from error",
    "writes": "x *= 0; r = 7",
    "raises another": "raise RuntimeError('mine')",
    "raises from nothing": "raise RuntimeError('mine') from None",
    "raises again": "x *= 0; raise",
    "tells": "return type(error).__name__, str(error), error.args",
}
CAPTURED = {"np.take(x, k)", "x.take(k)", "np.power(2, k)", "x[k]", "1 // k"}
"""Of these every form is captured, but for those of `_OFTEN_REFUSED`."""
_OFTEN_REFUSED = ("raises again", "tells")
"""A write before what is raised again; a text on one side and a number on the other."""
LEFT = "    return r, x\n"


def program(call, handler):
    """The call under a handler, or with a result that nobody uses."""
    lines = [f"try: r = {call}", f"except Exception as error: {HANDLERS[handler]}"] if handler else [call, "r = 1"]
    source = "def program(x, i):\n    x, k = x.copy(), int(i[0])\n" + "".join(f"    {line}\n" for line in lines) + LEFT
    if handler:
        source = source.replace("except Exception", "except (IndexError, ValueError, ZeroDivisionError, OverflowError, TypeError)")
    name = f"<{handler} {call}>"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    return function_of(compile(source, name, "exec"), {"np": np, "math": math, "operator": operator})


def outcome(function, number):
    try:
        return function(np.array([3.0, 1.0, 2.0]), np.array([number]))
    except Exception as error:
        return chain(error)


def chain(error):
    """What an exception says, what it was raised from or while, and whether a traceback shows that."""
    if error is None:
        return None
    return type(error).__name__, str(error), error.__suppress_context__, chain(error.__cause__), chain(error.__context__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("handler", [None, *HANDLERS], ids=str)
@pytest.mark.parametrize("call", shard(CALLS, 4))
def test_as_in_eager_execution_or_refused(call, handler):
    function = program(call, handler)
    try:
        run = export(function, (np.array([3.0, 1.0, 2.0]), np.array([1]))).module()
    except ExportError as refusal:
        assert refusal.code.startswith("E1"), refusal
        assert call not in CAPTURED or handler in _OFTEN_REFUSED
        return
    for number in (1, 0, 2, 3, 7, -1, -9, 4):
        actual, wanted = outcome(run, number), outcome(function, number)
        np.testing.assert_equal(actual, wanted, err_msg=str(number))
        assert repr(actual) == repr(wanted)
