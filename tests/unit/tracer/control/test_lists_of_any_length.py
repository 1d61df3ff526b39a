"""Lists that loops fill of which nothing says how many iterations they make: equal to eager execution,
exported, saved and loaded, and decomposed.
"""

from __future__ import annotations

import bisect
import copy
import heapq
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard


def arguments(size: int) -> tuple[Any, ...]:
    return np.sin(np.arange(size) * 1.3 + 0.5), np.cos(np.arange(size * 3).reshape(size, 3) * 0.7)


def halved(x, m):
    out, v = [], x.sum()
    while abs(v) > 0.1:
        out.append(v)
        v = v * 0.5
    return len(out), np.array(out)


def settled(x, m):
    out, v = [9.0], float(x.sum())
    while True:
        out.append(v)
        v = v * 0.5
        if abs(out[-1] - out[-2]) < 1e-3:
            break
    return np.array(out)


def on_some_iterations(x, m):
    out, v, k = [], x.sum(), 0
    while abs(v) > 0.1:
        if k % 3:
            out.append((v, k))
        v, k = v * 0.5, k + 1
    return len(out), k


def several(x, m):
    a, b, v = [], [], x.sum()
    while abs(v) > 0.1:
        a.append(v)
        a.append(-v)
        b.append(v * v)
        v = v * 0.5
    return np.array(a), np.array(b)


def arrays(x, m):
    out, v = [np.arange(3.0)], x.sum()
    while abs(v) > 0.1:
        out.append(out[-1] * 0.5)
        v = v * 0.5
    return np.array(out), np.stack(out, axis=1)


def within_a_loop(x, m):
    out = []
    for v in x:
        while abs(v) > 0.1:
            out.append(v)
            v = v / 3
    return np.array(out), len(out)


def around_a_loop(x, m):
    out, y = [], x
    while abs(y).sum() > 0.5:
        for v in y:
            if v > 0.1:
                out.append(v)
        y = y / 2
    return np.array(out)


def within_a_while(x, m):
    out, v = [], abs(x).sum() + 1
    while v > 0.5:
        w = v
        while w > 0.4:
            out.append(w)
            w = w * 0.5
        v = v * 0.6
    return np.array(out)


def integers(x, m):
    n, out = int(abs(x.sum()) * 20) + 1, [7]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        out.append(n)
    return np.array(out), sum(out), out[-1]


def twice(x, m):
    out, v = [], x.sum()
    while abs(v) > 0.1:
        out.append(v)
        v = v * 0.5
    while abs(v) < 3.0:
        out.append(v)
        v = v * 2 + 0.1
    return np.array(out)


def gone_over(x, m):
    out, v, s = [], x.sum(), 0.0
    while abs(v) > 0.1:
        out.append(v)
        v = v * 0.5
    for a in out:
        s += a
    return s, max([1.0, s])


def next_greater(x, m):
    out, waiting = np.full(len(x), -1), []
    for i in range(len(x)):
        while waiting and x[waiting[-1]] < x[i]:
            out[waiting.pop()] = i
        waiting.append(i)
    return out


def taken_off(x, m):
    out, k = [0.5, 1.5], 0
    for v in x:
        while len(out) > 0 and out[-1] < v:
            out.pop()
            k += 1
        out.append(float(v))
    return out, k, len(out)


def taken_off_an_empty_one(x, m):
    out, v = [1.0, 2.0, 3.0, 4.0], abs(x).sum()
    while v > 0.1:
        out.pop()
        v = v * 0.3
    return out


def kept(x, m):
    """Of rows, those of the upper half of a convex hull."""
    out = []
    for row in m[np.argsort(m[:, 0])]:
        while len(out) >= 2 and (out[-1][0] - out[-2][0]) * (row[1] - out[-2][1]) >= (out[-1][1] - out[-2][1]) * (row[0] - out[-2][0]):
            out.pop()
        out.append(row)
    if not out:
        raise ValueError("there is no row")
    return np.array(out)


def joined(x, m):
    low, high = [v for v in x if v < 0], [v for v in x if v >= 0]
    return low + high, [0.5 * x.sum(), *()] + low, np.array(high + low + high), len(low + [x.sum()])


class History:
    """An object that keeps what its iterations gave."""

    def __call__(self, x, m):
        history = {"values": [], "steps": 0}
        v = x.sum()
        while abs(v) > 0.1:
            v = self.step(v, history)
        return history["steps"], np.array(history["values"])

    def step(self, v, history):
        history["values"].append(v)
        history["steps"] += 1
        return v * 0.5


