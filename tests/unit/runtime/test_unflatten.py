"""``unflatten``: the tree of modules gives what ``program.module()`` gives, in results, state, written inputs and structure."""

from __future__ import annotations

import copy
import importlib
import pickle

import numpy as np
import pytest

from npexport import (
    Dim,
    FlatArgsAdapter,
    InputMismatch,
    InterpreterModule,
    InterpreterModuleDispatcher,
    UserError,
    cond,
    custom_op,
    export,
    nn,
    ops,
    passes,
    unflatten,
    while_loop,
)
from tests.support.comparison import said
from tests.support.forms import reloaded
from tests.support.layers import LAYERS, Net, f32, seeded
from tests.support.paths import EXAMPLES

X = f32(4, 3)


def assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, (tuple, list)):
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        assert_same(list(one.values()), list(other.values()))
    elif isinstance(one, (np.ndarray, np.generic)):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def hold_to_module(program, args, calls=2):
    tree, module = unflatten(program), program.module()
    mine, its = copy.deepcopy(args), copy.deepcopy(args)
    for _ in range(calls):
        assert_same(said(tree, *mine), said(module, *its))
        assert_same(mine, its)
        assert_same(dict(sorted(tree.named_buffers())), dict(sorted(module.named_buffers())))
        assert_same(tree.state_dict(), module.state_dict())
    return tree


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    make, shape = LAYERS[name]
    program = export(seeded(make), (f32(*shape),), dynamic_shapes=({0: Dim("batch")},))
    called = {entry.fqn.partition("@")[0] for entry in program.module_call_graph[1:]}
    preserved = export(seeded(make), (f32(*shape),), dynamic_shapes=({0: Dim("batch")},), preserve_module_call_signature=tuple(called))
    for each in (program, reloaded(preserved)):
        tree = hold_to_module(each, (f32(2, *shape[1:], seed=1),), 1)
        names = [path for path, _ in tree.named_modules()]
        assert set(names) <= {path for path, _ in seeded(make).named_modules()} and called <= set(names)


def linear(seed=0):
    nn.init.manual_seed(seed)
    return nn.Linear(3, 3)


def counting(function=lambda self, x: x * self.calls):
    def forward(self, x):
        self.calls += 1
        return function(self, x)

    return Net(forward, calls=nn.Buffer(np.zeros((), np.int64)))


def write_into(self, x):
    x[0] = 7.0
    return x[1:]


def remember(self, x):
    self.last = x * 2
    return self.last


def replace_buffer(self, x):
    self.h = self.h + x.sum()
    return x * self.h


def write_and_check(self, x):
    x += 1
    y = self.lin(x)
    if x.sum() > 100:
        raise ValueError("too much")
    x *= 2
    return y


def branch(self, x):
    return cond(x.sum() > 0, lambda x: self.lin(x) * 2, lambda x: x - 1, (x,))


def loop(self, x):
    (x,) = while_loop(lambda x: x.sum() < 50, lambda x: (x + 1,), (x,))
    return self.lin(x)


def only_positive(self, x):
    found = x[x > 0]
    return found * 2, found.shape[0]


def in_two_parts(self, x):
    found = self.inner(x)[0]
    return found.reshape(-1, 1), self.lin(x) + found.sum(), found.shape[0] + 1


def shared():
    lin = linear()
    return Net(lambda self, x: self.b(self.a(x)) + self.a.weight[0], a=lin, b=lin)


def tied():
    one, two = linear(), linear(1)
    two.weight = one.weight
    return Net(lambda self, x: self.two(self.one(x)), one=one, two=two)


def twice(self, x):
    return self.inner(self.inner(x)) + self.inner(x[:2]).sum()


def structured(self, x):
    x, more = self.inner({"x": x, "k": 2})
    return {"a": [x, None], "b": more, "n": x.shape[0]}


INNER = {
    "structured": lambda self, d: (d["x"] * d["k"], ("text", True, d["x"].shape)),
    "views": lambda self, x: (x.T, x[0], x),
}


