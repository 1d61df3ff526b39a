"""Kernels of nn against straightforward loops and closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from npexport.ir.ops import nn as ops
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.runtime.kernels.nn_activation import erfc
from tests.support.convolutions import loop_conv2d

RNG = np.random.default_rng(1)


def normal(*shape):
    return RNG.standard_normal(shape)


@pytest.mark.parametrize("stride", [(1, 1), (2, 3)])
@pytest.mark.parametrize("padding", [(0, 0), (1, 2), "same"])
@pytest.mark.parametrize("dilation", [(1, 1), (2, 1)])
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("kernel", [(1, 1), (3, 2)])
def test_conv2d(stride, padding, dilation, groups, kernel):
    if padding == "same" and stride != (1, 1):
        with pytest.raises(ValueError, match="same"):
            padding_pairs(padding, kernel, dilation, stride, "conv2d")
        return
    x, w, b = normal(2, 4, 6, 7), normal(4, 4 // groups, *kernel), normal(4)
    pairs = padding_pairs(padding, kernel, dilation, stride, "conv2d")
    expected = loop_conv2d(x, w, b, stride, pairs, dilation, groups)
    np.testing.assert_allclose(ops.conv2d(x, w, b, stride, padding, dilation, groups), expected, atol=1e-12)
    np.testing.assert_allclose(ops.conv2d(x[0], w, b, stride, padding, dilation, groups), expected[0], atol=1e-12)


def test_conv1d_and_conv3d_are_conv2d_with_another_number_of_axes():
    x, w = normal(2, 3, 9), normal(4, 3, 3)
    np.testing.assert_allclose(ops.conv1d(x, w, None, 2, 1), ops.conv2d(x[:, :, None], w[:, :, None], None, (1, 2), (0, 1))[:, :, 0])
    x, w = normal(2, 3, 5, 6), normal(4, 3, 3, 2)
    np.testing.assert_allclose(
        ops.conv3d(x[:, :, None], w[:, :, None], None, 1, (0, 1, 1))[:, :, 0], ops.conv2d(x, w, None, 1, 1), atol=1e-12
    )


def test_a_batch_larger_than_one_piece_of_columns():
    x, w = normal(40, 8, 24, 24), normal(4, 8, 3, 3)
    np.testing.assert_allclose(ops.conv2d(x, w)[37], ops.conv2d(x[37], w))


@pytest.mark.parametrize(("stride", "padding", "extra", "dilation", "groups"), [(1, 0, 0, 1, 1), (2, 1, 1, 1, 2), (3, 0, 2, 2, 1)])
def test_conv_transpose_is_the_transpose(stride, padding, extra, dilation, groups):
    x, w = normal(1, 4, 5, 4), normal(4, 6 // groups, 3, 2)
    y = ops.conv_transpose2d(x, w, None, stride, padding, extra, groups, dilation)
    probe = normal(*y.shape)
    forward = ops.conv2d(probe, w, None, stride, padding, dilation, groups)
    assert forward.shape == x.shape
    np.testing.assert_allclose(np.vdot(y, probe), np.vdot(x, forward))


def windows(size, kernel, stride, padding, dilation, ceil_mode):
    """The positions in the input of each window, by torch's definition."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (math.ceil(room / stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return [[i * stride - padding + k * dilation for k in range(kernel)] for i in range(count)]


POOLS = list(itertools.product([1, 2, 3, 5], [2, 3], [1, 2, 3], [0, 1], [False, True]))


@pytest.mark.parametrize("dilation", [1, 2])
def test_max_pool(dilation):
    for extra, kernel, stride, padding, ceil_mode in POOLS:
        x = normal(2, 7 + extra)
        x[0, 3] = np.nan
        expected = [
            [
                np.max([row[p] for p in window if 0 <= p < len(row)])
                for window in windows(len(row), kernel, stride, padding, dilation, ceil_mode)
            ]
            for row in x
        ]
        np.testing.assert_array_equal(ops.max_pool1d(x, kernel, stride, padding, dilation, ceil_mode), expected)


@pytest.mark.parametrize("count_include_pad", [True, False])
def test_avg_pool(count_include_pad):
    for extra, kernel, stride, padding, ceil_mode in POOLS:
        row = normal(7 + extra)
        expected = []
        for window in windows(len(row), kernel, stride, padding, 1, ceil_mode):
            inside = [row[p] for p in window if 0 <= p < len(row)]
            counted = [p for p in window if p < len(row) + padding] if count_include_pad else inside
            expected.append(sum(inside) / len(counted))
        np.testing.assert_allclose(ops.avg_pool1d(row[None], kernel, stride, padding, ceil_mode, count_include_pad)[0], expected)


def test_pools_of_two_axes_are_pools_of_each():
    x = normal(2, 3, 8, 9)
    by_rows = ops.avg_pool1d(x.reshape(-1, 8, 9), 3, 2, 1).reshape(2, 3, 8, -1)
    by_columns = ops.avg_pool1d(by_rows.swapaxes(2, 3).reshape(6, -1, 8), 3, 2, 1).reshape(2, 3, by_rows.shape[3], -1).swapaxes(2, 3)
    np.testing.assert_allclose(ops.avg_pool2d(x, 3, 2, 1), by_columns)
    assert ops.max_pool2d(x, 2)[1, 2, 3, 1] == x[1, 2, 6:8, 2:4].max()
    assert ops.avg_pool2d(x, 2, divisor_override=3)[0, 0, 0, 0] == pytest.approx(x[0, 0, :2, :2].sum() / 3)


