"""Calls are written as the shortest Python that does the same: methods, ufuncs and functions of NumPy that its own Python ends in."""

from __future__ import annotations

import cmath
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import export

X, I, B = np.arange(6.0).reshape(2, 3) - 2.5, np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3) % 2 == 0
Z = X + 1j * I


def sorts(x):
    x.sort()


def sorts_columns(x):
    x.sort(axis=0)


def puts(x, mask):
    np.putmask(x, mask, 0.5)


def copies(x, mask):
    np.copyto(x, 1.0, where=mask)


def fills(x):
    np.fill_diagonal(x, 3.0)


def fills_a_copy(x):
    y = x.copy()
    np.fill_diagonal(y, 3.0)
    return x + y


def set_flat(x):
    x.flat[3] = 7.0
    x.flat[-1] = 8.0


def puts_two(x):
    np.put(x, [0, 3], [1.0, 2.0])


def adds(x):
    np.add.at(x, np.array([1, 0, 1]), 2.0)


def filled(value):
    def f(x):
        x[...] = value

    return f


def adds_and_returns(x):
    np.add.at(x, np.array([1, 0, 1]), 2.0)
    return x


def negates(x):
    np.negative.at(x, np.array([1, 0, 1]))


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str, str]] = {
    "sort": (sorts, (X[:, ::-1].copy(),), "(a1)", "out="),
    "sort of columns": (sorts_columns, (X[::-1].copy(),), "(a1, 0)", "out="),
    "putmask": (puts, (X.copy(), B), "(a1, a2, ", "out="),
    "copyto": (copies, (X.copy(), B), "where=a2)", "out="),
    "fill_diagonal": (fills, (X.copy(),), "(a1, ", "out="),
    "fill_diagonal of a copy": (fills_a_copy, (X,), "a1.copy", "nothing"),
    "put": (puts_two, (X.copy(),), "(a1, ", "out="),
    "add.at": (adds, (X.copy(),), "(a1, ", "out="),
    "a number for all": (filled(0), (X.copy(),), "a1.fill(", "nothing"),
    "NaN for all": (filled(float("nan")), (X.copy(),), "a1.fill(", "nothing"),
    "a truth for all": (filled(True), (I.copy(),), "a1.fill(", "nothing"),
    "a fraction for all integers": (filled(2.5), (I.copy(),), "a1[", ".fill"),
    "what halves round": (filled(0.1), (X.astype(np.float16),), "a1[", ".fill"),
    "numbers as truths": (filled(2), (B.copy(),), "a1[", ".fill"),
    "floats in Python's list": (lambda x: np.array([float(x[0, 0]), 2.0]), (X,), "([v", "full"),
    "a beginning": (lambda x: [v for v in x[0] if v > 0], (X,), "[:v", "arange"),
    "add.at of what is returned": (adds_and_returns, (X.copy(),), "(a1, ", "[...]"),
    "negative.at": (negates, (X.copy(),), "(a1, ", "out="),
    "a cast": (lambda x: x.astype(np.float32), (X,), "a1.astype(", "nothing"),
    "a cast in an order": (lambda x: x.astype(np.float32, order="F"), (X,), "a1.astype(", "nothing"),
    "a cast of a scalar": (lambda x: x[0, 0].astype(np.float32), (X,), "(v0, ", ".astype"),
    "flat": (set_flat, (X.copy(),), "out=a1", "nothing"),
    "clip": (lambda x: x.clip(-1.0, 1.0), (X,), "(a1, ", "nothing"),
    "clip of integers": (lambda x: x.clip(-1000, 3), (I.astype(np.int8),), "(a1, ", "nothing"),
    "clip on one side": (lambda x: np.clip(x, None, 1.0), (X,), "(a1, ", "nothing"),
    "real, imag": (lambda z: z.real * z.imag, (Z,), "a1.imag", "nothing"),
    "parts of reals": (lambda x: (np.real(x) + 1, np.imag(x)), (X,), "a1.imag", "nothing"),
    "dot": (lambda x, y: x.dot(y), (X, X[0].copy()), "a1.dot(a2)", "nothing"),
    "float": (lambda x: float(x[0, 1]), (X,), "(v0)", ".item()"),
    "float of a sum": (lambda x: float(x.sum()), (X.astype(np.float32),), "(v0)", ".item()"),
    "float of an array": (lambda x: float(x[:1].reshape(())), (X[0],), ".item()", "nothing"),
    "float of a long double": (lambda x: float(x[0]), (X[0].astype(np.longdouble),), "(v0)", "nothing"),
    "int": (lambda x: int(x[0, 1]), (I.astype(np.uint16),), "(v0)", ".item()"),
    "int of a float": (lambda x: int(x[1, 1]), (X,), "(v0)", "nothing"),
    "an array of numbers": (lambda x: np.array([x[0, 0], x[1, 1], 2.0, 2.0]), (X,), "[v0, v1, ", "full"),
    "sorted numbers": (lambda x: sorted(x[0].tolist()), (X,), "((*v1,))", "nothing"),
    "sorted numbers backwards": (lambda x: sorted(x[0], reverse=True)[1], (X,), "reverse=True", "nothing"),
    "both parts of a division": (lambda x: divmod(int(x[0, 1]), 2), (X,), ", v", "[0]"),
    "a complex number": (lambda x: complex(x[0, 0], x[0, 1]), (X,), "(v", "[["),
    "a text": (lambda x: f"{x[0, 0]:.2f} of {x[0, 1]}", (X,), "f'{v0:{", "join"),
    "texts and what is made of one": (lambda x: f"{x[0, 0]:e}".upper() + "'" + f"{x[0, 1]:.1f}", (X,), "''.join([f'{v0:{", "nothing"),
    "complex numbers": (lambda z: abs(complex(z[0, 1]) * complex(z[0, 1]) + complex(z[1, 1])), (Z,), ") * v", "nothing"),
    "parts of complex numbers": (lambda z: (complex(z[0, 1]) ** 2).imag, (Z,), ".imag", "nothing"),
    "polar": (lambda z: cmath.polar(complex(z[0, 1])), (Z,), "v", ".real, "),
    "numbers of other dtypes": (lambda x: np.array([x[0, 0], 2, True]), (X,), "[", "nothing"),
}


