"""Results are computed where they are written, and nobody can tell: random functions of arrays, exported and run by NumPy."""

import random
import re
import threading
import warnings

import numpy as np
import pytest

from npexport import Dim, export
from npexport.runtime.planning import placement
from tests.support.comparison import assert_alike
from tests.support.functions import function_of
from tests.support.memory import peak
from tests.support.outcomes import outcome
from tests.support.random_array_functions import random_arrays, random_function
from tests.support.seeds import fresh_seed
from tests.support.shards import shard


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    monkeypatch.setattr(placement, "LARGE", 0)


def alike(array):
    """A copy with the same strides."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array.copy(order="K")
    result = np.repeat(array, 2, axis=1)[:, ::2]
    result[...] = array
    return result


def sharing(arrays):
    """Which arrays are one, and which share memory."""
    pairs = [(one, other) for place, one in enumerate(arrays) for other in arrays[:place]]
    return [(one is other, isinstance(one, np.ndarray) and np.shares_memory(one, other)) for one, other in pairs]


def check(seed):
    rng = random.Random(seed)
    function, args = random_function(rng, rng.randrange(3, 25)), random_arrays(rng)
    run = export(function, tuple(map(alike, args))).module()
    eager, exported = tuple(map(alike, args)), tuple(map(alike, args))
    for iteration in range(2):
        with np.errstate(all="ignore"):
            expected, found = function(*eager), run(*exported)
        context = f"seed {seed}, call {iteration}\n{run.code}"
        for have, need in zip((*found, *exported), (*expected, *eager), strict=True):
            assert_alike(have, need, context)
            assert have.tobytes() == need.tobytes(), context
        assert sharing([*found, *exported]) == sharing([*expected, *eager]), context


@pytest.mark.fuzz
@pytest.mark.parametrize("block", shard(range(8), 4))
def test_random_functions(block):
    for seed in range(block * 50, block * 50 + 50):
        check(seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", [720_629, 722_112, 219_912_700])
def test_random_functions_that_were_different(seed):
    check(seed)


@pytest.mark.fuzz
def test_fresh_random_functions():
    start = fresh_seed()
    for seed in range(start, start + 50):
        check(seed)


def stencil(old, new):
    new[1:-1] = 0.5 * (old[:-2] + old[2:]) - old[1:-1]


def update(x, y):
    x -= y.mean(axis=0)
    x /= y.std(axis=0)


def write_to_views(x, y):
    row = x[0]
    row[1:] += y[0, 1:]
    x.T[0] = 1.0
    x.reshape(-1)[::2] = 3.0


def fill(x, y):
    result = np.zeros_like(x)
    result[1:] = x[1:] * y[1:] + 1.0
    result[0] += x[0]
    return result


def swap(x, y):
    for row in range(3):
        old = x[row].copy()
        x[row] = x[row + 1]
        x[row + 1] = old
    x[1:] = x[:-1]
    x[:, ::2] = y[:, ::2] * x[:, ::2]


def columns(x, y):
    result = np.zeros(x.shape)
    for column in range(1, 4):
        result[:, column] = result[:, column - 1] * 0.5 + x[:, column] * y[:, column]
    return result


def clip(x, y):
    np.clip(x, 0.6, 0.9, out=x)
    np.cumsum(x, axis=1, out=y)
    y *= 2.0


def centre(x, y):
    z = x + y
    z -= np.average(z, axis=1, weights=None, returned=True)[0][:, None]
    return z


def put_in_order(x, y):
    x.sort(axis=0)
    y.partition(3)
    np.add(x, y, out=x, where=y > 1.0)
    np.negative(y, out=y, where=x > 2.0)
    x.sort()


def write_flat(x, y):
    x.flat[7] = 1.5
    x.flat[3:50:2] = y[1, :24]
    x[2:5].flat[[0, 3]] = 0.0
    y.flat[4] = x[1, 2]


def write_parts(x, y):
    z = x + 1j * y
    z.real += y
    z.imag[2:] *= 3.0
    z[1:].real = z[1:].imag
    z.imag = 0.5
    x[...] = z.real * z.imag
    return z


def write_fields(x, y):
    r = np.zeros(x.shape, [("n", "i4"), ("f", "f8"), ("pair", "f4", (2,))])  # `f` is not aligned
    r["f"] = x
    r["f"] += y
    r["f"][2:] *= 3.0
    r[1:]["f"] = r[:-1]["f"] * y[1:]
    r["n"] = r["f"] * 10
    r["n"][:, 1:] = r["n"][:, :-1]
    r["pair"][..., 0] = y
    r["pair"][..., 1] = r["pair"][..., 0] - r["f"]
    x[...] = r["f"] - r["n"]
    return r


def blend(x, y):
    z = y.copy()
    z[...] = 0.5 * (x + z) - x
    return np.where(z > 0.5, z, 1.0)


def settle(x, y):
    iterations = 0
    x[...] = x + y
    while np.max(x) > 1.0 and iterations < 50:
        x *= 0.9
        iterations += 1
    return iterations


FUNCTIONS = [stencil, update, write_to_views, fill, swap, columns, clip, centre, put_in_order, write_flat, write_parts]
FUNCTIONS += [write_fields, blend, settle]
ORDERS = ["CC", "FF", "CF", "FC"]


def inputs(orders, shape=(40, 30)):
    data = np.random.default_rng(0)
    return tuple(np.array(data.random(shape) + 0.5, order=order) for order in orders)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("function", FUNCTIONS[:-1])  # loops carry arrays in C order
def test_arrays_of_any_order(function, order):
    example = inputs(order if function is write_to_views else "CC")  # it is for inputs in the order of the example alone
    run = export(function, example).module()
    eager, exported = inputs(order), inputs(order)
    expected, found = function(*eager), run(*exported)
    for have, need in zip(exported, eager, strict=True):
        np.testing.assert_array_equal(have, need)
    if expected is not None:
        np.testing.assert_array_equal(found, expected)
        assert found.strides == expected.strides
        assert found.base is None


@pytest.mark.parametrize("align", [False, True])
def test_fields_are_written_where_they_are(align):
    def write(x, y):
        x["f"] *= y
        x["n"][1:] = x["n"][:-1] * 2
        z = x.copy()
        z["f"] = x["n"] * 2.0
        z["f"][::2] -= x["f"][::2]
        return z

    def record():
        x = np.zeros(300, np.dtype([("n", "i2"), ("f", "f8"), ("s", "S3")], align=align))
        x["n"], x["f"], x["s"] = np.arange(300), np.cos(np.arange(300)), b"ab"
        return x

    run, y = export(write, (record(), np.ones(300))).module(), np.sin(np.arange(300.0))

    def same(one, other):  # what stands between fields is nothing
        return all(one[name].tobytes() == other[name].tobytes() for name in one.dtype.names)

    eager, exported = record(), record()
    assert same(run(exported, y), write(eager, y))
    assert same(exported, eager)
    with pytest.warns(RuntimeWarning), np.errstate(over="warn"):
        found = record(), record()
        for function, x in zip((run, write), found, strict=True):
            x["f"] = 1e308
            function(x, np.full(300, 1e308))
        assert same(*found)


def test_a_field_of_a_copy_is_written_there():
    def write(x):
        y = x.copy()
        y["b"] = x["a"] * 2
        return y

    x = np.zeros(30, [("a", "i4"), ("b", "f8")])
    x["a"] = np.arange(30)
    run = export(write, (x,)).module()
    assert run.code.count(" = a1.copy(") == 1
    assert re.search(r"\[c\d+\] = ", run.code)
    assert "out=" not in run.code
    assert run(x).tobytes() == write(x).tobytes()


@pytest.mark.parametrize("function", FUNCTIONS[:2])
def test_mutated_inputs_hold_no_result_of_a_call_that_raises(function):
    run = export(function, inputs("CC")).module()
    for given in (np.inf, 0.0):
        eager, exported = inputs("CC"), inputs("CC")
        for arrays in (eager, exported):
            arrays[0][...] = arrays[1][...] = given
        caught = []
        for call, arrays in ((function, eager), (run, exported)):
            with np.errstate(all="raise"):
                try:
                    call(*arrays)
                except FloatingPointError:
                    caught.append(call)
        assert caught in ([], [function, run])
        if function is stencil:
            np.testing.assert_array_equal(exported[1], eager[1])


def test_warnings_that_are_errors_leave_the_written_array_alone():
    run = export(stencil, inputs("CC")).module()
    old, new = inputs("CC")
    old[...] = np.inf
    before = new.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            run(old, new)
    np.testing.assert_array_equal(new, before)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_one_module_in_several_threads(function):
    run = export(function, inputs("CC")).module()
    expected = inputs("CC")
    result = function(*expected)
    failures = []

    def work():
        for _ in range(20):
            arrays = inputs("CC")
            found = run(*arrays)
            same = all(np.array_equal(have, need) for have, need in zip(arrays, expected, strict=True))
            if not same or (result is not None and not np.array_equal(found, result)):
                failures.append(function.__name__)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("function", FUNCTIONS[:-1])
def test_no_more_memory_than_eager(function):
    run = export(function, inputs("CC", (400, 300))).module()
    assert peak(run, *inputs("CC", (400, 300))) <= peak(function, *inputs("CC", (400, 300))) + 20_000


def test_a_part_of_an_array_is_computed_there():
    def function(old, new):
        new[1:-1] = 0.5 * (old[:-2] + old[2:])

    run = export(function, (np.ones(50_000), np.ones(50_000))).module()
    assert peak(run, np.ones(50_000), np.ones(50_000)) < 50_000


def test_views_that_are_written_to_are_not_copied():
    def function(x):
        x[0][1:] += 1.0
        x.T[0] = 2.0
        x[1:][0][:2] *= 3.0

    run = export(function, (np.ones((500, 400)),)).module()
    assert peak(run, np.ones((500, 400))) < 20_000


def whole(x):
    z = x[:]
    z[0] = 1.0
    w = z.view()
    w[1] = 2.0
    return w, z[...]


def turned(x):
    x.reshape(-1, 10).T[0] = 1.0
    x.T[...][1] = 2.0
    return (x,)


def reversed_in_place(x):
    x[:] = x[::-1]
    x[1:] = x[:0:-1]
    return (x,)


@pytest.mark.parametrize("function, shape", [(whole, (100, 200)), (turned, (100, 200)), (reversed_in_place, (20_000,))])
def test_a_view_of_all_of_an_array_is_written_through(function, shape):
    x = np.arange(20_000.0).reshape(shape)
    run = export(function, (x.copy(),)).module()
    eager, exported = x.copy(), x.copy()
    expected, found = function(eager), run(exported)
    np.testing.assert_array_equal(exported, eager)
    for have, need in zip(found, expected, strict=True):
        np.testing.assert_array_equal(have, need)
        assert np.shares_memory(have, exported) and np.shares_memory(need, eager)
    assert peak(run, x.copy()) <= peak(function, x.copy()) + 20_000


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_flat_view_of_a_copy_is_written_through_in_c_order_alone(order):
    def function(x):
        y = x.copy()
        y.reshape(-1)[:1] -= 3.0
        z = x.copy("K")
        z.reshape(-1)[:2] *= 2.0
        return y, z

    x = np.asarray(np.arange(1.0, 10.0).reshape(3, 3), order=order)
    run = export(function, (x.copy(order),)).module()
    for found, expected in zip(run(x.copy(order)), function(x.copy(order)), strict=True):
        np.testing.assert_array_equal(found, expected)


def nested(depth):
    """A function of branches within one another."""
    lines = [f"{' ' * level}if x[0] > {level}:\n{' ' * level}  y = y * 2 + x" for level in range(0, 2 * depth, 2)]
    lines += [f"{' ' * level}else:\n{' ' * level}  y = y - {level}" for level in reversed(range(0, 2 * depth, 2))]
    return function_of("\n".join(["def f(x):", "  y = x", *(f"  {line}" for each in lines for line in each.split("\n")), "  return y"]))


def test_sub_graphs_within_one_another_are_looked_at_once(monkeypatch):
    looked, counts = [], []
    make = placement.World.__init__
    monkeypatch.setattr(placement.World, "__init__", lambda *args, **kwargs: (looked.append(0), make(*args, **kwargs))[1])
    for depth in (8, 16):
        function, before = nested(depth), len(looked)
        run = export(function, (np.ones(3),)).module()
        counts.append(len(looked) - before)
        for first in (-1.0, 4.5, 99.0):
            x = np.array([first, 2.0, 3.0])
            assert np.array_equal(run(x), function(x))
    assert counts[1] < 2.6 * counts[0]


def smoothed(rows, x):
    """Operands that fit or do not, as the iteration decides."""
    rows = rows.copy()
    for start in range(len(x)):
        rows[0, start:] = (rows[0, start:] + 2.0 * x[start:]) / 3.0
    return rows


def shifted(rows, x):
    """The same of a value that has the shape of the part for sure."""
    rows = rows.copy()
    for end in range(len(x)):
        rows[0, :end] = rows[0, :end] + rows[1:, end]
    return rows


@pytest.mark.parametrize("function", [smoothed, shifted])
@pytest.mark.parametrize("lengths", [(4, 4), (4, 5), (4, 3), (1, 4), (4, 1), (4, 0)])
def test_operands_that_do_not_fit_are_reported_without_the_memory_written_to(function, lengths):
    axes = ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO})
    run = export(function, (np.ones((3, 4)), np.ones(4)), dynamic_shapes=axes).module()
    inputs = (np.ones((3, lengths[0])), np.ones(lengths[1]))
    assert outcome(run, inputs) == outcome(function, inputs)
