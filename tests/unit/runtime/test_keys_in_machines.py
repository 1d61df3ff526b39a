"""Loops that look for keys among many run in the machine of the C extension, and give what eager execution gives: lists in dicts, keys that
are given up, iterations that are left and taken back, arrays that get longer.
"""

from collections import defaultdict

import numpy as np
import pytest

from npexport import export
from npexport.runtime.machine import loop_machine
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
        return out

    random = np.random.default_rng(0)
    run = export(program, (np.ones(9), np.ones(9))).module()
    for _ in range(5):
        given = random.standard_normal(9), random.standard_normal(9)
        assert outcome(run, given) == outcome(program, given)
