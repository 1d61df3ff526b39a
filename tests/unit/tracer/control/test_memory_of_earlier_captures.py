"""A loop that is captured again is supposed to write to the memory that it wrote to before: where
it does, its iteration is run once less; where it does not, the program is as if nothing had been
supposed.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, ops
from npexport.tracer.control.loops import Capture
from tests.support.functions import function_of
from tests.support.outcomes import outcome

DATA = [np.array(values, float) for values in ([3, 1, 2, 0], [0, 0, 1, 5], [2, -1, 7, 1], [-3, -2, -1, 0])]


def halve(to: np.ndarray, by: np.ndarray, scale: Any = None) -> np.ndarray:
    while by.sum() < 20:
        by = by * 2 + 3
        to[0] += by[1]
        if scale is not None:
            scale[0] *= 0.5
    return by


def other_memory(x: np.ndarray) -> Any:
    a, b = x.copy(), x + 1
    return halve(a, x), halve(b, x), halve(a, b.copy()), a, b


def less_memory(x: np.ndarray) -> Any:
    a, b = x.copy(), x + 1
    return halve(a, x, b), halve(b, x), halve(b, a.copy(), a), a, b


def memory_made_anew(x: np.ndarray) -> Any:
    found = []
    for _ in range(3):
        a = x.copy()
        found.append(halve(a, x))
        x = a * 0.5
    return found, x


def views(x: np.ndarray) -> Any:
    a = x.copy()
    return halve(a[1:], x), halve(a[:2], x), halve(a[::-1], a.copy()), a


def in_a_loop(x: np.ndarray) -> Any:
    total, a, b = 0.0, x.copy(), np.zeros(4)
    while total < 50:
        halve(a, x)
        halve(b, a.copy(), a)
        total += 9 + b[0]
    return total, a, b


def not_written_later(x: np.ndarray) -> Any:
    a = x.copy()
    for limit in (5.0, 10.0):
        s = x[0]
        while s < limit:
            if limit < 7:
                a[1] += s
            s += 1 + abs(a[1])
    return a, s


def heap(x: np.ndarray) -> Any:
    kept: list[Any] = []
    for value in x[:3]:
        if value > 0:
            heapq.heappush(kept, value)
    return kept


def refused_and_tried_again(x: np.ndarray) -> Any:
    a, s, i = x.copy(), x[0], 0
    while i < len(x):
        i += 1
        for k in reversed(range(-1, len(x))):
            if k > 0:
                a[k] = x[k // 2]
            s = 1
        s = max(s, x.sum())
    return a, s


def lists_made_anew(x: np.ndarray) -> Any:
    found, s = [], x[0]
    for k in range(3):
        steps, queue = [], deque([k])
        while queue and s < 20:
            k = queue.popleft()
            s += 1 + abs(x[k])
            steps.append((k, s))
            if s > 3:
                queue.append((k + 1) % 3)
        found.append((steps[:2], list(queue)))
    return found


def filled(x: np.ndarray, s: Any, puts: bool, more: list[Any]) -> Any:
    steps: list[Any] = [s]
    put = steps.append
    while s < 9:
        s += 2 + abs(x[1])
        if puts:
            put(s)
    return steps + more, put.__self__ is steps, len(steps)


def lists_that_stay_as_they_are(x: np.ndarray) -> Any:
    texts = ["a text", None]  # no list that a loop fills holds these beside numbers
    return filled(x, x[0], True, []), filled(x, x[1], False, texts), filled(x, x[2], True, [0.5]), filled(x, x[3], False, texts)


def lists_of_an_outer_loop(x: np.ndarray) -> Any:
    heap, total, turns = [(x[0], 0)], 0.0, 0
    while heap and turns < 12:
        turns += 1
        value, k = heapq.heappop(heap)
        total += value
        seen = []
        for j in range(4):
            if x[j] + k < 2:
                heapq.heappush(heap, (value + x[j], k + 1))
                seen.append(j)
            if total > 9:
                break
        total += len(seen)
    return total, turns, heap


def lists_of_both_loops(x: np.ndarray) -> Any:
    total, found, turns = x[0], [], 0
    while total < 25:
        total, steps = total + 1 + abs(x[1]), 0
        left, rest = total, [total]
        while left > 1:
            left = left / 2
            if left > x[2]:
                steps += 1  # looks as if every iteration did it
            found.append(left)
            rest.append(left * 2)
        total, turns = total + steps * 0.5, turns + len(rest)
    return total, found, turns


def counted_in_one_call_only(x: np.ndarray) -> Any:
    def steps(most: int, stops: bool) -> Any:
        count, s = 0, x[0]
        for k in range(most):
            if stops:
                if s > 20:
                    break
                if s > x[1]:
                    count += 1
            else:
                count += 1
            s = s + abs(x[2]) + k % 2
        return count, s

    return steps(200, True), steps(300, False), steps(200, True), steps(400, False)


LISTS = [lists_made_anew, lists_that_stay_as_they_are, lists_of_an_outer_loop]
PROGRAMS = [
    *LISTS,
    lists_of_both_loops,
    counted_in_one_call_only,
    other_memory,
    less_memory,
    memory_made_anew,
    views,
    in_a_loop,
    not_written_later,
    heap,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_as_eager_ones(program: Any) -> None:
    module = export(program, (DATA[0],)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_was_supposed_in_vain_leaves_no_trace(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def operators() -> Any:
        graphs = list(export(program, (DATA[0],)).graph.all_graphs())
        loops = [len(node.args[2]) for each in graphs for node in each.nodes if node.target is ops.control.while_loop]
        return sorted(loops), Counter(str(node.target) for each in graphs for node in each.nodes if node.op == "call_function")

    found = operators()
    monkeypatch.setattr(Capture, "note_changed", lambda self: None)
    assert found == operators()


def test_what_is_undone_is_as_it_was_before_the_first_run() -> None:
    module = export(refused_and_tried_again, (DATA[0],), dynamic_shapes=({0: Dim("n", min=2, max=30)},)).module()
    for x in (*DATA, np.arange(2.0), np.arange(9.0) - 5):
        assert outcome(module, (x,)) == outcome(refused_and_tried_again, (x,))


def iterations_of(export_it: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many iterations an export runs."""
    done: list[Any] = []
    with monkeypatch.context() as patch:
        run = Capture._iteration
        patch.setattr(Capture, "_iteration", lambda self, base: done.append(self) or run(self, base))
        export_it()
    return len(done)


