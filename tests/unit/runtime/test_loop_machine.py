"""Loops over numbers and elements of arrays in the machine of the C extension give what eager execution gives, bit for bit: results,
errors, and what was written before them.
"""

from __future__ import annotations

import math
import random
from collections import deque
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from npexport.ir import ops
from npexport.runtime.machine import loop_machine
from npexport.runtime.machine.scalar_loop_code import Loop
from npexport.runtime.machine.scalar_operations import FLOAT, INT
from tests.support.comparison import said_and_warned
from tests.support.functions import function_of
from tests.support.textbook_searches import bubble_sort, insertion_sort_of_a_list

pytestmark = pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")

X = np.random.default_rng(5).integers(0, 50, 60)


class _Made:
    def __init__(self) -> None:
        self.loops = 0
        self.said: list[int] = []


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> _Made:
    """The machines that are made, and what they say."""
    found, machine_of = _Made(), loop_machine.machine_of

    def watched(loop: Any, places: Any = ()) -> Any:
        machine = machine_of(loop, places)
        found.loops += 1

        def call(*values: Any) -> Any:
            result = machine(*values)
            found.said.append(result[0])
            return result

        call.some = machine.some  # type: ignore[attr-defined]
        return call

    monkeypatch.setattr(loop_machine, "machine_of", watched)
    return found


