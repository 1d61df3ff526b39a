"""What is looked up in lists of keys is what the operator finds in arrays, whatever was written before."""

import random

import numpy as np
import pytest

from npexport import Dim, export
from npexport.runtime.kernels import list_rows
from npexport.runtime.lists import key_columns
from npexport.runtime.machine import loop_machine
from npexport.runtime.modules.module import make_module


@pytest.mark.parametrize("width", [1, 2])
def test_searches_are_those_of_arrays(width):
    choose = random.Random(width)
    kind = key_columns.KeyColumn if width == 1 else key_columns.KeyPart
    for _ in range(300):
        lists = [kind([0] * 6) for _ in range(width)]
        arrays = [np.zeros(6, np.int64) for _ in range(width)]
        for _ in range(choose.randrange(30)):
            place, count, key = choose.randrange(6), choose.randrange(-1, 7), tuple(choose.randrange(3) for _ in range(width))
            if choose.random() < 0.5:
                for column, array, number in zip(lists, arrays, key, strict=True):
                    column.put(place, number)
                    array[place] = number
            elif choose.random() < 0.1:
                lists = [kind(column) for column in lists]
            else:
                some = choose.sample(range(width), width)
                columns, numbers = tuple(lists[part] for part in some), tuple(key[part] for part in some)
                found = columns[0].find(key[0], count) if width == 1 else key_columns.row_place(columns, numbers, count)
                assert found == list_rows.row_place(tuple(arrays[part] for part in some), numbers, count)


def counted(x):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    return counts


def of_scalars(x):
    seen, firsts = set(), []
    for v in x:
        if v not in seen:
            seen.add(v)
            firsts.append(v)
    return firsts


def of_pairs(x):
    counts = {}
    items = x.tolist()
    for i in range(len(items) - 1):
        pair = (items[i], items[i + 1])
        if pair in counts:
            counts[pair] += 1
        else:
            counts[pair] = 1
    return counts


def of_two_orders(x):
    counts, turned = {}, 0
    for i in range(1, len(x)):
        a, b = int(x[i - 1]), int(x[i])
        counts[a, b] = counts.get((b, a), 0) + 1
        if (b, a) in counts:
            turned += 1
    return counts, turned


def cleared(x):
    counts, ends = {}, []
    for v in x.tolist():
        counts[v] = len(ends)
        if v == 3:
            counts.clear()
        elif v == 2:
            ends.append(counts.popitem()[0])
    return counts, ends


def emptied(x):
    counts, most = {}, 0
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
        most = max(most, len(counts))
        if v == 3:
            counts.clear()
    return counts, most


def copied(x):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    before = counts.copy()
    for v in x.tolist():
        counts[v + 1] = before.get(v, 0) + counts.get(v + 1, 0)
        before[v] = counts[v]
    return counts, before


def of_floats(x):
    counts = {}
    for v in (x * 0.5).tolist():
        counts[v - 1.0] = counts.setdefault(-(1.0 - v), 0.5) + v
    return counts


def too_large(x):
    sums = {}
    for v in x.tolist():
        sums[v] = sums.get(v, 0) + v * 2**61
    return sums


LISTED = {
    counted: True, of_scalars: True, of_pairs: True, of_two_orders: True, cleared: False, emptied: True, copied: False,
    of_floats: True, too_large: True,
}  # fmt: skip


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("function", LISTED)
@pytest.mark.parametrize("in_machine", [False, True])
def test_dicts_of_loops_are_those_of_eager_execution(function, known, in_machine, monkeypatch):
    if not in_machine:
        monkeypatch.setattr(loop_machine, "_loops", None)
    some = ([], [2], [1, 2, 1, 1, 2], [3, 3, 0, 2, 2, 3, 1, 0], [0] * 9, [*range(40), *range(40)])
    rows = [np.array((x or [0, 4]) * 20 if known else x, np.int64)[: 20 if known else None] for x in some]
    sizes = {} if known else {"dynamic_shapes": {"x": {0: Dim("n")}}}
    program = export(function, (rows[3].copy(),), unroll=2, **sizes)
    run, plain = program.module(), make_module(program, True, threads=0)
    assert in_machine or (".searched" in run.code or ".rows" in run.code or " = {}" in run.code) >= LISTED[function]
    for x in rows:
        try:
            wanted = plain(x)
        except OverflowError as error:
            with pytest.raises(OverflowError, match=str(error)):
                run(x)
            continue
        assert repr(run(x)) == repr(wanted) == repr(function(x))
