"""Loops that look for keys among many run in the machine of the C extension, and give what eager execution gives: lists in dicts, keys that
are given up, iterations that are left and taken back, arrays that get longer.
"""

import warnings
from collections import defaultdict

import numpy as np
import pytest

from npexport import export
from npexport.runtime.kernels import list_rows
from npexport.runtime.machine import loop_machine
from tests.support.comparison import said_and_warned
from tests.support.outcomes import outcome

pytestmark = pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")


def lists_in_a_dict(x):
    groups = {}
    for i, v in enumerate(x.tolist()):
        if v not in groups:
            groups[v] = []
        groups[v].append(i)
    return max(len(group) for group in groups.values())


def lists_by_default(x):
    groups = defaultdict(list)
    for v in x.tolist():
        groups[v % 40].append(v)
    return groups


def sums_of_lists(x):
    groups = {}
    for v in x.tolist():
        groups.setdefault(v % 50, []).append(v)
    return {key: sum(group) for key, group in groups.items()}


def first_seen_twice(x):
    seen = set()
    for v in x.tolist():
        if v in seen:
            return v
        seen.add(v)
    return -1


def least_recently_used(x):
    kept, hits = [], 0
    for v in x.tolist():
        if v in kept:
            hits += 1
            kept.remove(v)
        elif len(kept) == 30:
            kept.pop(0)
        kept.append(v)
    return hits, np.array(kept)


def given_up(x):
    kept = {}
    for i, v in enumerate(x.tolist()):
        if v % 3 == 0 and v in kept:
            del kept[v]
        else:
            kept[v] = kept.get(v, 0) + i
    return len(kept), sum(kept.values())


def left_for_one_iteration(x):
    counts, total = {}, 0
    for i, v in enumerate(x.tolist()):
        counts[v] = counts.get(v, 0) + i
        total += counts[v] // (v % 50 * 2 - 15)  # by -1, which the machine leaves to Python
    return total, len(counts)


def until_a_number_comes_again(x):
    n, seen = int(x[0]) + 10**6, set()
    while n not in seen:
        seen.add(n)
        n = (n * n + 1) % 5003
    return n, len(seen)


PROGRAMS = [
    lists_in_a_dict, lists_by_default, sums_of_lists, first_seen_twice, least_recently_used, given_up, left_for_one_iteration,
    until_a_number_comes_again,
]  # fmt: skip


OTHERWISE = (given_up, least_recently_used, left_for_one_iteration, until_a_number_comes_again)
"""What Python does, or goes on with."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_eagerly(program, monkeypatch):
    said, machine_of = [], loop_machine.machine_of

    def watched(*args):
        machine = machine_of(*args)

        def call(*values):
            result = machine(*values)
            said.append(result[0])
            return result

        return call

    monkeypatch.setattr(loop_machine, "machine_of", watched)
    run = export(program, (np.arange(400),)).module()
    for seed in range(12):
        random = np.random.default_rng(seed)
        x = random.integers(0, random.choice((5, 60, 1000, 1 << 40)), 400)
        assert outcome(run, (x,)) == outcome(program, (x,))
    assert said.count(loop_machine.DONE) > 3 or program in OTHERWISE


@pytest.mark.parametrize("make", [np.zeros_like, np.ones_like, lambda x: np.full_like(x, -1.5), lambda x: np.full_like(x, np.nan)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?", "c16", ">f8", "f2"])
def test_arrays_like_others_lie_like_them(make, dtype):
    x = np.arange(24).reshape(4, 6).astype(dtype)
    run = export(make, (x,)).module()
    with np.errstate(all="ignore"):
        for given in (x, np.asfortranarray(x), x.repeat(2, axis=0)[::2], x[::-1], x[:, ::-1]):
            try:
                wanted = make(given)
            except ValueError:
                pytest.skip("NumPy refuses the number")
            found = run(given)
            assert (found.dtype, found.strides, found.tobytes()) == (wanted.dtype, wanted.strides, wanted.tobytes())


def test_masks_of_ufuncs_with_one_operand_and_two():
    def program(x, y):
        out = np.full_like(x, -1.0)
        np.divide(x, y, out=out, where=y > 0)
        np.sqrt(x, out=out, where=x > 1)
        np.add(out, y, out=out, where=x < 0)
        np.maximum(out, y, out=out, where=y > 1)
        return out

    random = np.random.default_rng(0)
    run = export(program, (np.ones(9), np.ones(9))).module()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy's, of a third operand of its maximum
        for _ in range(5):
            given = random.standard_normal(9), random.standard_normal(9)
            assert outcome(run, given) == outcome(program, given)


@pytest.mark.parametrize("kind", ["i8", "f8", "?"])
@pytest.mark.parametrize("rows", [0, 1, 5, 16, 17, 40])
def test_few_rows_are_searched_as_many_are(rows, kind):
    random = np.random.default_rng(rows)
    column = random.integers(0, 12, rows).astype(kind)
    if rows and kind == "f8":
        column[random.integers(0, rows, 2)] = np.nan, -0.0
    for key in (0, 3, 11, 50, 0.0, np.nan, True, np.int64(3), np.float64(5.0)):
        for count in (-1, 0, rows // 2, rows):
            equal = np.flatnonzero(column[: max(count, 0)] == key)
            assert list_rows.row_place((column,), (key,), count) == (equal[0] if equal.size else max(count, 0))


def test_errors_are_heard_of_as_eagerly():
    def program(x, y):
        return np.isfinite(x / y), np.sqrt(x) / y - 1, np.log(np.abs(y)) * 2

    x, y = np.array([1.0, 0.0, -1.0, 4.0] * 8), np.array([0.0, 0.0, 2.0, 1e-320] * 8)
    run = export(program, (np.ones(32), np.ones(32))).module()
    for state in ({"all": "ignore"}, {"all": "warn"}, {"divide": "warn", "invalid": "ignore"}, {"invalid": "raise"}, {"over": "raise"}):
        with np.errstate(**state):
            assert repr(said_and_warned(run, x, y)) == repr(said_and_warned(program, x, y))