def suppressed(x, m):
    """Non-maximum suppression, by one coordinate."""
    order, keep = np.argsort(x), []
    while order.size > 0:
        i = order[0]
        keep.append(x[i])
        order = order[1:][abs(x[order[1:]] - x[i]) > 0.3]
    return np.array(keep)


def heaps(x, m):
    """``heapq`` and ``bisect`` on lists of any length."""
    heap, out = [], [float(v) for v in x if v > -0.5]
    for v in x:
        if v < 0.5:
            heapq.heappush(heap, float(v))
    heapq.heapify(out)
    while len(heap) > 2:
        out.append(heapq.heappop(heap))
    return np.array(out), len(heap), bisect.bisect_left(copy.copy(heap), 0.1)


def without_end(x, m):
    out = []
    for k in itertools.count():
        out.append((m * k).sum())
        if k > 0 and abs(out[-1] - out[-2]) < 0.1 or k > 6:
            break
        m = m / 2
    return np.array(out), k


def of_a_function(x, m):
    def halve(v):
        halve.calls += 1
        halve.seen.append(v.sum())
        return v / 2

    halve.calls, halve.seen = 0, []
    while abs(m.sum()) > 0.1:
        m = halve(m)
    return np.array(halve.seen), halve.calls


def removed_and_returned_twice(x, m):
    values = (x * 8).astype(int).tolist()
    values.remove(max(values))
    return (values, 1), values


PROGRAMS = [
    halved, settled, on_some_iterations, several, arrays, within_a_loop, around_a_loop, within_a_while, integers, twice, gone_over,
    History(), next_greater, taken_off, taken_off_an_empty_one, kept, joined, heaps, without_end, of_a_function,
]  # fmt: skip
FROM_ONE_ON = [suppressed, removed_and_returned_twice]
"""Programs that a size of 0 gives another kind of result."""


def named(program: Any) -> str:
    return getattr(program, "__name__", type(program).__name__)


@pytest.mark.parametrize("least", [0, 2])
@pytest.mark.parametrize("program", shard([*PROGRAMS, *FROM_ONE_ON], 3), ids=named)
def test_they_give_what_they_give_eagerly(program: Callable[..., Any], least: int) -> None:
    n = Dim("n", min=max(least, int(program in FROM_ONE_ON)))
    shapes: Any = ({0: n}, {0: n})
    found = export(program, arguments(5), dynamic_shapes=shapes)
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for size in (size for size in (0, 1, 2, 5, 9) if size >= n.min):
        wanted = outcome(program, arguments(size))
        for module in modules:
            assert outcome(module, arguments(size)) == wanted, size