@pytest.mark.parametrize(("op", "reduce"), [(ops.adaptive_avg_pool2d, np.mean), (ops.adaptive_max_pool2d, np.max)])
def test_adaptive_pools(op, reduce):
    x, wanted = normal(2, 3, 7, 5), (3, 4)
    out = op(x, wanted)
    for i, j in np.ndindex(*wanted):
        rows, columns = [slice(k * n // m, -(-(k + 1) * n // m)) for k, n, m in ((i, 7, 3), (j, 5, 4))]
        np.testing.assert_allclose(out[:, :, i, j], reduce(x[:, :, rows, columns], axis=(2, 3)))


def test_erfc_is_as_precise_as_its_dtype():
    x = np.linspace(-6, 9, 3001)
    exact = np.array([math.erfc(value) for value in x])
    np.testing.assert_allclose(erfc(x), exact, rtol=2e-14)
    single = x.astype(np.float32)
    np.testing.assert_allclose(erfc(single), [math.erfc(value) for value in single.tolist()], rtol=1e-5, atol=1e-38)
    np.testing.assert_allclose(erfc(np.array([np.inf, -np.inf, np.nan, 0.0])), [0, 2, np.nan, 1], rtol=2e-16)


def scalar_sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def scalar_softplus(x):
    return max(x, 0) + math.log1p(math.exp(-abs(x)))


ACTIVATIONS = {
    "relu": lambda x: max(x, 0),
    "relu6": lambda x: min(max(x, 0), 6),
    "leaky_relu": lambda x: x if x > 0 else 0.01 * x,
    "elu": lambda x: x if x > 0 else math.expm1(x),
    "celu": lambda x: x if x > 0 else math.expm1(x),
    "selu": lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x)),
    "gelu": lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2)),
    "silu": lambda x: x * scalar_sigmoid(x),
    "mish": lambda x: x * math.tanh(scalar_softplus(x)),
    "sigmoid": scalar_sigmoid,
    "log_sigmoid": lambda x: -scalar_softplus(-x),
    "softplus": lambda x: x if x > 20 else scalar_softplus(x),
    "softsign": lambda x: x / (1 + abs(x)),
    "tanhshrink": lambda x: x - math.tanh(x),
    "hardshrink": lambda x: 0.0 if abs(x) <= 0.5 else x,
    "softshrink": lambda x: math.copysign(max(abs(x) - 0.5, 0), x),
    "hardtanh": lambda x: min(max(x, -1), 1),
    "hardsigmoid": lambda x: min(max(x + 3, 0), 6) / 6,
    "hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6,
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    x = np.concatenate([np.linspace(-40, 40, 321), [-0.5, 0.5, 700.0, -700.0]])
    with np.errstate(all="raise", under="ignore"):
        actual = getattr(ops, name)(x)
    np.testing.assert_allclose(actual, [ACTIVATIONS[name](value) for value in x.tolist()], rtol=1e-12, atol=1e-300)
    assert np.isnan(getattr(ops, name)(np.array([np.nan]))).all()


def test_gelu_with_tanh():
    x = normal(50) * 3
    np.testing.assert_allclose(ops.gelu(x, "tanh"), 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), atol=1e-14)


def test_softmax_and_log_softmax():
    x = normal(3, 4, 5) * 100
    exps = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(ops.softmax(x, 1), exps / exps.sum(1, keepdims=True))
    np.testing.assert_allclose(ops.log_softmax(x, 1), x - x.max(1, keepdims=True) - np.log(exps.sum(1, keepdims=True)))


def test_norms():
    x, w, b = normal(2, 6, 4), normal(6), normal(6)
    rows = x.reshape(2, 3, 8)
    grouped = ((rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + 1e-5)).reshape(x.shape)
    np.testing.assert_allclose(ops.group_norm(x, 3, w, b), grouped * w[:, None] + b[:, None])
    lw, lb = normal(4), normal(4)
    standard = (x - x.mean(2, keepdims=True)) / np.sqrt(x.var(2, keepdims=True) + 1e-5)
    np.testing.assert_allclose(ops.layer_norm(x, (4,), lw, lb), standard * lw + lb)
    np.testing.assert_allclose(ops.rms_norm(x, (4,), lw, 1e-3), x / np.sqrt((x * x).mean(2, keepdims=True) + 1e-3) * lw)
    mean, var = normal(6), RNG.random(6)
    expected = (x - mean[:, None]) / np.sqrt(var[:, None] + 1e-5) * w[:, None] + b[:, None]
    np.testing.assert_allclose(ops.batch_norm(x, mean, var, w, b), expected)
    out, new_mean, new_var = ops.batch_norm_train(x, mean, var, w, b, 0.25)
    own_mean, own_var = x.mean((0, 2)), x.var((0, 2))
    np.testing.assert_allclose(out, (x - own_mean[:, None]) / np.sqrt(own_var[:, None] + 1e-5) * w[:, None] + b[:, None])
    np.testing.assert_allclose(new_mean, 0.75 * mean + 0.25 * own_mean)
    np.testing.assert_allclose(new_var, 0.75 * var + 0.25 * x.var((0, 2), ddof=1))


