"""Modules that `unflatten` made, and others in their places."""

import dataclasses
import itertools
import pickle

import numpy as np
import pytest

from npexport import Dim, ExportError, InternalError, ModuleCallEntry, UserError, export, nn, unflatten
from tests.support.forms import reloaded
from tests.support.layers import Net, f32
from tests.support.plain_modules import equal
from tests.support.shards import shard

X = f32(4, 3)


def linear():
    nn.init.manual_seed(0)
    return nn.Linear(3, 3)


class Shared(nn.Module):
    """One layer at five places, in modules of two names."""

    def __init__(self):
        super().__init__()
        lin = linear()
        self.a = self.b = lin
        self.inner = Net(lambda self, x: self.lin(x) * 2, lin=lin)
        self.seq = nn.Sequential(lin, self.inner, lin)

    def forward(self, x):
        again = [self.b, self.a]
        return self.seq(again[0](self.inner(self.a(x))))


PLACES = "a", "b", "inner.lin", "inner", "seq.0", "seq.1", "seq.2", "seq"
OTHERS = [nn.Sigmoid(), nn.Tanh(), nn.ReLU()]


def put(module, path, other):
    parent, _, name = path.rpartition(".")
    setattr(module.get_submodule(parent) if isinstance(module, Shared) else at(module, parent), name, other)


def at(module, path):
    for name in filter(None, path.split(".")):
        module = getattr(module, name)
    return module


@pytest.mark.parametrize("form", [lambda program: program, reloaded], ids=["exported", "reloaded"])
def test_shared_modules_are_swapped_at_one_of_their_names(form):
    """As in the original, calls by other names go on to the module that is there."""
    program = form(export(Shared(), (X,), preserve_module_call_signature=("a", "inner", "seq")))
    assert {entry.fqn: entry.called_as for entry in program.module_call_graph if entry.called_as} == {
        "a": "a", "inner": "inner", "a@1": "inner.lin", "a@2": "b", "a@3": "seq.0", "inner@1": "seq.1", "a@4": "seq.1.lin", "a@5": "seq.2",
    }  # fmt: skip
    cases = [*itertools.permutations(PLACES, 1), *itertools.permutations(PLACES, 2), *list(itertools.permutations(PLACES, 3))[::9]]
    swapped = 0
    for places in cases:
        tree, net = unflatten(program), Shared()
        for place, other in zip(places, OTHERS, strict=False):
            if any(place.startswith(f"{before}.") for before in places[: places.index(place)]):
                break  # there is no such place any more
            put(tree, place, other)
            put(net, place, other)
        else:
            swapped += 1
            equal(tree(X), net(X))
            if len(places) == 2 and swapped % 5 == 0:
                equal(pickle.loads(pickle.dumps(tree))(X), net(X))
    assert swapped > 90


def test_modules_whose_calls_do_not_tell_their_names_are_swapped_at_all_of_them():
    """The program reaches the module by a place that is no name."""

    def make():
        lin = linear()
        return Net(lambda self, x: self.b(self.table[0](self.a(x))), a=lin, b=lin, table=[lin])

    program = export(make(), (X,), preserve_module_call_signature=("a",))
    assert not any(entry.called_as for entry in program.module_call_graph)
    for name in ("a", "b"):
        tree = unflatten(program)
        setattr(tree, name, np.negative)
        with pytest.raises(UserError, match="were one module, and are two") as caught:
            tree(X)
        assert caught.value.code == "E241" and "`a` and `b`" in caught.value.message
    tree = unflatten(program)
    tree.a = tree.b = np.negative
    equal(tree(X), -X)


def test_calls_beside_a_module_go_where_its_path_leads():
    """`inner.lin` is called by the whole, too, which finds it in what stands at `inner`."""

    def make():
        return Net(lambda self, x: self.inner.lin(self.inner(x)), inner=Net(lambda self, x: self.lin(x) * 2, lin=linear()))

    other = Net(lambda self, x: self.lin(x), lin=nn.Tanh())
    tree, net = unflatten(export(make(), (X,), preserve_module_call_signature=("inner", "inner.lin"))), make()
    tree.inner = net.inner = other
    equal(tree(X), net(X))
    tree.inner = np.negative
    with pytest.raises(UserError, match=r"the module has no `inner.lin` any more"):
        tree(X)
    equal(pickle.loads(pickle.dumps(tree)).inner(X), -X)


def written(y):
    y[..., 0] = 5
    return y


def grown(y):
    y += 1
    return y