REFUSED: dict[str, Callable[[list[float]], Any]] = {
    "handed to `list.append`": lambda values: list.append(values, 1.0),  # type: ignore[func-returns-value]
    "handed to `list.__len__`": lambda values: list.__len__(values),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_functions_of_c_that_want_a_list_are_refused(reason: str) -> None:
    """They raised what says that this is not a list, and the program did."""

    def program(x: Any) -> Any:
        return REFUSED[reason]([float(v) for v in x if v > 0])

    with pytest.raises(Unsupported, match=reason):
        export(program, (np.ones(3),))


def chosen(x, m):
    out = [v for v in x if v > 0]
    if x[0] > 0.3:
        out.append(x[1])
    elif x[1] > 0:
        out.extend([1.5 * x[2], x[3]])
    return out, len(out), np.array(out), sum(out)


def counted_runs(x, m):
    out, count = [], 1
    for i in range(1, len(x)):
        if (x[i] > 0) == (x[i - 1] > 0):
            count += 1
        else:
            out.append((i, count))
            count = 1
    out.append((len(x), count))
    return out


def sorted_by_a_stack(x, m):
    a, waiting = x.copy(), [(0, len(x) - 1)]
    while waiting:
        low, high = waiting.pop()
        if low >= high:
            continue
        place = low
        for j in range(low, high):
            if a[j] < a[high]:
                a[place], a[j] = a[j], a[place]
                place += 1
        a[place], a[high] = a[high], a[place]
        waiting.append((low, place - 1))
        waiting.append((place + 1, high))
    return a


def filled_from(x, m):
    """All that is connected with the first element, by an explicit stack."""
    big, waiting, seen = m > -0.5, [(0, 0)], np.zeros(m.shape, bool)
    while waiting:
        i, j = waiting.pop()
        if i < 0 or j < 0 or i >= m.shape[0] or j >= m.shape[1] or seen[i, j] or not big[i, j]:
            continue
        seen[i, j] = True
        waiting += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return seen, seen.sum()


def longer_on_a_side_within_a_side(x, m):
    out = []
    for v in x:
        if v > 0:
            found = [v]
            if v > 0.5:
                found.append(v * 2)
                out.append(v)
            out.append(found[-1] * len(found))
    return out


def shorter_on_a_side(x, m):
    out = [v * 2 for v in x]
    if x[0] > 0:
        out.pop()
    if x[1] > 0:
        out.append(1.0 * x[2])
    return np.array(out), out[-1]


def filled_up_and_on(x, m):
    """The inner loop takes all room that there is, and then the outer one appends."""
    out, s = [], x.sum()
    for i in range(len(x)):
        while len(out) < len(x) + 3:
            out.append(x[0] + s)
            s = s * 0.5
        out.extend([m[i, 1], m[i, 1]])
        if m[i].max() > 0.5:
            out.append(x[i] * 2)
    return out, s


def taken_off_in_an_inner_loop(x, m):
    out = [m[0, 1]]
    for i in range(len(x)):
        out.append(m[i].sum())
        for j in range(1, len(x)):
            if j > 1:
                break
            out += [x[j]]
            out.pop()
    return np.array(out), len(out)


def put_in_by_methods_that_are_held(x, m):
    """By the stack, while the argument is computed, and by a variable."""
    out, places = [], []
    note = places.append
    for i, v in enumerate(x):
        try:
            out.append(root(v))
        except ValueError as error:
            note((i, v))
            out.insert(0, float(len(str(error))))
    return out, places


def root(v):
    if v < 0:
        raise ValueError("negative")
    return np.sqrt(v)


ON_SIDES = [
    chosen, counted_runs, sorted_by_a_stack, filled_from, longer_on_a_side_within_a_side, shorter_on_a_side, filled_up_and_on,
    taken_off_in_an_inner_loop, put_in_by_methods_that_are_held,
]  # fmt: skip


def data(size: int, seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(size), rng.standard_normal((size, 3))


@pytest.mark.parametrize("sizes", ["static", "dynamic"])
@pytest.mark.parametrize("program", shard(ON_SIDES, 2), ids=named)
def test_a_side_makes_a_list_longer(program: Callable[..., Any], sizes: str) -> None:
    n = Dim("n", min=4)
    found = export(program, data(5, 0), dynamic_shapes=({0: n}, {0: n}) if sizes == "dynamic" else None)
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for seed in range(12):
        given = data(5 if sizes == "static" else 4 + seed % 4, seed)
        wanted = outcome(program, given)
        for module in modules:
            assert outcome(module, given) == wanted, seed


@pytest.mark.parametrize("program", [halved, on_some_iterations, several, arrays, integers], ids=named)
def test_so_they_do_over_another_namespace(program: Callable[..., Any]) -> None:
    n = Dim("n")
    module = export(program, arguments(5), dynamic_shapes=({0: n}, {0: n})).module(namespace=np)
    for size in (0, 1, 2, 5, 9):
        assert outcome(module, arguments(size)) == outcome(program, arguments(size)), size


@pytest.mark.parametrize("iterations", [1, 2, 3, 1000])
def test_room_is_made_as_often_as_it_is_needed(iterations: int) -> None:
    def counted(n):
        k, out = int(n), []
        while k > 0:
            out.append(k)
            k -= 1
        return np.array(out, dtype=int)

    module = export(counted, (np.array(3),)).module()
    assert module(np.array(iterations)).tolist() == list(range(iterations, 0, -1))


def test_what_is_run_again_for_room_happens_once() -> None:
    """Paths through an iteration have met, and written, before it turns out that a list has no room."""

    def left_late(x, y, m):
        found = []
        for i in range(3):
            if x[i] > 0.3:
                pass
            else:
                y[i] = y[0] + 1
                if x[i] > 0.3:
                    break
            found.append(m[0])
        return found

    rng = np.random.default_rng(0)
    module = export(left_late, (rng.standard_normal(3), np.arange(3), np.ones(2))).module()
    for _ in range(12):
        given = rng.standard_normal(3), rng.integers(-3, 6, 3), rng.standard_normal(2)
        assert outcome(module, given) == outcome(left_late, given)


def in_a_range_that_may_be_less_than_empty(x):
    n, found = len(x), []
    for i in range(n):
        for _ in range(2, n - 1):
            found.append(x[0])
        found.append(x[i])
    return found


def after_a_range_that_may_be_less_than_empty(x):
    found = []
    for _ in range(2, len(x) - 1):
        found.append(x[0])
    found.append(x[-1])
    return found


@pytest.mark.parametrize("program", [in_a_range_that_may_be_less_than_empty, after_a_range_that_may_be_less_than_empty], ids=named)
def test_a_range_whose_end_is_before_its_start_fills_nothing(program: Callable[..., Any]) -> None:
    module = export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in range(9):
        given = (np.arange(float(size)),)
        assert outcome(module, given) == outcome(program, given), size
