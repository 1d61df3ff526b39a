"""Calls of a module that are alike are one in the tree that ``unflatten`` makes, also where the module calls others."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, InterpreterModuleDispatcher, export, nn, unflatten
from tests.support.layers import Net, f32

X = f32(4, 3)
assert_same = np.testing.assert_array_equal


def linear():
    nn.init.manual_seed(3)
    return nn.Linear(3, 3)


def tallied(self, x):
    self.calls += 1
    return self.within(x) * 2


def sided(self, x):
    return self.within(x) if x.sum() > 0 else -self.within(x)


@pytest.mark.parametrize("kept", [(), ("block",), ("block", "block.within")], ids=len)
@pytest.mark.parametrize("forward", [lambda self, x: np.sin(self.within(x)), tallied, sided])
def test_calls_of_nested_modules_that_are_alike_have_one_graph(forward, kept):
    """Also those that count, and that branch on their data: what differs is only how many came before."""
    if forward is sided:
        kept = kept[:1]
    block = Net(forward, within=Net(lambda self, x: self.linear(x), linear=linear()))
    block.register_buffer("calls", np.zeros((), np.int64))
    program = export(
        Net(lambda self, x: self.block(self.block(self.block(x))), block=block),
        (X,),
        dynamic_shapes=({0: Dim("rows")},),
        preserve_module_call_signature=kept,
    )
    tree = unflatten(program)
    assert InterpreterModuleDispatcher not in {type(module) for _, module in tree.named_modules()}
    assert_same(tree(X), program.module()(X))
    assert_same(unflatten(program)(X[:1]), program.module()(X[:1]))
    assert tree.block.calls == (3 if forward is tallied else 0)
    if kept:
        tree = unflatten(program)
        if len(kept) == 2:
            tree.block.within = block.within = Net(lambda self, x: x + 1)
            assert_same(tree(X), block.forward(block.forward(block.forward(X))))
        tree.block = lambda x: x * 2
        assert_same(tree(X), X * 8)


@pytest.mark.parametrize("inner", [lambda self, x, y: x * 1, lambda self, x, y: y * 1], ids=["first", "second"])
def test_calls_of_nested_modules_with_arguments_twice_differ(inner):
    """Where the nested module is replaced it is called as the original was, in each call."""

    def forward(self, x, y, flag):
        return self.within(x, x if flag else y) + self.within(x if flag else y, y)

    net = Net(lambda self, x, y: self.block(x, y, True) - 3 * self.block(x, y, False), block=Net(forward, within=Net(inner)))
    tree = unflatten(export(net, (X, X + 1), preserve_module_call_signature=("block.within",)))
    assert_same(tree(X, X + 1), net(X, X + 1))
    tree.block.within = net.block.within = Net(lambda self, x, y: 2 * x - y)
    assert_same(tree(X, X + 1), net(X, X + 1))
