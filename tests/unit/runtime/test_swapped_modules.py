"""Modules that `unflatten` made, and others in their places."""

import pickle

import numpy as np
import pytest

from npexport import InternalError, ModuleCallEntry, UserError, export, nn, unflatten
from tests.support.forms import reloaded
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


def activations():
    act = nn.ReLU()
    return Net(lambda self, x: self.seq(self.act(self.idle(x))), act=act, seq=nn.Sequential(linear(), act), idle=nn.Identity(), other=act)


def test_modules_without_arrays_have_all_their_names(tmp_path):
    net = activations()
    net.seq.append(net.idle)
    program = export(net, (X,), preserve_module_call_signature=("act",))
    for each in (program, reloaded(program)):
        tree = unflatten(each)
        assert [name for name, _ in tree.named_modules(remove_duplicate=False)] == [
            name for name, _ in net.named_modules(remove_duplicate=False)
        ]
        assert tree.act is getattr(tree.seq, "1") is tree.other and tree.idle is getattr(tree.seq, "2")
        equal(tree(X), net(X))
        for path in ("act", "other"):
            tree = unflatten(each)
            setattr(tree, path, np.tanh)
            with pytest.raises(UserError, match="were one module, and are two"):
                tree(X)
        tree.act = tree.other = np.tanh
        setattr(tree.seq, "1", np.tanh)
        linear_alone = net.seq[0](np.tanh(X))
        equal(tree(X), np.tanh(linear_alone))
    assert [(entry.fqn, entry.same_as) for entry in program.module_call_graph if entry.same_as] == [
        ("seq.1", "act"), ("idle", "seq.2"), ("other", "act"),
    ]  # fmt: skip


@pytest.mark.parametrize("path, first", [("act.more", "act"), ("act", "seq.0"), ("more", "nothing"), ("act.a", "seq")])
def test_paths_that_no_module_has_are_refused(path, first):
    program = export(activations(), (X,))
    program._module_calls.append(ModuleCallEntry(path, same_as=first))
    if (path, first) == ("act.a", "seq"):
        program._module_calls.append(ModuleCallEntry("seq.a", same_as="act"))
    with pytest.raises(InternalError, match="another path of the sub-module|one name"):
        program.validate()


def swapped_by(other, program):
    tree = unflatten(program)
    tree.a = tree.b = tree.inner.lin = other
    return tree
