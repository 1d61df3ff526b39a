"""Every example program of the torch.export documentation, in NumPy form: exported, printed, run, saved and loaded."""

from __future__ import annotations

import dataclasses
import functools
from collections import namedtuple

import numpy as np
import pytest

import npexport
from npexport import InputKind, InputMismatch, OutputKind, export, nn, ops
from tests.support.drivers import drivers, f32


class SinCos(nn.Module):
    def forward(self, x, y):
        a = np.sin(x)
        b = np.cos(y)
        return a + b


def test_sin_cos():
    ep = export(SinCos(), (f32(10, 10), f32(10, 10)))
    assert [node.op for node in ep.graph.nodes] == ["placeholder"] * 2 + ["call_function"] * 3 + ["output"]
    assert [node.target for node in ep.graph.nodes][2:5] == [ops.np.sin, ops.np.cos, ops.np.add]
    text = str(ep)
    for line in (
        'def forward(self, x: "f32[10, 10]", y: "f32[10, 10]")',
        "code: a = np.sin(x)",
        'sin: "f32[10, 10]" = ops.np.sin(x)',
        'cos: "f32[10, 10]" = ops.np.cos(y)',
        "code: return a + b",
        'add: "f32[10, 10]" = ops.np.add(sin, cos)',
        "return (add,)",
        "input  x   USER_INPUT",
        "Range constraints: {}",
    ):
        assert line in text, text
    assert "in forward" in text
    x, y = f32(10, 10), f32(10, 10)
    for run in drivers(ep):
        np.testing.assert_array_equal(run(x, y), np.sin(x) + np.cos(y))
        np.testing.assert_array_equal(run(x, y=y), np.sin(x) + np.cos(y))


def test_nodes_know_their_source_and_module():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = SinCos()

        def forward(self, x):
            return self.inner(x, x) * 2

    ep = export(Outer(), (f32(3),))
    sin, mul = ep.graph.nodes[1], ep.graph.nodes[-2]
    assert sin.target is ops.np.sin and mul.target is ops.np.multiply
    location = sin.meta["stack_trace"][-1]
    assert location.function == "forward" and location.source.strip() == "a = np.sin(x)"
    assert location.source[location.column : location.end_column] == "np.sin(x)"
    assert "inner" in " ".join(map(str, sin.meta["nn_module_stack"]))
    assert "inner" not in " ".join(map(str, mul.meta["nn_module_stack"]))
    assert str(sin.meta["val"]) == "f32[3]"


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(in_channels=3, out_channels=16, kernel_size=3, padding=1)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(kernel_size=3)

    def forward(self, x, *, constant=None):
        a = self.conv(x)
        a += constant
        return self.maxpool(self.relu(a))


