"""The dynamic-shape examples of the torch.export documentation and tutorial, in NumPy form: symbols, ranges, relations, fixes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import (
    AdditionalInputs,
    ConstraintViolation,
    Dim,
    InputMismatch,
    ShapesCollection,
    UserError,
    dims,
    export,
    infer,
    nn,
)
from npexport import refine_dynamic_shapes_from_suggested_fixes as refine
from tests.support.drivers import drivers, f32


class TwoBranches(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch1 = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
        self.branch2 = nn.Sequential(nn.Linear(128, 64), nn.ReLU())
        self.register_buffer("buffer", np.ones(32, np.float32))

    def forward(self, x1, x2):
        out1 = self.branch1(x1)
        out2 = self.branch2(x2)
        return (out1 + self.buffer, out2)


def ranges(ep):
    return {str(size): str(interval) for size, interval in ep.range_constraints.items()}


def shapes(ep):
    """The printed shape of every input of the user."""
    names = ep.graph_signature.user_inputs
    return [str(node.meta["val"]) for node in ep.graph.nodes if node.op == "placeholder" and node.name in names]


def assert_equal(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-5, atol=1e-5)


def test_two_branches_with_a_dynamic_batch():
    module, batch = TwoBranches(), Dim("batch")
    ep = export(module, (f32(32, 64), f32(32, 128)), dynamic_shapes={"x1": {0: batch}, "x2": {0: batch}})
    text = str(ep)
    for part in ('x1: "f32[s0, 64]"', 'x2: "f32[s0, 128]"', '"f32[s0, 32]" = ops.nn.linear(', 'add: "f32[s0, 32]"'):
        assert part in text, text
    assert "Range constraints: {s0: VR[0, int_oo]}" in text
    assert not ep.guards
    for run, n in itertools.product(drivers(ep), (0, 1, 2, 7, 64)):
        inputs = f32(n, 64), f32(n, 128)
        assert_equal(run(*inputs), module(*inputs))
    with pytest.raises(InputMismatch, match=r"x2\.shape\[0\]: expected 3"):
        ep.module()(f32(3, 64), f32(4, 128))


def test_derived_dim():
    dimx = Dim("dimx", min=3, max=6)
    ep = export(lambda x, y: x + y[1:], (f32(5), f32(6)), dynamic_shapes=({0: dimx}, {0: dimx + 1}))
    assert shapes(ep) == ["f32[s0]", "f32[s0 + 1]"]
    assert str(ep.range_constraints) == "{s0: VR[3, 6], s0 + 1: VR[4, 7]}"
    assert "Range constraints: {s0: VR[3, 6], s0 + 1: VR[4, 7]}" in str(ep)
    for run in drivers(ep):
        for n in (3, 4, 5, 6):
            assert run(f32(n), f32(n + 1)).shape == (n,)
        for n in (0, 1, 2, 7):
            with pytest.raises(InputMismatch, match=r"x\.shape\[0\]: expected at least 3 and at most 6"):
                run(f32(n), f32(n + 1))


class DynamicModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(5, 3)

    def forward(self, w, x, y, z):
        x0 = x + y
        x1 = self.l(w)
        x2 = x0.flatten()
        x3 = x2 + z
        return x1, x3


TOY = f32(6, 5), f32(4), f32(8, 4), f32(32)
ALL_AUTO = {"w": (Dim.AUTO, Dim.AUTO), "x": (Dim.AUTO,), "y": (Dim.AUTO, Dim.AUTO), "z": (Dim.AUTO,)}


def test_a_static_program_takes_its_shapes_only():
    run = export(DynamicModel(), TOY).module()
    with pytest.raises(InputMismatch, match=r"y(\.shape)?"):
        run(TOY[0], TOY[1], f32(3, 4), f32(12))


def test_the_toy_model_with_auto_dims():
    module = DynamicModel()
    ep = export(module, TOY, dynamic_shapes=ALL_AUTO)
    assert shapes(ep) == ["f32[s0, 5]", "f32[s2]", "f32[s3, s2]", "f32[s2*s3]"]
    assert ranges(ep) == {"s0": "VR[0, int_oo]", "s2": "VR[0, int_oo]", "s3": "VR[0, int_oo]", "s2*s3": "VR[0, int_oo]"}
    for run, (a, b, c) in itertools.product(drivers(ep), ((6, 4, 8), (0, 4, 3), (2, 2, 2), (5, 3, 0), (1, 2, 1))):
        inputs = f32(a, 5), f32(b), f32(c, b), f32(b * c)
        assert_equal(run(*inputs), module(*inputs))
    for bad in ((f32(6, 4), *TOY[1:]), (TOY[0], f32(3), *TOY[2:]), (*TOY[:3], f32(31))):
        with pytest.raises(InputMismatch):
            ep.module()(*bad)


def test_a_dynamic_size_that_becomes_a_constant():
    with pytest.raises(ConstraintViolation, match=r"w\.shape\[1\] is Dim\.DYNAMIC, but the program needs w\.shape\[1\] == 5") as caught:
        export(DynamicModel(), TOY, dynamic_shapes={**ALL_AUTO, "w": (Dim.AUTO, Dim.DYNAMIC)})
    assert "self.l(w)" in str(caught.value)


def test_conflicting_marks():
    spec = {**ALL_AUTO, "x": (Dim.STATIC,), "y": (Dim.AUTO, Dim.DYNAMIC)}
    with pytest.raises(ConstraintViolation, match=r"y\.shape\[1\] is Dim\.DYNAMIC, but the program needs y\.shape\[1\] == 4"):
        export(DynamicModel(), TOY, dynamic_shapes=spec)


class Asserting(DynamicModel):
    def forward(self, w, x, y, z):
        assert w.shape[0] <= 512
        assert x.shape[0] >= 4
        if w.shape[0] == x.shape[0] + 2:
            x0 = x + y
            x1 = self.l(w)
            x2 = x0.flatten()
            x3 = x2 + z
            return x1, x3
        return w


def test_statements_about_sizes():
    module = Asserting()
    ep = export(module, TOY, dynamic_shapes=ALL_AUTO)
    assert shapes(ep) == ["f32[s2 + 2, 5]", "f32[s2]", "f32[s3, s2]", "f32[s2*s3]"]
    assert ranges(ep) == {
        "s2": "VR[4, 510]", "s3": "VR[0, int_oo]", "s2 + 2": "VR[6, 512]", "s2*s3": "VR[0, int_oo]",
    }  # fmt: skip
    for n in range(3, 8):
        inputs = f32(n + 2, 5), f32(n), f32(2, n), f32(2 * n)
        if n >= 4:
            assert_equal(ep.module()(*inputs), module(*inputs))
        else:
            with pytest.raises(InputMismatch):
                ep.module()(*inputs)
    with pytest.raises(InputMismatch):
        ep.module()(f32(9, 5), f32(4), f32(8, 4), f32(32))


def test_size_1_is_no_constant():
    layer = nn.Linear(4, 3)
    run = export(layer, (f32(1, 4),), dynamic_shapes={"input": (Dim.AUTO, Dim.STATIC)}).module()
    for n in (0, 1, 2, 5):
        x = f32(n, 4)
        np.testing.assert_allclose(run(x), layer(x), rtol=1e-6)


def test_named_and_derived_dims():
    dx, dh = Dim("dx", min=4, max=256), Dim("dh", max=512)
    spec = {"x": (dx, None), "y": (2 * dx, dh)}
    ep = export(lambda x, y: (x.sum(0), y * 2), (f32(8, 3), f32(16, 7)), dynamic_shapes=spec)
    assert shapes(ep) == ["f32[s0, 3]", "f32[2*s0, s1]"]
    assert ranges(ep) == {"s0": "VR[4, 256]", "s1": "VR[0, 512]", "2*s0": "VR[8, 512]"}
    with pytest.raises(InputMismatch):
        ep.module()(f32(8, 3), f32(15, 7))


def test_divisibility():
    dx = Dim("dx", min=4, max=512)
    ep = export(lambda x: x.reshape(-1, 4) + 1, (f32(32),), dynamic_shapes={"x": (4 * dx,)})
    assert shapes(ep) == ["f32[4*s0]"]
    assert ranges(ep) == {"s0": "VR[4, 512]", "4*s0": "VR[16, 2048]"}
    for n in (16, 20, 2048):
        assert ep.module()(f32(n)).shape == (n // 4, 4)
    for n in (0, 12, 17, 18, 2052):
        with pytest.raises(InputMismatch):
            ep.module()(f32(n))


def foo(x, y):
    w = x + y
    return w + np.ones(4)


def test_suggested_fixes():
    dx, dy, d1 = dims("dx", "dy", "d1")
    spec = {"x": (dx, d1), "y": (dy, d1)}
    args = f32(6, 4), f32(6, 4)
    with pytest.raises(ConstraintViolation) as caught:
        export(foo, args, dynamic_shapes=spec)
    assert caught.value.suggested_fixes == {"dy": "dx", "d1": "4"}
    assert caught.value.msg.endswith("Suggested fixes:\n  dy = dx\n  d1 = 4")
    for text in (caught.value.msg, str(caught.value)):
        fixed = refine(text, spec)
        assert fixed == {"x": (dx, 4), "y": (dx, 4)}
        run = export(foo, args, dynamic_shapes=fixed).module()
        for n in (0, 1, 2, 6, 9):
            assert run(f32(n, 4), f32(n, 4)).shape == (n, 4)


def window(x, y, z):
    assert 3 <= x.shape[0] <= 6
    return x + y[1:], z + np.ones(4)


def test_fixes_of_all_kinds():
    dx, dy, d1 = dims("dx", "dy", "d1")
    spec = {"x": {0: dx}, "y": {0: dy}, "z": {0: d1}}
    with pytest.raises(ConstraintViolation) as caught:
        export(window, (f32(5), f32(6), f32(4)), dynamic_shapes=spec)
    assert caught.value.msg.endswith("Suggested fixes:\n  dx = Dim('dx', min=3, max=6)\n  dy = dx + 1\n  d1 = 4")
    ep = export(window, (f32(5), f32(6), f32(4)), dynamic_shapes=refine(str(caught.value), spec))
    assert ranges(ep) == {"s0": "VR[3, 6]", "s0 + 1": "VR[4, 7]"}


def test_a_maximum():
    spec = {"x": {0: Dim("dim0_x")}}

    def f(x):
        return x * 2 if x.shape[0] <= 5 else x

    with pytest.raises(ConstraintViolation) as caught:
        export(f, (f32(3),), dynamic_shapes=spec)
    assert caught.value.suggested_fixes == {"dim0_x": "Dim('dim0_x', max=5)"}
    assert ranges(export(f, (f32(3),), dynamic_shapes=refine(caught.value.msg, spec))) == {"s0": "VR[0, 5]"}


def matmul(x, y):
    assert x.shape[0] == 4
    assert y.shape[0] >= 16
    return x @ y


MATRICES = f32(4, 16), f32(16, 20)


def test_auto_finds_constants_bounds_and_relations():
    spec = {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "y": {0: Dim.AUTO, 1: Dim.AUTO}}
    ep = export(matmul, MATRICES, dynamic_shapes=spec)
    assert shapes(ep) == ["f32[4, s1]", "f32[s1, s3]"]
    assert ranges(ep) == {"s1": "VR[16, int_oo]", "s3": "VR[0, int_oo]"}
    assert ep.module()(f32(4, 17), f32(17, 0)).shape == (4, 0)
    with pytest.raises(ConstraintViolation, match=r"x\.shape\[0\]"):
        export(matmul, MATRICES, dynamic_shapes={name: dict.fromkeys(part, Dim.DYNAMIC) for name, part in spec.items()})


def test_the_same_with_named_dims():
    s0, s1 = Dim("s0", min=16), Dim("s1")
    ep = export(matmul, MATRICES, dynamic_shapes={"x": {0: 4, 1: s0}, "y": {0: s0, 1: s1}})
    assert shapes(ep) == ["f32[4, s0]", "f32[s0, s1]"]
    with pytest.raises(UserError, match=r"x\.shape\[0\]"):
        export(matmul, MATRICES, dynamic_shapes={"x": {0: 5, 1: s0}, "y": {0: s0, 1: s1}})


def test_a_relation_that_no_dim_can_say():
    def f(x, y):
        assert (x.shape[0] + y.shape[1]) % 4 == 0
        return x.sum() + y.sum()

    args = f32(3, 2), f32(2, 5)
    ep = export(f, args, dynamic_shapes={"x": {0: Dim.AUTO}, "y": {1: Dim.AUTO}})
    assert [guard.text for guard in ep.guards] == ["(x.shape[0] + y.shape[1]) % 4 == 0"]
    assert "assert (x.shape[0] + y.shape[1]) % 4 == 0" in str(ep.guards[0])
    for (a, b), run in itertools.product(((4, 0), (1, 3), (0, 0), (7, 5)), drivers(ep)):
        run(f32(a, 2), f32(2, b))
    with pytest.raises(InputMismatch, match=r"\(x\.shape\[0\] \+ y\.shape\[1\]\) % 4 == 0"):
        ep.module()(f32(4, 2), f32(2, 1))
    named = {"x": {0: Dim("a")}, "y": {1: Dim("b")}}
    with pytest.raises(ConstraintViolation) as caught:
        export(f, args, dynamic_shapes=named)
    assert "Dim.AUTO" in caught.value.msg
    export(f, args, dynamic_shapes=refine(caught.value.msg, named)).module()(f32(4, 2), f32(2, 0))
    deferred = export(f, args, dynamic_shapes=named, prefer_deferred_runtime_asserts_over_guards=True)
    with pytest.raises(InputMismatch):
        deferred.module()(f32(4, 2), f32(2, 1))


def test_hints_with_bounds():
    ep = export(lambda x: x + 1, (f32(20),), dynamic_shapes=({0: Dim.AUTO(min=16, max=32)},))
    assert ranges(ep) == {"s0": "VR[16, 32]"}
    with pytest.raises(UserError, match=r"x\.shape\[0\] is 80"):
        export(lambda x: x + 1, (f32(80),), dynamic_shapes=({0: Dim.DYNAMIC(max=64)},))


def test_mixed_leaves():
    def f(tensor_0, tensor_1, int_val, bool_val):
        return tensor_0.sum(0) + int_val if bool_val else tensor_1

    args = f32(4, 4), f32(3, 3), 16, True
    spec = {"tensor_0": (Dim.AUTO, None), "tensor_1": None, "int_val": None, "bool_val": None}
    ep = export(f, args, dynamic_shapes=spec)
    ep.module()(f32(9, 4), *args[1:])
    for bad in ((args[0], args[1], 17, True), (args[0], f32(4, 3), 16, True), (*args[:3], False)):
        with pytest.raises(InputMismatch):
            ep.module()(*bad)


@pytest.mark.parametrize("hint", [Dim.AUTO, Dim.DYNAMIC])
@pytest.mark.parametrize("value", [4, 0, 1, -3])
def test_dynamic_integers(hint, value):
    def f(x, n):
        return x * n + abs(n)

    ep = export(f, (f32(3), value), dynamic_shapes={"x": None, "n": hint})
    x = f32(3)
    for n in (-5, -1, 0, 1, 2, 10**6):
        try:
            actual = ep.module()(x, n)
        except InputMismatch:
            assert (n < 0) != (value < 0), "the sign of n decides a branch of abs at most"
        else:
            np.testing.assert_allclose(actual, f(x, n))


def test_dynamic_floats():
    ep = export(lambda x, a: x * a + a * a, (f32(3), 0.5), dynamic_shapes={"x": None, "a": Dim.DYNAMIC})
    x = f32(3)
    for run, a in itertools.product(drivers(ep), (-1.5, 0.0, 2.25, float("inf"))):
        np.testing.assert_allclose(run(x, a), x * a + a * a)
    with pytest.raises(InputMismatch):
        ep.module()(x, 1)


def nested(x, others):
    return x + others[0][: x.shape[0]].sum() + others[1]


def test_shapes_collection():
    x, y, z = f32(4, 5, 8), f32(8), f32(1)
    dim = Dim("dim")
    collection = ShapesCollection()
    collection[x] = (dim, dim + 1, 8)
    collection[y] = {0: dim * 2}
    args = {"x": x, "others": [y, z]}
    expected = {"x": (dim, dim + 1, 8), "others": [{0: dim * 2}, None]}
    assert collection.dynamic_shapes(m=nested, args=(), kwargs=args) == expected
    for spec in (collection, expected, {"x": {0: dim, 1: dim + 1, 2: 8}, "others": [{0: 2 * dim}, None]}):
        ep = export(nested, (), args, dynamic_shapes=spec)
        assert shapes(ep) == ["f32[s0, s0 + 1, 8]", "f32[2*s0]", "f32[1]"]
        for n in (0, 1, 3):
            others = [f32(2 * n), z]
            a = f32(n, n + 1, 8)
            np.testing.assert_allclose(ep.module()(x=a, others=others), nested(a, others), rtol=1e-6)


def test_additional_inputs():
    def f(x, y, n):
        return x.sum() + y * n

    more = AdditionalInputs()
    more.add((f32(6, 3), f32(2), 5))
    more.add((f32(0, 3),), {"y": f32(2), "n": 5})
    args = f32(4, 3), f32(2), 7
    assert more.dynamic_shapes(f, args) == {"x": {0: Dim.DYNAMIC}, "y": None, "n": Dim.DYNAMIC}
    ep = export(f, args, dynamic_shapes=more)
    more.verify(ep)
    assert shapes(ep)[:2] == ["f32[s0, 3]", "f32[2]"]
    more.add((f32(4, 3), f32(3), 7))
    with pytest.raises(InputMismatch):
        more.verify(ep)


def test_inferred_specifications():
    module = DynamicModel()
    general = export(module, TOY, dynamic_shapes=infer())
    assert shapes(general) == ["f32[s0, 5]", "f32[s2]", "f32[s3, s2]", "f32[s2*s3]"]
    seen = export(module, TOY, dynamic_shapes=infer((f32(2, 5), f32(4), f32(3, 4), f32(12))))
    assert shapes(seen) == ["f32[s0, 5]", "f32[4]", "f32[s1, 4]", "f32[4*s1]"]
