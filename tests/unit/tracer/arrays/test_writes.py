"""Writes whose meaning lies in details: records, read-only parts, outputs of ufuncs, layouts; results and written inputs are eager's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

C, F = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3))
CUBE = np.asfortranarray(np.arange(12.0).reshape(2, 3, 2))
VECTOR, WHOLE, TEXT = np.arange(4.0), np.arange(4), np.array(["a", "bc"])
RECORDS = np.array([(1, 2.0), (3, 4.0), (5, 6.0)], "i4,f8")

PROGRAMS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "records are views": ("r = x[0]; x[1], x[0] = x[0], x[1]; r['f0'] = 7; r[1] = 9; x[2]['f1'] = 5; return r['f1'], r[0]", (RECORDS,)),
    "a copied record": ("r = x[0].copy(); x[0] = (8, 9.0); r['f0'] = 3; return r['f0'], r['f1']", (RECORDS,)),
    "records of tuples": ("x[0] = (9, y[1]); x[1:] = [(7, 8)]; return x['f1'].sum()", (RECORDS, VECTOR)),
    "equal records": ("return x == y, x != y, x[:1] == x", (RECORDS, RECORDS.copy())),
    "texts and numbers": ("return x == y[:2], x != 1, x == b'a', x == 'bc'", (TEXT, VECTOR)),
    "imaginary part of a real array": ("v = x.imag; return np.divmod(v, v)[1], np.floor(v), v", (VECTOR,)),
    "transpose of a vector": ("v = x.T; v.setflags(write=False); x[0] = 5; return v * 1, v is x", (VECTOR,)),
    "several outputs in one memory, apart": ("np.modf(x[:2], out=(x[:2], x[2:])); return x * 1", (VECTOR,)),
    "one of several outputs is refused": (
        "try: np.modf(y, out=(x, y))\n    except TypeError: pass\n    return x * 1",
        (np.array([0.5, 3.25, 2.5]), np.array([1, 2, 3])),
    ),
    "result of a repeated operand": ("v = np.broadcast_to(x, (2, *x.shape)); w = v / v; w.reshape(-1, 1)[0] = 9; return w", (C + 1,)),
    "an output of more elements than the operands": (
        "y = np.empty((2, 4)); np.add(x[0], 1, out=y[0]); np.add(x, 1, out=y); return y",
        (VECTOR,),
    ),
    "an output for one number": (
        "y = np.empty((3, 3)); z = np.empty(3); np.add(x, x, out=y); np.exp(x, out=z); return y, z",
        (np.array(2.0),),
    ),
    "contiguous or not": (
        "y = (np.zeros((6, 4)) + x[0, 0]).T[::2, ::2]; v = np.pad(y, 1); w = np.round(y, 1); v.ravel()[0] = w.ravel()[0] = 9; return v, w",
        (C,),
    ),
    "advanced index of a Fortran array": ("x[[-1], 2] -= 1; y = x[[0, 1], 2]; return y", (CUBE,)),
    "copy to itself": ("v = np.broadcast_to(x, (2, 4)); np.copyto(v, v); np.copyto(x[1:], x[:-1]); return x * 1", (VECTOR,)),
    "flat from nothing": ("x.flat = []; x.flat[[0]] = []; return x * 1", (VECTOR,)),
    "flat of another dtype": ("x.flat = np.uint8(200); x.flat[1] = np.float64(2.7); return x * 1", (WHOLE.astype(np.int8),)),
    "numbers in place": ("v = np.nan_to_num(x, copy=False); v[0] = 7; return v", (WHOLE,)),
    "copy to itself with a mask that does not fit": ("np.copyto(x[::-1], x[::-1].T, where=np.ones((4, 4)) > 0); return x * 1", (VECTOR,)),
    "complex written to real": ("np.copyto(x, 2j, casting='unsafe'); return x * 1", (VECTOR,)),
    "flatten in the order of memory": ("return np.broadcast_to(x, (2, 2, 3)).flatten('K'), x.T.ravel('K')", (F,)),
    "two views of the same elements": ("a = x[...]; b = x.view(); return a, b, a is b", (VECTOR,)),
    "einsum of texts": ("np.einsum('ij->ji', x)[0] = 'z'; return x[0, 0]", (np.array([["a", "b"], ["c", "d"]]),)),
    "power in place": ("x **= x; return x + 1", (WHOLE,)),
    "reduction into an array": ("np.add.reduce(x, axis=0, out=y); x.sum(axis=1, out=z); return y + 1", (C, np.zeros(3), np.zeros(2))),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_writes(name: str) -> None:
    source, arrays = PROGRAMS[name]
    f = function_of(f"def f({', '.join('xyz'[: len(arrays)])}):\n    {source}", {"np": np})
    mine, theirs = ([array.copy(order="K") for array in arrays] for _ in range(2))
    got, want = export(f, arrays).module()(*mine), f(*theirs)
    results = [[*result, *arrays] if isinstance(result, tuple) else [result, *arrays] for result, arrays in ((got, mine), (want, theirs))]
    for have, expected in zip(*results, strict=True):
        assert type(have) is type(expected)
        np.testing.assert_array_equal(have, expected, strict=isinstance(have, np.ndarray))
        assert not isinstance(have, np.ndarray) or have.flags.writeable == expected.flags.writeable


ERRORS = {
    "shapes with out": "np.add(x, x, out=y)",
    "small out": "np.add(x[None], y[:1, None], out=x)",
    "shapes in place": "x += y",
    "dtype before shape": "np.add(x, 0.5, out=w)",
    "read-only before dtype": "np.add(x, 0.5, out=np.broadcast_to(w, (4,)))",
    "second output": "np.divmod(w, 2, out=(w, x[:4] > 1))",
    "reduction": "np.add.reduce(m, axis=0, out=m)",
    "accumulation": "np.cumsum(m, out=x)",
    "reduceat": "np.add.reduceat(x, [0, 9])",
    "flat": "x.flat[99]",
    "read-only flat": "np.broadcast_to(x, (2, 4)).flat.__setitem__(0, 1)",
    "imaginary part": "setattr(x, 'imag', 1)",
    "diagonal of a vector": "np.fill_diagonal(x, 1)",
    "diagonal that is none": "np.einsum('ii->i', m)",
    "part of a scalar": "setattr(x[0], 'real', 1)",
    "record and number": "r == 1",
    "record too long": "r.__setitem__(0, (1, 2.0, 3))",
    "interpolated complex": "np.interp(x * 1j, [0, 1], [0, 1])",
    "known rows that are apart": "np.arange(6).reshape(2, 3).T.view('f4')",
    "rounded truth": "(x > 1).round(out=x > 1)",
    "truth rounded to decimals": "np.round(x > 1, 1)",
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_numpys_own(name: str) -> None:
    source = f"try:\n        {ERRORS[name]}\n    except Exception as error: return type(error).__name__, str(error)"
    f = function_of(f"def f(x, y, w, m, r):\n    {source}", {"np": np})
    arrays = (VECTOR, np.arange(3.0), WHOLE, C, RECORDS)
    want = f(*[array.copy() for array in arrays])
    assert want is not None
    assert export(f, arrays).module()(*[array.copy() for array in arrays]) == want


REFUSED = {
    "flat from a view of other elements": ("x.flat.__setitem__(slice(None), x.view(np.int64)[::-1])", "E120"),
    "joined in memory that is read": ("np.concatenate([x, x[:0]], axis=None, out=x)", "E120"),
    "the base of a reshaped copy": ("m.T.reshape(-1).base[0]", "E123"),
    "the length of unknown text": ("np.array([*t])", "E104"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    source, code = REFUSED[name]
    with pytest.raises(Unsupported, match=code):
        export(eval(f"lambda x, m, t: {source}", {"np": np}), (VECTOR, C, TEXT))


def test_a_scalar_fills_an_output_of_the_other_byte_order() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.subtract.outer(x, x + 2, out=y)

    x = np.array(5, np.int8)
    mine, theirs = np.zeros(1, ">i4"), np.zeros(1, ">i4")
    run = export(f, (x, mine)).module()
    assert run(x, mine).dtype == f(x, theirs).dtype
    np.testing.assert_array_equal(mine, theirs)


FAILED_WRITES = {
    "fill": "x.fill(10**400)",
    "an item": "x.__setitem__(0, 'q')",
    "an item that is not there": "x.__setitem__(99, 0)",
    "another shape": "x.__setitem__(slice(None), [1, 2, 3])",
    "another shape in place": "x.__iadd__(np.ones(7))",
    "another dtype": "np.add(x, 1j, out=x)",
    "put": "np.put(x, [99], 1)",
    "flags of a view": "setattr(x[1:].flags, 'writeable', True)",
    "flags of a stretched view": "np.broadcast_to(x, (2, 4)).setflags(write=True)",
}


@pytest.mark.parametrize("name", FAILED_WRITES)
def test_writes_that_fail_rely_on_a_writeable_input(name: str) -> None:
    """NumPy says of an array that is read-only that it is, before all else."""
    source = f"try:\n        {FAILED_WRITES[name]}\n    except Exception as error: return type(error).__name__, str(error)"
    f = function_of(f"def f(x):\n    {source}", {"np": np})
    program = export(f, (np.arange(4.0),)).module()
    assert program(np.arange(4.0)) == f(np.arange(4.0))
    read_only = np.arange(4.0)
    read_only.flags.writeable = False
    for x in (read_only, np.broadcast_to(np.ones(1), (4,))):
        with pytest.raises(InputMismatch, match="writeable"):
            program(x)


def test_views_that_numpy_makes_writeable_are_as_their_inputs() -> None:
    x, y = np.ones((1, 3)), np.ones((4, 1))
    program = export(lambda x, y: np.broadcast_arrays(x, y), (x, y)).module()
    assert [found.flags.writeable for found in program(x, y)] == [True, True]
    with pytest.raises(InputMismatch, match="writeable"):
        program(x, np.broadcast_to(y[:1], (4, 1)))


def test_what_is_not_handed_out_asks_for_no_writeable_input() -> None:
    x, y = np.ones((1, 3)), np.ones((4, 1))
    program = export(lambda x, y: np.multiply(*np.broadcast_arrays(x, y)), (x, y)).module()
    np.testing.assert_array_equal(program(x, np.broadcast_to(y[:1], (4, 1))), np.ones((4, 3)), strict=True)


PLACES = [[0, 99], [99, 0], [1, -2, -99, 0], [[0, 1], [7, 2]]]


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("part", [slice(1, None), slice(None, None, -1)])
def test_put_writes_up_to_the_place_that_is_not_there(places: list[Any], part: slice) -> None:
    def f(x: Any, values: Any) -> Any:
        try:
            np.put(x[part], places, values)
        except IndexError as error:
            return x * 2, str(error)

    x, values = np.arange(6.0), np.array([7.0, 8.0])
    program, mine, theirs = export(f, (x.copy(), values)).module(), x.copy(), x.copy()
    np.testing.assert_equal(program(mine, values), f(theirs, values))
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("places", PLACES)
def test_put_of_places_that_only_data_know_leaves_what_numpy_leaves(places: list[Any]) -> None:
    def f(x: Any, places: Any, values: Any) -> None:
        x += 1
        np.put(x, places, values)

    x, values = np.arange(6.0), np.array([7.0, 8.0])
    program, mine, theirs = export(f, (x.copy(), np.zeros_like(places), values)).module(), x.copy(), x.copy()
    for function, one in ((program, mine), (f, theirs)):
        with pytest.raises(IndexError, match="out of bounds"):
            function(one, np.array(places), values)
    np.testing.assert_array_equal(mine, theirs)


def test_put_that_fails_asks_how_its_target_lies() -> None:
    """NumPy writes to a copy of what is not in C order, which it then forgets."""

    def f(x: Any) -> Any:
        try:
            np.put(x, [0, 99], 7)
        except IndexError:
            return x.sum()

    program = export(f, (np.arange(6.0),)).module()
    assert program(np.arange(6.0)) == f(np.arange(6.0)) == 22
    with pytest.raises(InputMismatch):
        program(np.arange(12.0)[::2])


def test_a_field_that_is_changed_in_place_is_written_once() -> None:
    def f(x: Any) -> Any:
        x["f1"] += 1.5
        x["f0"] *= 2
        return x["f1"].sum()

    program, mine, theirs = export(f, (RECORDS.copy(),)), RECORDS.copy(), RECORDS.copy()
    assert program.module()(mine) == f(theirs)
    np.testing.assert_array_equal(mine, theirs)
    assert [node.target.name for node in program.graph.nodes if node.op == "call_function"].count("setitem") == 0


@pytest.mark.parametrize("index", [slice(None), Ellipsis, slice(None, None, -1), [0, 1, 2]], ids=str)
@pytest.mark.parametrize("refused", ["a", 1j, {}, 2**70, 40000])
@pytest.mark.parametrize("dtype", ["f8", "i2", "c8", "?"])
def test_items_before_the_one_that_is_refused_are_written(index: Any, refused: Any, dtype: str) -> None:
    for first in (lambda x: 5, lambda x: x[2]):

        def program(x: Any, first: Any = first) -> Any:
            try:
                x[index] = [first(x), refused, 7]
            except (TypeError, ValueError, OverflowError) as error:
                return type(error).__name__, str(error)

        run = export(program, (np.array([0, 0, 1], dtype),)).module()
        with np.errstate(all="ignore"):
            assert outcome(run, (np.array([0, 1, 1], dtype),)) == outcome(program, (np.array([0, 1, 1], dtype),))


RECORD = np.dtype([("a", "f8"), ("b", "i2"), ("c", [("d", "i4"), ("e", "f4")])])
TUPLES = {
    "first": lambda x: (5.0, "a", (1, 2)),
    "second": lambda x: ("a", 1, (1, 2)),
    "inner": lambda x: (5.0, 2, (1, "e")),
    "too large": lambda x: (5.0, 2**70, (1, 2)),
    "of other size": lambda x: (5.0, 2),
    "inner of other size": lambda x: (x["a"][1] + 1, 2, (1, 2, 3)),
    "data": lambda x: (x["a"][2], "b", (1, 2)),
    "data that may not fit": lambda x: (7.0, x["a"][1], (1, 2)),
    "data that may not fit, within": lambda x: (x["a"][0], 3, (x["a"][1], 2)),
}


@pytest.mark.parametrize("place", ["x[0]", "x[1:2]", "x[:2]", "x[::-2]", "x[0, ...]", "x[[0, 1]]", "x.flat[1]", "x.T[1]"])
@pytest.mark.parametrize("name", TUPLES)
def test_fields_before_the_one_that_is_refused_are_written(name: str, place: str) -> None:
    for before in ([], [(4.0, 3, (2, 1))]):
        function = function_of(
            f"def program(x):\n try: {place} = value(x)\n except (TypeError, ValueError, OverflowError) as e: return str(e)",
            {"value": lambda x: [*before, TUPLES[name](x)] if ":" in place or "[[" in place else TUPLES[name](x)},
        )
        program: Any = function
        arrays = []
        for number in (1, 1e9, np.nan):
            arrays.append(np.zeros(3, RECORD))
            arrays[-1]["a"] = 9, number, 4
        try:
            run = export(program, (arrays[0],)).module()
        except Unsupported:
            assert "may not fit" in name
            continue
        for x in arrays:
            with np.errstate(all="ignore"):
                assert outcome(run, (x,)) == outcome(program, (x,))
