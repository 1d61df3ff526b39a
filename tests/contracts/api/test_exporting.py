"""What the contract says of exporting, one test a name: `test_<name>`, dots written as underscores (`test_table` demands it)."""

from __future__ import annotations

import logging
import os
import warnings

import numpy as np
import pytest

import npexport
from npexport import (
    AdditionalInputs,
    ConstraintViolation,
    Dim,
    ExportError,
    InputMismatch,
    LoadError,
    ShapesCollection,
    Unsupported,
    UserError,
    dims,
    export,
    nn,
    ops,
    testing,
)
from npexport.symshapes.ranges import int_oo

A = np.arange(6.0).reshape(2, 3)


def scaled(x, factor=2.0):
    y = np.sin(x)
    return y * factor


def decays(x):
    for _ in range(200):
        x = x * 0.5
    return x


def squares(x, y):
    assert len(x) == len(y) ** 2
    return x.sum() + y.sum()


def refused(x):
    size = open(__file__)
    return x + size


def test_export():
    program = export(scaled, (A,), {"factor": 3.0}, dynamic_shapes={"x": {0: Dim("n")}, "factor": None})
    np.testing.assert_array_equal(program.module()(A[:1], factor=3.0), scaled(A[:1], 3.0))
    with pytest.raises(InputMismatch, match="factor"):
        program.module()(A, factor=4.0)
    with pytest.raises(Unsupported) as caught:
        export(lambda x: x if x.sum() > 0 else -x, (A,), capture_control_flow=False)
    assert caught.value.code == "E103"
    steps = [len(export(decays, (A,), unroll=unroll).graph.nodes) for unroll in (True, False, 199, 200)]
    assert steps[0] == steps[3] > 200 > 10 > steps[1] == steps[2]
    with pytest.raises(ConstraintViolation):
        export(lambda x: x.reshape(-1, 2), (A[0:2],), dynamic_shapes=({0: Dim("n")},))
    spec = {"x": {0: Dim("n")}, "y": {0: Dim("m")}}
    deferred = export(squares, (np.ones(9), np.ones(3)), dynamic_shapes=spec, prefer_deferred_runtime_asserts_over_guards=True)
    with pytest.raises(InputMismatch):
        deferred.module()(np.ones(9), np.ones(4))


def test_export_for_training():
    assert npexport.export_for_training(np.sin, (A,)).module()(A).shape == A.shape


def test_explain():
    found = npexport.explain(refused, (A,))
    assert not found.ok and [problem.code for problem in found.problems] == ["E105"] and "open" in str(found)
    fine = npexport.explain(lambda x: x if len(x) > 1 else -x, (A,), dynamic_shapes=({0: Dim.AUTO},))
    assert fine.ok and not fine.problems and len(fine.graph) == 2 and fine.guards is not None


def test_explain_says_where_the_program_raises():
    (problem,) = npexport.explain(lambda x: scaled(x.reshape(7)), (A,)).problems
    assert problem.code == "E208" and problem.location.source.strip().startswith("(problem,)") and "reshape(7)" in str(problem)


def test_Explanation():
    found = npexport.explain(scaled, (A,), {"factor": 3.0})
    assert isinstance(found, npexport.Explanation) and found.ok and isinstance(str(found), str)


def test_draft_export():
    program = npexport.draft_export(lambda x: {float(x.max()): x}, (A,))
    assert not program.report.success and isinstance(program.report.failures[0], ExportError)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program.module()
    assert len(caught) == 1


def test_DraftExportReport():
    report = npexport.draft_export(scaled, (A,)).report
    assert isinstance(report, npexport.DraftExportReport) and report.success and report.failures == [] and str(report)


def test_set_logs(caplog):
    npexport.set_logs("graph")
    try:
        with caplog.at_level(logging.DEBUG, logger="npexport"):
            export(scaled, (A,))
    finally:
        npexport.set_logs()
    assert "ops.np.sin" in caplog.text


