"""Arrays are checked by one call of the C extension, where it was built: it holds where the written-out condition does."""

from __future__ import annotations

import math
import sys
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, export
from npexport.runtime.entry import conditions
from npexport.runtime.entry.checks import overlaps_itself


class Sub(np.ndarray):
    pass


X, Y = np.arange(6.0).reshape(2, 3), np.arange(3)
GIVEN: dict[str, tuple[Any, bool]] = {
    "the example": (X, True),
    "other memory": (np.asfortranarray(X)[::1], True),
    "a view": (np.zeros((4, 6))[::2, ::2], True),
    "another size": (np.zeros((2, 4)), False),
    "another rank": (np.zeros((2, 3, 1)), False),
    "no axes": (np.zeros(()), False),
    "another dtype": (X.astype(np.float32), False),
    "other bytes": (X.astype(X.dtype.newbyteorder()), False),
    "a class of its own": (X.view(Sub), False),
    "a list": (X.tolist(), False),
    "a number": (1.0, False),
    "a dtype": (X.dtype, False),
    "nothing": (None, False),
}


needs_c = pytest.mark.skipif(conditions.Arrays is None, reason="the C extension was not built")


def row(array: np.ndarray[Any, Any], mask: int = 0, flags: int = 0, part: int = 0, equal: bool = False) -> tuple[Any, ...]:
    return array.dtype, array.shape, mask, flags, part, array.itemsize, equal


@needs_c
@pytest.mark.parametrize("name", GIVEN)
def test_what_holds(name: str) -> None:
    value, holds = GIVEN[name]
    arrays = conditions.Arrays(np.ndarray, (row(X), row(Y)))
    assert arrays(value, Y) is holds
    assert arrays(X, value) is False
    assert (type(value) is np.ndarray and value.dtype is X.dtype and value.shape == X.shape) is holds


@needs_c
def test_sizes_that_may_be_any_and_flags() -> None:
    arrays = conditions.Arrays(np.ndarray, ((X.dtype, (conditions.ANY, 3), 0, 0, 0, 8, False),))
    assert arrays(np.zeros((7, 3))) and arrays(np.zeros((0, 3))) and not arrays(np.zeros((7, 4))) and not arrays(np.zeros(3))
    frozen = X.copy()
    frozen.flags.writeable = False
    for name, expected in (("c_contiguous", X), ("f_contiguous", X.copy("F")), ("writeable", X)):
        bit = conditions.FLAGS[name]
        assert conditions.Arrays(np.ndarray, (row(X, bit, bit),))(expected)
        other = frozen if name == "writeable" else X.copy("F" if name == "c_contiguous" else "C")
        assert not conditions.Arrays(np.ndarray, (row(X, bit, bit),))(other)
        assert conditions.Arrays(np.ndarray, (row(X, bit, 0),))(other)


def _windows() -> list[np.ndarray[Any, Any]]:
    memory, empty = np.zeros(24), np.zeros((0, 3))
    windows = [memory[start : start + 6].reshape(2, 3) for start in (0, 5, 6, 12, 18)]
    windows += [memory.reshape(4, 6)[::2, ::2], memory[::-1][:6].reshape(2, 3), memory[:12:2].reshape(2, 3), memory[1:12:2].reshape(2, 3)]
    strided = np.lib.stride_tricks.as_strided
    return [
        *windows,
        strided(memory, (2, 3), (8, 8)),
        strided(memory, (2, 3), (24, 8)),
        strided(memory, (2, 3), (16, 8)),
        strided(memory, (2, 3), (4, 8)),
        strided(memory[6:], (2, 3), (-24, 16)),
        np.zeros((3, 4)).T[::2, ::-1],
        np.zeros((2, 3)),
        np.asfortranarray(np.zeros((2, 3))),
        np.broadcast_to(np.zeros(3), (2, 3)),
        memory[:0].reshape(0, 3),
        empty,
    ]


