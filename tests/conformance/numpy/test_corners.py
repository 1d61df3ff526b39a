# ruff: noqa: E501 -- tables of expressions
"""Corners of NumPy that its own tests hold: records, iterators, indices and outputs of odd kinds, each exported and held to eager NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.comparison import said

RECORDS = np.array([(1, 2.0), (1, 1.0), (0, 7.0)], dtype=[("a", int), ("b", float)])
MATRIX = np.arange(9.0).reshape(3, 3)
TEXTS = np.array(["aB c", " d ", "x12"])
VECTOR = np.arange(6.0)


class Index(tuple):
    """A tuple of a class of its own is an index of several axes all the same."""


class Shown:
    """An object that gives out an array."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


PLACES = "True False None (0,1) [True,True] [True,1] [1.,2.] [] () ... [[1,2],[3,4]] 1.5 (1,) slice(None) -3 12 [-1,-2] [99]".split()
FLAT = [f"x.flat[{place}]" for place in PLACES] + [f"x.flat.__setitem__({place}, [10, 20])" for place in PLACES]
OF_MATRICES = (
    "np.asarray(x.flat)", "x.flat.__array__()", "x[Index(([1], [1]))].shape", "x[Index(([1], [1])),].shape",
    "np.percentile(x, 5, out=np.ones((1,)))", "np.percentile(x, 5, axis=0, out=np.ones((2, 3)))", "np.nanmedian(x, out=np.ones((1,)))",
    "np.min(x, where=np.True_)", "np.nanmax(x, 1, where=np.array(True))", "np.sum(x, where=np.True_)", "np.max(x, where=np.True_, initial=3)",
    "np.histogram_bin_edges(2, 3, weights=x)", "np.fft.hfft(x[0], out=np.zeros(4))", "np.percentile(x, 5, axis=1, keepdims=True, out=np.ones((3, 1)))",
    "np.median(x, out=np.ones((1,)))", "np.quantile(x, [.5, .2], axis=1, out=np.ones((3, 2, 3)))",
    "np.einsum('i...->...', x, dtype='f8', casting='unsafe', out=np.zeros(3, int))", "np.einsum('ij->j', x, out=np.zeros(3, 'f4'))",
    "np.einsum('ij->j', x, out=np.zeros(3, complex))", "np.einsum(x, [0, 52], x, [52, 2], [0, 2])", "np.einsum(x, [-1, 5], x, [5, 2], [-1, 2])",
)  # fmt: skip
OF_UFUNCS = (
    "np.add(x, x, where=[1, 0, 1], out=np.zeros((3, 3)))", "np.add(x, x, where=np.array([1, 0, 1]))", "np.add.reduce(x, where=[1, 0, 1])", "np.minimum.reduce(x[:0])",
    "np.add(x, x, order='F').flags.f_contiguous", "np.add.reduce(x[0], out=...)", "np.add(x[0, 0], 1, out=...)", "np.vecdot(x, x, axis=0)", "x.__imatmul__(np.ones((3, 1)))",
    "np.shares_memory(x, x, max_work='q')", "np.may_share_memory(x, x, max_work=-3)", "np.shares_memory(Shown(x), x)", "np.tensordot(x, x, axes=([0, 0], [0, 0]))",
    "np.isclose(x.astype('m8[s]'), x.astype('m8[s]'), atol=np.timedelta64(1, 's'))", "np.isclose(x.astype('m8[s]'), x.astype('m8[s]'))",
)  # fmt: skip
OF_VECTORS = (
    "np.bincount([], minlength=3) + x.astype(int)[0]", "np.bincount(np.array([]))", "np.partition(x, range(x.size))", "np.sort(x, order='a')",
    "[u + v for u, v in np.broadcast(x, [[1], [2]])]", "(lambda b: (next(b), b.index, [*b.iters[0]], b.reset(), next(b), b.numiter, b.nd, b.size))(np.broadcast(x, 2))",
    "np.broadcast(x, np.ones(4)).shape", "isinstance(np.broadcast(x), np.broadcast)",
    *(f"np.{name}(y for y in [x, x])" for name in ("hstack", "vstack", "dstack", "column_stack", "stack", "concatenate")),
    *(f"x.astype('{dtype}').conj()" for dtype in ("S3", "U3", "M8[s]", "m8[s]", "bool", "i4")),
)  # fmt: skip
OF_TEXTS = (
    *(f"np.strings.{name}(x)" for name in "str_len isalpha isalnum islower isspace istitle isupper strip lstrip rstrip upper swapcase title".split()),
    "np.strings.find(x, 'B')", "np.strings.rfind(x, 'B', 1)", "np.strings.count(x, '1')", "np.strings.startswith(x, 'a')", "np.strings.endswith(x, ['c', ' ', '2'])",
    "np.strings.strip(x, 'a')", "np.char.lstrip(x, 'x1')", "np.char.capitalize(x)", "np.strings.add(x[0], x[1])", "np.strings.strip(x[0])",
)  # fmt: skip
DISCARDED = (
    "np.true_divide.reduce(x[:0], axis=0)", "np.minimum.reduce(x[:0, :0], axis=0)", "x[:0, :0].max(axis=1)", "np.argmax(x[:0, :0], axis=0)", "np.divide.reduce(x, axis=(0, 1))",
    "np.power.reduce(x, axis=None)", "np.min(x, where=[True, False, True])", "np.maximum.reduce(x, where=x > 1)", "np.percentile(x[:0], 50)", "np.quantile(x[:0], 0.5, axis=1)",
    "np.average(x, weights=np.zeros((3, 3)))", "np.average(x, weights=x * 0)", "np.quantile(x, 0.5, weights=-x, method='inverted_cdf')", "np.tensordot(x, x, axes=([0, 0], [0, 0]))",
    "np.isin(x, x, kind='table')", "np.pad(x, 2, 'mean', stat_length=-2)", "np.pad(x, 2, 'maximum', stat_length=0)", "np.pad(x, 2, 'median', stat_length=(3, -1))", "x.argsort(kind='b')",
    "np.concatenate((x, x), out=np.empty((6, 3)), dtype='f8')", "np.searchsorted(x[0], 1, side='z')", "np.linalg.inv(x * 0)", "np.bincount(x.astype(int).ravel() - 5)", "x[:, [7]]",
)  # fmt: skip
OF_RECORDS = (
    "x[0].__setitem__('a', 5)", "x[0].__setitem__(1, 5)", "[r.__setitem__('a', 3) for r in x]", "x.flat[0].__setitem__('a', 4)", "np.take(x, 0)['b']",
    "x[[0]][0].__setitem__('a', 8)", "np.take(x, 0).__setitem__('a', 4)", "[a + b for a, b in x]", "len(x[0])", "[*x[1]]", "x[0][['b', 'a']]", "x[0][()]",
    "x[0].__setitem__(['a', 'b'], (4, 4))", "np.shares_memory(x[0], x)", "x.fill(x[0])", "x.fill((3, 2.5))", "x[0].copy().__setitem__('a', 9)", "x[2][5]",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # eager NumPy says so, too
@pytest.mark.parametrize(
    ("text", "array"),
    [
        (text, array)
        for table, array in (
            (FLAT, MATRIX),
            (OF_MATRICES, MATRIX),
            (OF_VECTORS, VECTOR),
            (OF_TEXTS, TEXTS),
            (OF_TEXTS, TEXTS.astype("S4")),
            (OF_RECORDS, RECORDS),
        )
        for text in table
    ],
    ids=str,
)
def test_a_corner_is_eager_numpy(text: str, array: Any) -> None:
    """The result or the error, and the input afterwards."""
    function = eval(f"lambda x: ({text}, x)", {"np": np, "Index": Index, "Shown": Shown})
    example, eager = array.copy(), repr(said(function, array.copy()))

    def exported(x: Any) -> Any:
        return export(function, (example,)).module()(x)

    assert repr(said(exported, array.copy())) == eager
    assert example.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "text", ["np.percentile(x, 5, axis=-1, keepdims=True, out=np.ones((3, 3)))", "np.fft.hfft(x[0].astype('f2'), out=np.zeros(4))"]
)
def test_what_out_makes_another_result_is_refused(text: str) -> None:
    """But for versions of NumPy in which it makes none."""
    function = eval(f"lambda x: {text}", {"np": np})
    try:
        run = export(function, (MATRIX,)).module()
    except Unsupported as refusal:
        assert refusal.code == "E101" and "out=" in refusal.message
    else:
        assert repr(said(run, MATRIX)) == repr(said(function, MATRIX)) and np.__version__ < "2.5"


