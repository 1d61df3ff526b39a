"""Sizes that guards make constants only together, powers that are complex elsewhere, divisors of sizes that are cut, loops that the
example or the guards leave no iteration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome


def product(x, w, a):
    n = len(x)
    if n // 2 >= 2 and n <= n // 2 + 2:
        return a[len(w) :].T @ x[len(w) : n]
    return x


def halves(q):
    if len(q) < 2:
        return q
    at = len(q) // 2
    return np.concatenate([halves(q[at:]) + 1, halves(q[:at])])


def transformed(x, w, a):
    q = halves(x)[a.size :]
    return np.pad(q, (0, (1 << max(0, (len(q) - 1).bit_length())) - len(q))).reshape(-1, 2)


def root(x, w, a):
    return np.arange(int((len(x) - len(w)) ** 0.5)), (len(x) + len(w) - 5) ** 1.5, x[: int((len(a) - 2.5) ** 0.5)]


def common(x, w, a):
    q = max(a.size - a.shape[-1], 0)
    return math.gcd(q, 5), np.zeros(math.gcd(q, len(x)) ^ 1), abs(-q), abs(abs(len(x) - len(w)) - 2), math.lcm(-q, 6)


def divided(x, w, a):
    n, total = len(x), 0
    for j in range(n):
        total += (n + 3) // n + 1 % n + j + int(n**0.5) + (1 << (n - 1))
    return total


def turned(x, w, a):
    for j in range(1, len(x)):
        x[j % len(x)] += x[j - 1]
    for j in range(len(x) - 1):
        x[j] -= x[j + 1 - len(x) % (len(x) - 1)]
    if len(x) // 2:
        raise ValueError("long")
    return x, np.sum(w)


def arguments(n, m, k):
    return np.arange(float(n)), np.ones(m), np.arange(float(n * k)).reshape(n, k)


AUTO = ({0: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO})


@pytest.mark.parametrize(
    ("program", "example"),
    [
        (product, (4, 2, 3)),
        (transformed, (4, 3, 0)),
        (root, (8, 4, 3)),
        (common, (4, 3, 2)),
        (divided, (0, 1, 1)),
        (divided, (1, 1, 1)),
        (turned, (1, 0, 0)),
        (turned, (0, 0, 0)),
    ],
)
@pytest.mark.parametrize("form", [lambda exported: exported, reloaded])
def test_what_is_accepted_is_eager(program, example, form):
    run = form(export(program, arguments(*example), dynamic_shapes=AUTO)).module()
    accepted = 0
    for sizes in [example, *((n, m, k) for n in range(9) for m in range(5) for k in (0, 1, 2, 3))]:
        try:
            found = outcome(run, arguments(*sizes), memory=True)
        except InputMismatch:
            continue
        accepted += 1
        assert found == outcome(program, arguments(*sizes), memory=True), sizes
    assert accepted > 3


def test_a_promise_that_guards_break_only_together_names_the_constant():
    with pytest.raises(ConstraintViolation) as violation:
        export(product, arguments(4, 2, 3), dynamic_shapes=({0: Dim.DYNAMIC}, {0: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO}))
    assert "x.shape[0]" in str(violation.value) and "4" in str(violation.value)
