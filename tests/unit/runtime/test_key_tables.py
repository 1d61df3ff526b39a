"""Dicts and sets that loops on data fill are dicts in compiled programs, and what eager execution has."""

import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.runtime.machine import loop_machine
from npexport.runtime.modules.module import make_module


@pytest.fixture(params=[False, True], ids=["dicts", "machine"])
def in_machine(request, monkeypatch):
    """Whether loops may run in machine code, where keys are found without dicts."""
    if not request.param:
        monkeypatch.setattr(loop_machine, "_loops", None)
    return request.param


def counted(x):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    return counts


def counted_in(x):
    counts = {}
    for v in x.tolist():
        if v in counts:
            counts[v] += 1
        else:
            counts[v] = 1
    return counts, len(counts), sum(counts.values())


def counted_by_default(x):
    counts = defaultdict(int)
    for v in x.tolist():
        counts[v] += 1
    return counts[2], sorted(counts.items())


def counter(x):
    return Counter(x.tolist()).most_common(2)


def up_and_down(x):
    levels = {}
    for i, v in enumerate(x.tolist()):
        if v == 2:
            continue
        levels[v] = levels.get(v, 3) - 2 if i % 2 else levels.get(v, -5) + 7
    return levels


def first_places(x):
    places = {}
    for i, v in enumerate(x.tolist()):
        places.setdefault(v, i)
    return places


def until_seen(x):
    seen = set()
    for v in x.tolist():
        if v in seen:
            return v, len(seen)
        seen.add(v)
    return -1, len(seen)


def two_of_a_sum(x):
    places = {}
    for i, v in enumerate(x.tolist()):
        if 4 - v in places:
            return places[4 - v], i
        places[v] = i
    return -1, -1


def distinct(x):
    seen, found, most = set(), [], 0
    for v in x.tolist():
        if v not in seen:
            seen.add(v)
            found.append(v)
        most = max(most, len(seen))
    return found, most


def missed(x):
    sums = {}
    for v in x.tolist():
        if v != 3:
            sums[v] = 0.5
        sums[v] += v
    return sums


def caught(x):
    counts = {}
    for v in x.tolist():
        try:
            counts[v] += 1
        except KeyError:
            counts[v] = 10
    return counts


def rows(x):
    counts = {}
    for i in range(len(x)):
        for j in range(3):
            k = int(x[i]) + j
            counts[k] = counts.get(k, 0) + j
    return counts


def each_row(x):
    total = 0
    for i in range(2):
        counts = {}
        for v in x.tolist():
            counts[v + i] = counts.get(v, 0) + 1
        total += max(counts.values(), default=0)
    return total


def kept_and_changed(x):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    kept = dict(counts)
    for v in x.tolist():
        counts[v + 1] = kept.get(v, 0)
    return kept, counts


def truths(x):
    found = {}
    for v in x.tolist():
        found[v] = v > 1 and not found.get(v - 1, False)
    return found


def chained(x):
    following, n, k = {}, 0, 0
    for v in x.tolist():
        following[v] = v + 1
    while k in following and n < 50:
        k = following[k]
        n += 1
    return n, k


def to_an_array(x):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    return np.array(list(counts)), np.array(list(counts.values())) * 2


def large_values(x):
    sums = {}
    for v in x.tolist():
        sums[v] = sums.get(v, 0) + v * 2**61
    return sums


def large_keys(x):
    counts = {}
    for v in x.tolist():
        counts[v * 2**62] = v
    return counts


def larger_each_time(x):
    sums = {}
    for v in x.tolist():
        sums[v] = sums.get(v, 1) * 2 + sums.get(v, 2**62)
    return sums


TABLES = [
    counted, counted_in, counted_by_default, counter, up_and_down, first_places, until_seen, two_of_a_sum, distinct, missed, caught, rows,
    each_row, kept_and_changed, truths, chained, to_an_array, large_values, large_keys, larger_each_time,
]  # fmt: skip
SOME = ([], [2], [1, 2, 1, 1, 2], [3, 3, 0, 2, 2, 3, 1, 0], [0] * 9, [*range(40), *range(40)], [-(2**63), 2**63 - 1, 5, -5])


def told(function, x):
    """What a call gives, in its order, or raises."""
    try:
        return repr(function(x))
    except (KeyError, OverflowError, ValueError) as error:
        return type(error), str(error) if type(error) is KeyError else ""


@pytest.mark.parametrize("function", TABLES)
def test_tables_of_loops_are_those_of_eager_execution(function, tmp_path, in_machine):
    program = export(function, (np.array(SOME[3]),), dynamic_shapes={"x": {0: Dim("n")}}, unroll=2)
    save(program, tmp_path / "program.npe")
    run, plain, again = program.module(), make_module(program, True, threads=0), load(tmp_path / "program.npe").module()
    assert in_machine or (" = {}" in run.code and ".searched" not in run.code)
    for x in map(np.array, SOME):
        x = x.astype(np.int64)
        wanted = told(plain, x)
        assert told(run, x) == told(again, x) == wanted
        assert wanted == told(function, x) or wanted[0] is OverflowError


