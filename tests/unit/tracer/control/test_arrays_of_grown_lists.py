"""Arrays that a side of a branch, or an iteration, makes of a list whose length data decide: in
memory of their own.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome


def grown(x):
    out = [x[0]]
    if x[1] > 0:
        out.append(x[1])
    if x[2] > 0:
        out.append(x[2])
    return out


def the_array_is_written(x):
    out = grown(x)
    y = np.zeros(1)
    if x[3] > 0:
        y = np.array(out)
        y[0] = 99.0
    return y, out[0], np.array(out)


def another_is_made_behind_it(x):
    out = grown(x)
    if x[3] > 0:
        y = np.array(out)
        y *= 2
        z = np.array(out)
    else:
        y = z = np.zeros(2)
    return y.sum(), z.sum(), sum(out)


def in_iterations(x):
    out, total = grown(x), 0.0
    for v in x:
        if v > 0.2:
            y = np.array(out)
            y[0] += v
            total += y.sum() + out[0]
    return total, np.array(out)


def the_list_is_written(x):
    out, y = grown(x), x
    if x[3] > 0:
        y = np.array(out)
        out[0] = 99.0
    return y.sum(), y[0], np.array(out)


def written_behind_the_branch(x):
    out, y = grown(x), x * 2
    if x[3] > 0:
        y = np.array(out)
    y[0] = 99.0
    return y, np.array(out)


def in_a_loop_on_data(x):
    out, k, y = grown(x), 0, x
    while k < 3 and x[k] > 0:
        y = np.array(out)
        out[0] = out[0] + 1
        y[0] = -50.0
        k += 1
    return y.sum(), np.array(out)


def the_input_if_there_are_none(x):
    out = []
    if x[0] > 0.3:
        out.append(x[0])
    if x[1] > 0.3:
        out.append(x[1])
    return np.array(out) if out else x


PROGRAMS = [
    the_array_is_written, another_is_made_behind_it, in_iterations, the_list_is_written, written_behind_the_branch, in_a_loop_on_data,
    the_input_if_there_are_none,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_nobody_sees_what_is_written_to_it(program):
    rng = np.random.default_rng(0)
    module = export(program, (rng.normal(size=5),)).module()
    for _ in range(16):
        x = (rng.normal(size=5),)
        assert outcome(module, x, memory=True) == outcome(program, x, memory=True)


def test_a_heap_of_tuples_with_one_array_is_refused_with_a_code():
    def f(x):
        weights, heap = np.ones(3), []
        for v in x:
            heapq.heappush(heap, (int(v), weights))
        return heap[0][0]

    f(np.array([1, 1, 0]))
    with pytest.raises(ExportError) as refusal:
        export(f, (np.array([1, 1, 0]),))
    assert refusal.value.code == "E103"
