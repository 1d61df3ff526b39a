"""Every parameter of NumPy's functions with plausible and implausible values: values, dtypes with their byte order, memory order, warnings
and errors with their texts are eager NumPy's, at the sizes of the example and at others; or the call is refused with a code.

In a row every ``{a|b}`` stands for one of the alternatives, and a name in capitals for those of ``VALUES``; the row itself says which of
its programs are run.
"""

from __future__ import annotations

import os
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import steps
from tests.support.shards import shard

ATTEMPTS = int(os.environ.get("NPEXPORT_ATTEMPTS", "16"))
"""How many programs of a row."""
VALUES = {
    "ARRAY": "m|F|s|S|v|V|e|E|z|x|h|g|i|u|b|c|t|d|O|X|A",
    "NUMBERS": "m|F|s|S|v|V|e|E|z|x|h|g|G|i|u|b|c|O|A",
    "MATRIX": "m|F|s|S|g|b|c|q",
    "AXIS": "0|-1|None|(0, 1)|()|5|'a'|np.int64(0)|[0]",
    "DTYPE": "None|float|'f4'|np.float16|int|'i1'|bool|complex|'>f8'|'zz'|np.dtype('u1')",
    "OUT": "None|np.zeros(3)|np.zeros((3, 4))|np.zeros(4)|np.zeros(())|np.zeros((3, 4), int)|np.zeros(4, 'f4')|"
    "np.zeros((3, 4), order='F')|np.zeros(4, '>f8')|5|(np.zeros(4),)|...",
    "WHERE": "True|k[:, None]|b|None|1|v|k",
    "KEEPDIMS": "True|False|None|1|'a'",
    "ORDER": "'C'|'F'|'A'|'K'|None|'Z'|0",
    "CASTING": "'no'|'equiv'|'safe'|'same_kind'|'unsafe'|'bad'|None",
    "INITIAL": "0|5|None|2.5|np.inf|v|np.float32(3)",
    "MODE": "'raise'|'wrap'|'clip'|'bad'|None|0|1",
    "KIND": "None|'quicksort'|'stable'|'introselect'|'bad'",
    "METHOD": "'linear'|'lower'|'midpoint'|'inverted_cdf'|'hazen'|'bad'",
    "NORM": "None|'ortho'|'forward'|'bad'",
    "SIZE": "None|3|(2, 3)|0|-1|'a'|v.size",
}
ROWS = """
np.{sum|prod|nansum|nanprod|max|min|nanmax|nanmin}(ARRAY, axis=AXIS, keepdims=KEEPDIMS)
np.{sum|prod|nansum|nanprod}({m|v|u|h|c}, dtype=DTYPE, out=OUT)
np.{sum|prod|max|min|nansum|nanmax}({m|i|h}, {0|None}, initial=INITIAL, where=WHERE)
np.{mean|std|var|nanmean|nanstd|nanvar}(NUMBERS, axis=AXIS, {keepdims=KEEPDIMS|dtype=DTYPE|out=OUT|where=WHERE})
np.{std|var|nanstd|nanvar}({m|v|h}, {ddof|correction}={0|1|2.5|-1|True|3|None|'a'})
np.{all|any|argmax|argmin|nanargmax|nanargmin|ptp|count_nonzero}(ARRAY, axis=AXIS, {keepdims=KEEPDIMS|out=OUT})
np.{cumsum|cumprod|nancumsum|nancumprod}(ARRAY, axis=AXIS, {dtype=DTYPE|out=OUT})
np.median({v|m}, out=z, overwrite_input=True)
np.{median|nanmedian}(NUMBERS, axis=AXIS, {keepdims=KEEPDIMS|out=OUT})
np.{quantile|nanquantile}(NUMBERS, {0.3|[0.2, 0.7]|2}, axis=AXIS, {method=METHOD|keepdims=KEEPDIMS|out=OUT})
np.{percentile|nanpercentile}({m|v|h|i}, {30|[20, 70.5]|w}, axis={0|None|5}, {method=METHOD|out=OUT})
np.average({m|v|i|c}, axis={0|1|None|(0, 1)}, weights={None|w|np.abs(m)|k}, returned={True|False})
np.{sort|argsort}(ARRAY, axis={0|-1|None|5|'a'}, kind=KIND)
{m|v|t|X|S}.{sort|argsort}(axis={0|-1|5}, {kind=KIND|stable={True|None}|descending={True|False|None|1}})
np.{sort|argsort}({m|v}, kind={'heapsort'|None}, descending={True|False|None})
np.{partition|argpartition}({m|v|i|h}, {1|-1|[0, 2]|9|1.5}, axis={-1|0|None}, kind=KIND)
np.{take}(ARRAY, {[0, 1]|i|-1|9|[[0]]}, axis={None|0|5}, mode=MODE)
np.take({m|v}, {i|[0, 1, 2]}, out=OUT, mode={'wrap'|'clip'|'raise'})
np.choose({i|[0, 1, 2]}, {[v, w, v]|[1, 2, 3]}, mode=MODE)
np.{compress|extract}({k|[True, False]}, {v|m|X})
np.compress(k, {m|v}, axis={0|1|None}, out=OUT)
np.repeat({m|v|X}, {2|0|-1|i|1.5}, axis={None|0|1})
np.{concatenate|stack}({[m, F]|[v, i]|[v, h]|[t, t]}, axis={0|1|-1|5}, {dtype=DTYPE|casting=CASTING|out=OUT})
np.{reshape|ravel|copy|array|asarray|ascontiguousarray|asfortranarray|zeros_like}(ARRAY{|, order=ORDER|, -1|, copy='a'})
{m|F|S|A}.{reshape(-1, |astype('f4', |copy(|flatten(|ravel(}{order=ORDER|})
m.astype(DTYPE, casting=CASTING, copy={True|False})
np.{clip}(ARRAY, {-1|None|w|v}, {1|None|2.5}, out={None|np.zeros((3, 4))|np.zeros(3)})
np.{round|around}(NUMBERS, decimals={0|2|-1|1.5|None}, out={None|np.zeros((3, 4))|np.zeros(3)})
np.{diff|trapezoid|unwrap|cross}({m|v|h|i|c}, {w|1|2|-1}, axis={0|-1|5})
np.{searchsorted|digitize}({np.sort(v)|[1, 2, 3]|m}, {w|1.0|[1, 2]|X})
np.{histogram|histogram_bin_edges}({v|i|m}, {5|[3, 1]|0|2.5|np.arange(3.0)}, range={None|(0, 1)|(1, 0)})
np.bincount({i|u|v|k}, weights={None|w|k|c}, minlength={0|5|-1})
np.unique(ARRAY, return_index={True|False}, return_inverse={True|False}, axis={None|0})
np.{isin|intersect1d|union1d|setdiff1d}({i|v|X}, {w|G|[1, 2.5]}, assume_unique={True|False})
np.interp({v|m|1.5|E|c}, {np.sort(w)|E|[0.0, 1, 2]}, {v|E|[1j, 2, 3]}, period={None|2.0|0})
np.{cov|corrcoef}({m|v|c|F}, rowvar={True|False}, dtype={None|'f4'|complex})
np.cov(m, fweights={None|[1, 2, 3, 1]|j[0]|v}, aweights={None|np.abs(m[0])|v}, ddof={None|0|1})
np.pad({m|v|E}, {1|(1, 2)|-1}, mode={'edge'|'constant'|'reflect'|'wrap'|'mean'|'bad'})
np.einsum('ij->ji', m, {order=ORDER|dtype=DTYPE|casting=CASTING})
np.einsum('ij,ij', m, F, {dtype=DTYPE|casting=CASTING|out=OUT|optimize={True|'greedy'}})
np.polyfit(v, w, 1, cov={True|False|'unscaled'})
np.{add|subtract|multiply|divide|maximum|arctan2}(ARRAY, {m|2|F}, {out=OUT|dtype=DTYPE|casting=CASTING|order=ORDER|sig='ff->f'})
np.{exp|sqrt|floor|negative|isfinite|logical_not}(NUMBERS, {out=OUT|dtype=DTYPE|casting=CASTING|order=ORDER})
np.{add|exp|greater}(*[m, m][: np.{add|exp|greater}.nin], out=np.ones((3, 4)), where=WHERE)
np.{divmod|modf|frexp}(*[m, m][: np.{divmod|modf|frexp}.nin], {out=None|out=OUT|dtype=DTYPE|sig='dd->d'})
np.{matmul|vecdot|vecmat}({q|v|m}, {q|v|F}, {out=OUT|dtype=DTYPE|where=True|casting=CASTING})
np.{add|maximum|logical_and|bitwise_or|divide|gcd}.reduce(ARRAY, axis=AXIS, {dtype=DTYPE|keepdims=KEEPDIMS|where=WHERE})
np.{add|fmin|subtract|divide|power}.reduce({m|i|h}, {0|None}, {out=OUT|initial=INITIAL})
np.{add|multiply|maximum|logical_or|subtract}.{accumulate}(ARRAY, axis={0|-1|5|None}, {dtype=DTYPE|out=OUT})
np.{add|multiply|maximum|equal|left_shift}.reduceat({m|i|v|b}, {[0, 2]|i|[2, 0, 1]|[9]}, {axis=-1|dtype=DTYPE|out=OUT|out=...})
np.{add|maximum|floor_divide}.outer({m|i|h}, {w|2}, {dtype=DTYPE|casting=CASTING|order=ORDER})
np.linalg.{inv|det|eigvalsh|svdvals|pinv|matrix_rank|cond}({q|m|v|Q|h|i|np.zeros((0, 3, 3))|e})
np.linalg.norm({q|m|v|c}, ord={None|1|2|-2|np.inf|0|'fro'|'nuc'|'x'}, axis=AXIS, keepdims={True|False})
np.linalg.{solve|lstsq}({q|Q|v|m}, {q|v|w[:2]})
np.fft.{fft|ifft|rfft|irfft|hfft|ihfft}({m|v|c|h|i|E}, n={None|0|2|5|-1}, axis={0|-1|5}, norm=NORM)
np.fft.{fft2|fftn|rfftn|ifftn}({m|c|f}, s={None|(2, 2)|(-1, 2)}, axes={(0, 1)|(-1,)|None}, norm=NORM)
np.{linspace|geomspace|logspace}({1|x|v}, {3|w}, {0|1|4|2.5|-1}, dtype={None|'f4'|int})
np.{linspace(0, 1, 4|asarray(m|astype(m, 'f4'|zeros_like(m|full((2, 3), 1.5}, device={'cpu'|'gpu'|None})
np.fromiter({[1.0, 2]|v|m|X}, {float|int}, count={-1|2|5|-3})
np.{asarray|asanyarray|array|ascontiguousarray}({m|v|z}, {dtype=DTYPE|like=m|like=0})
np.{busday_count|busday_offset}('2024-01-01', {i|t})
np.random.default_rng(7).{normal|exponential|poisson}({1|np.abs(v)}, size=SIZE)
np.random.default_rng(7).{random|standard_normal}(SIZE, dtype={float|'f4'|int}, out={None|np.zeros(3)|np.zeros(3, 'f4')})
np.random.default_rng(7).{permuted}({m|v|i}, axis={None|0|1|5}, out={None|np.zeros(3)|np.zeros(3, 'f4')|np.zeros((3, 4))})
np.random.default_rng(7).choice({5|v|m}, SIZE, replace={True|False}, axis={0|1|5}, shuffle={True|False})
"""
DIFFERENT = re.compile(
    r"\b(nan)?(percentile|quantile)\(.*, w, "  # which of several errors of data comes first
    r"|default_rng.*size=(0|-1|'a')|default_rng.*permuted.*axis=[15]"
    r"|\b(mean|std|var)\(.*where=v"  # of elements that are not truths
    r"|\bnanarg(min|max)\(O"
    r"|fromiter\(X"  # the text that is not a number
    r"|\bcov\(.*weights=v"
)
"""Calls whose errors come in another order."""
WARNED = re.compile(r"out=(5|\.\.\.|\(|np)|np\.cov\(.*ddof=|fft\.\w+n\(|keepdims=(None|'a')|np\.corrcoef|\bcov\(|linspace|geomspace")
"""Calls of which an error, or what is told of sizes alone, leaves out warnings."""