def of_users():
    @custom_op("unflatten_test::scaled", mutates_args=("x",))
    def scaled(x: np.ndarray, count: int) -> np.ndarray:
        x *= 2
        return np.repeat(x, count, axis=0)

    @scaled.register_fake
    def _(x, count):
        return np.empty((x.shape[0] * count, *x.shape[1:]), x.dtype)

    return Net(twice, inner=Net(lambda self, x: scaled(x + self.lin(x), x.shape[0])[: x.shape[0]], lin=linear()))


NETS = {
    "operator of users": of_users,
    "counting": lambda: Net(twice, inner=counting()),
    "written input": lambda: Net(lambda self, x: self.inner(x)[1:] + 1, inner=Net(write_into)),
    "view of a written input": lambda: Net(
        lambda self, x: self.outer(x)[:, 1:], outer=Net(lambda self, x: self.inner(x), inner=Net(write_into))
    ),
    "first value": lambda: Net(lambda self, x: self.inner(x) + 1, inner=Net(remember)),
    "replaced": lambda: Net(twice, inner=Net(replace_buffer, h=nn.Buffer(np.zeros((), np.float32)))),
    "raises": lambda: Net(lambda self, x: self.inner(x) * 2, inner=Net(write_and_check, lin=linear())),
    "branch": lambda: Net(twice, inner=Net(branch, lin=linear())),
    "loop": lambda: Net(lambda self, x: self.inner(x) - 1, inner=Net(loop, lin=linear())),
    "sizes of data": lambda: Net(in_two_parts, inner=Net(only_positive), lin=linear()),
    "shared": shared,
    "tied": tied,
    "structured": lambda: Net(structured, inner=Net(INNER["structured"])),
    "views": lambda: Net(lambda self, x: self.inner(x), inner=Net(INNER["views"])),
    "identity": lambda: Net(lambda self, x: (self.inner(x), x), inner=nn.Identity()),
    "batch norm": lambda: Net(twice, inner=nn.BatchNorm1d(3)),
    "inside of three": lambda: nn.Sequential(nn.Sequential(nn.Sequential(linear(), nn.ReLU()), linear(1)), counting()),
    "names of ours": lambda: Net(lambda self, x: self.graph(x) * self.print_readable, graph=linear(), print_readable=nn.Parameter(X[0])),
    "its own graph": lambda: Net(lambda self, x: self.inner(x), inner=Net(lambda self, x: x * self.graph, graph=nn.Parameter(X[0]))),
    "several lists": lambda: Net(
        lambda self, x: sum(layer(x) for layer in self.layers) + self.heads["a"](x),
        layers=nn.ModuleList([linear(i) for i in range(11)]),
        heads=nn.ModuleDict({"a": nn.ReLU(), "b": linear()}),
    ),
}


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("saved", [False, True], ids=["", "saved"])
def test_networks(name, saved):
    program = export(NETS[name](), (X.copy(),))
    tree = hold_to_module(reloaded(program) if saved else program, (X.copy(),), 3)
    called = {entry.fqn.partition("@")[0] for entry in program.module_call_graph[1:]}
    for path in called:
        assert isinstance(tree.get_submodule(path), (InterpreterModule, InterpreterModuleDispatcher))


PRESERVED = {name: make for name, make in NETS.items() if name not in ("written input", "view of a written input", "raises", "branch")}


@pytest.mark.parametrize("name", PRESERVED)
def test_preserved_signatures_change_nothing(name):
    program = export(NETS[name](), (X.copy(),))
    called = {entry.fqn.partition("@")[0] for entry in program.module_call_graph[1:]}
    preserved = export(NETS[name](), (X.copy(),), preserve_module_call_signature=tuple(called))
    assert all(entry.signature is not None for entry in preserved.module_call_graph)
    assert_same(said(preserved.module(), X.copy()), said(program.module(), X.copy()))
    hold_to_module(preserved, (X.copy(),))
    hold_to_module(reloaded(preserved), (X.copy(),))


def test_what_is_written_before_an_exception_is_written():
    program = export(NETS["raises"](), (X.copy(),))
    tree, module = unflatten(program), program.module()
    mine, its = X + 50, X + 50
    for run, x in ((tree, mine), (module, its)):
        with pytest.raises(ValueError, match="too much"):
            run(x)
    assert_same(mine, its)
    assert mine[0, 0] == X[0, 0] + 51