OF_LENGTH = (
    "len(x[1])", "x[1].dtype", "x[1].itemsize", "[*x[1]]", "x[1].upper()", "np.array(x[1]).nbytes", "np.array(x[1]).dtype", "np.asarray(x[1]).view('u4')",
    "np.result_type(x[1])", "np.full(2, x[1])", "np.strings.upper(x[1])", "x + x[1]", "x[1][:1]", "x[1][0]", "x[1].view('u4')", "np.str_('a') + x[1]",
    "x[1] + np.str_('a')", "np.maximum(x[0], x[1])",
)  # fmt: skip


@pytest.mark.parametrize("text", OF_LENGTH)
def test_how_long_a_text_is_depends_on_data(text: str) -> None:
    with pytest.raises(Unsupported, match="E104|E103"):
        export(eval(f"lambda x: {text}", {"np": np}), (TEXTS,))


@pytest.mark.parametrize(
    "text", ["np.array(x[1], 'U4')", "np.where(x == 'a', x, x[0])", "np.full_like(x, x[1])", "np.isin(x, x[1])", "np.add(x[0], x[1])"]
)
def test_texts_in_arrays_whose_elements_have_a_known_length(text: str) -> None:
    function = eval(f"lambda x: ({text}, x)", {"np": np})
    run = export(function, (TEXTS,)).module()
    for data in (TEXTS, TEXTS[::-1].copy(), np.full_like(TEXTS, "")):
        assert repr(said(run, data)) == repr(said(function, data))