def doubled_until(x):
    while x.sum() < 100:
        x = x * 2
    return x


def stored(self, x):
    self.last = self.m(x)
    return self.last


def put_into(self, x):
    x[...] = self.m(x * 2)
    return x


GIVEN = {
    "fresh": lambda x: x * 2,
    "transposed": lambda x: (x * 2).T.T,
    "reversed": lambda x: (x * 2)[:, ::-1],
    "a view of the argument": lambda x: x[:],
    "the argument": lambda x: x,
    "reshaped": lambda x: (x * 2).reshape(-1).reshape(x.shape),
    "one of two": lambda x: x * 2 if x.sum() > 0 else x[:],
    "a constant": lambda x: np.ones((4, 3)),
    "in another order": lambda x: np.asfortranarray(x * 2),
    "written": lambda x: written(x * 2),
    "of a loop": doubled_until,
    "converted": lambda x: np.ascontiguousarray(x),
}
USED = {
    "as it is": lambda self, x: self.m(x),
    "computed with": lambda self, x: self.m(x) + 1,
    "as a view": lambda self, x: self.m(x)[...],
    "written": lambda self, x: grown(self.m(x * 3)),
    "twice": lambda self, x: (lambda y: (y, y))(self.m(x)),
    "with a view of it": lambda self, x: (lambda y: (y, y[..., None]))(self.m(x)),
    "with a view, and written": lambda self, x: (lambda y: (y[..., 0:1], written(y)))(self.m(x * 3)),
    "transposed": lambda self, x: self.m(x).T,
    "by itself": lambda self, x: self.m(self.m(x)),
    "in a dict": lambda self, x: {"a": self.m(x), "b": [self.m(x + 1)]},
    "in a branch": lambda self, x: (lambda y: y * 3 if y.sum() > 0 else -y)(self.m(x)),
    "as one of two": lambda self, x: (lambda y: y if y.sum() > 0 else x)(self.m(x)),
    "in another order": lambda self, x: np.asfortranarray(self.m(x)),
    "put into the input": put_into,
    "as the state": stored,
}
DATA = np.arange(12.0).reshape(4, 3) + 1


def around(given, used, nested):
    """A module whose `m` gives, within another module or with another one in it."""
    giving = Net(lambda self, x: given(x))
    net = Net(used, m=Net(lambda self, x: self.inner(x), inner=giving) if nested == "inside" else giving)
    return Net(lambda self, x: self.n(x), n=net) if nested == "outside" else net


KEPT = {"": ("m",), "inside": ("m", "m.inner"), "outside": ("n", "n.m")}


@pytest.mark.parametrize("given", shard(GIVEN, 3))
def test_what_a_swapped_module_gives_is_used_wherever_the_original_was(given):
    """Or it cannot be swapped: the program decides on the memory of its result."""
    refused = 0
    for used, nested in itertools.product(USED, KEPT):
        if nested and used not in ("as it is", "twice", "with a view, and written"):
            continue
        try:
            program = export(around(GIVEN[given], USED[used], nested), (DATA.copy(),), preserve_module_call_signature=KEPT[nested])
        except ExportError as error:
            assert error.code in ("E201", "E121")  # its signature cannot be preserved, or a view depends on a layout
            continue
        tree, net, path = unflatten(program), around(np.tanh, USED[used], nested), KEPT[nested][-1]
        put(tree, path, Net(lambda self, x: np.tanh(x)))
        ours, theirs = DATA.copy(), DATA.copy()
        expected = net(theirs)
        try:
            found = tree(ours)
        except UserError as error:
            assert error.code == "E241" and "cannot be" in error.message, used
            refused += 1
            continue
        equal((found, ours), (expected, theirs))
    assert not refused or given in ("one of two", "of a loop", "reshaped", "reversed", "a constant")


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
            tree, other = unflatten(each), activations()
            other.seq.append(other.idle)
            for module in (tree, other):
                setattr(module, path, nn.Tanh())
            equal(tree(X), other(X))
        tree = unflatten(each)
        tree.act = tree.other = np.tanh
        setattr(tree.seq, "1", np.tanh)
        linear_alone = net.seq[0](np.tanh(X))
        equal(tree(X), np.tanh(linear_alone))
    assert [(entry.fqn, entry.same_as) for entry in program.module_call_graph if entry.same_as] == [
        ("seq.1", "act"), ("idle", "seq.2"), ("other", "act"),
    ]  # fmt: skip


