"""Programs over arrays whose sizes are dynamic: (function, shapes); letters are sizes, numbers are fixed.

The same letter in two places says which sizes eager NumPy can be called with, not what a specification says.
"""

from __future__ import annotations

import math

import numpy as np

SLICES = [
    (lambda x: x[: x.shape[0] // 2] * 2, "a"),
    (lambda x: x[: round(x.shape[0] / 2)] + 1, "a"),
    (lambda x: x[::2] + 1, "a"),
    (lambda x: x[::2][::2] + 1, "a"),
    (lambda x: x[::-1], "a"),
    (lambda x: x[::-2] * 3, "a"),
    (lambda x: x[1:] - x[:-1], "a"),
    (lambda x: x[2:] - 2 * x[1:-1] + x[:-2], "a"),
    (lambda x: x[:5] + 1, "a"),
    (lambda x: x[-3:] + 1, "a"),
    (lambda x: x[3:1:-1] + 1, "a"),
    (lambda x: x[1:-1:3] + 1, "a"),
    (lambda x: x[:, 1:] * x[:, :-1], "a,b"),
    (lambda x: x[..., None] * x[None, ...], "a"),
    (lambda x, y: x + y[1:], "a;a+1"),
    (lambda x, y: x + y[::2], "a;2*a"),
    (lambda x, y: x + y[2:-2], "a;a+4"),
    (lambda x: x[len(x) // 3 : -(len(x) // 3) or None], "a"),
    (lambda x: x[x.shape[0] % 3 :], "a"),
    (lambda x: x[: min(4, x.shape[0])], "a"),
    (lambda x: x[max(0, x.shape[0] - 3) :], "a"),
    (lambda x: x[np.newaxis, : x.shape[1], 1:2], "a,b"),
]

RESHAPES = [
    (lambda x: x.reshape(-1), "a,b"),
    (lambda x: x.reshape(-1, 4), "4*a"),
    (lambda x: x.reshape(2, -1), "2*a"),
    (lambda x: x.reshape(x.shape[0], -1), "a,2,3"),
    (lambda x: x.reshape(x.shape[1], x.shape[0]), "a,b"),
    (lambda x: x.reshape(x.shape[0] * x.shape[1], 3), "a,b,3"),
    (lambda x: x.reshape(-1, 4).sum(0), "4*a"),
    (lambda x: x.reshape(-1, 6).sum(1), "6*a"),
    (lambda x, y: x.reshape(y.shape), "a,6;a,2,3"),
    (lambda x: x.ravel(), "a,b"),
    (lambda x: x.T, "a,b"),
    (lambda x: np.swapaxes(x, 0, 1) + 1, "a,b"),
    (lambda x: np.moveaxis(x, 0, -1), "a,b,2"),
    (lambda x: np.expand_dims(x, 1), "a,b"),
    (lambda x: x.reshape(1, *x.shape), "a,b"),
    (lambda x: np.squeeze(x[None]), "5,3"),
    (lambda x: x.flatten()[: x.shape[0]], "a,2"),
    (lambda x: x.reshape(x.shape[0] // 2, 2, -1).mean(1), "2*a,3"),
    (lambda x: np.broadcast_to(x, (3, *x.shape)), "a"),
    (lambda x: np.atleast_2d(x).T, "a"),
    (lambda x: x.transpose(1, 0, 2).reshape(x.shape[1], -1), "a,b,2"),
]

JOINS = [
    (lambda x, y: np.concatenate([x, y]), "a;b"),
    (lambda x, y: np.concatenate([x, y], axis=1), "a,b;a,c"),
    (lambda x: np.concatenate([x, x, x]), "a"),
    (lambda x, y: np.stack([x, y]), "a;a"),
    (lambda x, y: np.vstack([x, y]), "a,3;b,3"),
    (lambda x, y: np.hstack([x, y]), "a;b"),
    (lambda x, y: np.concatenate([x, y]).reshape(-1, 2), "2*a;2*b"),
    (lambda x, y: np.concatenate([x, y[: x.shape[0]]]), "a;a+2"),
    (lambda x: np.split(x, 2)[0], "2*a"),
    (lambda x: np.split(x, [2, 5]), "a"),
    (lambda x: np.array_split(x, 3), "a"),
    (lambda x: np.tile(x, 3), "a"),
    (lambda x: np.tile(x, (2, 2)), "a,b"),
    (lambda x: np.repeat(x, 2), "a"),
    (lambda x: np.repeat(x, 3, axis=0), "a,b"),
    (lambda x: np.pad(x, 1), "a"),
    (lambda x: np.pad(x, ((1, 2), (0, 3))), "a,b"),
    (lambda x: np.pad(x, (0, -x.shape[0] % 8)), "a"),
    (lambda x: np.pad(x, 1, mode="edge"), "a"),
    (lambda x: np.roll(x, 1), "a"),
    (lambda x: np.roll(x, 2, axis=0), "a,b"),
    (lambda x: np.append(x, 1.0), "a"),
    (lambda x: np.flip(x, 0), "a,b"),
    (lambda x: np.rot90(x), "a,b"),
]

BROADCASTS = [
    (lambda x, y: x + y, "a;a"),
    (lambda x, y: x + y, "a,b;b"),
    (lambda x, y: x * y, "a,1;1,b"),
    (lambda x, y: x[:, None] - y[None, :], "a;b"),
    (lambda x, y: np.where(x > y, x, y), "a;a"),
    (lambda x, y: np.maximum(x, y[:, None]), "a,b;a"),
    (lambda x: x + np.arange(x.shape[0]), "a"),
    (lambda x: x - x.mean(axis=0), "a,b"),
    (lambda x: x / x.sum(axis=1, keepdims=True), "a,b"),
    (lambda x: np.exp(x - x.max(axis=-1, keepdims=True)), "a,4"),
    (lambda x: np.clip(x, 0, 1), "a"),
    (lambda x, y, z: x + y + z, "a,b;b;a,1"),
    (lambda x: x * np.ones(x.shape[1]), "a,b"),
    (lambda x: x @ x.T, "a,b"),
    (lambda x, y: x @ y, "a,b;b,c"),
    (lambda x, y: x @ y, "a;a"),
    (lambda x, y: x @ y, "a,b;b"),
    (lambda x, y: np.matmul(x, y), "a,2,b;a,b,3"),
    (lambda x, y: np.dot(x, y), "a,b;b,c"),
    (lambda x, y: np.outer(x, y), "a;b"),
    (lambda x, y: np.einsum("ij,jk->ik", x, y), "a,b;b,c"),
    (lambda x, y: np.einsum("bi,bi->b", x, y), "a,b;a,b"),
    (lambda x, y: np.tensordot(x, y, axes=1), "a,b;b,c"),
    (lambda x, y: np.inner(x, y), "a,b;c,b"),
    (lambda x, y: np.kron(x, y), "a;b"),
]

REDUCTIONS = [
    (lambda x: x.sum(), "a"),
    (lambda x: x.sum(axis=0), "a,b"),
    (lambda x: x.mean(axis=1), "a,b"),
    (lambda x: x.mean(), "a"),
    (lambda x: x.std(axis=0), "a,b"),
    (lambda x: x.var(axis=0, ddof=1), "a,b"),
    (lambda x: x.max(), "a"),
    (lambda x: x.max(axis=0), "a,b"),
    (lambda x: x.argmax(axis=1), "a,b"),
    (lambda x: np.prod(x, axis=0), "a,b"),
    (lambda x: np.cumsum(x), "a"),
    (lambda x: np.cumsum(x, axis=1), "a,b"),
    (lambda x: np.sort(x), "a"),
    (lambda x: np.argsort(x, axis=0), "a,b"),
    (lambda x: np.diff(x), "a"),
    (lambda x: np.diff(x, axis=0, n=2), "a,b"),
    (lambda x: np.trace(x), "a,b"),
    (lambda x: np.diagonal(x), "a,b"),
    (lambda x: np.tril(x), "a,b"),
    (lambda x: np.triu(x, 1), "a,b"),
    (lambda x: (x > 0).any(axis=0), "a,b"),
    (lambda x: (x > 0).all(), "a"),
    (lambda x: np.count_nonzero(x > 0), "a"),
    (lambda x: np.linalg.norm(x), "a"),
    (lambda x: np.linalg.norm(x, axis=1), "a,b"),
    (lambda x: np.average(x, axis=0), "a,b"),
    (lambda x: np.ptp(x, axis=0), "a,b"),
    (lambda x: np.logaddexp.reduce(x), "a"),
    (lambda x: np.add.reduce(x, axis=1), "a,b"),
    (lambda x: np.minimum.accumulate(x), "a"),
    (lambda x: np.gradient(x), "a"),
    (lambda x: np.convolve(x, np.ones(3)), "a"),
    (lambda x: np.convolve(x, np.ones(3), "valid"), "a"),
    (lambda x: np.convolve(x, np.ones(3), "same"), "a"),
    (lambda x: np.cov(x), "3,a"),
    (lambda x: np.fft.fft(x), "a"),
    (lambda x: np.fft.rfft(x), "a"),
]

CREATIONS = [
    (lambda x: np.zeros(x.shape[0]) + x, "a"),
    (lambda x: np.ones((x.shape[0], 2)) * x[:, None], "a"),
    (lambda x: np.arange(x.shape[0]) * 2.0 + x, "a"),
    (lambda x: np.arange(1, x.shape[0] + 1), "a"),
    (lambda x: np.arange(0, x.shape[0], 2), "a"),
    (lambda x: np.arange(x.shape[0], 0, -1) + x, "a"),
    (lambda x: np.linspace(0, 1, x.shape[0]) + x, "a"),
    (lambda x: np.eye(x.shape[0]) @ x, "a"),
    (lambda x: np.zeros_like(x) + 1, "a,b"),
    (lambda x: np.full(x.shape, 3.0) + x, "a,b"),
    (lambda x: np.empty_like(x) * 0 + x, "a"),
    (lambda x: np.tri(x.shape[0]) * x, "a"),
    (lambda x: np.arange(x.size).reshape(x.shape) + x, "a,b"),
    (lambda x: x[np.arange(x.shape[0])], "a"),
    (lambda x: x[np.arange(x.shape[0])[::-1]], "a"),
    (lambda x: np.take(x, [0], axis=0), "a"),
    (lambda x: x[[0, -1]], "a"),
    (lambda x: x[0], "a"),
    (lambda x: x[-1] + x[0], "a"),
    (lambda x: x[2], "a,b"),
    (lambda x: np.indices(x.shape).sum(0) + x, "a,b"),
    (lambda x: np.meshgrid(x, np.arange(3.0))[0], "a"),
    (lambda x: np.hanning(x.shape[0]) * x, "a"),
    (lambda x: np.array([x.shape[0], x.shape[1]]) * 2, "a,b"),
]

WRITES = [
    (lambda x: _write(x.copy(), slice(1, -1), 0.0), "a"),
    (lambda x: _write(x.copy(), slice(None, None, 2), 5.0), "a"),
    (lambda x: _write(np.zeros(x.shape[0] + 2), slice(1, -1), x), "a"),
    (lambda x: _write(np.zeros((x.shape[0] + 2, x.shape[1] + 2)), (slice(1, -1), slice(1, -1)), x), "a,b"),
    (lambda x: _write(x.copy(), x > 0, 0.0), "a"),
    (lambda x: _write(x.copy(), 0, 1.0), "a"),
    (lambda x: _add(x.copy(), slice(1, None), x[:-1]), "a"),
    (lambda x: _add(x.copy(), (slice(None), 0), 1), "a,b"),
    (lambda x: _write(np.zeros((x.shape[0], 2)), (slice(None), 1), x), "a"),
    (lambda x: _stencil(x.copy()), "a,b"),
]

SIZES_AS_VALUES = [
    (lambda x: x * x.shape[0], "a"),
    (lambda x: x / len(x), "a"),
    (lambda x: x.sum() / x.size, "a,b"),
    (lambda x: (x, x.shape[0] * 2 + 1), "a"),
    (lambda x: x + divmod(x.shape[0], 3)[1], "a"),
    (lambda x: x + max(x.shape[0], 4), "a"),
    (lambda x: x + abs(x.shape[0] - 5), "a"),
    (lambda x: x * math.sqrt(x.shape[0]), "a"),
    (lambda x: x[: math.ceil(x.shape[0] / 2)], "a"),
    (lambda x: x[: math.floor(x.shape[0] * 0.5)], "a"),
    (lambda x: x[: int(x.shape[0] / 2)], "a"),
    (lambda x: x[: x.shape[0] >> 1], "a"),
    (lambda x: x * float(x.shape[0]), "a"),
    (lambda x: x * np.float32(x.shape[0]), "a"),
    (lambda x: x + np.int64(x.shape[0]), "a"),
    (lambda x: x[: (x.shape[0] + 1) // 2] + x[x.shape[0] // 2 :], "a"),
    (lambda x: x[: -(-x.shape[0] // 2)], "a"),
    (lambda x: x * (x.ndim + x.nbytes), "a"),
    (lambda x: sum([x.shape[0], x.shape[1]]) + x, "a,b"),
    (lambda x: x[: x.shape[0] - 1] if x.shape[0] >= 0 else x, "a"),
]

BRANCHES = [
    (lambda x: x + 1 if x.shape[0] > 1 else x - 1, "a"),
    (lambda x: x + 1 if x.shape[0] == 4 else x - 1, "a"),
    (lambda x: x + 1 if x.shape[0] != 7 else x - 1, "a"),
    (lambda x: x + 1 if x.shape[0] % 2 == 0 else x - 1, "a"),
    (lambda x: x + 1 if x.shape[0] % 2 else x - 1, "a"),
    (lambda x: x + 1 if x.shape[0] else x - 1, "a"),
    (lambda x: x + 1 if 2 <= x.shape[0] < 9 else x - 1, "a"),
    (lambda x, y: x.sum() if x.shape[0] > y.shape[0] else y.sum(), "a;b"),
    (lambda x, y: x + y if x.shape == y.shape else x, "a;b"),
    (lambda x: x[:3] if len(x) > 3 else x, "a"),
    (lambda x: x.reshape(int(math.isqrt(x.shape[0])), -1), "a*a"),
    (lambda x: x + 1 if x.shape[0] in (2, 4, 6) else x - 1, "a"),
    (lambda x: sum(x[i] for i in range(min(3, x.shape[0]))) + x, "a"),
    (lambda x: x + 1 if x.size > 6 else x, "a,b"),
]

CONDITIONS = [
    (lambda x: x[x > 0].sum(), "a"),
    (lambda x: np.where(x > 0)[0].shape[0] + x, "a"),
    (lambda x: x[np.nonzero(x > 0)].sum(), "a"),
    (lambda x: np.maximum(x[x > 0], 0.5).sum(), "a"),
    (lambda x: np.zeros(int((x > 0).sum())).sum() + x, "a"),
]


def _write(array, index, value):
    array[index] = value
    return array


def _add(array, index, value):
    array[index] += value
    return array


def _stencil(a):
    a[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4
    return a


FAMILIES = {
    "slices": SLICES,
    "reshapes": RESHAPES,
    "joins": JOINS,
    "broadcasts": BROADCASTS,
    "reductions": REDUCTIONS,
    "creations": CREATIONS,
    "writes": WRITES,
    "sizes": SIZES_AS_VALUES,
    "branches": BRANCHES,
    "conditions": CONDITIONS,
}


def shapes_at(text, sizes):
    """The shapes that ``"a,4;2*a"`` means where the letters have these sizes."""
    return [tuple(_size(item, sizes) for item in part.split(",")) for part in text.split(";")]


def _size(item, sizes):
    total = 0
    for term in item.split("+"):
        product = 1
        for factor in term.split("*"):
            product *= sizes[factor] if factor.isalpha() else int(factor)
        total += product
    return total


def letters(text):
    return sorted({c for c in text if c.isalpha()})