def test_interpret():
    def divided(a, b=0):
        try:
            return a / b
        except ZeroDivisionError:
            return "none"

    assert npexport.interpret(divided, 1) == divided(1) and npexport.interpret(divided, 1, b=2) == 0.5
    with pytest.raises(KeyError):
        npexport.interpret(lambda: {}["a"])


def test_frame_hook():
    assert npexport.frame_hook() in ("pep523", "settrace")


def test_capture():
    with npexport.capture(scaled) as captured:
        results = [scaled(np.ones(n)) for n in (2, 5, 3)]
    (program,) = captured.programs
    for n, result in zip((2, 5, 3), results, strict=True):
        np.testing.assert_array_equal(program.module()(np.ones(n)), result)
    for predicate in (lambda code: "scale" in str(code), lambda c: c.co_name == "scaled"):
        with npexport.capture(predicate, limit=2) as captured:
            scaled(A), scaled(A, 3.0), scaled(A, 4.0)
        assert len(captured.programs) == 2


# Sizes


def test_Dim():
    half = Dim("half", min=2, max=9)
    program = export(lambda x, y: x + y[::2], (np.ones(3), np.ones(6)), dynamic_shapes=({0: half}, {0: 2 * half}))
    assert {str(size): str(found) for size, found in program.range_constraints.items()} == {"s0": "VR[2, 9]", "2*s0": "VR[4, 18]"}
    assert (half.min, half.max, Dim("n").max) == (2, 9, int_oo)


@pytest.mark.parametrize("hint", [Dim.AUTO, Dim.DYNAMIC, Dim.AUTO(min=1, max=9), Dim.DYNAMIC(max=9)], ids=str)
def test_Dim_AUTO(hint):
    program = export(scaled, (A,), dynamic_shapes={"x": {0: hint}})
    assert program.module()(np.ones((5, 3))).shape == (5, 3)


