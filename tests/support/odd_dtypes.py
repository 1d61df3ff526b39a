"""Calls of NumPy's functions on dates, times, texts and records, and which of them are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

CALLS = """
np.sort(x) ; np.argsort(x, kind="stable") ; np.partition(x, 1) ; np.lexsort((x, i)) ; np.searchsorted(np.sort(x), x) ; x.sort()
np.unique(x) ; np.unique(x, return_inverse=True, return_counts=True) ; np.union1d(x, x[:1]) ; np.intersect1d(x, x[1:])
np.setdiff1d(x, x[:1]) ; np.isin(x, x[:2])
np.concatenate([x, x[:1]]) ; np.stack([x, x]) ; np.column_stack([x, x]) ; np.array([x, x]) ; np.append(x, x) ; np.split(x, [1])
np.where(i > 1, x, x[::-1]) ; np.choose(i % 2, [x, x[::-1]]) ; np.select([i > 1], [x], x[::-1])
x[i > 1] ; x[i] ; np.take(x, i) ; np.compress(i > 1, x) ; np.extract(i > 1, x) ; np.nonzero(x) ; np.count_nonzero(x)
np.repeat(x, 2) ; np.tile(x, 2) ; np.roll(x, 1) ; np.flip(x) ; x.reshape(-1, 1) ; np.pad(x, 1, mode="edge")
np.broadcast_to(x, (2, len(x))).copy() ; np.insert(x, 1, x[0]) ; np.delete(x, 0)
x == x[::-1] ; x < x[::-1] ; np.array_equal(x, x) ; np.maximum(x, x[::-1]) ; x.min() ; x.max() ; x.argmin() ; np.clip(x, x[0], x[1])
x.astype("U20") ; x.astype("S20") ; x.astype("M8[s]") ; x.astype("m8[ms]") ; x.view("u1").shape ; x.astype(object).shape ; x.tobytes()
np.full_like(x, x[0]) ; np.zeros_like(x) ; np.empty_like(x).shape ; x.copy() ; np.asarray(x[0]) ; x.tolist()
np.put(x, [0], x[1:2]) ; np.place(x, i > 1, x[:1].copy()) ; np.copyto(x, x[::-1].copy()) ; x.fill(x[1])
np.diff(x) ; np.ediff1d(x) ; x + x ; x - x[0] ; x * 2 ; x // 2 ; np.abs(x) ; np.round(x)
x.sum() ; x.mean() ; np.cumsum(x) ; np.median(x) ; np.quantile(x, 0.5) ; np.histogram(x)
np.char.upper(x) ; np.strings.str_len(x) ; np.strings.add(x, x)
np.isnat(x) ; np.busday_count(x, x) ; np.is_busday(x) ; np.datetime_as_string(x)
x["a"] ; x[["a"]] ; x["a"].sum() ; np.lib.recfunctions.structured_to_unstructured(x)
"""
DTYPES = {
    "datetime64[D]": "dates",
    "datetime64[ns]": "dates",
    "timedelta64[s]": "times",
    "U3": "texts",
    "S3": "texts",
    "StringDType": "texts of any length",
    "a: i4, b: f8": "records",
    "a: (i4, (2,)), s: U2": "records",
}
"""The dtypes, each with what it is of."""
_EVERYWHERE = {"x.astype(object).shape": "E122", "x.tolist()": "E104"}
_TEXTS = ("texts", "texts of any length")
REFUSED = {
    **{(call, kind): code for call, code in _EVERYWHERE.items() for kind in DTYPES.values()},
    **{(call, kind): "E104" for call in ("x - x[0]", "np.asarray(x[0])", "np.clip(x, x[0], x[1])") for kind in _TEXTS},
    **{
        (call, "texts of any length"): "E104"
        for call in ("x.min()", "x.max()", "x.sum()", "np.full_like(x, x[0])", "np.insert(x, 1, x[0])", "x.fill(x[1])")
    },
    ("x.tobytes()", "texts of any length"): "E123",
    **{("np.histogram(x)", kind): "E104" for kind in ("dates", "times")},
}
"""The calls that are refused, by what the dtype is of, each with its code."""


def calls() -> list[str]:
    return [call.strip() for call in CALLS.replace("\n", " ; ").split(" ; ") if call.strip()]


def array(dtype: str, size: int) -> Any:
    """An array that a generator fills; times and dates hold NaT."""
    numbers = np.random.default_rng(size).integers(0, 5, size)
    if dtype.startswith(("datetime64", "timedelta64")):
        made = numbers.astype(dtype)
        made[1] = "NaT"
    elif dtype[0] == "a":
        fields: Any = [("a", "i4"), ("b", "f8")] if "b" in dtype else [("a", "i4", (2,)), ("s", "U2")]
        made = np.zeros(size, fields)
        made["a"] = numbers if "b" in dtype else numbers[:, None]
        made[made.dtype.names[1]] = numbers[::-1]  # type: ignore[index]
    else:
        made = np.array(["a", "bb", "ccc", "", "Z"])[numbers].astype(np.dtypes.StringDType() if dtype == "StringDType" else dtype)
    return made


def table() -> Iterator[str]:
    """The rows of the page: refused calls, of what, and the code."""
    found: dict[tuple[str, str], list[str]] = {}
    for (call, kind), code in REFUSED.items():
        found.setdefault((call, code), []).append(kind)
    kinds = list(dict.fromkeys(DTYPES.values()))
    for (call, code), of in found.items():
        yield f"| `{call}` | {'all' if len({*of}) == len(kinds) else ', '.join(dict.fromkeys(of))} | {code} |"
