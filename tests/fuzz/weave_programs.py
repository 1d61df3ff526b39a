# ruff: noqa: E501 -- tables of statements
"""Random programs in which everything meets: the generator behind ``fuzz/weaves.py``.

Statements over numbers, dates, texts, records and truths, over views of arrays and over the state of an object stand in blocks of
branches, loops, handlers, closures, generators and error states, nested up to three deep. The arguments lie in memory in every way: with
gaps, reversed, stretched, read-only, not aligned, of the other byte order, one array twice, as views that overlap.
"""

from __future__ import annotations

import random
from textwrap import indent
from typing import Any

import numpy as np

from tests.fuzz import grown

NUMBERS = ("f8", "f8", "f4", "f2", "g", "c8", "c16", "i1", "u1", "i8", "u8", "i4", ">f8", ">i4", ">f4", "<i2", "G")
MEMORY = ("plain", "plain", "plain", "gaps", "reversed", "stretched", "frozen", "unaligned")
PAIRS = ("apart", "apart", "apart", "apart", "same", "reversed", "shifted")
RECORD = [("a", "i2"), ("b", "f8")]

EXPRESSIONS = (
    "u + {c}", "u * {o}", "u - u[::-1]", "np.where({p}, u, {o})", "np.where({p}, {c}, u)", "u[::-1]", "np.roll(u, {k})", "np.cumsum(u)", "np.sort(u)", "np.abs(u)", "u.copy()", "y * 1", "x", "y", "w[:, 0] if m else u", "w.sum(1)", "z[::2][:n]", "z[:n]", "z[1::2]", "np.maximum(u, {o})", "np.minimum(u, {c})", "u.astype(x.dtype)", "u.astype('f4')", "np.clip(u, {c}, 5)", "-u", "np.sqrt(u)", "np.square(u)", "u // {c}", "u % {c}", "u / {c}", "np.add(u, {o}, out=np.zeros(n, u.dtype), casting='unsafe')", "np.multiply(u, 2, where={p}, out=u.copy())", "np.add.accumulate(u)", "np.einsum('i,i->i', u, y)", "np.einsum('ij->i', w)", "w @ np.ones(m, w.dtype)", "np.broadcast_to(u[:1], (n,))", "np.repeat(u, 2)[::2]", "np.concatenate([u[1:], u[:1]])", "np.take(u, r, mode='wrap')", "u[r % max(n, 1)]", "np.full(n, {c})", "np.zeros_like(u)", "np.array(u, order='F')", "u.reshape(-1, 1)[:, 0]", "np.real(u)", "u.conj()", "np.nan_to_num(u)", "np.diff(u, prepend=u[:1])", "np.append(u[1:], {c})", "u.view(u.dtype)", "w.T[0] if m else u", "np.diagonal(w)", "np.add.reduceat(u, r) if n and len(u) == n else u", "np.subtract.outer(u, u).sum(0)", "np.linspace(0, 1, n)", "np.arange(n)", "np.partition(u, 0) if len(u) else u", "np.interp(u, [0, 1], [2, 3])", "np.pad(u, 1)[1:-1]", "np.ldexp(u, 1)", "u ** 2", "u == y", "np.isin(u, {o})", "np.flip(w, 0).ravel()[:n]", "np.lexsort((y, u))", "np.unique(u)", "np.tensordot(w, w, 2)[None]", "np.fft.fft(u).real",
)  # fmt: skip
PREDICATES = (
    "u > {c}",
    "u == y",
    "u != u",
    "b",
    "~b",
    "u < {o}",
    "(u > 0) & b",
    "np.isfinite(u)",
    "r % 2 == 0",
    "b[::-1]",
    "np.isnat(t)",
    "t > t[:1]",
    "s == 'a'",
    "rec['a'] > 0",
    "np.arange(n) < {k}",
)
CONDITIONS = (
    "acc > {c}", "u.sum() > {c}", "b.any()", "b.all()", "n > {k}", "n == m", "m", "len(u)", "i > {k}", "i % 2", "self.n % 2", "self.n > 1", "flag", "not flag", "({p}).any()", "({p}).all()", "({p}).sum() > {k}", "s[:1].tolist() == ['a']", "(s == 'a').any()", "np.isnat(t).any()", "(t[:1] > t[-1:]).all()", "rec['a'].sum() > {k}", "self.p[0] > {c}", "(self.p > {c}).any()", "np.isnan(u).any()", "len(lst) > 1", "u[0] > {c}", "r[-1] < {k}", "self.best is None", "n > 1 and u[1] > u[0]", "b[0] or flag", "u.max() > {c}", "float(u.sum()) > {k}", "int(r.sum()) % 2 == 0", "d['k'] > {c}", "np.allclose(u, y)", "x is y", "r.dtype == u.dtype", "isinstance(acc, float)", "u.flags.writeable", "np.array_equal(u, y)", "u.shape == y.shape",
)  # fmt: skip
LEAVES = (
    "u = {e}", "u = {e}", "u = {e}", "v = u[{k}:]", "v = u[::-1]", "v = u[::2]", "v = u[:, None]", "v = u.reshape(1, -1)", "v = w[:, {k1}]", "v = w.T", "v = self.p[1:]", "v = y", "v = x", "v = z[::2]", "v = rec['b']", "v = t", "v = np.asarray(u)", "v = u.T", "v = np.ravel(u)", "v = u.view()",
    "v[...] = {c}", "v += {c}", "v *= 2", "v[:1] = {c}", "v[...] = v[::-1]", "v[1:] = v[:-1]", "v[-1] = {c}", "v[0] = {c}", "v.sort()", "v.fill({c})", "np.add(v, 1, out=v)", "np.add(v, v[::-1], out=v, casting='unsafe')", "v[v > {c}] = {c}", "np.copyto(v, {c}, where=v > 0)", "np.putmask(v, v > 0, v)", "v -= v.mean().astype(v.dtype)",
    "u[{k}:] = {c}", "u[{p}] = {c}", "u[{p}] += 1", "u[...] = {o}", "u += {o}", "u *= {c}", "u -= {c}", "u[0] = acc", "u[i % n] = {c}", "u[r % max(n, 1)] += {c}", "np.add.at(u, r % max(n, 1), {c})", "u[1:] += u[:-1]", "u[::2] = {c}", "u, v = v, u", "u.real = {c}", "u //= 2", "u /= 2", "np.negative(u, out=u)", "np.sqrt(u, out=u, where=u > 0)", "np.maximum(u, {o}, out=u, casting='unsafe')", "np.cumsum(u, out=u)", "np.clip(u, 0, {c}, out=u, casting='unsafe')", "u.sort()",
    "acc = acc + {c}", "acc += u.sum()", "acc = u.max()", "acc = max(acc, {c})", "acc = u[0]", "acc = u[-1] * {c}", "acc = float(u.sum())", "acc = acc * 0.5", "acc = u.mean()", "acc = {c}", "acc = np.float32(acc)", "acc = u.dot(y)", "acc = x.dtype.type({k})", "acc = {p}.sum()",
    "i += 1", "i = {k}", "i = int(r.sum())", "i = n - i", "i = len(lst)", "i = int(np.argmax(u))", "i = max(i, {k})", "flag = not flag", "flag = True", "flag = bool({q})", "flag = {q}",
    "lst.append({c})", "lst.append(u)", "lst.append(u.copy())", "lst[-1] = {c}", "lst.append(i)", "lst = [*lst, acc]", "lst.insert(0, u.sum())", "lst.pop()", "lst = lst[-2:]", "d['k'] = {c}", "d['k'] += acc", "d['u'] = u", "d[i] = acc", "d['n'] = d.get('n', 0) + 1", "d.setdefault('s', acc)", "d = {**d, 'm': i}", "del d['k']", "d['v'] = v",
    "self.n += 1", "self.n = i", "self.n -= {k}", "self.p += {c}", "self.p[1:] = self.p[:-1]", "self.p[self.n % 5] = {c}", "self.p[i % 5] += 1", "self.p = self.p * 0.5", "self.p = np.roll(self.p, 1)", "self.p[:2] = acc", "self.total = self.total + acc", "self.total += {c}", "self.best = acc", "self.best = None", "self.best = acc if self.best is None else max(acc, self.best)", "self.mode = 'x'", "self.mode = 'yy'", "self.last = u", "self.last = u.copy()", "self.q['a'] = self.q['a'] + acc", "self.q['b'] *= 2", "self.rec['a'] += 1", "self.rec[self.n % 3] = (1, {k})", "self.when = t[:1].max() if n else self.when", "self.when += np.timedelta64(1, 'D')", "self.tup = (self.tup[1], acc)", "self.h[:] = self.h[1:] + [{c}]", "self.w[:, 0] += {c}", "self.w.T[0] = self.w[1]", "self.p, self.o = self.o, self.p", "np.add.at(self.p, r % 5, 1)", "self.low += {k}", "self.low = self.low * np.int8({k})",
    "t = t + np.timedelta64({k}, 'D')", "t[{p}] = np.datetime64('2021-05-06')", "t[{p}] = np.datetime64('NaT')", "t = np.where({p}, t, t[::-1])", "t = np.sort(t)", "t[0] = t[-1]", "t = t.astype('M8[M]').astype('M8[D]')", "lst.append((t - t[::-1]).sum())", "lst.append(t.max())", "acc = (t - t[0]).astype(int).sum()", "lst.append(np.diff(t))", "t += np.timedelta64(1, 'D')", "lst.append(t[b].min())", "lst.append(t[0] > t[-1])", "t = np.maximum(t, t[::-1])",
    "s = np.where({p}, s, 'zz')", "s[{p}] = 'long text'", "s = np.char.upper(s)", "s = np.char.add(s, 'q')", "s[0] = s[-1]", "s = np.sort(s)", "s = s[::-1]", "lst.append(s == s[::-1])", "lst.append(np.char.str_len(s).sum())", "s = s.astype('U1')", "s = np.strings.replace(s, 'a', 'bb')", "lst.append(s[0])", "s = np.concatenate([s[1:], s[:1]])",
    "rec['a'] += 1", "rec['b'] = u", "rec['b'][{p}] = {c}", "rec[0] = (3, {c})", "rec = rec[::-1]", "rec = np.where({p}, rec, rec[::-1])", "lst.append(rec[0])", "lst.append(rec['b'].sum())", "rec = rec.copy()", "rec[['a', 'b']] = (1, 2.5)", "acc = rec['b'].max()", "rec[1:] = rec[:-1]", "rec = np.sort(rec, order='a', kind='stable')", "lst.append(rec[{p}])", "rec[i % n]['a'] = {k}", "lst.append(rec[0]['b'])",
    "w = w * {c}", "w[{p}] = {c}", "w[:, 0] = u", "w = w[::-1]", "w += u[:, None]", "w = w - w.mean(0)", "w[0] = w[-1]", "w = w.T.copy().T", "u = w.max(1)", "w = np.where(({p})[:, None], w, 0)", "w[i % n] = {c}", "acc = np.trace(w)", "w /= 2", "w.T[...] = w.T[::-1]", "w = np.flip(w, 1)", "lst.append(w.sum(0))", "w = np.sort(w, 0)", "w[r % max(n, 1), 0] = 1", "lst.append(w.argmax(0))", "lst.append(np.einsum('ij,ik->jk', w, w))", "lst.append(np.tensordot(w, w, (0, 0)))", "lst.append(w.T @ w)",
    "b = ~b", "b[{p}] = False", "b = b & ({p})", "b[i % n] = True", "b |= {p}", "r = r + 1", "r[{p}] = {k}", "r = np.argsort(u, kind='stable')", "r = np.where(b, r, -r)", "r //= 2", "r = np.cumsum(b)", "r ^= 1", "r <<= 1", "r = r.astype('u1')",
    "u = fn(u)", "acc = fn(acc)", "acc = bump({c})", "lst.extend(gen(u, {k}))", "u = np.stack(list(gen(w, 1)))[:n]", "acc = sum(gen(r, 2))", "lst.append(list(map(fn, [acc, i])))", "lst.append([g for g in gen(r, 1) if i])", "lst.append(next(gen(u, 1), None))",
    "assert {q}", "if {q}: raise ValueError(str(n))", "if {q}: return u, acc", "if {q}: raise KeyError('k', 1)", "np.linalg.inv(w[:2, :2].astype(float))", "u.reshape(2, -1)", "u[n]", "{}[i]", "lst[5]", "1 // i", "x[0] = {c}", "y[...] = u", "y += 1", "z[:n] += u", "x.sort()", "x[{p}] = {c}", "y[::2] = y[1::2][:len(y[::2])]", "z[::2] += 1", "w[...] = {c}", "int(acc)", "print(end='')", "np.int8(i)", "u = u.astype('i1')", "np.array([1, 2])[i]", "int(s[0])", "u.item()", "bool(u)", "x += y", "x[1:] = y[:-1]", "z[1:] += z[:-1]",
)  # fmt: skip
INNER = (
    "if {q}: break",
    "if {q}: continue",
    "u[j] = {c}",
    "u[j:] += 1",
    "acc += u[j]",
    "acc = acc + j",
    "lst.append(u[j])",
    "lst.append(j)",
    "self.p[j % 5] += j",
    "u = u + j",
    "acc = np.maximum(acc, r[j])",
    "w[j] += {c}",
    "u[j] += u[j - 1]",
    "d[j] = acc",
    "b[j] = not b[j]",
    "t[j] += np.timedelta64(j, 'D')",
    "s[j] = 'q'",
    "rec[j] = (j, 0.5)",
    "i = j",
    "if u[j] > {c}: i += 1",
    "x[j] = {c}",
    "self.n += j",
    "v = u[j:]",
    "lst.append(j * 2)",
    "acc *= {c}",
)
BLOCKS = (
    "if {q}:\n{B}", "if {q}:\n{B}", "if {q}:\n{B}\nelse:\n{B}", "if {q}:\n{B}\nelse:\n{B}", "if {q}:\n{B}\nelif {q}:\n{B}\nelse:\n{B}", "for j in range(n):\n{L}", "for j in range({k}, n):\n{L}", "for j in range(3):\n{L}", "for j in range(n - 1, -1, -1):\n{L}", "for j, e in enumerate(u):\n{L}", "for j in range(min(n, 4)):\n{L}\nelse:\n{B}", "for j in range(0, n, 2):\n{L}", "for j in r:\n{L}", "for j in range(int(b.sum())):\n{L}", "for j in np.flatnonzero(b):\n{L}", "for j, (e, g) in enumerate(zip(u, y)):\n    acc = acc + e * g\n{L}", "for j, e in enumerate(w):\n    e += 1\n{L}",
    "while i < {k2}:\n    i += 1\n{B}", "while acc > {c} and i < 6:\n    acc, i = acc / 2, i + 1\n{B}", "while True:\n    i += 1\n{B}\n    if i > 3 or {q}: break", "while len(lst) < 3:\n    lst.append(acc)\n{B}", "j = 0\nwhile j < n and {q}:\n{L}\n    j += 1",
    "try:\n{B}\nexcept ValueError as e:\n    lst.append(str(e))", "try:\n{B}\nexcept (IndexError, KeyError, ZeroDivisionError) as e:\n    lst.append(type(e).__name__)\n{B}", "try:\n{B}\nexcept Exception:\n{B}\nelse:\n{B}", "try:\n{B}\nfinally:\n    i += 1", "try:\n{B}\nexcept AssertionError:\n    u = u * 0", "try:\n{B}\nexcept TypeError as e:\n    lst.append(str(e))", "try:\n{B}\nexcept np.linalg.LinAlgError:\n    acc = -1.0",
    "with np.errstate(all='ignore'):\n{B}", "with np.errstate(divide='raise', invalid='raise'):\n    try:\n{BB}\n    except FloatingPointError as e:\n        lst.append(str(e))", "with closing_of(lst) as e:\n{B}", "def fn(q, k={k}):\n    nonlocal i\n    i += k\n    return q * 2 if {q} else q + k", "def fn(q):\n    nonlocal u, acc\n{B}\n    return q", "fn = lambda q: q + acc", "fn = lambda q, u=u: q + u.sum()", "def gen(q, k):\n    for g in q:\n        if g.sum() > k: yield g\n        else: yield g * 2", "match lst:\n    case []:\n{BB}\n    case [first, *_]:\n{BB}", "match i:\n    case 0 | 1:\n{BB}\n    case _:\n{BB}",
    "lst.append([u[j] for j in range(n)])", "lst.append([q * 2 for q in u])", "lst.append({j: u[j] for j in range(min(n, 3))})", "lst.append(sum(q for q in u))", "lst.append([j for j in range(n) if j != {k}])", "lst.append(np.array([fn(q) for q in u]))", "lst.append(any(q > {c} for q in u))", "lst.append([g for g in gen(w, 1)])", "lst.append(max(u, key=abs))", "lst.append(sorted(u)[:2])", "lst.append(np.stack([w[j] * j for j in range(n)]))", "u = np.array([q if q > {c} else -q for q in u])", "lst.append(list(zip(u, b)))", "lst.append(min((q for q in u if q > 0), default=None))",
)  # fmt: skip
CONSTANTS = (
    "2",
    "1",
    "0",
    "-1",
    "0.5",
    "n",
    "m",
    "acc",
    "i",
    "self.n",
    "np.float32(1.5)",
    "np.int8(3)",
    "np.uint8(200)",
    "True",
    "1j",
    "u[0]",
    "r[0]",
    "self.total",
    "u.sum()",
    "self.p[1]",
    "float(n)",
    "np.float16(2)",
    "300",
    "self.q['a']",
    "b.sum()",
    "x[-1]",
    "k",
    "np.longdouble(2)",
    "self.low",
)
OPERANDS = (
    *CONSTANTS,
    "y",
    "x",
    "u[::-1]",
    "w[:, 0]",
    "r",
    "b",
    "z[:n]",
    "z[::2][:n]",
    "w.sum(1)",
    "u[:1]",
    "rec['b']",
    "np.ones(n, 'f4')",
)
ATTRIBUTES = "self.p, self.o, self.n, self.total, self.best, self.mode, self.q, self.rec, self.when, self.tup, self.h, self.w, self.low, getattr(self, 'last', None)"