def make(n: int = 3) -> dict[str, Any]:
    """Inputs whose axes have ``n`` elements, or one more."""
    rng = np.random.default_rng(5)
    m, big = np.round(rng.normal(size=(n, n + 1)) * 4, 2), np.round(rng.normal(size=(2 * n, 2 * n + 2)) * 3, 2)
    v, w = np.round(rng.normal(size=n) * 3, 1), np.round(rng.normal(size=n) * 3, 1)
    q, places = m[:, :n] + 3 * np.eye(n), np.array([2, 0, 1, 4, 3][:n])
    return {
        "m": m, "F": np.asfortranarray(m[::-1] + 1), "s": big[::2, ::2], "S": big[::-2, ::-2], "v": v, "w": w, "V": big[0, ::-2][:n],
        "q": q, "Q": np.stack([q, q.T + 2 * np.eye(n)]), "k": np.array([True, False, True, True][:n]), "e": np.zeros((0, n)),
        "E": np.zeros(0), "z": np.array(1.5), "x": np.float64(2.5), "h": v.astype(np.float16), "f": m.astype(np.float32),
        "g": m.astype(">f8"), "G": places.astype(">i4"), "i": places, "j": np.arange(n * (n + 1)).reshape(n, n + 1) % 5 + 1,
        "u": np.array([3, 200, 100, 7][:n], np.uint8), "b": m > 0, "c": m + 1j * m[::-1],
        "t": np.array(["2020-01-01", "2021-05-03", "NaT", "2019-12-31"][:n], "M8[D]"), "d": np.array([1, 5, -3, 8][:n], "m8[h]"),
        "O": np.array([np.nan, np.inf, -np.inf, -0.0][:n]), "X": np.array(["abc", "De f", "  x ", "1"][:n]),
        "A": np.arange(8.0 * n).reshape(2, 4, n).transpose(2, 0, 1),
    }  # fmt: skip


