"""Lists of a fixed number of numbers that loops carry are lists in compiled programs, too."""

from collections import deque

import numpy as np
import pytest

from npexport import export
from npexport.runtime.lists.number_texts import assignments
from npexport.runtime.modules.module import make_module
from tests.support.outcomes import outcome

X = np.random.default_rng(0).integers(0, 5, 120)


def counts(x):
    h = [0] * 5
    for v in x.tolist():
        h[v] += 1
    return h


def on_both_sides(x):
    h, k = [0] * 5, [1, 2, 3]
    for v in x.tolist():
        if v > 2:
            h[v] += 1
        else:
            h[v - 1] -= 2
            k[v] += h[v]
    return h, k, sum(h)


def truths(x):
    seen, n = [False] * 5, 0
    for v in x.tolist():
        if seen[v]:
            n += 1
        seen[v] = True
    return seen, n


def floats(x):
    h = [0.5] * 5
    for v in x.tolist():
        h[v] = h[v] * 0.5 + v
    return h


def large_integers(x):
    h = [1] * 5
    for v in x.tolist():
        h[v] = h[v] * 7
    return h


def left_early(x):
    h = [0] * 5
    for i, v in enumerate(x.tolist()):
        h[v] += 1
        if h[v] > 9:
            return h[v], i, h
    return -1, 0, h


def left_on_a_side(x):
    h, r = [0] * 4, []
    for i in range(len(x)):
        v = int(x[i])
        if v == 4:
            r.append(h[i % 4])
            continue
        h[v] += i
    return h, r


def divisions(x):
    h = [0] * 5
    for v in x.tolist():
        h[v] = 10 // (v - 3)
    return h


def caught(x):
    h = [0] * 5
    try:
        for v in x.tolist():
            h[v + 1] += 1
    except IndexError:
        return h
    return [1]


def one_after_another(x):
    h = [0] * 5
    for v in x.tolist():
        h[v] += 1
    g = h[:]
    for v in x.tolist():
        g[v] -= h[v - 1]
    return h, g


def while_few(x):
    h, i = [0] * 5, 0
    while i < len(x) and h[x[i]] < 9:
        h[x[i]] += 1
        i += 1
    return h, i


def inner_loops(x):
    d = [0] + [99] * 7
    for v in x.tolist()[:4]:
        for c in range(v + 1, 8):
            d[c] = min(d[c], d[c - v - 1] + 1)
    return d


def read_before(x):
    h, s = [0] * 5, 0
    for v in x.tolist():
        o = h[:]
        h[v] += 1
        s += o[v] * h[2]
    return h, s


def within_bounds(x):
    h, k = [0] * 4, [0] * 5
    for i, v in enumerate(x.tolist()):
        if 0 <= v < 4:
            h[v] += 1
        if 1 <= v < 5:
            k[v] = i
    return h, k


def union_find(x):
    root = list(range(10))

    def find(a):
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        return a

    for v, w in zip(x.tolist(), x[::-1].tolist(), strict=True):
        a, b = find(v), find(w + 1)
        if a != b:
            root[a] = b
    return root


def read_in_loops(x):
    h = [1] * 5
    for v in x.tolist():
        s = 0
        for w in x[:6].tolist():
            s += h[w] if w > 1 else h[v]
        h[v] = s % 100
    return h


def written_in_loops_alone(x):
    h, n = [0] * 5, 0
    for v in x.tolist():
        while h[v] < 3 and n < 500:
            h[v] += 1
            n += h[v - 1]
        n += h[2]
    return n


def displays(x):
    a, b, c = int(x[0]), int(x[1]), int(x[2])
    return [a, b, c][int(x[3])], (a, b, c)[int(x[4]) - 2], [10, 20, 30][a]


def counters(x):
    last, at = [0] * 12, 0
    for i in range(len(x)):
        last[at] = i
        at = (i + 2) % 12
        last[int(x[i]) % 12] += 1
    return last


def at_the_outer_counter(x):
    a, best = x[:9].tolist(), [1] * 9
    for i in range(9):
        for j in range(9):
            if a[j] < a[i]:
                best[i] = best[j] + 1
    return best


