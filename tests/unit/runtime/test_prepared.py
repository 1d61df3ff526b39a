"""What state alone decides is computed once, and never stale."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

from npexport import export, nn, opaque
from npexport.nn import functional as F
from npexport.runtime.compilation.prepared import prepare


def image(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


class Net(nn.Module):
    """Of convolutions that ``fast_math`` prepares, and of weights that are prepared without."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.scale = nn.Parameter(image(8))

    def forward(self, x):
        return F.relu(self.norm(self.conv(x))) * np.exp(self.scale * 2).reshape(8, 1, 1)


X = image(2, 8, 24, 24, seed=1)


@pytest.fixture
def net():
    nn.init.manual_seed(0)
    return Net().eval()


def expected(run):
    """What the state of now gives, by a new network."""
    net = Net().eval()
    net.load_state_dict({name: np.array(array) for name, array in run.state_dict().items()})
    return net(X)


@pytest.mark.parametrize("fast_math", [False, True])
def test_changes_of_the_state_are_seen(net, fast_math):
    program = export(net, (X,))
    run = program.module(fast_math=fast_math)
    tolerance = {"atol": 1e-4} if fast_math else {"atol": 0, "rtol": 0}
    np.testing.assert_allclose(run(X), net(X), **tolerance)
    state = {name: array * np.float32(1.5) if array.dtype.kind == "f" else array for name, array in net.state_dict().items()}
    run.load_state_dict(state)
    np.testing.assert_allclose(run(X), expected(copy.deepcopy(run)), **tolerance)
    run.load_state_dict(net.state_dict())
    np.testing.assert_allclose(run(X), net(X), **tolerance)
    arrays = dict(run.named_parameters()) | dict(run.named_buffers())
    for name, array in arrays.items():  # the very arrays of the module, written to between calls
        if array.dtype.kind == "f":
            run(X)
            array[...] = array * np.float32(0.5) + np.float32(0.25)
            np.testing.assert_allclose(run(X), expected(run), err_msg=name, **tolerance)
    arrays["conv.weight"][0, 0, 0, 0] = np.nan
    assert np.isnan(run(X)).any()
    assert np.isnan(run(X)).any()
    run.load_state_dict(net.state_dict())
    np.testing.assert_allclose(run(X), net(X), **tolerance)
    np.testing.assert_allclose(program.module(fast_math=fast_math)(X), net(X), **tolerance)


@pytest.mark.parametrize("fast_math", [False, True])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))], ids=["copied", "pickled"])
def test_copies_have_the_state_that_was_loaded(net, fast_math, again):
    run = export(net, (X,)).module(fast_math=fast_math)
    run.load_state_dict({name: array * np.float32(2) if array.dtype.kind == "f" else array for name, array in net.state_dict().items()})
    other = again(run)
    np.testing.assert_array_equal(other(X), run(X))
    for name, array in other.named_parameters():
        array[...] = 0  # what callers get they may write to
        assert not dict(other.named_parameters())[name].any()
    assert not np.array_equal(other(X), run(X))


def test_state_that_was_loaded_is_nobody_elses(net):
    run = export(net, (X,)).module()
    mine = net.state_dict()
    run.load_state_dict(mine)
    before = run(X)
    for array in mine.values():
        array[...] = 0
    np.testing.assert_array_equal(run(X), before)


def test_two_modules_have_their_own_state(net):
    program = export(net, (X,))
    one, other = program.module(fast_math=True), program.module(fast_math=True)
    one.load_state_dict({name: array * 0 for name, array in net.state_dict().items()})
    for _ in range(2):
        np.testing.assert_allclose(other(X), net(X), atol=1e-4)
        assert np.abs(one(X)).max() == 0


def prepared_calls(program):
    return [node.name for node in prepare(program).graph.nodes if getattr(node.target, "name", "") == "prepared"]


def test_warnings_are_given_in_every_call():
    weights = np.array([0.0, 1.0, np.inf])
    program = export(lambda x: x + (np.log(weights) + np.sin(weights)), (np.ones(3),))
    assert prepared_calls(program)
    run = program.module()
    for _ in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(np.ones(3))
        assert sorted(str(each.message) for each in caught) == [
            "divide by zero encountered in log",
            "invalid value encountered in sin",
        ]
        with pytest.raises(FloatingPointError), np.errstate(all="raise"):
            run(np.ones(3))


def test_what_leaves_the_program_is_made_in_every_call():
    weights = np.arange(3.0)
    program = export(lambda x: (np.sqrt(weights), x + np.sqrt(weights) * 2, np.exp(weights)[1:]), (np.ones(3),))
    run = program.module()
    first = run(np.ones(3))
    for array in first:
        array[...] = 7
    for found, wanted in zip(run(np.ones(3)), (np.sqrt(weights), 1 + np.sqrt(weights) * 2, np.exp(weights)[1:]), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_state_that_a_call_writes_to_is_not_prepared():
    class Counter:
        def __init__(self):
            self.w = np.ones(3)

        def __call__(self, x):
            y = x * np.exp(self.w)
            self.w += 1
            return y + np.exp(self.w)

    program = export(Counter(), (np.ones(3),))
    assert not prepared_calls(program)
    run, eager = program.module(), Counter()
    for _ in range(3):
        np.testing.assert_array_equal(run(np.ones(3)), eager(np.ones(3)))


def test_functions_of_users_get_arrays_of_their_own():
    def spoil(x):
        result = x + 1
        x[...] = 0
        return result

    spoiled = opaque(spoil, lambda x: np.empty_like(x), name="tests_prepared::spoil")
    weights = np.arange(3.0)
    program = export(lambda x: x + spoiled(np.exp(weights)), (np.ones(3),))
    assert not prepared_calls(program)