CLASS = f"""
import contextlib
@contextlib.contextmanager
def closing_of(q):
    q.append(0)
    yield q
    q.append(len(q))
class Program:
    def __init__(self):
        self.p, self.o, self.n, self.total, self.best, self.mode = np.arange(5.0), np.ones(5), 0, 0.0, None, 'start'
        self.q, self.rec, self.when = {{'a': np.float64(1), 'b': np.ones(2, 'f4')}}, np.zeros(3, {RECORD}), np.datetime64('2020-01-01')
        self.tup, self.h, self.w, self.low = (0.0, 0.0), [0.0, 1.0], np.ones((2, 3), 'f4', order='F'), np.int8(1)
    def __call__(self, x, y, w, z, b, r, t, s, rec, k):
        n, m = w.shape
        u, acc, i, lst, flag = x.copy(), x.sum(), 0, [], False
        d, v, fn = {{'k': acc}}, u[1:], lambda q: q * 2
        def gen(q, k): yield from q[k:]
        def bump(q):
            nonlocal acc
            acc = acc + q
            return acc
"""


class Writer(grown.Writer):
    """Grows a class whose call takes arrays of numbers, truths, dates, texts and records, and a number."""

    sizes = ((4, 3), (0, 3), (1, 1), (2, 3), (3, 0), (5, 2), (7, 4), (13, 1), (0, 0), (1, 6))

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.dtypes = [draw.choice(NUMBERS[: draw.choice((3, 11, len(NUMBERS)))]) for _ in "xywz"]
        self.memory = [draw.choice(MEMORY) if draw.random() < 0.6 else "plain" for _ in range(9)]
        self.pair = draw.choice(PAIRS) if self.memory[0] == "plain" else "apart"
        self.given = draw.choice((2, 0.5, True, np.float32(2), np.int16(3), 2j, -1, np.float64(0.25), 0))
        if draw.random() < 0.3:
            rest = list(self.sizes[1:])
            draw.shuffle(rest)
            self.sizes = (rest[0], self.sizes[0], *rest[1:])
        self.lines, self.names = list[str](), list[str]()
        self._grow_body(draw.randrange(2, 8))

    def _grow_body(self, count: int) -> None:
        kept: list[str] = []
        for _ in range(6 * count):
            if len(kept) == count:
                break
            row = self._statement(3)
            if self._runs([*kept, row]):
                kept.append(row)
        self.lines, self.source = kept, self._text(kept, True)

    def _text(self, lines: list[str], chosen: bool) -> str:
        result = ", ".join(self.draw.sample("u v acc i lst d flag b r t s rec w x y".split(), 5)) + f", {ATTRIBUTES}" if chosen else "None"
        return f"{CLASS}{indent(chr(10).join(lines) or 'pass', ' ' * 8)}\n        return {result}\n"

    def _runs(self, lines: list[str]) -> bool:
        names: dict[str, Any] = {"np": np}
        good = 0
        try:
            exec(self._text(lines, False), names)
        except SyntaxError:
            return False
        for size in self.sizes[:3] if self.draw.random() < 0.9 else ():
            try:
                names["Program"]()(*self.arguments(*size))
                good += 1
            except Exception:
                if size == self.sizes[0] and self.draw.random() < 0.97:
                    return False
        return good > 0

    def _statement(self, depth: int) -> str:
        if depth and self.draw.random() < 0.45:
            return self._block(self.draw.choice(BLOCKS), depth - 1)
        return self._filled(self.draw.choice(LEAVES))

    def _block(self, row: str, depth: int) -> str:
        lines = []
        for line in self._filled(row).split("\n"):
            kind = line.strip()
            if kind not in ("{B}", "{BB}", "{L}"):
                lines.append(line)
                continue
            count = self.draw.randrange(1, 4)
            within = [
                self._filled(self.draw.choice(INNER)) if kind == "{L}" and self.draw.random() < 0.6 else self._statement(depth)
                for _ in range(count)
            ]
            lines.append(indent("\n".join(within), " " * (8 if kind == "{BB}" else 4)))
        return "\n".join(lines)

    def _filled(self, row: str) -> str:
        holes = {
            "{e}": EXPRESSIONS,
            "{q}": CONDITIONS,
            "{p}": PREDICATES,
            "{o}": OPERANDS,
            "{c}": CONSTANTS,
            "{k}": ("0", "1", "2", "3", "-1"),
            "{k1}": ("0", "-1"),
            "{k2}": ("2", "n", "3", "k"),
        }
        for hole, choices in holes.items():
            while hole in row:
                row = row.replace(hole, self.draw.choice(choices), 1)
        return row

    def arguments(self, rows: int, columns: int, salt: int = 0) -> tuple[Any, ...]:
        """Arrays of these sizes; by ``salt`` with extreme values."""
        g = np.random.default_rng([rows, columns, salt])
        x, y, w, z = (
            _numbers(g, dtype, shape, salt) for dtype, shape in zip(self.dtypes, ((rows,), (rows,), (rows, columns), (2 * rows + 1,)), strict=True)
        )  # fmt: skip
        b, r = g.random(rows) < (0.5, 0.0, 1.0, 0.5)[salt], g.integers(-2, 5, rows)
        t = np.datetime64("2020-01-30") + g.integers(0, 60, rows)
        if salt:
            t[::2] = np.datetime64("NaT")
        s, rec = g.choice(np.array(["a", "bb", "", "c1"]), rows), np.zeros(rows, RECORD)
        rec["a"], rec["b"] = g.integers(-3, 4, rows), g.integers(-4, 5, rows) / 2
        x, y, w, z, b, r, t, s, rec = (_laid(array, how) for array, how in zip((x, y, w, z, b, r, t, s, rec), self.memory, strict=True))
        if self.pair == "same":
            y = x
        elif self.pair == "reversed":
            y = x[::-1]
        elif self.pair == "shifted":
            base = np.concatenate([x, x[:1]])[: rows + (rows > 0)]
            x, y = base[:rows], base[len(base) - rows :]
        return x, y, w, z, b, r, t, s, rec, self.given

    def dims(self) -> Any:
        return (1, 1, 2, 1, 1, 1, 1, 1, 1, None)


def _numbers(g: Any, dtype: str, shape: tuple[int, ...], salt: int) -> Any:
    kind = np.dtype(dtype).kind
    values = g.integers(0 if kind == "u" else -4, 9, shape)
    if kind in "iu":
        if salt == 2:
            values = g.choice([np.iinfo(dtype).max, np.iinfo(dtype).min, 1], shape)
        return values.astype(dtype)
    made = values / 2 if kind == "f" else values / 2 + 1j * g.integers(-1, 2, shape)
    if salt == 1:
        made.flat[::2] = np.nan
    elif salt == 2:
        made.flat[:1] = np.inf
    elif salt == 3:
        made[...] = -0.0
    return made.astype(dtype)


def _laid(array: Any, how: str) -> Any:
    if how == "gaps":
        return np.repeat(array, 2, 0)[::2]
    if how == "reversed":
        return array[::-1].copy()[::-1]
    if how == "stretched":
        return np.broadcast_to(array[:1], array.shape) if len(array) else array
    if how == "frozen":
        array.flags.writeable = False
    if how == "unaligned":
        memory = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype) if array.size else array.ravel()
        memory = memory.reshape(array.shape)
        memory[...] = array
        return memory
    return array
