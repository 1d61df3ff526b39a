"""``cond``, ``while_loop``, ``scan`` and ``map``: as eager calls, in graphs, saved and loaded."""

import copy
import re
import warnings

import numpy as np
import pytest

import npexport
from npexport import Dim, ExportError, cond, export, nn, scan, while_loop
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from npexport.ir.pytree import tree_flatten
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

A = np.arange(6.0).reshape(2, 3)
CASES = []


def case(*inputs, dyn=None):
    def register(f):
        CASES.append((f, inputs, dyn))
        return f

    return register


@case((A,), (-A,))
def closure(x):
    k = x * 2

    def t():
        return {"a": k + 1, "b": (k.sum(), 3)}

    def e():
        return {"a": k - 1, "b": (k.max(), 4)}

    return cond(x.sum() > 0, t, e)


@case((A,), (-A,), dyn={"x": {0: Dim("n")}})
def dynamic(x):
    return cond(x.sum() > 0, lambda: x + x.shape[0], lambda: x.T.copy().T)


@case((np.float64(3.0),), (np.float64(100.0),), (np.float64(0.5),))
def newton(v):
    return while_loop(lambda i, x: (abs(x * x - v) > 1e-9) & (i < 50), lambda i, x: (i + 1, (x + v / x) / 2), (0, np.float64(1.0)))


@case((np.array([12, 18]),), (np.array([7, 0]),), (np.array([100, 75]),))
def gcd(x):
    return while_loop(lambda a, b: b != 0, lambda a, b: (b, a % b), (int(x[0]), int(x[1])))


@case((A,), (np.zeros((0, 3)),), dyn={"x": {0: Dim("n")}})
def cumsum(x):
    return scan(lambda c, r: (c + r, (c * 2, r.sum())), np.zeros(3), x)


@case((A,))
def cumrev(x):
    return scan(lambda c, r: (c + r, c), np.zeros(2), x, dim=1, reverse=True)


@case((A,), (A[:0],), dyn={"x": {0: Dim("n")}})
def mapped(x):
    return npexport.map(lambda r, s: {"k": (r * s).sum(), "r": r[::-1]}, x, 3.0)


@case((A,), (-A,), (A - 3,))
def nested(x):
    def inner(y):
        return cond(y.max() > 3, lambda: y * 2, lambda: while_loop(lambda z: z.sum() < 10, lambda z: z + 1, (y,))[0])

    return cond(x.sum() > 0, inner, lambda y: -y, (x,))


