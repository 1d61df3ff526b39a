"""Loops and branches inside one another, whose ways meet at the same jump back: a loop at the end of a
side, a way out of two loops at once, lists that sides fill, arrays of the caller's that are kept.
"""

from __future__ import annotations

import numpy as np

from tests.support.textbook_loops import given, n, v


@given((n(3, 1, 5, 1, 2, 9),), (n(1, 2, 3, 4, 5, 6),), (n(4, 4, 4, 4, 4, 4),), (n(6, 5, 4, 3, 2, 1),))
def quickselect(a):
    a = a.copy()
    k, low, high = len(a) // 2, 0, len(a) - 1
    while low < high:
        pivot, store = a[high], low
        for i in range(low, high):
            if a[i] < pivot:
                a[store], a[i] = a[i], a[store]
                store += 1
        a[store], a[high] = a[high], a[store]
        if store == k:
            break
        elif store < k:
            low = store + 1
        else:
            high = store - 1
    return a[k]


@given((v(0.5, 2.0, 3.0), v(4.0)), (v(0.1, 0.1, 9.0), v(0.5)), (v(5.0, 5.0, 5.0), v(60.0)))
def water_level(noise, power):
    s, k, level = np.sort(noise), len(noise), 0.0
    while k > 0:
        level = (power[0] + s[:k].sum()) / k
        if level > s[k - 1]:
            break
        k -= 1
    return np.maximum(level - noise, 0), level


@given((n(0, 1, 1, 0, 1),), (n(0, 0, 0, 0, 0),), (n(3, 0, 5, 1, 2),))
def a_loop_ends_a_side(g):
    label, current = np.zeros_like(g), 0
    for i in range(len(g)):
        if g[i] and not label[i]:
            current += 1
            rest = g[i]
            while rest > 0:
                label[i] += current
                rest = rest - 1
    return label, current


@given((v(3.0, 0.1),), (v(0.1, 0.2),), (v(1e9, 1.0),), (v(0.0, 0.0),))
def out_of_two_loops_at_once(x):
    for k in range(6):
        g = 4 * x**3
        if np.max(np.abs(g)) < 1e-3:
            break
        t = 1.0
        while np.sum((x - t * g) ** 4) > np.sum(x**4):
            t *= 0.5
            if t < 1e-3:
                return x * 2, k, t
        x = x - t * g
    return x.copy(), k, 0.0


@given((v(3.0, 0.1),), (v(0.0, 0.0),), (v(0.7390851332151607, 0.7390851332151607),))
def steps_under_two_conditions(x):
    g, count = np.cos(x) - x, 0
    while np.linalg.norm(g) > 1e-8 and count < 10:
        new = x + g
        if new.sum() > 3:
            count += 1
        x, g = new, np.cos(new) - new
        count += 1
    return x, count