@needs_c
def test_arrays_that_are_written_share_no_memory() -> None:
    windows = _windows()
    any_rows = (np.dtype(float), (conditions.ANY, 3), 0, 0)
    one_written = conditions.Arrays(np.ndarray, ((*any_rows, conditions.WRITTEN, 8, False), (*any_rows, conditions.COMPARED, 8, False)))
    other_written = conditions.Arrays(np.ndarray, ((*any_rows, conditions.COMPARED, 8, False), (*any_rows, conditions.WRITTEN, 8, False)))
    aside = conditions.Arrays(np.ndarray, ((*any_rows, conditions.WRITTEN, 8, False), (*any_rows, 0, 8, False)))
    for one in windows:
        for other in windows:
            apart = not overlaps_itself(one) and not np.may_share_memory(one, other)
            assert one_written(one, other) is apart
            assert other_written(other, one) is apart
            assert aside(one, other) is not overlaps_itself(one)


KINDS = ["U2", "U3", ">U2", "S2", "M8[D]", "M8[s]", "m8[D]", ">f8", "f8", "i4,f8", "V4", np.dtype("f8", metadata={"unit": "m"})]


@needs_c
def test_dtypes_of_which_there_are_many_objects() -> None:
    for one in map(np.dtype, KINDS):
        arrays = conditions.Arrays(np.ndarray, (row(np.zeros(3, one), equal=True),))
        for other in map(np.dtype, KINDS):
            assert arrays(np.zeros(3, other)) is (one == other)
            assert not arrays(np.zeros(4, other))


@needs_c
def test_more_arrays_than_have_room_at_once() -> None:
    arrays = [np.zeros(3) for _ in range(100)]
    rows = tuple([row(array, part=conditions.WRITTEN) for array in arrays])
    assert conditions.Arrays(np.ndarray, rows)(*arrays)
    assert not conditions.Arrays(np.ndarray, rows)(*arrays[:-1], arrays[3])


