"""Sizes are integers wherever a program can look at them, and what NumPy computes of them alone is arithmetic on sizes."""

from __future__ import annotations

import collections
import functools
import math
import numbers
import operator
import typing
import warnings

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export
from npexport import refine_dynamic_shapes_from_suggested_fixes as refine
from tests.support.outcomes import result_or_error


def matched(n, x):
    match n:
        case bool():
            return -x
        case int(value):
            return x * value
        case _:
            return -x


LIKE_INTEGERS = [
    lambda x: x if x.shape[0].__class__ is int else -x,
    lambda x: x if type(x.shape[0]) is int and type(x.shape[0]) in (int, float) and type(x.size) is type(len(x)) else -x,
    lambda x: x if isinstance(x.shape[0], (int, np.integer)) and not isinstance(x.shape[0], float) else -x,
    lambda x: x if isinstance(x.shape[0], numbers.Integral) and isinstance(x.shape[0], typing.SupportsInt) else -x,
    lambda x: x if isinstance(x.shape[0], int | float) and int.__instancecheck__(x.shape[0]) else -x,
    lambda x: x if issubclass(x.shape[0].__class__, numbers.Number) and int in type(x.shape[0]).__mro__ else -x,
    lambda x: x if type(x.shape[0]).__name__ == "int" and x.shape[0].__class__.__name__ == "int" else -x,
    lambda x: x if getattr(x.shape[0], "__class__") is int else -x,  # noqa: B009
    lambda x: x * type(x.shape[0])(3.7) + type(x.shape[0])(x.shape[0]) + (x.shape[0] ** 2).__class__(2),
    lambda x: x if type(x.shape[0] > 2) is bool and (x.shape[0] > 2).__class__ is bool else -x,
    lambda x: x if type(x.shape[0] / 2) is float and (x.shape[0] / 2).__class__ is float else -x,
    lambda x: x if hasattr(x.shape[0], "bit_length") and "bit_length" in dir(x.shape[0]) else -x,
    lambda x: -x if any(hasattr(x.shape[0], name) for name in ("env", "expr", "expression", "hint", "__copy__", "__array_ufunc__")) else x,
    lambda x: x * x.shape[0].real + x.shape[0].imag + x.shape[0].numerator - x.shape[0].denominator + x.shape[0].conjugate(),
    lambda x: x * x.shape[0].__add__(2) + x.shape[0].__rmul__(3) - int.__sub__(x.shape[0], 1) + int.__add__(2, x.shape[0]),
    lambda x: x * float.__add__(x.shape[0] / 2, 1.0) + int.bit_length(x.shape[0]),
    lambda x: x if not callable(x.shape[0]) and np.isscalar(x.shape[0]) else -x,
    lambda x: x if np.issubdtype(type(x.shape[0]), np.integer) and np.array(x.shape[0]).dtype == np.int64 else -x,
    lambda x: {int: x, float: -x}[type(x.shape[0])] * functools.reduce(operator.mul, x.shape),
    lambda x: x if not isinstance(x.shape[0], collections.abc.Iterable) else -x,
    lambda x: matched(x.shape[0], x),
    lambda x: x if x.shape[0] not in (-1, "a", None) and None not in x.shape else -x,
    lambda x: x if x.shape[0] in range(x.shape[0] + 1) and x.shape[0] not in range(-9, 0) else -x,
]  # fmt: skip


def filled_row(x):
    """The shape, as libraries put it together: in rows of an array."""
    sizes = np.ones((2, 2), dtype=int)
    for row in sizes:
        row[1:] = x.shape
    return sizes[1, 1:]


def placed(x):
    sizes = np.arange(3)
    sizes[[2, 0]] = x.shape[0], 2
    return sizes


