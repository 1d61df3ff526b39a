"""Lists that are items of lists that loops fill, and that variables hold meanwhile: `for r in rows`,
`best = rows[k]`, `rows.append(last)`. What is written to one is in the other.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome


def counted(a: Any) -> Any:
    rows: list[Any] = []
    for v in a:
        for r in rows:
            if r[0] == v:
                r[1] += 1
                break
        else:
            rows.append([v, 1])
    return rows


def found_first(x: Any) -> Any:
    clusters: list[Any] = []
    for v in x:
        found = False
        for c in clusters:
            if abs(c[0] - v) < 1.0:
                c[0] = (c[0] * c[1] + v) / (c[1] + 1)
                c[1] += 1
                found = True
                break
        if not found:
            clusters.append([v, 1])
    return clusters


def found_by_a_helper(x: Any) -> Any:
    def find(clusters: list[Any], v: Any) -> Any:
        for c in clusters:
            if abs(c[0] - v) < 1.0:
                return c
        return None

    clusters: list[Any] = []
    for v in x:
        c = find(clusters, v)
        if c is None:
            clusters.append([float(v), 1])
        else:
            c[1] += 1
    return clusters


def grown_intervals(a: Any) -> Any:
    found: list[Any] = []
    for v in a * 2:
        for each in found:
            if each[0] - 2 <= v <= each[1] + 2:
                each[0] = min(each[0], v)
                each[1] = max(each[1], v)
                break
        else:
            found.append([v, v])
    return found


def the_most_frequent(a: Any) -> Any:
    rows: list[Any] = []
    for v in a:
        for k in range(len(rows)):
            if rows[k][0] == v:
                rows[k][1] += 1
                break
        else:
            rows.append([int(v), 1])
    best = rows[0]
    for r in rows:
        if r[1] > best[1]:
            best = r
    best[1] += 100
    return best[0], best[1], [r[1] for r in rows]


def put_in_and_held(x: Any) -> Any:
    groups: list[Any] = []
    last = [float(x[0]), 1]
    groups.append(last)
    for v in x[1:]:
        if abs(v - last[0]) < 1:
            last[0] += v
            last[1] += 1
        else:
            last = [v * 1.0, 1]
            groups.append(last)
    return groups, last is groups[-1]


def one_again(a: Any) -> Any:
    rows: list[Any] = []
    same, before = 0, None
    for v in a:
        hit = None
        for r in rows:
            if r[0] == v:
                hit = r
                break
        if hit is None:
            hit = [v, 0]
            rows.append(hit)
        hit[1] += 1
        if hit is before:
            same += 1
        before = hit
    return rows, same


def held_before_the_loop(x: Any) -> Any:
    rows = [[0.0, 0], [1.0, 0]]
    low, high = rows
    for v in x:
        t = low if v < 0.5 else high
        t[0] += v
        t[1] += 1
        if t[1] > 2:
            rows.append([v, 9])
    return [row[0] for row in rows], [row[1] for row in rows], low[1], high[0]


def longer_while_it_is_held(x: Any) -> Any:
    out: list[Any] = []
    for v in x:
        row = [v]
        out.append(row)
        if v > 0:
            row.append(v * 2)
    return out


def a_row_that_stays_is_put_in_again(x: Any) -> Any:
    row, out = [x[0], x[1]], []
    for v in x:
        if v > 0:
            out.append(row)
    return len(out), out[0][0] if out else None


def a_list_that_is_known_at_first(a: Any) -> Any:
    rows = [[0, 0], [1, 0]]
    for v in a:
        for h in rows:
            if abs(h[0] - v) < 2:
                h[1] += 1
                break
        else:
            rows.append([v, 0])
    return rows, h[1]


def kept_in_another_list(a: Any) -> Any:
    rows: list[Any] = [[0, 0], [1, 0]]
    seen = []
    for v in a[:3]:
        for h in rows:
            if abs(h[0] - v) < 2:
                h[1] += 1
                break
        else:
            rows.append([v, 0])
            for q in seen:
                q[1] += 10
        seen.append(h)
    return rows


class Table:
    def __init__(self) -> None:
        self.rows: list[Any] = []

    def find(self, v: Any) -> Any:
        for r in self.rows:
            if r[0] == v:
                return r
        r = [v, 0]
        self.rows.append(r)
        return r


def found_or_begun_by_a_method(a: Any) -> Any:
    table = Table()
    for v in a:
        table.find(v)[1] += 1
    return table.rows


PROGRAMS = [
    counted, found_first, found_by_a_helper, grown_intervals, the_most_frequent, put_in_and_held, one_again, held_before_the_loop,
    longer_while_it_is_held, found_or_begun_by_a_method,
]  # fmt: skip


def moved(a: Any) -> Any:
    rows: list[Any] = [[9, 0]]
    r = rows[0]
    for v in a:
        if v > 1:
            rows.insert(0, [v, 0])
        r[1] += 1
    return rows, r


def deleted(a: Any) -> Any:
    rows: list[Any] = []
    for v in a:
        rows.append([v, 0])
        r = rows[0]
        if v == 2 and len(rows) > 1:
            del rows[0]
        r[1] += 1
    return rows


def in_two_lists(x: Any) -> Any:
    rows: list[Any] = []
    big: list[Any] = []
    for v in x:
        row = [v, 1]
        rows.append(row)
        if v > 0:
            big.append(row)
            row[1] += 1
    return [row[1] for row in rows], [row[1] for row in big]


def exchanged(a: Any) -> Any:
    rows = [[int(v), 0] for v in a]
    first = rows[0]
    for i in range(len(rows) - 1):
        if rows[i][0] > rows[i + 1][0]:
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
            first[1] += 1
    return rows, first


def returned_twice(a: Any) -> Any:
    rows: list[Any] = []
    last = None
    for v in a:
        if last is not None and last[0] == v:
            last[1] += 1
        else:
            last = [v, 1]
            rows.append(last)
    return rows, last


NOT_YET = [
    a_list_that_is_known_at_first,
    kept_in_another_list,
    a_row_that_stays_is_put_in_again,
    moved,
    deleted,
    in_two_lists,
    exchanged,
    returned_twice,
]
"""Programs that are refused, or equal."""


def given(program: Any, n: int, seed: int) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    made = {"a": lambda: random.integers(0, 4, n), "x": lambda: np.round(random.normal(size=n) * 2, 1)}
    return tuple([made[name]() for name in inspect.signature(program).parameters])


def forms(program: Any, dynamic: bool) -> Any:
    """The exported program in several forms, and the sizes that it is called with."""
    shapes = ({0: Dim("n", min=2)},) if dynamic else None
    found = export(program, given(program, 5, 0), dynamic_shapes=shapes)
    return [found.module(), reloaded(found).module(), found.run_decompositions().module()], (5, 2, 3, 8, 4, 12) if dynamic else (5,) * 6


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_is_written_to_one_is_in_the_other(program: Any, dynamic: bool) -> None:
    modules, sizes = forms(program, dynamic)
    for seed, n in enumerate(sizes):
        arguments = given(program, n, seed)
        for module in modules:
            assert outcome(module, arguments) == outcome(program, arguments)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", NOT_YET, ids=lambda program: program.__name__)
def test_others_are_refused_or_equal(program: Any, dynamic: bool) -> None:
    try:
        modules, sizes = forms(program, dynamic)
    except ExportError:
        return
    for seed, n in enumerate(sizes):
        arguments = given(program, n, seed)
        for module in modules:
            assert outcome(module, arguments) == outcome(program, arguments)