def longest_increasing(x):
    a, best = x[:9].tolist(), [1] * 9
    for i in range(9):
        for j in range(i):
            if a[j] < a[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return best, max(best)


def ways_to_pay(x):
    ways = [1] + [0] * 8
    for v in x[:20].tolist():
        for s in range(1, 9):
            if s >= v % 7 + 1:
                ways[s] += ways[s - v % 7 - 1]
    return ways


def beside_the_counter(x):
    a, h, k = x[:8].tolist(), [0] * 10, [5] * 8
    for i in range(1, 8):
        for j in range(i, 8):
            if a[j] > 1:
                h[i + 1] += k[j - 1]
                k[i - 1] = h[j + 2] - i
            if a[i] > 2:
                h[i - 1] = j
                h[j + 2] = h[i - 1] + 1
    return h, k


def within_two_branches(x):
    h, n = [0] * 7, 0
    for i, v in enumerate(x.tolist()):
        c = i % 7
        if v > 0:
            if h[c] < 4:
                h[c - 1 if c else 6] = i
            if c > 1:
                h[c - 2] += v
        elif v < 0 and c < 5:
            h[c + 2] -= 1
        n += h[3]
    return h, n


def filled_sack(x):
    t = [0] * 13
    for v in x.tolist():
        for k in range(12, -1, -1):
            if 0 <= v <= k and t[k - v] + v > t[k]:
                t[k] = t[k - v] + v
    return t


def beside_the_first(x):
    h, far = [3, 0, 0, 0, 0], 0
    for v in x.tolist():
        twice = h[0] * 2
        if h[v] < h[0] + 2:
            h[v] = h[0] + v
            far += twice - h[0]
        h[v] -= twice // 3
    return h, far


def first_one_seen(x):
    seen, n = [False] * 6, 0
    seen[0] = True
    for i, v in enumerate(x.tolist()):
        if not seen[v]:
            seen[v] = True
            n += i
        elif seen[v - 1] and v > 3:
            n -= 1
    return seen, n


def first_one_stays(x):
    t, n = [1] + [0] * 9, 0
    for v in x.tolist():
        for k in range(9, 0, -1):
            if k >= v > 0:
                t[k] += t[k - v]
        n += t[v]
    return t, n


def last_one_stays(x):
    a, n = [0] * 12, 0
    for i, v in enumerate(x.tolist()):
        a[i % 12 + (v == 4)] = v
        a[-1] = 3
        n += a[i % 7] ^ a[v]
    return a, n


def swapped_with_the_first(x):
    a = [1, 2, 3, 4, 5]
    for v in x.tolist():
        a[v], a[0] = a[0], a[v]
        a[0] += a[a[1] % 5]
    return a


def beside_the_diagonal(x):
    """The first items are in no place that the band reaches in later rows."""
    before = [j if j <= 2 else 99 for j in range(6)]
    for i in range(1, 6):
        row = [99] * 6
        for j in range(max(0, i - 2), min(5, i + 2) + 1):
            if j == 0:
                row[j] = i
                continue
            best = before[j - 1] + (0 if x[i - 1] == x[j + 5] else 1)
            if before[j] + 1 < best:
                best = before[j] + 1
            if row[j - 1] + 1 < best:
                best = row[j - 1] + 1
            row[j] = best
        if min(row) > 2:
            return -1
        before = row
    return before[5]


LISTS = {
    beside_the_diagonal: "", filled_sack: "", beside_the_first: "", last_one_stays: "", first_one_seen: "] = True",
    first_one_stays: "", swapped_with_the_first: "",
    at_the_outer_counter: "] = ", longest_increasing: "] = ", ways_to_pay: "", beside_the_counter: "", within_two_branches: "",
    counters: "] = ",
    counts: "] = ", on_both_sides: "] = ", truths: "] = True", floats: "] = ", large_integers: "] = ", left_early: "] = ",
    left_on_a_side: "] = ", divisions: "] = ", caught: "] = ", one_after_another: "] = ", while_few: "] = ", inner_loops: "] = ",
    read_before: "", displays: "", within_bounds: "] = ", union_find: "] = ", read_in_loops: "] = ", written_in_loops_alone: "",
}  # fmt: skip


@pytest.mark.parametrize("function", LISTS, ids=lambda function: function.__name__)
def test_lists_are_those_of_eager_execution(function):
    program, random = export(function, (X,)), np.random.default_rng(1)
    run, plain = program.module(), make_module(program, True, threads=0)
    for least, most in ((0, 4), (0, 5), (0, 2), (3, 3), (-1, 3), (-7, 1), (0, 9)):
        x = random.integers(least, most, 120, endpoint=True)
        assert outcome(run, (x,)) == outcome(plain, (x,)) == outcome(function, (x,))
    assert LISTS[function] in run.code


def walks(grid):
    """From the first cell over those that hold 1, as a search in breadth."""
    rows, columns = len(grid), len(grid[0])
    if grid[0][0] == 0:
        return 0
    seen = [[0 for _ in range(columns)] for _ in range(rows)]
    todo = deque([(0, 0, 1)])
    seen[0][0] = 1
    while todo:
        row, column, steps = todo.popleft()
        if row == rows - 1 and column == columns - 1:
            return steps
        for down, right in ((0, -1), (0, 1)):
            r, c = row + down, column + right
            if not (0 <= r < rows and 0 <= c < columns):
                continue
            if grid[r][c] == 1 and seen[r][c] == 0:
                todo.append((r, c, steps + 1))
                seen[r][c] = 1
    return 0


def test_lists_in_a_loop_on_one_side_of_a_branch():
    module = export(walks, (np.ones((4, 4), int),)).module()
    rng = np.random.default_rng(0)
    for _ in range(60):
        grid = (rng.random((4, 4)) < 0.8).astype(int)
        assert module(grid) == walks(grid)


ASSIGNED = {
    "two items that change places": (["a[0]", "a[1]"], ["a[1]", "a[0]"]),
    "an item that another reads": (["a[0]", "n"], ["n", "a[0]"]),
    "each its own": (["a[0]", "a[1]"], ["a[0] + 1", "a[1] + 1"]),
    "a chain": (["a[2]", "a[1]", "a[0]", "n"], ["a[1]", "a[0]", "n", "7"]),
    "a list and its item": (["a[0]", "b"], ["b[1]", "a[:]"]),
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_statements_assign_as_at_once(name):
    names, texts = ASSIGNED[name]
    found, wanted = [{"a": [1, 2, 3], "b": [4, 5, 6], "n": 9} for _ in range(2)]
    exec("\n".join(assignments(names, texts)), {}, found)
    exec(f"{', '.join(names)} = {', '.join(texts)}", {}, wanted)
    assert found == wanted