@pytest.mark.parametrize("function", TABLES)
def test_tables_of_a_known_size(function, in_machine):
    rows = [np.array((some or [4, 0]) * 20, np.int64)[:20] for some in SOME[:6]]
    run = export(function, (rows[3],), unroll=2).module()
    for x in rows:
        found = told(run, x)
        assert found == told(function, x) or found[0] is OverflowError


def test_numbers_that_count_up_are_not_checked(monkeypatch):
    monkeypatch.setattr(loop_machine, "_loops", None)
    x = np.array(SOME[3])
    assert "9223372036854775807" not in export(counted, (x,), unroll=2).module().code
    assert ">" not in export(counted_in, (x,), unroll=2).module().code.split("for ")[1].split(" = False")[0]
    assert "9223372036854775807" in export(large_values, (x,), unroll=2).module().code
    assert "9223372036854775807" in export(larger_each_time, (x,), unroll=2).module().code


def test_the_written_program_has_no_tables():
    program = export(counted, (np.array(SOME[3]),), unroll=2)
    program.module()
    assert all("table" not in node.name for graph in program.graph.all_graphs() for node in graph.nodes)
    assert any("row_place" in str(graph) for graph in program.graph.all_graphs())


def counted_twice(x):
    found = Counter(x.tolist())
    for v in x[::2].tolist():
        found[v] += 1
    return np.array(list(found.items()))


def counted_and_added(x):
    found, total = {}, 0
    for v in x.tolist():
        found[v] = found.get(v, 0) + 1
        total += v
    return np.array(list(found.values())), total


@pytest.mark.parametrize(("f", "calls"), [(counted_twice, 1), (counted_and_added, 0)])
def test_loops_that_count_and_do_nothing_else_are_one_call(f, calls, monkeypatch):
    monkeypatch.setattr(loop_machine, "_loops", None)
    x = np.random.default_rng(0).integers(-9, 9, 300)
    module = export(f, (x,)).module()
    assert len(re.findall(r"(?m)^ +c\d+\(v\d+, v\d+\)$", module.code)) == calls
    assert (".get(" in module.code) is (calls == 0)
    for seed in range(4):
        x = np.random.default_rng(seed).integers(-9, 9, 300)
        assert repr(module(x)) == repr(f(x))


def asked_last(x):
    found, some = set(), set()
    for v in x.tolist():
        found.add(v)
    for v in (2, int(x[0]), 5):
        if v in found:
            some.add(v + 1)
    return sorted(some), sorted(found.intersection([int(x[1]), 2]))


@pytest.mark.parametrize("f", [asked_last, lambda x: sorted(set(x.tolist()).intersection([int(x[1]), 2]))])
def test_a_table_that_is_asked_last_of_all_is_there(f):
    """It was deleted before the branch in whose test it stands."""
    module = export(f, (np.array([1, 2, 3]),)).module()
    for x in ([1, 2, 3], [4, 5, 2], [2, 2, 2], [7, 8, 9]):
        assert module(np.array(x)) == f(np.array(x))


def as_they_are(x):
    by_hand, by_default = {}, defaultdict(int)
    for i, v in enumerate(x.tolist()):
        by_hand[v] = i
        by_default[v] += 2
    return {"by hand": by_hand, "again": [by_hand, dict(by_hand)], "by default": by_default, "keys": list(by_default)}


def pairs(x):
    squares = {}
    for v in x.tolist():
        squares[v] = v * v
    return list(squares.items()), [*squares.values()], set(squares), Counter(squares), x.tolist()


def by_floats(x):
    halves = {}
    for v in x.tolist():
        halves[v] = halves.get(v, 0.0) + v / 2
    return halves


@pytest.mark.parametrize("program", [as_they_are, pairs, by_floats, counter])
def test_dicts_that_are_returned_are_the_callers_own(program):
    """Kinds, orders of keys and identities are those of eager execution, and a call leaves nothing to the next one."""
    exported = export(program, (np.arange(6) % 4,), dynamic_shapes=({0: Dim.AUTO},))
    runs = [exported.module(), export(program, (np.arange(8) % 3,)).module(), make_module(exported, True, threads=0)]
    for seed in range(4):
        for run, size in zip(runs, (seed, 8, 5), strict=True):
            x = np.random.default_rng(seed).integers(-3, 4, size)
            found, again = run(x), run(x)
            assert (repr(found), type(found)) == (repr(program(x)), type(program(x)))
            if isinstance(found, dict) and "again" in found:
                assert found["again"][0] is found["by hand"] is not found["again"][1]
            if isinstance(found, dict):
                found.clear()
            assert repr(again) == repr(run(x)) == repr(program(x))