def programs(row: str) -> Iterator[str]:
    """Programs of a row, as many as ``ATTEMPTS`` says, the same ones each time."""
    drawn = random.Random(row)
    for name, values in VALUES.items():
        row = re.sub(rf"\b{name}\b", f"{{{values}}}", row)
    found = set()
    for _ in range(4 * ATTEMPTS):
        text, chosen = row, dict[str, str]()
        while (match := re.search(r"{([^{}]*)}", text)) is not None:  # the same alternatives are one choice
            key = match[1]
            if key not in chosen or "|" not in key or not re.fullmatch(r"[\w|]+", key):
                chosen[key] = drawn.choice(key.split("|"))
            text = text[: match.start()] + chosen[key] + text[match.end() :]
        if text not in found and len(found) < ATTEMPTS:
            found.add(text)
            yield text


def outcome(call: Any, given: list[Any]) -> tuple[Any, ...]:
    """What a call gives, the arguments that it leaves, and its warnings; or its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call(*given)
        except ExportError as error:
            return "refused", error.code, str(error)
        except Exception as error:
            return "raised", type(error).__name__, str(error)
    return "gave", result, given, sorted({(item.category.__name__, str(item.message)) for item in caught})


def leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else [value]


def difference(actual: Any, wanted: Any) -> str:
    """In what two results differ: in types, dtypes, shapes, elements, places in memory; an empty text where they do not."""
    have, need = leaves(actual), leaves(wanted)
    if type(actual) is not type(wanted) or [type(item) for item in have] != [type(item) for item in need]:
        return "types"
    for one, other in zip(have, need, strict=True):
        if isinstance(other, (np.ndarray, np.generic)):
            if (one.dtype.str, one.shape) != (other.dtype.str, other.shape):
                return f"{one.dtype.str}{one.shape}, not {other.dtype.str}{other.shape}"
            single = np.dtype(other.dtype).itemsize <= (8 if other.dtype.kind == "c" else 4)
            tolerance = (1e-2 if other.dtype == np.float16 else 1e-5 if single else 1e-11) if other.dtype.kind in "fc" else 0
            if tolerance and not np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True):
                return "elements"
            if not tolerance and not np.array_equal(one, other, equal_nan=other.dtype.kind in "mM"):
                return "elements"
            if isinstance(other, np.ndarray) and (steps(one), one.flags.writeable) != (steps(other), other.flags.writeable):
                return "memory"
        elif isinstance(other, (int, float, complex, str, bytes)) and one != other and one == one:
            return f"{one!r}, not {other!r}"
    return ""


def disagreement(text: str, actual: tuple[Any, ...], wanted: tuple[Any, ...], at: str) -> str:
    if actual[0] == "refused":
        return f"{text} {at}: {actual[2]}" if actual[1][1] == "9" else ""
    if actual[0] != wanted[0] or (actual[0] == "raised" and actual[1:] != wanted[1:]):
        return f"{text} {at}: {str(actual[:3])[:300]}, NumPy {str(wanted[:3])[:300]}"
    if actual[0] == "raised":
        return ""
    found = difference(actual[1], wanted[1]) or difference(tuple(actual[2]), tuple(wanted[2]))
    if not found and actual[3] != wanted[3] and not WARNED.search(text):
        found = f"warns {actual[3]}, not {wanted[3]}"
    return f"{text} {at}: {found}: {str(actual[1])[:200]}, NumPy {str(wanted[1])[:200]}" if found else ""


def disagreements(text: str) -> Iterator[str]:
    """A static export at the example, and a dynamic one there and at other sizes."""
    code = compile(text, "", "eval")
    names = [name for name in make() if name in code.co_names]
    program = eval(f"lambda {', '.join(names)}: {text}", {"np": np})

    def inputs(n: int) -> list[Any]:
        return [value for name, value in make(n).items() if name in names]

    eager = {n: outcome(program, inputs(n)) for n in (3, 4)}
    spec = [{axis: Dim.AUTO for axis in range(np.ndim(value))} or None for value in inputs(3)]
    for label, shapes, sizes in (("static", None, (3,)), ("dynamic", tuple(spec), (3, 4))):
        if label == "dynamic" and not any(spec):
            return
        made = outcome(lambda shapes=shapes: export(program, tuple(inputs(3)), dynamic_shapes=shapes).module(), [])
        for n in sizes if made[0] == "gave" else (3,):
            actual = outcome(made[1], inputs(n)) if made[0] == "gave" else made
            yield disagreement(text, actual, eager[n], f"{label} {n}")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # NumPy's buffers that are written back when they die
@pytest.mark.parametrize("row", shard(ROWS.strip().splitlines(), 3))
def test_parameters(row: str) -> None:
    texts = [text for text in programs(row) if not DIFFERENT.search(text)]
    assert texts
    assert "\n".join(filter(None, (found for text in texts for found in disagreements(text)))) == ""
