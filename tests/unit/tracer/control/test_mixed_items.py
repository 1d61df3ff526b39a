"""Lists whose length data or sizes decide, and whose items are of several kinds: numbers of Python
beside NumPy's, integers beside floats, ``None``, texts. Equal to eager execution in values and
types, exported, saved and loaded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard


def path(x):
    position, found = 0.0, [0.0]
    for step in x:
        position += step
        found.append(position)
        if abs(position) > 1.5:
            break
    return found, np.array(found), len(found)


def history(x):
    loss, w, found = None, x, []
    for _ in range(5):
        found.append(loss)
        loss = (w * w).sum()
        if loss < 0.5:
            found.append("converged")
            break
        w = w * 0.6
    return found


def adaptive(x):
    t, h, times, sizes = 0.0, 0.5, [0.0], []
    while t < 1.0:
        error = abs(np.sin(t * 3) * x[0]) + 0.01
        if error < 0.4 or h <= 0.05:
            t += h
            times.append(t)
        sizes.append(h)
        h = min(1.0 - t, h * min(2.0, 0.3 / error)) if t < 1.0 else 0.0
        h = max(h, 0.05)
    return np.array(times), sizes


def distances(x):
    found = [float("inf")] * len(x)
    found[0] = 0
    for place in range(1, len(x)):
        if x[place] > 0:
            found[place] = found[place - 1] + 1
        elif x[place] < -0.9:
            found[place] = x[place]
    return found


def parents(x):
    found = [None] * len(x)
    for place in range(1, len(x)):
        if x[place] > x[place - 1]:
            found[place] = place - 1
    count = 0
    for each in found:
        if each is not None:
            count += each
    return found, count


def moves(x):
    found, i = [], 0
    while i < len(x):
        if x[i] > 0.5:
            found.append(("up", i))
        elif x[i] < -0.5:
            found.append(("down", i))
        else:
            found.append(("stay", 0))
            i += 1
        i += 1
    ups = 0
    for name, place in found:
        if name == "up":
            ups += place
    return found, ups


def both_lists(x):
    low, high = [0.0], []
    for v in x:
        if v > 0:
            high.append(v)
        else:
            low.append(1.0)
    return low + high, max(low + high)


def last_of_either(x):
    found = [0]
    for v in x:
        if v > found[-1]:
            found.append(float(v))
    return found, found[-1] * 2, max(found)


def as_floats(x):
    found = [0]
    for v in x:
        if v > 0:
            found.append(v)
    return np.array(found, dtype=float), np.array(found, float).sum()


def scalars_first(x):
    found = [x[0] > 0]
    for v in x:
        if v > 0:
            found.append(bool(v > 0.5))
        found.append(v > 1)
    found[len(found) // 2] = found[-1]
    return found, found[0], found[1], sum(found)


def numbers_first(x):
    found = [bool(x[0] > 0)]
    for v in x:
        if v > 0:
            found.append(v > 0.5)
    found[len(found) // 2] = found[-1]
    return found, found[0], found[-1], sum(found)


def of_three_kinds(x):
    return [0 if v < 0 else (1 if v < 0.5 else v) for v in x.tolist()], np.array([min(max(v, 0), 1) for v in x.tolist()], float)


def sums_of_kinds(x):
    values = (1e16 * x).tolist()
    first = sum(max(0, v) for v in values), sum([True if v > 1 else v for v in values], 0.5)
    return *first, sum([int(v) if v < 0 else v for v in values]), sum([2 if v > 0 else 3 for v in values])


def written(x):
    text = ""
    for v in x.tolist():
        text += "x" if v > 0 else "--"
    return text, "".join("1" if v > 0 else "0" for v in x), " ".join(["hi" if v > 1 else "lo" if v < 0 else "mid" for v in x.tolist()])


PROGRAMS: list[Callable[..., Any]] = [
    path, history, adaptive, distances, parents, moves, both_lists, last_of_either, as_floats, scalars_first, numbers_first, of_three_kinds,
    sums_of_kinds,
]  # fmt: skip


def arguments(size: int) -> list[np.ndarray[Any, Any]]:
    values = np.sin(np.arange(size) * 1.3 + 0.5)
    return [values, -values, np.abs(values) + 0.1, np.zeros(size), -np.abs(values), 3 * values[::-1], np.sort(values)]


def required(run: Any, program: Callable[..., Any], sizes: tuple[int, ...]) -> None:
    for size in sizes:
        for x in arguments(size):
            assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("program", shard([*PROGRAMS, written], 2))
def test_known_sizes(program: Callable[..., Any]) -> None:
    required(reloaded(export(program, (np.zeros(5),))).module(), program, (5,))


@pytest.mark.parametrize("program", shard(PROGRAMS, 2))
def test_dynamic_sizes(program: Callable[..., Any]) -> None:
    required(export(program, (np.zeros(5),), dynamic_shapes={"x": {0: Dim("n", min=1)}}).module(), program, (1, 2, 5, 12))


@pytest.mark.parametrize("function", [np.argmin, np.sort, np.median, np.std, np.cumsum, np.unique, np.any, np.diff])
def test_functions_make_arrays_of_lists_whose_items_are_of_either_kind(function: Callable[..., Any]) -> None:
    def ratios(x):
        return function([each / x[2] if each > 0 else 9.0 for each in (x[0], x[1], x[2])])

    def counts(x):
        return function([int(each) if each > 0 else each.astype(int) for each in (x[0], x[1], x[2])])

    for program in (ratios, counts):
        module = export(program, (np.ones(3),)).module()
        for data in ((1.0, 2.0, 4.0), (-1.0, 2.0, 0.5), (3.0, -2.0, -1.0), (-1.0, -2.0, -3.0)):
            assert outcome(module, (np.array(data),)) == outcome(program, (np.array(data),))


def padded(x):
    return list(itertools.zip_longest(x, [1, 2], fillvalue=-1))


def never_larger(x):
    found = []
    for place in range(len(x)):
        found.append(7 if x[place] > 1 else x[place])
    return found


@pytest.mark.parametrize("program", [padded, never_larger])
def test_items_of_numpy_beside_integers_may_be_what_no_integer_is(program: Callable[..., Any]) -> None:
    run = export(program, (np.zeros(5),), dynamic_shapes={"x": {0: Dim("n", min=1)}}).module()
    for value in (np.nan, np.inf, -np.inf, 1e300, 0.5):
        for size in (1, 2, 3, 7):
            x = np.full(size, value)
            assert outcome(run, (x,)) == outcome(program, (x,))
