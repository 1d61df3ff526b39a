"""Edits of graphs by hand: what they keep whole, what they refuse; passes that give new programs; differences between programs."""

import copy
import pickle
import re
import sys

import numpy as np
import pytest

from npexport import Dim, InternalError, UserError, cond, diff, export, load, nn, ops, passes, save, scan

X = np.linspace(0.1, 1.0, 12).reshape(3, 4)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.linspace(-1, 1, 8).reshape(4, 2))
        self.bias = nn.Parameter(np.ones(2))
        self.register_buffer("calls", np.zeros(()))

    def forward(self, x):
        self.calls += 1
        return np.maximum(x @ self.weight + self.bias, 0)


def program(dynamic=False):
    return export(Layer(), (X,), dynamic_shapes=({0: Dim("n", max=64)},) if dynamic else None)


def one(graph, target):
    (node,) = graph.find_nodes(op="call_function", target=target)
    return node


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_pass_that_fuses_two_operators(dynamic, tmp_path):
    ep = program(dynamic)
    expected = ep.module()(X)
    graph = ep.graph
    for add in graph.find_nodes(target=ops.np.add):
        product = add.args[0]
        if getattr(product, "target", None) is ops.np.matmul and len(product.users) == 1:
            with graph.inserting_before(add):
                weight = graph.call_function(ops.np.transpose, (product.args[1],))
                linear = graph.call_function(ops.nn.linear, (product.args[0], weight, add.args[1]))
            assert linear.meta["stack_trace"] == add.meta["stack_trace"]
            assert linear.meta["val"] == add.meta["val"]
            assert add.replace_all_uses_with(linear) == [one(graph, ops.np.maximum)]
            graph.erase_node(add)
            graph.erase_node(product)
    assert "nn.linear" in ep.graph_module.recompile()
    ep.validate()
    np.testing.assert_allclose(ep.module()(X), expected)
    save(ep, tmp_path / "fused.np2")
    np.testing.assert_allclose(load(tmp_path / "fused.np2").module()(X), expected)


def test_the_signature_follows_the_output():
    ep = program()
    node = one(ep.graph, ops.np.maximum)
    with ep.graph.inserting_after(node):
        negative = ep.graph.call_function(ops.np.negative, (node,))
        twice = ep.graph.call_function(ops.np.add, (negative, negative))
    assert ep.graph.nodes.index(node) + 2 == ep.graph.nodes.index(twice)
    node.replace_all_uses_with(twice, lambda user: user is not negative)
    ep.validate()
    assert ep.graph_signature.user_outputs == (twice.name,)
    np.testing.assert_array_equal(ep.module()(X), -2 * program().module()(X))


def test_a_replacement_does_not_use_itself():
    ep = export(lambda x: np.sin(x) + 1, (X,))
    sin = one(ep.graph, ops.np.sin)
    with ep.graph.inserting_after(sin):
        twice = ep.graph.call_function(ops.np.multiply, (sin, 2.0))
    sin.replace_all_uses_with(twice)
    assert twice.args == (sin, 2.0)
    np.testing.assert_array_equal(ep.module()(X), np.sin(X) * 2.0 + 1)


def test_uses_are_tracked():
    ep = export(lambda x: np.sin(x) + np.cos(x), (X,))
    sin, cos, add = (one(ep.graph, op) for op in (ops.np.sin, ops.np.cos, ops.np.add))
    add.replace_input_with(cos, sin)
    assert (list(cos.users), list(sin.users), add.args) == ([], [add], (sin, sin))
    assert ep.graph.eliminate_dead_code()
    assert cos not in ep.graph.nodes
    assert not ep.graph.eliminate_dead_code()
    np.testing.assert_array_equal(ep.module()(X), np.sin(X) + np.sin(X))


def branch(x):
    return np.sin(x) if x.sum() > 0 else np.cos(np.abs(x))


def loop(x):
    while x.sum() > 1:
        x = x / 2
    return x


@pytest.mark.parametrize("f", [branch, loop, lambda x: scan(lambda c, row: (c + row, c * row), np.float64(0), x)])
def test_users_are_nodes_of_the_graph(f):
    """No call that was left out while the program was recorded or compiled stays among them."""
    ep = export(f, (np.ones(3),))
    ep.module(fast_math=True)(np.ones(3))
    for graph in ep.graph.all_graphs():
        for node in graph.nodes:
            assert list(node.users) == [user for user in graph.nodes if node in user.all_input_nodes]


