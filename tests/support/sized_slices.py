"""Programs whose loops over sizes write to the caller's arrays by slices that the counter cuts: those
of linear algebra, written plainly; and those that random programs have found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sized_loops import PROGRAMS, sized, vector

__all__ = ["PROGRAMS"]


def square(n: int) -> tuple[Any, ...]:
    return (np.sin(np.arange(n * n).reshape(n, n) * 1.3 + 0.5),)


def squares(n: int) -> tuple[Any, ...]:
    return *square(n), *[np.cos(np.arange(n * n).reshape(n, n) * step) for step in (0.7, 1.9)]


@sized("n,m", square)
def gram_schmidt_in_place(a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / (r[k, k] + 1.0)
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


@sized("n,n n,m", lambda n: squares(n)[:2])
def rank_k_update_of_what_is_below_the_diagonal(c, a):
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 1.25
        for k in range(a.shape[1]):
            c[i, : i + 1] += 1.5 * a[i, k] * a[: i + 1, k]


@sized("n,m n,n n,m", squares)
def symmetric_product_in_place(c, a, b):
    below = np.empty(c.shape[1])
    c *= 1.25
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += 1.5 * b[i, j] * a[i, :i]
            below[j] = b[:i, j] @ a[i, :i]
        c[i, :] += 1.5 * b[i, :] * a[i, i] + 1.5 * below


@sized("n,n", square)
def suffixes_from_the_last_row_up_in_place(a):
    for i in range(a.shape[0] - 1, -1, -1):
        a[i, i:] *= 0.5
        a[i, i:] += a[i:, i]


@sized("n,n", square)
def every_second_row_in_place(a):
    for i in range(1, a.shape[0], 2):
        a[i, :i] += a[:i, i - 1]
        a[i - 1] *= a[i, i]


@sized("n", lambda n: (np.arange(n) * 7 % 4,))
def loops_that_end_a_side(g):
    label, current = np.zeros_like(g), 0
    for i in range(len(g)):
        if g[i] and not label[i]:
            current += 1
            rest = g[i]
            while rest > 0:
                label[i] += current
                rest = rest - 1
    return label, current


@sized("n,m", lambda n: (np.round(np.sin(np.arange(n * (n + 1)).reshape(n, n + 1) * 1.3)),))
def row_echelon_form(a):
    a, row = a.copy(), 0
    for column in range(a.shape[1]):
        if row >= a.shape[0]:
            break
        pivot = row
        while pivot < a.shape[0] and a[pivot, column] == 0:
            pivot += 1
        if pivot == a.shape[0]:
            continue
        a[[row, pivot]] = a[[pivot, row]]
        a[row] = a[row] / a[row, column]
        for i in range(a.shape[0]):
            if i != row:
                a[i] = a[i] - a[i, column] * a[row]
        row += 1
    return a, row


@sized("n", vector)
def a_iteration_of_its_own_that_asks_what_was_asked_before(x):
    total, i = x.sum(), 0
    for j in range(2, len(x)):
        total = total - j
    while i < len(x):
        i += 1
        total = total + x[i - 1 :].sum()
        if i == 2:
            continue
        total = total + 1
    return total