def loop_attention(q, k, v, allowed, scale):
    out = np.zeros((len(q), v.shape[1]))
    for i, query in enumerate(q):
        keys = [j for j in range(len(k)) if allowed[i, j]]
        if keys:
            weights = [math.exp(scale * float(query @ k[j])) for j in keys]
            out[i] = sum(w * v[j] for w, j in zip(weights, keys)) / sum(weights)
    return out


def test_attention():
    q, k, v = normal(5, 4), normal(6, 4), normal(6, 3)
    everything = np.ones((5, 6), bool)
    mask = RNG.random((5, 6)) > 0.4
    mask[2] = False
    attend = ops.scaled_dot_product_attention
    np.testing.assert_allclose(attend(q, k, v), loop_attention(q, k, v, everything, 0.5))
    np.testing.assert_allclose(attend(q, k, v, mask, scale=0.3), loop_attention(q, k, v, mask, 0.3))
    np.testing.assert_allclose(attend(q, k, v, np.where(mask, 0.0, -np.inf)), loop_attention(q, k, v, mask, 0.5))
    np.testing.assert_allclose(attend(q, k, v, is_causal=True), loop_attention(q, k, v, np.tri(5, 6, dtype=bool), 0.5))
    heads = attend(np.stack([q] * 4)[None], np.stack([k, k + 1])[None], np.stack([v, v + 1])[None], enable_gqa=True)
    np.testing.assert_allclose(heads[0, 3], attend(q, k + 1, v + 1))


ERRORS = [
    (lambda: ops.conv2d(normal(1, 3, 5, 5), normal(4, 2, 3, 3)), ValueError, r"expects 2 input channels.*\(1, 3, 5, 5\) has 3"),
    (
        lambda: ops.conv2d(normal(1, 3, 2, 5), normal(4, 3, 3, 3)),
        ValueError,
        "padded input size 2 is smaller than the dilated kernel size 3",
    ),
    (lambda: ops.conv2d(normal(3, 5), normal(4, 3, 3, 3)), ValueError, r"must have 4 dimensions, or 3 without a batch, got shape \(3, 5\)"),
    (lambda: ops.conv2d(normal(1, 3, 5, 5), normal(4, 3, 3, 3), normal(3)), ValueError, r"bias must have shape \(4,\), not \(3,\)"),
    (lambda: ops.conv2d(normal(1, 3, 5, 5), normal(4, 3, 3, 3), stride=0), ValueError, "stride must be at least 1"),
    (lambda: ops.conv2d(normal(1, 3, 5, 5), normal(4, 3, 3, 3), padding="full"), ValueError, "'valid', 'same'"),
    (lambda: ops.conv1d(normal(1, 3, 5) > 0, normal(4, 3, 3)), TypeError, "numeric"),
    (lambda: ops.max_pool2d(normal(1, 3, 2, 5), 3), ValueError, "too small"),
    (lambda: ops.max_pool2d(normal(1, 3, 5, 5), 2, padding=2), ValueError, "more than half"),
    (lambda: ops.linear(normal(2, 3), normal(5, 4)), ValueError, r"shape \(2, 3\) must have size 4"),
    (lambda: ops.linear([[1.0]], normal(5, 4)), TypeError, "input must be an array, not list"),
    (lambda: ops.layer_norm(normal(2, 3), (4,)), ValueError, r"must have the sizes \(4,\)"),
    (lambda: ops.group_norm(normal(2, 5), 2), ValueError, "not divisible"),
    (lambda: ops.batch_norm(normal(2, 3), normal(2), normal(3)), ValueError, "running_mean"),
    (lambda: ops.batch_norm_train(normal(1, 3), normal(3), normal(3)), ValueError, "more than one value"),
    (lambda: ops.softmax(normal(2), 1), np.exceptions.AxisError, "axis 1"),
    (lambda: ops.relu(normal(2) > 0), TypeError, "bool"),
    (lambda: ops.gelu(np.arange(3)), TypeError, "floating-point, not int64"),
    (lambda: ops.glu(normal(3)), ValueError, "even"),
    (lambda: ops.embedding(np.array([0, -1]), normal(3, 2)), IndexError, r"-1 to 0 are not all in range\(3\)"),
    (lambda: ops.embedding(np.array([0.0]), normal(3, 2)), TypeError, "integers"),
    (lambda: ops.one_hot(np.array([3]), 3), ValueError, r"range\(3\)"),
    (lambda: ops.scaled_dot_product_attention(normal(2, 3), normal(2, 4), normal(2, 4)), ValueError, "same last size"),
    (lambda: ops.scaled_dot_product_attention(normal(2, 3), normal(2, 3), normal(2, 3), normal(3, 2)), ValueError, "does not broadcast"),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors_say_what_is_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call()
