"""Modules that `unflatten` made, and others in their places."""

import pickle

import numpy as np
import pytest

from npexport import UserError, export, nn, unflatten
from tests.support.layers import Net, f32
from tests.support.plain_modules import equal

X = f32(4, 3)


def linear():
    nn.init.manual_seed(0)
    return nn.Linear(3, 3)


def test_shared_modules_are_swapped_at_all_their_names():
    """Calls of one module do not tell by which name they are made."""

    def make():
        lin = linear()
        inner = Net(lambda self, x: self.lin(x) * 2, lin=lin)
        return Net(lambda self, x: self.b(self.inner(self.a(x))), a=lin, b=lin, inner=inner)

    program = export(make(), (X,), preserve_module_call_signature=("a", "inner"))
    for names in (("a",), ("b",), ("inner.lin",), ("a", "b")):
        tree = unflatten(program)
        for name in names:
            parent, _, last = name.rpartition(".")
            setattr(getattr(tree, parent) if parent else tree, last, np.negative)
        with pytest.raises(UserError, match="were one module, and are two") as caught:
            tree(X)
        assert caught.value.code == "E241" and "`a` and `" in caught.value.message
    tree, net = unflatten(program), make()
    for each in (tree, net):
        each.a = each.b = each.inner.lin = Net(lambda self, x: -x)
    equal(tree(X), net(X))
    equal(pickle.loads(pickle.dumps(swapped_by(np.negative, program)))(X), net(X))
    tree = unflatten(program)  # what is not called any more may stay
    tree.a = tree.b = tree.inner = np.negative
    equal(tree(X), -X)


def swapped_by(other, program):
    tree = unflatten(program)
    tree.a = tree.b = tree.inner.lin = other
    return tree