def test_the_line_of_an_exception_is_told():
    program = export(Net(lambda self, x, i: self.inner(x, i), inner=Net(lambda self, x, i: x[i])), (X, np.array([1])))
    with pytest.raises(IndexError) as caught:
        unflatten(program)(X, np.array([9]))
    assert "inner=Net(lambda self, x, i: x[i])" in "".join(caught.value.__notes__)


def test_inputs_are_checked_as_by_the_module():
    program = export(linear(), (X,), dynamic_shapes=({0: Dim("n", max=9)},))
    for wrong in (X[:, :2], X.astype("f8"), np.zeros((10, 3), "f4")):
        with pytest.raises(InputMismatch) as expected:
            program.module()(wrong)
        for call in (unflatten(program), unflatten(program).check_inputs):
            with pytest.raises(InputMismatch) as caught:
                call(wrong)
            assert str(caught.value) == str(expected.value)


def test_calls_that_are_alike_have_one_graph():
    program = export(
        Net(lambda self, x: self.same(self.same(x)) + self.differs(x) + self.differs(x[:1]), same=linear(), differs=linear(1)), (X,)
    )
    tree = unflatten(program)
    assert type(tree.same) is InterpreterModule and type(tree.differs) is InterpreterModuleDispatcher
    assert tree.same.type_name() == "Linear"
    assert [entry.fqn for entry in program.module_call_graph] == ["", "same", "same@1", "differs", "differs@1"]
    assert [[node.name for node in call.graph.placeholders] for call in tree.differs.call_modules()] == [
        ["args_0", "p_differs_weight", "p_differs_bias"],
        ["getitem", "p_differs_weight", "p_differs_bias"],
    ]
    one, other = tree.differs(X), tree.differs(X[:1])
    np.testing.assert_array_equal(one[:1], other)
    assert_same(tree.differs(X), one)  # the first call again


def test_shared_modules_are_one():
    tree = unflatten(export(shared(), (X,)))
    assert tree.a is tree.b
    assert [name for name, _ in tree.named_parameters()] == ["a.weight", "a.bias"]
    assert set(tree.state_dict()) == {"a.weight", "a.bias", "b.weight", "b.bias"}
    other = unflatten(export(tied(), (X,)))
    assert other.one is not other.two and other.one.weight is other.two.weight


class Plain:
    """No module: arrays in attributes, lists and dicts."""

    def __init__(self):
        self.table = {"w": X[0].copy(), "forward": X[1].copy()}
        self.layers = [X[2].copy(), {"b": np.zeros(3)}]
        self.total = np.zeros(3)

    def __call__(self, x):
        self.total += (x * self.table["w"] + self.layers[0]).sum(axis=0)
        return self.total * self.table["forward"] + self.layers[1]["b"]


def test_plain_classes_have_a_tree_of_their_attributes():
    tree = hold_to_module(export(Plain(), (X,)), (X,))
    np.testing.assert_array_equal(tree.table.w, X[0])
    np.testing.assert_array_equal(getattr(tree.layers, "0"), X[2])
    assert callable(tree.table.forward)  # the array of this name is out of sight
    assert tree.total.any() and [name for name, _ in tree.named_buffers()] == ["total"]
    assert unflatten(export(np.sin, (X,)))(X).dtype == X.dtype


def test_arrays_of_the_tree_are_its_own_and_may_be_replaced():
    net = Net(lambda self, x: self.lin(x), lin=linear())
    program = export(net, (X,))
    tree, before = unflatten(program), program.module()(X)
    tree.lin.weight[...] = 0
    np.testing.assert_array_equal(tree(X), np.broadcast_to(tree.lin.bias, X.shape))
    np.testing.assert_array_equal(program.module()(X), before)
    tree.lin.weight = net.lin.weight
    np.testing.assert_array_equal(tree(X), before)
    tree.load_state_dict({name: array * 0 for name, array in tree.state_dict().items()})
    assert not tree(X).any()
    tree.lin.bias = np.zeros(4, "f4")
    with pytest.raises(UserError, match=r"lin.bias: the program was exported with f32\[3\]") as caught:
        tree(X)
    assert caught.value.code == "E241"


