"""Polynomials whose coefficients are data: what NumPy leaves out, the data decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from npexport.ir.numpy_internals import NUMPY
from tests.support.forms import reloaded

P = np.polynomial
V, W, ZERO = np.array([1.5, 0.5, 2.5]), np.array([2.0, 1.0, 0.0]), np.zeros(3)
FRONT = np.array([0.0, 0.0, 3.0])
PROGRAMS = {
    "polyadd": lambda a, b: P.polynomial.polyadd(a, b),
    "chebmul": lambda a, b: P.chebyshev.chebmul(a, b),
    "hermdiv": lambda a, b: P.hermite.hermdiv(a, b + 1),
    "polypow": lambda a, b: P.polynomial.polypow(a, 3),
    "fromroots": lambda a, b: P.legendre.legfromroots(a),
    "as_series": lambda a, b: P.polyutils.as_series([a, b]),
    "trimcoef": lambda a, b: P.polyutils.trimcoef(a, 1.0),
    "product of series": lambda a, b: (P.Polynomial(a) * P.Polynomial(b) + 1)(a),
    "power of a series": lambda a, b: (P.Laguerre(a) ** 2).coef,
    "quotient of series": lambda a, b: divmod(P.Polynomial(a), P.Polynomial(b + 1))[1].coef,
    "fitted, converted": lambda a, b: P.Polynomial.fit(np.arange(3.0) + a[0], b, 1).convert().coef,
    "of another kind": lambda a, b: P.Chebyshev(a).convert(kind=P.Polynomial)(b),
    "poly1d": lambda a, b: np.poly1d(a)(b),
    "coefficients": lambda a, b: (np.poly1d(a).coeffs.copy(), np.poly1d(b).order),
    "product of poly1d": lambda a, b: (np.poly1d(a) * np.poly1d(b))(2.0),
    "derivative": lambda a, b: np.poly1d(a).deriv()(b),
    "polymul": lambda a, b: np.polymul(a, b),
    "polydiv": lambda a, b: np.polydiv(a, b + 1),
    "sum of poly1d": lambda a, b: (np.poly1d(a) + np.poly1d(b)).c,
    "polyval": lambda a, b: np.polyval(a, b),
    "trim_zeros": lambda a, b: (np.trim_zeros(a), np.trim_zeros(a, "f"), np.trim_zeros(b, "b")),
    "complex roots": lambda a, b: P.polynomial.polyroots(a + 1j),
}


def agree(ours, eager):
    if isinstance(eager, (tuple, list)):
        assert type(ours) is type(eager)
        assert len(ours) == len(eager)
        for mine, theirs in zip(ours, eager, strict=True):
            agree(mine, theirs)
    else:
        assert (type(ours), getattr(ours, "dtype", None)) == (type(eager), getattr(eager, "dtype", None))
        np.testing.assert_array_equal(ours, eager)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_as_long_as_in_numpy(name):
    program = PROGRAMS[name]
    exported = export(lambda a, b: program(a, b), (V, W))
    for run in (exported.module(), reloaded(exported).module()):
        for a in (V, W, FRONT, ZERO):
            for b in (V, W, ZERO):
                agree(run(a, b), program(a, b))


@pytest.mark.parametrize("name", ["polyadd", "chebmul", "poly1d", "trim_zeros", "product of series"])
def test_of_dynamic_sizes(name):
    program = PROGRAMS[name]
    size = Dim("size", min=2)
    run = export(lambda a, b: program(a, b), (V, W), dynamic_shapes={"a": {0: size}, "b": {0: size}}).module()
    for length in (2, 5):
        a, b = np.arange(length) - 1.0, np.arange(length, 0, -1.0)
        b[-1] = 0
        agree(run(a, b), program(a, b))


@pytest.mark.parametrize(
    "values",
    [
        np.array(["", "a", "", " ", ""]),
        np.array([b"", b"0", b""]),
        np.array([(0, 0.0), (0, 1.0), (0, 0.0)], "i4,f8"),
        np.array(["1970-01-01", "NaT", "1970-01-01"], "M8[D]"),
        np.array([0, 3, 0], "m8[s]"),
        np.array([False, True, False]),
    ],
    ids=str,
)
def test_zeros_of_other_kinds_are_trimmed_as_numpy_does(values):
    def program(x):
        return np.trim_zeros(x), np.trim_zeros(x, "b")

    if values.dtype.names and NUMPY < "2.2.0":  # which compared records with a number
        for call in (program, lambda x: export(program, (x,))):
            with pytest.raises(TypeError, match="Cannot compare structured"):
                call(values)
        return
    run = export(program, (values,), dynamic_shapes=({0: Dim.AUTO},)).module()
    for x in (values, values[:2], values[::-1].copy(), values[:1]):
        for found, wanted in zip(run(x), program(x), strict=True):
            assert found.tolist() == wanted.tolist()
            assert found.dtype == wanted.dtype


def test_a_series_divided_by_nothing_raises_in_the_program_too():
    run = export(lambda a, b: P.polynomial.polydiv(a, b), (V, W)).module()
    with pytest.raises(ZeroDivisionError):
        run(V, ZERO)


@pytest.mark.parametrize("roots", [np.roots, P.polynomial.polyroots])
def test_roots_of_real_coefficients_are_real_or_complex_as_the_data_say(roots):
    with pytest.raises(Unsupported, match=r"real or complex") as caught:
        export(lambda a: roots(a), (V,))
    assert caught.value.code == "E104"
    assert "astype(complex)" in caught.value.hint
    np.testing.assert_array_equal(export(lambda a: roots(a.astype(complex)), (V,)).module()(V), roots(V.astype(complex)))


def test_roots_of_a_constant_are_an_error_and_not_of_another_dtype():
    run = export(lambda a: np.roots(a.astype(complex)), (V,)).module()
    with pytest.raises(ValueError, match="of coefficients that are zero but one"):
        run(FRONT)


def test_a_polynomial_shares_the_memory_of_its_coefficients() -> None:
    """The polynomial shows the caller's array from its first coefficient on, unless there is none."""

    def shown(a: Any) -> Any:
        return np.poly1d(a).coeffs

    def written(a: Any) -> Any:
        np.poly1d(a).coeffs[0] = 9
        return a

    for program in (shown, written):
        for dynamic in (None, ({0: Dim.AUTO},)):
            with pytest.raises(Unsupported) as refused:
                export(program, (np.array([0.0, 1.0, 2.0]),), dynamic_shapes=dynamic)
            assert refused.value.code == "E103"

    def own(a: Any) -> Any:
        p = np.poly1d(a * 2)
        p.coeffs[0] = 9
        return p.coeffs

    run = export(own, (np.array([0.0, 1.0, 2.0]),)).module()
    for data in ([0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]):
        assert run(np.array(data)).tolist() == own(np.array(data)).tolist()


def test_the_domain_that_series_share_is_read_and_not_written() -> None:
    def read(a: Any) -> Any:
        p = np.polynomial.Legendre(a)
        return p.window, p.domain * 2, p(a)

    def written(a: Any) -> Any:
        try:
            np.polynomial.Legendre(a).window[:1] = a[0]
        except ValueError:
            return "raised"
        return a

    x = np.array([0.0, 1.0, 2.0])
    first, second = [export(read, (x,)).module()(x) for _ in range(2)]
    assert [each.tolist() for each in first] == [each.tolist() for each in read(x)]
    first[0][0] = 7
    assert second[0].tolist() == np.polynomial.Legendre.window.tolist() == [-1.0, 1.0]
    with pytest.raises(Unsupported, match="series of one class share") as refused:
        export(written, (x,))
    assert refused.value.code == "E116"
