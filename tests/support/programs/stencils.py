"""In-place stencil programs, as people write them: each row is (function, arguments from a generator)."""

from __future__ import annotations

import numpy as np


def jacobi_1d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])


def jacobi_2d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def heat_3d(steps, a, b):
    def step(dst, src):
        mid = src[1:-1, 1:-1, 1:-1]
        dst[1:-1, 1:-1, 1:-1] = (
            0.125 * (src[2:, 1:-1, 1:-1] - 2.0 * mid + src[:-2, 1:-1, 1:-1])
            + 0.125 * (src[1:-1, 2:, 1:-1] - 2.0 * mid + src[1:-1, :-2, 1:-1])
            + 0.125 * (src[1:-1, 1:-1, 2:] - 2.0 * mid + src[1:-1, 1:-1, :-2])
            + mid
        )

    for _ in range(1, steps):
        step(b, a)
        step(a, b)


def fdtd_2d(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def seidel_2d(steps, n, a):
    for _ in range(steps - 1):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0


def adi(steps, n, u):
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    dx, dt = 1.0 / n, 1.0 / steps
    mul = 2.0 * dt / dx**2
    a = -mul / 2.0
    b = 1.0 + mul
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-a * u[j, :-2] + (1.0 + 2.0 * a) * u[j, 1:-1] - a * u[j, 2:] - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 1:-1] = v[1:-1, 1:-1]


def vertical_advection(w, u, dt):
    depth = u.shape[2]
    c, d = np.zeros_like(u), np.zeros_like(u)
    for k in range(depth):
        if k == 0:
            c[:, :, k] = w[:, :, k + 1] / (1.0 + dt)
            d[:, :, k] = u[:, :, k] / (1.0 + dt)
        else:
            m = 1.0 / (1.0 + dt - w[:, :, k] * c[:, :, k - 1])
            if k < depth - 1:
                c[:, :, k] = w[:, :, k + 1] * m
            d[:, :, k] = (u[:, :, k] - w[:, :, k] * d[:, :, k - 1]) * m
    out = np.zeros_like(u)
    out[:, :, -1] = d[:, :, -1]
    for k in range(depth - 2, -1, -1):
        out[:, :, k] = d[:, :, k] - c[:, :, k] * out[:, :, k + 1]
    return out


def horizontal_diffusion(field, coefficient):
    laplace = 4.0 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    flux = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
    flux = np.where(flux * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flux)
    other = laplace[1:-1, 1:] - laplace[1:-1, :-1]
    other = np.where(other * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, other)
    return field[2:-2, 2:-2] - coefficient * (flux[1:] - flux[:-1] + other[:, 1:] - other[:, :-1])


def build_up_b(rho, dt, dx, dy, u, v):
    b = np.zeros_like(u)
    dudx = (u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)
    dvdy = (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)
    dudy = (u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy)
    dvdx = (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx)
    b[1:-1, 1:-1] = rho * (1 / dt * (dudx + dvdy) - dudx**2 - 2 * (dudy * dvdx) - dvdy**2)
    return b


def cavity_flow(nt, nit, u, v, p, dt, dx, dy, rho, nu):
    un = np.empty_like(u)
    vn = np.empty_like(v)
    for _ in range(nt):
        un[:] = u
        vn[:] = v
        b = build_up_b(rho, dt, dx, dy, u, v)
        for _ in range(nit):
            pn = p.copy()
            p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2) / (
                2 * (dx**2 + dy**2)
            ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
        )
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        u[0, :] = 0
        u[:, 0] = 0
        u[-1, :] = 1
        v[0, :], v[-1, :], v[:, 0], v[:, -1] = 0, 0, 0, 0
    return u.sum()


def channel_flow(steps, u, v, dt, force):
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - dt * un[1:-1, 1:-1] * (un[1:-1, 1:-1] - un[1:-1, :-2]) + force * dt
        u[1:-1, -1] = un[1:-1, -1] - dt * un[1:-1, -1] * (un[1:-1, -1] - un[1:-1, -2]) + force * dt
        u[1:-1, 0] = un[1:-1, 0] - dt * un[1:-1, 0] * (un[1:-1, 0] - un[1:-1, -1]) + force * dt
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] * (1 - dt)
        u[0, :] = u[-1, :] = 0
        v[0, :] = 0
    return (u.sum() - v.sum()) / u.sum()


def blur_with_roll(x):
    acc = np.zeros_like(x)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            acc += np.roll(np.roll(x, dy, axis=0), dx, axis=1)
    acc /= 9
    return acc


def game_of_life(board, steps):
    for _ in range(steps):
        n = sum(np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        board = ((n == 3) | ((board == 1) & (n == 2))).astype(board.dtype)
    return board


def prefix_in_place(x):
    x[1:] += x[:-1]
    x[::2] *= x[::-1][::2]
    return x.cumsum()


def red_black(x, steps):
    mask = (np.indices(x.shape).sum(axis=0) % 2).astype(bool)
    mask[0, :] = mask[-1, :] = mask[:, 0] = mask[:, -1] = False
    for _ in range(steps):
        mean = 0.25 * (np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1))
        x[mask] = mean[mask]
    return x


def rows(rng):
    """(function, arguments): fresh data from ``rng``; arrays are written in place by most programs."""

    def r(*shape):
        return rng.random(shape)

    return [
        (jacobi_1d, (4, r(12), r(12))),
        (jacobi_2d, (4, r(9, 9), r(9, 9))),
        (heat_3d, (3, r(5, 6, 7), r(5, 6, 7))),
        (fdtd_2d, (4, r(8, 9), r(8, 9), r(8, 9), r(4))),
        (seidel_2d, (3, 6, r(6, 6))),
        (adi, (3, 6, r(6, 6))),
        (vertical_advection, (r(3, 4, 5), r(3, 4, 5), np.float64(0.15))),
        (horizontal_diffusion, (r(9, 9), 0.3)),
        (cavity_flow, (3, 2, r(7, 7), r(7, 7), r(7, 7), 0.001, 0.1, 0.1, 1.0, 0.1)),
        (channel_flow, (3, r(7, 7) + 1, r(7, 7), 0.01, 1.0)),
        (blur_with_roll, (r(5, 6),)),
        (game_of_life, ((r(6, 6) > 0.5).astype(np.int64), 3)),
        (prefix_in_place, (r(8),)),
        (red_black, (r(6, 6), 2)),
    ]