class Layered(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        self.register_buffer("n", np.zeros(()))

    def forward(self, x):
        self.n += 1
        return cond(x.sum() > 0, self.l, lambda x: x + self.n, (x,))


CASES.append((Layered(), ((A,), (-A,)), None))


@case((A,), (A * 0,))
def raising(x):
    return cond(x.sum() > 0, lambda: np.linalg.inv(x[:, :2] + np.eye(2)), lambda: np.linalg.inv(x[:, :2]))


@case((A,), (-A,))
def inplace(x):
    def body(i, b):
        b[i] += x.sum()
        return i + 1, b

    return while_loop(lambda i, b: i < 2, body, (0, np.zeros(2)))


@case((A,), (-A,))
def mask(x):
    return cond(x.sum() > 0, lambda: x[x > 1].sum(), lambda: x[x < -1].mean())


@case((A,), (-A,))
def known_table(x):
    t = np.arange(5.0)
    z = np.zeros(3)

    def tr():
        q = z.copy()
        q[0] = x[0, 0]
        return q + t[:3] + z

    return cond(x.sum() > 0, tr, lambda: z + t[1:4]), z + 1, t


@case((A,), (-A,))
def pyfloat(x):
    f = float(x[0, 1])
    n = int(x[1, 1])
    return cond(f > 0.5, lambda: f * 2, lambda: f / 4), cond(n > 2, lambda: n // 3, lambda: n - 1), cond(n > 2, lambda: True, lambda: False)


@case(
    (A,),
)
def same(x):
    y = cond(x.sum() > 0, lambda: (x, x), lambda: (x.T.reshape(2, 3), x))
    y[0][0] = 5
    return y


@case((A,), (-A,), (A * 9,))
def in_loops(x):
    for k in range(3):
        for name, scale in {"a": 1, "b": 2}.items():
            for row, _ in zip(x, enumerate(name), strict=False):
                x = cond(row.sum() > k * 10, lambda x: x / 2, lambda x, s=scale, k=k: x * s + k, (x,))
    return x


@case((A,), (-A,))
def written_between(x):
    row = x[0]
    before = cond(x.sum() > 0, lambda: row * 2, lambda: row)
    x[0, 0] = 9
    return before, cond(x.sum() > 0, lambda: row * 2, lambda: row), row * 1


@case((A,), (A[:0],), dyn={"x": {0: Dim("n")}})
def writing_to_what_comes_in(x):
    def step(total, row):
        row += 1
        total += row
        return total, total

    return scan(step, np.zeros(3), x), x * 1


def assert_same(one, other):
    (left, spec), (right, other_spec) = tree_flatten(one), tree_flatten(other)
    assert spec == other_spec
    for a, b in zip(left, right, strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b)
        if isinstance(a, np.ndarray):
            assert (a.dtype, a.shape, a.flags.c_contiguous, a.flags.writeable) == (
                b.dtype,
                b.shape,
                b.flags.c_contiguous,
                b.flags.writeable,
            )


def without_comments(text):
    return re.sub(r"\s+", "", re.sub("#.*", "", str(text)))


def name_of(row):
    return getattr(row[0], "__name__", type(row[0]).__name__)


@pytest.mark.parametrize("row", CASES, ids=name_of)
def test_programs_give_what_eager_calls_give(row):
    f, inputs, dyn = row
    program = export(f, inputs[0], dynamic_shapes=dyn)
    loaded = reloaded(program)
    assert without_comments(loaded) == without_comments(program)
    for run in (program.module(), loaded.module()):
        eager = copy.deepcopy(f) if isinstance(f, nn.Module) else f
        for given in inputs:
            assert outcome(run, given) == outcome(eager, given)


@pytest.mark.parametrize("row", CASES, ids=name_of)
def test_printed_graphs_are_read_back(row):
    f, inputs, dyn = row
    program = export(f, inputs[0], dynamic_shapes=dyn)
    env = next(iter(program.graph.environments()), None)
    code = program.graph_module.code
    assert without_comments(graph_code(parse_graph(code, env))) == without_comments(code)


def test_the_graph_is_the_meaning_of_the_compiled_form():
    program = export(nested, (A,))
    for x in (A, -A, A - 3):
        np.testing.assert_array_equal(program.graph.run(x)[0], nested(x))


def test_sub_graphs_are_attributes_and_share_their_operands():
    program = export(lambda x, w: cond(x.sum() > 0, lambda: x @ w, lambda: x + 1), (A, np.ones((3, 3))))
    (node,) = [node for node in program.graph if str(node.target) == "ops.control.cond"]
    _, first, second, operands = node.args
    assert (program.graph_module.true_graph_0, program.graph_module.false_graph_0) == (first, second)
    assert [n.name for n in operands] == [n.name for n in first.graph.placeholders] == [n.name for n in second.graph.placeholders]
    assert [str(n.target) for n in first.graph if n.op == "call_function"] == ["ops.np.matmul"]


def test_a_known_condition_chooses():
    program = export(lambda x: cond(x.ndim == 2, lambda: x + 1, lambda: x.nothing), (A,))
    assert [str(n.target) for n in program.graph if n.op == "call_function"][0] == "ops.np.add"


def test_the_side_not_taken_neither_warns_nor_raises():
    run = export(lambda x: cond(x[0] > 0, lambda: np.log(x), lambda: np.linalg.inv(x * np.ones((3, 3)))[0]), (np.ones(3),)).module()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(run(np.ones(3)), np.zeros(3))
    with pytest.raises(np.linalg.LinAlgError):
        run(-np.ones(3))


def test_what_is_written_before_a_side_raises_is_written():
    def f(x):
        x[0] = 5
        y = cond(x[1] > 0, lambda: np.linalg.inv(x * np.ones((3, 3)))[0], lambda: x * 2)
        x[0] = 6
        return y

    run = export(f, (np.array([1.0, -1, 1]),)).module()
    given, eager = np.ones(3), np.ones(3)
    for call, x in ((run, given), (f, eager)):
        with pytest.raises(np.linalg.LinAlgError):
            call(x)
    np.testing.assert_array_equal(given, eager)


def test_eager_loops_leave_their_inputs_alone():
    x = np.ones(2)

    def body(y):
        y += 1
        return y

    (result,) = while_loop(lambda y: y.sum() < 10, body, (x,))
    assert (x == 1).all() and (result == 5).all()


def test_what_a_side_needs_of_a_count_is_no_promise_of_the_program():
    def f(x):
        positive = x[x > 0]
        return positive * 2, cond(x.sum() > 0, lambda: x[x > 0].max(), lambda: x.min())

    run = export(f, (np.array([1.0, -2, 3]),)).module()
    for x in (np.array([1.0, -2, 3]), np.array([-1.0, -2, -3])):
        assert_same(run(x), f(x))


def test_users_of_nodes_are_true_on_both_sides_of_the_border():
    program = export(nested, (A,))
    for graph in program.graph.all_graphs():
        nodes = set(graph.nodes)
        for node in graph:
            assert nodes.issuperset(node.users)
            assert all(node in user.all_input_nodes for user in node.users)


def test_orders_of_sets_inside_a_side_are_seen():
    def f(x):
        words = {"alpha", "beta", "gamma", "delta", "epsilon"}

        def first():
            y = x
            for word in words:
                y = y * len(word) + 1
            return y

        return cond(x.sum() > 0, first, lambda: x)

    with pytest.raises(ExportError):
        export(f, (A,))
