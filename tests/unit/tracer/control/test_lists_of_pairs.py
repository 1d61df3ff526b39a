"""Lists of values of several kinds in lists that loops fill (``[value, count]``): their items keep
their kinds, and are read and written where they are.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, save
from tests.support.outcomes import outcome


def runs(a: Any) -> Any:
    found: list[Any] = []
    for v in a:
        if found and found[-1][0] == v:
            found[-1][1] += 1
        else:
            found.append([v, 1])
    return found, [count for _, count in found]


def isotonic(x: Any) -> Any:
    blocks: list[Any] = []
    for v in x * 0.5:
        blocks.append([v, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            right, more = blocks.pop()
            left, count = blocks.pop()
            blocks.append([(left * count + right * more) / (count + more), count + more])
    out = []
    for v, count in blocks:
        out.extend([v] * count)
    return np.array(out), len(blocks)


def isotonic_in_place(x: Any) -> Any:
    blocks: list[Any] = []
    for v in x:
        blocks.append([float(v), 1, True])
        while len(blocks) >= 2 and blocks[-1][0] < blocks[-2][0]:
            top = blocks.pop()
            blocks[-1][0] += top[0]
            blocks[-1][1] += top[1]
            blocks[-1][2] = not top[2]
    return blocks


def segments(x: Any) -> Any:
    found: list[Any] = []
    for i, v in enumerate(x):
        if v > 0:
            if not found or found[-1][1] is not None:
                found.append([i, None])
        elif found and found[-1][1] is None:
            found[-1][1] = i
    if found and found[-1][1] is None:
        found[-1][1] = len(x)
    return found


def last_replaced(x: Any) -> Any:
    found: list[Any] = []
    for v in x:
        if found and found[-1][0] > v:
            found[-1] = [v, found[-1][1] + 1]
        else:
            found.append([v, 1])
    return found


def held_until_the_next(a: Any) -> Any:
    found: list[Any] = []
    total = 0
    for v in a:
        if found and found[-1][0] == v:
            last = found[-1]
            last[1] += 1
        else:
            found.append([v, 1])
        last = found[-1]
        total += last[1]
    return found, total


def wider_later(a: Any) -> Any:
    found: list[Any] = []
    for v in a:
        found.append([0, 0])
        if v > 1:
            found[-1][0] += v * 0.5
        if v > 2:
            found[-1] = [v, 1]
    return found


def texts(a: Any) -> Any:
    found: list[Any] = []
    for v in a:
        if v > 2:
            found.append(["many", int(v)])
        elif v == 1:
            found.append(["one", 1])
    if found:
        found[-1][1] += 5
    return found


def all_of_them(a: Any) -> Any:
    found = [[v, 1.5] for v in a if v > 1]
    for row in found:
        row[1] *= 2
        if row[0] > 2:
            row[1] = 0.0
    found.sort(key=lambda row: -row[0])
    if found:
        found[0][1] = 7.0
        del found[0]
    return found, sum(row[1] for row in found)


def at_a_place_of_data(a: Any) -> Any:
    found: list[Any] = []
    for v in a:
        found.append([v, 1])
        if v == 1:
            found.append([v, 2])
    k = int(a[0])
    if k < len(found):
        found[k][1] += 10
        found[k][0] = a[-1]
    return found


def one_of_two(a: Any) -> Any:
    found: list[Any] = []
    for v in a:
        if v or not found:
            found.append([v, 1.0])
    row = found[0] if a[0] > 1 else found[-1]
    row[1] += 3
    return found


def of_lists(a: Any) -> Any:
    found: list[Any] = []
    for v in a:
        if v:
            found.append([v, [0, 1.5]])
        if found:
            found[-1][1][0] += 1
            found[0][1][1] = v * 0.5
    return found


def of_arrays(x: Any) -> Any:
    found = [[np.array([v, 1.0]), 1] for v in x if v > 0]
    for row in found:
        row[0] = row[0] * 2
        row[1] += 1
    return found


def first_in_first_out(a: Any) -> Any:
    waiting: deque[Any] = deque()
    out = []
    for v in a:
        waiting.append([v, 2])
        waiting[0][1] -= 1
        if waiting[0][1] == 0:
            out.append(waiting.popleft()[0])
    return out, len(waiting)


def as_others(a: Any) -> Any:
    found = [[v, 1] for v in a if v]
    if not found:
        return None
    first, count = found[-1]
    return len(found[0]), first, count, list(found[0]), tuple(found[-1]), sum(found[0]), found[0] is found[-1]


PROGRAMS = [
    runs, isotonic, isotonic_in_place, segments, last_replaced, held_until_the_next, wider_later, texts, all_of_them, at_a_place_of_data,
    one_of_two, of_lists, of_arrays, first_in_first_out, as_others,
]  # fmt: skip
GIVEN = [np.array(a) for a in ([0, 0, 1], [3, 1, 1, 0, 2], [2, 2, 2, 2], [1], [3, 3, 0, 1, 2, 2, -1, 1], [0, 0, 0, 0, 0])]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("dynamic", [True, False])
def test_they_are_those_of_eager_execution(program: Any, dynamic: bool, tmp_path: Any) -> None:
    exported = export(program, (GIVEN[1],), dynamic_shapes=({0: Dim("n", min=1)},) if dynamic else None)
    save(exported, tmp_path / "program.np2")
    for run in (exported.module(), load(tmp_path / "program.np2").module()):
        for a in GIVEN:
            if dynamic or len(a) == 5:
                assert outcome(run, (a,)) == outcome(program, (a,))


def _returned_beside(a: Any) -> Any:
    found = [[v, 1] for v in a if v > 0]
    return found, found[-1]


def _replaced_while_held(x: Any) -> Any:
    found: list[Any] = []
    held = None
    for v in x:
        if found and found[-1][0] > v:
            held = found[-1]
            found[-1] = [v, held[1] + 1]
        else:
            found.append([v, 1])
    if held is not None:
        held[1] = 77
    return found, held


def _in_a_slice(a: Any) -> Any:
    found = [[v, 1.0] for v in a if v]
    rest = found[1:]
    rest[0][1] = 5.0
    return found, rest


@pytest.mark.parametrize("program", [_returned_beside, _replaced_while_held, _in_a_slice], ids=lambda program: program.__name__)
def test_what_may_be_one_list_with_another_is_refused(program: Any) -> None:
    with pytest.raises(ExportError) as refusal:
        export(program, (GIVEN[1],))
    assert refusal.value.code == "E103"