def test_copies_have_the_state_of_now():
    tree = unflatten(export(counting(), (X,)))
    tree(X)
    for again in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert again.calls == 1 and again.calls is not tree.calls
        assert_same(again(X), X * np.int64(2))
    assert tree.calls == 1


# Preserved signatures


def stated(self, x, *, scale=1.0):
    self.calls += 1
    return {"y": self.lin(x) * scale, "n": x.shape[0], "kind": "linear", "x": x}


def outer(self, x):
    first = self.inner(x, scale=2.0)
    self.calls += self.inner.calls
    return self.inner(first["y"], scale=2.0)["y"] + first["x"] * first["n"]


def nested():
    inner = Net(stated, calls=nn.Buffer(np.zeros((), np.int64)), lin=linear())
    return Net(outer, inner=inner, calls=nn.Buffer(np.zeros((), np.int64)))


def exported(*paths, make=nested):
    return export(make(), (X,), dynamic_shapes={"args": ({0: Dim("n")},)}, preserve_module_call_signature=paths)


def test_signatures_of_calls():
    program = exported("inner")
    found = {entry.fqn: entry.signature for entry in program.module_call_graph}
    assert list(found) == ["", "inner", "inner.lin", "inner@1", "inner.lin@1"] and found["inner.lin"] is None
    signature = found["inner"]
    assert [arg.name for arg in signature.inputs] == ["args_0", ""] and signature.inputs[1].value == 2.0
    assert [type(arg).__name__ for arg in signature.outputs] == ["TensorArgument", "SymIntArgument", "ConstantArgument", "TensorArgument"]
    assert str(signature.in_spec) == "TreeSpec(((*,), {'scale': *}))"
    assert str(signature.out_spec) == "TreeSpec({'y': *, 'n': *, 'kind': *, 'x': *})"
    assert signature.forward_arg_names is None  # of `forward(*args, **kwargs)`
    names = {node.name for node in program.graph}
    assert {arg.name for arg in (*signature.inputs, *signature.outputs) if arg.name} <= names
    assert [entry.signature for entry in reloaded(program).module_call_graph] == [entry.signature for entry in program.module_call_graph]


def test_preserved_modules_are_called_as_the_original():
    net, tree = nested(), unflatten(exported("inner"))
    assert_same(tree(X), net(X))
    for size in (5, 2):
        x = f32(size, 3, seed=size)
        assert_same(tree.inner(x, scale=2.0), net.inner(x, scale=2.0))
        assert tree.inner.calls == net.inner.calls
    assert_same(tree(X), net(X))
    assert_same(dict(tree.named_buffers()), dict(net.named_buffers()))
    with pytest.raises(InputMismatch):
        tree.inner(X[:, :2], scale=2.0)
    with pytest.raises(InputMismatch):
        tree.inner(X, scale=3.0)


def test_modules_are_swapped():
    net, tree = nested(), unflatten(exported("inner"))
    calls = []

    def other(x, *, scale):
        calls.append(scale)
        return {"y": x * scale, "n": x.shape[0], "kind": "linear", "x": x + 1}

    tree.inner = other
    np.testing.assert_array_equal(tree(X), X * 4 + (X + 1) * 4)
    assert calls == [2.0, 2.0] and tree.calls == 1  # what the program reads of the original's state is still the original's
    net.inner.scale = 1
    tree.inner = Net(lambda self, x, scale: stated(self, x, scale=scale), lin=linear(3), calls=nn.Buffer(np.zeros((), np.int64)))
    net.inner = Net(stated, lin=linear(3), calls=nn.Buffer(np.zeros((), np.int64)))
    assert_same(tree(X), net(X))
    assert "inner.lin.weight" in dict(tree.named_parameters()) and tree.inner.calls == 2


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (lambda x, scale: x, "returns another structure than the original: result is a value of type ndarray, not"),
        (
            lambda x, scale: {"y": x, "n": 4, "kind": "other", "x": x},
            "returns other sizes or Python values than the original: result['kind'] is 'other'",
        ),
        (lambda x, scale: {"y": x, "n": 9, "kind": "linear", "x": x}, "result['n'] is 9, not 4"),
        (lambda x, scale: {"y": None, "n": 4, "kind": "linear", "x": x}, "returns a NoneType where the original returned f32[s0, 3]"),
    ],
    ids=["structure", "value", "size", "array"],
)
def test_what_swapped_modules_must_return(other, text):
    tree = unflatten(exported("inner"))
    tree.inner = other
    with pytest.raises(UserError) as caught:
        tree(X)
    assert caught.value.code == "E241" and text in str(caught.value)


