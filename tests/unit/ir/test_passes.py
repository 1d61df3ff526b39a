"""Passes: what they drop, share and fold, and what they must leave alone."""

import numpy as np
import pytest

from npexport import export
from npexport.ir.passes import common_subexpressions, dead_code, fold_constants, simplify
from npexport.ir.signature import InputKind
from tests.support.program_builder import Builder

X = np.arange(6.0).reshape(2, 3)


def calls(program):
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


def run_both(build, passes, *inputs):
    """The calls after the passes; before and after compute the same."""
    before, after = build(), build()
    for run in passes:
        run(after)
    after.validate()
    for first, second in zip(before.module()(*inputs), after.module()(*inputs), strict=True):
        np.testing.assert_array_equal(first, second)
    return after


def test_dead_code():
    def build():
        builder = Builder()
        k = builder.constant("k", X)
        builder.constant("used", X)
        builder.parameter("w", X)
        x = builder.input("x", X)
        builder.call("np.add", builder.call("np.sin", x), k)
        return builder.finish((builder.call("np.cos", builder.call("np.add", x, builder.graph.nodes[1])),))

    program = run_both(build, [dead_code], X)
    assert calls(program) == ["ops.np.add", "ops.np.cos"]
    assert program.graph_signature.inputs_to_lifted_tensor_constants == {"c_used": "used"} and program.constants.keys() == {"used"}
    assert program.graph_signature.parameters == ("w",)


def test_equal_calls_are_one():
    def build():
        builder = Builder()
        x = builder.input("x", X)
        first = builder.call("np.add", builder.call("np.sin", x), 1.0)
        second = builder.call("np.add", builder.call("np.sin", x), 1.0)
        return builder.finish((builder.call("np.multiply", first, second),))

    assert calls(run_both(build, [common_subexpressions], X)) == ["ops.np.sin", "ops.np.add", "ops.np.multiply"]


DISTINCT = [
    (("np.add", 1.0), ("np.add", 1)),
    (("np.add", True), ("np.add", 1)),
    (("np.copysign", 0.0), ("np.copysign", -0.0)),
    (("np.add", np.float64(1)), ("np.add", 1.0)),
    (("np.add", np.float32(1)), ("np.add", np.float64(1))),
    (("np.sum", 0), ("np.sum", (0,))),
    (("np.getitem", slice(0, 1)), ("np.getitem", slice(0, 1, 1))),
]


@pytest.mark.parametrize("first, second", DISTINCT, ids=str)
def test_calls_that_only_look_equal(first, second):
    builder = Builder()
    x = builder.input("x", X)
    a, b = (builder.call(name, x, arg) for name, arg in (first, second))
    program = builder.finish((builder.call("np.sum", a), builder.call("np.sum", b)))
    common_subexpressions(program)
    assert len(calls(program)) == 4


def test_arrays_that_leave_the_program_stay_apart():
    def build():
        builder = Builder()
        h = builder.buffer("h", X)
        x = builder.input("x", X)
        a, b, c, d, e = (builder.call("np.sin", x) for _ in range(5))
        total = builder.call("np.add", builder.call("np.sum", d), builder.call("np.sum", e))
        ravels = [builder.call("np.ravel", x) for _ in range(2)]  # views, or copies where x is not contiguous
        return builder.finish((a, builder.call("np.transpose", b), total, *ravels), rebinds=[(h, c)])

    program = run_both(build, [common_subexpressions], X)
    assert calls(program).count("ops.np.sin") == 4
    first, second, _, third, fourth = (run := program.module())(np.asfortranarray(X))
    assert third is not fourth and not np.shares_memory(third, fourth)
    assert not np.shares_memory(first, second) and not np.shares_memory(first, run.state_dict()["h"])


def test_constants_are_folded():
    def build():
        builder = Builder()
        k = builder.constant("k", np.arange(3.0))
        x = builder.input("x", X)
        table = builder.call("np.multiply", builder.call("np.transpose", builder.call("np.sin", k)), 2.0)
        total = builder.call("np.sum", k)
        return builder.finish((builder.call("np.add", builder.call("np.add", x, table), total),))

    program = run_both(build, [fold_constants, dead_code], X)
    assert calls(program) == ["ops.np.add", "ops.np.add"]
    assert [node.name for node in program.graph.placeholders] == ["c_folded_multiply", "x"]
    assert "np.float64(3.0)" in program.graph_module.code


def outputs_are_left(builder, k, x):
    return builder.call("np.sin", k)


def views_of_outputs_are_left(builder, k, x):
    return builder.call("np.transpose", builder.call("np.sin", k))


def views_are_left(builder, k, x):
    return builder.call("np.add", x, builder.call("np.getitem", k, slice(None, None, -1)))


def parameters_are_left(builder, k, x):
    return builder.call("np.add", builder.call("np.sin", builder.graph.nodes[1]), x)


def warnings_are_left(builder, k, x):
    return builder.call("np.add", x, builder.call("np.divide", 1.0, k))


def large_results_are_left(builder, k, x):
    return builder.call("np.sum", builder.call("np.outer", builder.graph.nodes[2], builder.graph.nodes[2]))


LEFT = [outputs_are_left, views_of_outputs_are_left, views_are_left, parameters_are_left, warnings_are_left, large_results_are_left]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", LEFT, ids=lambda rule: rule.__name__)
def test_what_is_not_folded(rule):
    def build():
        builder = Builder()
        k = builder.constant("k", np.arange(3.0))
        builder.parameter("w", X)
        builder.constant("big", np.ones(1000))
        x = builder.input("x", X)
        return builder.finish((rule(builder, k, x),))

    # the lifted constant after a parameter is only a matter of order
    before = build()
    program = build()
    fold_constants(program)
    assert calls(program) == calls(before)
    np.testing.assert_array_equal(before.module()(X)[0], program.module()(X)[0])


TABLE = np.array([0.0, 0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x + len(np.unique(TABLE)),
        lambda x: x.ravel()[:2] + TABLE[TABLE > 0] + TABLE[1],
        lambda x: x * np.repeat(TABLE, 2).shape[0] + np.nonzero(TABLE)[0].sum(),
    ],
)
def test_what_has_sizes_that_constants_decide_is_not_folded(program):
    np.testing.assert_array_equal(export(program, (X,)).module()(-X), program(-X))


def test_state_is_not_folded():
    builder = Builder()
    k = builder.constant("scale", np.arange(3.0))
    x = builder.input("x", X)
    program = builder.finish(builder.call("np.add", x, builder.call("np.sin", k)))
    fold_constants(program, frozenset(["scale"]))
    assert calls(program) == ["ops.np.sin", "ops.np.add"]


def test_simplify_runs_them_all():
    def build():
        builder = Builder()
        k = builder.constant("k", np.arange(3.0))
        x = builder.input("x", X)
        a, b = (builder.call("np.add", x, builder.call("np.sin", k)) for _ in range(2))
        builder.call("np.cos", x)
        return builder.finish((builder.call("np.multiply", a, b),))

    program = run_both(build, [simplify], X)
    assert calls(program) == ["ops.np.add", "ops.np.multiply"]
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    assert kinds == [InputKind.CONSTANT_TENSOR, InputKind.USER_INPUT] and list(program.constants) == ["c_folded_sin"]