@pytest.mark.parametrize(("program", "less"), [(memory_made_anew, 2), (lists_made_anew, 8)])
def test_fewer_iterations_are_run(program: Any, less: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with_memory = iterations_of(lambda: export(program, (DATA[0],)), monkeypatch)
    monkeypatch.setattr(Capture, "note_changed", lambda self: None)
    assert with_memory <= iterations_of(lambda: export(program, (DATA[0],)), monkeypatch) - less


def nested(depth: int, loops: str, body: str) -> Any:
    """Loops within one another: the lines of each, and what the innermost one does."""
    lines = ["def program(x):", "    total, found, kept = x[0], [], x.copy()"]
    for level in range(depth):
        lines += ["    " * (level + 1) + line.format(level=level) for line in loops.splitlines()]
    return function_of("\n".join([*lines, "    " * (depth + 1) + body, "    return total, found, kept"]))


WHILE, FOR = "s{level} = x[0]\nwhile s{level} < 3:\n    s{level} += 1 + abs(x[1])", "for i{level} in range(len(x)):"
BODIES = ["found.append(x[2])", "kept[0] += 1", "if total < x[3]: total += 1"]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("loops", "most"), [(WHILE, 5), (FOR, 12)], ids=["while", "for"])
def test_loops_within_one_another_do_not_multiply_their_iterations(
    loops: str, most: int, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, n = nested(5, loops, body), Dim("n", min=4)
    assert iterations_of(lambda: export(program, (DATA[0],), dynamic_shapes=({0: n},)), monkeypatch) <= 5 * most
    shallow = nested(3, loops, body)
    module = export(shallow, (DATA[0],), dynamic_shapes=({0: n},)).module()
    for x in (*DATA, np.arange(6.0)):
        assert outcome(module, (x,)) == outcome(shallow, (x,))


def items_that_inner_loops_change(x: np.ndarray) -> Any:
    seen, low, rest = [False] * 4, [0.0] * 4, [x[0]]
    while rest and sum(low) < 9:
        value = rest.pop()
        while value > 0:
            for k in range(4):
                if value > x[k]:
                    low[k] += 1
                    if not seen[k]:
                        seen[k] = True
                        rest.append(x[k])
                        break
            value -= 1
    return seen, low, rest


def test_items_that_inner_loops_change_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with_memory = iterations_of(lambda: export(items_that_inner_loops_change, (DATA[0],)), monkeypatch)
    module = export(items_that_inner_loops_change, (DATA[0],)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(items_that_inner_loops_change, (x,))
    monkeypatch.setattr(Capture, "note_changed", lambda self: None)
    assert with_memory < 0.7 * iterations_of(lambda: export(items_that_inner_loops_change, (DATA[0],)), monkeypatch)


def known_in_one_call_only(x: np.ndarray) -> Any:
    def repeated(s: Any, width: Any, widens: bool) -> Any:
        while s < 20:
            s = s + abs(x).sum() + 1
            if widens:
                width = width + 1 if s > 8 else width
            else:
                s = s + abs(x[np.zeros(width, int).tolist()]).sum()  # a size must be known
        return s, width

    return repeated(x[0], 1, True), repeated(x[1], 2, False), repeated(x[2], 3, False)


def test_what_must_be_known_is_not_carried() -> None:
    module = export(known_in_one_call_only, (DATA[0],)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(known_in_one_call_only, (x,))