@pytest.mark.parametrize("name", CASES)
def test_short_forms(name: str) -> None:
    function, args, text, other = CASES[name]
    run = export(function, tuple([each.copy() for each in args])).module()
    assert text in run.code
    assert other not in run.code.replace(" nothing", "") or other == "nothing"
    mine, theirs = [tuple([each.copy() for each in args]) for _ in range(2)]
    found, expected = run(*mine), function(*theirs)
    for one, two in ((found, expected), (mine, theirs)):
        assert repr(one) == repr(two)
        assert type(one) is type(two)


NUMBERS = [2, -1, 0.1, 300, 1e300, 2**53 + 1, True]


@pytest.mark.parametrize("dtype", "?bHlQefdgD")
def test_numbers_beside_scalars_are_scalars_where_that_is_the_same(dtype: str) -> None:
    x = np.array([3, 1]).astype(dtype)
    signs = "+", "/", "//", "**", "<", "==", "<<"
    for number in NUMBERS:
        for sign in signs:
            scope: dict[str, Any] = {"k": number}
            exec(f"def right(x): return x[0] {sign} k\ndef left(x): return k {sign} x[1]", scope)
            for function in scope["right"], scope["left"]:
                assert _outcome(_exported(function, x), x) == _outcome(function, x), (number, sign)


def _exported(function: Callable[..., Any], x: Any) -> Callable[..., Any]:
    try:
        return export(function, (x,)).module()
    except Exception:
        return function


def _outcome(function: Callable[..., Any], x: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(x)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            return type(error), str(error).splitlines()[0]
    return type(found), repr(found), [str(each.message) for each in caught]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.complex128])
def test_clip_is_the_ufunc_for_any_bounds(dtype: Any) -> None:
    x, low, high = (X * 3).astype(dtype), np.array([-1.0, 2.0, 0.0]), np.float64(0.25)
    for function in (lambda x, a, b: np.clip(x, a, b), lambda x, a, b: x.clip(a, 2), lambda x, a, b: np.clip(x, 1, b, out=x)):
        outcomes = []
        for call in (function, export(function, (x.copy(), low, high)).module() if _runs(function, x, low, high) else function):
            own = x.copy()
            try:
                outcomes.append((repr(call(own, low, high)), repr(own)))
            except TypeError as error:
                outcomes.append((str(error), repr(own)))
        assert outcomes[0] == outcomes[1]


def _runs(function: Callable[..., Any], *args: Any) -> bool:
    try:
        function(args[0].copy(), *args[1:])
    except TypeError:
        return False
    return True


def makes(x):
    ones = np.ones(2)
    x[:2] += ones
    ones[0] = 5.0
    return np.concatenate([x, [1.0]]), np.eye(3), np.full((2, 2), 3), np.linspace(0, 1, 5), np.tri(3), ones


def test_small_arrays_that_python_makes_are_copied() -> None:
    run = export(makes, (np.arange(3.0),)).module()
    first, second = run(np.arange(3.0)), run(np.arange(3.0))
    assert run.code.count(".copy()") > 5
    for have, again, need in zip(first, second, makes(np.arange(3.0)), strict=True):
        assert have.dtype == need.dtype and have.strides == need.strides and have.flags.writeable
        assert have.tobytes() == again.tobytes() == need.tobytes() and not np.shares_memory(have, again)


def test_methods_of_ufuncs_and_arrays_of_vectors_are_called_as_they_are() -> None:
    def f(i, x):
        nan = np.array([x[:2], x[1:], -x[::2]])
        return np.bitwise_or.reduce(i), np.maximum.accumulate(x), np.add.reduceat(x, [0, 1]), np.multiply.reduce(i, axis=0), nan

    i, x = np.arange(1, 4), np.array([np.nan, -0.0, np.inf])
    x.view(np.uint64)[0] |= 77
    run = export(f, (i, x)).module()
    for have, need in zip(run(i, x), f(i, x), strict=True):
        assert type(have) is type(need) and have.dtype == need.dtype and have.tobytes() == need.tobytes()
    assert '"' not in run.code


REDUCTIONS = [np.sum, np.prod, np.max, np.min, np.any, np.all]
SCALARS = [np.float64(3), np.float32(-0.0), np.int8(5), np.uint64(7), np.True_, np.complex64(1j), np.float64("nan"), np.timedelta64(4, "s")]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: f"{scalar.dtype}-{scalar}")
@pytest.mark.parametrize("function", REDUCTIONS, ids=lambda function: function.__name__)
def test_reductions_of_scalars(function: Callable[..., Any], scalar: Any) -> None:
    for keywords in ({}, {"axis": 0}, {"axis": None}, {"keepdims": True}, {"axis": 1}):
        try:
            expected = function(scalar, **keywords)
        except (ArithmeticError, TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                export(lambda x, keywords=keywords: function(x, **keywords), (scalar,)).module()(scalar)
            continue
        run = export(lambda x, keywords=keywords: function(x, **keywords), (scalar,)).module()
        found = run(scalar)
        assert (type(found), found.tobytes()) == (type(expected), expected.tobytes())
