"""What NumPy raises at sizes that the example does not have, in its words; and what is refused there."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

DAYS = np.array(["2020-01-01", "2021-01-01"], "M8[D]")


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("others", [0, 1, 20])
@pytest.mark.parametrize("function", [np.setdiff1d, np.isin])
def test_what_has_no_common_dtype_is_compared_as_sizes_say(function: Any, count: int, others: int) -> None:
    def program(r: Any, days: Any, x: Any) -> Any:
        r.sort()
        return function(days, x)

    r = np.array([3.0, 1.0])
    run = export(program, (r, DAYS, np.ones(1)), dynamic_shapes=({0: Dim.AUTO},) * 3).module()
    arguments = r, DAYS[:count], np.arange(float(others))
    assert outcome(run, arguments) == outcome(program, arguments)


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("place", [0, 2, -3])
def test_item(size: int, place: int) -> None:
    def program(x: Any) -> Any:
        return x.item(place)

    run = export(program, (np.arange(5),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert outcome(run, (np.arange(size),)) == outcome(program, (np.arange(size),))


@pytest.mark.parametrize("program", [lambda x: (x + 1).strides, lambda x: np.zeros(len(x)).strides, lambda x: x[:-1].copy().strides])
def test_arrays_of_nothing_have_other_strides(program: Any) -> None:
    run = export(program, (np.ones(5),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (0, 1, 2, 7):
        try:
            assert run(np.ones(size)) == program(np.ones(size))
        except InputMismatch:
            assert size < 2


@pytest.mark.parametrize("function", [np.squeeze, lambda s: np.expand_dims(s, 0), lambda s: np.transpose(s)])
def test_a_sum_of_nothing_is_a_number_of_python(function: Any) -> None:
    def program(x: Any) -> Any:
        return function(sum(x))

    try:
        run = export(program, (np.arange(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    except Unsupported as refusal:
        assert refusal.code == "E103"
        return
    for size in (0, 1, 3):
        try:
            assert outcome(run, (np.arange(size),)) == outcome(program, (np.arange(size),))
        except InputMismatch:
            assert size == 0


def test_a_place_that_is_not_there_on_the_side_of_other_sizes() -> None:
    def program(x: Any) -> Any:
        for i, _ in enumerate(range(len(x))):
            if i % 3 == 0 and i > 0:
                break
            if x[i % len(x)] > 0.3:
                if i < len(x) - 1:
                    break
                x[i + 1] += x[-1]

    with pytest.raises(Unsupported, match="it changes a generator") as refusal:
        export(program, (np.ones(4),), dynamic_shapes=({0: Dim("n")},))
    assert refusal.value.code == "E103"
    run = export(program, (np.ones(4),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for given in itertools.product([0.0, 0.25, 0.5], repeat=4):
        assert outcome(run, (np.array(given),)) == outcome(program, (np.array(given),))


def test_a_place_that_is_not_there_where_the_example_is_not() -> None:
    def program(x: Any, y: Any) -> Any:
        k, a, s = 0, x * 2, np.float64(0)
        for i, _ in enumerate(y):
            s = 0.5
            if i < k:
                a[0] = s
            else:
                if i != len(x) // 2:
                    return a, s, k
                a[i + 1] += np.sqrt(abs(a[i // 2]))
        return None

    run = export(program, (np.ones(3), np.ones(3)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    for size in (0, 1, 2, 3, 5):
        try:
            found = outcome(run, (np.ones(size), np.ones(size)))
        except InputMismatch:
            continue
        assert found == outcome(program, (np.ones(size), np.ones(size)))


@pytest.mark.parametrize("function", [np.dot, np.inner, lambda a, b: np.tensordot(a, b, axes=1)])
def test_products_of_records_are_refused(function: Any) -> None:
    with pytest.raises(Unsupported) as refusal:
        export(function, (np.zeros(3, "i4,f8"), np.zeros(3, bool)))
    assert refusal.value.code == "E122"


def test_a_place_that_a_size_lacks_leaves_the_range_as_it_is():
    exported = export(lambda x: x[0] * 2, (np.ones(4),), dynamic_shapes=({0: Dim.AUTO},))
    assert [found.lower for found in exported.range_constraints.values()] == [0]
    with pytest.raises(IndexError, match="index 0 is out of bounds"):
        exported.module()(np.zeros(0))


BEYOND = {
    "repeat": lambda x: np.repeat(x, 2**70),
    "tile": lambda x: np.tile(x, 2**70),
    "pad": lambda x: np.pad(x, 2**70),
    "diag": lambda x: np.diag(x, 2**70),
    "broadcast": lambda x: np.broadcast_to(x, (2**70, 3)),
    "round": lambda x: x.round(2**70),
    "initial": lambda x: np.sum(x, initial=2**2000),
    "posinf": lambda x: np.nan_to_num(x, posinf=2**2000),
    "fft": lambda x: np.fft.fft(x, 2**70),
    "histogram": lambda x: np.histogram(x, 2**70),
    "zeros": lambda x: np.zeros(len(x) << 70),
    "linspace": lambda x: np.linspace(0, 1, len(x) << 70),
    "array": lambda x: np.array(len(x) << 62, "i8"),
}


@pytest.mark.parametrize("name", BEYOND)
def test_integers_beyond_64_bits_raise_within_handlers(name: str) -> None:
    def program(x: Any) -> Any:
        try:
            return BEYOND[name](x)
        except (OverflowError, ValueError, TypeError) as error:
            return type(error).__name__, str(error)

    run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for x in (np.ones(3), np.arange(4.0)):
        try:
            assert outcome(run, (x,)) == outcome(program, (x,))
        except InputMismatch:
            assert len(x) == 4


@pytest.mark.parametrize(
    ("function", "least"),
    [
        (np.linalg.cond, 1),
        (np.linalg.pinv, 1),
        (np.linalg.norm, 0),
        (lambda x: np.gradient(x.astype(bool)), 2),
        (lambda x: np.quantile(x.astype(bool), [0.2], axis=0), 1),
        (lambda x: np.add(x, "a"), 0),
        (lambda x: np.linalg.solve(x, x), 0),
    ],
    ids=range(7),
)
def test_errors_about_types_that_come_after_others_hold_from_some_size_on(function: Any, least: int) -> None:
    def program(x: Any) -> Any:
        try:
            return function(x)
        except TypeError as error:
            return str(error)
        except (ValueError, LookupError) as error:
            return repr(error)

    run = export(program, (np.ones((3, 3), np.float16),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in range(5):
        arguments = (np.ones((size, 3), np.float16),)
        if size < least:
            with pytest.raises(InputMismatch):
                run(*arguments)
        else:
            try:
                found = outcome(run, arguments)
            except InputMismatch:  # a guard of the function's own
                continue
            assert found == outcome(program, arguments)


@pytest.mark.parametrize(
    "function", [np.dot, np.inner, np.vdot, lambda a, b: np.tensordot(a, b, 1)], ids=["dot", "inner", "vdot", "tensordot"]
)
def test_products_of_dates_which_python_refuses_are_refused(function: Any) -> None:
    with pytest.raises(Unsupported, match="E122"):
        export(function, (DAYS, np.arange(2)))


@pytest.mark.parametrize("dtype", ["f8", "f2", "?", "M8[s]", "c8", "i2", "m8[h]"])
def test_what_is_no_duration_is_none(dtype: str) -> None:
    def program(x: Any) -> Any:
        try:
            return np.timedelta64(x[0])
        except ValueError as error:
            return str(error)

    arguments = (np.arange(2).astype(dtype),)
    try:
        run = export(program, arguments).module()
    except Unsupported:
        assert dtype in ("i2", "m8[h]")
        return
    assert outcome(run, arguments) == outcome(program, arguments)


MANY_AXES = {
    "array": lambda x: np.array(x, ndmin=99),
    "array of no axes": lambda x: np.array(x, np.float32, ndmax=0),
    "array of at most one axis": lambda x: [np.array(x, ndmax=1), np.array(x[0], int, ndmax=1), np.array([x, x], ndmax=1)],
    "ndmin of ndmax": lambda x: np.array(x, ndmin=1, ndmax=0),
    "reshape": lambda x: x.reshape((1,) * 70 + x.shape),
    "newaxis": lambda x: x[(None,) * 70],
    "expand_dims": lambda x: np.expand_dims(x, tuple(range(65))),
    "outer": lambda x: np.multiply.outer(x, np.ones((1,) * 64)),
    "tensordot": lambda x: np.tensordot(x, np.ones((1,) * 64), 0),
    "broadcast_to": lambda x: np.broadcast_to(x, (1,) * 70),
    "full": lambda x: np.full((1,) * 80, x.sum()),
    "stack": lambda x: np.stack([np.array(x, ndmin=64)] * 2),
    "index": lambda x: x[np.zeros((1,) * 64, int)],
}


@pytest.mark.parametrize("name", MANY_AXES)
def test_no_array_has_more_axes_than_numpy_gives_it(name: str) -> None:
    def program(x: Any) -> Any:
        try:
            return MANY_AXES[name](x)
        except (ValueError, IndexError) as error:
            return type(error).__name__, str(error)

    for sizes in (None, ({0: Dim.AUTO},)):
        run = export(program, (np.ones((4, 3)),), dynamic_shapes=sizes).module()
        assert outcome(run, (np.ones((4, 3)),)) == outcome(program, (np.ones((4, 3)),))


AVERAGES = {
    "of no rows": lambda x: np.average(x, axis=1),
    "kept": lambda x: np.average(x, axis=-1, keepdims=True),
    "with their weights": lambda x: np.average(x, axis=1, returned=True),
    "along no axes": lambda x: np.average(x, axis=()),
    "of columns": lambda x: np.average(x, axis=0),
    "of all": np.average,
}


@pytest.mark.parametrize("name", AVERAGES)
def test_averages_that_are_none_raise_also_where_nothing_uses_them(name: str) -> None:
    def unused(x: Any) -> Any:
        AVERAGES[name](x)
        return x + 1

    def handled(x: Any) -> Any:
        try:
            return AVERAGES[name](x)
        except ZeroDivisionError as error:
            return str(error)

    for program in (AVERAGES[name], unused, handled):
        for example in (3, 0):
            x = np.ones((example, 3))
            try:
                with quiet():
                    run = export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()
            except ZeroDivisionError:
                assert example == 0 and program is not handled
                continue
            compared = 0
            for rows in (0, 1, 3):
                given = (np.ones((rows, 3)),)
                try:
                    found = outcome(run, given)
                except InputMismatch:
                    assert program is handled
                    continue
                assert found == outcome(program, given), rows
                compared += 1
            assert compared


NO_TIMES = (
    "a[0] = float(n)", "a[:] = n * 1.5", "a[1:3] = n / 2", "a = np.insert(a, 1, float(n))", "a.fill(float(n))", "a[a > a[0]] = float(n)",
    "a = np.array(float(n), 'M8[D]')", "a.flat[0] = float(n)", "np.putmask(a, a > a[0], float(n))", "np.place(a, a > a[0], float(n))",
    "a = np.array([float(n)], 'm8[s]')", "a[0] = n > 2", "a[0] = n",
)  # fmt: skip


@pytest.mark.parametrize("statement", NO_TIMES)
def test_handlers_get_what_numbers_that_are_no_times_raise(statement: str) -> None:
    source = (
        f"def program(t):\n n, a = len(t), t.copy()\n try: {statement}\n except Exception as e: return type(e).__name__, str(e)\n return a"
    )
    program = function_of(source, {"np": np})
    times = np.datetime64("2020-01-30") + np.arange(4)
    try:
        run = export(program, (times,), dynamic_shapes=({0: Dim.AUTO},)).module()
    except Unsupported as refusal:
        assert refusal.code == "E126"
        return
    for given in ((times,), (times[:3],)):
        try:
            found = outcome(run, given)
        except InputMismatch:
            assert len(given[0]) == 3
            continue
        assert found == outcome(program, given)
