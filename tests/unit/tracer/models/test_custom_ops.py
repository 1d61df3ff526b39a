"""Operators of users in exported programs: one node each, whatever shapes, containers, graphs and files they are in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npexport
from npexport import Dim, ExportError, InputMismatch, Unsupported, custom_op, export, interpret, nn, ops
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from tests.support.custom_ops import declare_lab, same
from tests.support.forms import reloaded


@pytest.fixture(autouse=True)
def lab():
    return declare_lab()


def statements(graph):
    """The text of a graph without the lines of the source."""
    return [line for line in graph_code(graph).splitlines() if line.strip() and "#" not in line]


def calls(program, name):
    return [node for graph in program.graph.all_graphs() for node in graph if str(node.target) == f"ops.lab.{name}"]


def once(x):
    return ops.lab.scale(x)


def scaled(x):
    return ops.lab.scale(x, 3) + ops.lab.scale(x=x, factor=2.0)


def found(x):
    places, values = ops.lab.positive(x)
    return values * 2, x[places], places.shape[0]


def counted(x):
    count, total, _, number = ops.lab.summary(x)
    return np.zeros(count), total * 2, number + 1


def written(x):
    ops.lab.add_to(x[1:], 1)
    y = x * 2
    ops.lab.add_to(y, 0.5)
    ops.lab.add_to(x, by=2)
    return y


def local(x):
    y = np.zeros(4)
    ops.lab.add_to(y, 3)
    return y * x.sum()


def drained(x):
    a, b = x * 2, np.ones(2)
    return ops.lab.drain([a, b], x), ops.lab.drain((a, x)), a, b


def of_size(x):
    return ops.lab.window(x, 1, x.shape[0] - 2) + 1


def scalars(x):
    return ops.lab.scale(x.sum(), x.shape[0]), ops.lab.scale(np.float32(2), np.float64(0.5))


def number_of_data(x):
    return ops.lab.window(x, int(np.argmax(x)), 1)


def truth_of_data(x):
    return flagged(x, up=bool(x.sum() > 3)), flagged(x, up=x.shape[0] > 3)


@custom_op("lab2::flagged")
def flagged(x: np.ndarray, *, up: bool = False) -> np.ndarray:
    return x + up


@flagged.register_fake
def _(x, *, up=False):
    return np.empty(x.shape)


def branched(x):
    return npexport.cond(x.sum() > 0, lambda: ops.lab.scale(x), lambda: ops.lab.positive(-x)[1].sum() + x)


def looped(x):
    def body(i, y):
        y = y.copy()
        ops.lab.add_to(y, 1)
        return i + 1, ops.lab.scale(y, 0.5)

    return npexport.while_loop(lambda i, y: i < 3, body, (0, x))


def held(x):
    scale, positive = ops.lab.scale, ops.lab.positive
    return npexport.cond(x.sum() > 0, lambda: scale(x, 3), lambda: positive(x)[1][:0].sum() + x)


def generated(x):
    def windows():
        for start in range(2):
            yield ops.lab.window(x, start, 1)

    return np.stack(list(windows())), [ops.lab.scale(y) for y in windows()]


def transposed(x):
    y = ops.lab.scale(np.stack([x, x]).T)
    y.T.reshape(-1)[0] = 7
    return y, y.reshape(-1)


def unused(x):
    ops.lab.scale(x, 5)
    return x + 1


PROGRAMS = [
    once,
    truth_of_data,
    scaled,
    found,
    counted,
    written,
    local,
    drained,
    of_size,
    scalars,
    number_of_data,
    branched,
    looped,
    held,
    generated,
    transposed,
    unused,
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_do_what_eager_calls_do(f, dynamic):
    shapes = ({0: Dim("n", min=2)},) if dynamic else None
    program = export(f, (np.arange(5.0) - 1,), dynamic_shapes=shapes)
    data = [np.arange(5.0), np.arange(5.0) - 3] + [np.linspace(-2, 1, size) for size in (3, 8)] * dynamic
    for run in (program.module(), reloaded(program).module(), lambda x: interpret(f, x)):
        for x in data:
            given, expected = x.copy(), x.copy()
            result = run(given)
            same(result, f(expected))
            same(given, expected)


@pytest.mark.parametrize("f", PROGRAMS)
def test_text_is_read_back(f):
    program = export(f, (np.arange(5.0) - 1,), dynamic_shapes=({0: Dim("n", min=2)},))
    again = parse_graph(graph_code(program.graph), next(iter(program.graph.environments()), None))
    assert statements(again) == statements(reloaded(program).graph) == statements(program.graph)
    assert [repr(node.meta.get("val")) for node in again] == [repr(node.meta.get("val")) for node in program.graph]


def test_a_call_is_one_node():
    for shapes in (None, ({0: Dim("n")},)):
        program = export(once, (np.ones(3),), dynamic_shapes=shapes)
        (node,) = [node for node in program.graph if node.op == "call_function"]
        assert node.target is ops.lab.scale
        assert (node.args, node.kwargs) == ((program.graph.placeholders[0],), {})
        assert "= ops.lab.scale(x)" in str(program)


def test_calls_are_never_shared_and_never_dropped():
    assert len(calls(export(lambda x: (ops.lab.scale(x), ops.lab.scale(x)), (np.ones(3),)), "scale")) == 2
    assert len(calls(export(unused, (np.ones(3),)), "scale")) == 1


def test_an_operator_is_exported_itself(lab):
    program = export(lab.window, (np.arange(5.0), 1, 2), dynamic_shapes={"x": {0: Dim("n")}, "start": Dim.DYNAMIC, "size": Dim.DYNAMIC})
    assert program.module()(np.arange(9.0), 2, size=4).tolist() == [2, 3, 4, 5]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.full(3, 2.0))
        self.register_buffer("seen", np.zeros(3))

    def forward(self, x):
        ops.lab.add_to(self.seen, 1)
        return ops.lab.scale(x * self.weight) + self.seen


def test_state_of_modules_is_mutated():
    program = export(Layer(), (np.ones(3),))
    assert [spec.kind.name for spec in program.graph_signature.output_specs] == ["BUFFER_MUTATION", "USER_OUTPUT"]
    for run in (program.module(), reloaded(program).module()):
        layer = Layer()
        for _ in range(2):
            same(run(np.arange(3.0)), layer(np.arange(3.0)))
        same(dict(run.named_buffers())["seen"], layer.seen)


def test_the_body_is_not_run_while_exporting():
    ran = []

    @custom_op("lab::service")
    def service(x: np.ndarray) -> np.ndarray:
        ran.append(x.shape)
        return x.copy()

    service.register_fake(lambda x: np.empty_like(x))
    program = export(lambda x: service(np.ones(3)) + service(x.T).reshape(-1)[0], (np.ones((3, 3)),))
    reloaded(program)
    assert ran == []
    program.module()(np.ones((3, 3)))
    assert ran == [(3,), (3, 3)]


def test_what_mutation_may_not_touch_is_refused(lab):
    def f(x):
        ops.lab.drain([x[1:]], x)

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(3),))
    assert caught.value.code == "E120"


def test_results_that_the_program_writes_to_are_its_own():
    kept = np.arange(3.0)

    @custom_op("lab::table")
    def table(x: np.ndarray) -> np.ndarray:
        return kept

    table.register_fake(lambda x: np.empty(3))

    def f(x):
        y = table(x)
        y += 1
        return y * x

    run = export(f, (np.ones(3),)).module()
    for _ in range(2):
        same(run(np.ones(3)), np.arange(1.0, 4.0))
    same(kept, np.arange(3.0))


def declared(fake, body=lambda x: x * 2):
    @custom_op("lab::op")
    def op(x: np.ndarray) -> np.ndarray:
        return body(x)

    if fake is not None:
        op.register_fake(fake)
    return op


SEEN = []


@pytest.mark.parametrize(
    ("fake", "code"),
    [
        (None, "E140"),
        (lambda x: None, "E141"),
        (lambda x: 3, "E141"),
        (lambda x: (x, x), "E141"),
        (lambda x: np.empty(2 * npexport.new_size()), "E141"),
        (lambda x: np.empty(np.count_nonzero(x)), "E141"),
        (lambda x: SEEN.append(1) or np.empty(3), "E141"),
        (lambda x: np.multiply(x, 2, out=x), "E141"),
        (lambda x: np.empty(3) if x[0] > 0 else np.empty(4), "E141"),
        (lambda x: np.empty(npexport.new_size(min="a")), "E201"),
        (lambda x: np.empty(npexport.new_size(min=5, max=2)), "E201"),
    ],
)
def test_fakes_that_tell_nothing_are_refused(fake, code):
    declared(fake)
    with pytest.raises(ExportError) as caught:
        export(lambda x: ops.lab.op(x), (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    assert caught.value.code == code, str(caught.value)
    assert caught.value.hint
    assert SEEN == []


def test_errors_of_a_fake_are_the_programs():
    declared(lambda x: np.empty(x.shape[1]))
    with pytest.raises(IndexError, match="tuple index"):
        export(lambda x: ops.lab.op(x), (np.ones(3),))


def test_what_a_body_raises_names_the_node_and_the_line():
    declared(lambda x: np.empty_like(x), lambda x: np.linalg.inv(x))
    run = export(lambda x: ops.lab.op(x) * 2, (np.eye(2),)).module()
    with pytest.raises(np.linalg.LinAlgError) as caught:
        run(np.zeros((2, 2)))
    assert "ops.lab.op(x)" in caught.value.__notes__[0]
    assert "test_custom_ops.py" in caught.value.__notes__[0]


@pytest.mark.parametrize("fake", [lambda x: np.empty(()), lambda x: np.sum(x)])
@pytest.mark.parametrize("body", [lambda x: x.sum(), lambda x: np.array(x.sum())])
def test_results_are_arrays_also_without_axes(fake, body):
    op = declared(fake, body)
    result = export(lambda x: op(x), (np.ones(5),)).module()(np.ones(5))
    same((result, op(np.ones(5))), (np.array(5.0), np.array(5.0)))


def test_scalars_are_not_mutated():
    for f in (lambda x: ops.lab.add_to(x.sum(), 1), lambda x: ops.lab.add_to(np.float64(3), 1)):
        for run in (f, lambda x, f=f: export(f, (x,))):
            with pytest.raises(ValueError, match="read-only"):
                run(np.ones(3))


def test_floating_point_errors_that_are_exceptions_are_refused():
    def f(x):
        with np.errstate(all="raise"):
            return ops.lab.scale(x)

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(3),))
    assert caught.value.code == "E126"


def test_explain_finds_an_operator_without_a_fake():
    declared(None)
    found = npexport.explain(lambda x: ops.lab.op(x) + 1, (np.ones(3),))
    assert [problem.code for problem in found.problems] == ["E140"]


def test_passes_leave_calls_as_they_are():
    def f(x):
        y = np.arange(3.0)
        return ops.lab.scale(y) + x, ops.lab.scale(y) * x

    program = export(f, (np.ones(3),))
    for each in (npexport.passes.share, npexport.passes.dead_code, npexport.passes.fold_constants):
        program = each(program)
    assert len(calls(program, "scale")) == 2
    same(program.module()(np.ones(3)), f(np.ones(3)))


def test_a_call_that_is_put_in_says_what_it_gives(lab):
    program = export(lambda x: x + 1, (np.ones(3),))
    graph, (x,) = program.graph, program.graph.placeholders
    add = next(node for node in graph if node.op == "call_function")
    with graph.inserting_before(add), pytest.raises(npexport.UserError, match="told by its fake") as caught:
        graph.call_function(lab.scale, (x,))
    assert caught.value.code == "E243"
    with graph.inserting_before(add):
        node = graph.call_function(lab.scale, (x, 5.0), meta={"val": x.meta["val"]})
    x.replace_all_uses_with(node, lambda user: user is add)
    program.validate()
    same(program.module()(np.ones(3)), np.full(3, 6.0))


def test_decompositions_take_the_place_of_calls(lab):
    def f(x):
        y = ops.lab.scale(x, 3)
        ops.lab.add_to(y, 1)
        return y, ops.lab.positive(x)

    program = export(f, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    assert [len(calls(program.run_decompositions(), name)) for name in ("scale", "add_to", "positive")] == [1, 1, 1]
    npexport.register_decomposition("lab::scale")(lambda x, factor=2.0: x * factor)
    npexport.register_decomposition(lab.positive)(lambda x: (np.flatnonzero(x > 0), x[x > 0]))
    core = program.run_decompositions()
    assert [len(calls(core, name)) for name in ("scale", "add_to", "positive")] == [0, 1, 0]
    for run in (core.module(), reloaded(core).module()):
        same(run(np.arange(5.0) - 2), f(np.arange(5.0) - 2))


def test_errors_of_a_body_are_not_caught_by_a_program():
    def f(x):
        try:
            return ops.lab.scale(x)
        except ValueError:
            return x

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(3),))
    assert caught.value.code == "E126"


def test_guards_of_a_fake_are_the_programs():
    declared(lambda x: np.empty(x.shape[0] // 2 if x.shape[0] % 2 == 0 else 1), lambda x: x[::2] * 1)
    program = export(lambda x: ops.lab.op(x), (np.ones(4),), dynamic_shapes=({0: Dim.AUTO},))
    assert program.module()(np.arange(6.0)).tolist() == [0, 2, 4]
    with pytest.raises(InputMismatch) as caught:
        program.module()(np.ones(5))
    assert caught.value.code == "E401"


@pytest.mark.parametrize(
    ("fake", "body"),
    [
        (lambda x: np.empty(x.shape, np.float32), lambda x: x * 2),
        (lambda x: np.empty((1, *x.shape)), lambda x: x * 2),
        (lambda x: np.empty_like(x), lambda x: x[1:] * 2),
        (lambda x: np.empty(3), lambda x: x * 2),
        (lambda x: np.empty(x.shape[0] + 1), lambda x: x * 2),
        (lambda x: np.empty(npexport.new_size(min=9)), lambda x: x * 2),
        (lambda x: np.empty(npexport.new_size(max=2)), lambda x: x * 2),
        (lambda x: np.empty(npexport.new_size(max=x.size - 1)), lambda x: x * 2),
    ],
)
def test_a_body_that_contradicts_the_fake_is_an_error(fake, body):
    declared(fake, body)
    program = export(lambda x: ops.lab.op(x).sum(), (np.ones(5),), dynamic_shapes=({0: Dim("n", min=4)},))

    def branch(x):
        return npexport.cond(x[0] > 0, lambda: (ops.lab.op(x).sum() + x).sum(), lambda: x.sum())

    nested = export(branch, (np.ones(5),), dynamic_shapes=({0: Dim("n", min=4)},))
    for run in (program.module(), reloaded(program).module(), nested.module(), reloaded(nested).module(), program.graph_module):
        with pytest.raises(InputMismatch, match=r"`ops\.lab\.op` gives") as caught:
            run(np.ones(5))
        assert caught.value.code == "E410"


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=0, max_size=3), st.lists(st.integers(-1, 1), min_size=3, max_size=3), st.booleans())
def test_what_is_accepted_is_what_was_declared(shape, changes, dynamic):
    """Of all sizes that a body may give only those that the fake tells are accepted."""
    made = tuple(max(size + change, 0) for size, change in zip(shape, changes, strict=False))

    def body(x):
        return np.ones(made)

    declared(lambda x: np.empty(x.shape), body)
    shapes = ({axis: Dim.AUTO for axis in range(len(shape))},) if dynamic else None
    program = export(lambda x: ops.lab.op(x), (np.zeros(shape),), dynamic_shapes=shapes)
    if made == tuple(shape):
        assert program.module()(np.zeros(shape)).shape == made
    else:
        with pytest.raises(InputMismatch, match="E410"):
            program.module()(np.zeros(shape))


STRANGE = {
    "a range": (lambda x: ops.np.transpose(x, range(2)), None),
    "a list for an array": (lambda x: ops.np.moveaxis([x, x], 0, 1), None),
    "a list to write to": (lambda x: ops.np.put(list(x), [0], 5.0), None),
    "values of a dict": (lambda x: ops.np.concatenate({0: x, 1: x}.values()), "E101 .*type dict_values"),
    "a generator": (lambda x: ops.np.fftn(x, None, (axis for axis in (0, 1))), "E101 .*type generator"),
    "an object": (lambda x: ops.np.argwhere(Sized()), "E101 .*type Sized"),
    "a view of values for NumPy": (lambda x: np.concatenate({0: x, 1: x}.values()), "needs to be a sequence"),
    "a complex step": (lambda x: (x, np.arange(0, 1, 1j)), "E101 .*which NumPy"),
    "sizes in bytes": (lambda x: (x, np.indices(b"ab")), "E101 .*which NumPy"),
}


class Sized:
    pass


@pytest.mark.parametrize("name", STRANGE)
def test_operators_of_odd_arguments_are_numpys_or_refused(name):
    program, told = STRANGE[name]
    x = np.arange(6.0).reshape(2, 3)
    if told is None:
        np.testing.assert_array_equal(export(program, (x,)).module()(x), program(x))
    else:
        with pytest.raises((TypeError, Unsupported), match=told):
            export(program, (x,))


def test_eager_operators_say_what_they_do_not_take():
    with pytest.raises(TypeError, match="ops.np.astype takes no such arguments"):
        ops.np.astype(None, np.dtype("f4"))
    with pytest.raises(AttributeError, match="of the program"):  # not one of a kernel that looks for what an argument has not
        ops.control.check(False, AttributeError, ("of the program",))


def test_operators_called_by_name_with_a_dict_are_refused():
    with pytest.raises(Unsupported, match="ops.np.pad is called with a dict") as raised:
        export(lambda x: ops.np.pad(x, {0: 1}), (np.ones(3),))
    assert raised.value.code == "E101"
