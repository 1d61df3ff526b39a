"""Branches and loops that compute in the memory of mutated inputs: nobody can tell but by what they need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, cond, export, while_loop
from tests.support.memory import peak


def _grows(x: Any, y: Any, n: Any) -> Any:
    while x[0, 0] < n:
        x += y
        x *= 1.5
    return x


def _both_grow(x: Any, y: Any, n: Any) -> Any:
    while x.sum() < n:
        y *= 0.5
        x += y + 1
    return y[0]


def _trade_places(x: Any, y: Any, n: Any) -> Any:
    while x[0, 1] < n:
        x += 1
        _, a, b = while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a), (0, x, y))
        x[...] = a
        y[...] = b
    return y


def _copies_from_the_loop(x: Any, y: Any, n: Any) -> Any:
    last = x.copy()
    while x[0, 1] < n:
        last = x.copy()
        x *= 2
    return last, x.copy(), x[0]


def _before_and_after(x: Any, y: Any, n: Any) -> Any:
    x += 1
    old = x * 1
    while x[0, 0] < n:
        x += y
        x[1:] = x[:-1] * 2
    x -= old
    y[...] = x


def _once(x: Any, y: Any, n: Any) -> Any:
    if x[0, 0] < n:
        x += y
        y *= 2
    return x


def _either(x: Any, y: Any, n: Any) -> Any:
    if x[0, 0] < n:
        x[1:] *= 2
        z = y + 1
    else:
        z = x + 1
        x -= y
    return z, x.T


def _branch_in_loop(x: Any, y: Any, n: Any) -> Any:
    while x[0, 0] < n:
        if x[0, 1] < y[0, 1]:
            x += y
        else:
            y += x
            x += 1


def _loop_in_branch(x: Any, y: Any, n: Any) -> Any:
    if x[0, 1] < y[0, 1]:
        while x[0, 0] < n:
            x += 1
    return y + x


def _loop_in_loop(x: Any, y: Any, n: Any) -> Any:
    while x[0, 0] < n:
        while y[0, 0] < x[0, 0]:
            y += 1
        x += y


def _written_from_the_operators(x: Any, y: Any, n: Any) -> Any:
    i, a, b = while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a + 1), (0, x, y))
    x[...] = b
    y[...] = a
    one, two = cond(n > 3, lambda: (x + 1, y), lambda: (y, x + 1))
    x[...] = two
    return one


def _lent_and_handed_on(x: Any, y: Any, limit: Any) -> Any:
    """What the branches would write lies in the memory that they are lent."""
    if x[0, 0] < limit:
        if y[0, 0] > 3:
            pass
        else:
            x *= 1
    else:
        if y[0, 1] > 3:
            x *= 1
    return x[0, 0] + limit


def _one_of_two(x: Any, y: Any, n: Any) -> Any:
    z = x if x[0, 0] < n else y
    return z * 2 + 1, z.sum(), z @ z.T


def _parts_of_two(x: Any, y: Any, n: Any) -> Any:
    z = x[1:] if x[0, 0] < n else y[:-1]
    return z.sum(axis=0), (z + 1) * z, z.T.copy()


def _two_of_two(x: Any, y: Any, n: Any) -> Any:
    a, b, c = (x, y, x) if x[0, 0] < n else (y, x + 1, y * 2)
    return a - b, c * 2 + a, b - 1


def _changed_or_not(x: Any, y: Any, n: Any) -> Any:
    z, own = x, y * 2
    if x[0, 0] < n:
        z = z * 2
    if y[0, 0] < n:
        z = own
    return z.max(), z + 1, own - z


def _itself_or_new(x: Any, y: Any, n: Any) -> Any:
    if x[0, 0] < n:
        x = x / 2
    if y[0, 0] < n:
        return x, y
    return x, y + x


def _carried_or_not(x: Any, y: Any, n: Any) -> Any:
    total, w = 0.0, y * 1
    for _ in range(40):
        if total > 100:
            break
        z = w if total < n else x
        w = w + 0.5
        total += (z * 2).sum() + z[0, 0]
    return total, w


def _given_and_then_written(x: Any, y: Any, n: Any) -> Any:
    z = (y if x[0, 0] < n else x) + 0
    w = (x if x[0, 0] < n else y)[1:] * 1
    y[0] = 5
    x += z
    return z, w


PROGRAMS = [
    _lent_and_handed_on,
    _grows,
    _both_grow,
    _trade_places,
    _copies_from_the_loop,
    _before_and_after,
    _once,
    _either,
    _branch_in_loop,
    _loop_in_branch,
    _loop_in_loop,
    _written_from_the_operators,
    _carried_or_not,
]
ONLY_READ = [_two_of_two, _changed_or_not, _itself_or_new, _given_and_then_written]
"""What branches give back as it was given is not copied."""
PROGRAMS += [*ONLY_READ, _one_of_two, _parts_of_two]
IN_ANY_ORDER = [_lent_and_handed_on, _once, _either, _written_from_the_operators, *ONLY_READ]
SHAPE = (3, 4)
LIMITS = (-1.0, 5.0, 40.0)


def _arrays(order: str, dtype: str) -> tuple[Any, Any]:
    x = np.arange(12, dtype=dtype).reshape(SHAPE) / (1 if dtype == "i8" else 8)
    y = np.arange(12).reshape(SHAPE) % 5 + 1
    return _laid(x.astype(dtype), order), _laid(y.astype(dtype), order)


def _laid(array: Any, order: str) -> Any:
    """The array in C or Fortran order, with gaps, or not aligned."""
    if order in "CF":
        return np.array(array, order=order)
    if order == "gaps":
        result = np.zeros((3, 8), array.dtype)[:, ::2]
    else:
        result = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def _flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


CASES = [(program, order) for program in PROGRAMS for order in ("C", "odd")]
CASES += [(program, order) for program in IN_ANY_ORDER for order in ("F", "gaps")]


@pytest.mark.parametrize(("program", "order"), CASES, ids=[f"{program.__name__}-{order}" for program, order in CASES])
def test_mutated_inputs_are_what_eager_execution_makes_of_them(program: Any, order: str) -> None:
    module = export(program, (*_arrays(order, "f8"), np.float64(5))).module()
    for limit in map(np.float64, LIMITS):
        for errors in ("warn", "raise"):
            given, wanted = _arrays(order, "f8"), _arrays(order, "f8")
            with np.errstate(over=errors):  # in calls that are not as assumed, too
                try:
                    found = _flat(module(*given, limit))
                except InputMismatch as error:  # what must be contiguous must be aligned, too
                    assert order == "odd" and "aligned" in str(error)
                    continue
                eager = _flat(program(*wanted, limit))
            np.testing.assert_equal([*found, *given], [*eager, *wanted])
            for one, other in zip(found, eager, strict=True):
                shared = [np.shares_memory(one, array) if isinstance(one, np.ndarray) else None for array in given]
                assert shared == [np.shares_memory(other, array) if isinstance(other, np.ndarray) else None for array in wanted]


@pytest.mark.parametrize("program", [*ONLY_READ[:3], _one_of_two, _once], ids=lambda program: program.__name__)
def test_a_program_that_calls_such_a_program(program: Any) -> None:
    inner = export(program, (*_arrays("C", "f8"), np.float64(5))).module()
    module = export(lambda x, y, n: inner(x, y, n), (*_arrays("C", "f8"), np.float64(5))).module()
    for limit in map(np.float64, LIMITS):
        given, wanted = _arrays("C", "f8"), _arrays("C", "f8")
        np.testing.assert_equal([*_flat(module(*given, limit)), *given], [*_flat(program(*wanted, limit)), *wanted])


@pytest.mark.parametrize("dtype", ["i8", "f4", "c16"])
def test_of_other_dtypes(dtype: str) -> None:
    def doubled(x: Any, y: Any, n: Any) -> Any:
        while x.real.sum() < n:
            x += y
            x += x
        if y.real[0, 0] < n:
            y += x
        return y

    module = export(doubled, (*_arrays("C", dtype), np.float64(5))).module()
    for limit in map(np.float64, LIMITS):
        given, wanted = _arrays("C", dtype), _arrays("C", dtype)
        np.testing.assert_equal([module(*given, limit), *given], [doubled(*wanted, limit), *wanted])


IN_PLACE = [_grows, _once, _branch_in_loop, _loop_in_branch, _loop_in_loop]


@pytest.mark.parametrize("program", IN_PLACE, ids=[program.__name__ for program in IN_PLACE])
def test_no_copy_of_a_mutated_input_is_made(program: Any) -> None:
    def changes(x: Any, y: Any, n: Any) -> None:
        program(x, y, n)

    x, y = np.zeros((100, 1000)), np.ones((100, 1000))
    module = export(changes, (x, y, np.float64(3))).module()
    assert peak(module, x, y, np.float64(3)) < x.nbytes // 8


@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_a_branch_does_not_compute_in_an_array_of_which_it_takes_a_view(iterations: int) -> None:
    def program(x: Any) -> Any:
        y = x.copy()
        z = y[::-1]
        for _ in range(iterations):
            if x[0] > 0:
                y = y * 3 + 1
                y, z = z, y
        return y * 1, z * 1

    module = export(program, (np.ones(3, int),)).module()
    for x in (np.array([5, 1, -4]), np.array([-5, 1, 2])):
        np.testing.assert_equal(module(x), program(x))


@pytest.mark.parametrize("program", [_one_of_two, _itself_or_new])
def test_what_branches_give_back_is_not_copied(program: Any) -> None:
    x, y = np.full((300, 400), 9.0), np.full((300, 400), 1.0)
    module = export(program, (x, y, np.float64(5))).module()
    assert peak(module, x, y, np.float64(5)) <= peak(program, x, y, np.float64(5)) + 4096


def _newton(a: Any) -> Any:
    x = a.copy()
    for _ in range(50):
        better = 0.5 * (x + a / x)
        if np.abs(better - x).max() < 1e-10:
            break
        x = better
    return x


def _weighted_windows(a: Any, weights: Any) -> Any:
    result = np.zeros((a.shape[0] - 2, a.shape[1] - 2))
    for i in range(3):
        for j in range(3):
            result += weights[i, j] * a[i : i + result.shape[0], j : j + result.shape[1]]
    return result


@pytest.mark.parametrize(("program", "given"), [(_newton, ((300, 300),)), (_weighted_windows, ((1000, 500), (3, 3)))])
def test_no_more_memory_than_eager_execution(program: Any, given: Any) -> None:
    """What comes before a loop is let go, what one side of a branch alone needs is made there, zeros hinder no group."""
    arrays = [np.random.default_rng(0).random(shape) + 1 for shape in given]
    module = export(program, tuple(arrays)).module()
    np.testing.assert_array_equal(module(*arrays), program(*arrays))
    assert peak(module, *arrays) <= peak(program, *arrays) + 4096


def _grown(x: Any, y: Any) -> Any:
    v = x * 1
    i = 0
    while np.abs(v).max() < 1000 and i < 6:
        v = v * 2 + y
        i += 1
    return v


def _grown_at_once(x: Any, y: Any) -> Any:
    while np.abs(x).max() < 1000:
        x = x * 2 + y
    return x


def _chosen(x: Any, y: Any) -> Any:
    v = x * 3
    if v.sum() > 0:
        v = v * 2 + y
        v = np.abs(v) - y
    else:
        v = v - 1
    return v


def _one_after_the_other(x: Any, y: Any) -> Any:
    v = x + y
    for _ in range(3):
        if v.max() < 100:
            v = v * 3 + y
        else:
            v = v - y
    return v


@pytest.mark.parametrize("order", ["C", "apart", "backwards"])
@pytest.mark.parametrize("function", [_grown, _grown_at_once, _chosen, _one_after_the_other])
def test_arrays_that_a_program_makes_need_no_more_memory_than_eager(function: Any, order: str) -> None:
    def inputs() -> tuple[Any, Any]:
        x, y = (np.random.default_rng(seed).random((600, 400)) for seed in range(2))
        part = {"C": np.s_[:300, :200], "apart": np.s_[::2, ::2], "backwards": np.s_[299::-1, :200]}[order]
        return x[:300, :200].copy(), (y[part].copy() if order == "C" else y[part])

    run = export(function, inputs()).module()
    given = inputs()
    assert run(*given).tobytes() == function(*inputs()).tobytes()
    assert peak(run, *given) <= peak(function, *given) + 20_000