@needs_c
@pytest.mark.parametrize(
    "args", [(), (1,), ((), ()), (np.ndarray, (1,)), (np.ndarray, ((X.dtype, 3),)), (np.ndarray, ((X.dtype, ("a",), 0, 0, 0, 8, False),))]
)
def test_what_is_malformed_is_refused(args: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        conditions.Arrays(*args)


@needs_c
def test_another_number_of_arrays_is_refused() -> None:
    arrays = conditions.Arrays(np.ndarray, (row(X),))
    for args, names in (((), {}), ((X, X), {}), ((X,), {"x": X})):
        with pytest.raises(TypeError, match="takes 1 arrays"):
            arrays(*args, **names)


@needs_c
def test_no_reference_is_kept() -> None:
    rows = (row(X, part=conditions.WRITTEN), row(Y, part=conditions.COMPARED))
    before = [sys.getrefcount(each) for each in (X, rows, X.dtype)]
    arrays = conditions.Arrays(np.ndarray, rows)
    for value in (X, Y, None) * 100:
        arrays(value, Y)
    del arrays
    assert [sys.getrefcount(each) for each in (X, rows, X.dtype)] == before


@pytest.mark.parametrize("built", [pytest.param(True, marks=needs_c), False])
def test_programs_take_the_same(built: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not built:
        monkeypatch.setattr(conditions, "Arrays", None)

    def program(pair: Any, y: Any, scale: Any) -> Any:
        return pair[0] * scale + pair[1]["z"] + y

    example = ((X, {"z": X}), Y, 2.0)
    module = export(program, example).module()
    np.testing.assert_array_equal(module(*example), program(*example))
    for name, (value, holds) in GIVEN.items():
        given = ((X, {"z": value}), Y, 2.0)
        if holds:
            np.testing.assert_array_equal(module(*given), program(*given), err_msg=name)
        else:
            with pytest.raises(InputMismatch):
                module(*given)


class Pair(list[Any]):
    """No list is one of these."""


@pytest.mark.parametrize("other", [(X, X), Pair([X, X]), {0: X, 1: X}, [X], [X, X, X]], ids=["tuple", "subclass", "dict", "short", "long"])
def test_a_list_is_taken_as_a_list_alone(other: Any) -> None:
    module = export(lambda pair: pair[0] + pair[1], ([X, X],)).module()
    np.testing.assert_array_equal(module([X, X]), X + X)
    with pytest.raises(InputMismatch):
        module(other)


def test_a_dict_is_taken_as_a_dict_alone() -> None:
    module = export(lambda parts: parts["a"] + parts["b"], ({"a": X, "b": X},)).module()
    np.testing.assert_array_equal(module({"a": X, "b": X}), X + X)
    for other in (OrderedDict(a=X, b=X), {"b": X, "a": X}):  # a program may go over them
        with pytest.raises(InputMismatch):
            module(other)


def test_a_default_is_given_by_its_value() -> None:
    def scaled(x: Any, by: Any = 2.5) -> Any:
        return x * by

    module = export(scaled, (X,)).module()
    np.testing.assert_array_equal(module(X, float("2.5")), X * 2.5)
    with pytest.raises(InputMismatch):
        module(X, np.float64(2.5))


def test_programs_of_no_number_take_no_number() -> None:
    module = export(lambda x, by: x * by, (X, math.nan)).module()
    assert np.isnan(module(X, float("nan"))).all()
    for other in (1.0, -math.nan, np.float64(np.nan)):
        with pytest.raises(InputMismatch):
            module(X, other)


@pytest.mark.parametrize("built", [pytest.param(True, marks=needs_c), False])
def test_programs_that_write_take_the_same(built: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not built:
        monkeypatch.setattr(conditions, "Arrays", None)

    def program(x: Any, y: Any) -> None:
        x += y

    module = export(program, (X.copy(), X.copy())).module()
    for name, (value, holds) in GIVEN.items():
        if not holds:
            with pytest.raises(InputMismatch):
                module(value, X)
        else:
            mine, eager = np.copy(value), np.copy(value)
            module(mine, X)
            program(eager, X)
            np.testing.assert_array_equal(mine, eager, err_msg=name)
    windows = [window for window in _windows() if window.shape == (2, 3)]
    for one in windows:
        for other in windows:
            shared = np.shares_memory(one, other)
            if shared or overlaps_itself(one) or not one.flags.writeable:
                with pytest.raises(InputMismatch, match="shares memory|read-only|writeable|one place"):
                    module(one, other)
            else:
                expected = one + other
                module(one, other)
                np.testing.assert_array_equal(one, expected)


def test_arrays_that_are_written_to_are_compared_with_all_others_however_many_there_are() -> None:
    def f(*arrays):
        for place, array in enumerate(arrays):
            if place % 3 != 1:
                array += place
        return arrays[1].sum()

    rng = np.random.default_rng(14)
    count = 60
    module = export(f, tuple(np.zeros(4) for _ in range(count))).module()
    refused = 0
    for _ in range(80):
        memory = np.zeros(8 * count)
        begins = 8 * rng.permutation(count)[:count] + rng.integers(0, 4, count)
        place, other = rng.choice(count, 2, replace=False)
        if rng.random() < 0.7:
            begins[place] = begins[other] + rng.integers(-3, 4) * (rng.random() < 0.8)
        begins = np.clip(begins, 0, memory.size - 4)
        meet = abs(begins[:, None] - begins) < 4
        written = np.arange(count) % 3 != 1
        meet &= written[:, None] | written
        np.fill_diagonal(meet, val=False)
        arrays = [memory[begin : begin + 4] for begin in begins]
        if meet.any():
            refused += 1
            with pytest.raises(InputMismatch, match="shares memory"):
                module(*arrays)
        else:
            module(*arrays)
            assert all(np.all(array == place * (place % 3 != 1)) for place, array in enumerate(arrays) if written[place])
    assert refused > 20


STRIDED = {
    "one row without a stride": ((1, 3), (0, 8), False),
    "one column without a stride": ((3, 1), (8, 0), False),
    "a row again and again": ((2, 3), (0, 8), True),
    "windows": ((2, 3), (8, 8), True),
    "rows that begin within others": ((2, 3), (16, 8), True),
    "rows that end where others begin": ((2, 3), (24, 8), False),
    "no columns": ((2, 0), (0, 8), False),
    "reversed": ((3,), (-8,), False),
    "half an element apart": ((3,), (4,), True),
}


@pytest.mark.parametrize("name", STRIDED)
def test_which_arrays_have_elements_at_one_place(name):
    shape, strides, overlaps = STRIDED[name]
    assert overlaps_itself(np.ndarray(shape, float, bytearray(80), 24, strides)) is overlaps