def test_lint_knows_uses():
    ep = export(lambda x: np.sin(x) + 1, (X,))
    ep.graph.nodes[0].users.clear()
    with pytest.raises(InternalError, match="x is used by \\['sin'\\], not by"):
        ep.graph.lint()


def test_an_insertion_point_may_stay():
    ep = export(lambda x: np.sin(x) + 1, (X,))
    sin = one(ep.graph, ops.np.sin)
    ep.graph.inserting_before(sin)
    exp = ep.graph.call_function(ops.np.exp, (ep.graph.nodes[0],))
    assert ep.graph.nodes.index(exp) == ep.graph.nodes.index(sin) - 1
    with ep.graph.inserting_after(sin):
        ep.graph.call_function(ops.np.abs if hasattr(ops.np, "abs") else ops.np.negative, (sin,))
    assert ep.graph.place == (sin, 0)


def test_calls_that_raise_for_some_data_stay():
    ep = export(lambda x: np.sin(x) + 1, (np.eye(3),))
    inverse = ep.graph.call_function(ops.np.inv, (ep.graph.nodes[0],))
    assert not ep.graph.eliminate_dead_code()
    assert inverse in ep.graph.nodes
    with pytest.raises(np.linalg.LinAlgError):
        ep.module()(np.zeros((3, 3)))


def test_sizes_that_data_decide_are_new_symbols():
    ep = export(lambda x: x.sum(), (X,), dynamic_shapes=({0: Dim("n")},))
    with ep.graph.inserting_before(ep.graph.output_node):
        places = ep.graph.call_function(ops.np.nonzero, (ep.graph.nodes[0],))
    assert "u" in str(places.meta["val"][0])
    ep.graph.lint()


def test_classes_of_scalars_are_dtypes():
    ep = export(np.sin, (X,))
    sin, output = ep.graph.nodes[1:]
    with ep.graph.inserting_before(output):
        cast = ep.graph.call_function(ops.np.astype, (sin, np.float32))
    sin.replace_all_uses_with(cast)
    ep.validate()
    assert ep.module()(X).dtype == np.float32 and cast.args[1] == np.dtype("f4")


def test_the_value_of_the_output_is_that_of_its_operands():
    ep = export(lambda x: (np.sin(x), x.shape[0], {"k": 3}), (X,), dynamic_shapes=({0: Dim("n")},))
    output = ep.graph.output_node
    assert [str(value) for value in output.meta["val"]] == ["f64[s0, 4]", "s0", "3"]
    output.args[0][0].replace_all_uses_with(ep.graph.nodes[0])
    assert output.meta["val"][0] is ep.graph.nodes[0].meta["val"]


def _edit(act):
    ep = export(lambda x, y: np.sin(x) + y, (X, X), dynamic_shapes=({0: Dim("n")}, {0: Dim("n")}))
    return ep, lambda: act(ep, ep.graph, *ep.graph.nodes)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda ep, graph, x, y, sin, add, output: graph.erase_node(sin), "sin is used by add"),
        (lambda ep, graph, x, y, sin, add, output: graph.erase_node(output), "output of a graph"),
        (lambda ep, graph, x, y, sin, add, output: graph.call_function(np.sin, (x,)), "is not an operator"),
        (lambda ep, graph, x, y, sin, add, output: graph.call_function(ops.np.sin, (x, y, x, y)), "do not fit"),
        (lambda ep, graph, x, y, sin, add, output: graph.call_function(ops.np.add, (x, X)), "an array cannot stand"),
        (lambda ep, graph, x, y, sin, add, output: graph.call_function(ops.np.matmul, (x, y)), "cannot be called so|leaves open"),
        (lambda ep, graph, x, y, sin, add, output: _before(graph, sin, ops.np.sin, (add,)), "add does not stand before"),
        (lambda ep, graph, x, y, sin, add, output: _before(graph, y, ops.np.sin, (x,)), "no call can stand before y"),
        (lambda ep, graph, x, y, sin, add, output: graph.call_function(ops.np.sin, (program().graph.nodes[0],)), "of another graph"),
        (lambda ep, graph, x, y, sin, add, output: _after(graph, output, ops.np.sin, (x,)), "no call can stand after output"),
        (lambda ep, graph, x, y, sin, add, output: graph.call_function(ops.np.add, (x, object())), "an array of an object"),
        (lambda ep, graph, x, y, sin, add, output: graph.inserting_before("sin"), "'sin' is not a node of this graph"),
        (lambda ep, graph, x, y, sin, add, output: graph.inserting_after(program().graph.nodes[0]), "is not a node of this graph"),
        (lambda ep, graph, x, y, sin, add, output: sin.replace_all_uses_with(add.users and output), "is not a node|stands before"),
        (lambda ep, graph, x, y, sin, add, output: x.replace_all_uses_with(add), "sin uses x and stands before add"),
        (lambda ep, graph, x, y, sin, add, output: x.replace_all_uses_with(program().graph.nodes[0]), "is not a node of the graph"),
    ],
)  # fmt: skip
def test_what_cannot_hold_is_refused_and_changes_nothing(act, told):
    ep, act = _edit(act)
    before = str(ep)
    with pytest.raises(UserError, match=told) as caught:
        act()
    assert caught.value.code == "E243"
    assert str(ep) == before
    ep.validate()


