"""Arrays that lie in memory in another order than C's: results, their layouts and what is written are eager execution's, and it takes
neither more memory nor the checks of Python.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from npexport import export
from npexport.runtime.blocks import expressions
from npexport.runtime.entry import conditions
from tests.support.memory import peak
from tests.support.outcomes import outcome

ORDERS = {
    "C": lambda make, shape: make(shape),
    "F": lambda make, shape: make(shape[::-1]).T,
    "apart": lambda make, shape: make([2 * size for size in shape])[(slice(None, None, 2),) * len(shape)],
    "reversed": lambda make, shape: make(shape)[::-1],
    "reversed within": lambda make, shape: make(shape)[..., ::-1],
    "F, reversed": lambda make, shape: make(shape[::-1]).T[..., ::-1],
    "a part": lambda make, shape: make([size + 1 for size in shape])[(slice(1, None),) * len(shape)],
    "F, a part": lambda make, shape: make([size + 1 for size in shape[::-1]])[(slice(1, None),) * len(shape)].T,
    "two axes swapped": lambda make, shape: make([shape[1], shape[0], *shape[2:]]).swapaxes(0, 1),
}
KINDS = {"f8": 1.0, "f4": 1.0, "i8": 9.0, "c16": 1.0 + 1.0j}


def chain(x, y):
    return (x + y) * 2 - x * y


def beside_rows(x, y):
    return (x + y[0]) * 2 + y[:, :1]


def without_a_leader(x, y):
    return x * 2 + y[:, :1] * y[:1]


def several(x, y):
    z = x + y
    return z * 2, z - x, abs(z) + 1


def chosen(x, y):
    return np.where(x.real > y.real, x * 2, y) + 1


def in_place(x, y):
    x *= 2
    x += y
    x -= 1
    x *= y


def one_in_place(x, y):
    x += y


def in_place_and_read(x, y):
    x *= 2
    total = x.sum(axis=0)
    x += y * 3
    z = x * y
    x[...] = z - x
    return total, z


def by_out(x, y):
    np.add(x, y, out=x)
    np.multiply(x, x, out=x)


def of_itself(x, y):
    x += x[::-1]
    x *= y


def overwritten(x, y):
    x[...] = y * 2
    x += 1
    x[...] = (x - y) * y


PROGRAMS = [
    chain,
    beside_rows,
    without_a_leader,
    several,
    chosen,
    in_place,
    one_in_place,
    in_place_and_read,
    by_out,
    of_itself,
    overwritten,
]


def array(order, kind, shape, seed):
    data = np.random.default_rng(seed)

    def make(shape):
        values = data.standard_normal(tuple(shape)) * KINDS[kind]
        return values.astype(kind)

    return ORDERS[order](make, shape)


def same(one, other):
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if one is None:
        return other is None
    return one.dtype == other.dtype and layout(one) == layout(other) and one.tobytes() == other.tobytes()


def layout(array):
    """The strides along the axes that have several elements."""
    return [stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1]


def check(program, orders, kind, shape, example=None):
    args, given = ([array(order, kind, shape, seed) for seed, order in enumerate(orders)] for _ in range(2))
    example = [array(order, kind, shape, seed) for seed, order in enumerate(example or orders)]
    run = export(program, tuple(example)).module()
    for _ in range(2):
        with np.errstate(all="ignore"):
            assert same(run(*given), program(*args)), (program.__name__, orders, kind, shape)
        assert all(map(same, given, args)), (program.__name__, orders, kind, shape)


@pytest.mark.parametrize("shape", [(7, 5), (40, 30), (3, 4, 5), (1, 6), (5, 1, 3)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_results_and_what_is_written_are_eager_ones(program, kind, shape):
    pairs = list(itertools.product(ORDERS, repeat=2))
    for orders in pairs[(PROGRAMS.index(program) + len(kind) + len(shape)) % 4 :: 4]:
        check(program, orders, kind, shape)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("program", [chain, in_place, one_in_place, in_place_and_read], ids=lambda program: program.__name__)
def test_large_arrays_and_programs_of_other_orders(program, order):
    check(program, (order, order), "f8", (300, 200))
    for example in ("CC", "FF") if program not in (in_place_and_read,) else ():
        args, given = ([array(order, "f8", (300, 200), seed) for seed in range(2)] for _ in range(2))
        run = export(program, tuple([array(each, "f8", (300, 200), 0) for each in example])).module()
        expected, found = program(*args), run(*given)
        assert given[0].tobytes() == args[0].tobytes()
        assert expected is None or found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "C"])
def test_what_is_written_in_place_needs_no_memory(order):
    for program in (in_place, one_in_place):
        x, y = (array(order, "f8", (300, 200), seed) for seed in range(2))
        run = export(program, (x, y)).module()
        assert peak(run, x, y) < peak(program, x, y) + 10_000


@pytest.mark.skipif(conditions.Arrays is None, reason="the C extension was not built")
@pytest.mark.parametrize("order", ORDERS)
def test_arrays_that_are_written_are_checked_in_c(order, monkeypatch):
    x, y = (array(order, "f8", (4, 3), seed) for seed in range(2))
    run = export(one_in_place, (x, y)).module()
    monkeypatch.setattr("npexport.runtime.entry.checks.InputChecker.accept", None)
    expected = x + y
    run(x, y)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")
def test_operators_over_fortran_order_are_one_call():
    x, y = (array("F", "f8", (40, 30), seed) for seed in range(2))
    run = export(chain, (x, y)).module()
    ((expression),) = [value for value in run._compiled.namespace.values() if type(value).__name__ == "Expression"]
    found = expressions.engine.run(expression, x, y, None)
    assert found is not None and same(found[0], chain(x, y))
    target = np.empty_like(x)
    (found,) = expressions.engine.run(expression, x, y, target)
    assert found is target and same(found, chain(x, y))


@pytest.mark.parametrize("order", ["F", "reversed", "apart"])
def test_warnings_and_errors_are_those_of_eager_execution(order):
    def grow(x, y):
        x *= y
        x *= y
        x += 1

    x, y = (array(order, "f8", (90, 80), seed) for seed in range(2))
    run = export(grow, (x, y)).module()
    y[...] = 1e200
    mine, eager = np.array(x, order="K"), np.array(x, order="K")
    for function, written in ((run, mine), (grow, eager)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            function(written, y)
        assert {str(each.message) for each in told} == {"overflow encountered in multiply"}
    assert same(mine, eager)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        run(np.array(x, order="K"), y)


def products(x, y):
    return (x - y) * (x + 1.5)


def sums(x, y):
    return y * 1.5 + x


def quotients(x, y):
    return (x * 2 - y) / (abs(y) + 3) + x * y


FORTRAN = {"F", "F, reversed", "F, a part", "two axes swapped"}
ALIKE = [orders for orders in itertools.product(ORDERS, repeat=2) if (orders[0] in FORTRAN) is (orders[1] in FORTRAN)]


@pytest.mark.parametrize("orders", ALIKE, ids="-".join)
def test_temporary_arrays_need_no_more_memory_than_eager(orders):
    for program in (products, sums, quotients):
        args = [array(order, "f8", (240, 200), seed) for seed, order in enumerate(orders)]
        run = export(program, tuple(args)).module()
        assert run(*args).tobytes() == program(*args).tobytes()
        assert peak(run, *args) <= 1.02 * peak(program, *args) + 10_000, program.__name__


def test_c_order_is_taken_where_any_operand_has_it():
    rng = np.random.default_rng(0)
    for order, other in itertools.product(ORDERS, repeat=2):
        own = np.ones((3, 4, 5))
        others = [array(each, "f8", (3, 4, 5), int(rng.integers(9))) for each in (order, other)]
        for result in (np.add(own, others[0]), np.arctan2(others[1], own), np.clip(others[0], others[1], own)):
            assert result.flags.c_contiguous


def summed_on_a_side(x, y):
    z = x.T.copy().T + 1
    return z.mean(axis=0) if y[0] < 0 else z.sum(axis=0)


def replaced_on_a_side(x, y):
    z = np.asfortranarray(x) * 2
    if y[0] < 0:
        z = z.T.copy().T + z.mean(axis=0)
    return z


def replaced_until(x, y):
    for _ in range(3):
        x = (x.T @ x @ x.T).T + x.mean(axis=0)
        if y[0] > x[0, 0]:
            break
    return x, x.mean(axis=0)


@pytest.mark.parametrize("function", [summed_on_a_side, replaced_on_a_side, replaced_until])
def test_a_side_that_is_handed_an_array_sums_it_in_its_own_order(function):
    x = array("C", "f8", (500, 2), 1)
    for sign in (-1.0, 1.0):
        y = np.array([sign * 1e9])
        run = export(function, (x, y)).module()
        for side in (y, -y):
            assert outcome(run, (x, side), memory=True) == outcome(function, (x, side), memory=True)
