"""Programs that need something of their sizes: none holds for a free ``Dim`` at every axis. (function, shapes), as in ``shapes``."""

from __future__ import annotations

import math

import numpy as np


def _check(truth, value):
    assert truth, "the sizes do not fit"
    return value


RELATIONS = [
    (lambda x, y: x[1:] + y, "a+1;a"),
    (lambda x, y: x + y[:-1], "a;a+1"),
    (lambda x, y: x[2:] * y[1:], "a+2;a+1"),
    (lambda x, y: x[1:-1] + y, "a+2;a"),
    (lambda x, y: x[3:] + y[:-2], "a+3;a+2"),
    (lambda x, y: x.reshape(2, -1)[0] + y, "2*a;a"),
    (lambda x, y: x.reshape(-1, 3).sum(1) * y, "3*a;a"),
    (lambda x, y: x.reshape(-1, 4)[:, 0] - y[1:], "4*a;a+1"),
    (lambda x, y: np.concatenate([x, x]) + y, "a;2*a"),
    (lambda x, y: np.tile(x, 3) + y, "a;3*a"),
    (lambda x, y: np.repeat(x, 4) * y, "a;4*a"),
    (lambda x, y: np.pad(x, 2) + y, "a;a+4"),
    (lambda x, y: np.append(x, 0.0) + y, "a;a+1"),
    (lambda x, y: np.diff(x) + y, "a+1;a"),
    (lambda x, y: x.ravel() + y, "a,3;3*a"),
    (lambda x, y: x.T + y, "a,b;b,a"),
    (lambda x, y: x @ y + 1, "a,b;b,a"),
    (lambda x, y, z: x @ y @ z, "a,b;b,c;c,a"),
    (lambda x, y, z: x + y * z, "a;a;a"),
    (lambda x, y, z: np.concatenate([x, y]) + z, "a;b;a+b"),
    (lambda x, y: np.stack([x, y[1:]]), "a;a+1"),
    (lambda x, y: np.vstack([x, y]), "a,b;b,b"),
    (lambda x, y: np.einsum("ij,ji->i", x, y), "a,b;b,a"),
    (lambda x, y: np.where(x[:, None] > 0, y, 0.0), "a;a,b"),
    (lambda x, y: np.dot(x, y) + x, "a;a"),
    (lambda x, y: (x[:, :-1] * y[1:]).sum(), "a,b+1;a+1,b"),
    (lambda x, y: x.sum(0) + y.sum(1), "a,b;b,c"),
    (lambda x, y: x.mean(1) - y, "a,4;a"),
    (lambda x, y: np.convolve(x, np.ones(3)) + y, "a+1;a+3"),
    (lambda x, y: np.take(x, np.arange(y.shape[0])) + y + x, "a;a"),
    (lambda x, y: x[: y.shape[0]] + y[: x.shape[0]] + x, "a;a"),
    (lambda x, y: x.reshape(y.shape) + y, "a,2;a,2"),
    (lambda x, y: np.outer(x, y) + np.outer(y, x), "a;a"),
    (lambda x, y: np.eye(x.shape[0]) * y, "a;a"),
    (lambda x, y: np.cumsum(x) * np.sort(y), "a;a"),
    (lambda x, y: x.reshape(-1, 2) + y.reshape(-1, 2), "2*a;2*a"),
    (lambda x, y: x.reshape(2, -1) * y.reshape(3, -1)[:2], "2*a;3*a"),
    (lambda x: x + x.T, "a,a"),
    (lambda x: x @ x, "a,a"),
    (lambda x: np.trace(x @ x.T @ x), "a,a"),
    (lambda x: np.linalg.inv(x + 10 * np.eye(x.shape[0])), "a,a"),
    (lambda x: x[:, 0] + x[0], "a,a"),
    (lambda x, y, z: x + y[1:] + z[2:], "a;a+1;a+2"),
    (lambda x, y: y[min(y.shape[0] - x.shape[0], x.shape[0]) :][: x.shape[0]], "a;a+2"),
    (lambda x, y, z: x + y.reshape(-1, 2).sum(1) + z[::2], "a;2*a;2*a"),
    (lambda x, y, z: np.concatenate([x[1:], y[:-1]]) + z, "a+1;b+1;a+b"),
]