def _before(graph, node, op, args):
    with graph.inserting_before(node):
        return graph.call_function(op, args)


def _after(graph, node, op, args):
    with graph.inserting_after(node):
        return graph.call_function(op, args)


def test_calls_after_an_input_stand_after_all_inputs():
    ep = export(lambda x, y: x * y, (X, X))
    x = ep.graph.placeholders[0]
    with ep.graph.inserting_after(x):
        halved = ep.graph.call_function(ops.np.multiply, (x, 0.5))
        twice = ep.graph.call_function(ops.np.add, (halved, halved))
    one(ep.graph, ops.np.add).graph.lint()
    assert [node.name for node in ep.graph][2:4] == [halved.name, twice.name]
    ep.graph.find_nodes(op="call_function", target=ops.np.multiply)[1].replace_all_uses_with(twice)
    assert (ep.module()(X, X) == X).all()


def test_lint_names_the_broken_law():
    ep = export(lambda x: np.sin(x) + 1, (X,))
    ep.graph.nodes[1], ep.graph.nodes[2] = ep.graph.nodes[2], ep.graph.nodes[1]
    with pytest.raises(InternalError, match=r"add uses sin, which is not defined before it[\s\S]*-->") as caught:
        ep.graph_module.recompile()
    assert caught.value.code == "E902"


def test_edits_of_copies_leave_the_original():
    ep = program(dynamic=True)
    text = str(ep)
    for copied in (copy.deepcopy(ep), pickle.loads(pickle.dumps(ep)), passes.share(ep)):
        node = one(copied.graph, ops.np.maximum)
        with copied.graph.inserting_after(node):
            new = copied.graph.call_function(ops.np.negative, (node,))
        node.replace_all_uses_with(new, lambda user, new=new: user is not new)
        copied.validate()
        np.testing.assert_array_equal(copied.module()(X), -ep.module()(X))
    assert str(ep) == text


# -- passes and differences


WEIGHTS = np.arange(4.0)


def stateful(x):
    return np.sin(x) * np.sqrt(WEIGHTS) + np.sin(x)


@pytest.mark.parametrize("apply", [passes.dead_code, passes.share, passes.fold_constants, lambda ep: passes.move_to_device_pass(ep, "cpu")])
@pytest.mark.parametrize("make", [program, lambda: program(True), lambda: export(stateful, (X,))])
def test_passes_are_pure_and_keep_results(apply, make):
    ep = make()
    text = str(ep)
    new = apply(ep)
    assert (str(ep), new is ep, new.graph is ep.graph) == (text, False, False)
    np.testing.assert_array_equal(new.module()(X), ep.module()(X))
    assert not diff(apply(new), new)


def test_share_computes_equal_calls_once():
    ep = export(lambda x: np.sin(x) + np.cos(x), (X,))
    one(ep.graph, ops.np.cos).target = ops.np.sin
    assert len(passes.share(ep).graph.find_nodes(target=ops.np.sin)) == 1
    assert len(ep.graph.find_nodes(target=ops.np.sin)) == 2