def test_modules_without_a_signature_are_not_swapped():
    make = lambda: Net(lambda self, x: self.lin(self.drop(x)), lin=linear(), drop=nn.Dropout().eval())  # noqa: E731
    for path in ("lin", "drop"):
        tree = unflatten(export(make(), (X,)))
        setattr(tree, path, linear())
        with pytest.raises(UserError, match="another module was put at") as caught:
            tree(X)
        assert "preserve_module_call_signature" in str(caught.value)
        tree = unflatten(export(make(), (X,), preserve_module_call_signature=(path,)))
        setattr(tree, path, np.zeros_like)
        assert_same(tree(X), np.zeros_like(X) if path == "lin" else np.broadcast_to(tree.lin.bias, X.shape).copy())
        delattr(tree, path)
        with pytest.raises(UserError, match="has no"):
            tree(X)


def test_results_that_are_what_was_given_are_told_apart():
    """… where a module gives back its argument, only what goes through the module changes with it."""
    program = export(Net(lambda self, x: (self.act(x), x), act=nn.Identity()), (X,), preserve_module_call_signature=("act",))
    tree = unflatten(program)
    tree.act = np.negative
    assert_same(tree(X), (-X, X))
    kept = program.module()(X)
    assert kept[0] is kept[1]


def test_equal_computations_inside_and_outside():
    net = lambda: Net(lambda self, x: self.inner(x) + np.sin(x), inner=Net(lambda self, x: np.sin(x) * 2))  # noqa: E731
    tree = unflatten(export(net(), (X,), preserve_module_call_signature=("inner",)))
    np.testing.assert_array_equal(tree.inner(X), np.sin(X) * 2)
    tree.inner = np.zeros_like
    np.testing.assert_array_equal(tree(X), np.sin(X))


def test_results_of_swapped_modules_are_not_written_to():
    def forward(self, x):
        y = self.inner(x)
        y += 1
        y *= 2
        return y

    table = np.ones_like(X)
    tree = unflatten(export(Net(forward, inner=linear()), (X,), preserve_module_call_signature=("inner",)))
    tree.inner = lambda x: table
    assert_same(tree(X), table * 4)
    assert (table == 1).all()


def counted(self, x):
    """It has a number for state, which a first run does not know."""
    self.n += 1
    if self.calls and x.sum() > 0:
        x = self.inner(x)
    return x, self.n


@pytest.mark.parametrize(
    ("net", "paths", "text"),
    [
        (NETS["written input"], ("inner",), "it writes to an array that it is given"),
        (
            lambda: Net(lambda self, x: self.inner(print, x), inner=Net(lambda self, f, x: x)),
            ("inner",),
            "it is given builtin_function_or_method",
        ),
        (NETS["branch"], ("inner.lin",), "it is called on one side of a branch on data, or in a loop"),
        (NETS["branch"], ("inner.lin",), "or call it outside, and choose what it gives with np.where."),
        (nested, ("nothing",), "names 'nothing', which is not a sub-module"),
        (lambda: Net(lambda self, x: x, inner=linear()), ("inner",), "names 'inner', which the program does not call"),
        (lambda: Net(counted, inner=linear(), n=0, calls=False), ("inner",), "names 'inner', which the program does not call"),
        (lambda: Net(counted, inner=linear(), n=0, calls=True), ("inner",), "it is called on one side of a branch on data, or in a loop"),
        (lambda: np.sin, ("inner",), "names 'inner', which is not a sub-module"),
        (nested, "inner", "is a str"),
    ],
)
def test_signatures_that_cannot_be_preserved(net, paths, text):
    with pytest.raises(UserError) as caught:
        export(net(), (X.copy(),), preserve_module_call_signature=paths)
    assert caught.value.code == "E201" and text in str(caught.value)


