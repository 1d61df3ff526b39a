"""Sides of a branch, and iterations of a loop, whose arrays have other sizes: only the data know those of the result. Equal to eager
execution on data that take every path, however the program is run."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.ir import ops
from tests.support.declaring import declaring
from tests.support.outcomes import outcome
from tests.support.shards import shard

A = np.array([1.0, 2.0, 3.0, 0.5, -1.0])
DATA = [A, -A, A * 3, np.zeros(5), np.array([0.0, 4.0, -1.0, 9.0, 2.0]), np.array([np.nan, 1.0, 2.0, 3.0, 8.0]), np.full(5, 0.25)]
PROGRAMS, DYNAMIC, program, dynamic = declaring()
"""Dynamic ones of any number of elements, too."""


@dynamic
def the_input_or_a_part(x):
    if x.sum() > 0:
        return x[:3]
    return x


@dynamic
def copies(x):
    if x.sum() > 0:
        return x[:3] * 2
    return x * 1


@dynamic
def doubled(x):
    y = np.concatenate([x, x]) if x[0] > 0 else x
    return y + 1, len(y), y.shape[0] * 2


@dynamic
def masked(x):
    mask = x > 1
    if mask.any():
        x = x[mask]
    return x


@program
def listed_but_the_last(x):
    found = [bool(x[0] > 1)]
    for value in x:
        found.append(bool(value > 1))
        if value > 0:
            break
        found.append(bool(value > -1))
    found.pop()
    return np.array(found)[1:]  # of no element it is an array of floats: a size that is negative there


@dynamic
def masked_further(x):
    mask = x > 1
    if mask.any():
        x = x[mask]
    return x + 1, x.sum(), x.size


@dynamic
def two_of_one_length(x):
    y = x * 2
    if x[0] > 0:
        x, y = x[1:] + 0, y[1:] + 1
    return x + y


@program
def in_containers(x):
    held = {"k": [x * 1, 2.0]}
    if x.sum() > 0:
        held["k"][0] = x[:2] * 2
    elif x[1] > 3:
        held["k"][0] = np.concatenate([x, x[:1]])
    return held


class Box:
    def __init__(self, v):
        self.v = v

    def cut(self):
        if self.v[0] > 0:
            self.v = self.v[self.v > 1]


@program
def in_attributes(x):
    box = Box(x * 1)
    box.cut()
    return box.v * 2


@program
def of_two_axes(x):
    if x.sum() > 0:
        y = np.ones((2, 3)) * x[0]
    else:
        y = np.zeros((4, 3))
    return y, y.sum(axis=0), y.shape


@program
def transposed(x):
    y = np.ones((2, 3)) * x[0] if x[0] > 0 else np.zeros((4, 3))
    return y, y.T


@program
def views_on_both_sides(x):
    y = x * 2
    z = y[1:] if x[0] > 0 else y[::2]
    return z.sum(), z[0], np.sort(z)


@program
def one_in_the_other(x):
    if x[0] > 0:
        y = x[1:] if x[1] > 1 else x[:2]
    else:
        y = x
    return y * 2


@program
def written_afterwards(x):
    y = x[1:] * 2 if x[0] > 0 else x * 3
    y[0] = 9.0
    y += 1
    return y


@program
def an_axis_may_be_empty(x):
    y = x[x > 100] if x[0] > 0 else x * 2
    return y, y.max() if len(y) else x[0]


@program
def gone_over(x):
    y = x[1:] if x[0] > 0 else x
    total = 0.0
    for value in y:
        total += value * 2
    return total


@program
def raises_where_it_is_short(x):
    y = x[x > 2] if x[0] > 0 else x
    return y[1] + 1


@program
def dtypes_of_all_kinds(x):
    n = (x * 2).astype(np.int32)
    b = x > 0
    if x[0] > 0:
        n, b = n[:2], b[1:]
    return n, b, np.where(b, 1, 2)


@program
def of_callees(x):
    def pick(v):
        if v[0] > 1:
            return v[1:]
        return v

    return pick(x) + 1, pick(x * 2) * 2


@program
def shared_dead_size(x):
    y = x[1:] if x[0] > 0 else x
    return x * len(y)


# Loops


@dynamic
def filtered(v):
    n = 0
    while v.sum() > 1:
        v = v[v < v.max()]
        n += 1
    return v * 1, n


@program
def longer(v):
    while v.sum() < 10 and len(v) < 20:
        v = np.append(v, 3.0)
    return v * 1


@program
def pairs(v):
    v = v[v > 0]
    while len(v) > 1:
        v = v[::2] + 1
    return v


@program
def one_length_in_all_iterations(v):
    w = v * 2
    while v.sum() > 2:
        keep = v < v.max()
        v, w = v[keep], w[keep] + v[keep]
    return v * 1, w, v.size + w.size


@program
def other_lengths_in_all_iterations(v):
    w = v * 2
    k = 0
    while v.sum() > 2 and k < 3:
        v, w = v[1:], np.append(w, v[0])
        k += 1
    return v * 1, w, k


@program
def halves(v):
    v = v[v > 0]
    while len(v) > 1:
        half = len(v) // 2
        v = v[:half] + v[half : 2 * half]
    return v * 2


@program
def thinned(m):
    m = np.outer(m, m)
    while m.sum() > 2 and len(m):
        m = m[m[:, 0] < m[:, 0].max()]
    return m + 0, m.shape


@program
def branch_in_an_iteration(v):
    k = 0
    while v.sum() > 1 and k < 4:
        k += 1
        if v[0] > 1:
            v = v[1:] * 1
        else:
            v = v / 2
    return v + 0


@program
def left_by_break(v):
    for _ in range(4):
        if v.sum() < 2:
            break
        v = v[: max(len(v) - 1, 1)] * 0.9
    return v + 0


@program
def the_counter_of_data(v):
    for _ in range(int(abs(v[3]))):
        v = np.append(v, v[0])
    return v * 2


# What no iteration changes is the caller's array


@dynamic
def scaled(v):
    while v.max() > 0.5:
        v = v / 2
    return v


@program
def scaled_part(v):
    w = v[1:]
    while w.sum() > 1:
        w = w[::-1] * 0.5
    return w, v


@program
def kept_in_a_dict(v):
    held = {"v": v}
    while held["v"].sum() > 1:
        held["v"] = held["v"] * 0.5
    return held


@program
def with_a_branch(v):
    while v.sum() > 1:
        v = v * 0.5 if v[0] > 1 else v - 1
    return v


@program
def counted(v):
    for _ in range(int(abs(v[3]))):
        v = v + 1
    return v


def runs(exported, tmp_path):
    save(exported, tmp_path / "program.np2")
    loaded = load(tmp_path / "program.np2")
    yield from (exported.module(), loaded.module(), exported.run_decompositions().module())
    names = {}
    exec(compile(exported.to_python(), "<written>", "exec"), names)
    yield names["main"] if "main" in names else names["forward"]


def is_of_data(exported):
    captured = (ops.control.cond, ops.control.while_loop, ops.control.chosen)
    return any(node.target in captured for graph in exported.graph.all_graphs() for node in graph.nodes)


@pytest.mark.parametrize("function", shard(PROGRAMS, 2), ids=lambda f: f.__name__)
def test_equals_eager(function, tmp_path):
    for example in DATA[:2]:
        exported = export(function, (example.copy(),))
        assert is_of_data(exported)
        for run in runs(exported, tmp_path):
            for x in DATA:
                assert outcome(run, (x,)) == outcome(function, (x,))


@pytest.mark.parametrize("function", shard(DYNAMIC, 2), ids=lambda f: f.__name__)
def test_equals_eager_at_other_sizes(function, tmp_path):
    (name,) = function.__code__.co_varnames[:1]
    exported = export(function, (A,), dynamic_shapes={name: {0: Dim("n", min=3)}})
    for run in runs(exported, tmp_path):
        for x in (*DATA, np.arange(-2.0, 5.0), np.ones(9), np.array([0.1, -3.0, 0.2])):
            assert outcome(run, (x,)) == outcome(function, (x,))
