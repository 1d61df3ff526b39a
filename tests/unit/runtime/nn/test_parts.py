"""Kernels that go over large arrays part by part: however small the parts are, the values are the same."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from npexport.ir.ops import nn as ops
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.nn import functional as F
from npexport.runtime.kernels import nn_attention, nn_conv, rows
from tests.support.convolutions import loop_conv2d

RNG = np.random.default_rng(3)


def normal(*shape):
    return RNG.standard_normal(shape)


@pytest.mark.parametrize("bytes_of_a_part", [1, 500, 4000, 1 << 20])
@pytest.mark.parametrize(("channels", "outputs", "groups"), [(4, 6, 1), (4, 6, 2), (4, 4, 4), (4, 8, 4), (3, 15, 3), (1, 2, 1), (1, 9, 1)])
@pytest.mark.parametrize(("kernel", "stride", "padding"), [((1, 1), (1, 1), 0), ((1, 1), (2, 3), 1), ((3, 2), (2, 1), (1, 0))])
def test_convolutions(monkeypatch, bytes_of_a_part, channels, outputs, groups, kernel, stride, padding):
    monkeypatch.setattr(nn_conv, "_COLUMN_BYTES", bytes_of_a_part)
    monkeypatch.setattr(nn_conv, "_BLOCK_BYTES", bytes_of_a_part)
    x, w, b = normal(3, channels, 7, 6), normal(outputs, channels // groups, *kernel), normal(outputs)
    pairs = padding_pairs(padding, kernel, (1, 1), stride, "conv2d")
    expected = loop_conv2d(x, w, b, stride, pairs, (1, 1), groups)
    np.testing.assert_allclose(ops.conv2d(x, w, b, stride, padding, 1, groups), expected, atol=1e-12)
    strided = np.asfortranarray(x)[::-1, :, ::-1]
    np.testing.assert_allclose(ops.conv2d(strided[::-1, :, ::-1], w, b, stride, padding, 1, groups), expected, atol=1e-12)


@pytest.mark.parametrize("limit", [1, 30, 200, 1 << 18])
@pytest.mark.parametrize("lead", [(), (5,), (2, 3), (2, 1, 3)])
def test_attention(monkeypatch, limit, lead):
    query, key, value = normal(*lead, 7, 4), normal(*lead, 9, 4), normal(*lead, 9, 5)
    for options in ({}, {"attn_mask": normal(7, 9)}, {"attn_mask": normal(*lead, 7, 9) > 0}, {"is_causal": True}):
        monkeypatch.setattr(nn_attention, "_SCORES", 1 << 30)
        whole = F.scaled_dot_product_attention(query, key, value, **options)
        monkeypatch.setattr(nn_attention, "_SCORES", limit)
        parts = F.scaled_dot_product_attention(query, key, value, **options)
        np.testing.assert_allclose(parts, whole, atol=1e-12)
        assert parts.dtype == whole.dtype


@pytest.mark.parametrize("limit", [1, 20, 100])
def test_normalisations_and_softmax(monkeypatch, limit):
    x, scale, offset = normal(3, 5, 8).astype(np.float32), normal(5, 8), normal(5, 8).astype(np.float32)
    calls = [
        lambda: F.layer_norm(x, (8,), offset[0], offset[1]),
        lambda: F.layer_norm(x, (5, 8), scale, offset),
        lambda: F.rms_norm(x, (8,), offset[0]),
        lambda: F.softmax(x, -1),
        lambda: F.softmax(x, 2),
        lambda: F.softmax(x, 1),
        lambda: F.log_softmax(x, -1),
        lambda: F.log_softmax(x.transpose(2, 1, 0), 2),
        lambda: F.softmax(x[:0], -1),
    ]
    whole = [call() for call in calls]
    monkeypatch.setattr(rows, "_BLOCK", limit)
    for expected, call in zip(whole, calls, strict=True):
        found = call()
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(4, 5, 6), (0, 5, 6), (4, 5, 0), (2, 2, 3, 6), (6,)])
def test_linear_is_one_product(shape):
    x, w, b = normal(*shape), normal(3, shape[-1]), normal(3)
    np.testing.assert_allclose(F.linear(x, w, b), x @ w.T + b, atol=1e-12)
    np.testing.assert_array_equal(export(F.linear, (x, w, b)).module()(x, w, b), F.linear(x, w, b))
    np.testing.assert_array_equal(export(F.linear, (x[..., ::-1], w, b)).module()(x, w, b), F.linear(x, w, b))
