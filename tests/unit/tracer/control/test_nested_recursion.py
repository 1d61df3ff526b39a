"""A recursion of which data decide how deep it is, and after whose calls the function goes on, is a loop with stacks."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export, ops
from npexport.tracer.control import iterations, loops, refusals
from tests.support.outcomes import outcome

DATA = [np.array(values, float) for values in ([3, 1, 2, 0], [0, 0, 1, 5], [2, 4, 7, 1], [0, 0, 0, 0], [1, 0, 0, 0])]


def _raised(base: float, exponent: int) -> float:
    if exponent == 0:
        return 1.0
    half = _raised(base, exponent // 2)
    return half * half * base if exponent % 2 else half * half


def power(x: np.ndarray) -> Any:
    return _raised(float(x[0]) + 0.5, int(x.sum()))


def fibonacci(x: np.ndarray) -> Any:
    seen = []

    def fib(n: int) -> int:
        seen.append(n)
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return fib(int(x[0]) + 3), len(seen)


def towers_of_hanoi(x: np.ndarray) -> Any:
    moves = []

    def move(count: int, a: int, b: int, c: int) -> None:
        if count == 0:
            return
        move(count - 1, a, c, b)
        moves.append((a, c))
        move(count - 1, b, a, c)

    move(int(x[0]), 0, 1, 2)
    return moves


def adaptive_simpson(x: np.ndarray) -> Any:
    def f(t: Any) -> Any:
        return np.exp(-t * t)

    def simpson(a: Any, b: Any) -> Any:
        return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b))

    def integral(a: Any, b: Any, tolerance: Any, whole: Any) -> Any:
        middle = (a + b) / 2
        left, right = simpson(a, middle), simpson(middle, b)
        change = left + right - whole
        if abs(change) <= 15 * tolerance:
            return left + right + change / 15
        return integral(a, middle, tolerance / 2, left) + integral(middle, b, tolerance / 2, right)

    return integral(x[0], x[1], 1e-4, simpson(x[0], x[1]))


def quick_sort(x: np.ndarray) -> Any:
    a = x.copy()

    def sort(low: int, high: int) -> None:
        if low < high:
            pivot, i = a[high], low - 1
            for j in range(low, high):
                if a[j] <= pivot:
                    i += 1
                    a[i], a[j] = a[j], a[i]
            a[i + 1], a[high] = a[high], a[i + 1]
            sort(low, i)
            sort(i + 2, high)

    sort(0, len(a) - 1)
    return a


def flood_fill(x: np.ndarray) -> Any:
    grid = (x[:4].reshape(2, 2) > 0).astype(int)

    def fill(i: int, j: int) -> int:
        if i < 0 or j < 0 or i >= 2 or j >= 2 or grid[i, j] != 1:
            return 0
        grid[i, j] = 2
        return 1 + fill(i + 1, j) + fill(i - 1, j) + fill(i, j + 1) + fill(i, j - 1)

    return fill(0, 0), grid


def height_of_a_tree(x: np.ndarray) -> Any:
    left, right = np.where(x > 1, np.arange(1, len(x) + 1), -1), np.where(x > 2, np.arange(2, len(x) + 2), -1)
    left, right = np.where(left < len(x), left, -1), np.where(right < len(x), right, -1)

    def height(i: Any) -> Any:
        if i < 0:
            return 0
        return 1 + max(height(left[i]), height(right[i]))

    return height(0)


def in_order(x: np.ndarray) -> Any:
    found = []

    def walk(i: int, depth: int) -> None:
        if i < len(x) and x[i] > 0:
            walk(2 * i + 1, depth + 1)
            found.append((x[i], depth))
            walk(2 * i + 2, depth + 1)

    walk(0, 0)
    return found


def methods(x: np.ndarray) -> Any:
    class Count:
        def __init__(self) -> None:
            self.calls = 0

        def down(self, n: int, *, step: int = 1) -> int:
            self.calls += 1
            return 0 if n <= 0 else n + self.down(n - step, step=2) + self.down(n - 3)

    count = Count()
    return count.down(int(x.sum())), count.calls


def comprehensions(x: np.ndarray) -> Any:
    def parts(n: Any, t: Any) -> Any:
        if n <= 0:
            return t
        a = [t + 1 for t in range(3)]
        deeper = parts(n - 1, t + 1)
        return deeper + t + n * sum([t * 2 for t in a])

    return parts(int(x.sum()) // 2, 5)


def none_or_a_number(x: np.ndarray) -> Any:
    def find(n: int) -> Any:
        if n > 8:
            return None
        if n % 3 == 2:
            return n
        found = find(n + 1)
        return found if found is None else found + 10

    return find(int(x.sum()))


def pairs(x: np.ndarray) -> Any:
    def doubled(n: int) -> Any:
        if n <= 0:
            return 0, 1
        a, b = doubled(n // 2)
        c, d = a * (2 * b - a), a * a + b * b
        return (c, d) if n % 2 == 0 else (d, c + d)

    return doubled(int(x.sum()))[0]


def what_is_loaded_below(x: np.ndarray) -> Any:
    def larger(n: int) -> Any:
        if n <= 0:
            return 1.0
        return np.maximum(larger(n - 1) * 2, np.add(larger(n - 2), n))

    return larger(int(x.sum()) // 2)


def raised_at_the_bottom(x: np.ndarray) -> Any:
    def down(n: int) -> int:
        if n == 1:
            raise ValueError("one")
        return 0 if n <= 0 else 1 + down(n - 2)

    return down(int(x.sum()))


def what_is_passed_on_differs(x: np.ndarray) -> Any:
    def exchanged(a: Any, b: Any, n: int) -> Any:
        return a[0] if n <= 0 else a[1] + exchanged(b, a, n - 1)

    return exchanged(x, x * 2, int(x.sum()))


def lists_that_are_passed_on(x: np.ndarray) -> Any:
    gathered: list[int] = []

    def put(n: int, out: list[int]) -> list[int]:
        if n <= 0:
            return out
        mine = out
        mine.append(n)
        last = put(n - 1, out if n % 2 else gathered)
        mine.append(-n)
        return last

    return put(int(x.sum()) // 2, gathered)


PROGRAMS = [
    power, fibonacci, towers_of_hanoi, adaptive_simpson, quick_sort, flood_fill, height_of_a_tree, in_order, methods, comprehensions,
    none_or_a_number, pairs, what_is_loaded_below, raised_at_the_bottom, what_is_passed_on_differs, lists_that_are_passed_on,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_as_eager_ones(program: Any) -> None:
    module = export(program, (DATA[0],)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(program, (x,)), x


def test_a_program_is_as_the_eager_one_at_other_sizes() -> None:
    def total(x: np.ndarray, depth: np.ndarray) -> Any:
        def part(n: int, i: int) -> Any:
            return x[i % len(x)] if n <= 0 else part(n - 1, 2 * i) + part(n - 2, 2 * i + 1)

        return part(int(depth[0]), 0)

    module = export(total, (DATA[0], np.array([3])), dynamic_shapes=({0: Dim("n", min=1)}, None)).module()
    for x in (*DATA, np.array([7.0]), np.arange(9.0) % 4):
        for depth in range(4):
            given = x, np.array([depth])
            assert outcome(module, given) == outcome(total, given), given


def merge_sort(x: np.ndarray) -> Any:
    a, merged = x.copy(), np.zeros_like(x)

    def sort(low: int, high: int) -> None:
        if high - low <= 1:
            return
        middle = (low + high) // 2
        sort(low, middle)
        sort(middle, high)
        i, j = low, middle
        for k in range(low, high):
            if i < middle and (j >= high or a[i] <= a[j]):
                merged[k] = a[i]
                i += 1
            else:
                merged[k] = a[j]
                j += 1
        for k in range(low, high):
            a[k] = merged[k]

    sort(0, len(a))
    return a


def smallest_and_largest(x: np.ndarray) -> Any:
    def both(low: int, high: int) -> Any:
        if high - low == 1:
            return x[low], x[low]
        middle = (low + high) // 2
        a, b = both(low, middle)
        c, d = both(middle, high)
        return (a if a < c else c), (b if b > d else d)

    return both(0, len(x))


def knapsack(x: np.ndarray) -> Any:
    def best(i: int, room: Any) -> Any:
        if i == len(x):
            return 0.0
        if x[i] > room:
            return best(i + 1, room)
        return max(best(i + 1, room), x[i] + best(i + 1, room - x[i]))

    return best(0, 6.0)


@pytest.mark.parametrize("program", [merge_sort, smallest_and_largest, knapsack])
def test_sizes_decide_how_deep_it_is(program: Any) -> None:
    module = export(program, (DATA[0],), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for x in (*DATA, np.array([7.0]), np.array([2.0, 1.0]), np.arange(9.0) * 5 % 7):
        assert outcome(module, (x,)) == outcome(program, (x,)), x


def test_it_is_one_node() -> None:
    nodes = [node.target for node in export(fibonacci, (DATA[0],)).graph.nodes]
    assert nodes.count(ops.control.while_loop) == 1


def test_a_recursion_of_known_depth_is_no_loop() -> None:
    def sums(x: np.ndarray) -> Any:
        def half(v: np.ndarray) -> Any:
            return v[0] if len(v) == 1 else max(half(v[: len(v) // 2]), half(v[len(v) // 2 :]))

        return half(x)

    program = export(sums, (DATA[0],))
    assert not any(node.target is ops.control.while_loop for node in program.graph.nodes)
    for x in DATA:
        assert outcome(program.module(), (x,)) == outcome(sums, (x,))


def test_it_is_as_deep_as_recursions_may_be() -> None:
    def depth(x: np.ndarray) -> Any:
        def go(n: int) -> int:
            return 0 if n == 0 else 1 + go(n - 2)

        return go(int(x[0]))

    module = export(depth, (DATA[0],)).module()
    assert module(np.full(4, 1200.0)) == 600
    for value in (3.0, 4e6):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            module(np.full(4, value))


def arrays_that_wait_are_written_to(x: np.ndarray) -> Any:
    y = x.copy()

    def go(n: int) -> Any:
        if n <= 0:
            return 0.0
        kept = y
        deeper = go(n - 1)
        y[0] += 1
        return deeper + kept[0]

    return go(int(x.sum())), y


def which_array_it_is(x: np.ndarray) -> Any:
    def go(a: np.ndarray, n: int) -> np.ndarray:
        if n <= 0:
            return a
        deeper = go(a, n - 1)
        return deeper

    return go(x, int(x.sum())) is x


def variables_of_a_cell(x: np.ndarray) -> Any:
    def go(n: int) -> Any:
        return 0 if n <= 0 else go(n - 1) + (lambda: n)()

    return go(int(x.sum()))


def variables_that_a_handler_leaves_unbound(x: np.ndarray) -> Any:
    def go(n: int) -> Any:
        try:
            if n == 3:
                raise KeyError
            kept = n
        except KeyError:
            pass
        return 0 if n <= 0 else go(n - 1) + (1 if n % 3 == 0 else kept)

    return go(int(x.sum()))


REFUSED = [variables_that_a_handler_leaves_unbound, arrays_that_wait_are_written_to, which_array_it_is, variables_of_a_cell]


@pytest.mark.parametrize("program", REFUSED)
def test_others_are_refused(program: Any) -> None:
    with pytest.raises(ExportError, match="E103"):
        export(program, (DATA[0],))


def test_the_hint_tells_of_a_loop_over_a_list() -> None:
    with pytest.raises(ExportError, match=r"todo\.pop") as refusal:
        export(variables_of_a_cell, (DATA[0],))
    assert refusal.value.code == "E103"


def mutual(x: np.ndarray) -> Any:
    def even(n: int) -> bool:
        return True if n == 0 else odd(n - 1)

    def odd(n: int) -> bool:
        return False if n == 0 else even(n - 1)

    return even(int(x[0]))


def depth_first(x: np.ndarray) -> Any:
    seen, order = np.zeros(4, bool), []

    def visit(u: int) -> None:
        seen[u] = True
        order.append(u)
        for v in range(len(x)):
            if x[v] > u and not seen[v]:
                visit(v)

    visit(0)
    return order


@pytest.mark.parametrize("program", [mutual, depth_first])
def test_a_recursion_without_a_known_end_is_refused_before_long(program: Any) -> None:
    begun = time.process_time()
    with pytest.raises(ExportError, match="E103") as refusal:
        export(program, (DATA[0],), dynamic_shapes=({0: Dim("n", min=2, max=4)},))
    assert "todo.pop()" in refusal.value.hint
    assert time.process_time() - begun < 30


def common_subsequence(x: np.ndarray) -> Any:
    found: dict[Any, int] = {}

    def length(i: int, j: int) -> int:
        if i == 5 or j == 5:
            return 0
        if (i, j) not in found:
            found[i, j] = 1 + length(i + 1, j + 1) if x[i] == x[5 + j] else max(length(i + 1, j), length(i, j + 1))
        return found[i, j]

    return length(0, 0)


def parentheses(x: np.ndarray) -> Any:
    found: list[str] = []

    def close(text: str, opened: int, closed: int) -> None:
        if len(text) == 2 * int(x[0]):
            found.append(text)
            return
        if opened < int(x[0]):
            close(text + "(", opened + 1, closed)
        if closed < opened:
            close(text + ")", opened, closed + 1)

    close("", 0, 0)
    return len(found)


@pytest.mark.parametrize("program", [common_subsequence, parentheses])
def test_what_no_way_can_capture_is_refused_soon(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []
    counted = refusals.count_run
    for module in (refusals, loops, iterations):
        monkeypatch.setattr(module, "count_run", lambda world: runs.append(1) or counted(world))
    with pytest.raises(ExportError, match="E103"):
        export(program, (np.arange(10) % 4,))
    assert len(runs) < 800
