"""`np.vectorize` and `np.frompyfunc`: the function is interpreted once for each element, with the numbers that NumPy hands to it."""

from __future__ import annotations

import functools
import math
import re

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from tests.support.arrays_harness import compare
from tests.support.comparison import said


def affine(a):
    return a * 2 + 1


def counted(x):
    calls = []
    result = np.vectorize(lambda a: (calls.append(a), a * len(calls))[1])(x)
    return result, len(calls)


def one_after_the_other(x):
    log = []
    np.frompyfunc(log.append, 1, 1)(x.T)
    return log


@np.vectorize
def decorated(a, b=2):
    return a - b


OUTSIDE = np.vectorize(affine)
UFUNC = np.frompyfunc(affine, 1, 1)
BINARY = np.frompyfunc(lambda a, b: a * b, 2, 1)


class Scaled:
    def __init__(self):
        self.k = 3.0
        self.apply = np.vectorize(self.scale)

    def scale(self, a):
        return a * self.k

    def __call__(self, x):
        return self.apply(x)


PROGRAMS = {
    "outside": lambda x: OUTSIDE(x),
    "decorated": lambda x: (decorated(x), decorated(x, b=x)),
    "ufunc from outside": lambda x: (UFUNC(x).astype(float), BINARY(x, x.T).astype(np.float32)),
    "method": Scaled(),
    "state": counted,
    "memory order": one_after_the_other,
    "several results": lambda x: np.vectorize(lambda a: (a + 1, a * 2))(x),
    "otypes": lambda x: np.vectorize(lambda a: (a + 1, int(a)), otypes=[float, int])(x),
    "cache": lambda x: np.vectorize(affine, cache=True)(x),
    "excluded": lambda x: np.vectorize(lambda a, k: a * k, excluded={"k"})(x, k=2),
    "signature": lambda x: np.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")(x, x),
    "no arguments": lambda x: np.vectorize(lambda: 3)() * x,
    "partial": lambda x: np.vectorize(functools.partial(affine))(x),
    "items of float32 are floats": lambda x: np.vectorize(lambda a: a + 0.1, otypes=["f"])(x.astype(np.float32)),
    "dtype of the first result": lambda x: np.vectorize(lambda a: a * 2)(x.astype(np.float32)),
    "integers of Python": lambda x: np.vectorize(lambda a: a * a)(x.astype(np.int32)),
    "they do not wrap around": lambda x: np.vectorize(lambda a: a + 200, otypes=[int])(x.astype(np.uint8)),
    "complex numbers": lambda x: (np.vectorize(lambda a: a * 1j)(x), np.vectorize(lambda a: (a + 2j) ** 2, otypes=["F"])(x)),
    "complex objects": lambda x: np.frompyfunc(lambda a: a * 1j, 1, 1)(x).astype(complex),
    "truths": lambda x: np.vectorize(lambda a: a)(x > 1),
    "a scalar": lambda x: np.vectorize(affine)(x[0, 0]),
    "a list": lambda x: np.vectorize(lambda a, b: a + b)([1, 2], x),
    "a list of scalars": lambda x: np.vectorize(affine)([x[0, 0], x[1, 1]]),
    "broadcasting": lambda x: np.vectorize(lambda a, b: a * 10 + b)(x[:, None, :], x[None]),
    "functions of math": lambda x: (np.vectorize(math.floor)(x), np.vectorize(lambda a: math.exp(-a) + math.sin(a))(x)),
    "functions of NumPy": lambda x: np.vectorize(lambda a: np.sqrt(a * a) + np.where(a > 1, a, 0.0))(x),
    "builtins": lambda x: (np.vectorize(abs)(x), np.vectorize(lambda a: round(a, 1))(x)),
    "division": lambda x: np.vectorize(lambda a: a / 4 + a // 1)(x),
    "power": lambda x: np.vectorize(lambda a: a**2)(x),
    "generators": lambda x: np.vectorize(lambda a: sum(a * i for i in range(3)))(x),
    "constants": lambda x: np.vectorize(lambda a: 1)(x),
    "known": lambda x: np.vectorize(lambda a: 1 if a > 2 else 0)(np.arange(5)) * x[0, 0],
    "rows by number": lambda x: np.vectorize(lambda i: x[i, 0])(np.arange(2)),
    "nested": lambda x: np.vectorize(lambda a: np.vectorize(lambda b: a + b)(x).sum())(x),
    "of nothing": lambda x: np.vectorize(affine, otypes=[float])(x[:0]).shape,
    "objects": lambda x: np.frompyfunc(affine, 1, 1)(x).tolist(),
    "an object": lambda x: np.frompyfunc(affine, 1, 1)(3) * x,
    "element of objects": lambda x: np.frompyfunc(lambda a, b: a + b, 2, 1)(x, 1)[0, 0] * x,
    "objects one by one": lambda x: sum(np.frompyfunc(affine, 1, 1)(x[0])),
    "objects to numbers": lambda x: np.array(np.frompyfunc(affine, 1, 1)(x), dtype=np.float32),
    "objects of several": lambda x: [found.astype(float) for found in np.frompyfunc(lambda a: (a, a * 2), 1, 2)(x)],
    "shapes of objects": lambda x: np.frompyfunc(affine, 1, 1)(x).T.reshape(4)[1:].astype(int),
    "kinds": lambda x: (isinstance(UFUNC, np.ufunc), isinstance(np.frompyfunc(affine, 1, 1)(x), np.ndarray)),
    "reduction": lambda x: np.frompyfunc(lambda a, b: a * 2 + b, 2, 1).reduce(x[0]),
    "accumulation": lambda x: np.frompyfunc(lambda a, b: a * b, 2, 1).accumulate(x[0]).astype(float),
    "fromfunction": lambda x: np.fromfunction(np.vectorize(lambda i, j: i + j), (2, 2)) + x,
    # what NumPy and the function raise
    "too few": lambda x: np.vectorize(lambda a, b: a)(x),
    "shapes": lambda x: np.vectorize(lambda a, b: a)(x, np.ones(3)),
    "nothing": lambda x: np.vectorize(affine)(x[:0]),
    "sequences": lambda x: np.vectorize(lambda a: [a, a])(x),
    "arguments": lambda x: UFUNC(x, x, x),
    "order": lambda x: np.ravel(np.frompyfunc(affine, 1, 1)(x), order="F").tolist(),
    "order of memory": lambda x: np.ravel(np.frompyfunc(affine, 1, 1)(x).T, order="K").tolist(),
    "order of a copy": lambda x: np.frompyfunc(affine, 1, 1)(x).flatten(order="F").tolist(),
    "no order": lambda x: np.ravel(np.frompyfunc(affine, 1, 1)(x), order="Q").tolist(),
    "exception": lambda x: np.vectorize(lambda a: {}[3])(x),
    "division by zero": lambda x: np.frompyfunc(lambda a: a / 0, 1, 1)(x),
}
REFUSED = {
    "branch": (lambda x: np.vectorize(lambda a: a if a > 0 else "no")(x), "E114"),
    "text": (lambda x: np.vectorize(str)(x), "E114"),
    "objects": (lambda x: np.frompyfunc(affine, 1, 1)(x), "E122"),
    "sum of objects": (lambda x: np.frompyfunc(affine, 1, 1)(x) + 1, "E122"),
    "too many": (lambda x: np.vectorize(affine)(np.zeros((100, 100)) + x[0, 0]), "E104"),
    "other results": (lambda x: np.frompyfunc(affine, 1, 2)(x), "E101"),
    "reduction of rows": (lambda x: BINARY.reduce(x), "E101"),
}
EXAMPLE = np.array([[1.3, 2.7], [0.1, 4.0]])
OTHER = np.array([[0.25, 1.5], [3.3, 7.1]])


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    program = PROGRAMS[name]
    found = said(lambda x: export(program, (EXAMPLE,)).module()(x), OTHER.copy())
    compare(said(program, OTHER.copy()), found)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    program, code = REFUSED[name]
    with pytest.raises(ExportError) as caught:
        export(program, (EXAMPLE,))
    assert caught.value.code == code
    assert caught.value.location.file == __file__


def pairs(a):
    return a * 2, math.floor(a)


def kept(x):
    found = []
    return np.vectorize(lambda a: (found.append(a), a + len(found))[1], otypes=[float])(x), len(found)


SIZED = {
    "one axis": lambda x: OUTSIDE(x[:, 0]),
    "two axes": lambda x: OUTSIDE(x),
    "functions of math": lambda x: np.vectorize(math.erf, otypes=[float])(x),
    "branches": lambda x: np.vectorize(lambda a: a if a > 1 else 0, otypes=[float])(x),
    "two arrays": lambda x: np.vectorize(lambda a, b: a - b, otypes="f")(x, x * 2),
    "broadcast": lambda x: np.vectorize(lambda a, b: a - b, otypes=[float])(x[:, :1], x[:, 0].copy()),
    "a number": lambda x: np.vectorize(lambda a, k: a**k, otypes=[float])(x, 2),
    "a known array": lambda x: np.vectorize(lambda a, k: a + k)(x, np.arange(2)),
    "several results": lambda x: np.vectorize(pairs)(x),
    "dtypes of several results": lambda x: np.vectorize(pairs, otypes=[np.float32, int])(x),
    "objects to numbers": lambda x: np.frompyfunc(affine, 1, 1)(x).astype(np.float32),
    "objects of several": lambda x: [found.astype(float) for found in np.frompyfunc(pairs, 1, 2)(x)],
    "objects in turn": lambda x: UFUNC(UFUNC(x)).astype(float),
    "integers": lambda x: np.vectorize(lambda a: a * a + 200, otypes=[int])(x.astype(np.uint8)),
    "single precision": lambda x: np.vectorize(lambda a: a + 0.1)(x.astype(np.float32)),
    "a dict": lambda x: np.vectorize({0: 5, 1: 6, 2: 7, 3: 8}.__getitem__)(np.floor(x).astype(int)),
    "exceptions": lambda x: np.vectorize(lambda a: 1 / (a - 1.5))(x),
    "state": kept,
}


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("name", SIZED)
def test_sizes_say_how_often_a_function_is_called(name):
    run = export(SIZED[name], (EXAMPLE,), dynamic_shapes=({0: Dim.AUTO},)).module()
    for rows in (2, 1, 3, 7):
        x = np.resize(np.array([1.3, 2.7, 0.1, 3.5, 0.25]), (rows, 2))
        compare(said(SIZED[name], x.copy()), said(run, x.copy()))
    compare(said(SIZED[name], OTHER[::-1] * 0 + 1.5), said(run, OTHER[::-1] * 0 + 1.5))


def in_another_order(x):
    return np.vectorize(affine)(x.T)


def backwards(x):
    return np.frompyfunc(affine, 1, 1)(x[:, ::-1]).astype(float)


def as_objects(x):
    return np.frompyfunc(affine, 1, 1)(x)


def of_several(x):
    return np.frompyfunc(affine, 1, 2)(x)


def in_lists(x):
    return np.vectorize(lambda a, b: a + b)([x[0], x[1]], [x, x])


def of_lists(x):
    return np.vectorize(lambda a: [a, a])(x)


@pytest.mark.parametrize(
    ("program", "code", "hint"),
    [
        (in_another_order, "E104", "np.ascontiguousarray"),
        (backwards, "E104", "np.ascontiguousarray"),
        (as_objects, "E122", "np.vectorize"),
        (of_several, "E101", ""),
        (in_lists, "E104", "not a list of such arrays"),
        (of_lists, "E122", ""),
    ],
)
def test_what_sizes_alone_do_not_say_is_refused(program, code, hint):
    with pytest.raises(ExportError) as caught:
        export(program, (EXAMPLE,), dynamic_shapes=({0: Dim("n", min=1)},))
    assert caught.value.code == code and hint in caught.value.hint


def test_the_types_of_results_may_differ_where_their_dtype_is_given():
    program = lambda x: np.vectorize(lambda a: a if a > 1 else 0, otypes=[float])(x)
    run = export(program, (EXAMPLE,)).module()
    compare(program(OTHER), run(OTHER))


def test_complex_numbers_of_sizes():
    program = lambda x: (x.shape[0] * 1j + 2) * x / (1j - x.shape[0] / 2)
    run = export(program, (EXAMPLE,), dynamic_shapes=({0: Dim.AUTO},)).module()
    np.testing.assert_array_equal(run(OTHER), program(OTHER))


def overflowing(v):
    return v * 10.0


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.vectorize(overflowing, otypes=[float])(x),
        lambda x: np.frompyfunc(overflowing, 1, 1)(x).astype(float),
        lambda x: np.frompyfunc(lambda a, b: a * b, 2, 1).reduce(x),
        lambda x: np.frompyfunc(lambda a, b: a * b, 2, 1).accumulate(x).astype(float),
    ],
)
def test_functions_that_ufuncs_call_are_refused_where_errors_of_floats_are_exceptions(call):
    def trapped(x):
        with np.errstate(over="raise"):
            return call(x)

    with pytest.raises(FloatingPointError):
        trapped(np.array([1e308, 10.0]))
    with pytest.raises(ExportError) as refused:
        export(trapped, (np.ones(2),))
    assert refused.value.code == "E126" and "comprehension" in refused.value.hint
    x = np.array([1e300, 2.0])
    assert (np.asarray(export(call, (np.ones(2),)).module()(x)) == np.asarray(call(x))).all()


@pytest.mark.parametrize("dtype", [*"fdgiLmM", "m8[s]"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, dtype: np.vectorize(lambda v: v * 2, otypes=[dtype])(x),
        lambda x, dtype: np.array(x, object).astype(dtype),
        lambda x, dtype: np.frompyfunc(lambda v: -v, 1, 1)(x).astype(dtype),
    ],
)
def test_complex_numbers_of_python_become_no_real_numbers(function, dtype):
    x = np.array([1 + 2j, 2])
    with pytest.raises((TypeError, ValueError)) as eager:
        function(x, dtype)
    with pytest.raises(eager.type, match=re.escape(str(eager.value))):
        export(function, (x, dtype))


def test_texts_of_complex_numbers_are_as_long_as_the_data_say():
    with pytest.raises(Unsupported, match="E104"):
        export(lambda x: np.vectorize(lambda v: v, otypes=["U"])(x), (np.array([1 + 2j]),))