@pytest.mark.parametrize("path", ["inner", "inner.0"])
def test_signatures_that_cannot_be_preserved_blame_the_users_line(path):
    net = Net(lambda self, x: self.inner(x) if x.sum() > 0 else x, inner=nn.Sequential(linear()))
    with pytest.raises(UserError) as caught:
        export(net, (X.copy(),), preserve_module_call_signature=(path,))
    assert caught.value.location.file == __file__ and "self.inner(x) if" in caught.value.location.source


class Reordered(FlatArgsAdapter):
    def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
        assert input_spec != target_spec
        return input_args[: target_spec.num_leaves]


def test_flat_args_adapter():
    program = export(lambda x, y: x - y, (X, X))
    tree = unflatten(program, Reordered())
    assert_same(tree([X, X * 2], {"unused": 3}), -X)
    assert_same(tree(X, X), X * 0)
    assert Reordered().get_flat_arg_paths() == []
    with pytest.raises(InputMismatch, match="gave 1 leaves, the program takes 2"):
        tree([X])
    with pytest.raises(UserError, match="takes an ExportedProgram, not a ufunc"):
        unflatten(np.sin)


def with_the_same(self, x):
    y = self.act(x)
    y += 1
    return (x * 2 if self.act(y) is x else x), y


def test_an_array_that_is_given_back_is_that_array():
    make = lambda: Net(with_the_same, act=nn.Identity())  # noqa: E731
    run = export(make(), (X.copy(),), preserve_module_call_signature=("act",)).module()
    mine, its = X.copy(), X.copy()
    assert_same(run(mine), make()(its))
    assert_same(mine, its)


def drawing(self, x):
    return self.inner(x) * self.inner(x)


def test_generators_of_modules():
    inner = lambda: Net(lambda self, x: x + self.rng.standard_normal(3), rng=np.random.default_rng(3))  # noqa: E731
    net = Net(drawing, inner=inner())
    program = export(net, (X,), preserve_module_call_signature=("inner",))
    hold_to_module(program, (X,))
    tree = unflatten(program)
    for _ in range(3):
        assert_same(tree.inner(X), net.inner(X))
    assert_same(tree(X), net(X))


def test_signatures_follow_edits_passes_and_decompositions():
    program = export(Net(lambda self, x: self.inner(x) + 1, inner=linear()), (X,), preserve_module_call_signature=("inner",))
    for changed in (program.run_decompositions(), passes.dead_code(program), passes.share(program)):
        changed.validate()
        assert [entry.fqn for entry in changed.module_call_graph] == ["", "inner"]
        hold_to_module(changed, (X,))
    (returned,) = program.graph.find_nodes(target=ops.control.returned)
    with program.graph.inserting_after(returned):
        tanh = program.graph.call_function(ops.np.tanh, (returned,))
    returned.replace_all_uses_with(tanh, lambda user: user is not tanh)
    program.validate()
    assert [arg.name for arg in program.module_call_graph[1].signature.outputs] == ["tanh"]
    tree = hold_to_module(program, (X,))
    tree.inner = np.zeros_like
    assert (tree(X) == 1).all()


@pytest.mark.parametrize("name", ["digits", "heat", "signal_chain", "sklearn_pipeline", "text_generator"])
def test_examples(name, monkeypatch):
    """Every program that the examples export, on the inputs of the export."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    pytest.importorskip({"signal_chain": "scipy", "sklearn_pipeline": "sklearn"}.get(name, "numpy"), reason="the example needs it")
    example, programs = importlib.import_module(name), []
    monkeypatch.setattr(example, "export", lambda *args, **kwargs: programs.append(export(*args, **kwargs)) or programs[-1])
    example.main()
    assert programs
    for program in programs:
        args, kwargs = program.example_inputs
        assert not kwargs
        hold_to_module(program, args)


def replaced_twice(self, x):
    self.h = self.h * 0.5 + x.mean()
    return x[::-1] + self.h * np.float32(x.shape[0])


def test_state_that_is_replaced_beside_dynamic_sizes():
    net = Net(lambda self, x: self.inner(self.inner(x)), inner=Net(replaced_twice, h=nn.Buffer(np.zeros((), np.float32))))
    hold_to_module(export(net, (X,), dynamic_shapes={"args": ({0: Dim("n")},)}), (X,))