def test_Dim_DYNAMIC():
    with pytest.raises(ConstraintViolation):
        export(lambda x: x + np.ones(3), (np.ones(3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    assert export(lambda x: x + np.ones(3), (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()(np.ones(3)).shape == (3,)


def test_Dim_STATIC():
    with pytest.raises(InputMismatch):
        export(scaled, (A,), dynamic_shapes={"x": {0: Dim.STATIC}}).module()(np.ones((5, 3)))


def test_dims():
    assert [dim.__name__ for dim in dims("a", "b")] == ["a", "b"] and all(dim.max == 7 for dim in dims("a", "b", max=7))


def test_ShapesCollection():
    found = ShapesCollection()
    found[A] = (Dim("n"), None)
    assert found.dynamic_shapes(scaled, (A,))["x"][0].__name__ == "n" and len(found) == 1
    assert str(export(scaled, (A,), dynamic_shapes=found).graph.nodes[0].meta["val"]) == "f64[s0, 3]"


def test_ShapesCollection_dynamic_shapes():
    collection = ShapesCollection()
    collection[A] = {1: Dim("n")}
    assert collection.dynamic_shapes(lambda pair: pair["a"], ({"a": A},))["pair"]["a"][1].__name__ == "n"


def test_AdditionalInputs():
    more = AdditionalInputs()
    more.add((np.ones((4, 3)),))
    program = export(scaled, (A,), dynamic_shapes=more)
    assert program.module()(np.ones((9, 3))).shape == (9, 3)


def test_AdditionalInputs_add():
    more = AdditionalInputs()
    more.add((A,), {"factor": 2.0})
    assert more.dynamic_shapes(scaled, (A,), {"factor": 2.0}) is not None


def test_AdditionalInputs_dynamic_shapes():
    more = AdditionalInputs()
    more.add((np.ones((4, 3)),))
    assert more.dynamic_shapes(scaled, (A,)) == {"x": {0: Dim.DYNAMIC}}


def test_AdditionalInputs_verify():
    more = AdditionalInputs()
    more.add((np.ones((4, 3)),))
    with pytest.raises(InputMismatch):
        more.verify(export(scaled, (A,)))


def test_refine_dynamic_shapes_from_suggested_fixes():
    spec = {"x": {0: Dim("a")}, "y": {0: Dim("b")}}
    with pytest.raises(ConstraintViolation) as caught:
        export(lambda x, y: x + y, (np.ones(4), np.ones(4)), dynamic_shapes=spec)
    fixed = npexport.refine_dynamic_shapes_from_suggested_fixes(caught.value.msg, spec)
    assert export(lambda x, y: x + y, (np.ones(4), np.ones(4)), dynamic_shapes=fixed).module()(np.ones(2), np.ones(2)).shape == (2,)


# Errors


def test_ExportError():
    with pytest.raises(ExportError) as caught:
        export(refused, (A,))
    error = caught.value
    assert (error.code, error.slug, type(error)) == ("E105", "input-output", Unsupported) and error.message and error.hint
    location = error.location
    assert (location.file, location.function, location.source) == (__file__, "refused", "    size = open(__file__)")
    assert location.source[location.column : location.end_column] == "open(__file__)" and location.end_line == location.line
    assert error.user_stack[-1] == location


def test_ExportError_shows_the_users_frames():
    """... none of the layers' between them, which ``user_stack`` has."""

    class Reading(nn.Module):
        def forward(self, x):
            return refused(x)

    with pytest.raises(Unsupported) as caught:
        export(nn.Sequential(nn.Sequential(nn.ReLU(), Reading())), (A,))
    files = [line.split('"')[1] for line in str(caught.value).splitlines() if line.startswith("  File ")]
    assert files == [__file__, __file__] and len(caught.value.user_stack) > 4


def test_ExportError_blames_the_users_line_beside_frozen_modules():
    with pytest.raises(Unsupported) as caught:
        export(lambda x: x * len(os.environ.get("PATH", "")), (A,))
    assert (caught.value.code, caught.value.location.file) == ("E108", __file__) and len(caught.value.user_stack) > 1


def test_Location():
    assert npexport.Location("a.py", 3, 4, 3, 9, "f", "    x = 1").line == 3


def test_Unsupported():
    assert issubclass(Unsupported, ExportError) and not issubclass(Unsupported, ValueError)


def test_UserError():
    with pytest.raises(UserError):
        export(3, (A,))


def test_ConstraintViolation():
    dx, dy, d1 = dims("dx", "dy", "d1")
    with pytest.raises(ConstraintViolation) as caught:
        export(lambda x, y: (x + y) + np.ones(4), (np.ones((6, 4)),) * 2, dynamic_shapes={"x": (dx, d1), "y": (dy, d1)})
    error = caught.value
    assert isinstance(error, UserError) and error.suggested_fixes == {"dy": "dx", "d1": "4"} and len(error.violations) == 2
    assert error.msg.endswith("Suggested fixes:\n  dy = dx\n  d1 = 4")


def test_InputMismatch():
    with pytest.raises(ValueError, match="x: expected dtype float64, got float32") as caught:
        export(scaled, (A,)).module()(A.astype(np.float32))
    assert isinstance(caught.value, InputMismatch)


def test_LoadError():
    assert issubclass(LoadError, ValueError) and issubclass(LoadError, ExportError)


def test_InternalError():
    assert issubclass(npexport.InternalError, ExportError)


def test_testing_OpCheckError():
    assert issubclass(testing.OpCheckError, ExportError)


# Operators of one's own


@pytest.fixture
def halved():
    """An operator, gone after the test."""

    @npexport.custom_op("contract::halved", mutates_args=())
    def halved(x: np.ndarray, times: int = 1, mode: str | None = None) -> np.ndarray:
        return x / 2**times

    halved.register_fake(lambda x, times=1, mode=None: np.empty_like(x))
    return halved


def test_custom_op(halved):
    program = export(lambda x: halved(x, 2) + 1, (A,))
    assert [str(node.target) for node in program.graph.find_nodes(op="call_function")] == ["ops.contract.halved", "ops.np.add"]
    np.testing.assert_array_equal(program.module()(A), A / 4 + 1)


def test_register_fake(halved):
    assert npexport.register_fake(halved)(lambda x, times=1, mode=None: np.empty_like(x))
    with pytest.raises(UserError):
        npexport.register_fake("contract::none")


def test_new_size():
    @npexport.custom_op("contract::positive", mutates_args=())
    def positive(x: np.ndarray) -> np.ndarray:
        return x[x > 0]

    npexport.register_fake("contract::positive")(lambda x: np.empty(npexport.new_size(max=x.size), x.dtype))
    program = export(positive, (np.ones(4),))
    assert str(program.graph.nodes[1].meta["val"]) == "f64[u0]" and program.module()(np.array([1.0, -1, 2, 3])).shape == (3,)


def test_register_decomposition():
    @npexport.custom_op("contract::doubled", mutates_args=())
    def doubled(x: np.ndarray) -> np.ndarray:
        return x * 2

    doubled.register_fake(np.empty_like)
    npexport.register_decomposition("contract::doubled")(lambda x: x + x)
    core = export(doubled, (A,)).run_decompositions()
    assert [str(node.target) for node in core.graph.find_nodes(op="call_function")] == ["ops.np.add"]


def test_register_vjp(halved):
    rule = npexport.register_vjp("contract::halved")(lambda cotangents, outputs, x, times=1, mode=None: (cotangents / 2,))
    assert halved.vjp is rule


def test_opaque():
    vander = npexport.opaque(np.vander, lambda x: np.empty((x.shape[0], x.shape[0])), name="contract::vander")
    program = export(lambda x: vander(x), (np.arange(3.0),))
    assert str(program.graph.nodes[1].target) == "ops.contract.vander"
    np.testing.assert_array_equal(program.module()(np.arange(3.0)), np.vander(np.arange(3.0)))


def test_testing_opcheck(halved):
    testing.opcheck(halved, (A,), {"times": 2})

    @npexport.custom_op("contract::writes", mutates_args=())
    def writes(x: np.ndarray) -> np.ndarray:
        x += 1
        return x * 2

    writes.register_fake(np.empty_like)
    with pytest.raises(testing.OpCheckError):
        testing.opcheck(writes, (A.copy(),))


# Control flow and checks


def test_cond():
    def sided(x):
        return npexport.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,))

    program = export(sided, (A,))
    for x in (A, -A):
        np.testing.assert_array_equal(program.module()(x), sided(x))
    assert len(program.graph_module.true_graph_0.graph) == 3 and "false_graph_0" in str(program)


def test_while_loop():
    def doubled(x):
        return npexport.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (0, x))

    iterations, result = export(doubled, (A,)).module()(A)
    assert iterations == 3 and type(iterations) is int
    np.testing.assert_array_equal(result, A * 8)


@pytest.mark.parametrize("reverse", [False, True])
def test_scan(reverse):
    def running(x):
        return npexport.scan(lambda carry, row: (carry + row, carry), np.zeros(3), x, reverse=reverse)

    for actual, expected in zip(export(running, (A,)).module()(A), running(A), strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_map():
    program = export(lambda x, y: npexport.map(lambda row, y: row * y, x, y), (A, A[0]))
    np.testing.assert_array_equal(program.module()(A, A[0]), A * A[0])


def test_check():
    for condition, message in ((False, "no"), (False, lambda: "no")):
        with pytest.raises(AssertionError, match="^no$"):
            export(lambda x, condition=condition, message=message: npexport.check(condition, message), (A,))

    def checked(x):
        npexport.check(x.min() >= 0, "x must not be negative")
        return np.sqrt(x)

    with pytest.raises(AssertionError, match="x must not be negative"):
        export(checked, (A,)).module()(-A - 1)


# Decompositions


def test_default_decompositions():
    table = npexport.default_decompositions()
    assert ops.np.square in table and isinstance(table, npexport.CustomDecompTable)
    assert table.keys().isdisjoint(npexport.core_operators())


def test_core_operators():
    core = npexport.core_operators()
    assert isinstance(core, frozenset) and len(core) <= 150 and all(op.namespace in ("np", "nn") and op.is_core for op in core)


def decomposed(table):
    return [str(node.target) for node in export(np.square, (A,)).run_decompositions(table).graph.find_nodes(op="call_function")]


def test_CustomDecompTable():
    table = npexport.default_decompositions()
    table[ops.np.square] = lambda x: np.exp(np.log(x) * 2)
    assert decomposed(table) == ["ops.np.log", "ops.np.multiply", "ops.np.exp"]
    del table[ops.np.square]
    assert decomposed(table) == ["ops.np.square"]
    with pytest.raises(KeyError):
        del table[ops.np.square]


def test_CustomDecompTable_is_a_mapping_as_dict_is():
    table, own = npexport.default_decompositions(), {ops.np.square: lambda x: x * x * 1.0}
    assert decomposed(table | own) == ["ops.np.multiply", "ops.np.multiply"] and decomposed(own | table) == decomposed(table)
    joined = table.copy()
    joined |= own.items()
    assert joined == table | own != table and list(reversed(table)) == list(table)[::-1]
    assert {type(each) for each in (table | own, own | table, joined)} == {npexport.CustomDecompTable}
    for wrong in (3, [1]):
        with pytest.raises(TypeError):
            table | wrong
    with pytest.raises(npexport.UserError, match="E201"):
        table | {"np.square": own}


def test_CustomDecompTable_copy():
    table = npexport.default_decompositions()
    del table.copy()[ops.np.square]
    assert ops.np.square in table


def test_CustomDecompTable_items():
    table = npexport.default_decompositions()
    assert dict(table.items())[ops.np.square] is table[ops.np.square]


def test_CustomDecompTable_keys():
    assert ops.np.square in npexport.default_decompositions().keys()


def test_CustomDecompTable_materialize():
    assert type(npexport.default_decompositions().materialize()) is dict


def test_CustomDecompTable_pop():
    table = npexport.default_decompositions()
    rule = table.pop(ops.np.square)
    assert callable(rule) and table.pop(ops.np.square, None) is None
    with pytest.raises(KeyError):
        table.pop(ops.np.square)


def test_CustomDecompTable_update():
    table = npexport.default_decompositions()
    table.update({ops.np.square: lambda x: x * x * 1.0})
    assert decomposed(table) == ["ops.np.multiply", "ops.np.multiply"]


# Operators


@pytest.mark.parametrize("namespace", ["np", "nn", "sym", "control", "random"])
def test_ops(namespace):
    assert dir(getattr(ops, namespace)) and namespace in dir(ops)


def test_Op():
    assert isinstance(ops.np.sin, npexport.Op) and str(ops.np.sin) == "ops.np.sin" and ops.np.sin(0.0) == 0.0


def test_Op_name():
    assert ops.nn.conv2d.name == "conv2d"


def test_Op_schema():
    assert ops.np.sin.schema.startswith("np.sin(") and "axis=None" in ops.np.sum.schema


def test_Op_is_core():
    assert ops.np.sin.is_core and not ops.np.square.is_core


def test_Op_is_mutable():
    assert not ops.np.setitem.is_mutable


def test_Op_tags():
    assert "ufunc" in ops.np.sin.tags and "view" in ops.np.transpose.tags and isinstance(ops.np.sin.tags, frozenset)


def test_TensorMeta():
    meta = export(scaled, (A,), dynamic_shapes={"x": {0: Dim("n")}}).graph.nodes[0].meta["val"]
    assert isinstance(meta, npexport.TensorMeta) and str(meta) == "f64[s0, 3]" and meta.dtype == np.float64 and meta.shape[1] == 3


def test_infer():
    assert export(scaled, (A,), dynamic_shapes=npexport.infer()).module()(np.ones((4, 5))).shape == (4, 5)