def test_other_devices_are_refused():
    with pytest.raises(UserError, match="cuda") as caught:
        passes.move_to_device_pass(program(), {"cpu": "cuda"})
    assert caught.value.code == "E204"


def other_weights():
    layer = Layer()
    layer.bias[...] = 2
    return export(layer, (X,))


def test_programs_are_compared_with_nothing_else():
    for pair in ((program(), 3), ("a", program())):
        with pytest.raises(UserError) as caught:
            diff(*pair)
        assert caught.value.code == "E201"


def test_equal_programs_do_not_differ(tmp_path):
    ep = program(True)
    save(ep, tmp_path / "p.np2")
    for other in (program(True), copy.deepcopy(ep), load(tmp_path / "p.np2")):
        found = diff(ep, other)
        assert not found
        assert str(found) == "the programs are equal"


def annotated(x: np.ndarray, k: int = 2):
    return x if len(x) != 7 else -x


def test_places_and_annotations_are_no_difference(tmp_path):
    ep = export(annotated, (X,), dynamic_shapes={"x": {0: Dim.AUTO}})
    save(ep, tmp_path / "p.np2")
    again = load(tmp_path / "p.np2")
    assert ep.guards and str(ep.guards[0]) != str(again.guards[0])
    assert not diff(ep, again)


def with_defaults(x, b=X, *, f=np.sin, mark=object()):  # noqa: B008
    return f(x * b)


def test_defaults_that_no_file_holds_are_no_difference(tmp_path):
    ep = export(with_defaults, (X,))
    save(ep, tmp_path / "p.np2")
    again = load(tmp_path / "p.np2")
    assert not diff(ep, again)
    save(again, tmp_path / "q.np2")
    assert (tmp_path / "p.np2").read_bytes() == (tmp_path / "q.np2").read_bytes()


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        (other_weights, {"constants"}),
        (lambda: program(True), {"graph", "guards"}),
        (lambda: export(Layer(), (X,), dynamic_shapes=({0: Dim("n", min=2, max=64)},)), {"graph", "guards"}),
        (lambda: export(lambda x: x, (X,)), {"graph", "signature", "constants"}),
    ],
)
def test_what_differs(other, parts):
    ep, other = program(), other()
    found = diff(ep, other)
    assert found
    assert {name for name, lines in vars(found).items() if lines} == parts
    assert str(found) != str(diff(other, ep))
    assert all(f"{name}:" in str(found) for name in parts)
    assert all(line[:2] in ("- ", "+ ") for lines in vars(found).values() for line in lines)


def joined():
    return export(lambda x: (np.concatenate([np.sin(x), x]), np.cos(x)), (X,))


