"""Lists whose length data decide are lists in compiled programs, too, where nothing needs arrays."""

import heapq
import re
import sys
from collections import deque

import numpy as np
import pytest

from npexport import Dim, export
from npexport.runtime.machine import loop_machine
from npexport.runtime.modules.module import make_module
from tests.support.shards import shard

X = np.array([0.5, -1.0, np.nan, -0.0, 3.0, 0.0, -2.5, 1.5])
I = np.array([3, -2, 0, 7, 2**62, -5], np.int64)


def counted(x):
    return [place for place, v in enumerate(x) if v > 0]


def kept_on_both_sides(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
        elif v < -1:
            found.append(-v)
    return found


def two_lists(x):
    more, less = [], []
    for v in x.tolist():
        if v > 0:
            more.append(v)
        else:
            less.append(v)
    return more, less


def nested(x):
    found = []
    for v in x.tolist():
        if v > 0:
            if v > 1:
                found.append(v)
            found.append(-v)
    return found


def list_and_array(x):
    found = [v for v in x.tolist() if v > 0]
    return found, np.array(found)


def put_elsewhere(x):
    found, given = [], 0
    for v in x.tolist():
        found.append(v)
        found.insert(v % 2, v)
        if len(found) > 3:
            given ^= found.pop(v % 3)
    return given, found


def taken_from_the_end(x):
    found = []
    for v in x.tolist():
        while found and found[-1] > v:
            found.pop()
        found.append(v)
    return len(found), found[0]


def length_too(x):
    found = [v for v in x.tolist() if v > 0]
    return found, len(found)


def twice(x):
    found = [v for v in x if v > 0]
    return [found, list(found), found]


def ends(x):
    found = [v for v in x.tolist() if v < 1]
    return found[0] if found else 9.0


def before_and_after(x):
    found = [v for v in x.tolist() if v > 0]
    before = list(found)
    if x[0] > 0:
        found.append(7.0)
    return before, found


def halved(x):
    n, found = int(x[0]), []
    while n > 0:
        found.append(n)
        n //= 2
    return found


def appended_twice(x):
    n, found, odd = int(x[1]), [0], []
    while n:
        found.append(n % 5)
        if n % 2:
            odd.append(n / 2)
        found.append(-2)
        n = n // 2 if n > 0 else 0
    return found, odd, [len(odd), sum(odd)]


def nested_appends(x):
    n, found = int(x[2]), []
    while n > 1:
        k = n
        while k > 0:
            found.append(k)
            k -= 3
        n -= 2
    while len(found) < 3:
        found.append(0)
    return found


def of_last_items(x):
    found = [int(x[0])]
    while found[-1] < 50:
        found.append(abs(found[-1]) + 1)
    return found


def kept_beside_grown(x):
    n, found = int(x[0]), []
    while n > 0:
        found.append(n % 2 == 0)
        n -= 1
    grown = list(found)
    while len(grown) < 9:
        grown.append(True)
    return found, grown


def read_behind(x):
    n, found = int(x[0]), [0]
    while n > 0:
        found.append(n)
        found[0] += found[len(found) - 1]
        n -= 2
    return found, np.array(found)


def stack(x):
    found = []
    for v in x.tolist():
        while found and found[-1] < v:
            found.pop()
        found.append(v)
    return found


def last_or_none(x):
    found = []
    for v in x.tolist():
        if v > 2:
            found.pop()
        else:
            found.append(v)
    return found


def stretches(x):
    begin, on, found = 0, False, []
    for i, v in enumerate(x):
        if not on and v > 1:
            begin, on = i, True
        elif on and v < 0.2:
            on = False
            found.append((begin, i))
    return found


def queue(x):
    waiting, total = [], 0.0
    for v in x.tolist():
        waiting.append(v)
        if len(waiting) > 3:
            total += waiting.pop(0) * len(waiting)
    return total, waiting


def both_ends(x):
    found = deque()
    for v in x:
        if v > 1:
            found.appendleft(v)
        elif v < 0 and found:
            found.popleft()
        else:
            found.append(v)
    return list(found)


def third_of_five(x):
    found, gone = [], []
    for v in x.tolist():
        found.insert(0, v)
        if len(found) > 4:
            gone.append(found.pop(2))
        if v > 1 and len(found) > 2:
            found.insert(2, -v)
    return found, gone


def three_largest(x):
    found = []
    for v in x:
        heapq.heappush(found, v)
        if len(found) > 3:
            heapq.heappop(found)
    return sorted(found)


def lengths(x):
    table = [[], []]
    for v in x.tolist():
        if v > 0:
            table[int(v > 1)].append(v)
    return [len(found) for found in table]


def at_places_of_its_own(x):
    y, place = np.zeros(22), 0
    for v in x:
        if v > 0:
            y[place] = v
            place += 2
    return y


def begun_on_a_side(x):
    found = []
    if x[0] > 0:
        found.append(x[0])
    else:
        found.append(-x[1])
    for v in x:
        if v > 0:
            found.append(v)
    return found


def in_waves(x):
    queue, head, seen = [0], 0, [False] * 5
    while head < len(queue):
        u = queue[head]
        head += 1
        for v in range(5):
            if x[v] > x[u] and not seen[v]:
                seen[v] = True
                queue.append(v)
    return queue


def merged(x):
    a, b, i, j = sorted(x[:3].tolist()), sorted(x[3:].tolist()), 0, 0
    found = [0]
    while i < 3 or j < 3:
        if i < 3 and (j >= 3 or a[i] <= b[j]):
            found.append(a[i])
            i += 1
        else:
            found.append(b[j])
            j += 1
    return found


def read_from_the_end(x):
    kept, gone = [], 0
    for v in x.tolist():
        if v > 0:
            kept.append(v)
        while len(kept) > 2:
            gone += kept[-1] > kept[-3]
            kept = kept[:1]
    return kept, gone


LONG = np.concatenate([X] * 3)
"""Loops over so much are not unrolled."""


LISTS = {
    "begun on a side": (begun_on_a_side, X, True),
    "read from the end": (read_from_the_end, I, False),
    "floats of many": (lambda x: [v for v in x.tolist() if v > 0], LONG, True),
    "scalars of many": (lambda x: [v for v in x if not v > 0], LONG, True),
    "stretches": (stretches, LONG, True),
    "stack": (stack, LONG, True),
    "queue": (queue, LONG, True),
    "both ends": (both_ends, LONG, True),
    "places of a table": (lengths, LONG, False),
    "third of five": (third_of_five, LONG, True),
    "three largest": (three_largest, np.nan_to_num(LONG), True),
    "while": (halved, I, True),
    "appended twice": (appended_twice, I, True),
    "nested loops": (nested_appends, I, sys.version_info < (3, 14)),  # from there on the loops are told apart by what is left of them
    "last items": (of_last_items, I, True),
    "kept beside": (kept_beside_grown, I, True),
    "read behind": (read_behind, I, False),
    "floats": (lambda x: [v for v in x.tolist() if v > 0], X, True),
    "scalars": (lambda x: [v for v in x if not v > 0], X, True),
    "halves": (lambda x: [v for v in x if v > 0], X.astype(np.float16), True),
    "integers": (lambda x: [int(v) for v in x if v % 2 == 0], I, True),
    "small integers": (lambda x: [int(v) for v in x if v > 0], I.astype(np.int8), True),
    "large integers": (lambda x: [int(v) for v in x if v > 2], np.abs(I).astype(np.uint64), False),
    "complex scalars": (lambda x: [v for v in x if v.real > 0], X * 1j + X, True),
    "truths": (lambda x: [bool(v) for v in x if v], X > 0, True),
    "computed": (lambda x: [v * 2 for v in x.tolist() if v > 0], X, True),
    "longer than at first": (lambda x: [v for v in x.tolist() if v > 0], np.concatenate([X] * 5), True),
    "an array of scalars": (lambda x: np.array([v for v in x if v > 0]), X, False),
    "places": (counted, X, True),
    "on both sides": (kept_on_both_sides, X, True),
    "two lists": (two_lists, X, True),
    "nested": (nested, X, True),
    "list and array": (list_and_array, X, False),
    "put elsewhere in a loop": (put_elsewhere, np.concatenate([I] * 2), True),
    "taken from the end": (taken_from_the_end, I, True),
    "length": (length_too, X, False),
    "twice": (twice, X, False),
    "ends": (ends, X, False),
    "before and after": (before_and_after, X, False),
}


@pytest.fixture(autouse=True)
def loops_of_python(monkeypatch):
    """No machine makes iterations (`npexport.runtime.machine.loop_machine`), which works on arrays."""
    monkeypatch.setattr(loop_machine, "_loops", None)


@pytest.mark.parametrize("machine", [False, True])
@pytest.mark.parametrize("name", shard(LISTS, 2))
def test_lists_are_those_of_eager_execution(name, machine, monkeypatch):
    function, x, listed = LISTS[name]
    if machine:
        monkeypatch.undo()
    program = export(function, (x.copy(),), unroll=len(X))
    run, plain = program.module(), make_module(program, True, threads=0)
    kind = x.dtype.kind
    for data in (
        x,
        x[::-1].copy(),
        x ^ x if kind in "biu" else x * 0,
        np.full_like(x, 3),
        np.full_like(x, kind == "b" or -3 if kind != "u" else 0),
    ):
        for module in (run, plain):
            assert repr(module(data.copy())) == repr(function(data.copy()))
    assert machine or ("] * " in run.code or " = []\n" in run.code) >= listed


@pytest.mark.parametrize("function", [last_or_none, at_places_of_its_own])
def test_places_that_lists_have_not_raise_what_eager_execution_raises(function):
    run = export(function, (LONG.copy(),), unroll=2).module()
    for data in (LONG * 0 + 1, LONG * 0 + 3, LONG):
        told = []
        for each in (function, run):
            try:
                told.append(repr(each(data.copy())))
            except IndexError as error:
                told.append((str(error), error.__context__))
        assert told[0] == told[1]


def test_appended_integers_have_the_room_of_arrays():
    def powers(x):
        found, power = [], int(x[0])
        while power:
            found.append(power)
            power = power * 2**40 if power < 2**80 else 0
        return found

    program = export(powers, (I,))
    for module in (program.module(), make_module(program, True, threads=0)):
        with pytest.raises(OverflowError):
            module(I)


def test_what_is_written_where_memory_may_fail_is_an_array():
    def of_either_kind(x):
        found = []
        for v in x:
            if v > 2:
                break
            found += [bool(v > 0.2)]
        found.append(x[0] > 0)
        return sum([1 for v in found if v])

    run = export(of_either_kind, (X.copy(),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for data in (X, X[:1], X[:5], np.zeros(3)):
        assert run(data.copy()) == of_either_kind(data)


def turned(x):
    items = x.tolist()
    for i in range(len(items) - 1):
        if items[i] > items[i + 1]:
            items[i], items[i + 1] = items[i + 1], items[i]
    return items


def read_before_it_is_written(x):
    items, total = x.tolist(), 0
    for i in range(1, len(items)):
        before = items[i]
        items[i] = items[i - 1] + 1
        total += before
        if before > 2:
            before = items[0]
            items[0] = 7
        total += before * items[0]
    return items, total


def before_a_branch(x):
    items, most = x.tolist(), 0
    for i in range(len(items)):
        first = items[most]
        if items[i] > first:
            most = i
            items[i] -= 1
        items[most] = first + items[most]
    return items, most


def of_values(x):
    values, total = {}, 0
    for v in x.tolist():
        before = values.get(v, 1)
        values[v] = v + 3
        total += before
        if v in values:
            kept = values[v]
            values[v] = 0
            total += kept
    return values, total


def until_it_is_less(x):
    one, other = [0] * len(x), [1] * len(x)
    for i in range(len(x)):
        if x[i] < 1:
            one[0] = 5
            one, other = other, one
            break
        one[i] = int(x[i])
        one, other = other, one
    return one, other


def until_it_is_there(x):
    at, last = -1, 0
    for i in range(len(x)):
        if x[i] == 2:
            at = i
            break
        last = i
    return at, last


def selected(x):
    items = x.tolist()
    for i in range(len(items)):
        least = i
        for j in range(i + 1, len(items)):
            if items[j] < items[least]:
                least = j
        items[i], items[least] = items[least], items[i]
    return items


READS = [selected, turned, read_before_it_is_written, before_a_branch, of_values, until_it_is_less, until_it_is_there]


@pytest.mark.parametrize("function", READS)
def test_items_are_read_before_what_is_written_after_them(function):
    program = export(function, (np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 0]),), unroll=2)
    run, plain = program.module(), make_module(program, True, threads=0)
    for seed in range(20):
        x = np.random.default_rng(seed).integers(0 if seed % 2 else 1, 7, 12)
        assert repr(run(x)) == repr(plain(x)) == repr(function(x))


def test_items_that_are_read_once_stand_where_they_are_used():
    code = export(selected, (np.arange(20),), unroll=2).module().code
    assert re.search(r"if \(\w+\[\w+\] > \w+\[\w+\]\):", code)


@pytest.mark.parametrize("function", [in_waves, merged])
def test_lists_of_short_loops(function):
    program = export(function, (I.copy(),))
    run, plain = program.module(), make_module(program, True, threads=0)
    for data in (I, I[::-1].copy(), np.sort(I), I * 0, I // 2**61):
        for module in (run, plain):
            assert module(data.copy()) == function(data.copy())
    assert ".append(" in run.code