COMPUTED = [
    lambda x: np.linspace(0, x.shape[0], x.shape[0] + 1, endpoint=False, retstep=True)[1],
    lambda x: x[: int(np.ceil(x.shape[0] / 2))],
    lambda x: x[: int(np.floor(x.shape[0] * 0.5))],
    lambda x: x[: int(np.round(x.shape[0] / 3))] + round(x.shape[0] / np.float64(4)),
    lambda x: x[: math.ceil(np.sqrt(x.shape[0]))] * math.floor(np.sqrt(x.shape[0])),
    lambda x: x[: round(np.sqrt(x.shape[0]))] * float(np.sqrt(x.shape[0])),
    lambda x: x[: int(np.log2(x.shape[0] + 1))],
    lambda x: x[: int(np.log2(x.shape[0] + 1) * 3)],
    lambda x: np.zeros(np.array(x.shape) // 2) + np.ones((np.array(x.shape) // 2).tolist()),
    lambda x: np.zeros(np.max([x.shape[0], 3])) + np.prod(x.shape),
    lambda x: np.ones(np.prod(x.shape).item()).reshape(np.array(x.shape)),
    lambda x: x[np.cumsum([0, x.shape[0] // 2, 1])[1] :],
    lambda x: (lambda n: np.ones(n))(*(np.array(x.shape) // 2)),
    lambda x: np.fft.rfft(x, 2 * int(np.ceil((x.shape[0] + 1) / 2))),
    lambda x: np.pad(x, (0, int(np.ceil(x.shape[0] / 4)) * 4 - x.shape[0])).reshape(-1, 4),
    lambda x: np.tile(x, int(np.float64(x.shape[0]) / 2)) * np.int64(x.shape[0]) % 7,
    lambda x: x[: np.minimum(x.shape[0], 3)] + np.array([x.shape[0], 2])[0],
    lambda x: np.arange(np.array(x.shape)[0] - 1, -1, -1) + np.square(x.shape[0]),
    lambda x: x[: np.array(x.shape)[0] % 3] * np.power(x.shape[0], 2),
    lambda x: np.zeros(np.max([[x.shape[0], 4], [3, x.shape[0]]], axis=0)) + np.array([[x.shape[0], 2]]).prod(axis=1, keepdims=True),
    lambda x: np.zeros(np.roll(np.array([x.shape[0], 2]), 1)) + np.ones(np.array([x.shape[0], 7, 1])[[1, 0]][1]),
    lambda x: np.ones(np.clip(x.shape[0], 2, 5)) * np.tile(np.array(x.shape), 2).reshape(2, 1).T[0, 1],
    lambda x: x[: int((2.5 * np.array([x.shape[0] > 3]))[0])] + int(np.array(x.shape[0] > 4) * np.int64(3)),
    lambda x: np.zeros(placed(x)[[0, 2]]) + placed(x)[1],
    lambda x: x.reshape(filled_row(x)) + np.insert(np.array(x.shape), 0, 1)[1] - np.delete([x.shape[0], 5], 0),
    lambda x: x.reshape(np.max([x.shape], axis=0) * np.array([x.shape]).all(axis=0)),
    lambda x: np.zeros(np.where(np.array([True, False]), x.shape[0], 3)) + np.full((2, 1), x.shape[0])[1, 0],
    lambda x: np.zeros(np.stack([x.shape, x.shape], axis=1)[0]) + np.concatenate([x.shape, [1]])[::-1].tolist()[1],
]
DECIDED = [
    (lambda x: x if np.prod(x.shape) < 7 else -x, "n", "Dim('n', max=6)"),
    (lambda x: x if np.array(x.shape)[0] % 2 == 1 else -x, "n", "2*_n + 1"),
    (lambda x: x if x.shape[0] in (5, 6, 7) else -x, "n", "Dim('n', min=5, max=7)"),
    (lambda x: x if x.shape[0] in {2, 5, 11} else -x, "n", "Dim('n', one_of=(2, 5, 11))"),
    (lambda x: x if x.shape[0] in {5: "a", 10: "b"} else -x, "n", "Dim('n', one_of=(5, 10))"),
    (lambda x: x if x.shape[0] in range(3, 20, 2) else -x, "_n", "Dim('_n', min=1, max=9)"),
    (lambda x: x if x.shape[0] not in (3, 0, 2, 1) else -x, "n", "Dim('n', min=4)"),
    (lambda x: x if 5 in x.shape else -x, "n", "5"),
    (lambda x: x + sum(range(np.prod(x.shape))), "n", "5"),
    (lambda x: {f"{np.prod(x.shape)}": x}[str(np.prod(x.shape))], "n", "5"),
    (lambda x: x if int(0.1 * x.shape[0]) == 0 else -x, "n", "Dim('n', max=9)"),
    (lambda x: x if np.all(np.diff([x.shape[0], 7, 9]) > 0) else -x, "n", "Dim('n', max=6)"),
    (lambda x: x if np.any(np.array([x.shape[0], 0]) > 3) else -x, "n", "Dim('n', min=4)"),
    (lambda x: x if np.ceil(x.shape[0] / 4) == 2 else -x, "n", "Dim('n', min=5, max=8)"),
]
EXAMPLE = 5
GRID = (5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 17, 31, 33)


def assert_same(run, fn, n):
    x = np.arange(float(n))
    actual, expected = (result_or_error(call, x, passes=InputMismatch) for call in (run, fn))
    if isinstance(expected, Exception):
        assert type(actual) is type(expected)
    else:
        assert actual.dtype == expected.dtype, n
        np.testing.assert_array_equal(actual, expected, err_msg=str(n))


@pytest.mark.parametrize("index", range(len(LIKE_INTEGERS)))
def test_like_integers(index):
    fn = LIKE_INTEGERS[index]
    run = export(fn, (np.arange(5.0),), dynamic_shapes=({0: Dim("n")},)).module()
    for n in GRID:
        assert_same(run, fn, n)


@pytest.mark.parametrize("index", range(len(COMPUTED)))
def test_computed_by_numpy(index):
    """Every size is accepted, and gives what eager gives."""
    fn = COMPUTED[index]
    program = export(fn, (np.arange(5.0),), dynamic_shapes=({0: Dim("n")},))
    assert not [size for size in program.range_constraints if str(size).startswith("u")]
    for n in GRID:
        assert_same(program.module(), fn, n)


@pytest.mark.parametrize("index", range(len(DECIDED)))
def test_decided_by_numpy(index):
    fn, name, expected = DECIDED[index]
    spec = ({0: Dim("n")},)
    with pytest.raises(ConstraintViolation) as caught:
        export(fn, (np.arange(5.0),), dynamic_shapes=spec)
    assert caught.value.suggested_fixes[name] == expected
    fixed = refine(str(caught.value), spec)
    run = export(fn, (np.arange(5.0),), dynamic_shapes=fixed).module()
    loose = export(fn, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for n in GRID:
        try:
            assert_same(loose, fn, n)
        except InputMismatch:
            with pytest.raises(InputMismatch):
                run(np.arange(float(n)))
        else:
            assert_same(run, fn, n)


def test_integer_parts_of_data():
    def fn(x):
        return x[: abs(int(x.sum()))] + int(x.max()) * 0

    run = export(fn, (np.array([1.5, 0.75, -1.0]),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for values in ([1.5, 0.75, -1.0], [-3.9], [0.2, 0.3], [5.0, -2.9, 0.1, 0.1]):
        np.testing.assert_array_equal(run(np.array(values)), fn(np.array(values)))
    for bad, error in ((np.nan, ValueError), (np.inf, OverflowError)):
        with pytest.raises(error):
            run(np.array([bad]))


WITHOUT_GUARDS = [
    lambda x: x * np.hanning(len(x)) + np.kaiser(len(x), 8.0) * np.bartlett(len(x)) + np.blackman(len(x)) + np.hamming(len(x)),
    lambda x: np.insert(x, 0, 0.0)[1:] + np.append(x, 0.0)[:-1],
    lambda x: np.delete(x, x > 3),
    lambda x: np.delete(np.outer(x, x), x > 3, axis=1),
    lambda x: np.delete(x, slice(1, 3)) * np.delete(x, slice(1, 3), 0) + np.delete(np.outer(x, x), slice(-2, None), axis=1).sum(),
    lambda x: np.delete(x, np.arange(len(x) // 2)).sum() + np.delete(x, np.flatnonzero(x < 2)).max(initial=0) + x,
    lambda x: x[:: len(x) + 1],
    lambda x: np.meshgrid(x, x[::2], indexing="ij")[1] + 0,
    lambda x: np.outer(x, x)[np.tril_indices(len(x))].reshape(len(x) * (len(x) + 1) // 2),
    lambda x: np.abs(np.subtract.outer(x, x)[np.triu_indices(len(x), 1)]).reshape(len(x) * (len(x) - 1) // 2),
    lambda x: np.outer(x, x)[~np.tri(len(x), k=2, dtype=bool)],
    lambda x: x[range(*slice(1, -1).indices(len(x))).start :] + sum(slice(None, None, -1).indices(len(x))),
    lambda x: x * sum(slice(-3, len(x) // 2, 2).indices(len(x))) - sum(slice(7, None, -3).indices(len(x))),
    lambda x: x * max(len(x) / 4, 1.0) + min(0.5, len(x) / 9, 3.0),
]


@pytest.mark.parametrize("index", range(len(WITHOUT_GUARDS)))
def test_what_numpy_asks_of_sizes_is_no_guard(index):
    fn = WITHOUT_GUARDS[index]
    program = export(fn, (np.arange(5.0),), dynamic_shapes=({0: Dim("n")},))
    assert not program.guards
    for n in GRID:
        assert_same(program.module(), fn, n)


def test_a_size_has_no_len():
    with pytest.raises(TypeError, match=r"object of type 'int' has no len\(\)"):
        export(lambda x: len(x.shape[0]), (np.arange(5.0),), dynamic_shapes=({0: Dim("n")},))


def test_excluded_ends_of_ranges():
    def fn(x):
        remainder = -len(x) % 8
        return np.pad(x, (0, remainder)) if remainder else x

    program = export(fn, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO(max=16)},))
    assert {str(size): str(interval) for size, interval in program.range_constraints.items()} == {"s0": "VR[1, 15]"}


VIEWS = [lambda x: x.T, lambda x: x[:, None], lambda x: x[::-1, ::2], lambda x: x.swapaxes(0, 1)[1:]]
NUMBERS = [lambda x: x.shape[0] / 2, lambda x: x.shape[0] * 2, lambda x: x.shape[0] > 3, lambda x: x.shape[0] / 3 + 0.1]
ARITHMETIC = [
    lambda x, v: x * v - v,
    lambda x, v: v / (x + 10) + np.maximum(x, v),
    lambda x, v: np.where(x > v, x, v),
    lambda x, v: (x < v) | np.isclose(x, v),
    lambda x, v: np.clip(x, 0, v).astype(np.float32) * v,
    lambda x, v: np.full_like(x, v) + np.stack([x, x * v]),
]


@pytest.mark.parametrize("view", range(len(VIEWS)))
def test_numbers_of_sizes_and_views(view):
    """Whatever memory order a view has, numbers computed from sizes are operands like others."""
    for number in NUMBERS:
        for function in ARITHMETIC:

            def fn(x, function=function, number=number):
                return function(VIEWS[view](x), number(x))

            run = export(fn, (np.ones((4, 3)),), dynamic_shapes=({0: Dim.AUTO(min=4)},)).module()
            x = np.random.default_rng(0).standard_normal((5, 3))
            expected = fn(x)
            actual = run(x)
            assert actual.dtype == expected.dtype
            np.testing.assert_array_equal(actual, expected)


def test_the_smallest_of_several_sizes():
    dims = {0: Dim("h"), 1: Dim("w")}
    with pytest.raises(ConstraintViolation) as caught:
        export(lambda x: x * 2 if min(x.shape) > 1 and max(*x.shape, 3) < 12 else x, (np.ones((5, 6)),), dynamic_shapes=(dims,))
    assert caught.value.suggested_fixes == {"h": "Dim('h', min=2, max=11)", "w": "Dim('w', min=2, max=11)"}


NUMBERS_OF_NUMPY = {
    "quotient of data by a truth": lambda x: (x.sum().item() / np.int64(len(x) > 3)).tolist(),
    "quotient of data by a size": lambda x: (x.mean().item() / np.float64(len(x) - 2)).item(),
    "quotient of sizes": lambda x: np.divide(len(x), len(x) - 2).item(),
    "quotient of what no float holds": lambda x: np.divide(x.astype("i8").sum().item() * (2**53 + 1), 3).item(),
    "whole quotient": lambda x: np.floor_divide(len(x), len(x) - 2).item(),
    "whole quotient of data": lambda x: (x.sum() // (x.max() - x.min())).item() if len(x) else 0,
    "remainder": lambda x: np.remainder(len(x), len(x) - 2).item(),
    "rounded up": lambda x: np.ceil(x.mean().item() / np.float64(len(x) - 2)).item(),
    "rounded": lambda x: np.rint(x.sum().item() / np.float64(len(x) - 2)).item(),
    "root of a size": lambda x: np.sqrt(2 - len(x)).item(),
    "root of data": lambda x: np.sqrt(x.mean().item() - 2).item(),
    "logarithm of a size": lambda x: np.log2(len(x) - 2).item(),
    "logarithm of data": lambda x: np.log2(x.mean().item() - 2).item(),
    "logarithm of integers of data": lambda x: np.log2(x.sum().item() - 1).item(),
    "shape": lambda x: np.zeros(int(np.ceil(len(x) / np.float64(2)))).shape,
    "shape from a logarithm": lambda x: np.zeros(int(np.ceil(np.log2(len(x))))).shape,
    "shape from a quotient": lambda x: np.zeros(np.int64(12) // len(x)).shape,
}
OF_LENGTHS = [np.arange(1, n + 1).astype("u1") for n in (2, 3, 4, 1, 0)] + [np.array([9, 9, 9], "u1"), np.array([1, 200], "u1")]


@pytest.mark.parametrize("length", [2, 4])
@pytest.mark.parametrize("name", NUMBERS_OF_NUMPY)
def test_numbers_that_numpy_computes_are_its_own_where_python_would_raise(name, length):
    f = NUMBERS_OF_NUMPY[name]

    def outcome(call, x):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return repr(call(x))
            except InputMismatch:
                return "mismatch"
            except Exception as error:
                return type(error), str(error)

    run = export(f, (np.arange(1, length + 1).astype("u1"),), dynamic_shapes=({0: Dim.AUTO},)).module()
    found = [outcome(run, x) for x in OF_LENGTHS]
    assert [one for one, x in zip(found, OF_LENGTHS, strict=True) if one not in ("mismatch", outcome(f, x))] == []
    assert found.count("mismatch") < len(found) - 1