def test_lists_in_arguments_may_be_changed_in_place(tmp_path):
    """… and what they hold then is what is used."""
    expected = np.concatenate([np.cos(X), X]), np.cos(X)
    for use in (
        lambda ep: ep.module()(X),
        lambda ep: load(save(ep, tmp_path / "p.np2") or tmp_path / "p.np2").module()(X),
        lambda ep: (ep.graph.lint(), ep.module()(X))[1],
        lambda ep: passes.dead_code(ep).module()(X),
    ):
        ep = joined()
        ep.module()
        (parts,) = one(ep.graph, ops.np.concatenate).args
        place = next(index for index, part in enumerate(parts) if part.name == "sin")
        cos = one(ep.graph, ops.np.cos)
        if type(parts) is tuple:
            one(ep.graph, ops.np.concatenate).args = (parts := list(parts),)
            ep.module()
        ep.graph.nodes.insert(1, ep.graph.nodes.pop(ep.graph.nodes.index(cos)))
        parts[place] = cos
        for found, wanted in zip(use(ep), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_operands_that_stand_in_changed_lists_are_used():
    ep = joined()
    node, cos, sin = (one(ep.graph, target) for target in (ops.np.concatenate, ops.np.cos, ops.np.sin))
    node.args = (list(node.args[0]),)
    ep.graph.nodes.insert(1, ep.graph.nodes.pop(ep.graph.nodes.index(cos)))
    node.args[0][0] = cos
    with pytest.raises(UserError, match="E243 .*: cos is used by"):
        ep.graph.erase_node(cos)
    ep.graph.erase_node(sin)
    assert node in cos.users and not ep.graph.eliminate_dead_code()
    node.args[0][0] = sin
    with pytest.raises(InternalError, match="concatenate uses sin, which is not defined before it"):
        ep.module()


@pytest.mark.parametrize(
    ("args", "told"),
    [((), "one argument, the tuple"), (3, "are an int, not a tuple"), ((3,), "one argument, the tuple"), (None, "not a tuple")],
)
def test_what_is_assigned_to_a_node_is_a_tuple_and_a_dict(args, told):
    ep = program()
    with pytest.raises(UserError, match=f"E243 .*{told}"):
        ep.graph.output_node.args = args
    with pytest.raises(UserError, match="E243 .* of matmul are a list, not a dict"):
        one(ep.graph, ops.np.matmul).kwargs = []
    ep.validate()


def chain(length):
    def f(x):
        for _ in range(length):
            x = np.sin(x) * 2
        return x, np.concatenate([x, x])

    return export(f, (np.ones(3),), unroll=10**4)


def calls_of(edits, program):
    """How many functions of Python are called while a graph is edited."""
    count = [0]

    def counting(frame, event, arg):
        count[0] += event == "call"

    sys.setprofile(counting)
    try:
        edits(program.graph)
    finally:
        sys.setprofile(None)
    program.validate()
    return count[0]


def replaced(graph):
    for node in graph.find_nodes(target=ops.np.multiply)[:20]:
        node.replace_all_uses_with(node.args[0])
        graph.erase_node(node)


def inserted(graph):
    for node in graph.find_nodes(target=ops.np.multiply)[:20]:
        with graph.inserting_before(node):
            node.replace_input_with(node.args[0], graph.call_function(ops.np.cos, node.args[:1]))


@pytest.mark.parametrize("edits", [replaced, inserted])
def test_an_edit_takes_no_longer_in_a_larger_graph(edits):
    assert calls_of(edits, chain(400)) <= calls_of(edits, chain(100))


def test_many_calls_are_inserted_at_one_place():
    ep = chain(2)
    x, first = ep.graph.nodes[0], ep.graph.nodes[1]
    with ep.graph.inserting_before(first):
        made = [ep.graph.call_function(ops.np.cos, (x,)) for _ in range(200)]
    with ep.graph.inserting_after(made[0]):
        made[1:1] = [ep.graph.call_function(ops.np.sin, (x,)) for _ in range(200)]
    assert ep.graph.nodes[1:401] == made and list(map(ep.graph.position, ep.graph.nodes)) == [*range(len(ep.graph))]
    with pytest.raises(UserError, match="E243 .*: multiply does not stand before the place"), ep.graph.inserting_before(made[200]):
        ep.graph.call_function(ops.np.cos, ep.graph.find_nodes(target=ops.np.multiply)[:1])
    ep.validate()


def test_nodes_that_were_moved_in_the_list_stand_where_they_are():
    ep = program()
    matmul, add = (one(ep.graph, target) for target in (ops.np.matmul, ops.np.maximum))
    nodes = ep.graph.nodes
    before = [*map(ep.graph.position, nodes)]
    nodes.insert(nodes.index(matmul), nodes.pop(nodes.index(add)))
    assert [*map(ep.graph.position, nodes)] == before == [*range(len(nodes))]
    nodes.remove(add)
    assert ep.graph.position(add) is None
    with pytest.raises(UserError, match=f"E243 .*: {add.name} is not in the graph"):
        ep.graph.erase_node(add)


def test_what_is_no_node_and_no_dict_is_refused():
    graph = program().graph
    with pytest.raises(UserError, match="E243 .*: 3 is not a node, which matmul could use"):
        one(graph, ops.np.matmul).replace_input_with(3, graph.nodes[0])
    with pytest.raises(UserError, match="E243 .*: meta is an int, not a dict"):
        graph.call_function(ops.np.sin, (graph.nodes[0],), meta=3)


def test_a_call_whose_size_data_decide_is_put_into_a_static_graph():
    ep = export(lambda x: x * 2, (X,))
    double = one(ep.graph, ops.np.multiply)
    found = [ep.graph.call_function(ops.np.nonzero, (double,)) for _ in range(2)]
    assert [str(node.meta["val"][0]) for node in found] == ["i64[u0]", "i64[u1]"]
    assert "u1" in str(ep.graph_module) and "u1" in ep.graph_module.code
    ep.validate()


def test_nodes_of_no_kind_are_not_looked_for():
    graph = program().graph
    assert graph.find_nodes(op="get_attr") == [] and graph.find_nodes(op="output") == [graph.output_node]
    with pytest.raises(UserError, match="E201 .*: op is 'call', which is not a kind of node"):
        graph.find_nodes(op="call")


def test_sub_graphs_are_listed_among_the_attributes():
    ep = export(lambda x: cond(x.sum() > 0, lambda x: x, lambda x: -x, (x,)), (X,))
    assert {"true_graph_0", "false_graph_0", "code", "graph"} <= set(dir(ep.graph_module))
    assert all(getattr(ep.graph_module, name).graph.nodes for name in ("true_graph_0", "false_graph_0"))


def _target(ep, x, node):
    node.target = ops.np.subtract


def _scalars(ep, x, node):
    node.args, node.target = (x, 2), ops.np.scalar_multiply


def _of_a_sequence(ep, x, node):
    node.args, node.target = ((x, x),), ops.np.sort


def _no_value(ep, x, node):
    del ep.graph.nodes[-1].meta["val"]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (_target, "the rule of ops.np.subtract refuses the call: an array of a slice"),
        (_scalars, "an operator of scalars takes no arrays with axes"),
        (_of_a_sequence, "the rule of ops.np.sort refuses the call: an array of arrays whose sizes are dynamic"),
        (_no_value, "the output is declared None"),
    ],
)
@pytest.mark.parametrize("shapes", [None, {"x": {0: Dim("n")}}], ids=["static", "dynamic"])
def test_assignments_that_no_rule_takes_break_a_law(edit, told, shapes):
    ep = export(lambda x: x[1:] + 1, (np.ones((4, 3)),), dynamic_shapes=shapes)
    (node,) = ep.graph.find_nodes(target=ops.np.getitem)
    edit(ep, ep.graph.placeholders[0], node)
    static = edit is _of_a_sequence and shapes is None
    with pytest.raises(InternalError, match="is declared" if static else re.escape(told)) as caught:
        ep.graph.lint()
    assert caught.value.code == "E902"


