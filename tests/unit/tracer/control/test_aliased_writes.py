"""Results that are the caller's or the state's array if data say so, which the program writes to, before or afterwards."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export, load, save, unflatten
from npexport.ir.signature import OutputKind

PROGRAMS, OBJECTS = [], []


def program(f):
    PROGRAMS.append(f)
    return f


def of_state(cls):
    OBJECTS.append(cls)
    return cls


@program
def written_afterwards(x):
    y = x if x[0] > 0 else x.copy()
    y += 1
    return y


@program
def argument_written_afterwards(x):
    y = x if x[0] > 0 else x * 2
    x[0] = 7
    return y


@program
def written_before(x):
    x += 1
    if x.sum() > 1:
        return x
    return x * 2


@program
def part_or_copy(x):
    y = x[1:] if x[0] > 0 else x.copy()
    y *= 2
    return y


@program
def view_of_all(x):
    y = x.view() if x[0] > 0 else x.copy()
    y[0] = 5
    return y


@program
def view_beside_a_view(x):
    a = x[1:]
    y = x[1:] if x[0] > 0 else x[1:] * 2
    x += 1
    return a, y


@program
def one_view_by_two_names(x):
    y, z = x + 1, x * 2
    if x[0] > 0:
        y = x.view()
        z = y
    x[:2] = 5
    return y, z


@program
def one_view_by_two_names_and_another(x):
    w = x[1:]
    y, z = x[1:] + 1, x[1:] * 2
    if x[0] > 0:
        y = w
        z = y
    x[:2] = 5
    return y, z, w, x


@program
def one_part_or_another(x):
    t = x[:2] if x[0] > 0 else x[2:4]
    t += 5
    return t


@program
def reversed_part(x):
    a = x[::-1] if x[0] > 0 else x
    a[0] = 3
    return a


@program
def new_axis(x):
    y = np.atleast_2d(x) if x[0] > 0 else x[None] * 2
    y[0, 0] = 4
    return y


@program
def view_of_what_is_chosen(x):
    y = x if x[0] > 0 else x * 2
    w = y[1:]
    w[0] = 8
    return w


@program
def chosen_twice(x):
    y = x
    if x[0] < 0:
        y = x * 2
    if x[1] < 0:
        y = y + 1
    y[0] = 3
    return y


@program
def written_by_numpy(x):
    y = x if x[0] > 0 else x * 2
    y[1:] = y[:-1]
    np.add(y, 1, out=y)
    y.sort()
    return y[y > 1], y


@program
def written_by_a_handler(x):
    try:
        y = x if x[0] > 0 else np.sqrt(x * x)
        y[0] = 2
        if x[1] > 1:
            raise KeyError("k")
    except KeyError:
        y = x
        y[2] = 7
    return y


@program
def in_a_loop(x):
    for i in range(3):
        if x[i] < 0:
            x = x - x[i]
    x[0] += 1
    return x


@program
def in_a_loop_within_a_branch(x):
    y = x
    for k in range(3):
        if x[k] > 0:
            y = x * k if x[k] > 1 else x
    y[1] = 4
    return y


@program
def on_either_condition(x):
    if x[0] > 0 or x[1] > 0:
        x = x * 2
    x += 1
    return x


@program
def one_of_three(x):
    if x[0] > 0:
        y = x * 4
    elif x[1] > 0:
        y = x
    else:
        y = x * 3
    y[0] = 2
    return y


@program
def returned_early(x):
    if x[0] > 0:
        return x
    x[0] = 1
    if x[1] > 0:
        return x[1:]
    x[1] = 2
    return x.copy()


@program
def one_of_three_of_two(x, z):
    if x[0] > 0:
        y = x if x[1] > 0 else z
    else:
        y = x + z
    y *= 2
    return y


@program
def one_of_two(x, z):
    t = x if x[0] > 0 else z
    t[0] = 9
    return t


@program
def ordered(x, z):
    low, high = x, z
    if low.sum() > high.sum():
        low, high = high, low
    low -= 1
    high *= 2
    return low, high


@program
def several(x, z):
    if x[0] < 0:
        x = np.abs(x)
    x += z
    z[0] = x[1]
    return x[::-1], x


def told(run, arrays, names=()):
    """What is raised or returned, and which arrays are one object, views, or share memory; ``names``: of the state."""
    arrays, error = [array.copy() for array in arrays], ""
    try:
        result = run(*arrays)
    except ValueError as raised:
        error, result = str(raised), ()
    results = result if type(result) is tuple else (result,)
    arrays += [*results, *[getattr(run, name) for name in names]]
    pairs = [(a is b, np.shares_memory(a, b)) for a in arrays for b in arrays]
    return error, [(a.tolist(), a.strides, a.flags.writeable, a.base is not None) for a in arrays], pairs


def runs(program, path):
    """The ways in which a program is run."""
    save(program, path)
    return program.module(), load(path).module(), program.run_decompositions().module(), unflatten(program)


def data(size, count):
    rng = np.random.default_rng(size)
    return [[np.round(rng.normal(size=size) * 2, 1) for _ in range(count)] for _ in range(16)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("sizes", [[4], [4, 5, 7]])
def test_equals_eager(f, sizes, tmp_path):
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    shapes = {name: {0: Dim("n", min=4)} for name in names} if len(sizes) > 1 else None
    exported = export(f, tuple(np.arange(4.0) for _ in names), dynamic_shapes=shapes)
    for run in runs(exported, tmp_path / "program.npe"):
        for arrays in (arrays for size in sizes for arrays in data(size, len(names))):
            assert told(run, arrays) == told(f, arrays), arrays


@of_state
class Best:
    def __init__(self):
        self.a = np.zeros(4)

    def __call__(self, x):
        z = x * 2
        self.a = x if x[0] > 0 else z
        self.a += 1
        return self.a


@of_state
class BestUntilAnError:
    """What the state has become where an exception ends the call is the caller's array, too."""

    def __init__(self):
        self.a = np.zeros(4)

    def __call__(self, x):
        y = x if x[0] > 0 else x * 2
        y += 1
        self.a = y
        if x[1] > 2:
            raise ValueError("large")
        return x * 1