def test_conv_relu_maxpool_with_a_keyword_constant_added_in_place():
    module = Conv()
    ep = export(module, (f32(1, 3, 32, 32),), {"constant": np.ones((1, 16, 32, 32), np.float32)})
    signature = ep.graph_signature
    assert [spec.kind for spec in signature.input_specs] == [
        InputKind.PARAMETER,
        InputKind.PARAMETER,
        InputKind.USER_INPUT,
        InputKind.USER_INPUT,
    ]
    assert [spec.target for spec in signature.input_specs] == ["conv.weight", "conv.bias", None, None]
    assert [spec.arg.name for spec in signature.input_specs] == ["p_conv_weight", "p_conv_bias", "x", "constant"]
    assert [spec.kind for spec in signature.output_specs] == [OutputKind.USER_OUTPUT]
    x, constant = f32(1, 3, 32, 32), f32(1, 16, 32, 32)
    expected = module(x, constant=constant.copy())
    before = constant.copy()
    for run in drivers(ep):
        np.testing.assert_allclose(run(x, constant=constant), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(constant, before)


def test_two_branches_with_a_buffer():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.branch1 = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
            self.branch2 = nn.Sequential(nn.Linear(128, 64), nn.ReLU())
            self.buffer = np.ones(32, np.float32)

        def forward(self, x1, x2):
            out1 = self.branch1(x1)
            out2 = self.branch2(x2)
            return (out1 + self.buffer, out2)

    module = M()
    ep = export(module, (f32(32, 64), f32(32, 128)))
    targets = {spec.target: (spec.kind, spec.arg.name) for spec in ep.graph_signature.input_specs if spec.target}
    assert targets["branch1.0.weight"] == (InputKind.PARAMETER, "p_branch1_0_weight")
    assert targets["buffer"] == (InputKind.CONSTANT_TENSOR, "c_buffer")
    assert set(ep.state_dict) >= {"branch1.0.weight", "branch1.0.bias", "branch2.0.weight", "branch2.0.bias"}
    x1, x2 = f32(32, 64), f32(32, 128)
    for run in drivers(ep):
        for actual, expected in zip(run(x1, x2), module(x1, x2), strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-6)


def shape_if(x):
    if x.shape[0] > 5:
        return x + 1
    else:
        return x - 1


def test_shape_if():
    ep = export(shape_if, (f32(10, 2),))
    assert [node.target for node in ep.graph.nodes if node.op == "call_function"] == [ops.np.add]
    x = f32(10, 2)
    for run in drivers(ep):
        np.testing.assert_array_equal(run(x), x + 1)
        with pytest.raises(InputMismatch, match=r"x"):
            run(f32(3, 2))


def loop(x, const: int, times: int):
    for _ in range(times):
        x = x + const
    return x


def test_loop_over_an_int_argument():
    ep = export(loop, (f32(2, 2), 1, 3))
    assert len([node for node in ep.graph.nodes if node.op == "call_function"]) == 3
    x = f32(2, 2)
    for run in drivers(ep):
        np.testing.assert_array_equal(run(x, 1, 3), loop(x, 1, 3))
        for bad in ((2, 3), (1, 4), (1.0, 3), (True, 3)):
            with pytest.raises(InputMismatch):
                run(x, *bad)


@dataclasses.dataclass
class Pair:
    left: np.ndarray
    right: np.ndarray


Point = namedtuple("Point", "x y")


def nested(inputs, *, scale=2.0, pair):
    a, (b, c) = inputs["a"], inputs["rest"]
    return {"sum": a + b * scale, "list": [c, pair.left - pair.right]}, Point(a, b.sum())


def test_nested_inputs_defaults_and_keyword_only_arguments():
    npexport.register_dataclass(Pair)

    def example():
        return ({"a": f32(3), "rest": (f32(3), f32(2, 2))},), {"pair": Pair(f32(4), f32(4))}

    ep = export(nested, *example())
    for run in drivers(ep):
        args, kwargs = example()
        expected, actual = nested(*args, **kwargs), run(*args, **kwargs)
        assert type(actual[0]) is dict and list(actual[0]) == ["sum", "list"] and type(actual[1]).__name__ == "Point"
        np.testing.assert_array_equal(actual[0]["sum"], expected[0]["sum"])
        np.testing.assert_array_equal(actual[0]["list"][1], expected[0]["list"][1])
        assert type(actual[1].y) is np.float32 and actual[1].y == expected[1].y
        assert actual[1].x is args[0]["a"]
        run(*args, **kwargs, scale=2.0)
        with pytest.raises(InputMismatch):
            run(*args, **kwargs, scale=3.0)


def test_dataclass_output():
    npexport.register_dataclass(Pair)

    def swap(x):
        return Pair(x * 2, x * 3)

    x = f32(4)
    for run in drivers(export(swap, (x,))):
        result = run(x)
        assert type(result) is Pair
        np.testing.assert_array_equal(result.right, x * 3)


class Callable_:
    def __init__(self):
        self.w = np.arange(4.0)

    def __call__(self, x):
        return x * self.w

    def method(self, x, k=3):
        return x + self.w * k


def wrapped(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) + 1

    return wrapper


@wrapped
def decorated(x):
    return x * 2


@pytest.mark.parametrize(
    "f",
    [Callable_(), Callable_().method, lambda x: x * 2, functools.partial(loop, const=2, times=2), decorated],
    ids=["instance", "method", "lambda", "partial", "decorated"],
)
def test_any_callable(f):
    ep = export(f, (np.ones(4),))
    x = np.linspace(0, 1, 4)
    for run in drivers(ep):
        np.testing.assert_array_equal(run(x), f(x))


def test_bad_inputs_are_all_listed():
    def f(x, y, flag):
        return x + y

    run = export(f, (np.ones((2, 3), np.float32), np.ones(3, np.float32), True)).module()
    with pytest.raises(InputMismatch) as caught:
        run(np.ones((2, 4), np.float64), np.ones((3, 1), np.float32), False)
    text = str(caught.value)
    for word in ("x", "float32", "float64", "x.shape[1]", "y", "flag"):
        assert word in text, text
    for args, kwargs in (((), {}), ((1, 2, 3, 4), {}), ((np.ones(3),), {"z": 1})):
        with pytest.raises((InputMismatch, TypeError)):
            run(*args, **kwargs)
