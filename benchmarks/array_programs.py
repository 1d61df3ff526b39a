"""Array programs whose speed is that of memory: stencils, element-wise chains, simulations that write in place, state."""

import numpy as np


def random(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def jacobi_1d(steps, A, B):
    for _ in range(steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


def jacobi_2d(steps, A, B):
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def heat_3d(steps, A, B):
    for _ in range(steps):
        for old, new in ((A, B), (B, A)):
            new[1:-1, 1:-1, 1:-1] = (
                0.125 * (old[2:, 1:-1, 1:-1] - 2.0 * old[1:-1, 1:-1, 1:-1] + old[:-2, 1:-1, 1:-1])
                + 0.125 * (old[1:-1, 2:, 1:-1] - 2.0 * old[1:-1, 1:-1, 1:-1] + old[1:-1, :-2, 1:-1])
                + 0.125 * (old[1:-1, 1:-1, 2:] - 2.0 * old[1:-1, 1:-1, 1:-1] + old[1:-1, 1:-1, :-2])
                + old[1:-1, 1:-1, 1:-1]
            )


def fdtd_2d(steps, ex, ey, hz, fict):
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def hdiff(in_field, out_field, coeff):
    rows, columns = out_field.shape[:2]
    lap_field = 4.0 * in_field[1 : rows + 3, 1 : columns + 3, :] - (
        in_field[2 : rows + 4, 1 : columns + 3, :]
        + in_field[0 : rows + 2, 1 : columns + 3, :]
        + in_field[1 : rows + 3, 2 : columns + 4, :]
        + in_field[1 : rows + 3, 0 : columns + 2, :]
    )
    res = lap_field[1:, 1 : columns + 1, :] - lap_field[:-1, 1 : columns + 1, :]
    flx_field = np.where((res * (in_field[2 : rows + 3, 2 : columns + 2, :] - in_field[1 : rows + 2, 2 : columns + 2, :])) > 0, 0, res)
    res = lap_field[1 : rows + 1, 1:, :] - lap_field[1 : rows + 1, :-1, :]
    fly_field = np.where((res * (in_field[2 : rows + 2, 2 : columns + 3, :] - in_field[2 : rows + 2, 1 : columns + 2, :])) > 0, 0, res)
    out_field[:, :, :] = in_field[2 : rows + 2, 2 : columns + 2, :] - coeff[:, :, :] * (
        flx_field[1:, :, :] - flx_field[:-1, :, :] + fly_field[:, 1:, :] - fly_field[:, :-1, :]
    )


def vadv(utens_stage, u_stage, wcon, u_pos, utens):
    bet_m, bet_p, dtr_stage = 0.5, 0.5, 3.0 / 20.0
    rows, columns, K = utens_stage.shape
    ccol = np.ndarray((rows, columns, K), dtype=utens_stage.dtype)
    dcol = np.ndarray((rows, columns, K), dtype=utens_stage.dtype)
    data_col = np.ndarray((rows, columns), dtype=utens_stage.dtype)
    for k in range(1):
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        cs = gcv * bet_m
        ccol[:, :, k] = gcv * bet_p
        bcol = dtr_stage - ccol[:, :, k]
        correction_term = -cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / bcol
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = dcol[:, :, k] * divided
    for k in range(1, K - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        as_ = gav * bet_m
        cs = gcv * bet_m
        acol = gav * bet_p
        ccol[:, :, k] = gcv * bet_p
        bcol = dtr_stage - acol - ccol[:, :, k]
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k]) - cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - (dcol[:, :, k - 1]) * acol) * divided
    for k in range(K - 1, K):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        as_ = gav * bet_m
        acol = gav * bet_p
        bcol = dtr_stage - acol
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        dcol[:, :, k] = (dcol[:, :, k] - (dcol[:, :, k - 1]) * acol) * divided
    for k in range(K - 1, K - 2, -1):
        datacol = dcol[:, :, k]
        data_col[:] = datacol
        utens_stage[:, :, k] = dtr_stage * (datacol - u_pos[:, :, k])
    for k in range(K - 2, -1, -1):
        datacol = dcol[:, :, k] - ccol[:, :, k] * data_col[:, :]
        data_col[:] = datacol
        utens_stage[:, :, k] = dtr_stage * (datacol - u_pos[:, :, k])


