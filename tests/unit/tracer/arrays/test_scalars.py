"""Scalars of NumPy: their arithmetic, constructors, comparisons with sizes, and methods, held to eager NumPy bit by bit."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.fuzz.scalars import outcome, run
from tests.support.shards import shard

N = {0: Dim("n")}
SEEDS = 250


@pytest.mark.fuzz
@pytest.mark.parametrize("first", shard(range(0, SEEDS, 50), 3))
def test_random_programs_of_scalars(first: int) -> None:
    compared = [run(seed) for seed in range(first, first + 50)].count("same")
    assert compared > 25


WITH_SIZES: list[Callable[..., Any]] = [
    lambda x: x * ~(np.int64(3) < len(x)),
    lambda x: (len(x) > np.int64(2)) + (len(x) > np.int64(5)),
    lambda x: ~(int(x.max()) == np.int64(1)),
    lambda x: ~(len(x[x > 0]) == np.int64(2)),
    lambda x: x.sum() if np.int64(3) < len(x) else -x.sum(),
    lambda x: x.sum() if len(x) % 2 == np.int32(0) else -x.sum(),
    lambda x: np.float32(2.5) < len(x),
]


@pytest.mark.parametrize("program", WITH_SIZES)
def test_comparisons_with_sizes_give_truths_of_numpy(program: Callable[..., Any]) -> None:
    module = export(program, (np.ones(6),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (6, 2, 3, 4, 8):
        x = np.arange(size) / 2 - 0.5
        found = outcome(module, (x,))
        assert found is None or found == outcome(program, (x,))
    assert outcome(module, (np.ones(6),)) == outcome(program, (np.ones(6),))


CONSTRUCTED: list[tuple[Callable[..., Any], tuple[Any, ...], list[tuple[Any, ...]], Any]] = [
    (lambda x: np.uint8(len(x)), (np.ones(6),), [(np.ones(300),), (np.ones(255),)], (N,)),
    (lambda x: (x + np.uint8(len(x)))[:2], (np.ones(6, "u1"),), [(np.ones(256, "u1"),)], (N,)),
    (lambda x: np.uint8(int(x[0])), (np.array([3]),), [(np.array([-3]),), (np.array([255]),)], None),
    (lambda x: np.uint8(x[0].item()), (np.array([3]),), [(np.array([300]),)], None),
    (lambda x: np.uint8(x[0]), (np.array([3]),), [(np.array([300]),), (np.array([-1]),)], None),
    (lambda x: np.int8(float(x[0])), (np.ones(2),), [(np.array([np.nan, 1]),), (np.array([300.5, 1]),), (np.array([-np.inf, 1]),)], None),
    (lambda x, s: np.int64(s), (np.ones(2), 2.5), [(np.ones(2), float("inf")), (np.ones(2), -7.9)], (None, Dim.AUTO)),
    (lambda x, s: np.int64(s), (np.ones(2), 2), [(np.ones(2), 2**63), (np.ones(2), -(2**63))], (None, Dim.AUTO)),
    (lambda x, s: np.float16(s), (np.ones(2), 2), [(np.ones(2), 10**6), (np.ones(2), 10**400)], (None, Dim.AUTO)),
    (lambda x, s: x + s, (np.ones(2, "i4"), 2), [(np.ones(2, "i4"), 2**31)], (None, Dim.AUTO)),
]


@pytest.mark.parametrize(("program", "example", "calls", "dims"), CONSTRUCTED)
def test_numbers_that_do_not_fit_raise(program: Any, example: Any, calls: Any, dims: Any) -> None:
    module = export(program, example, dynamic_shapes=dims).module()
    for arguments in (example, *calls):
        assert outcome(module, arguments) == outcome(program, arguments)


def test_what_does_not_fit_raises_though_nobody_uses_it() -> None:
    def program(x: Any) -> Any:
        np.uint8(len(x))
        np.uint8(1) + len(x)
        return x

    module = export(program, (np.ones(6),), dynamic_shapes=(N,)).module()
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        module(np.ones(300))


def test_a_handler_of_what_may_not_fit_gets_it() -> None:
    def program(x: Any) -> Any:
        try:
            return np.uint8(len(x))
        except OverflowError:
            return np.uint8(0)

    run = export(program, (np.ones(6),), dynamic_shapes=(N,)).module()
    assert [run(np.ones(size)) for size in (6, 255, 256, 300)] == [6, 255, 0, 0]


@pytest.mark.parametrize("state", ["raise", "ignore", "warn"])
@pytest.mark.parametrize("dtype", ["u1", "i8", "f4", "c8"])
def test_the_error_state_of_the_caller_is_that_of_arithmetic(dtype: str, state: Any) -> None:
    def program(x: Any) -> Any:
        return x[0] + x[1], x[0] * x[1], -x[0], x[0] / x[2]

    x = np.array([np.iinfo(dtype).max if dtype[0] in "iu" else 3e38] * 2 + [0], dtype)
    module = export(program, (np.ones(3, dtype),)).module()
    with np.errstate(all=state):
        assert outcome(module, (x,)) == outcome(program, (x,))


def test_scalar_arithmetic_is_no_loop_of_a_ufunc() -> None:
    """The last bits, of the products and powers of which loops round otherwise."""
    rng = np.random.default_rng(0)
    for dtype in ("f4", "f8", "c8", "c16"):
        program = lambda x: (x[0] * x[1], x[0] ** x[1], x[0] ** 3, abs(x[0]), x[0] / x[1])  # noqa: E731
        module = export(program, (np.ones(2, dtype),)).module()
        for _ in range(100):
            x = (rng.standard_normal(2) ** 2 + (1j * rng.standard_normal(2) if dtype[0] == "c" else 0)).astype(dtype)
            assert outcome(module, (x,)) == outcome(program, (x,))


METHODS: list[tuple[str, Callable[..., Any]]] = [
    ("f4", lambda x: np.int32(0x5F3759DF) - (x.sum().view(np.int32) >> 1)),
    ("f4", lambda x: x[0].view("i4")),
    ("f8", lambda x: x[0].view("i4")),
    ("f4", lambda x: (x[0].setflags(), x[0].setflags(write=True), x[0])),
    ("f8", lambda x: x[0].getfield("f4")),
    ("f8", lambda x: x[0].getfield(np.int16, 2)),
    ("f8", lambda x: np.einsum("->", x[:1].reshape(()))),
    ("f8", lambda x: np.einsum("...", x[:1].reshape(()))),
    ("g", lambda x: (x[0].item(), x.sum().tolist())),
]


@pytest.mark.parametrize(("dtype", "program"), METHODS)
def test_methods_of_scalars(dtype: str, program: Callable[..., Any]) -> None:
    example, other = (np.ones(3, dtype),), (np.arange(3, dtype=dtype) - 1.5,)
    expected = outcome(program, example)
    if expected[0][0] == "raises":
        kind, text = expected[0][1]
        with pytest.raises(kind) as raised:
            export(program, example)
        assert str(raised.value) == text
        return
    module = export(program, example).module()
    assert outcome(module, example) == expected and outcome(module, other) == outcome(program, other)


LARGE: list[Callable[..., Any]] = [
    lambda s: np.array([s, 1]), lambda s: np.sum([s, s]), lambda s: np.array(s), lambda s: np.maximum(s, 1), lambda s: np.full(2, s),
    lambda s: np.stack([s, s]), lambda s: np.add(s, s), lambda s: np.asarray((s, 2.5)), lambda s: np.array([[s], [True]]),
    lambda s: np.abs(s), lambda s: np.ones(2) * s, lambda s: np.ones(2, int) * s, lambda s: np.where([True, False], s, 0),
    lambda s: np.uint64(s) + 1, lambda s: np.concatenate([[s], [1]]), lambda s: np.atleast_1d(s), lambda s: np.clip(np.array(5), 0, s),
]  # fmt: skip


@pytest.mark.parametrize("program", LARGE)
@pytest.mark.parametrize("example", [5, 2**63 + 5])
def test_a_large_integer_makes_the_array_that_it_makes_in_numpy(program: Callable[..., Any], example: int) -> None:
    (how, expected), _ = outcome(program, (example,))
    try:
        module = export(program, (example,), dynamic_shapes=(Dim.AUTO,)).module()
    except OverflowError as error:
        assert how == "raises" and expected == (OverflowError, str(error))
        return
    for number in (example, 7, 2**63 + 9, 2**62):
        found = outcome(module, (number,))
        assert (found is None and number != example) or found == outcome(program, (number,))


def test_masks_of_numbers_are_truths_or_refused() -> None:
    def copied(x: Any) -> Any:
        np.copyto(x, 1.0, where=[1, 0, 0])
        return x

    x = np.array([0.5, 1.5, 2.5])
    for program in (copied, lambda x: np.sum(x, where=[1, 0, 2]), lambda x: np.mean(x, where=[True, False, True])):
        assert outcome(export(program, (x,)).module(), (x,)) == outcome(program, (x,))
    for refused in (lambda x: np.mean(x, where=x[0]), lambda x: np.var(x, where=[1, 0, 2]), lambda x: np.std(x, where=np.int64(2))):
        with pytest.raises(ExportError, match="E101"):
            export(refused, (x,))


@pytest.mark.parametrize("dtype", ["u1", "u8", "i1", "i8"])
def test_a_size_less_something_may_not_fit_an_unsigned_dtype(dtype: str) -> None:
    def caught(write: Any) -> Any:
        try:
            return write()
        except (OverflowError, ValueError) as error:
            return type(error).__name__

    def program(x: Any) -> Any:
        few, y = len(x) - 3, np.zeros(3, dtype)

        def flat() -> None:
            y.flat[1] = few

        return [caught(write) for write in (lambda: np.full(3, few, dtype=dtype), lambda: y + few, flat, lambda: y.__setitem__(0, few))]

    run = export(program, (np.ones(6),), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for size in (1, 3, 5, 200):
        assert outcome(run, (np.ones(size),)) == outcome(program, (np.ones(size),)), size


@pytest.mark.parametrize("unit", ["M", "D", "Y"])
@pytest.mark.parametrize("name", ["eq", "ne", "lt"])
def test_durations_of_months_and_days_are_not_compared(unit: str, name: str) -> None:
    def program(x: Any) -> Any:
        try:
            return getattr(operator, name)(x, np.timedelta64(1, "D"))
        except TypeError as error:
            return str(error)

    x = np.array([0, 6, 1], f"m8[{unit}]")
    assert outcome(export(program, (x,)).module(), (x,)) == outcome(program, (x,))
