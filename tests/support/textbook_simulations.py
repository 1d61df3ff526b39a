"""More textbook programs: statistics, learning, simulation."""

from __future__ import annotations

import numpy as np

from tests.support.textbook_loops import PROGRAMS, given, n, v

__all__ = ["PROGRAMS"]

GRID = (np.indices((6, 6)).sum(axis=0) % 3 == 0).astype(np.int64)


# --- statistics and learning


@given((v(0.0, 0.1, 5.0, 5.2), v(0.0, 1.0)), (v(0.0, 1.0, 2.0, 9.0), v(1.0, 8.0)))
def k_means(x, centers):
    for _ in range(20):
        label = np.abs(x[:, None] - centers).argmin(axis=1)
        new = np.stack([np.where(label == k, x, 0.0).sum() / np.maximum((label == k).sum(), 1) for k in range(2)])
        if np.array_equal(new, centers):
            break
        centers = new
    return centers


@given((v(0.0, 0.1, 5.0, 5.2),), (v(0.0, 1.0, 2.0, 9.0),))
def expectation_maximisation(x):
    mu = np.array([0.0, 4.0])
    old = np.float64(-np.inf)
    for k in range(100):
        logp = -0.5 * (x[:, None] - mu) ** 2
        p = np.exp(logp)
        total = p.sum(axis=1)
        likelihood = np.log(total).sum()
        if likelihood - old < 1e-9:
            break
        old = likelihood
        w = p / total[:, None]
        mu = (w * x[:, None]).sum(axis=0) / w.sum(axis=0)
    return mu, likelihood


@given((v(1.0, 0.2, 9.0, 0.4),), (v(0.1, 0.2, 0.3, 0.4),))
def kalman_with_gating(z):
    x, p, rejected = np.float64(0.0), np.float64(1.0), 0
    for k in range(4):
        p = p + 0.1
        s = p + 0.5
        y = z[k] - x
        if y * y / s > 9.0:
            rejected += 1
            continue
        gain = p / s
        x = x + gain * y
        p = (1.0 - gain) * p
    return x, p, rejected


@given((v(0.1, -0.4, 0.9), v(0.2, 0.9, 0.5)), (v(2.0, -0.4, 0.1), v(0.9, 0.1, 0.5)))
def metropolis(steps, uniforms):
    x, accepted = np.float64(0.0), 0
    for k in range(3):
        y = x + steps[k]
        if uniforms[k] < np.exp(0.5 * (x * x - y * y)):
            x = y
            accepted += 1
    return x, accepted


@given((v(0.9, 0.8, 0.7, 0.2), v(0.0, 0.1, 3.0, 3.05)), (v(0.1, 0.2, 0.3, 0.4), v(0.0, 5.0, 9.0, 3.0)))
def non_maximum_suppression(scores, x):
    order = np.argsort(-scores)
    keep = np.ones(4, bool)
    for i in range(4):
        if keep[i]:
            for j in range(i + 1, 4):
                if abs(x[order[i]] - x[order[j]]) < 0.5:
                    keep[j] = False
    return order, keep


@given((np.array([[0.1, 0.9, 0.0], [0.8, 0.1, 0.1], [0.0, 0.2, 0.8]]),), (np.array([[0.1, 0.0, 0.9], [1.0, 0.1, 0.1], [0.0, 0.2, 0.8]]),))
def greedy_decoding(m):
    tokens = np.zeros(8, np.int64)
    token, length = 0, 0
    while token != 2 and length < 8:
        token = int(np.argmax(m[token]))
        tokens[length] = token
        length += 1
    return tokens, length


@given((v(0.5, 0.2, 0.9), v(1.0)), (v(0.1, 0.2, 0.1), v(3.0)))
def water_filling(noise, power):
    lo, hi = noise.min(), noise.max() + power[0]
    while hi - lo > 1e-9:
        level = 0.5 * (lo + hi)
        if np.maximum(level - noise, 0.0).sum() > power[0]:
            hi = level
        else:
            lo = level
    return lo


@given((np.array([[0.0, 1.0], [1.0, 0.5]]),), (np.array([[5.0, 1.0], [-1.0, 0.5]]),))
def value_iteration(reward):
    value = np.zeros(2)
    while True:
        new = (reward + 0.9 * value).max(axis=1)
        if np.max(np.abs(new - value)) < 1e-8:
            return new
        value = new


# --- simulation


@given((v(1.0), v(2.0)), (v(-1.0), v(0.5)))
def adaptive_euler(y, stop):
    y, t, h = y[0], np.float64(0.0), np.float64(0.1)
    while t < stop[0]:
        h = np.minimum(h, stop[0] - t)
        one = y + h * -y
        half = y + 0.5 * h * -y
        two = half + 0.5 * h * -half
        if abs(two - one) < 1e-4:
            t = t + h
            y = two
            h = h * 1.5
        else:
            h = h * 0.5
    return t, y


