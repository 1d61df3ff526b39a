"""Loops of a known number of iterations that stay one node: equal to eager execution to the bit, or recorded iteration by iteration."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, UserError, draft_export, explain, export, nn
from npexport.tracer.driver.trace import Trace
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard
from tests.support.sized_slices import PROGRAMS
from tests.support.textbook_searches import insertion_sort_of_a_list

ITERATIONS = 150
X = np.sin(np.arange(ITERATIONS) * 1.3 + 0.5)
ROLLED: dict[str, Callable[..., Any]] = {}
UNROLLED: dict[str, Callable[..., Any]] = {}


def rolled(program: Callable[..., Any]) -> Callable[..., Any]:
    """Declares a program whose loop is one node."""
    return ROLLED.setdefault(program.__name__, program)


def unrolled(program: Callable[..., Any]) -> Callable[..., Any]:
    """Declares one whose iterations are recorded one by one."""
    return UNROLLED.setdefault(program.__name__, program)


@rolled
def heat_in_place(x):
    for _ in range(ITERATIONS):
        x[1:-1] += 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
    return x


@rolled
def a_recurrence(x):
    out = np.zeros(ITERATIONS)
    for t in range(1, ITERATIONS):
        out[t] = 0.5 * out[t - 1] + x[t]
    return out


@rolled
def first_and_other_iterations(x):
    out = np.zeros(ITERATIONS)
    for t in range(ITERATIONS):
        if t == 0:
            out[t] = x[t]
        else:
            out[t] = out[t - 1] * 0.5 + x[t]
    return out


@rolled
def rows_in_pairs(x):
    total = np.zeros(3)
    rows = x.reshape(-1, 1) * np.ones(3)
    for i, (one, other) in enumerate(zip(rows, rows[::-1])):  # noqa: B905
        total = total * 0.5 + one + i * other
    return total


@rolled
def from_the_end(x):
    s = np.float64(1)
    for value in reversed(x):
        s = s * 0.5 + value
    return s


@rolled
def numbers_that_follow_from_the_counter(x):
    count, total, seen = 5, np.float64(0), False
    for i in range(ITERATIONS):
        count += 3
        total = total + x[i] * count
        seen = True
    return total, count, i, seen, np.zeros(count).shape


@rolled
def a_sum_that_begins_as_an_integer(x):
    total = 0
    for i in range(ITERATIONS):
        total += x[i]
    return total


@rolled
def an_integer_beyond_64_bits(x):
    power, s = 1, np.float64(0)
    for i in range(ITERATIONS):
        power = power * 3 + i
        s = s + x[i]
    return power, s


@rolled
def loops_in_one_another(x):
    s = np.zeros(4)
    for i in range(ITERATIONS):
        for j in range(ITERATIONS):
            s = s * 0.5 + x[i] * j
    return s


@rolled
def a_triangle(x):
    s = np.float64(0)
    for i in range(ITERATIONS):
        for j in range(i):
            s = s + x[i] * x[j]
    return s


@rolled
def left_when_the_counter_says(x):
    s = np.float64(0)
    for i in range(ITERATIONS):
        if i == 40:
            break
        s = s + x[i]
    return s


@rolled
def state_in_containers(x):
    table, pair = {"s": np.float64(0), "n": 0}, [np.zeros(2), 1.0]
    for value in x:
        table["s"] += value
        table["n"] += 2
        pair[0] = pair[0] * 0.5 + value
        pair[1] *= 0.5
    return table, pair


@rolled
def buffers_anew(x):
    u = x.copy()
    for _ in range(ITERATIONS):
        new = u.copy()
        new[1:-1] = u[1:-1] + 0.1 * (u[2:] - u[:-2])
        u = new
    return u


@rolled
def draws(x):
    rng = np.random.default_rng(3)
    for _ in range(ITERATIONS):
        x = x + rng.normal(size=x.shape) * x[0]
    return x, rng.normal()


@rolled
def narrow_floats(x):
    s = np.float32(0)
    y = x.astype(np.float32)
    for i in range(ITERATIONS):
        s = s * np.float32(0.5) + y[i]
    return s


@rolled
def axes_or_none(x):
    scalar, array = np.float64(0), np.array(0.0)
    for i in range(ITERATIONS):
        scalar = scalar + x[i]
        array[...] = array + x[i]
    return scalar, array


@rolled
def divides_by_zero(x):
    s = np.float64(1)
    for i in range(ITERATIONS):
        s = s + x[i] / (x[i] - x[i])
    return s


@rolled
def index_out_of_range(x):
    s = np.float64(0)
    for i in range(ITERATIONS):
        s = s + x[i + 1]
    return s


@unrolled
def a_table_of_known_numbers(x):
    table = np.zeros(256, np.int64)
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table[i] = c
    return x + table[0] if table[1] > 5 else x


@rolled
def known_items(x):
    weights = [float(i % 7) for i in range(ITERATIONS)]
    s = np.float64(0)
    for i in range(ITERATIONS):
        s = s + x[i] * weights[i]
    return s


@unrolled
def a_size_that_changes(x):
    y = x[:1]
    for i in range(ITERATIONS - 1):
        y = np.concatenate([y, x[i : i + 1]])
    return y


@rolled
@rolled
def an_append_before_a_break(x):
    found = []
    y = np.zeros(3)
    for i in range(ITERATIONS):
        y[0] += x[i]
        if i == 120:
            found.append(i)
            break
    return y, found


@rolled
def counts_of_numbers(x):
    counts, longer = {}, []
    for v in np.floor(x * 4).tolist():
        counts[int(v)] = counts.get(int(v), 0) + 1
        if v > 1:
            longer.append(v * 2)
    return counts, longer


@rolled
def a_list_of_numbers(x):
    items, most = [int(v * 9) for v in x], 0
    for v in items:
        most = max(most, v) + 1
    return items, most, sum(v * v for v in items if v > 2)


@rolled
def texts_of_numbers(x):
    return ["+" if v > 0 else "-" for v in x.tolist()], [*x.tolist()][-1]


@unrolled
def an_iterator_of_c(x):
    numbers = map(float, range(ITERATIONS))
    s = np.float64(0)
    for i in range(ITERATIONS):
        s = s + x[i] * next(numbers)
    return s


@unrolled
def a_value_that_is_needed_afterwards(x):
    k = 0
    for i in range(ITERATIONS):
        k = (k * 3 + 1 + i) % 7
        x = x * 0.5 + k
    return x, hash(k)


NOT_UNROLLED = {"index_out_of_range", "a_list_of_numbers", "loops_in_one_another", "a_triangle"}
"""One raises, one sums a list as long as the data say, and the others have thousands of iterations."""


def one_node(program: Any) -> bool:
    return any(str(node.target) == "ops.control.while_loop" for node in program.graph.nodes)


@pytest.mark.parametrize("name", shard([*ROLLED, *UNROLLED], 6))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_loops_of_known_length_give_what_they_give_eagerly(name: str, tmp_path: Any) -> None:
    program = ROLLED.get(name) or UNROLLED[name]
    if name == "index_out_of_range":
        exported = export(program, (np.zeros(ITERATIONS),))
    else:
        exported = export(program, (X,))
    assert one_node(exported) is (name in ROLLED)
    if name not in NOT_UNROLLED:
        assert not one_node(export(program, (X,), unroll=True))
    modules = [exported.module(), reloaded(exported).module(), exported.run_decompositions().module()]
    for data in (X, X * 3, -X, np.zeros(ITERATIONS)):
        wanted = outcome(program, (data.copy(),))
        for module in modules:
            assert outcome(module, (data.copy(),)) == wanted


@pytest.mark.parametrize("name", shard(sorted(PROGRAMS), 3))
def test_loops_over_sizes_that_are_known_are_equal(name: str, capsys: Any) -> None:
    case = PROGRAMS[name]
    try:
        wanted = outcome(case.program, case.make(9))
        module = export(case.program, case.make(9), unroll=4).module()
    except Exception as error:
        assert outcome(case.program, case.make(9))[0] == f"{type(error).__name__}: {error.args!r}"
        return
    assert outcome(module, case.make(9)) == wanted


@pytest.mark.parametrize("iterations", [0, 1, 2, 3])
def test_few_iterations_roll_where_asked(iterations: int) -> None:
    def program(x: Any) -> Any:
        s, i = np.float64(0), 7
        for i in range(iterations):
            s = s * 0.5 + x[i]
        return s, i

    exported = export(program, (X,), unroll=False)
    assert one_node(exported) is (iterations > 0)
    assert outcome(exported.module(), (X,)) == outcome(program, (X,))


def test_the_number_of_iterations_decides() -> None:
    def program(x: Any) -> Any:
        for _ in range(100):
            x = x * 0.5
        return x

    assert not one_node(export(program, (X,)))
    assert one_node(export(program, (X,), unroll=99))
    assert not one_node(export(program, (X,), unroll=99, capture_control_flow=False))
    with pytest.raises(UserError) as refusal:
        export(program, (X,), unroll=-1)
    assert refusal.value.code == "E201"
    with pytest.raises(UserError):
        draft_export(program, (X,), unroll="no")  # type: ignore[arg-type]


def test_ten_thousand_steps_are_a_few_nodes() -> None:
    def program(u: Any, dt: Any) -> Any:
        for _ in range(10_000):
            u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])

    exported = export(program, (X.copy(), 0.1))
    assert len(exported.graph.nodes) < 8
    given, wanted = X.copy(), X.copy()
    exported.module()(given, 0.1)
    program(wanted, 0.1)
    assert given.tobytes() == wanted.tobytes()


def test_layers_in_an_iteration_keep_their_names() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.step = nn.Linear(3, 3)
            self.last = nn.Linear(3, 2)

        def forward(self, x: Any) -> Any:
            for _ in range(200):
                x = np.tanh(self.step(x))
            return self.last(self.last(x)[:0].sum() + x)

    net = Net()
    exported = export(net, (np.ones((2, 3)),))
    assert one_node(exported)
    assert [entry.fqn for entry in exported.module_call_graph][-3:] == ["step", "last", "last@1"]
    x = np.sin(np.arange(6.0)).reshape(2, 3)
    np.testing.assert_array_equal(exported.module()(x), net(x))


def test_warnings_are_those_of_every_iteration() -> None:
    def program(x: Any) -> Any:
        s = np.float64(0)
        for i in range(ITERATIONS):
            s = s + np.sqrt(x[i])
        return s

    def warned(function: Any) -> int:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function(X.copy())
        return len(found)

    module = export(program, (X,)).module()
    assert warned(module) == warned(program) > 1


def test_a_failed_attempt_leaves_nothing() -> None:
    def program(x: Any) -> Any:
        flags = np.zeros(ITERATIONS, bool)
        for i in range(ITERATIONS):
            flags[i] = i % 2 == 0
            x = {"True": x, "False": x * 1.0}[str(flags[i])] + 1.0
        return x if flags[2] else -x

    exported = export(program, (X,), unroll=10)
    plain = export(program, (X,), unroll=True)
    assert [str(node.target) for node in exported.graph.nodes] == [str(node.target) for node in plain.graph.nodes]
    assert outcome(exported.module(), (X,)) == outcome(program, (X,))


@pytest.mark.parametrize(("count", "runs"), [(4, [100, 3]), (6, [100, 5])])
def test_a_run_that_would_be_the_one_before_is_left_out(count: int, runs: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: Any) -> Any:
        kept = []
        for i in range(count):
            for j in range(count):
                if x[i] > x[j]:
                    kept.append(i - j)
        return kept

    x, done, run = np.arange(float(count)) % 5, [], Trace.run
    monkeypatch.setattr(Trace, "run", lambda self: done.append(self.options.unroll) or run(self))
    module = export(program, (x,)).module()
    assert done == runs
    assert outcome(module, (-x,)) == outcome(program, (-x,))


def _counted(x: Any) -> Any:
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    return list(counts.items())


def _found_and_dropped(x: Any) -> Any:
    kept, hits = [], 0
    for v in x.tolist():
        if v in kept:
            hits += 1
            kept.remove(v)
        elif len(kept) == 3:
            kept.pop(0)
        kept.append(v)
    return hits, kept


def _sums_of_places(x: Any) -> Any:
    sums = defaultdict(int)
    for i, v in enumerate(x.tolist()):
        sums[v] += i
    return sums


def _last_places(x: Any) -> Any:
    places = {}
    for i, v in enumerate(x.tolist()):
        places[v] = i
    return places


def _largest_sum(x: Any) -> Any:
    best, here = -1000, 0
    for v in x.tolist():
        here = max(v - 2, here + v - 2)
        best = max(best, here)
    return best, min(best, here)


DECIDED = [insertion_sort_of_a_list, _counted, _found_and_dropped, _sums_of_places, _last_places, _largest_sum]


@pytest.mark.parametrize("program", DECIDED)
@pytest.mark.parametrize("size", [3, 8, 20])
def test_few_iterations_are_one_node_where_data_decide_in_each(program: Any, size: int) -> None:
    draw = np.random.default_rng(size)
    exported = export(program, (draw.integers(0, 5, size),))
    assert size < 8 or len(exported.graph.nodes) < 20
    run = exported.module()
    for _ in range(8):
        x = draw.integers(0, 5, size)
        assert outcome(run, (x,)) == outcome(program, (x,))


def test_functions_that_are_called_often_are_no_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    def clipped(x: Any) -> Any:
        return x / 2 if x.sum() > 3 else x + 1

    def program(x: Any) -> Any:
        x = clipped(clipped(clipped(clipped(clipped(clipped(x))))))
        for k in range(6):
            x = x * k + 1
        return x

    runs, run = [], Trace.run
    monkeypatch.setattr(Trace, "run", lambda self: runs.append(self.options.unroll) or run(self))
    assert outcome(export(program, (X,)).module(), (-X,)) == outcome(program, (-X,))
    assert runs == [100]


def test_explanations_and_drafts_agree() -> None:
    for program in (heat_in_place, a_value_that_is_needed_afterwards, an_iterator_of_c):
        assert explain(program, (X.copy(),)).ok
        draft = draft_export(program, (X.copy(),))
        assert draft.report.success
        assert outcome(draft.module(), (X.copy(),)) == outcome(program, (X.copy(),))


def test_dynamic_sizes_beside_known_iterations() -> None:
    def program(x: Any) -> Any:
        for i in range(ITERATIONS):
            x = x * 0.5 + i
        return x

    exported = export(program, (X,), dynamic_shapes=({0: Dim("n")},))
    assert one_node(exported)
    for n in (0, 1, 2, 1000):
        data = np.arange(float(n))
        assert outcome(exported.module(), (data,)) == outcome(program, (data,))


def test_what_is_refused_with_all_iterations_recorded_is_refused():
    def program(x):
        for _ in range(2):
            try:
                math.sqrt(x[0])
            except Exception:
                x = x[:]
        return x

    with pytest.raises(ExportError, match="E103"):
        export(program, (np.array([1.5, 2.5]),))


def test_short_loops_within_each_other_are_nodes_where_data_decide_in_each_of_many_iterations():
    def f(x):
        found = np.zeros(x.shape)
        for row in range(len(x)):
            for column in range(x.shape[1]):
                if x[row, column] > 0:
                    found[row, column] = x[row, column - 1] * 2
        return found

    def with_an_array_that_widens(x):
        kept = np.zeros(0)
        for _ in range(2):
            kept = np.append(kept, f(x))
        return kept

    x = np.random.default_rng(0).normal(size=(6, 7))
    program = export(f, (x,))
    assert len(program.graph.nodes) < 12
    assert np.array_equal(program.module()(-x), f(-x))
    program = export(with_an_array_that_widens, (x,))
    assert np.array_equal(program.module()(-x), with_an_array_that_widens(-x))