MULTIPLES = [
    (lambda x: x.reshape(-1, 2) + 1, "2*a"),
    (lambda x: x.reshape(-1, 5).max(1), "5*a"),
    (lambda x: x.reshape(3, -1).T, "3*a"),
    (lambda x: x.reshape(-1, 2, 2).sum(), "4*a"),
    (lambda x: x.reshape(-1, 2).sum(1).reshape(-1, 3), "6*a"),
    (lambda x: np.split(x, 4)[1], "4*a"),
    (lambda x: np.stack(np.split(x, 3)), "3*a"),
    (lambda x: np.hsplit(x, 2)[1], "3,2*a"),
    (lambda x: x.reshape(x.shape[0] // 4, 4, -1).mean(1), "4*a,3"),
    (lambda x: x[::2] + x[1::2], "2*a"),
    (lambda x: x[: x.shape[0] // 2] - x[x.shape[0] // 2 :], "2*a"),
    (lambda x: x * 2 if x.shape[0] % 4 == 0 else x, "4*a"),
    (lambda x: x * 2 if x.shape[0] % 3 == 1 else x, "3*a+1"),
    (lambda x: x * 2 if x.shape[0] & 1 else x, "2*a+1"),
    (lambda x: _check(x.shape[0] % 2 == 0, x + 1), "2*a"),
    (lambda x: x.reshape(-1, 2)[1:] if x.shape[0] > 2 else x, "2*a+2"),
    (lambda x: x[1:].reshape(-1, 2), "2*a+1"),
    (lambda x: np.concatenate([x, np.zeros(1)]).reshape(-1, 3), "3*a+2"),
    (lambda x: x.reshape(x.shape[0] // 2, -1, x.shape[1] // 3), "2*a+2,3*b+3"),
    (lambda x: x.reshape(-1, x.shape[1] // 2, 2), "a,2*b"),
]

RANGES = [
    (lambda x: x[0] + x, "a"),
    (lambda x: x[3] * 2, "a+3"),
    (lambda x: x[-2] * x, "a+2"),
    (lambda x: x.max() - x.min() if x.shape[0] else x, "a"),
    (lambda x: x * 2 if x.shape[0] > 2 else x, "a+2"),
    (lambda x: x * 2 if x.shape[0] <= 9 else x, "a"),
    (lambda x: x * 2 if 2 <= x.shape[0] < 20 else x, "a+2"),
    (lambda x: x * 2 if x.shape[0] < 3 else x, "a+3"),
    (lambda x: x * 2 if 2 * x.shape[0] + 1 > 7 else x, "a+3"),
    (lambda x: x * 2 if x.shape[0] // 2 >= 1 else x, "a+2"),
    (lambda x: x * 2 if max(x.shape[0], 5) == 5 else x, "a"),
    (lambda x: x * 2 if math.isqrt(x.shape[0]) >= 2 else x, "a+4"),
    (lambda x: x[:4].reshape(2, 2) + x[0], "a+4"),
    (lambda x: np.gradient(x) + 1, "a+2"),
    (lambda x: _check(x.shape[0] >= 3, x), "a+3"),
    (lambda x: _check(x.shape[0] <= 16, x), "a"),
    (lambda x: x[:, 1] + x[:, 0], "a,b+2"),
    (lambda x: x * 2 if x.ndim == 2 and x.shape[1] > 1 else x, "a,b+2"),
    (lambda x: np.arange(10.0)[: x.shape[0]] + x, "a"),
    (lambda x: np.ones(8)[x.shape[0] :].reshape(-1) + x[:0].sum() if x.shape[0] < 8 else x, "a"),
]

OTHERS = [
    (lambda x: x * 2 if x.shape[0] == 4 else x, "4*a"),
    (lambda x: x + np.ones(4), "a"),
    (lambda x: x * 2 if x.shape[0] != 7 else x, "a"),
    (lambda x, y: x.sum() if x.shape[0] > y.shape[0] else y, "a+1;a"),
    (lambda x, y: x.sum() if x.shape[0] != y.shape[0] else y, "a+1;a"),
    (lambda x, y: x.reshape(y.shape[0], y.shape[0]) + y, "a*a;a"),
    (lambda x, y: x[::2] + y, "2*a;a"),
    (lambda x, y: x[: x.shape[0] // 2] + y, "2*a;a"),
    (lambda x, y: x.ravel() + y, "a,b;a*b"),
    (lambda x, y: x.reshape(-1) if x.size == y.size else y, "a,b;b,a"),
    (lambda x, y: x * 2 if x.shape[0] + y.shape[0] == 8 else y, "a;a"),
    (lambda x, y: x * 2 if x.shape[0] + y.shape[0] <= 12 else y, "a;b"),
    (lambda x: x * 2 if x.shape[0] in (1, 2, 4, 8) else x, "a"),
    (lambda x: x * 2 if x.shape[0] * x.shape[0] < 50 else x, "a"),
    (lambda x: sum(x[i] for i in range(x.shape[0])), "a"),
    (lambda x: {x.shape[0]: x}[x.shape[0]], "a"),
]

FAMILIES = {"relations": RELATIONS, "multiples": MULTIPLES, "ranges": RANGES, "others": OTHERS}
