# ruff: noqa: E501 -- tables of expressions
"""Random programs that mix integers of Python and NumPy, sizes, truths and arrays of no axes: the generator behind ``fuzz/mixtures.py``.

Numbers of all kinds go through calls, closures, generators, dicts, lists and attributes; they are bounds of slices, counts, shapes and
places, negative and out of range, too; arrays of one and of no elements are broadcast; statistics leave NaN out; dates. Statements are
grown on an example.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz import grown

FUNCTIONS = """
def twice(f): return lambda *a: f(f(*a), *a[1:]) if len(a) > 1 else f(f(a[0]))
def mean_or(v, default=0):
    return v.mean() if len(v) else default
def clampi(v, lo=0, hi=None): return max(lo, v if hi is None else min(v, hi))
def gen(v, step):
    total = 0
    for i in range(0, len(v), step):
        total = total + i
        yield total, v[i:i + step].sum()
def acc(start):
    at = start
    def add(q):
        nonlocal at
        at = at + q
        return at
    return add
def halves(v): return v[: len(v) // 2], v[len(v) // 2 :]
def kind(v): return type(v).__name__
def masked(v, m):
    n = m.sum()
    return np.where(m, v, 0).sum() / np.maximum(n, 1)
"""
INTEGERS = ("n", "m", "n // 2", "n - 1", "n - m", "-n", "n + 1", "n * m", "len(i)", "x.shape[0]", "y.size", "x.ndim", "2", "-1", "0", "3", "n % 3", "max(n, m)", "min(n - 2, 3)", "clampi(n - 3)", "n // -2", "~n", "np.int64(2)", "np.int8(3)", "np.array(2)", "np.uint8(1)", "True", "np.True_", "int(n > 2)", "k", "-k", "k + 1", "k * n", "np.int64(n)", "np.size(y)", "len(y) * 2", "n >> 1", "n << 1", "n ^ 1", "n & 3", "abs(n - m)", "divmod(n, 3)[1]", "pow(n, 2) % 7", "round(n / 3)", "int(n / 3)", "int(n ** 0.5)", "n.bit_length()", "sum(range(n % 5))", "sum(x.shape)", "np.prod(x.shape)", "x.nbytes // 8",
)  # fmt: skip
NUMBERS = (*INTEGERS, "1.5", "n / 2", "np.float32(0.5)", "1j", "n * 1.0", "float(n)", "x.sum()", "y.max() if len(y) else 0.0", "i.sum()", "np.float16(2)", "n / max(m, 1)", "np.float64(n) / 3", "s", "s * n", "True", "np.mean(i) if n else 0", "np.array(0.5, 'f4')", "b.sum()", "float(s)", "i.max() if n else 1", "np.bool_(n > 1)", "m % 2 == 0", "x[0, 0] if n and m else 0.0", "bool(b.any())",
)  # fmt: skip
ARRAYS = ("x", "y", "i", "b", "t", "y[:, None]", "x[:1]", "x[:, :1]", "x[:0]", "x.T", "y[::-1]", "i[::2]", "x[..., None]", "np.ones((n, 1))", "np.ones((1, m))", "np.zeros((0, m))", "np.arange(n)", "np.arange(m) * 0.5", "x[:, 0] if m else y", "np.full(n, {s})", "np.eye(n, m)", "x.ravel()", "i * 1.0", "x.astype('f4')", "i.astype('u1')", "b * 1", "np.where(b, y, 0)", "np.where(b[:, None], x, np.nan)", "np.asarray([n, m, 2])", "np.array([s, n])", "np.linspace(0, 1, n)", "np.tile(y, 2)", "np.concatenate([y, y[:1]])", "np.array([n, m], 'i2')", "np.broadcast_to(y[:, None], (n, m))", "np.expand_dims(i, 1)", "np.atleast_2d(y)", "np.stack([y, y * 2])", "np.array(n)", "np.array([{s}])",
)  # fmt: skip
EXPRESSIONS = ("{a}[{i}:]", "{a}[:{i}]", "{a}[{i}:{j}]", "{a}[{i}:{j}:2]", "{a}[{i}:{j}:-1]", "{a}[::{i}]", "{a}[slice({i}, None)]", "{a}[..., {i}:]", "{a}[{i}]", "{a}[..., {i}:{j}].shape", "len({a}[{i}:{j}])", "len(range({i}, {j}))", "len(range({i})[{j}:])", "range(*slice({i}, {j}).indices(n))[:3]", "{a} + {b}", "{a} * {s}", "{s} - {a}", "{a} > {b}", "{a} // {s}", "{a} % {s}", "{a} ** 2", "np.maximum({a}, {b})", "np.minimum({a}, {s})", "np.broadcast_shapes(np.shape({a}), np.shape({b}))", "np.broadcast_arrays({a}, {b})[0]", "{a} == {s}", "np.add({a}, {b}).sum()", "np.hypot({a}, {b})", "np.arctan2({a}, {s})", "{a}.sum(axis=0)", "{a}.sum(axis=-1, keepdims=True) + {b}", "{a} - {a}.mean(0)", "({a} - {a}.mean(-1, keepdims=True)) / ({a}.std(-1, keepdims=True) + 1e-9)", "np.nanmean({a}, axis=0)", "np.nansum({a}, 0)", "np.nanstd({a})", "np.nanpercentile({a}, 50)", "np.nanmedian({a}, axis=-1)", "np.nanargmax(np.where(np.isnan({a}), -1, {a}))", "np.nancumsum({a})", "np.count_nonzero(~np.isnan({a}), axis=0)", "masked({a}, {a} > {s})", "{a}[~np.isnan({a})].mean()", "np.mean({a}, where={a} > 0)", "np.sum({a}, where=~np.isnan({a}))", "np.max({a}, initial=0, where={a} < 3)", "np.average({a}, weights=np.ones({a}.shape))", "np.interp({s}, np.arange(n), y)", "mean_or({a})", "mean_or({a}, {s})", "twice(np.negative)({a})", "twice(lambda q, c: q + c)({a}, {s})", "list(gen({a}, 2))[:2]", "acc({s})({a})", "[acc({s})(q) for q in ({i}, {j})]", "halves({a})[0]", "halves({a})[1].sum()", "kind({s})", "kind({a}.sum())", "kind({s} + {t})", "{s} + {t}", "{s} * {t}", "{s} - {t}", "{s} / ({t} or 1)", "{s} // ({t} or 1)", "{s} == {t}", "{s} < {t}" , "np.add({s}, {t})", "np.multiply({s}, {t})", "np.result_type({s}, {t})", "np.asarray({s}).dtype", "np.array([{s}, {t}])", "np.array([{s}, {t}]).dtype", "max({s}, {t})", "min({i}, {j})", "divmod({i}, {j} or 1)", "sorted([{i}, {j}, 1])", "sum([{s}, {t}])", "sum({a}.tolist()) if {a}.ndim == 1 and len({a}) < 20 else 0", "{'k': {s}, 'l': {t}}", "{kind({s}): {s}}", "np.full({i}, {s})", "np.zeros(({i}, 2))", "np.arange({i})", "np.arange({i}, {j})", "np.arange({i}, {j}, 2)", "np.linspace({s}, {t}, 4)", "np.linspace(0, 1, {i})", "np.repeat({a}, {i})", "np.repeat({a}, {i}, axis=0)", "np.roll({a}, {i})", "np.roll({a}, {i}, axis=0)", "np.tile({a}, {i})", "np.pad({a}, {i})", "np.take({a}, {i}, mode='clip')", "np.take({a}, {i}, mode='wrap')", "np.split({a}, [{i}])[0]", "np.array_split({a}, 3)[1]", "np.delete({a}, {i}, 0)", "np.insert({a}, {i}, {s})", "np.insert({a}, {i}, 1, axis=0)", "np.eye({i})", "np.tri({i}, {j})", "np.tril({a}, {i})", "np.diag({a}, {i})", "np.trace({a}, {i})", "{a}.reshape({i}, -1)", "{a}.reshape(-1, {i})", "np.resize({a}, {i})", "np.resize({a}, (2, {i}))", "np.moveaxis({a}, 0, -1)", "np.squeeze({a})", "np.partition({a}, {i} % max(len({a}), 1))", "np.argsort({a}, axis=0, kind='stable')[:{i}]", "np.unravel_index({i}, (n, m))", "np.ravel_multi_index((0, {i}), (n, m), mode='clip')", "np.bincount(i, minlength={i})", "np.digitize({a}, [0, {s}])", "np.searchsorted(np.arange(n), {s})", "np.clip({a}, {s}, {t})", "np.where({a} > {s}, {t}, {a})", "np.select([{a} > 1, {a} < 0], [{s}, {t}])", "np.power({a}, {i})", "np.left_shift(i, {i})", "np.ldexp({a}, {i})", "np.round({a}, {i})", "np.fmod({a}, {s})", "np.float32({s})", "np.int64({i})", "int({s})", "float({s})", "bool({s})", "complex({s})", "round({s}, 1)", "abs({s})", "str({i})", "f'{{i}:03d}'", "hash({i}) == hash(int({i}))", "isinstance({s}, int)", "isinstance({s}, np.generic)", "[{a}][0] is {a}", "(lambda q=None: n if q is None else q)({s})", "(lambda *q: q[{i} % 2])({s}, {t})", "[q * {s} for q in range({i})][:3]", "dict(zip('ab', ({s}, {t})))", "any(q > {i} for q in x.shape)", "next((q for q in x.shape if q > {i}), None)", "tuple(reversed(x.shape))", "t + np.timedelta64({i}, 'D')", "t[{i}:].astype('M8[M]')", "(t[-1:] - t[:1]) / np.timedelta64(1, 'D')", "np.datetime64('2020-01-01') + {i}", "t.astype(int) % 7", "np.arange('2020-01', '2020-02', dtype='M8[D]')[{i}:{j}]", "np.busday_count(t[:1], t[:1] + {i})", "np.is_busday(t)", "(t > t[:1]).sum()", "np.unique(t.astype('M8[Y]'))", "np.diff(t)[:{i}]", "np.timedelta64({i}, 'h') * {j}", "np.char.zfill(np.asarray(['1', 'a']), {i})", "np.char.multiply(['a', 'b'], {i})", "'ab' * {i}", "[{s}] * {j}", "(1, 2, 3)[{i}:]", "[1, 2, 3][{i}:{j}]", "'abc'[{i}:]", "bytes({i} % 3)", "list(range(5))[::{i} or 1]", "x[b]", "x[b, {i}:]", "x[i % max(n, 1)]", "x[i % max(n, 1), {i}:]", "x[np.arange(n) < {i}]", "x[[{i}], :1]", "x[..., {i}, None]", "x[None, {i}:, :{j}]", "x[{i}:, {j}]", "x[-{k}:]", "y[-{k}:-1]", "y[n - {k}:]", "y[{i}:][:{j}]", "y[::-1][{i}:]", "y[{i}:{i} + 2]", "y[n // 2 - 1 : n // 2 + 1]",
)  # fmt: skip
WRITES = ("{v}[{i}:] = {s}", "{v}[:{i}] += 1", "{v}[{i}:{j}] *= {s}", "{v}[...] = {b}", "{v} += {b}", "{v} -= {s}", "{v}[{i}] = {s}", "{v}[::2] = {v}[1::2]", "{v}[1:] = {v}[:-1]", "{v}[-{k}:] = 0", "{v}[{v} > {s}] = {t}", "{v}[b] = {s}", "np.copyto({v}, {b})", "np.add({v}, {s}, out={v}, casting='unsafe')", "{v}.fill({s})", "d['k'] = d.get('k', 0) + {s}", "d[{i}] = {s}", "d.setdefault('q', {s})", "d.update(z={s})", "lst.append({s})", "lst[{i} % len(lst)] = {t}", "lst.insert({i}, {s})", "lst.extend([{s}, {t}])", "lst.sort(key=lambda q: abs(q))", "del lst[0]", "del lst[{i}:]", "lst[{i}:{j}] = [{s}]", "self.c = self.c + {s}", "self.c += {i}", "self.d['c'] = self.d['c'] + {s}", "self.a[{i}:] = {s}", "self.a[:] = self.a[::-1]", "self.a += {s}", "self.w = {s}", "self.e = self.a[{i}:].sum()", "self.h[{i}] += 1",
)  # fmt: skip

_STATE = "self.c, self.d, self.a, self.w, self.e, self.h"
_CLASS = f"""
class Program:
    def __init__(self): {_STATE} = 1, {{'c': 0.5}}, np.arange(5.0), np.float32(1), 0.0, np.zeros(4, int)
    def __call__(self, x, y, i, b, t, s, k):
        n, m = x.shape
        d, lst = {{'k': 1}}, [0.5, 2]
"""


class Writer(grown.Writer):
    """Grows a class whose call takes a matrix, vectors of floats, integers, truths and dates, and two numbers."""

    sizes = ((4, 3), (0, 3), (1, 1), (2, 3), (3, 0), (5, 2), (7, 4), (13, 1), (30, 11), (0, 0), (1, 6))

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.single = self.draw.random() < 0.25
        names: dict[str, Any] = {"np": np}
        exec(FUNCTIONS + _CLASS + "        pass", names)
        given = dict(zip("xyibtsk", self.arguments(*self.sizes[0]), strict=True))
        super().__init__({**names, "self": names["Program"](), "n": 4, "m": 3, "d": {"k": 1}, "lst": [0.5, 2], **given}, [])
        self.grow_all(self.draw.randrange(3, 11))
        body = "".join(f"        {line}\n" for line in self.lines)
        self.source = f"{FUNCTIONS}{_CLASS}{body}        return {''.join(f'{name}, ' for name in self.names[-6:])}d, lst, {_STATE}\n"

    def arguments(self, rows: int, columns: int, salt: int = 0) -> tuple[Any, ...]:
        """Arrays of these sizes; by ``salt`` with extreme values."""
        rng = np.random.default_rng([rows, columns, salt])
        x, y = rng.normal(size=(rows, columns)).round(2), rng.normal(size=rows).round(2)
        i, b, t = rng.integers(0, 5, rows), rng.random(rows) < 0.5, np.datetime64("2020-01-30") + rng.integers(0, 100, rows)
        if salt == 1:
            x[::2], y[:1], t[:1] = np.nan, np.inf, np.datetime64("NaT")
        elif salt == 2:
            x[...], y[...] = -0.0, 1e38
        elif salt == 3:
            b[:], i[:] = False, 0
        if self.single:
            x, y = x.astype("f4"), y.astype("f4")
        return x, y, i, b, t, np.float64(rng.normal()).round(1), 2

    def dims(self) -> Any:
        return (2, 1, 1, 1, 1, None, None)

    def grow(self) -> None:
        draw = self.draw
        written = draw.random() < 0.22
        row = draw.choice(WRITES if written else EXPRESSIONS)
        row = (
            row.replace("{v}", draw.choice([*self._own(), "x", "y", "self.a"][-4:]))
            .replace("{a}", self._array())
            .replace("{b}", self._array())
        )
        for hole, choices in (("i", INTEGERS), ("j", INTEGERS), ("s", NUMBERS), ("t", NUMBERS), ("k", ("1", "2", "n", "m", "k"))):
            row = row.replace("{%s}" % hole, f"({draw.choice(choices)})")
        self.add(row, None if written else self.fresh_name())

    def _own(self) -> list[str]:
        return [name for name in self.names if isinstance(self.values[name], np.ndarray)]

    def _array(self) -> str:
        own = self._own()
        return f"({self.draw.choice(own[-4:] if own and self.draw.random() < 0.5 else ARRAYS)})"
