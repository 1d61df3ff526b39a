"""`exp` in chains of C: NumPy's bits, warnings and errors for numbers of all sizes, wherever they lie."""

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_features__

from npexport import export
from npexport.ir import numpy_internals
from npexport.runtime.blocks import chains, exponentials, expressions
from npexport.runtime.blocks.expression_calls import Calls
from tests.support.blocks import hold

pytestmark = pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")
STATES = ({"all": "ignore"}, {"all": "warn"}, {"all": "raise"}, {"under": "raise", "over": "ignore"}, {"under": "warn", "over": "raise"})
EDGES = [
    *(0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40, -1e-40, 1e-160, 1e-310),
    *(88.0, 88.01, 88.72, 88.73, -86.0, -86.01, -87.4, -104.0, -1e9, 3e38),
    *(499.9, 500.1, -500.1, 709.7, 709.8, -708.5, -746.0),
    *(-105.0, -105.1, -800.0, -800.1, -3e38),
]


DTYPES = pytest.mark.parametrize("dtype", ["f4", "f8"])


def doubled(x):
    return np.exp(x) * 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def twice(x):
    return np.exp(x) + np.exp(x * 0.5)


def overflowing(x):
    return 1e30 / np.exp(x) * 1e30


def centred(x, middle):
    return np.exp(x - middle) * 0.5


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def steps_of(function, args):
    """The names of the steps of each chain of a program's first group."""
    nodes = [node for node in export(function, args).graph.nodes if node.op == "call_function"]
    calls = Calls()
    (group,) = expressions.expression_groups(nodes, lambda node: False, calls)
    layout = expressions.Layout(group, [(node, calls.of(node)) for node in group.members])
    return [[chains.STEPS[step[0]] for step in steps] for *_, steps in layout.chains()]


@DTYPES
def test_it_is_a_step_of_a_chain(dtype):
    found = steps_of(sigmoid, (np.linspace(-3, 3, 50).astype(dtype),))
    known = exponentials.are_those_of_numpy(np.dtype(dtype).itemsize)
    assert found == ([["take", "negative", "exp", "+", "divide into", "give"]] if known else [["take", "+", "divide into", "give"]])


def test_that_of_floats_is_numpys_wherever_its_own_loop_is_there():
    assert exponentials.are_those_of_numpy(4) or not __cpu_features__["FMA3"] or not __cpu_features__["AVX2"]


@DTYPES
def test_without_numpys_bits_there_is_none(monkeypatch, dtype):
    monkeypatch.setattr(exponentials, "are_those_of_numpy", lambda size: False)
    assert steps_of(sigmoid, (np.ones(50, dtype),)) == [["take", "+", "divide into", "give"]]


@DTYPES
def test_a_loop_that_computes_something_else_is_told_apart(dtype):
    for ufunc in (np.exp2, np.expm1, np.tanh, np.positive):
        _, loop = numpy_internals.loop_of(ufunc, (np.dtype(dtype), None))
        assert expressions.engine.exponentials(loop, np.dtype(dtype).itemsize) is False


def test_only_a_loop_over_floats_is_asked():
    with pytest.raises((TypeError, ValueError)):
        expressions.engine.exponentials(1, 4)
    _, loop = numpy_internals.loop_of(np.exp, (np.dtype("f2"), None))
    assert expressions.engine.exponentials(loop, 2) is False


@pytest.mark.parametrize("offset", range(4))
def test_floats_of_all_bits(offset):
    """Every 4,096th one, others for each offset, in blocks without errors and with some."""
    bits = np.arange(offset * 1021, 1 << 32, 4096, dtype=np.uint64).astype(np.uint32)
    x = bits.view(np.float32)
    program = export(sigmoid, (x,))
    ordinary = np.sort(x[(np.abs(x) < 85) & (np.abs(x) > 1e-30)])
    for values in (x, ordinary):
        with np.errstate(all="ignore"):
            run = export(sigmoid, (values,)).module() if values is not x else program.module()
            found, expected = run(values), sigmoid(values)
        known = ~np.isnan(values)
        assert np.array_equal(found[known].view(np.uint32), expected[known].view(np.uint32))
        assert np.array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("seed", range(6))
def test_doubles_of_all_sizes(seed):
    """Random ones, the halves between two steps of the table, what lies beside its steps, and small ones."""
    rng = np.random.default_rng(seed)
    halves = (rng.integers(-92_000, 92_000, 50_000) + 0.5) * (1 + rng.standard_normal(50_000) * 1e-13)
    small = rng.standard_normal(50_000) * np.exp2(rng.integers(-60, 6, 50_000))
    for x in (rng.uniform(-499, 499, 50_000), halves * np.log(2) / 128, np.rint(halves) * np.log(2) / 128, small):
        assert np.array_equal(export(doubled, (x,)).module()(x), doubled(x))


@DTYPES
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 31, 64, 65, 255, 300, 1000, 5000])
def test_every_length_with_every_edge(count, dtype):
    rng = np.random.default_rng(count)
    x = (rng.standard_normal(count) * 20).astype(dtype)
    hold(sigmoid, (x,), STATES)
    for edge in EDGES:
        changed = x.copy()
        with np.errstate(all="ignore"):
            changed[rng.integers(count)] = edge
        hold(sigmoid, (changed,), STATES)


@DTYPES
@pytest.mark.parametrize("columns", [1, 3, 8, 33, 300, 1030])
def test_rows_gaps_and_columns(columns, dtype):
    rng = np.random.default_rng(columns)
    x = (rng.standard_normal((9, 3 * columns)) * 5).astype(dtype)
    middle = x.max(axis=-1, keepdims=True)
    for view in (x, x[:, :columns], x[:, ::3], x[::-1], x.T.copy().T):
        hold(centred, (view, middle), STATES)
        hold(softmax, (view,), STATES)
    x[4, 1:] = -np.inf
    hold(softmax, (x,), STATES)
    x[5, 0] = np.nan
    hold(softmax, (x,), STATES)


@DTYPES
@pytest.mark.parametrize("special", [None, -np.inf, np.nan, -1e9, np.inf])
def test_blocks_of_a_large_array(special, dtype):
    x = np.random.default_rng(0).standard_normal((2048, 700)).astype(dtype)
    if special is not None:
        x[1500, 3:40] = special
    hold(softmax, (x,), STATES[:3])


@DTYPES
@pytest.mark.parametrize("function", [twice, overflowing])
def test_an_underflow_beside_other_errors_and_exponentials(function, dtype):
    for value in (-1e9, -104, -200, -790, 5):
        x = np.linspace(-3, 3, 3000).astype(dtype)
        x[[7, 900, 2999]] = value
        hold(function, (x,), STATES)


@DTYPES
def test_what_a_mask_of_large_negative_numbers_hides(dtype):
    scores = np.random.default_rng(0).standard_normal((12, 64, 64)).astype(dtype)
    for hidden in (-1e9, -1e10, np.finfo(dtype).min):
        mask = np.where(np.tri(64, dtype=bool), 0, hidden).astype(dtype)
        hold(lambda x, y: softmax(x * 0.125 + y), (scores, mask), STATES)