@pytest.mark.parametrize("text", DISCARDED)
def test_an_error_is_raised_whoever_wants_the_result(text: str) -> None:
    function = eval(f"lambda x: [({text}, 1)[1], x]", {"np": np})
    assert repr(said(lambda x: export(function, (MATRIX,)).module()(x), MATRIX)) == repr(said(function, MATRIX))


MASKED = (
    "np.divide(a, b, out=np.zeros_like(a), where=b != 0)", "np.log(b, out=np.full_like(b, -1), where=b > 0)", "np.divide(a, b, out=a, where=b != 0)",
    "np.divide(a, b, where=b != 0, out=np.zeros(4, 'f4'))", "np.divide(a, b, where=b != 0, out=np.zeros((2, 4)))", "np.multiply(a, 2, where=b > 0, out=b)",
    "np.power(a.astype(int), b.astype(int) - 1, where=b > 0, out=np.zeros(4, int))", "np.add(a, 1, where=b > 0, out=np.zeros(4)[::-1])",
    "np.sqrt(a - 1, dtype='f4', where=a > 0, out=np.zeros(4))", "np.add(a[1:], a[:-1], out=a[1:], where=b[1:] > 0)", "np.divide(a, b, where=b != 0, out=np.zeros(4, int))",
)  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", MASKED)
def test_nothing_is_computed_where_a_mask_is_false(text: str) -> None:
    """Nor does it warn there."""
    function = eval(f"lambda a, b: ({text}, a, b)", {"np": np})
    a, b = np.arange(4.0), np.array([0.0, 1, 0, 2])
    exported = repr(said(lambda a: export(function, (a, b)).module()(a.copy(), b.copy()), a))
    assert exported == repr(said(lambda a: function(a.copy(), b.copy()), a))


def test_results_that_a_class_wraps_are_refused() -> None:
    class Wrapping(Shown):
        def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
            return [array]

    with pytest.raises(Unsupported, match="wraps"):
        export(lambda x: np.sin(Wrapping(x)), (VECTOR,))


@pytest.mark.parametrize("text", ["x[['a']].sort()", "x[['b']].partition(1)", "np.random.default_rng(0).shuffle(x[['a']])"])
def test_gaps_between_fields_are_not_moved(text: str) -> None:
    with pytest.raises(Unsupported, match="gaps"):
        export(eval(f"lambda x: ({text}, x)", {"np": np}), (RECORDS,))


NARROW = np.array([0.1, 0.7], np.float32)
"""Known floats that are others as floats of Python."""
KNOWN_FLOATS = {
    "range of a histogram": lambda x: np.histogram(x, bins=1, range=NARROW + np.finfo("f4").eps),
    "edges": lambda x: np.histogram(x, bins=np.array([0.1, 0.3, 0.7], np.float32)),
    "quantiles": lambda x: np.quantile(x, NARROW),
    "percentiles": lambda x: np.percentile(x, NARROW * 100),
    "periods": lambda x: np.unwrap(x, period=NARROW[0]),
    "padding": lambda x: np.pad(x.astype("f8"), 1, constant_values=NARROW[0]),
    "sides": lambda x: np.interp(x, NARROW, NARROW, left=NARROW[0], right=NARROW[1]),
}


