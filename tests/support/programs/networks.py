"""Small networks, physics, signal processing and bit tricks in plain NumPy."""

from __future__ import annotations

import numpy as np


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    tmp_max = np.max(x, axis=-1, keepdims=True)
    tmp_out = np.exp(x - tmp_max)
    tmp_sum = np.sum(tmp_out, axis=-1, keepdims=True)
    return tmp_out / tmp_sum


def mlp(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


def conv2d(x, weights):
    k = weights.shape[0]
    n, h_in, w_in, _ = x.shape
    h_out, w_out = h_in - k + 1, w_in - k + 1
    out = np.empty((n, h_out, w_out, weights.shape[3]), dtype=np.float32)
    for i in range(h_out):
        for j in range(w_out):
            out[:, i, j, :] = np.sum(x[:, i : i + k, j : j + k, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return out


def conv2d_bias(x, weights, bias):
    return conv2d(x, weights) + bias


def maxpool2d(x):
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def lenet(x, c1, b1, c2, b2, w1, v1, w2, v2):
    x = relu(conv2d(x, c1) + b1)
    x = maxpool2d(x)
    x = relu(conv2d(x, c2) + b2)
    x = maxpool2d(x)
    x = np.reshape(x, (x.shape[0], -1))
    x = relu(x @ w1 + v1)
    return x @ w2 + v2


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


def resnet_block(x, conv1, conv2, conv3):
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, conv1.shape[3]), dtype=np.float32)
    padded[:, 1:-1, 1:-1, :] = conv2d(x, conv1)
    y = relu(batchnorm2d(padded))
    y = relu(batchnorm2d(conv2d(y, conv2)))
    y = batchnorm2d(conv2d(y, conv3))
    return relu(y + x)


def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def compute(a, b, x, y, z):
    return np.clip(a, 2, 10) * x + b * y + z


def mandelbrot(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    xs = np.linspace(xmin, xmax, xn, dtype=np.float64)
    ys = np.linspace(ymin, ymax, yn, dtype=np.float64)
    c = xs + ys[:, None] * 1j
    n = np.zeros(c.shape, dtype=np.int64)
    z = np.zeros(c.shape, dtype=np.complex128)
    for k in range(maxiter):
        inside = np.less(abs(z), horizon)
        n[inside] = k
        z[inside] = z[inside] ** 2 + c[inside]
    n[n == maxiter - 1] = 0
    return z, n


def mandelbrot_of(c, maxiter):
    z = np.zeros_like(c)
    n = np.zeros(c.shape, np.int64)
    for k in range(maxiter):
        alive = np.abs(z) < 2.0
        n[alive] = k
        z[alive] = z[alive] ** 2 + c[alive]
    return n


def accelerations(pos, mass, g, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    positive = inv_r3 > 0
    inv_r3[positive] = inv_r3[positive] ** (-1.5)
    return np.hstack((g * (dx * inv_r3) @ mass, g * (dy * inv_r3) @ mass, g * (dz * inv_r3) @ mass))


def nbody(mass, pos, vel, steps, dt, g, softening):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = accelerations(pos, mass, g, softening)
    kinetic = np.ndarray(steps + 1, dtype=np.float64)
    kinetic[0] = 0.5 * np.sum(mass * vel**2)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, g, softening)
        vel += acc * dt / 2.0
        kinetic[i + 1] = 0.5 * np.sum(np.sum(mass * vel**2))
    return kinetic


def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        cur = 0xFF & b
        for _ in range(8):
            crc = np.where((crc & 1) ^ (cur & 1), (crc >> 1) ^ poly, crc >> 1)
            cur = cur >> 1
    crc = ~crc & 0xFFFF
    crc = (crc << 8) | ((crc >> 8) & 0xFF)
    return crc & 0xFFFF


def stockham_fft(k, x):
    n = 2**k
    i_coord = np.arange(n)
    y = x.astype(np.complex128)
    for i in range(k):
        half = 2 ** (k - i - 1)
        view = y.reshape(2, half, 2**i)
        twiddle = np.exp(-2j * np.pi * np.arange(half) / (2 * half))[:, None]
        a, b = view[0], view[1]
        y = np.stack([a + b, (a - b) * twiddle], axis=1).reshape(n)
    return y + 0 * i_coord


def azimint_hist(data, radius, bins):
    histu = np.histogram(radius, bins)[0]
    histw = np.histogram(radius, bins, weights=data)[0]
    return histw / histu


def azimint_naive(data, radius, npt):
    rmax = radius.max()
    res = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask = np.logical_and(r1 <= radius, radius < r2)
        res[i] = np.where(mask, data, 0.0).sum() / mask.sum()
    return res


def scattering_self_energies(g, d, dh, neigh):
    sigma = np.zeros_like(g)
    for e in range(g.shape[0]):
        for a in range(g.shape[1]):
            for b in range(neigh.shape[1]):
                tmp = g[e, neigh[a, b]] @ dh[a, b]
                sigma[e, a] += tmp @ (d[a, b] * dh[a, b])
    return sigma


def contour_integral(hams, eta, z):
    out = np.zeros((hams.shape[1], hams.shape[1]), dtype=np.complex128)
    for k in range(z.shape[0]):
        t = np.zeros(hams.shape[1:], dtype=np.complex128)
        for n in range(hams.shape[0]):
            t += np.power(z[k], n - 1) * hams[n]
        out += np.linalg.inv(t + eta * np.eye(hams.shape[1])) * z[k]
    return out


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    temp = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


def rows(rng):
    def r(*shape):
        return rng.random(shape)

    def f(*shape):
        return rng.random(shape, dtype=np.float32)

    z = np.exp(1j * r(4))
    return [
        (mlp, (f(3, 6), f(6, 5), f(5), f(5, 4), f(4), f(4, 3), f(3))),
        (softmax, (f(2, 3, 4, 5),)),
        (conv2d_bias, (f(2, 6, 6, 3), f(2, 2, 3, 4), f(4))),
        (lenet, (f(2, 16, 16, 1), f(3, 3, 1, 2), f(2), f(2, 2, 2, 3), f(3), f(27, 8), f(8), f(8, 4), f(4))),
        (resnet_block, (f(2, 5, 5, 4), f(1, 1, 4, 2), f(3, 3, 2, 2), f(1, 1, 2, 4))),
        (go_fast, (r(5, 5),)),
        (compute, (rng.integers(0, 20, (4, 5)), rng.integers(0, 20, (4, 5)), np.int64(4), np.int64(3), np.int64(9))),
        (compute, (rng.integers(0, 20, (4, 5)), rng.integers(0, 20, (4, 5)), 4, 3, 9)),
        (mandelbrot, (-2.0, 0.5, -1.25, 1.25, 6, 5, 5)),
        (mandelbrot_of, (r(5, 5) * 3 - 2 + 1j * r(5, 5), 6)),
        (nbody, (r(4, 1) + 1, r(4, 3), r(4, 3), 3, 0.01, 1.0, 0.1)),
        (crc16, (rng.integers(0, 256, 6).astype(np.uint8),)),
        (stockham_fft, (3, r(8) + 1j * r(8))),
        (azimint_hist, (r(30), r(30), 4)),
        (azimint_naive, (r(30), r(30), 3)),
        (scattering_self_energies, (r(2, 3, 2, 2) + 0j, r(3, 2, 2, 2), r(3, 2, 2, 2), rng.integers(0, 3, (3, 2)))),
        (contour_integral, (r(3, 4, 4) + 0j, 0.5, z)),
        (arc_distance, (r(5), r(5), r(5), r(5))),
    ]
