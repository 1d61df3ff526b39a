"""Reductions into arrays of another dtype, through which NumPy's steps go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

UFUNCS = ("add", "maximum", "minimum", "fmax", "logical_and", "logical_or", "bitwise_and", "logaddexp", "multiply")
DTYPES = ("?", "i1", "u1", "i8", "f4", "f8")
VALUES = np.array([[0.0, -1.5, 2.75, 300.0], [0.0, 0.0, -2.0, -0.5], [200.0, 0.5, -130.0, 7.0]])


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_what_goes_through_the_outputs_dtype_is_refused_or_eagers(name: str, method: str) -> None:
    compared = 0
    for of in DTYPES:
        for into in DTYPES:
            for axis in (0, 1):
                compared += _compare(name, method, of, into, axis)
    assert compared > 10


def _compare(name: str, method: str, of: str, into: str, axis: int) -> int:
    call = getattr(getattr(np, name), method)

    def program(x: Any, out: Any) -> Any:
        return call(x, axis=axis, out=out)

    with quiet():
        x = VALUES.astype(of)
        out = np.zeros(x.shape if method == "accumulate" else np.delete(x.shape, axis), into)
        if isinstance(outcome(program, (x, out))[0], str) and "Error" in outcome(program, (x, out))[0]:
            return 0
        try:
            run = export(program, (x, out)).module()
        except Unsupported as error:
            assert error.code == "E101"
            return 0
        for given in (x, x[::-1], x[:, ::-1], np.roll(x, 1)):
            assert outcome(run, (given.copy(), out)) == outcome(program, (given.copy(), out))
    return 1


def test_the_largest_element_of_floats_in_an_array_of_truths_is_refused() -> None:
    with pytest.raises(Unsupported, match="passes through the dtype bool of out=") as found:
        export(lambda x, out: np.max(x, axis=1, out=out), (VALUES, np.zeros(3, bool)))
    assert found.value.code == "E101"


FUNCTIONS = (
    "sum prod max min mean var std ptp all any trace cumsum cumprod nansum nanprod nanmax nanmin nanmean nanvar nanstd nancumsum nancumprod"
).split()


@pytest.mark.parametrize("name", [*FUNCTIONS, *[each for each in ("cumulative_sum", "cumulative_prod") if hasattr(np, each)]])
def test_functions_write_what_numpy_writes_or_are_refused(name: str) -> None:
    function, compared, axis = getattr(np, name), 0, {} if name == "trace" else {"axis": 1}

    def program(x: Any, out: Any) -> Any:
        return function(x, **axis, out=out)

    for of in DTYPES[1:]:
        for into in DTYPES:
            x = VALUES.astype(of) / 3 if of[0] == "f" else VALUES.astype(of)
            with quiet():
                if name == "ptp" and of == "?":
                    continue
                out = np.zeros(function(x, **axis).shape, into)
                try:
                    run = export(program, (x, out)).module()
                except Unsupported as error:
                    assert error.code == "E101"
                    continue
                except (TypeError, ValueError):
                    continue
                for given in (x, x[::-1], x[:, ::-1], np.roll(x, 1)):
                    assert outcome(run, (given.copy(), out)) == outcome(program, (given.copy(), out))
            compared += 1
    assert compared > 2


@pytest.mark.parametrize("text", ["'i,i->', x, x", "'i,i', x, x", "'i,j,ij->', x, x, np.outer(x, x)"])
def test_einsum_along_a_path_gives_no_scalar_unseen(text: str) -> None:
    names: dict[str, Any] = {"np": np}
    exec(f"def plain(x): return np.einsum({text})\ndef along(x): return np.einsum({text}, optimize=True)", names)
    assert outcome(export(names["plain"], (np.arange(3.0),)).module(), (np.arange(3.0),)) == outcome(names["plain"], (np.arange(3.0),))
    with pytest.raises(Unsupported, match="np.einsum with optimize= and no axes") as found:
        export(names["along"], (np.arange(3.0),))
    assert found.value.code == "E101"


STEPS = {
    "np.min(x, axis=0, initial=1.5, out=np.zeros(2))": (3, 2, "i8"),
    "x.max(initial=300, out=np.zeros((), 'f4'))": (3, 2, "u1"),
    "np.divide.reduce(x, axis=0, dtype='F', out=np.zeros(2))": (3, 2, "F"),
    "np.power.reduce(x - 9, axis=0, dtype='i8', out=np.zeros(2))": (3, 2, "u8"),
    "np.subtract.reduce(x, axis=1, dtype='f8', out=np.zeros(3, 'i8'))": (3, 4, "f4"),
    "np.minimum.reduce(x, axis=0, dtype='?', out=np.zeros(2, 'i4'))": (3, 2, "D"),
    "np.add.reduce(x, axis=0, dtype='g', out=np.zeros(9000, 'f4'))": (2, 9000, "f8"),
    "np.sum(x, axis=0, out=np.zeros(9000, 'u8'))": (2, 9000, "i8"),
    "np.prod(x, axis=0, dtype='f4', initial=1.5, out=np.zeros(4, 'u1'))": (3, 4, "i8"),
    "np.sum(x, axis=0, dtype='f4', out=np.zeros(2))": (3, 2, "f8"),
    "np.add.reduce(x, axis=0, dtype='i4', out=np.zeros(2))": (3, 2, "i1"),
}


@pytest.mark.parametrize("text", STEPS)
def test_steps_of_a_reduction_in_a_named_dtype_are_eagers_or_refused(text: str) -> None:
    program = eval(f"lambda x: {text}", {"np": np})
    *shape, dtype = STEPS[text]
    x = (np.arange(np.prod(shape)).reshape(shape) % 7 * 0.7 + 1.3).astype(dtype)
    with quiet():
        try:
            run = export(program, (x,)).module()
        except Unsupported as error:
            assert error.code == "E101"
            assert "Compute" in str(error)
            return
        assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("text", ["np.sum(x, axis=0, dtype='f4', out=np.zeros(2))", "np.min(x, axis=0, initial=1.5, out=np.zeros(2))"])
def test_what_every_step_keeps_is_captured(text: str) -> None:
    export(eval(f"lambda x: {text}", {"np": np}), (np.ones((3, 2), "i8"),))


@pytest.mark.parametrize("text", ["np.sum(x, dtype=object, out=np.zeros((), 'u1'))", "np.multiply.reduce(x, dtype=object, out=...)"])
def test_reductions_of_objects_are_refused(text: str) -> None:
    with pytest.raises(Unsupported) as found:
        export(eval(f"lambda x: {text}", {"np": np}), (np.arange(3),))
    assert found.value.code in ("E101", "E122")


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="out=... is not known")
def test_outer_gives_an_array_where_it_is_told_to() -> None:
    def program(x: Any, y: Any) -> Any:
        return np.multiply.outer(x, y, out=...), np.add.outer(x[0], y[0], out=...)

    given = np.arange(3.0), np.arange(2)
    assert outcome(export(program, given).module(), given) == outcome(program, given)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("f", [np.percentile, np.nanpercentile])
@pytest.mark.parametrize("q", [30, [30, 99]])
def test_percentiles_are_written_in_another_order_of_bytes(dtype: str, f: Any, q: Any) -> None:
    x = (np.arange(20.0) ** 2 % 7).reshape(5, 4).astype(dtype)

    def program(x: Any, out: Any) -> Any:
        return f(x, q, axis=0, out=out)

    out = np.zeros_like(f(x, q, axis=0)).astype(f">{f(x, q, axis=0).dtype.str[1:]}")
    assert outcome(export(program, (x, out)).module(), (x, out)) == outcome(program, (x, out))


_REDUCTIONS: tuple[Any, ...] = (
    np.any, np.all, np.logical_or.reduce, np.logical_xor.reduce, np.max, np.sum, np.mean, np.median, np.nanmedian, np.ptp, np.std,
    np.nanmean, np.nanvar, np.nansum,
)  # fmt: skip


@pytest.mark.parametrize("into", ["S8", "U8", "i4", "u1", "f4", "c16", "m8[s]", "M8[s]"])
@pytest.mark.parametrize("function", _REDUCTIONS, ids=lambda each: getattr(each, "__self__", each).__name__)
def test_what_is_left_in_outputs_is_eagers_also_after_errors_or_refused(function: Any, into: str) -> None:
    for of in ("?", "i8", "f8", "m8[s]"):
        for axis, shape in ((0, (2,)), (None, ())):

            def program(x: Any, axis: Any = axis, shape: Any = shape) -> Any:
                out = np.zeros(shape, into)
                out[...] = 1
                try:
                    return function(x, axis=axis, out=out), out
                except (TypeError, ValueError) as error:
                    return str(error), out

            for x in (np.zeros((3, 2), of), np.zeros((1, 2), of), np.zeros((0, 2), of)):
                with quiet():
                    try:
                        run = export(program, (x,)).module()
                    except Unsupported as error:
                        assert error.code in ("E101", "E103", "E126")
                        continue
                    assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("function", [np.nanmedian, lambda x, **given: np.nanquantile(x, 0.5, **given)])
def test_the_mean_of_nothing_does_not_broadcast(function: Any) -> None:
    def program(x: Any) -> Any:
        out = np.full(5, 3.0)
        try:
            return function(x, out=out)
        except ValueError as error:
            return str(error), out

    for x in (np.zeros((0, 4)), np.zeros((2, 4))):
        with quiet():
            assert outcome(export(program, (x,)).module(), (x,)) == outcome(program, (x,))


@pytest.mark.parametrize(
    "call", ["np.add.accumulate(x, 0, None, (out,))", "np.add.reduce(x, 0, None, (out,))", "np.add.reduceat(x, [0], 0, None, (out,))"]
)
def test_an_output_by_place_is_no_tuple(call: str) -> None:
    def program(x: Any) -> Any:
        out = np.zeros(3)
        try:
            return called(x, out), out
        except TypeError as error:
            return str(error), out

    called = eval(f"lambda x, out: {call}", {"np": np})
    assert outcome(export(program, (np.ones(3),)).module(), (np.ones(3),)) == outcome(program, (np.ones(3),))


@pytest.mark.parametrize("terms", ["ij->i", "ij->ji", "ij,ij->j", "ij,kj->ik", "ij,ij->"])
@pytest.mark.parametrize("options", [{}, {"casting": "unsafe"}, {"dtype": "f8"}, {"optimize": True}])
def test_einsum_computes_in_the_dtype_that_it_has_in_common_with_its_output(terms: str, options: dict[str, Any]) -> None:
    compared = 0

    def program(*arrays: Any) -> Any:
        *operands, out = arrays
        try:
            return np.einsum(terms, *operands, out=out, **options)
        except TypeError as error:
            return type(error).__name__

    for of in DTYPES:
        for into in (*DTYPES, "i2", "c16", "S3"):
            x = (VALUES / 3).astype(of)
            operands = (x,) * (1 + terms.count(","))
            with quiet():
                out = np.zeros(np.einsum(terms, *operands).shape, into)
                try:
                    run = export(program, (*operands, out)).module()
                except Unsupported as error:
                    assert error.code == "E101"
                    continue
                assert outcome(run, (*operands, out.copy())) == outcome(program, (*operands, out.copy()))
                compared += 1
    assert compared > 5