@pytest.mark.parametrize("program", KNOWN_FLOATS.values(), ids=KNOWN_FLOATS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_known_floats_keep_their_dtype(program: Any, dtype: str) -> None:
    x = np.linspace(0, 1, 11).astype(dtype)
    actual, wanted = export(program, (x,)).module()(x), program(x)
    for one, other in zip(*[value if isinstance(value, tuple) else (value,) for value in (actual, wanted)], strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


DLPACK = {
    "a view that is written": lambda x: (np.from_dlpack(x).__setitem__(0, 7), x, np.from_dlpack(x)),
    "with gaps": lambda x: np.from_dlpack(x[::-2]) + 1,
    "known data": lambda x: np.from_dlpack(np.arange(4.0)) * x,
    "a device": lambda x: np.from_dlpack(x, device="cpu") if np.__version__ >= "2.1" else x,
    "copies": lambda x: [(y := np.from_dlpack(z, copy=True), y.strides, y.fill(0)) for z in (x[::-2], x.reshape(2, 2).T, np.arange(3.0))],
    "what is read-only": lambda x: np.from_dlpack(np.broadcast_to(x, (2, 4))).flags.writeable,
    "a view that is read": lambda x: (np.from_dlpack(x) + 1, np.from_dlpack(x).flags.writeable),
    "no copy": lambda x: (np.from_dlpack(x, copy=False).__setitem__(0, 7), x),
    "a copy of texts": lambda x: np.from_dlpack(x.astype("U3"), copy=True),
    "another device": lambda x: np.from_dlpack(x, device="moon"),
    "a scalar": lambda x: np.from_dlpack(x.sum()),
    "texts": lambda x: np.from_dlpack(x.astype("U3")),
    "another byte order": lambda x: np.from_dlpack(x.astype(">f8")),
    "padding": lambda x: np.from_dlpack(x.astype("g")),
    "a list": lambda x: np.from_dlpack([x]),
}


@pytest.mark.parametrize("name", DLPACK)
def test_arrays_are_exchanged_with_themselves(name: str) -> None:
    def run(function: Any) -> Any:
        x = np.arange(4.0)
        try:
            return repr((function(x), x))
        except Exception as error:
            return type(error), str(error)

    try:
        module = export(DLPACK[name], (np.arange(4.0),)).module()
    except Exception as error:
        assert (type(error), str(error)) == run(DLPACK[name])
    else:
        assert run(module) == run(DLPACK[name])


@pytest.mark.parametrize("array", [lambda x: x, lambda x: x[1:], lambda x: x + 1, lambda x: np.arange(3.0)])
def test_the_base_of_an_exchanged_array_is_not_the_array(array: Any) -> None:
    x = np.arange(4.0)
    again = [lambda y: np.from_dlpack(y)] if np.__version__ >= "2.1" else []  # NumPy 2.0 exchanges nothing that is read-only
    for part in (lambda y: y, lambda y: y[1:], *again):
        with pytest.raises(Unsupported, match="E123"):
            export(lambda x, part=part: part(np.from_dlpack(array(x))).base is array(x), (x,))

    def exchanged(x: Any) -> Any:
        return np.from_dlpack(array(x)).flags.owndata

    assert export(exchanged, (x,)).module()(x) is exchanged(x) is False


MASKS = [
    "b'1111100'",
    "b'Mon Tue'",
    "'Sat Sun'",
    "[0, 1, 1, 0, 0, 0, 2]",
    "(1.5,) * 7",
    "['1'] * 7",
    "[1]",
    "[[1] * 7]",
    "b'xx'",
    "{0: 1}",
    "None",
    "[0] * 7",
]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("call", ["is_busday(d, ", "busday_count(d[0], d, ", "busday_offset(d, 1, 'forward', "])
def test_week_masks_of_every_kind(call: str, mask: str) -> None:
    program = eval(f"lambda d: np.{call}weekmask={mask})", {"np": np})
    days = np.array(["2024-01-06", "2024-01-01", "2023-12-27"], "M8[D]")
    assert repr(said(lambda d: export(program, (d,)).module()(d), days)) == repr(said(program, days))
