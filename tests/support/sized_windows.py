"""Programs whose loops over sizes cut windows of a known width out of an array: how wide each is,
follows from where the counter ends.
"""

from __future__ import annotations

import numpy as np

from tests.support.sized_loops import sized, vector
from tests.support.sized_slices import PROGRAMS

__all__ = ["PROGRAMS"]


@sized("n", vector, least=3)
def weighted_windows(x):
    out, weights = np.empty(len(x) - 2), np.arange(3.0)
    for t in range(len(x) - 2):
        out[t] = (weights * x[t : t + 3]).sum()
    return out


@sized("n", vector)
def windows_of_padded_values(x):
    padded, out = np.pad(x, 2), np.empty_like(x)
    for t in range(len(x)):
        out[t] = np.dot(np.arange(-2.0, 3.0), padded[t : t + 5])
    return out


@sized("n", vector)
def windows_that_go_down(x):
    out = np.zeros_like(x)
    for i in range(len(x) - 1, 2, -1):
        out[i] = np.dot(x[i - 3 : i], np.arange(3.0))
    return out


@sized("n", vector)
def blocks_of_four(x):
    out = np.zeros(len(x) // 4)
    for i in range(len(x) // 4):
        out[i] = (np.hanning(4) * x[4 * i : 4 * i + 4]).sum()
    return out


@sized("n", vector)
def neighbours_by_name(x):
    out = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        before, here, after = x[i - 1 : i + 2]
        out[i] = before - 2 * here + after
    return out


@sized("n", vector, least=3)
def products_of_all_windows(x):
    out = np.zeros((len(x) - 1, len(x) - 1))
    for i in range(len(x) - 1):
        for j in range(len(x) - 1):
            out[i, j] = np.linalg.det(np.outer(x[i : i + 2], x[j : j + 2]) + np.eye(2))
    return out


@sized("n", vector)
def windows_that_are_written(x):
    for i in range(len(x) - 2):
        x[i : i + 3] -= x[i] * np.arange(3.0)
    return x


@sized("n", vector, least=4)
def hops_of_two(x):
    return np.array([np.fft.rfft(x[start : start + 4] * np.hanning(4)) for start in range(0, len(x) - 3, 2)])


@sized("n", vector, least=3)
def the_best_window(x):
    best, at = -np.inf, 0
    for i in range(len(x) - 2):
        value = np.dot(x[i : i + 3], [1, 2, 3])
        if value > best:
            best, at = value, i
    return best, at


@sized("n", vector)
def weighted_by_the_last_one(x):
    total = np.float64(0)
    for i in range(len(x)):
        total = total + x[-1] * x[i]
    return total


@sized("n", vector)
def both_ends_in_every_iteration(x):
    total = np.zeros(3)
    for i in range(len(x) - 2):
        total = total + x[:3] * x[-3:] * i
    return total


@sized("n", vector)
def compared_with_the_last_one_until_one_is_found(x):
    total, a = np.float64(0), x.copy()
    for i in range(len(x)):
        if a[0] < x[-1]:
            total = total + a[i]
        elif i > 0:
            break
        else:
            a[i] = a[i] + 1
    return a, total