def selected(x):
    found = []
    for v in x.tolist():
        if v % 3:
            found.append(v // 2)
    return np.array(found), len(found)


def stack(x):
    waiting, total = [], 0
    for v in x.tolist():
        if v % 3:
            waiting.append(v)
        elif waiting:
            total += waiting.pop() * len(waiting)
    return total, len(waiting)


def breadth_first(x):
    open_ = x.reshape(6, 10) % 4 > 0
    seen = np.zeros((6, 10), bool)
    seen[0, 0] = True
    waiting, order = deque([(0, 0)]), 0
    while waiting:
        i, j = waiting.popleft()
        order = order * 3 % 10007 + i * 10 + j
        for a, b in ((i + 1, j), (i, j + 1), (i - 1, j), (i, j - 1)):
            if 0 <= a < 6 and 0 <= b < 10 and open_[a, b] and not seen[a, b]:
                seen[a, b] = True
                waiting.append((a, b))
    return order, seen


def table(x):
    d = np.zeros((8, 9))
    for v in x.tolist():
        i, j = v % 7 + 1, v % 8 + 1
        d[i, j] = max(float(d[i - 1, j]), float(d[i, j - 1])) + v
    return d


def until_it_is_less(x):
    a = x.tolist()
    i = steps = 0
    while a[i] > 3 and steps < 500:
        a[i] = a[i] // 2
        i = (i * 7 + 1) % 60
        steps += 1
    return np.array(a), steps


def from_the_end(x):
    a = x.copy()
    for i in range(1, 50):
        if x[i] % 2:
            a[-i] = a[i] + a[-i - 1]
    return a


def truths(x):
    odd = np.ones(60, bool)
    for v in x.tolist():
        if odd[v % 60]:
            odd[v // 2 % 60] = v % 4 == 1
    return odd


def floats(x):
    y = np.zeros(60)
    for i in range(1, 60):
        y[i] = y[i - 1] * 0.5 + x[i] / 3
        if y[i] > 20:
            y[i] = math.sqrt(y[i])
    return y


def keys_that_are_written_out(x):
    d, prices, total = {0: 1, 1: 0, 5: 3, -2: 7}, {0: 1.5, 1: 2.5, 2: -0.0, 3: 4.0}, 0.0
    for v in x.tolist():
        if v % 6 in d:
            d[v % 6] += v % 100
        total += prices[v % 4] - (1, 4, 9)[v % 3]
    return d[0], d[1], d[5], d[-2], total


def keys_that_are_not_there(x):
    prices, total = {0: 1.5, 1: 2.5, 3: 4.0}, 0.0
    for v in x.tolist():
        total += prices[v // 25 % 4]
    return total


def keys_that_loops_have_found(x):
    counts, best = {}, -1
    for v in x.tolist():
        counts[v // 4] = counts.get(v // 4, 0) + 1
    for key, count in counts.items():
        if best < 0 or count > counts[best]:
            best = key
    return best


def many_keys_that_loops_have_found(x):
    counts, best = {}, -1
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    for key, count in counts.items():
        if best < 0 or count > counts[best]:
            best = key
    return best


def loops_within_a_loop_that_makes_lists(x):
    caps, total = x[:25].reshape(5, 5) % 20 - 3, 0
    while total < 40:
        parents, queue, head = [-1] * 5, [0], 0
        parents[0] = 0
        while head < len(queue) and parents[4] < 0:
            u = queue[head]
            head += 1
            for v in range(5):
                if parents[v] < 0 and caps[u, v] > 0:
                    parents[v] = u
                    queue.append(v)
        if parents[4] < 0:
            break
        v = 4
        while v != 0:
            caps[parents[v], v] -= 1
            v = parents[v]
        total += int(queue[-1]) + 1
    return caps, total


def written_before_an_error(x):
    a = x.copy()
    for i in range(60):
        a[i] = a[i] * 3
        a[i] = 100 // (int(x[i]) - 7)
    return a


def outside(x):
    a = x.tolist()
    i = 0
    while a[i] < 49:
        j = i + a[i]
        a[i] = 0
        i = j + 1
        a[i] += 1
    return np.array(a)


def leaves_64_bits(x):
    a, k = x.copy(), 1
    for i in range(60):
        a[i] = k % 1000
        k = k * (int(x[i]) + 3)
    return a, k % 1000003


def pops_too_much(x):
    waiting = [1, 2, 3]
    for v in x.tolist():
        if v % 5 == 0:
            waiting.pop()
        elif v % 5 == 1:
            waiting.append(v)
    return len(waiting)


def written_to_the_caller(x):
    for i in range(1, 60):
        if x[i] > x[i - 1]:
            x[i] = x[i] - x[i - 1]
    return x.sum()


def written_to_the_caller_before_an_error(x):
    for i in range(1, 60):
        x[i] = x[i] - x[i - 1]
        x[0] = 100 // (int(x[i]) - 3)


PROGRAMS = [insertion_sort_of_a_list, bubble_sort, selected, stack, breadth_first, table, until_it_is_less, from_the_end, truths,
            floats, keys_that_are_written_out, keys_that_are_not_there, keys_that_loops_have_found, many_keys_that_loops_have_found,
            loops_within_a_loop_that_makes_lists, written_before_an_error, outside, leaves_64_bits, pops_too_much, written_to_the_caller,
            written_to_the_caller_before_an_error]  # fmt: skip


def _given() -> list[np.ndarray]:
    rng = np.random.default_rng(14)
    some = [rng.integers(low, high, 60) for low, high in ((0, 50), (0, 4), (8, 50), (-3, 90), (0, 1), (1, 2))]
    return [*some, rng.permutation(60), rng.integers(-(1 << 62), 1 << 62, 60), np.full(60, 1 << 62)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_eagerly(program: Any, made: _Made) -> None:
    module = export(program, (X.copy(),), unroll=8).module()
    assert made.loops
    for given in _given():
        one, other = given.copy(), given.copy()
        assert repr(said_and_warned(module, one)) == repr(said_and_warned(program, other)), given
        np.testing.assert_array_equal(one, other)
    assert made.said.count(0) >= (program is not leaves_64_bits)


_READ = ("a[{i}]", "b[{i}]", "t[{i}][k % 3]", "u[i % 4][{i}]", "e[{i}]", "k", "i", "x[{i}]", "int(y[{i}])", "3", "-1", "d[k % 4]",
         "d.get(k, 3)", "w[i % 3]")  # fmt: skip
_PLACE = ("i", "i - 1", "k % 12", "-1", "i + 1", "k", "a[i] % 12")


def _random_program(seed: int) -> Any:
    """A loop that reads and writes elements of lists and arrays at places of data."""
    rng = random.Random(seed)

    def read(deep: int = 2) -> str:
        if deep and rng.random() < 0.6:
            sign = rng.choice(["+", "-", "*", "//", "%", "&", "^", "|"])
            return f"({read(deep - 1)} {sign} {read(deep - 1)})"
        return rng.choice(_READ).format(i=rng.choice(_PLACE))

    def statements(deep: int) -> list[str]:
        found = []
        for _ in range(rng.randint(1, 3)):
            kind = rng.random()
            if kind < 0.35:
                found.append(f"{rng.choice('ab')}[{rng.choice(_PLACE)}] = {read()}")
            elif kind < 0.5:
                found.append(f"k = {read()}")
            elif kind < 0.6:
                found.append(f"a[i] += {read(1)}")
            elif kind < 0.65:
                found.append(f"{rng.choice(['t', 'u'])}[{rng.choice(_PLACE)}][{rng.choice(_PLACE)}] = {read(1)}")
            elif kind < 0.68:
                found.append(rng.choice(["e.pop(0)", f"e.append({read(1)})", f"e[{rng.choice(_PLACE)}] = k"]))
            elif kind < 0.7:
                found.append(f"c.append({read(1)})")
            elif kind < 0.75:
                found.append("k += len(c)")
            elif deep:
                test = f"if {read(1)} {rng.choice(['<', '>=', '==', '!='])} {read(1)}:"
                found += [test, *["    " + each for each in statements(deep - 1)]]
                if rng.random() < 0.4:
                    found += ["else:", *["    " + each for each in statements(deep - 1)]]
            else:
                found.append("k = (k * 7 + i) % 1009")
        return found

    inner = ["for j in range(int(x[i]) % 4):", *["    " + each for each in statements(1)]] if rng.random() < 0.3 else []
    body = "\n        ".join([*statements(2), *inner])
    head = rng.choice(["for i in range(12)", "for i in range(1, int(x[0]) % 14)", "for i in range(11, -1, -1)"])
    a = rng.choice(["x[:12].tolist()", "x[:12].copy()", "[0] * 12"])
    source = f"def program(x, y):\n    a, b, c, k, i = {a}, np.zeros(12, int), [], int(x[1]), 0\n"
    source += "    t, u, e = [[0] * 12 for _ in range(12)], np.zeros((12, 12), int), x[3:9].tolist()\n"
    source += f"    d, w = {{0: 1, 1: 5, 3: -3}}, (3, 1, 4)\n    {head}:\n        {body}\n"
    source += "    return np.array(a), b, np.array(c), k, np.array(t), u, np.array(e)\n"
    program = function_of(source, {"np": np})
    return program, source


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_loops_as_eagerly(first: int, made: _Made) -> None:
    data = np.random.default_rng(first)
    for seed in range(first, first + 10):
        program, source = _random_program(seed)
        x, y = data.integers(0, 12, 20), data.integers(0, 9, 20) / 2
        try:
            module = export(program, (x, y), unroll=2).module()
        except (Unsupported, IndexError, KeyError, ZeroDivisionError):
            continue
        for _ in range(6):
            given = data.integers(-2, 13, 20), data.integers(-2, 9, 20) / 2
            assert repr(said_and_warned(module, *given)[0]) == repr(said_and_warned(program, *given)[0]), source
    assert made.said


def test_zeros_with_which_an_array_and_a_list_begin() -> None:
    def pairs(x: Any) -> dict[float, float]:
        return dict(zip(x.tolist(), x.tolist(), strict=True))

    def number(x: Any) -> int:
        return len(pairs(x))

    x = np.array([1.0, -2.0, 1.0])
    for program in (pairs, number):
        run = export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()
        for sizes in (x, x[:2], x[:0], np.arange(40.0)):
            assert run(sizes) == program(sizes)


def test_sizes_of_axes_counted_from_the_last() -> None:
    def sums(x: Any) -> int:
        k = 0
        while k < x[0, 0]:
            k += x.shape[0] + 100 * x.shape[1]
        return k

    x = np.full((3, 4), 5000)
    program = export(sums, (x,), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
    sizes = [node for graph in program.graph.all_graphs() for node in graph.nodes if node.target is ops.sym.size]
    for node in sizes:
        node.args = (node.args[0], node.args[1] - 2)
    assert sizes
    assert program.module()(x) == sums(x)


def _machine(rows: str, *carries: Any) -> Any:
    names = ", ".join(f"c{place}" for place in range(len(carries)))
    text = f"def loop(iterations, {names}):\n    while True:\n" + "".join(f"        {row.format(names)}\n" for row in rows.split("; "))
    return loop_machine.machine_of(Loop(text, {"k0": _of_bits(_PAYLOADS[0]), "k1": _of_bits(_PAYLOADS[1])}, {}, carries, (), False))


_PAYLOADS = (0x7FF8000000000001, 0xFFF8000000000002)


def _of_bits(bits: int) -> float:
    return float(np.array(bits, np.uint64).view(np.float64))


def test_numbers_that_are_none_keep_their_bits() -> None:
    machine = _machine("c0, c1 = k0, k1; return (0, {0})", FLOAT, FLOAT)
    assert [int(np.array(each).view(np.uint64)) for each in machine(0.0, 0.0)[1:]] == list(_PAYLOADS)


def test_long_moves_count_as_many_iterations() -> None:
    """So that Python may interrupt a loop that makes many of them."""
    rows = "v1 = c0 > 0; if not v1: return (0, {0}); iterations -= 1; if iterations < 0: return (2, {0}); shift(c1, (0), c0); commit()"
    machine = _machine(rows, INT, (np.dtype(np.int64), 1))
    numbers = np.arange(65_000)
    assert machine.some(2000, 64_000, numbers)[0] == 2
    assert numbers[0] <= 4
