"""The functional form: writes that nobody reads leave no node, and the runtime turns the others back into writes in place."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from npexport import export
from npexport.ir.graph import CALL
from npexport.runtime.planning.plan import plan_memory
from tests.support.arrays_harness import compare

X = np.linspace(0.5, 2.0, 12).reshape(3, 4)


def unread_local(x):
    y = np.zeros(4)
    y[0] = x[0, 0]
    y += x[1]
    return x * 2


def overwritten(x):
    y = np.empty_like(x)
    y[...] = np.sin(x)
    y[:] = np.cos(x)
    y[...] = x * 2
    return y


def overwritten_input(x):
    x[...] = np.exp(x)
    x[...] = 1.0
    return x


def overwritten_part(x):
    y = x.copy()
    y[0, 1:] = np.exp(x[1, 1:])
    y[0, 1:] = np.sin(x[2, 1:])
    y[0, 1:] = 2
    y[1] = 3
    return y


def read_between(x):
    y = x.copy()
    y[...] = 3
    z = y.sum()
    y[...] = 4
    return y, z


def unread_view(x):
    y = x.copy()
    rows = [row for row in y]
    rows[0][...] = 3
    return x * 2


def through_out(x):
    scratch = np.empty_like(x)
    np.sin(x, out=scratch)
    np.multiply(x, 2, out=scratch)
    return scratch


def undone(x):
    y = x.copy()
    old = y[0].copy()
    y[0] = 7
    y[0] = old
    return x * 2


DEAD = {
    unread_local: ["multiply"],
    overwritten: ["zeros_like", "multiply", "setitem"],
    overwritten_input: ["setitem"],
    overwritten_part: ["copy", "setitem", "setitem"],
    read_between: ["copy", "setitem", "sum", "setitem"],
    unread_view: ["multiply"],
    through_out: ["multiply"],
    undone: ["multiply"],
}


@pytest.mark.parametrize("function", DEAD)
def test_dead_writes_vanish(function):
    program = export(function, (X.copy(),))
    calls = [node.target.name for node in program.graph.nodes if node.op == CALL]
    assert calls == DEAD[function]
    expected, found = X.copy(), X.copy()
    compare(function(expected), program.module()(found))
    np.testing.assert_array_equal(found, expected)


class Dead:
    def __init__(self):
        self.a, self.b = np.zeros(4), np.ones(4)

    def __call__(self, x):
        self.a = np.sin(x)
        self.a = self.b + x
        self.b[...] = np.cos(x)
        self.b[...] = x
        return self.a


def test_dead_writes_of_state_vanish():
    program = export(Dead(), (np.ones(4),))
    calls = [node.target.name for node in program.graph.nodes if node.op == CALL]
    assert sorted(calls) == ["add", "setitem"]
    run, eager = program.module(), Dead()
    for seed in range(3):
        x = np.random.default_rng(seed).random(4)
        np.testing.assert_array_equal(run(x), eager(x))


# Loops that write in place

SIZE, STEPS = 256, 200


def gauss_seidel(a, b, x):
    for i in range(STEPS):
        x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]


def lu(a, b, x):
    for k in range(STEPS):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 : k + 3] -= np.outer(a[k + 1 :, k], a[k, k + 1 : k + 3])


def rows_of_a_new_array(a, b, x):
    out = np.zeros((STEPS, SIZE))
    for i in range(STEPS):
        out[i] = b * i
        out[i, 1:] += out[i - 1, :-1]
    return out


def two_buffers(a, b, x):
    one, two = a.copy(), a.copy()
    for i in range(1, STEPS):
        two[i] = one[i - 1] + b
        one, two = two, one
    return one


def scattered(a, b, x):
    out = a.copy()
    for i in range(STEPS):
        np.add.at(out, ([0, 0, i], [i, i, 0]), 1.0)
        out[i, [3, 5]] = b[[5, 3]]
    return out


class Cache:
    def __init__(self):
        self.k = np.zeros((STEPS, SIZE))
        self.table = {"v": [np.zeros((SIZE, STEPS))]}

    def __call__(self, a, b, x):
        for i in range(STEPS):
            self.k[i] = b * i
            self.table["v"][0][:, i] += self.k[i]
        return self.k[:, 0] * 1


@pytest.mark.parametrize("program", [gauss_seidel, lu, rows_of_a_new_array, two_buffers, scattered, Cache()])
def test_loops_write_in_place(program):
    """Two hundred steps take the memory of a few arrays of one step, and the arrays that they are about."""

    def arguments():
        rng = np.random.default_rng(0)
        return rng.random((SIZE, SIZE)) + SIZE * np.eye(SIZE), rng.random(SIZE), np.zeros(SIZE)

    exported = export(program, arguments(), unroll=True)
    plan = plan_memory(exported.graph, exported.graph_signature)
    scatters = [step for step in plan.steps if "scatter" in step.node.target.traits]
    assert len(scatters) >= STEPS - 1
    assert sum(step.place is None for step in scatters) <= 1  # two equal arrays are one until one of them is written to
    run, given, expected = exported.module(), arguments(), arguments()
    tracemalloc.start()
    found = run(*given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    wanted = program(*expected)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    if wanted is not None:
        np.testing.assert_array_equal(found, wanted)
    assert peak < 4 * SIZE * SIZE * 8


# Never in place


def input_read_later(x):
    y = x
    z = y.copy()
    z[0] = 1
    return z, y * 2


def value_used_later(x):
    y = x * 2
    z = y.copy()
    z[0] = 5
    return y + z


def output_too(x):
    y = x * 2
    z = y.copy()
    y[0] = 5
    return y, z, y * 1


CONSTANT = np.arange(4.0)


def constant(x):
    y = CONSTANT.copy()
    y[0] = x[0, 0]
    return y, CONSTANT * 1


@pytest.mark.parametrize("function", [input_read_later, value_used_later, output_too, constant])
def test_what_is_read_later_is_not_written(function):
    run = export(function, (X.copy(),)).module()
    for _ in range(2):
        given = X.copy()
        for one, other in zip(run(given), function(X.copy()), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(given, X)
    np.testing.assert_array_equal(CONSTANT, np.arange(4.0))