@given((GRID,), (np.zeros((6, 6), np.int64),))
def life_until_stable(board):
    iterations = 0
    while iterations < 50:
        near = sum(np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - board
        new = ((near == 3) | ((board == 1) & (near == 2))).astype(np.int64)
        if np.array_equal(new, board):
            break
        board = new
        iterations += 1
    return board, iterations


@given((v(0.3, 0.5),), (v(2.0, 2.0),), (v(0.0, 0.0),))
def mandelbrot_point(c):
    x = y = np.float64(0.0)
    k = 0
    while x * x + y * y <= 4.0 and k < 100:
        x, y = x * x - y * y + c[0], 2.0 * x * y + c[1]
        k += 1
    return k


@given((v(0.0, 1.0, 1.0),), (v(0.0, 5.0, -4.0),))
def pid_with_anti_windup(x):
    position, target, speed = x[0], x[1], x[2]
    integral = np.float64(0.0)
    for _ in range(20):
        error = target - position
        drive = 2.0 * error + 0.5 * integral - 0.1 * speed
        if drive > 1.0:
            drive = np.float64(1.0)
        elif drive < -1.0:
            drive = np.float64(-1.0)
        else:
            integral = integral + 0.1 * error
        speed = speed + 0.1 * drive
        position = position + 0.1 * speed
    return position, integral


@given((v(0.0, 0.0, -5.0), v(0.0, 0.0, 1.0)), (v(9.0, 0.0, -5.0), v(0.0, 0.0, 1.0)))
def ray_marching(origin, direction):
    t, hit = np.float64(0.0), False
    for _ in range(64):
        p = origin + t * direction
        d = np.sqrt(p @ p) - 1.0
        if d < 1e-4:
            hit = True
            break
        t = t + d
        if t > 20.0:
            break
    return t, hit


@given((v(2.0, 0.0),), (v(0.1, 0.0),))
def van_der_pol_crossing(state):
    x, y = state[0], state[1]
    steps = 0
    while steps < 500:
        new_x = x + 0.05 * y
        new_y = y + 0.05 * ((1.0 - x * x) * y - x)
        steps += 1
        if x < 0.0 and new_x >= 0.0:
            break
        x, y = new_x, new_y
    return x, y, steps


@given((v(10.0, 0.0, 0.8),), (v(0.5, 2.0, 0.5),))
def bouncing_ball(x):
    height, speed, keep = x[0], x[1], x[2]
    t, bounces = np.float64(0.0), 0
    while bounces < 5 and t < 20.0:
        fall = (speed + np.sqrt(speed * speed + 19.62 * height)) / 9.81
        t = t + fall
        speed = keep * (9.81 * fall - speed)
        height = np.float64(0.0)
        bounces += 1
    return t, bounces


@given((v(1.0, 2.0, 0.5, 0.1), v(0.3, 1.0, 0.2, 3.0)), (v(1.0, 9.0, 9.0, 9.0), v(0.3, 0.1, 0.2, 0.1)))
def queue_simulation(gaps, services):
    now = free = waited = np.float64(0.0)
    for k in range(4):
        now = now + gaps[k]
        if now < free:
            waited = waited + (free - now)
            free = free + services[k]
        else:
            free = now + services[k]
    return waited, free


@given((v(1.0, 0.5),), (v(0.1, 0.9),))
def arithmetic_geometric_mean(x):
    a, b = x[0], x[1]
    while abs(a - b) > 1e-14:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return a


@given((v(0.5),), (v(1.0),), (v(-3.0),))
def exponential_series(x):
    term, total, k = np.float64(1.0), np.float64(1.0), 1
    while abs(term) > 1e-12:
        term = term * x[0] / k
        total = total + term
        k += 1
    return total


@given((v(0.2, 5.0),), (v(3.0, 0.1),))
def continued_fraction(x):
    a = x[0]
    f = c = np.float64(1e-30)
    d = np.float64(0.0)
    for k in range(1, 200):
        d = 1.0 / (1.0 + k * a * d)
        c = 1.0 + k * a / c
        delta = c * d
        f = f * delta
        if abs(delta - 1.0) < 1e-10:
            break
    return f


@given((v(3.0, 1.0, 4.0, 1.0, 5.0), v(2.0)), (v(0.0, 0.0, 0.0, 0.0, 9.0), v(1.0)))
def cumulative_until(x, limit):
    total, i = np.float64(0.0), 0
    while i < len(x):
        total = total + x[i]
        if total > limit[0]:
            break
        i += 1
    return total, i


@given((v(3.0, 1.0, 4.0),), (v(-1.0, 2.0, 2.0),))
def simplex_projection(y):
    u = np.sort(y)[::-1]
    total, theta = np.float64(0.0), np.float64(0.0)
    for j in range(3):
        total = total + u[j]
        t = (total - 1.0) / (j + 1)
        if u[j] - t > 0:
            theta = t
    return np.maximum(y - theta, 0.0)


@given((v(1.0, 2.0, 3.0),), (v(9.0, 2.0, 3.0),))
def halving_until_small(x):
    iterations = 0
    while x.sum() > 1.0:
        x = x / 2.0
        iterations += 1
    return x, iterations


@given((v(4.0, 5.0), n(3)), (v(4.0, 5.0), n(0)))
def repeated_smoothing(x, times):
    for _ in range(int(times[0])):
        x = 0.5 * (x + x[::-1])
    return x


@given((v(4.0, 5.0), n(3)), (v(4.0, 5.0), n(0)))
def growing_history(x, times):
    history = []
    for _ in range(int(times[0])):
        x = 0.5 * x
        history.append(x.sum())
    return history


@given((v(4.0, 5.0),), (v(0.1, 0.2),))
def sum_that_begins_as_an_integer(x):
    total = 0
    while x.sum() > 1.0:
        total = total + x.sum()
        x = x / 2.0
    return total


@given((v(4.0, 5.0),), (v(0.1, 0.2),))
def last_value_or_nothing(x):
    last = None
    while x.sum() > 1.0:
        last = x.sum()
        x = x / 2.0
    return last


@given((v(4.0, 5.0),), (v(0.1, 0.2),))
def array_that_doubles(x):
    y = x
    while y.sum() < 20.0:
        y = np.concatenate([y, y])
    return y