def test_an_array_of_arrays_has_their_sizes():
    ep = export(lambda x: x + 1, (np.ones((4, 3)),), dynamic_shapes={"x": {0: Dim("n")}})
    x = ep.graph.placeholders[0]
    with pytest.raises(UserError, match=r"ops\.np\.cumsum cannot be called so: an array of arrays whose sizes are dynamic"):
        ep.graph.call_function(ops.np.cumsum, ((x, x),))


def test_what_is_used_is_no_dead_code_wherever_it_stands():
    ep = export(lambda x: np.sin(x) + 1, (np.ones(3),))
    nodes = ep.graph.nodes
    nodes[1], nodes[2] = nodes[2], nodes[1]
    assert not ep.graph.eliminate_dead_code()
    nodes.insert(1, nodes.pop())
    assert not ep.graph.eliminate_dead_code()
    assert [node.name for node in nodes] == ["x", "output", "add", "sin"]


def test_a_number_of_a_sum_may_be_a_truth():
    ep = export(lambda x, q: [x, int(q) - 1 > 1], (np.ones(3), np.int64(3)))
    for node in ep.graph.nodes:
        node.args = tuple(True if type(arg) is int and arg == 1 else arg for arg in node.args) if node.op == "call_function" else node.args
    assert ep.module()(np.ones(3), np.int64(3))[1] is True


def test_calls_that_nothing_uses_any_more_stand_beside_others():
    def f(x):
        a = x * 1
        b = (np.sin(a) - a.sum(axis=1, keepdims=True)).T.copy().T
        return x[::-1] + (a + b), b

    ep = export(f, (np.ones((4, 3)),), dynamic_shapes={"x": {0: Dim("n")}})
    (difference,) = ep.graph.find_nodes(target=ops.np.subtract)
    (product,) = ep.graph.find_nodes(target=ops.np.multiply)
    difference.replace_all_uses_with(product)
    x = np.arange(6.0).reshape(2, 3)
    for found, wanted in zip(ep.module()(x), (x[::-1] + (x + x), x), strict=True):
        np.testing.assert_array_equal(found, wanted)
