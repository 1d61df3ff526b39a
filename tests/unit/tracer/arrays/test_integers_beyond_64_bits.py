"""Python's integers that only the data know, where they become arrays: NumPy chooses the dtype by
the value, so that what does not fit an int64 is the same as in eager execution, or an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npexport
from npexport import Dim, ExportError, InputMismatch, export
from tests.support.images import image

VALUES = (0, 3, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**30)


def _number(x: Any) -> int:
    return int(x[0]) * int(x[1]) + int(x[2])


def _input(value: int) -> Any:
    """Three int64 of which `_number` makes the value."""
    sign = 1 if value >= 0 else -1
    quotient, rest = divmod(abs(value), 2**50)
    return np.array([sign * quotient, 2**50, sign * rest])


def _filled(x: Any) -> Any:
    filled = []
    for times in (1, 2):
        filled.append(_number(x) * times)
    return np.array(filled)


def _of_float(x: Any) -> Any:
    return np.array([0, math.ceil(float(x[0]) * float(x[1]))])


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "array": lambda x: np.array(_number(x)),
    "dtype": lambda x: np.array(_number(x)).dtype.name,
    "list": lambda x: np.array([0, _number(x)]),
    "nested list": lambda x: np.asarray([[_number(x)], [1]]),
    "list with a float": lambda x: np.array([1.5, _number(x)]),
    "list of a dtype": lambda x: np.array([_number(x)], np.uint64),
    "list of floats": lambda x: np.array([_number(x)], float),
    "filled": _filled,
    "ceil": _of_float,
    "max": lambda x: np.array([max(_number(x), 0)]),
    "sum": lambda x: np.array(sum([_number(x), 1])),
    "full": lambda x: np.full(2, _number(x)),
    "dtype of full": lambda x: np.full(2, _number(x)).dtype.name,
    "full of floats": lambda x: np.full(2, _number(x), float),
    "full_like": lambda x: np.full_like(x, _number(x)),
    "item": lambda x: np.zeros(2, np.uint64) + np.uint64(_number(x)),
    "add": lambda x: np.add(x, _number(x)),
    "add to floats": lambda x: x.astype(float) + _number(x),
    "compare": lambda x: x < _number(x),
    "equal": lambda x: np.equal(_number(x), _number(x)),
    "negative": lambda x: np.negative(_number(x)),
    "dtype of negative": lambda x: np.negative(_number(x)).dtype.name,
    "maximum": lambda x: np.maximum(_number(x), 0),
    "sqrt": lambda x: np.sqrt(_number(x)),
    "stack": lambda x: np.stack([_number(x), 0]),
    "append": lambda x: np.append(x, _number(x)),
    "concatenate": lambda x: np.concatenate([x, [_number(x)]]),
    "where": lambda x: np.where(x > 0, _number(x), 0),
    "isin": lambda x: np.isin(x, [_number(x)]),
    "dot": lambda x: np.dot(_number(x), 2),
    "mean": lambda x: np.mean([_number(x), 2]),
    "atleast_1d": lambda x: np.atleast_1d(_number(x)),
    "linspace": lambda x: np.linspace(0, _number(x), 3),
}


def _outcome(program: Callable[[Any], Any], value: int) -> Any:
    try:
        result = program(_input(value))
    except Exception as error:
        return type(error)
    items = result.ravel().tolist() if isinstance(result, np.ndarray) else [result]
    return type(result), getattr(result, "dtype", None), getattr(result, "shape", None), [(type(item), repr(item)) for item in items]


def _error(program: Callable[[Any], Any], x: Any) -> type[Exception] | None:
    try:
        program(x)
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_integer_becomes_numpys_array_or_an_error(name: str) -> None:
    program = PROGRAMS[name]
    module = export(program, (_input(3),)).module()
    same = 0
    for value in VALUES:
        expected, found = _outcome(program, value), _outcome(module, value)
        assert found in (expected, OverflowError), (value, expected, found)
        same += found == expected
        if abs(value) < 2**62:
            assert found == expected
    assert same >= 3


def test_a_handler_does_not_get_the_error_that_numpy_does_not_raise() -> None:
    def caught(x: Any) -> Any:
        try:
            return np.array([0, _number(x)])
        except OverflowError:
            return np.array([1, 1])

    with pytest.raises(ExportError, match="E126"):
        export(caught, (_input(3),))


def test_the_error_names_the_line() -> None:
    module = npexport.export(PROGRAMS["list"], (_input(3),)).module()
    with pytest.raises(OverflowError) as caught:
        module(_input(2**64))
    notes = "".join(getattr(caught.value, "__notes__", ()))
    assert "test_integers_beyond_64_bits.py" in notes


OF_SIZES: dict[str, Callable[[Any], Any]] = {
    "array": lambda x: np.array(2 ** len(x)),
    "list": lambda x: np.array([2 ** len(x)]),
    "list with a float": lambda x: np.array([1.5, 2 ** len(x)]),
    "list with an element": lambda x: np.array([x[0], -(2 ** len(x))]),
    "list with a complex number": lambda x: np.array([1.5j, len(x) ** 11]),
    "list with a truth": lambda x: np.array([True, len(x) << 58]),
    "sum": lambda x: np.sum([1.5, 2 ** len(x)]),
    "outer": lambda x: np.outer([2 ** len(x), 1.5], x),
    "concatenate": lambda x: np.concatenate([x, [2 ** len(x)]]),
    "product with a list": lambda x: x * [2 ** len(x)],
}


@pytest.mark.parametrize("name", OF_SIZES)
def test_an_integer_that_grows_with_a_size_becomes_numpys_array_or_is_refused(name: str) -> None:
    program = OF_SIZES[name]
    module = export(program, (np.ones(5),), dynamic_shapes=({0: Dim.AUTO},)).module()
    same = 0
    for size in (5, 1, 2, 31, 62, 63, 64, 65, 100):
        x = np.arange(size) * 0.5
        try:
            found = module(x)
        except InputMismatch:
            continue
        assert image(found) == image(program(x)), size
        same += 1
    assert 3 <= same < 9


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.int64(len(x)) ** 4,
        lambda x: np.int64(len(x)) * len(x) * len(x) * len(x),
        lambda x: np.square(np.int64(len(x)) ** 2),
        lambda x: np.prod([len(x)] * 4),
    ],
)
def test_products_of_sizes_wrap_around_as_numpys_integers_do(program: Callable[[Any], Any]) -> None:
    module = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    with np.errstate(over="ignore"):
        for size in (3, 70_000, 100_000):
            assert image(module(np.ones(size))) == image(program(np.ones(size))), size


def test_a_write_of_what_is_too_large_raises_though_nobody_reads_it() -> None:
    def written(x: Any) -> Any:
        np.arange(3, dtype=np.uint64)[:1] = 2 ** len(x)
        return x

    module = export(written, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (3, 63, 64):
        assert _error(module, np.ones(size)) == _error(written, np.ones(size)) == (OverflowError if size == 64 else None)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.uint8([len(x), 2]),
        lambda x: np.int8(([len(x)], [x[0]])),
        lambda x: np.uint8([np.int64(len(x))]),
        lambda x: np.float16([len(x) * 1000]),
    ],
)
def test_a_scalar_type_makes_an_array_of_a_list_item_by_item(program: Callable[[Any], Any]) -> None:
    module = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (3, 255, 300):
        wanted = _error(program, np.ones(size))
        assert _error(module, np.ones(size)) == wanted
        assert wanted or image(module(np.ones(size))) == image(program(np.ones(size)))


def test_sizes_of_arrays_need_no_guard() -> None:
    def sizes(x: Any) -> Any:
        return np.array([len(x) * x.shape[1] * x.shape[2], x.nbytes, len(x) ** 2, len(x) // 2, 1.5])

    ep = export(sizes, (np.ones((2, 3, 4)),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO},))
    assert not ep.guards


FAR = 10**25


def _written(x: Any) -> Any:
    x = x.copy()
    x[FAR:] += 3
    x[-FAR:][:FAR] *= 2
    return x


@pytest.mark.parametrize("program", [lambda x: x[FAR:][:2], lambda x: x[None, -FAR:][:, ::FAR], lambda x: x[FAR::-2][1:], _written])
def test_a_bound_of_a_slice_is_clipped(program: Callable[[Any], Any]) -> None:
    x = np.arange(7.0)
    assert image(export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()(x[:5])) == image(program(x[:5]))


def test_numpys_integers_say_to_how_many_digits_sizes_are_rounded() -> None:
    def rounded(x: Any) -> Any:
        n = len(x)
        return round(n, np.int64(-1)), round(n // 2, np.uint8(200)), round(int(x[0]), np.int8(1)), round(n, True)

    x = np.ones(15)
    assert export(rounded, (x,)).module()(x) == rounded(x)
    assert export(rounded, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()(x) == rounded(x)


@pytest.mark.parametrize("program", [lambda i: [1, 2**64][-i.max() :], lambda i: [q for q in (1, 2**64, 3) if q > i[0]]])
def test_a_list_of_which_data_choose_holds_none_that_is_known(program: Callable[[Any], Any]) -> None:
    with pytest.raises(ExportError, match="18446744073709551616, which needs more than 64 bits"):
        export(program, (np.array([1, 0]),))
