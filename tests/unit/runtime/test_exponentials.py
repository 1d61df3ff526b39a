"""`exp` of single precision in chains of C: NumPy's bits, warnings and errors for numbers of all sizes, wherever they lie."""

import numpy as np
import pytest

from npexport import export
from npexport.ir import numpy_internals
from npexport.runtime import chains, exponentials, expressions
from npexport.runtime.expression_calls import Calls
from npexport.runtime.module import make_module
from tests.support.blocks import observed

pytestmark = pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")
STATES = ({"all": "ignore"}, {"all": "warn"}, {"all": "raise"}, {"under": "raise", "over": "ignore"}, {"under": "warn", "over": "raise"})
EDGES = [
    *(0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40, -1e-40),
    *(88.0, 88.01, 88.72, 88.73, -86.0, -86.01, -87.4, -104.0, -1e9, 3e38),
]


def hold(function, args, states=STATES):
    """Hold a program to its source, and its warnings and errors to those of the nodes one by one."""
    program = export(function, args)
    run, plain = program.module(), make_module(program, True, threads=0)
    for state in states:
        for _ in range(2):  # a run that gave up is not tried again at once
            with np.errstate(**state):
                found = observed(run, args)
                assert found == observed(plain, args), state
                expected, _ = observed(function, args)
                if not isinstance(expected[0][1], str):
                    assert found[0] == expected, state


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


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


def test_it_is_a_step_of_a_chain_for_floats_of_four_bytes_only():
    x = np.linspace(-3, 3, 50)
    if exponentials.are_those_of_numpy():
        assert steps_of(sigmoid, (x.astype("f4"),)) == [["take", "negative", "exp", "add", "divide into", "give"]]
    assert not any("exp" in steps for steps in steps_of(sigmoid, (x,)))


def test_without_numpys_bits_there_is_none(monkeypatch):
    monkeypatch.setattr(exponentials, "are_those_of_numpy", lambda: False)
    assert not any("exp" in steps for steps in steps_of(sigmoid, (np.ones(50, "f4"),)))


def test_a_loop_that_computes_something_else_is_told_apart():
    single = np.dtype("f4")
    for ufunc in (np.exp2, np.expm1, np.tanh, np.positive):
        _, loop = numpy_internals.loop_of(ufunc, (single, None))
        assert expressions.engine.exponentials(loop) is False


def test_only_a_loop_is_asked():
    with pytest.raises((TypeError, ValueError)):
        expressions.engine.exponentials(1)


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


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 31, 64, 65, 255, 300, 1000, 5000])
def test_every_length_with_every_edge(count):
    rng = np.random.default_rng(count)
    x = (rng.standard_normal(count) * 20).astype("f4")
    hold(sigmoid, (x,))
    for edge in EDGES:
        changed = x.copy()
        changed[rng.integers(count)] = edge
        hold(sigmoid, (changed,))


@pytest.mark.parametrize("columns", [1, 3, 8, 33, 300, 1030])
def test_rows_gaps_and_columns(columns):
    rng = np.random.default_rng(columns)
    x = (rng.standard_normal((9, 3 * columns)) * 5).astype("f4")
    middle = x.max(axis=-1, keepdims=True)
    for view in (x, x[:, :columns], x[:, ::3], x[::-1], x.T.copy().T):
        hold(centred, (view, middle))
        hold(softmax, (view,))
    x[4, 1:] = -np.inf
    hold(softmax, (x,))
    x[5, 0] = np.nan
    hold(softmax, (x,))


@pytest.mark.parametrize("special", [None, -np.inf, np.nan, -1e9, np.inf])
def test_blocks_of_a_large_array(special):
    x = np.random.default_rng(0).standard_normal((2048, 700)).astype("f4")
    if special is not None:
        x[1500, 3:40] = special
    hold(softmax, (x,), STATES[:3])
