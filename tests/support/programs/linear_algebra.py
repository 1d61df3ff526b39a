"""Linear algebra and dynamic programming with loops over static sizes, written in place."""

from __future__ import annotations

import numpy as np


def gemm(alpha, beta, c, a, b):
    c *= beta
    c += alpha * a @ b


def k2mm(alpha, beta, a, b, c, d):
    d[:] = alpha * a @ b @ c + beta * d


def k3mm(a, b, c, d):
    return a @ b @ c @ d


def atax(a, x):
    return (a @ x) @ a


def bicg(a, p, r):
    return r @ a, a @ p


def mvt(x1, x2, y1, y2, a):
    x1 += a @ y1
    x2 += y2 @ a


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x


def gesummv(alpha, beta, a, b, x):
    return alpha * a @ x + beta * b @ x


def syrk(alpha, beta, c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


def syr2k(alpha, beta, c, a, b):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * alpha * b[i, k] + b[: i + 1, k] * alpha * a[i, k]


def symm(alpha, beta, c, a, b):
    temp = np.empty((c.shape[1],), dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            temp[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * temp


def trmm(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


def cholesky(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def cholesky_lapack(a):
    a[:] = np.linalg.cholesky(a) + np.triu(a, k=1)


def lu(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def ludcmp(a, b):
    n = a.shape[0]
    lu(a)
    x, y = np.zeros_like(b), np.zeros_like(b)
    for i in range(n):
        y[i] = b[i] - a[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x, y


def trisolv(lower, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]


def gram_schmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        nrm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(nrm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))


def match(b1, b2):
    return np.where(b1 + b2 == 3, 1, 0)


def nussinov(n, seq):
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = np.maximum(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = np.maximum(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1] + match(seq[i], seq[j]))
                else:
                    table[i, j] = np.maximum(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = np.maximum(table[i, j], table[i, k] + table[k + 1, j])
    return table


def correlation(m, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(data.shape[0]) * stddev
    corr = np.eye(m, dtype=data.dtype)
    for i in range(m - 1):
        corr[i + 1 : m, i] = corr[i, i + 1 : m] = data[:, i] @ data[:, i + 1 : m]
    return corr


def covariance(m, float_n, data):
    data -= np.mean(data, axis=0)
    cov = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (float_n - 1.0)
    return cov


def deriche(alpha, image):
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha)) / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    b1, b2 = 2.0 ** (-alpha), -np.exp(-2.0 * alpha)
    y1, y2 = np.empty_like(image), np.empty_like(image)
    y1[:, 0] = k * image[:, 0]
    y1[:, 1] = k * image[:, 1] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = k * image[:, j] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = k * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = k * image[:, j + 1] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    return y1 + y2


def doitgen(nr, nq, np_, a, c4):
    a[:] = np.reshape(np.reshape(a, (nr, nq, 1, np_)) @ c4, (nr, nq, np_))


def spmv(row, col, val, x):
    y = np.empty(row.size - 1, val.dtype)
    for i in range(row.size - 1):
        cols = col[i * 3 : i * 3 + 3]
        y[i] = val[i * 3 : i * 3 + 3] @ x[cols]
    return y


def rows(rng):
    """(function, arguments): scalars both as Python and as NumPy scalars."""

    def r(*shape):
        return rng.random(shape)

    def spd(n):
        a = r(n, n)
        return a @ a.T + n * np.eye(n)

    f = np.float64
    return [
        (gemm, (f(1.5), f(1.2), r(4, 5), r(4, 3), r(3, 5))),
        (gemm, (1.5, 1.2, r(4, 5).astype(np.float32), r(4, 3).astype(np.float32), r(3, 5).astype(np.float32))),
        (k2mm, (1.5, f(1.2), r(3, 4), r(4, 5), r(5, 6), r(3, 6))),
        (k3mm, (r(3, 4), r(4, 5), r(5, 6), r(6, 2))),
        (atax, (r(4, 5), r(5))),
        (bicg, (r(4, 5), r(5), r(4))),
        (mvt, (r(4), r(4), r(4), r(4), r(4, 4))),
        (gemver, (f(1.5), f(1.2), r(4, 4), r(4), r(4), r(4), r(4), r(4), r(4), r(4), r(4))),
        (gesummv, (1.5, 1.2, r(4, 4), r(4, 4), r(4))),
        (syrk, (1.5, 1.2, r(4, 4), r(4, 3))),
        (syr2k, (f(1.5), f(1.2), r(4, 4), r(4, 3), r(4, 3))),
        (symm, (1.5, 1.2, r(3, 4), r(3, 3), r(3, 4))),
        (trmm, (1.5, r(4, 4), r(4, 3))),
        (cholesky, (spd(5),)),
        (cholesky_lapack, (spd(5),)),
        (lu, (spd(5),)),
        (ludcmp, (spd(5), r(5))),
        (trisolv, (np.tril(r(5, 5)) + np.eye(5), r(5), r(5))),
        (gram_schmidt, (r(5, 4) + np.eye(5, 4),)),
        (durbin, (r(6) * 0.1,)),
        (floyd_warshall, (rng.integers(1, 50, (6, 6)).astype(np.int32),)),
        (nussinov, (5, rng.integers(0, 4, 5).astype(np.int32))),
        (correlation, (4, r(6, 4))),
        (covariance, (4, f(6), r(6, 4))),
        (deriche, (0.25, r(6, 7))),
        (doitgen, (2, 3, 4, r(2, 3, 4), r(4, 4))),
        (spmv, (np.arange(0, 16, 3), rng.integers(0, 6, 15), r(15), r(6))),
    ]
