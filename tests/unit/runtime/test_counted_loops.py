"""Loops over a counter run as a ``for`` over a range: as many iterations as eagerly, whatever the
bounds, the step and the sizes are, and what is counted stands where it does eagerly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, while_loop
from npexport.ir import ops
from npexport.runtime.loops.counted_loops import counted, numbers_of
from tests.support.functions import function_of

HEADS = [
    "for i in range(n):",
    "for i in range(1, n):",
    "for i in range(n - 1, -1, -1):",
    "for i in range(n, -n, -3):",
    "for i in range(2 - n, n, 2):",
    "for i in range(n // 2, 2 * n, 5):",
    "i = -1\n    while i < n:\n        i += 1",
    "i = n\n    while i > 1:\n        i -= 2",
]


def of(head: str) -> Any:
    body = "s = s * 0.5 + i\n        a[i % n] += s\n        k += 3"
    return function_of(
        f"def program(x):\n    n, i, k, s, a = len(x), 7, 0, x[0], x.copy()\n    {head}\n        {body}\n    return a, s, i, k", {"np": np}
    )


@pytest.mark.parametrize("head", HEADS)
def test_as_many_iterations_as_eagerly(head: str) -> None:
    program = of(head)
    exported = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim("n", min=1)},))
    loops = [node for node in exported.graph.nodes if node.target is ops.control.while_loop]
    assert [counted(*node.args[:2], node) is not None for node in loops] == [True]
    for size in (1, 2, 3, 4, 9, 16):
        given = np.cos(np.arange(size))
        assert repr(exported.module()(given)) == repr(program(given)), size


def test_what_data_decide_is_not_counted() -> None:
    def program(x: Any) -> Any:
        i = 0
        while i < x[i]:
            i += 1
        return i

    exported = export(program, (np.array([2.0, 3.0, 0.0]),))
    (loop,) = [node for node in exported.graph.nodes if node.target is ops.control.while_loop]
    assert counted(*loop.args[:2], loop) is None
    assert exported.module()(np.array([2.0, 0.0, 0.0])) == 1


def test_an_iteration_that_raises_raises_in_the_iteration_that_does() -> None:
    def program(x: Any, k: Any) -> Any:
        y = np.zeros(len(x))
        for i in range(len(x)):
            y[i] = x[k[i]]
        return y

    run = export(program, (np.arange(4.0), np.arange(4)), dynamic_shapes=({0: Dim("n", min=1)},) * 2).module()
    for size in 1, 3:
        for function in run, program:
            with pytest.raises(IndexError, match=f"index {size} is out of bounds for axis 0 with size {size}"):
                function(np.ones(size), np.full(size, size))
        assert run(np.ones(size), np.zeros(size, int)).tolist() == [1.0] * size


ITEMS = {
    "items": "if x[i] > 0.5: s = s + x[i]; k += 1",
    "items behind": "if x[i - 2] > 0.5: s = s + x[i]",
    "items of two arrays": "if x[i] > y[i]: s = s + y[i] * i",
    "rows": "if r[i][1] > 0: a = a + r[i]",
    "what is written, too": "if x[i] > 0: b[i] = x[i] - b[i - 1]",
    "the counter": "if x[i] > 0.5: s = s + i",
    "behind what raises": "c = int(x[i] * 9) // (int(y[i]) + 3); s = s + r[i][0] * c",
}


@pytest.mark.parametrize("name", ITEMS)
def test_a_loop_reads_the_items_that_it_counts(name: str) -> None:
    text = f"def f(x, y, r):\n    s, k, a, b = 0.0, 0, np.zeros(2), y.copy()\n    for i in range(len(x)):\n        {ITEMS[name]}\n"
    f = function_of(text + "    return s, k, a, b", {"np": np})
    given = np.random.default_rng(0).random((4, 300))
    run = export(f, (given[0], given[1], given[2:].T)).module()
    for x, y, r in ((given[0], given[1], given[2:].T), (given[1][::-1], -given[0], given[1:3].T)):
        assert repr(run(x, y, r)) == repr(f(x, y, r))
    assert "while " not in run.code


def test_a_loop_over_items_runs_within_another_program() -> None:
    def program(x: Any, y: Any) -> Any:
        total, count = 0.0, 0
        for i, v in enumerate(x):
            if v > y[i]:
                total, count = total + v, count + i
        return total, count

    x, y = np.random.default_rng(1).random((2, 300))
    sizes = {0: Dim("n")}, {0: Dim("n")}  # whose ends are not known, so that its items may be none
    run = export(program, (x, y), dynamic_shapes=sizes).module()
    assert ".__getitem__" in run.code
    again = export(lambda x, y: run(x, y), (x, y)).module()
    assert again(x, y) == run(x, y) == program(x, y)
    assert again(-x, y) == run(-x, y) == program(-x, y)


def test_items_that_are_none_raise() -> None:
    def program(x: Any, y: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            if x[i] > 0:
                total = total + y[i]
            total = total * y[i]
        return total

    sizes = {0: Dim("n", min=1)}, {0: Dim("m", min=1)}
    run = export(program, (np.ones(4), np.zeros(4)), dynamic_shapes=sizes).module()
    for function in run, program:
        with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
            function(np.ones(5), np.ones(3))
        assert function(np.ones(2), np.array([0.5, 2.0, 4.0])) == 4.5


@pytest.mark.parametrize(("test", "written"), [("i < n", "(a2 > v0)"), ("i <= n", "(a2 >= v0)"), ("i + 3 < n", "(a2 >= v0 + 4)")])
def test_integers_are_compared_as_they_are(test: str, written: str) -> None:
    f = function_of(
        f"def f(a, n):\n    return while_loop(lambda i, a: {test}, lambda i, a: (i + 1, a % 7 * 3), (0, a))", {"while_loop": while_loop}
    )
    run = export(f, (5, 6), dynamic_shapes=[Dim.DYNAMIC, Dim.DYNAMIC]).module()
    assert written in next(line for line in run.code.splitlines() if "while" in line)
    for n in (0, 1, 2, 3, 4, 5, 9):
        assert run(5, n) == f(5, n)


def is_prime(x: Any) -> Any:
    n, i = int(x[0]), 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return n > 1, i


def first_divisor(x: Any) -> Any:
    n, found, steps = int(x[0]), 0, 0
    for i in range(2, n):
        if n % i == 0:
            found = i
            if i > 3:
                steps = -i
                break
            return i
        elif i * i > n:
            break
        steps += i
    else:
        found = -1
    return found, i if n > 2 else 0, steps


def escape(x: Any) -> Any:
    z, c, n = 0j, complex(x[0], x[1]) / 7, 0
    while abs(z) < 2 and n < 20:
        if z.real > 1.5:
            return z.conjugate(), n
        z = z * z + c
        n += 1
    return z, n


@pytest.mark.parametrize("program", [is_prime, first_divisor, escape])
def test_sides_of_branches_leave_loops(program: Any) -> None:
    run = export(program, (np.array([9, 2]),)).module()
    assert "break" in run.code
    for n in (*range(-3, 31), 49, 77, 2**33, 10**20 // 7**3):
        x = np.array([n, n % 5])
        assert repr(run(x)) == repr(program(x)), n


def total_before(x: Any, end: Any) -> Any:
    total, last = 0, None
    for number in x.tolist():
        if number == end:
            break
        total, last = total + number, number
    return total, last is None


@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8"])
def test_numbers_of_loops_that_are_left_are_made_in_blocks(dtype: str) -> None:
    whole = (np.arange(240) % 120).astype(dtype)
    for size, end in ((33, 65), (120, 119), (120, 2)):
        x = whole[1 : 2 * size : 2]
        run = export(total_before, (x, end)).module()
        assert "break" in run.code
        for given in (x, x[::-1], np.ascontiguousarray(x), np.zeros_like(x)):
            assert repr(run(given, end)) == repr(total_before(given, end)), size


def test_numbers_are_made_as_they_are_asked_for() -> None:
    for size in (0, 1, 31, 32, 33, 63, 64, 65, 127, 4096, 8192, 8193, 20_000):
        assert list(numbers_of(np.arange(size))) == list(range(size))
    x = np.arange(100_000)
    numbers = iter(numbers_of(x))
    assert [next(numbers) for _ in range(32)] == list(range(32))
    x[32:] = -1
    assert next(numbers) == -1


def test_loops_are_left_after_a_branch_that_arrays_end_with() -> None:
    def program(x: Any) -> Any:
        negated, found, n = [], [], 0
        for v in x:
            n += 1
            found.append(n)
            negated.append(-v)
            n += 1
            if v * 2 <= 1:
                found.append(n)
                if n > 3:
                    negated.append(-v)
                    n += 1
                else:
                    found.append(7)
                    break
        return found

    run = export(program, (np.array([0.3, -2.0, 5.0]),), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for x in ([0.3, -2.0, 5.0], [3.0, 2.5, 0.1, 0.2], [1.0]):
        assert run(np.array(x)) == program(np.array(x))


POLYNOMIALS = (
    "i * i",
    "i * r",
    "2 * i + 1",
    "r + i * i * i - 7 * i",
    "i * (r - i) * 3 - r",
    "-i",
    "i * k - r * i + i",
    "i * i + i // 2",
    "i * i + x[i - i]",
)


def adding(head: str, text: str) -> Any:
    return function_of(
        f"def program(x):\n    n, r, k = int(x[0]), 1, int(x[1])\n    {head}\n        r = ({text}) % 1009\n    return r", {"np": np}
    )


@pytest.mark.parametrize("head", [HEADS[1], HEADS[4]])
def test_sums_of_products_of_a_counter_are_those_of_eager_execution(head: str) -> None:
    for text in POLYNOMIALS:
        program = adding(head, text)
        run = export(program, (np.array([5, 3]),)).module()
        for given in ([5, 3], [0, 1], [1, 2], [-3, 4], [40, -5]):
            assert repr(run(np.array(given))) == repr(program(np.array(given))), (text, given)


@pytest.mark.parametrize("text", ["i * r", "i * i", "i * i * i + r * i"])
def test_they_are_computed_from_the_number_that_makes_them_short(text: str) -> None:
    code = export(adding("for i in range(1, n):", text), (np.array([5, 3]),)).module().code
    iteration = code[code.index("    for ") :].split("\n")[1]
    assert " - " not in iteration
    assert iteration.count("*") <= text.count("*")


@pytest.mark.parametrize("head", ["for i in range(3):", "for i in range(1, 4):", "for i in range(2, 2):", "for i in range(-2, 2):"])
def test_known_iterations_over_an_array_of_any_length(head: str) -> None:
    """Where the array has fewer items, the first place that it has not raises."""
    body = "if x[i] > t:\n            s = s * 0.5 + x[i]\n            k += i"
    program = function_of(f"def program(x, t):\n    s, k = 0.0, 0\n    {head}\n        {body}\n    return s, k", {})
    for shapes in (None, ({0: Dim("n", min=2)}, None)):
        run = export(program, (np.arange(5.0), np.float64(0.5)), dynamic_shapes=shapes).module()
        for size in (5,) if shapes is None else (2, 3, 4, 5, 9):
            given = np.cos(np.arange(size)), np.float64(-0.5)
            assert repr(_outcome(run, given)) == repr(_outcome(program, given)), size


def _outcome(function: Any, given: Any) -> Any:
    try:
        return function(*given)
    except IndexError as error:
        return str(error)