def seidel_rows(steps, A):
    for _ in range(steps):
        for i in range(1, 20):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            A[i, 1:-1] /= 9.0


def row_views(A, x):
    for i in range(8):
        row = A[i]
        row[1:-1] += x[i]
        row[0] = 0.0
        A.T[0, i] = 1.0


def fresh_grid(x):
    y = np.zeros_like(x)
    y[1:-1, 1:-1] = x[1:-1, 1:-1] * 4 - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:]
    y[0, :] = y[1, :]
    y[-1, :] = y[-2, :]
    return y


def laplace(x):
    return x[1:-1, 1:-1] * -4 + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]


def elementwise(x):
    for _ in range(3):
        x = np.sqrt(x * x + 1.0) * 0.5 - x
        x = np.maximum(x, -1.0)
    return x


def two_inputs(x, y):
    return np.exp(-(x - y) * (x - y) * 0.5) / (1.0 + x * x) + np.tanh(x + y) * 0.25


def mixed_types(x):
    mask = x > 0.0
    whole = (x * 100.0).astype(np.int32)
    return np.where(mask, whole, -whole).astype(np.float32) * np.float32(0.5)


def layouts(x, y):
    return (x.T + y) * (x.T - y) + x.T


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, weight, bias):
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * weight + bias


def normalise_in_place(x):
    x -= x.mean(axis=0)
    x /= x.std(axis=0)
    return x


def nbody(mass, pos, vel):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + 0.01
    inv_r3 = inv_r3 ** (-1.5)
    acc = np.hstack(((dx * inv_r3) @ mass, (dy * inv_r3) @ mass, (dz * inv_r3) @ mass))
    vel += acc * 0.005
    pos += vel * 0.01


def mlp(x, w1, b1, w2, b2):
    h = np.maximum(x @ w1 + b1, 0.0)
    return softmax(h @ w2 + b2)


def adam(p, g, m, v):
    m *= 0.9
    m += 0.1 * g
    v *= 0.999
    v += 0.001 * g * g
    p -= 0.01 * (m / 0.1) / (np.sqrt(v / 0.001) + 1e-8)


def life(grid):
    n = grid[:-2, :-2] + grid[:-2, 1:-1] + grid[:-2, 2:] + grid[1:-1, :-2] + grid[1:-1, 2:] + grid[2:, :-2] + grid[2:, 1:-1] + grid[2:, 2:]
    birth = (n == 3) & (grid[1:-1, 1:-1] == 0)
    survive = ((n == 2) | (n == 3)) & (grid[1:-1, 1:-1] == 1)
    grid[...] = 0
    grid[1:-1, 1:-1][birth | survive] = 1
    return grid


def gray_scott(u, v):
    def lap(z):
        return z[:-2, 1:-1] + z[1:-1, :-2] - 4 * z[1:-1, 1:-1] + z[1:-1, 2:] + z[2:, 1:-1]

    for _ in range(2):
        lu, lv = lap(u), lap(v)
        inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        uvv = inner_u * inner_v * inner_v
        inner_u += 0.16 * lu - uvv + 0.04 * (1 - inner_u)
        inner_v += 0.08 * lv + uvv - 0.1 * inner_v
    return u


def columns(x):
    out = np.empty((x.shape[0], 6))
    out[:, 0] = x
    for k in range(1, 6):
        out[:, k] = out[:, k - 1] * x
    return out


def mandelbrot(c):
    z = np.zeros_like(c)
    n = np.zeros(c.shape, np.int64)
    for _ in range(6):
        inside = np.abs(z) < 2.0
        n[inside] += 1
        z = np.where(inside, z * z + c, z)
    return z, n


def joined(x, y):
    both = np.concatenate([x * 2.0, y + 1.0])
    return np.cumsum(both, axis=0)[::2] * 0.5


def clipped(x):
    return np.clip(np.take(x, np.arange(0, x.shape[0], 2), axis=0) * 3.0, -1.0, 1.0)


def covariance(data):
    data -= np.mean(data, axis=0)
    return data.T @ data / (data.shape[0] - 1)


def gram_schmidt(A):
    Q, R = np.zeros_like(A), np.zeros((A.shape[1], A.shape[1]))
    for k in range(12):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, 12):
            R[k, j] = Q[:, k] @ A[:, j]
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def floyd_warshall(path):
    for k in range(10):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k, :]))