@of_state
class NewUntilAnError:
    def __init__(self):
        self.a = np.zeros(4)

    def __call__(self, x):
        self.a = x if x[0] > 0 else x * 2
        if x[1] > 1:
            raise ValueError("large")
        return self.a.sum()


@of_state
class Exchanged:
    def __init__(self):
        self.a, self.b = np.zeros(4), np.ones(4)

    def __call__(self, x):
        if x[0] > 0:
            self.a, self.b = self.b, self.a
        self.a += x
        return self.a


@of_state
class EitherBuffer:
    def __init__(self):
        self.a, self.b = np.zeros(4), np.ones(4)

    def __call__(self, x):
        t = self.a if x[0] > 0 else self.b
        t[:] = x
        if x[1] > 2:
            raise ValueError(str(x[1]))
        t += 1
        return t


@of_state
class RowOfTheState:
    def __init__(self):
        self.a = np.ones((3, 2))

    def __call__(self, x):
        v = self.a[0] if x[0] > 0 else self.a[1]
        v += x[:2]
        return v, self.a


@pytest.mark.parametrize("cls", OBJECTS, ids=lambda cls: cls.__name__)
def test_state_equals_eager(cls, tmp_path):
    for run in runs(export(cls(), (np.ones(4),)), tmp_path / "program.npe"):
        eager = cls()
        for arrays in data(4, 1):
            assert told(run, arrays) == told(eager, arrays)


@pytest.mark.parametrize("cls", OBJECTS, ids=lambda cls: cls.__name__)
def test_arrays_of_the_state_are_those_of_eager(cls):
    names = [*vars(cls())]
    run, eager = unflatten(export(cls(), (np.ones(4),))), cls()
    for arrays in data(4, 1):
        assert told(run, arrays, names) == told(eager, arrays, names)


def test_the_signature_names_every_array_that_an_output_may_be():
    exported = export(one_of_two, (np.ones(4), np.ones(4)))
    (spec,) = [spec for spec in exported.graph_signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
    assert spec.alias == ("x", "z") == spec.aliases
    exported.graph_signature.replace_all_uses("x", "first")
    assert spec.alias == ("first", "z")


def test_a_view_of_a_side_s_own_is_computed_in_the_sub_graph_only():
    """What a view's node is inside a branch, it is not behind it."""

    def f(x):
        v = x.reshape(2, 2) if x[0] > 0 else np.ones((2, 2))
        v[0] = v[1]
        return v.sum()

    run = export(f, (np.ones(4),)).module()
    for arrays in data(4, 1):
        assert told(run, arrays) == told(f, arrays)


def earlier_row(x, n):
    """A recurrence: each row needs the one before, if there is one."""
    states, start = np.zeros((len(x), 2)), np.full(2, 0.5)
    for step in range(len(x)):
        before = states[step - 1] if step > 0 else start
        states[step] = before * 2 + x[step]
    return states


def row_that_may_not_be_there(x, n):
    rows = x * 1.0
    row = rows[n + 1] if n < 3 else np.zeros(2)
    row[0] = 7
    rows[n] = row * 3
    return rows, row * 2


def rows_that_are_one(x, n):
    rows = x * 1.0
    first = rows[n] if n > 0 else rows[3]
    second = rows[n] if n < 3 else first
    first[...] = rows[0, 0] + 1
    second[...] = x[0]
    return rows, first * 2, second * 2


def rows_in_a_loop(x, n):
    rows = x * 1.0
    for back in range(1, 3):
        row = rows[n - back] if n > back else np.zeros(2)
        rows[n] = row * 2
        row += 1
    return rows, row * 2


@pytest.mark.parametrize("function", [earlier_row, row_that_may_not_be_there, rows_that_are_one, rows_in_a_loop])
def test_rows_whose_place_a_side_computes(function):
    """Which row it is, is computed on the side; what is written to it later is written behind the branch."""

    def f(x, n):
        return function(x, int(n))

    x = np.arange(8.0).reshape(4, 2)
    run = export(f, (x, np.array(1)), dynamic_shapes=({0: Dim.AUTO}, None)).module()
    for n in range(4):
        assert told(run, (x, np.array(n))) == told(f, (x, np.array(n))), n
    if function is earlier_row:
        for rows in (0, 1, 7):
            inputs = np.ones((rows, 2)), np.array(0)
            assert told(run, inputs) == told(f, inputs), rows
