"""``unflatten``: calls of a module with dynamic sizes have one graph where they are alike."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, InterpreterModule, InterpreterModuleDispatcher, UserError, custom_op, export, new_size, nn, unflatten
from tests.support.layers import Net, f32

N, M = Dim("n", min=1), Dim("m", min=4)


def kept(x):
    return x[x > 0]


def linear():
    return nn.Linear(3, 3)


def said(program, args):
    tree, module = unflatten(program), program.module()
    for given in args:
        one, other = tree(*given), module(*given)
        for left, right in zip(*(each if isinstance(each, tuple) else (each,) for each in (one, other)), strict=True):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)
    return tree


ALIKE = {
    "two sizes": (lambda self, x, y: (self.f(x), self.f(y)), linear(), ((5, 3), (4, 3)), ({0: N}, {0: M}), [((1, 3), (9, 3))]),
    "derived": (lambda self, x: (self.f(x), self.f(np.concatenate([x, x]))), linear(), ((5, 3),), ({0: N},), [((1, 3),), ((7, 3),)]),
    "halved": (lambda self, x: self.f(self.f(x)), nn.MaxPool1d(2), ((2, 1, 8),), ({2: M},), [((2, 1, 5),), ((2, 1, 16),)]),
    "of data": (lambda self, x: (self.f(x[x > 0]), self.f(kept(-x)), self.f(x)), nn.ReLU(), ((6,),), ({0: N},), [((9,),), ((1,),)]),
    "cut": (lambda self, x: (self.f(x), self.f(x[1:])), nn.GELU(), ((6,),), ({0: N},), [((1,),), ((3,),)]),
}


@pytest.mark.parametrize(("forward", "layer", "shapes", "dims", "others"), ALIKE.values(), ids=ALIKE)
def test_calls_that_are_alike_but_for_sizes_have_one_graph(forward, layer, shapes, dims, others):
    program = export(Net(forward, f=layer), tuple(f32(*shape) for shape in shapes), dynamic_shapes=(dims,))
    calls = [tuple(f32(*shape) for shape in each) for each in (shapes, *others)]
    assert type(said(program, calls).f) is InterpreterModule


@custom_op("unflatten::kept")
def kept_by_operator(x: np.ndarray) -> np.ndarray:
    return x[x > 0]


@kept_by_operator.register_fake
def _(x):
    return np.empty(new_size(), x.dtype)


def scaled(self, x, y):
    return np.concatenate([x * 2, y])


DIFFER = {
    "of two sizes and of one": (lambda self, x, y: (self.f(x, x), self.f(x, y)), Net(scaled), ((5,), (4,)), ({0: N}, {0: M}), []),
    "static and dynamic": (lambda self, x, y: (self.f(x), self.f(y)), linear(), ((5, 3), (4, 3)), ({0: N}, None), [((2, 3), (4, 3))]),
    "held to its fake": (
        lambda self, x, y: (self.f(x), self.f(y)),
        Net(lambda self, x: kept_by_operator(x) * 2),
        ((5,), (4,)),
        ({0: N}, {0: M}),
        [((1,), (7,))],
    ),
}


@pytest.mark.parametrize(("forward", "layer", "shapes", "dims", "others"), DIFFER.values(), ids=DIFFER)
def test_calls_that_differ_have_graphs_of_their_own(forward, layer, shapes, dims, others):
    program = export(Net(forward, f=layer), tuple(f32(*shape) for shape in shapes), dynamic_shapes=(dims,))
    calls = [tuple(f32(*shape) for shape in each) for each in (shapes, *others)]
    assert type(said(program, calls).f) is InterpreterModuleDispatcher


def test_calls_in_other_error_states_have_graphs_of_their_own():
    def forward(self, x, y):
        with np.errstate(invalid="ignore"):
            first = self.f(x)
        with np.errstate(invalid="raise"):
            return first, self.f(y)

    program = export(Net(forward, f=Net(lambda self, x: np.sqrt(x))), (np.ones(2), np.ones(4)), dynamic_shapes=(({0: N}, {0: M}),))
    tree = unflatten(program)
    assert type(tree.f) is InterpreterModuleDispatcher
    assert np.isnan(tree(-np.ones(2), np.ones(4))[0]).all()
    with pytest.raises(FloatingPointError):
        tree(np.ones(2), -np.ones(4))


def test_preserved_signatures_keep_their_sizes():
    """Each is called by itself, with inputs of its own sizes."""
    net = Net(lambda self, x, y: (self.f(x), self.f(y)), f=linear())
    program = export(net, (f32(5, 3), f32(4, 3)), dynamic_shapes=(({0: N}, {0: M}),), preserve_module_call_signature=("f",))
    tree = said(program, [(f32(1, 3), f32(6, 3))])
    assert type(tree.f) is InterpreterModuleDispatcher
    np.testing.assert_array_equal(tree.f(x := f32(2, 3)), net.f(x))


def test_a_module_without_a_signature_of_its_own_says_what_it_takes():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 2)

        def forward(self, x):
            return self.linear(x.reshape(-1, 3))

    tree = unflatten(export(Two(), (np.ones((4, 3)),), dynamic_shapes=({0: Dim("n")},)))
    told = r"it takes what its graph takes, by position \(.*\); .* came\nHint: .*preserve_module_call_signature"
    for call in (lambda: tree.linear(), lambda: tree.linear(np.ones((4, 3)), 1, 2), lambda: tree.linear(input=np.ones((4, 3)))):
        with pytest.raises(UserError, match=told):
            call()