def grows(x, limit):
    x[0] = 0.0
    while x[0] < limit:
        x += 1.0
        x *= 1.0001


def grows_where_small(x, limit):
    if x[0] < limit:
        x += 1.0


PROGRAMS = {
    "jacobi_1d": (lambda A, B: jacobi_1d(5, A, B), lambda: (random(400_000), random(400_000, seed=1))),
    "jacobi_2d": (lambda A, B: jacobi_2d(3, A, B), lambda: (random(1000, 1000), random(1000, 1000, seed=1))),
    "jacobi_2d small": (lambda A, B: jacobi_2d(3, A, B), lambda: (random(20, 20), random(20, 20, seed=1))),
    "heat_3d": (lambda A, B: heat_3d(2, A, B), lambda: (random(90, 90, 90), random(90, 90, 90, seed=1))),
    "fdtd_2d": (
        lambda ex, ey, hz, fict: fdtd_2d(3, ex, ey, hz, fict),
        lambda: (random(700, 800), random(700, 800, seed=1), random(700, 800, seed=2), random(3)),
    ),
    "hdiff": (hdiff, lambda: (random(132, 132, 60), random(128, 128, 60, seed=1), random(128, 128, 60, seed=2))),
    "vadv": (vadv, lambda: (random(60, 60, 20), random(60, 60, 20), random(61, 60, 20), random(60, 60, 20), random(60, 60, 20))),
    "seidel_rows": (lambda A: seidel_rows(2, A), lambda: (random(40, 4000),)),
    "row_views": (row_views, lambda: (random(8, 200_000), random(8, 1))),
    "fresh_grid": (fresh_grid, lambda: (random(1000, 1000),)),
    "laplace": (laplace, lambda: (random(1000, 1000),)),
    "elementwise 8 MB": (elementwise, lambda: (random(1_000_000),)),
    "elementwise 80 kB": (elementwise, lambda: (random(100, 100),)),
    "elementwise 10x10": (elementwise, lambda: (random(10, 10),)),
    "two_inputs": (two_inputs, lambda: (random(800, 1000), random(800, 1000, seed=1))),
    "mixed_types": (mixed_types, lambda: (random(800, 1000),)),
    "layouts": (layouts, lambda: (random(800, 1000), random(1000, 800, seed=1))),
    "softmax": (softmax, lambda: (random(1024, 1024, dtype=np.float32),)),
    "layer_norm": (
        layer_norm,
        lambda: (random(1024, 1024, dtype=np.float32), random(1024, dtype=np.float32), random(1024, dtype=np.float32)),
    ),
    "normalise_in_place": (normalise_in_place, lambda: (random(1000, 1000),)),
    "nbody": (nbody, lambda: (abs(random(600, 1)), random(600, 3), random(600, 3, seed=1))),
    "mlp": (mlp, lambda: (random(256, 512), random(512, 512), random(512), random(512, 10), random(10))),
    "adam": (adam, lambda: (random(1_000_000), random(1_000_000, seed=1), random(1_000_000, seed=2), abs(random(1_000_000, seed=3)))),
    "life": (life, lambda: ((random(1000, 1000) > 0).astype(np.int64),)),
    "gray_scott": (gray_scott, lambda: (abs(random(800, 800)), abs(random(800, 800, seed=1)))),
    "columns": (columns, lambda: (random(300_000),)),
    "mandelbrot": (mandelbrot, lambda: (random(400, 400) + 1j * random(400, 400, seed=1),)),
    "joined": (joined, lambda: (random(500, 800), random(500, 800, seed=1))),
    "clipped": (clipped, lambda: (random(1000, 800),)),
    "covariance": (covariance, lambda: (random(2000, 300),)),
    "gram_schmidt": (gram_schmidt, lambda: (random(4000, 12),)),
    "loop on data": (grows, lambda: (np.zeros(100_000), np.float64(8))),
    "branch on data": (grows_where_small, lambda: (np.full(1_000_000, -1e9), np.float64(0))),
    "floyd_warshall": (floyd_warshall, lambda: (abs(random(500, 500)),)),
}
"""Name -> function, and a function that makes its inputs."""