@pytest.mark.parametrize("fqn, name", [("a", "inner"), ("a", "nothing"), ("inner.lin", "b"), ("seq", "a")])
def test_calls_by_names_that_their_modules_do_not_have_are_refused(fqn, name):
    program = export(Shared(), (X,), preserve_module_call_signature=("a",))
    entries = program._module_calls
    entries[:] = [dataclasses.replace(entry, called_as=name) if entry.fqn == fqn else entry for entry in entries]
    with pytest.raises(InternalError, match="cannot be made by the name"):
        program.validate()


@pytest.mark.parametrize("path, first", [("act.more", "act"), ("act", "seq.0"), ("more", "nothing"), ("act.a", "seq")])
def test_paths_that_no_module_has_are_refused(path, first):
    program = export(activations(), (X,))
    program._module_calls.append(ModuleCallEntry(path, same_as=first))
    if (path, first) == ("act.a", "seq"):
        program._module_calls.append(ModuleCallEntry("seq.a", same_as="act"))
    with pytest.raises(InternalError, match="another path of the sub-module|one name"):
        program.validate()


OTHER_FORMS = {
    "more rows": lambda x: np.concatenate([x, x]),
    "one row": lambda x: x[:1],
    "a number": lambda x: x.sum(),
    "transposed": lambda x: x.T,
    "of another dtype": lambda x: x.astype(np.float64),
    "integers": lambda x: x.astype(int),
}


@pytest.mark.parametrize("dims", [None, ({0: Dim("n", min=2)},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("form", OTHER_FORMS)
def test_what_has_another_shape_or_dtype_than_the_original_is_refused(form, dims):
    """The program has made numbers and decisions of these."""
    net = Net(lambda self, x: self.m(x).sum() / x.shape[0] + self.m(x).dtype.itemsize, m=Net(lambda self, x: x * 2))
    tree = unflatten(export(net, (X,), dynamic_shapes=dims, preserve_module_call_signature=("m",)))
    tree.m = OTHER_FORMS[form]
    with pytest.raises(UserError, match=r"returns \w+\[.*\] where the original returned float32\[4, 3\]") as caught:
        tree(X)
    assert caught.value.code == "E241"


def test_sizes_that_only_the_original_tells_are_held_to_it():
    program = export(Net(lambda self, x: self.m(x) + 1, m=Net(lambda self, x: x[x > 0])), (X,), preserve_module_call_signature=("m",))
    tree = unflatten(program)
    tree.m = lambda x: -x[x > 0]
    equal(tree(X), -X[X > 0] + 1)
    tree.m = lambda x: x.ravel()
    with pytest.raises(UserError, match="where the original returned") as caught:
        tree(X)
    assert caught.value.code == "E241"


def counted(self, x):
    self.calls += 1
    return self.lin(x) + self.calls


def renewed(self, x):
    self.calls = self.calls + x.sum()
    return self.lin(x) + self.calls


def filled(self, x):
    self.calls[...] = x.sum()
    return self.lin(x) + self.calls


PLACED = {
    "one after the other": (lambda self, x: self.a(self.b(x)), ("a", "b")),
    "again and again": (lambda self, x: self.b(self.a(self.a(x) + self.b(x))), ("a", "b")),
    "in another module": (lambda self, x: self.a(self.around(x)) + self.a(x), ("a", "around", "around.c")),
}


def stateful(forward, placed):
    use, names = PLACED[placed]
    inner = Net(forward, lin=linear(), calls=nn.Buffer(np.zeros((), np.float32)))
    return Net(
        use, **{name: Net(lambda self, x: self.c(x) * 2, c=inner) if name == "around" else inner for name in names if "." not in name}
    )


@pytest.mark.parametrize("forward", [counted, renewed, filled])
@pytest.mark.parametrize(("placed", "path"), [(placed, path) for placed, (_, names) in PLACED.items() for path in names])
def test_state_that_other_names_find_stays_where_a_module_is_swapped(forward, placed, path):
    """The module is not called there any more: what it would have written is not there for its other names."""
    net = stateful(forward, placed)
    tree = unflatten(export(net, (X,), preserve_module_call_signature=PLACED[placed][1]))
    put(tree, path, nn.Tanh())
    parent, _, name = path.rpartition(".")
    setattr(at(net, parent), name, nn.Tanh())
    for _ in range(3):
        expected = net(X)
        try:
            found = tree(X)
        except UserError as error:
            assert error.code == "E241" and "not tell" in error.message and forward is renewed
            return
        equal(found, expected)
