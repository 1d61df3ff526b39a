"""Numbers of Python are written within other text: with as few operations as they have, in variables that need not be moved."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.functions import function_of

LOOPS = {
    "collatz": "n, c = int(x[0]), 0\nwhile n != 1:\n    n = 3 * n + 1 if n % 2 else n // 2\n    c += 1\nreturn c",
    "divisors": "n = int(x[0])\nif n < 2:\n    return False\ni = 2\nwhile i * i <= n:\n    if n % i == 0:\n        return False\n"
    "    i += 1\nreturn True",
    "digits": "n, s = int(x[0]), 0\nwhile n > 0:\n    s += n % 10\n    n //= 10\nreturn s, n",
    "two that change places": "a, b = int(x[0]), int(x[1])\nwhile b:\n    a, b = b, a % b\nreturn a",
    "three that change places": "a, b, c = 1, int(x[0]), int(x[1])\nfor _ in range(int(x[0])):\n    a, b, c = b, c, a + b\nreturn a, b, c",
    "halves": "lo, hi = 0.0, float(x[0])\nfor _ in range(9):\n    m = (lo + hi) / 2\n    if m * m < x[0]:\n        lo = m\n"
    "    else:\n        hi = m\nreturn lo, hi",
    "a root": "a = float(x[0])\ng = a\nwhile abs(g * g - a) > 1e-9:\n    g = 0.5 * (g + a / g)\nreturn g",
    "what a branch gives back": "a, b, c = int(x[0]), int(x[1]), 5\nfor i in range(a):\n    if b > i:\n        a, b = b, a\n"
    "    else:\n        c = a - b - c\nreturn a, b, c",
    "branches within one another": "p, q, n = int(x[0]), int(x[1]), 0\nwhile n < 9:\n    k = p\n    if p > q:\n        if q > 3:\n"
    "            p = q\n        else:\n            p = p - 1\n    else:\n        q = q - 2\n    n += 1 + (k == p)\nreturn p, q, n, k",
    "minus": "n = int(x[0])\nk = -n + 7\nj = -n - 3\nreturn k > 3, j >= n, -n == k, -k - j > 2, 2 * n - k != j",
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_numbers_give_what_they_give_eagerly(name: str) -> None:
    f = function_of("def f(x):\n" + "".join(f"    {line}\n" for line in LOOPS[name].splitlines()))
    run = export(f, (np.array([27, 12]),)).module()
    for numbers in (27, 12), (1, 5), (12, 18), (97, 4), (49, 7), (3, 3), (20, 0):
        assert repr(run(np.array(numbers))) == repr(f(np.array(numbers)))


def test_comparisons_have_no_more_operations_than_the_program() -> None:
    f = function_of("def f(x):\n" + "".join(f"    {line}\n" for line in LOOPS["collatz"].splitlines()))
    code = export(f, (np.array([27, 12]),)).module().code
    assert all(text in code for text in ("!= 1)", ") % (2))", " + 1)")) and "- 1" not in code


def test_what_a_text_has_in_it_is_kept_until_that_is_written() -> None:
    def program(x: Any) -> Any:
        i, s = len(x) - 1, x.sum()
        while i > 0:
            i -= 1
            s = s + x[i] * 0.5
        return s, i

    run = export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim("n", min=2)},)).module()
    for n in (2, 3, 9):
        assert repr(run(np.arange(n) + 0.5)) == repr(program(np.arange(n) + 0.5))


TRIES = {
    "a division": "return 1 / float(x[0])",
    "a root": "return math.sqrt(x[0])",
    "a power": "return math.exp(float(x[0]) * 1000)",
    "integers": "return k // n",
    "both parts": "a, b = divmod(k, n)\n    return a - b",
}


@pytest.mark.parametrize("caught", ["ZeroDivisionError", "ValueError", "ArithmeticError", "(ValueError, ZeroDivisionError)", "Exception"])
@pytest.mark.parametrize("name", TRIES)
def test_a_try_around_a_number_is_a_try(name: str, caught: str) -> None:
    head = "def f(x):\n  k, n = int(x[0] * 3), int(x[1])"
    f = function_of(
        f"{head}\n  try:\n    {TRIES[name]}\n  except {caught} as error:\n    return -1.0 if x[1] > 0 else -2.0", {"math": math}
    )
    run = export(f, (np.array([2.0, 3.0]),)).module()
    for numbers in (2.0, 3.0), (0.0, 0.0), (-1.0, 1.0), (1.0, 0.0), (710.0, 2.0), (np.inf, 2.0), (np.nan, 1.0):
        results = []
        for function in run, f:
            try:
                results.append(repr(function(np.array(numbers))))
            except Exception as error:
                results.append((type(error), str(error)))
        assert results[0] == results[1], numbers


def test_a_truth_that_a_side_gives_stays_a_truth():
    """A branch asks only whether an integer is 0, but gives the truth itself."""

    class Box:
        pass

    def program(x, y):
        one = other = x
        box, kept = Box(), y
        if all(0 for v in y if v != 0):
            other = None
            kept = 0 + kept
        if x[0] > 0.5:
            one, other = other, one
        box.one = one
        last = kept  # noqa: F841  data decide what it is
        return box.one is None, other

    run = export(program, (np.ones(3), np.ones(3))).module()
    for x in (np.ones(3), np.zeros(3)):
        for y in (np.ones(3), np.zeros(3), -np.ones(3)):
            assert str(run(x, y)) == str(program(x, y))
