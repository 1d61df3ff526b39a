"""Elements of rows of nested lists are read and written where the whole table lies."""

import numpy as np
import pytest

from npexport import export
from npexport.runtime.modules.module import make_module
from tests.support.outcomes import outcome

X = np.random.default_rng(0).integers(0, 9, (12, 12)).astype(float)


def shortest_ways(x):
    n = len(x)
    d = [[float(v) for v in row] for row in x]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return np.array(d)


def common_parts(x):
    n = len(x)
    table = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(n):
            if x[0, i] == x[1, j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[n][n]


def rows_of_an_argument(x):
    for i in range(1, len(x)):
        for j in range(1, len(x)):
            if x[i][j] > x[i - 1][j - 1]:
                x[i][j] = x[i - 1][j] + x[j][i]
            else:
                x[i - 1][j] = x[i][j - 1]
    return x.sum(axis=0)


def within_two_branches(x):
    y = x.copy()
    for i in range(len(y)):
        row = y[i]
        for j in range(len(y)):
            if row[j] > 2:
                if row[j] > 5:
                    row[j] = -1
                else:
                    y[i][j] = row[0]
    return y


def row_is_kept(x):
    y, total = x.copy(), 0.0
    for i in range(len(y)):
        row = y[i]
        if row[0] > 2:
            row[1] = 7
        total += row.sum()
    return y, total


def places_of_data(x):
    y, order = x.copy(), x[0].astype(int)
    for i in order:
        for j in order:
            if y[i][j] > 3:
                y[i][j] = y[j][i] * 2
    return y


def other_rows(x):
    y = x.copy()
    for i in range(1, len(y)):
        row = y[i]
        if row[0] > 3:
            y[i - 1][0] = row[1]
            row[2] = y[i - 1][0]
    return y


def of_three_axes(x):
    y = np.zeros((3, 4, 12))
    for i in range(3):
        for j in range(4):
            for k in range(12):
                if x[i * 4 + j][k] > 4:
                    y[i][j][k] = x[j][k] - y[i][j - 1][k - 1]
    return y


PROGRAMS = [shortest_ways, common_parts, rows_of_an_argument, within_two_branches, row_is_kept, places_of_data, other_rows, of_three_axes]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_rows_are_those_of_eager_execution(function):
    program = export(function, (X.copy(),), unroll=2)
    run, plain = program.module(), make_module(program, True, threads=0)
    for x in (
        X,
        X.T.copy(),
        X[::-1].copy() * 3,
        np.zeros_like(X),
        np.full_like(X, np.nan) if function is not places_of_data else X * 0 + 1,
    ):
        assert outcome(run, (x,), memory=True) == outcome(plain, (x,), memory=True) == outcome(function, (x,), memory=True)


def test_places_that_rows_have_not_raise_what_eager_execution_raises():
    run = export(places_of_data, (X.copy(),), unroll=2).module()
    for place in (12, -13, 40):
        x = X.copy()
        x[0, 5] = place
        assert outcome(run, (x,)) == outcome(places_of_data, (x,))


def test_a_write_in_a_branch_copies_no_table():
    code = export(shortest_ways, (X.copy(),), unroll=2).module().code
    iteration = code[code.rindex("for v") : code.index("return")]
    assert "in_order" not in iteration and iteration.count("] = ") == 1
