"""Values that go into arrays of other dtypes: where NumPy refuses them the program's handler runs, as in eager execution."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

_RECORD = np.dtype([("a", "i4"), ("b", "f8")])
VALUES = {
    "records": np.zeros(2, _RECORD), "other records": np.zeros(2, [("a", "f4"), ("b", "c8"), ("c", "f4")]), "floats": np.zeros(2),
    "a record": np.zeros((), _RECORD), "dates": np.zeros(2, "M8[D]"), "spans": np.zeros(2, "m8[h]"), "texts": np.array(["a", "b"]),
    "bytes": np.array([b"1", b"2"]), "truths": np.zeros(2, "?"), "complex": np.zeros(2, complex), "long texts": np.zeros(2, "U40"),
}  # fmt: skip
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "a[...] = b": lambda a, b: a.__setitem__(..., b),
    "a[[0]] = b": lambda a, b: a.__setitem__([0], b[:1] if b.ndim else b),
    "copyto": lambda a, b: np.copyto(a, b, casting="unsafe"),
    "put": lambda a, b: np.put(a, [0], b),
    "putmask": lambda a, b: np.putmask(a, np.ones(a.shape, bool), b),
    "fill_diagonal": lambda a, b: np.fill_diagonal(np.stack([a, a]), b),
    "put_along_axis": lambda a, b: np.put_along_axis(a, np.array([0]), b[:1], 0),
    "pad": lambda a, b: np.pad(a, 1, constant_values=b[:1] if b.ndim else b),
    "full_like": lambda a, b: np.full_like(a, b),
    "insert": lambda a, b: np.insert(a, 0, b),
    "flat": lambda a, b: a.flat.__setitem__(0, b[:1] if b.ndim else b),
}


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="NumPy 2.0 writes beyond the memory of records that it casts")
@pytest.mark.parametrize("write", WRITES)
def test_refused_where_numpy_refuses(write: str) -> None:
    def program(a: Any, b: Any) -> Any:
        try:
            made = WRITES[write](a, b)
        except Exception as error:
            return type(error).__name__
        return a if made is None else made

    compared = 0
    for a, b in itertools.product(VALUES.values(), [value.copy() for value in VALUES.values()]):
        try:
            with quiet():
                run = export(program, (a.copy(), b.copy())).module()
        except ExportError:
            continue
        assert outcome(run, (a, b)) == outcome(program, (a, b)), (a.dtype, b.dtype)
        compared += 1
    assert compared > 40


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3,), (1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (3, 3), (2, 1, 1), (0,), (0, 2)])
@pytest.mark.parametrize("option", [("constant", "constant_values"), ("linear_ramp", "end_values")])
def test_what_pads_stands_before_and_after_axes(shape: tuple[int, ...], option: tuple[str, str]) -> None:
    def program(x: Any, v: Any) -> Any:
        try:
            return np.pad(x, 1, option[0], **{option[1]: v})
        except ValueError as error:
            return str(error)

    for x in np.array(3.0), np.ones(2), np.ones((2, 3)), np.ones((1, 2, 2)):
        args = x, np.arange(1.0 * np.prod(shape)).reshape(shape)
        dynamic = tuple([dict.fromkeys(range(arg.ndim), Dim.AUTO) for arg in args])
        for each in (None, dynamic):
            assert outcome(export(program, args, dynamic_shapes=each).module(), args) == outcome(program, args), x.shape


@pytest.mark.parametrize(
    "make", [lambda r: np.array(r), lambda r: np.array(r, r.dtype), lambda r: np.asarray(r), lambda r: np.asarray(r, r.dtype)]
)
def test_an_array_of_a_record_that_is_told_a_dtype_is_a_new_one(make: Callable[[Any], Any]) -> None:
    def program(x: Any) -> Any:
        made = make(x[0])
        made["a"] = 7
        return made

    x = np.ones(3, _RECORD)
    assert outcome(export(program, (x,)).module(), (x,), memory=True) == outcome(program, (x,), memory=True)


def test_histograms_of_no_bins_stay_refused_when_decomposed() -> None:
    def program(x: Any, y: Any) -> Any:
        return np.histogram(x, y.shape[0], (-5, 5))[0]

    args = np.ones(4), np.ones(3)
    run = export(program, args, dynamic_shapes=(None, {0: Dim.AUTO})).run_decompositions().module()
    compared = 0
    for size in (3, 1, 0):
        try:
            found = outcome(run, (args[0], np.ones(size)))
        except InputMismatch:
            continue
        assert found == outcome(program, (args[0], np.ones(size)))
        compared += 1
    assert compared > 1
