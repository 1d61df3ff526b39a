"""A recursion that ends as data decide is a loop, where the function's last act is to call itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, ops
from tests.support.outcomes import outcome

DATA = [np.array(values, float) for values in ([3, 1, 2, 0], [0, 0, 1, 5], [2, 4, 7, 1], [9, 3, 8, 6], [0, 0, 0, 0], [1, 0, 0, 0])]


def _divisor(p: Any, q: Any) -> Any:
    return p if q == 0 else _divisor(q, p % q)


def greatest_common_divisor(x: np.ndarray) -> Any:
    return [_divisor(int(v), 12) for v in x], _divisor(x.sum(), 36.0)


def newton(x: np.ndarray) -> Any:
    def root(v: Any, times: int = 0) -> Any:
        w = 0.5 * (v + 2.0 / v)
        if abs(w - v) < 1e-9:
            return w, times
        return root(w, times=times + 1)

    return root(x.sum() + 1)


def collatz(x: np.ndarray) -> Any:
    def steps(n: Any, *, times: int = 0) -> Any:
        if n <= 1:
            return times
        if n % 2 == 0:
            return steps(n // 2, times=times + 1)
        return steps(3 * n + 1, times=times + 1)

    return steps(int(x.sum()))


def quick_select(x: np.ndarray) -> Any:
    def select(v: np.ndarray, k: Any) -> Any:
        less, more = v[v < v[0]], v[v > v[0]]
        if k < len(less):
            return select(less, k)
        if k >= len(v) - len(more):
            return select(more, k - (len(v) - len(more)))
        return v[0]

    return select(x, len(x) // 2)


def a_loop_inside(x: np.ndarray) -> Any:
    def odd_parts(n: Any, found: list[Any]) -> Any:
        while n > 0 and n % 2 == 0:
            n //= 2
        if n <= 1:
            return found
        found.append(n)
        return odd_parts(3 * n + 1, found)

    return odd_parts(int(x.sum()), [])


def methods(x: np.ndarray) -> Any:
    class Walk:
        def __init__(self) -> None:
            self.steps = 0

        def down(self, v: Any) -> Any:
            self.steps += 1
            return v if v < 3 else self.down(v // 2 + v % 2)

    walk = Walk()
    return walk.down(int(x.sum()) * 3), walk.steps


def a_tree_in_lists(x: np.ndarray) -> Any:
    keys, left, right = [4, 2, 6, 1, 3, 5, 7], [1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]
    wanted = int(x.sum()) % 9

    def find(place: int, depth: int) -> Any:
        if place < 0:
            return -1, depth
        if keys[place] == wanted:
            return place, depth
        return find(left[place] if wanted < keys[place] else right[place], depth + 1)

    return find(0, 0)


def what_is_tested_is_returned(x: np.ndarray) -> Any:
    def halves(n: Any) -> Any:
        return n < 3 or (n % 2 == 0 and halves(n // 2))

    def thirds(n: Any) -> Any:
        return n % 5 if n < 9 else thirds(n // 3) if n % 3 == 0 else -n

    return halves(int(x.sum())), thirds(int(x[0]) * 3), halves(x[0])


def variables_are_unbound_again(x: np.ndarray) -> Any:
    def down(n: Any, first: bool) -> Any:
        if first:
            seen = 5
        if n <= 0:
            return seen
        return down(n - 1, n == 3)

    try:
        return down(int(x.sum()), False)
    except UnboundLocalError:
        return -1


def another_function_of_the_name(x: np.ndarray) -> Any:
    def down(n: Any) -> Any:
        return ("old", n) if n <= 0 else down(n - 2)

    old = down

    def down(n: Any) -> Any:  # type: ignore[no-redef]
        return "new", n

    return old(int(x.sum()))


def two_closures(x: np.ndarray) -> Any:
    def counter(step: int) -> Any:
        def down(n: Any, other: Any) -> Any:
            if n <= 0:
                return step, n
            return other(n - step, other)

        return down

    one, two = counter(1), counter(2)
    return one(int(x.sum()), two), two(int(x.sum()), two)


def what_it_raises(x: np.ndarray) -> Any:
    def down(n: Any) -> Any:
        if n == 1:
            raise ValueError(f"one, not {n - 1}")
        return "even" if n <= 0 else down(n - 2)

    return down(int(x.sum()))


def what_is_caught(x: np.ndarray) -> Any:
    def down(n: Any) -> Any:
        if n == 1:
            raise KeyError
        return n if n <= 0 else down(n - 2)

    try:
        return down(int(x.sum()))
    except KeyError:
        return 1


def arrays_that_it_writes_to(x: np.ndarray) -> Any:
    y, steps = x.copy(), 0

    def fill(limit: Any) -> Any:
        nonlocal steps
        steps += 1
        if y.sum() > limit:
            return y
        y[0] += 1
        return fill(limit - 0.5)

    return fill(12.0), steps


PROGRAMS = [
    greatest_common_divisor, newton, collatz, quick_select, a_loop_inside, methods, a_tree_in_lists, variables_are_unbound_again,
    what_is_tested_is_returned, another_function_of_the_name, two_closures, what_it_raises, what_is_caught, arrays_that_it_writes_to,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_programs_are_as_eager_ones(program: Any, dynamic: bool) -> None:
    module = export(program, (DATA[0],), dynamic_shapes=({0: Dim("n", min=1)},) if dynamic else None).module()
    for x in (*DATA, *([np.array([7.0]), np.arange(9.0) % 4] if dynamic else [])):
        assert outcome(module, (x,)) == outcome(program, (x,)), x


def test_it_is_one_node() -> None:
    def root(x: np.ndarray) -> Any:
        def go(v: Any) -> Any:
            w = 0.5 * (v + 2.0 / v)
            return w if abs(w - v) < 1e-9 else go(w)

        return go(x[0] + 1)

    nodes = [node for node in export(root, (DATA[0],)).graph.nodes if node.target in (ops.control.while_loop, ops.control.cond)]
    assert [node.target for node in nodes] == [ops.control.while_loop]


def test_a_recursion_of_known_depth_is_no_loop() -> None:
    def power(x: np.ndarray) -> Any:
        def go(n: int, v: Any) -> Any:
            if n == 0:
                return v
            return go(n - 1, v * x if x.sum() > 3 else v + x)

        return go(5, x)

    program = export(power, (DATA[0],))
    assert not any(node.target is ops.control.while_loop for node in program.graph.nodes)
    for x in DATA:
        assert outcome(program.module(), (x,)) == outcome(power, (x,))


def test_it_is_as_deep_as_recursions_may_be() -> None:
    def depth(x: np.ndarray) -> Any:
        def go(n: Any, times: int) -> Any:
            return times if n == 0 else go(n - 2, times + 1)

        return go(int(x[0]), 0)

    module = export(depth, (DATA[0],)).module()
    assert module(np.full(4, 1200.0)) == 600
    for value in (3.0, 4e6):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            module(np.full(4, value))
