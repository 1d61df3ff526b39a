"""Items of lists, tuples, texts and dicts at places that only the data know: as eager execution reads and writes them."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, save
from tests.support.comparison import said

DATA = [np.array(data) for data in ([1, 0, 3, 2], [3, 3, 0, 1], [0, 2, 2, 0], [-1, -4, 1, 2], [4, 0, 1, 1], [0, 0, -5, 3])]
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def numbers(x):
    table, truths = [1.0, 0.5, -0.0, float("nan")], (True, False, True, True)
    return [table[int(i)] for i in x[:3]], truths[int(x[3])], (10, 20, 30, 40)[x[0]]


@case
def scalars(x):
    rows = [x[0] * 0.5, x.mean(), x.max() + 0.25, np.float64(3)]
    return rows[int(x[1])], rows[x[2]]


@case
def of_either_kind(x):
    out, count = [0.0] * 4, 0
    for i in range(4):
        if x[i] > 0:
            out[count] = x[i] / 2
            count += 1
    return np.array(out), count, out[count - 1] + x[0]


@case
def counts(x):
    found, halves = [0] * 4, [0.0] * 4
    for v in x:
        found[int(v)] += 1
        halves[v] += 0.5
    return found, halves


@case
def parts(x):
    rows, first, last = [0.5, -0.0, 2.0, 7.0], int(x[0]), x[1]
    rest = rows[first:]
    rest.append(9.0)
    return rows[:first] + rows[first + 1 :], rest, rows[-first:last], sum(rows[:last]), rows[::-1][first:], len(rows[last:2])


@case
def removed(x):
    rows, ranks = x.tolist(), [3, 1, 0, 2]
    rows.remove(max(rows))
    del ranks[x[3]]
    ranks.remove(int(x[2]))
    return rows, ranks


@case
def searched_from_a_place(x):
    rows = x.tolist()
    for i in range(3):
        j = rows.index(min(rows[i:]), i)
        rows[i], rows[j] = rows[j], rows[i]
    return rows, rows.index(rows[3], -2), (1, 4, x[0], 4).index(4, 2)


@case
def the_only_place(x):
    q = 3 + np.argmax(x[3:])
    return [5, 6, 7, 8][q], [5, 6, 7, 8][2 + x[:1].argmin()]


@case
def arrays(x):
    layers = [x * 2.0, x + 1.0, x - 1.0, np.zeros(len(x))]
    return layers[int(x[0])] + layers[int(x[1])].sum()


@case
def rows_of_rows(x):
    table = [[0, 1, 2, 3], [2, 0, 1, 1], [1, 2, 3, 0], [3, 3, 0, 2]]
    state = 0
    for v in x:
        state = table[state][int(v)]
    return state


@case
def rows_are_one_object(x):
    grid = [[0] * 4 for _ in range(4)]
    row = grid[int(x[0])]
    row[1] = 5
    grid[0][1] += 2
    row[int(x[1])] += 7
    other = grid[int(x[2])]
    return row[1], other[1], grid, len(row)


@case
def a_row_is_replaced(x):
    grid = [[1, 2], [3, 4], [5, 6], [7, 8]]
    new = [9, 9]
    grid[int(x[0])] = new
    new[0] = 10
    return grid[0][0], grid[int(x[1])][0], grid[3][1]


@case
def tuples(x):
    pairs = [(1, 0.5), (2, 1.5), (3, 2.5), (4, 3.5)]
    count, weight = pairs[int(x[0])]
    return count, weight * x


@case
def texts(x):
    names = ["low", "middle", "high", "top"]
    return names[int(x[0])], "abcd"[int(x[1])] + "!", names[int(x[0])] == "high"


@case
def functions(x):
    return [np.sin, np.cos][min(abs(int(x[0])), 1)](x.astype(float))


@case
def dicts(x):
    cost = {0: 1.0, 1: 2.5, 2: 3.0, 3: 0.25}
    return [cost[int(v)] for v in x[:2]], cost.get(int(x[2]), 9.0), int(x[3]) in cost


@case
def histogram(x):
    found = {k: 0 for k in range(4)}
    for v in x:
        found[int(v)] += 1
    return found


@case
def links(x):
    after = [int(v) for v in x]
    place = 0
    for _ in range(6):
        place = after[place]
    return place


@case
def sorted_in_place(x):
    a = x.astype(float).tolist()
    for i in range(1, 4):
        key, j = a[i], i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@case
def two_ends(x):
    a = [float(v) for v in x[:4]]
    i, j = 0, 3
    while i < j:
        if a[i] > 0:
            i += 1
        else:
            a[i], a[j] = a[j], a[i]
            j -= 1
    return a, i


@case
def whole_lists(x):
    rows, first, second = {j: [j, j * 2, int(x[1])] for j in range(3)}, [1, 2], [3, 4]
    row = rows.get(int(x[0]) % 4, [7, 8, 9])
    other = [first, second][int(x[2]) % 2]
    before = tuple(other)
    other[1] = 9
    return tuple(row), len(row), 1 in row, sum(row), before, first, second


@case
def parts_of_numbers_of_several_kinds(x):
    rows = [2, -0.0, 2.0, 7]
    rest = rows[int(x[0]) :]
    rest.append(9.0)
    return rest, rows[: int(x[3])], len(rest)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", CASES)
def test_items_are_those_of_eager_execution(name, dynamic, tmp_path):
    f = CASES[name]
    if dynamic and name in ("histogram", "sorted_in_place"):
        pytest.skip("the loop over all items, or their list, is of a fixed length")
    program = export(f, (DATA[0],), dynamic_shapes=({0: Dim("n", min=4)},) if dynamic else None)
    save(program, tmp_path / "program.np2")
    runs = [program.module(), load(tmp_path / "program.np2").module()]
    for x in [*DATA, *([np.array([1, 2, 3, 0, 2, 1])] if dynamic else [])]:
        for run in runs:
            assert repr(said(run, x.copy())) == repr(said(f, x.copy()))


def _written_later(x):
    parts = [x * 2.0, x + 1.0]
    part = parts[int(x[0])]
    part[0] = 7
    return parts[0], part


REFUSED = {
    "an array is written": _written_later,
    "a row is gone over": lambda x: sum(v for v in [[1, 2], [3, 4]][int(x[0])]),
    "kinds": lambda x: [1, 2.0][int(x[0])],
    "a new key": lambda x: {1: 2}.__setitem__(int(x[0]), 3),
    "text keys": lambda x: {"a": 1}[int(x[0])],
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(ExportError) as caught:
        export(REFUSED[name], (DATA[0],))
    assert caught.value.code in ("E103", "E104"), caught.value
