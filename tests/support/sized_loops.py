"""Programs whose loops make as many iterations as a dynamic size says, each with what makes its
arguments of a size, and the least size that it is exported for.

What is captured, and what is refused, is said in `tests/unit/tracer/control/test_sized_loops.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Sized(NamedTuple):
    """``dims``: by argument, the name of the dim of its first axis, or of two axes."""

    program: Callable[..., Any]
    dims: tuple[str, ...]
    make: Callable[[int], tuple[Any, ...]]
    least: int


PROGRAMS: dict[str, Sized] = {}


def sized(dims: str, make: Callable[[int], tuple[Any, ...]], least: int = 0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a program."""

    def declare(program: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[program.__name__] = Sized(program, tuple(dims.split()), make, least)
        return program

    return declare


def vector(n: int) -> tuple[Any, ...]:
    return (np.sin(np.arange(n) * 1.3 + 0.5),)


def matrix(n: int) -> tuple[Any, ...]:
    return (np.sin(np.arange(n * 3).reshape(n, 3) * 1.3 + 0.5),)


def pair(n: int) -> tuple[Any, ...]:
    return *vector(n), np.cos(np.arange(n) * 0.7)


def words(n: int) -> tuple[Any, ...]:
    return np.arange(n) * 7 % 4, np.arange(2 * n + 1) * 5 % 4


# --- over a range


@sized("n", vector)
def sum_by_index(x):
    total = np.float64(0)
    for i in range(x.shape[0]):
        total = total + x[i]
    return total


@sized("n", vector)
def sum_of_python_floats(x):
    total = 0.0
    for i in range(len(x)):
        total += float(x[i])
    return total


@sized("n", vector)
def running_sum(x):
    y = np.empty_like(x)
    s = np.float64(0)
    for i in range(x.size):
        s += x[i]
        y[i] = s
    return y


@sized("n", vector)
def recursive_filter_that_wraps(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = 0.5 * y[i - 1] + x[i]
    return y


@sized("n", vector)
def filter_from_the_second(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i]
    return y


@sized("n", vector)
def backwards(x):
    y = x.copy()
    for i in range(len(x) - 2, -1, -1):
        y[i] += 0.5 * y[i + 1]
    return y


@sized("n", vector)
def unlike_in_the_last_iteration(x):
    y = x.copy()
    for i in range(1, len(x)):
        if i < len(x) - 1:
            y[i] = 2
        y[i] += y[i - 1]
    return y


@sized("n", vector)
def unlike_in_the_first_iteration(x):
    y, n = x.copy(), len(x)
    for i in range(n):
        if i > 0:
            y[i] += y[i - 1]
    return y


@sized("n", vector)
def nothing_in_the_last_iteration(x):
    y = x.copy()
    for i in range(len(x)):
        if i < len(x) - 1:
            y[i] += y[i + 1]
    return y


@sized("n", vector, 1)
def tridiagonal(d):
    n, x = len(d), d.copy()
    c = np.zeros(n - 1)
    for i in range(1, n):
        m = 4.0 + (c[i - 2] if i > 1 else d[0])
        if i < n - 1:
            c[i - 1] = -1.0 / m
        x[i] = (x[i] + x[i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


@sized("n", vector)
def every_other(x):
    y = x.copy()
    for i in range(0, len(x), 2):
        y[i] = -y[i]
    return y


@sized("n", vector)
def heat_steps(x):
    u = np.linspace(0.0, 1.0, 6)
    for _ in range(x.shape[0]):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@sized("n", vector)
def heat_steps_anew(x):
    u = np.linspace(0.0, 1.0, 6)
    for t in range(x.shape[0]):
        new = u.copy()
        new[1:-1] = u[1:-1] + x[t] * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return u


@sized("n", vector)
def sums_of_slices(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[:i].sum() - x[i + 1 :].sum() + x[i : i + 2].sum()
    return y


@sized("n", vector)
def doubles_its_input(x):
    for i in range(len(x)):
        x[i] *= 2.0


@sized("n", vector)
def index_out_of_range(x):
    s = np.float64(0)
    for i in range(len(x)):
        s = s + x[i + 1]
    return s


@sized("n", vector)
def fibonacci(x):
    a, b = 0, 1
    for _ in range(len(x) * 20):
        a, b = b, a + b
    return a


@sized("n", vector, least=1)
def last_index(x):
    for i in range(len(x)):
        pass
    return i  # noqa: B007


@sized("n", vector, least=1)
def sum_that_begins_as_an_integer(x):
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
    return total


@sized("n", vector)
def branches_on_its_first_iteration(x):
    y = np.zeros_like(x)
    for k in range(len(x)):
        if k == 0:
            y[k] = x[k] * 2
        else:
            y[k] = x[k] + y[k - 1]
    return y


# --- left early


@sized("n", vector)
def first_negative(x):
    found = -1
    for i in range(len(x)):
        if x[i] < 0:
            found = i
            break
    return found


@sized("n", vector)
def returns_early(x):
    for i in range(len(x)):
        if x[i] < -0.5:
            return i
    return -1


@sized("n", vector)
def otherwise(x):
    for i in range(len(x)):
        if x[i] > 0.9:
            r = 1
            break
    else:
        r = 2
    return r


@sized("n", vector)
def skips(x):
    s = np.float64(0)
    for i in range(len(x)):
        if x[i] < 0:
            continue
        s += x[i]
    return s


@sized("n", vector)
def raises_in_an_iteration(x):
    s = np.float64(0)
    for i in range(len(x)):
        if x[i] > 0.99:
            raise ValueError("large")
        s += x[i]
    return s


# --- over arrays


@sized("n", matrix)
def sum_of_rows(x):
    acc = np.zeros(3)
    for row in x:
        acc += row
    return acc


@sized("n", vector)
def horner(x):
    acc, t = np.zeros(4), np.arange(4.0)
    for c in x[::2]:
        acc = acc * t + c
    return acc


@sized("n", matrix)
def enumerated_from_one(x):
    out = np.zeros(x.shape[0])
    for i, row in enumerate(x, 1):
        out[i - 1] = row.sum() * i
    return out


@sized("n n", pair)
def enumerated_pairs(x, y):
    out = np.empty_like(x)
    for i, (a, b) in enumerate(zip(x, y)):  # noqa: B905
        out[i] = a if a > b else b
    return out


@sized("n", vector)
def neighbours(x):
    a = b = np.float64(0)
    for p, q in zip(x[:-1], x[1:]):  # noqa: B905, RUF007
        a, b = a + p * q, b - q
    return a, b


@sized("n", vector)
def reversed_range(x):
    y = x.copy()
    for i in reversed(range(len(x) - 1)):
        y[i] += 0.5 * y[i + 1]
    return y


@sized("n", vector)
def reversed_items(x):
    s = np.float64(1)
    for v in reversed(x):
        s = s * 0.5 + v
    return s


@sized("n", matrix)
def rows_of_what_changes(x):
    x = x.copy()
    for row in x:
        x += row
    return x


@sized("n", vector)
def items_of_what_changes(x):
    x = x.copy()
    for i, v in enumerate(x):
        x[-1] = v + i
    return x


@sized("n", matrix)
def last_row(x):
    best = np.zeros(3)
    for row in x:
        best = row
    return best * 2


@sized("n", vector)
def state_in_a_dict(x):
    d = {"n": 0, "mean": np.float64(0)}
    for v in x:
        d["n"] += 1
        d["mean"] += (v - d["mean"]) / d["n"]
    return d


# --- while, and loops in one another


@sized("n", vector)
def counts_by_itself(x):
    i, total, n = 0, np.float64(0), x.shape[0]
    while i < n:
        total = total + x[i]
        i += 2
    return total, i


@sized("n", vector)
def binary_search(x):
    lo, hi = 0, len(x)
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] < 0.3:
            lo = mid + 1
        else:
            hi = mid
    return lo


@sized("n", matrix)
def inner_loop_of_a_known_length(x):
    out = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] * (i + j)
    return out


@sized("n", vector)
def bubble_sort(x):
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


@sized("n", vector)
def inversions(x):
    count = 0
    for i in range(len(x)):
        for j in range(i, len(x)):
            if x[j] < x[i]:
                count += 1
                break
    return count


@sized("n m", words)
def levenshtein(a, b):
    d = np.zeros((a.shape[0] + 1, b.shape[0] + 1), dtype=np.int64)
    for i in range(a.shape[0] + 1):
        d[i, 0] = i
    for j in range(b.shape[0] + 1):
        d[0, j] = j
    for i in range(1, a.shape[0] + 1):
        for j in range(1, b.shape[0] + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d


@sized("n,n", lambda n: ((np.arange(n * n) * 7 % 11 + 1.0).reshape(n, n) + 50 * np.eye(n),))
def elimination(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return a


# --- refused


@sized("n", vector)
def a_list_that_grows(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] * 2)
    return np.array(out)


@sized("n", vector)
def a_list_that_grows_by_its_method(x):
    out = []
    append = out.append
    for i in range(len(x)):
        append(x[i] * 2)
    return np.array(out)


@sized("n", vector)
def a_list_of_a_comprehension(x):
    return np.array([value * 2 for value in x])


@sized("n", vector)
def an_array_that_doubles(x):
    y = np.ones(1)
    for _ in range(len(x)):
        y = np.concatenate([y, y])
    return y


@sized("n", vector)
def an_iterator_of_the_program(x):
    s, items = 0, iter(range(len(x)))
    for i in items:
        s += i
        break
    for i in items:
        s += 10 * i
    return s


@sized("n", matrix)
def a_view_that_is_written_later(x):
    x = x.copy()
    best = x[:1].sum(axis=0)
    for row in x:
        best = row
    best += 1.0
    return x


@sized("n", vector)
def buffers_that_change_places(x):
    a, b = np.zeros(4), np.ones(4)
    for v in x:
        a[0] += v
        a, b = b, a
    return a, b


@sized("n", matrix)
def iterated_then_another(x):
    x = x.copy()
    for row in x:
        x += row
        x = x.copy()
    return x


@sized("n", vector)
def an_iterator_of_c(x):
    s, items = np.float64(0), iter([1.0, 2.0, 3.0, 4.0, 5.0])
    for i in range(len(x)):
        s += x[i] * next(items)
    return s


@sized("n", vector)
def prints(x):
    for i in range(len(x)):
        print(i)
    return x * 2


@sized("n", vector)
def a_scalar_that_begins_as_a_float(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


@sized("n", vector)
def a_scalar_whose_kind_counts(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s, isinstance(s, np.generic)


@sized("n", vector)
def a_scalar_that_begins_as_an_integer(x):
    s, most = 0, 0
    for value in x:
        s += value
        if value > 0:
            most = value
    return s, most, x + s


@sized("n", vector)
def a_compensated_sum(x):
    s = c = 0.0
    for i in range(len(x)):
        y = x[i] - c
        t = s + y
        c = (t - s) - y
        s = t
    return s, c


@sized("n", vector)
def the_others_of_each(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = 0
        for j in range(len(x)):
            if j != i:
                s += x[j]
        y[i] = s
    return y
