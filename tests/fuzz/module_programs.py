# ruff: noqa: E501 -- tables of statements
"""Random modules: the generator behind ``fuzz/modules.py``.

Functions, generators and a class with protocols that call each other, with parameters of all kinds, over vectors, scalars, Python's
numbers, truths, lists and texts that only the data know. Branches, loops, handlers, patterns, closures and early returns stand within
helpers and are nested; what functions do to their arguments and to objects is seen by their callers.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import random
from textwrap import indent
from typing import Any

import numpy as np

LIBRARY = {"np": np, "math": math, "functools": functools, "itertools": itertools, "operator": operator}

EXPRESSIONS = {
    "V": ("<V> + <S>", "<V> * <V>", "<V> - <F>", "np.where(<V> > <S>, <V>, <S>)", "<V>[::-1]", "np.cumsum(<V>)", "<V>.copy()", "np.sort(<V>)", "-<V>", "np.abs(<V>)", "np.maximum(<V>, <F>)", "(<V> if <B> else <V>)", "np.roll(<V>, <I> % 3)", "np.clip(<V>, -1, <K>)", "np.array([<s> for e in <V>])", "np.asarray(<A>)", "<A>.buf", "<A>.buf + <V>", "np.array(<L>[:1] * len(<V>))", "(<V> + <A>)", "np.stack([<V>, <V>]).max(0)", "np.full(len(<V>), <S>)", "np.where([<B>], <V>, 0.0)", "<V> * (<B>)", "(w := <V>) * 2", "np.minimum.accumulate(<V>)", "np.fromiter((<s> for e in <V>), float)", "np.select([<V> > 0, <V> < -1], [<V>, <S>], <F>)", "<V>.reshape(-1)", "np.outer(<V>, <V>)[0]", "<V>[np.argsort(<V>, kind='stable')]", "np.array(sorted(<V>, key=lambda e: -e))", "functools.reduce(np.maximum, [<V>, <V>, <V>])", "<V> / (1 + abs(<S>))", "pipe(np.abs, np.cumsum)(<V>)"),
    "S": ("<V>.sum()", "<V>.max(initial=0)", "<V>[0]", "<V>[-1]", "<V>[<I> % max(len(<V>), 1)]", "<S> + <F>", "<S> * <S>", "<S> - <I>", "np.float64(<F>)", "<V> @ <V>", "abs(<S>)", "max(<S>, <S>)", "min(<S>, <F>, <S>)", "(<S> if <B> else <S>)", "sum(<V>)", "functools.reduce(operator.add, <V>, <S>)", "next((e for e in <V> if e > <K>), <S>)", "np.sqrt(abs(<S>))", "<V>.mean()", "<A>[0]", "<A>.mean", "<A>(<S>)", "max(<V>, key=abs, default=0.0)", "sum(<s> for e in <V>)", "np.add.reduce(<V>)", "<V>.dot(<V>)", "(<S> + 1 if <B> else <S> * 2)", "np.prod(<V>[:2])", "np.median(<V>)", "<V>[<V> > 0].sum()", "np.hypot(<S>, <F>)"),
    "F": ("float(<S>)", "<F> * 0.5", "<F> + <I>", "round(<F>, 1)", "math.sqrt(abs(<F>))", "<A>.total", "<F> / (1 + abs(<F>))", "float(sum(<L>))", "(<F> if <B> else 0.25)", "<F> ** 2", "math.floor(<F>) + 0.5", "<V>.sum().item()", "min(<F>, 9.0)", "float(<B>)", "-<F>", "<F> % 3", "<I> / 4", "math.hypot(<F>, 1.0)", "max(<F>, <F>)", "abs(<F>)", "float(<V>[0])"),
    "I": ("int(<S>)", "int(i[0])", "len(<L>)", "<I> % 5", "<I> + 1", "len([e for e in <V> if e > <K>])", "<I> // 2", "int(np.argmax(<V>))", "<A>.count", "sum(1 for e in <V> if e > <S>)", "round(<F>)", "int(<B>)", "(<I> if <B> else <K>)", "int(np.count_nonzero(<V> > <S>))", "abs(<I>)", "min(<I>, 4)", "<I> * <I> % 7", "-<I>", "len(<V>)", "len(<A>)", "<I> & 3", "divmod(<I>, 3)[1]", "max(<I>, 0)", "int(i.sum())", "len(<T>)", "len(<V>) - <I>", "<B> + <B>"),
    "B": ("<S> > <S>", "<I> > <K>", "<B> and <B>", "<B> or <B>", "not <B>", "(<V> > <K>).any()", "bool(<S> > 0)", "<I> in (1, 2)", "any(e > <K> for e in <V>)", "all(e < 9 for e in <V>)", "(w := <S>) > <K>", "<S> < <F> <= 3", "len(<L>) > <K>", "<I> % 2 == 0", "<F> >= <F>", "bool(b[0])", "b.any()", "<S> != <S>", "(<V> == <V>).all()", "len(<V>) > 2", "<A>.count > 1", "<T> == 'pos'", "(<B>) is True", "<V>.sum() > <S>", "np.isnan(<S>)", "bool(<L>)", "<S> in <L>", "isinstance(<S>, float)", "<I> == len(<V>)", "bool(<A>)", "np.allclose(<V>, <V>)", "<B> != <B>"),
    "L": ("[<S>, <F>]", "[<s> for e in <V>]", "[e for e in <V> if e > <S>]", "sorted(<L>)", "<L> + <L>", "<L>[:2]", "<L>[::-1]", "[*<L>, <S>]", "sorted(<L>, key=lambda e: -e)", "<V>.tolist()", "list(itertools.accumulate(<V>))", "list(picks(<V>, <S>))", "[]", "[e for e in <L> if e]", "list(<A>)", "[e if e > 0 else <F> for e in <V>]", "list(map(abs, <L>))", "[<s> for e in <L>]", "(<L> if <B> else [])", "list(filter(lambda e: e > <K>, <V>))", "[e + f for e, f in zip(<V>, <V>)]", "[e for j, e in enumerate(<V>) if j % 2 == 0]", "list(itertools.takewhile(lambda e: e < <K>, <V>))", "[*picks(<V>, <K>)][:<K>]", "list(dict.fromkeys([<I>, <I>]))"),
    "T": ("('pos' if <B> else 'neg')", "'neg'", "f'{<S>:.2f}'", "str(<I>)", "<T>.upper()", "<T> + 'x'", "f'{<I>}|{<F>:g}'", "type(<S>).__name__", "('a', 'b', 'pos')[<I> % 3]"),
    "A": ("Acc(<V>)", "Acc(<V>, rate=<F>)", "<A> + <S>", "<A>.add(<V>)", "<A>.add(<V>, <S>)", "Acc.of(<S>, <V>)", "<A>"),
    "K": ("0", "1", "2", "-1", "3", "0"),
}  # fmt: skip
OF_ELEMENT = ("e", "e * 2", "e + <S>", "(e if e > <K> else <K>)", "e * <F>", "abs(e)", "max(e, 0.5)", "clipped(e)", "(e + 1 if <B> else e)", "float(e)")  # fmt: skip
LEAVES = (
    "{v} = <V>", "{s} = <S>", "{f} = <F>", "{i} = <I>", "{q} = <B>", "{l} = <L>", "{t} = <T>", "{a} = <A>", "{s} = <S>", "{v} = <V>", "{new} = <V>", "{new} = <S>", "{new} = <L>", "{v} += <S>", "{v} *= <F>", "{v} -= <V>", "{v}[1:] = <S>", "{v}[0] = <S>", "{v}[<V> > <S>] = <F>", "{v}[::2] += 1", "{v}[:] = <V>", "{v}[<I> % max(len({v}), 1)] = <S>", "{v}.sort()", "np.add({v}, <S>, out={v})", "{v}[-1] -= <F>", "{s} += <S>", "{s} *= <F>", "{f} += <F>", "{f} -= <I>", "{i} += 1", "{i} -= <I>", "{i} *= 2", "{i} //= 2", "{l}.append(<S>)", "{l}.append(<F>)", "{l} += [<S>]", "{l}.extend(<L>)", "{l}.insert(0, <S>)", "{l}[-1:] = [<F>]", "{l}.reverse()", "{l}.clear()", "if {l}: {l}.pop()", "{l}.sort()", "{t} += <T>", "{q} = not {q}", "{s}, {f} = <S>, float({s})", "{v}, {u} = {u}, {v}", "{s}, *{l} = <V>", "({i}, {f}), {s} = (<I>, <F>), <S>", "{a}.add(<V>)", "{a}.add(<V>, <S>)", "{a}.total = <F>", "{a}.total += <F>", "{a}.buf = <V>", "{a}.buf[0] = <S>", "{a}.log.append(<S>)", "{a}.rate *= 0.5", "{a}[0] = <S>", "{a} += <S>", "note({l}, <S>)", "shift({v}, <S>)", "{s} = settle({v}, <S>)", "{f} = bisect(<S>, <F>)", "{s} = walk(<V>, <I>)", "{i} = steps(<I>)", "{l} = [*picks(<V>, <S>)]", "{v} = smoothed(<V>)", "{v} = halved(<V>)", "{s} = first(<V>, <S>)", "{q}, {i} = <B>, <I>",
    "{v} = {u} = <V>", "{s} = sum(<L>, <S>)", "assert <S> < 99, 'large'", "{d}['k'] = <S>", "{d}['k'] = {d}.get('k', <S>) + <F>", "{s} = {d}.get('k', <S>)", "{d}[<I> % 3] = <S>", "{s} = {d}.pop('k', <S>)", "if <I> in {d}: {s} = {d}[<I> % 3]", "{d}.setdefault('l', []).append(<S>)",
)  # fmt: skip
EXITS = ("return <R>", "raise ValueError(<T>)", "raise ValueError('bad')", "raise KeyError(<K>)", "return <R>", "return <R>")
IN_LOOP = ("if <B>: break", "if <B>: continue", "{s} += e", "{l}.append(e)", "{s} = max({s}, e)", "{i} += 1", "{f} += float(e)", "if e > <S>: {i} += 1", "if e > <S>:\n    {s} = e\n    break", "{v}[j] = e", "{v}[j:] += e", "{a}.log.append(e)", "{l}.append(<s>)", "{f} = {f} * 0.5 + float(e)", "{a}.add({v}, e)", "if e < {s}: {s} = e", "{d}[j] = e", "{v} = {v} + e")  # fmt: skip
BLOCKS = (
    "if <B>:\n~", "if <B>:\n~", "if <B>:\n~\nelse:\n~", "if <B>:\n~\nelse:\n~", "if <B>:\n~\nelif <B>:\n~\nelse:\n~", "for j, e in enumerate(<V>):\n@", "for j, e in enumerate(<V>):\n@", "for j, e in enumerate(<V>[::-1]):\n@\nelse:\n~", "for j in range(len(<V>)):\n    e = <V>[j]\n@", "for j, e in enumerate(list(<L>)):\n@", "for j, (e, g) in enumerate(zip(<V>, <V>)):\n    e = e - g\n@", "for j, e in enumerate(picks(<V>, <S>)):\n@", "for j in range(3):\n    e = <S>\n@", "for j in range(min(<I>, 5)):\n    e = float(j)\n@", "c{k} = 0\nwhile {i} < 4 and c{k} < 6:\n    c{k}, {i} = c{k} + 1, {i} + 1\n    j, e = 0, <S>\n@", "c{k} = 0\nwhile abs({s}) > 1 and c{k} < 9:\n    {s}, c{k} = {s} * 0.5, c{k} + 1\n~", "try:\n~\nexcept ValueError as error:\n    {t} = str(error)", "try:\n~\n    !\nexcept (ValueError, KeyError):\n~\nelse:\n~", "try:\n~\n    if <B>: raise ValueError(<T>)\n~\nexcept ValueError as error:\n    {t} = str(error)\n~", "try:\n~\n    if <B>: !\nfinally:\n    {i} += 1", "try:\n    if <B>: raise KeyError(2)\n~\nexcept KeyError as error:\n    {i} = error.args[0]\nfinally:\n~",
    "with Acc(<V>) as g:\n~\n    if <B>: raise ValueError('in')\n    g.add(<V>)", "with {a}:\n~", "with np.errstate(all='ignore'):\n~", "def h{k}(p, by=<S>):\n    nonlocal_ = p * by\n    return nonlocal_ if <B> else p\n{s} = h{k}(<S>)\n{v} = h{k}(<V>, by=<F>)", "def h{k}(p):\n    nonlocal {s}, {i}\n    {s} = {s} + p\n    if p > <K>: {i} += 1\n    return {s}\nfor e in <V>: h{k}(e)", "def h{k}(*ps, scale=<F>, **rest):\n    if <B>: return sum(ps) * scale\n    return len(ps) + len(rest) + scale\n{s} = h{k}(<S>, <F>, other=<I>)", "def h{k}(p):\n    try:\n        if p > <K>: return p\n        if p < -1: raise ValueError('low')\n    except ValueError: return -p\n    finally: {l}.append(p)\n    return 0.0\n{s} = h{k}(<S>)", "match <I> % 3, <B>:\n    case 0, True:\n        {s} = <S>\n    case 1, _:\n        {v} = <V>\n    case _:\n        {t} = <T>", "match <T>:\n    case 'pos':\n        {i} = 1\n    case 'neg' if <B>:\n        {i} = 2\n    case other:\n        {i} = len(other)", "if (m := <S>) > <K>:\n    {s} = m\n~\nelse:\n    {s} = -m", "def h{k}(p, depth=<K>):\n    if depth <= 0 or p > <K>: return p\n    return h{k}(p * 2, depth - 1)\n{s} = h{k}(<S>)", "h{k} = lambda p, by=<F>: p * by if <B> else p\n{s} = h{k}(<S>)\n{l} = [h{k}(e) for e in <V>]",
)  # fmt: skip
STATE = ("self.acc.add(<V>)", "self.acc.add(<V>, <S>)", "self.total += <S>", "self.total = <S>", "self.n += 1", "self.n = <I>", "self.buf[1:] = self.buf[:-1]", "self.buf[0] = <S>", "self.buf *= 0.5", "self.buf[<I> % 4] += 1", "self.acc.total = <F>", "if <B>: self.n += <I>", "if <B>: self.buf = self.buf + <S>", "self.flag = <B>", "self.peak = max(self.peak, <S>)", "self.level = <F>", "{s} = self.total", "{i} = self.n", "{f} = self.level", "{q} = self.flag", "{s} = self.step(<V>)", "{s} = self.step(<V>)", "for e in <V>: self.total = self.total * 0.5 + e", "for e in <V>:\n    if e > self.peak:\n        self.peak = e\n        self.n += 1", "while self.n > 40: self.n -= 20")  # fmt: skip

HEAD = """
def clipped(q): return min(max(q, -2.0), 2.0)
def pipe(*fs): return lambda q: functools.reduce(lambda p, f: f(p), fs, q)
def picks(q, least):
    for e in q:
        if e > least: yield e
def note(into, value, *, twice=False):
    into.append(value)
    if twice: into.append(value)
def shift(q, by):
    if by > 0: q += by
    else: q[:1] = by
def settle(q, goal):
    at, count = q.sum(), 0
    while abs(at) > abs(goal) + 1 and count < 12:
        at, count = at / 2, count + 1
        if count == 5: return at + 100
    return at
def bisect(low, high):
    low, high = float(low), float(high)
    for _ in range(6):
        mid = (low + high) / 2
        if mid * mid > 2: high = mid
        else: low = mid
    return low
def walk(q, at):
    seen = 0.0
    for _ in range(4):
        if not 0 <= at < len(q): return seen
        seen += q[at]
        at = at + 1 if q[at] > 0 else at - 2
    return seen
def steps(at):
    count = 0
    at = abs(at) + 1
    while at != 1 and count < 20:
        at = at // 2 if at % 2 == 0 else 3 * at + 1
        count += 1
    return count
def guarded(f):
    @functools.wraps(f)
    def call(*args, **kwargs):
        made = f(*args, **kwargs)
        if np.any(np.abs(made) > 50): raise ValueError(f'{f.__name__} is large')
        return made
    return call
@guarded
def smoothed(q): return (q + q[::-1]) / 2 if q.sum() > 0 else q * 0.5
def halved(q):
    if len(q) < 2 or q[0] > 2: return q
    at = len(q) // 2
    return np.concatenate([halved(q[:at]), halved(q[at:]) + 1])
def first(q, least):
    for j, e in enumerate(q):
        try:
            if e > least: return e
            if e < -2: raise ValueError
        except ValueError: return float(j)
        finally:
            if j > 5: break
    return least
class Acc:
    def __init__(self, buf, *, rate=0.5): self.buf, self.rate, self.total, self.count, self.log = buf, rate, 0.0, 0, []
    @classmethod
    def of(cls, level, like): return cls(np.full(len(like), level))
    def add(self, q, by=1.0):
        if q.sum() > 0:
            self.total += float(q.sum() * by)
            self.count += 1
        else: self.buf = self.buf + q * self.rate
        return self
    @property
    def mean(self): return self.buf.mean() if self.count else np.float64(0)
    def __call__(self, q): return q * self.rate + self.total
    def __len__(self): return len(self.buf)
    def __bool__(self): return self.total > 0
    def __getitem__(self, at): return self.buf[at]
    def __setitem__(self, at, value): self.buf[at] = value
    def __iter__(self):
        for e in self.buf: yield e * self.rate
    def __array__(self, dtype=None, copy=None): return np.array(self.buf, dtype)
    def __add__(self, other): return Acc(self.buf + other, rate=self.rate)
    def __radd__(self, other): return other + self.buf * 2
    def __iadd__(self, other):
        self.total += float(other)
        return self
    def __enter__(self):
        self.kept = self.buf.copy()
        return self
    def __exit__(self, kind, error, trace):
        if kind is not None: self.buf = self.kept
        return kind is ValueError
"""
CLASS = """class Program:
    def __init__(self):
        self.acc, self.total, self.n, self.buf, self.flag, self.peak, self.level = Acc(np.ones(4)), np.float64(0), 0, np.zeros(4), False, np.float64(1), 0.5
    def step(self, q):
        if q.sum() > self.total: self.total = q.sum()
        else: self.n += 1
        return self.total - self.n
"""
KINDS = {"V": "vu", "S": "s", "F": "f", "I": "i", "B": "q", "L": "l", "T": "t", "A": "a"}
LOCALS = "v, u, s, f, i, q, l, t, a, d"
RETURNS = {"V": "V", "S": "S", "F": "F", "I": "I", "L": "L", "B": "B", "A": "A"}


class Writer:
    """``source`` defines ``Program``, whose instances are called with ``arguments``."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.functions: dict[str, tuple[str, str, str]] = {}
        self.texts, self.result, self._count = list[str](), "V", 0
        self.stateful = seed % 3 == 0
        for number in range(draw.randrange(4)):
            self._grow_function(f"g{number}")
        self._grow_main()

    @property
    def source(self) -> str:
        return HEAD + "".join(self.texts)

    # functions: parameters are drawn, and their locals start as what they were given

    def _grow_function(self, name: str) -> None:
        draw = self.draw
        kinds = [draw.choice("VVSSFILB") for _ in range(draw.randrange(1, 4))]
        result = self.result = draw.choice([*RETURNS])
        required = draw.randrange(1, len(kinds) + 1)
        parameters, call = list[str](), list[str]()
        for place, kind in enumerate(kinds):
            default = {"V": "None", "S": "1.5", "F": "0.5", "I": "2", "L": "()", "B": "False"}[kind]
            if place == required and draw.random() < 0.5:
                parameters.append("*")
            parameters.append(f"p{place}" if place < required else f"p{place}={default}")
            if place < required or draw.random() < 0.5:
                call.append(f"<{kind}>" if place < required and "*" not in parameters else f"p{place}=<{kind}>")
        taken = {"V": "v", "S": "s", "F": "f", "I": "i", "L": "l", "B": "q"}
        head = "    v, s, f, i, l, q, t, d = p0 if isinstance(p0, np.ndarray) else np.ones(3), 0.5, 0.25, 1, [], True, 'pos', {}\n"
        for place, kind in enumerate(kinds):
            value = f"p{place}" if kind != "V" or place < required else f"(v if p{place} is None else p{place})"
            head += f"    {taken[kind]} = {f'list(p{place})' if kind == 'L' and draw.random() < 0.5 else value}\n"
        head += "    u, a, b = v, Acc(v), v > 0\n"
        start = f"def {name}({', '.join(parameters)}):\n{head}"
        decorator = "@guarded\n" if result in "VSFI" and draw.random() < 0.2 else ""

        def whole(lines: list[str]) -> str:
            return decorator + start + indent("\n".join([*lines, "return " + self._filled(f"<{result}>", 0)]), "    ") + "\n"

        def runs(text: str) -> bool:
            names: dict[str, Any] = dict(LIBRARY, i=np.arange(3))
            exec(HEAD + "".join(self.texts) + text, names)
            good = 0
            for salt in range(4):
                x, y, i, b, s = arguments(4, salt)
                given = {"V": x, "S": s, "F": 0.75, "I": 3, "L": [0.5], "B": True}
                try:
                    names[name](**{f"p{place}": given[kind] for place, kind in enumerate(kinds)})
                    good += 1
                except Exception:
                    pass
            return good > 1

        lines = self._grown(whole, runs, draw.randrange(1, 5))
        self.texts.append(whole(lines))
        self.functions[name] = (result, f"{name}({', '.join(call)})", result)

    def _grow_main(self) -> None:
        draw = self.draw
        head = "    def __call__(self, x, y, i, b, s):\n        v, u, f, q, l, t, d, c, a = x, y, 0.5, True, [], 'pos', {}, i, Acc(x.copy())\n        i = 1\n"
        self.result = "V"
        attributes = (
            "self.acc.total, self.acc.count, self.acc.buf, self.total, self.n, self.buf, self.flag, self.peak, self.level"
            if self.stateful
            else ""
        )

        def whole(lines: list[str]) -> str:
            head_ = head.replace("c, a = x", "c, a = x").replace(" i = 1\n", " i, I = 1, i\n")
            body = indent("\n".join([*lines, f"return {LOCALS.replace('a, ', 'a.total, a.buf, a.log, ')}, {attributes}"]), " " * 8)
            return CLASS + head_ + body.replace("i[0]", "I[0]").replace("i.sum()", "I.sum()") + "\n"

        def runs(text: str) -> bool:
            names: dict[str, Any] = dict(LIBRARY)
            exec(HEAD + "".join(self.texts) + text, names)
            good = 0
            for salt in range(4):
                try:
                    names["Program"]()(*arguments(4, salt))
                    good += 1
                except Exception:
                    if salt == 0 and self.draw.random() < 0.95:
                        return False
            return good > 1

        lines = self._grown(whole, runs, draw.randrange(2, 8), main=True)
        self.texts.append(whole(lines))

    def _grown(self, whole: Any, runs: Any, count: int, main: bool = False) -> list[str]:
        kept: list[str] = []
        for _ in range(5 * count):
            if len(kept) == count:
                break
            row = self._statement(2, main)
            try:
                with np.errstate(all="ignore"):
                    good = runs(whole([*kept, row]))
            except SyntaxError:
                good = False
            if good:
                kept.append(row)
        return kept

    def _statement(self, depth: int, main: bool) -> str:
        draw = self.draw
        if main and self.stateful and draw.random() < 0.35:
            return self._filled(draw.choice(STATE))
        if depth and draw.random() < 0.5:
            return self._block(draw.choice(BLOCKS), depth - 1, main)
        return self._filled(draw.choice(LEAVES))

    def _block(self, row: str, depth: int, main: bool) -> str:
        lines = []
        self._count += 1
        for line in self._filled(row.replace("{k}", str(self._count))).split("\n"):
            kind = line.strip()
            space = line[: len(line) - len(line.lstrip())]
            if kind in ("~", "@"):
                within = [
                    self._filled(self.draw.choice(IN_LOOP)) if kind == "@" and self.draw.random() < 0.7 else self._statement(depth, main)
                    for _ in range(self.draw.randrange(1, 3))
                ]
                if self.draw.random() < 0.12:
                    within.append(self._filled("if <B>: " + self.draw.choice(EXITS)))
                lines.append(indent("\n".join(within), space + "    "))
            elif kind.endswith("!"):
                lines.append(line.replace("!", self._filled(self.draw.choice(EXITS))))
            else:
                lines.append(line)
        return "\n".join(lines)

    def _filled(self, row: str, depth: int = 2) -> str:
        draw = self.draw
        row = row.replace("<R>", f"<{self.result}>")
        for name in ("v", "u", "s", "f", "i", "q", "l", "t", "a", "d"):
            row = row.replace("{%s}" % name, name)
        while "{new}" in row:
            self._count += 1
            row = row.replace("{new}", f"n{self._count}")
        while "<s>" in row:
            row = row.replace("<s>", draw.choice(OF_ELEMENT), 1)
        for kind in EXPRESSIONS:
            while f"<{kind}>" in row:
                row = row.replace(f"<{kind}>", self._expression(kind, depth), 1)
        return self._filled(row, depth) if any(f"<{kind}>" in row for kind in (*EXPRESSIONS, "s")) else row

    def _expression(self, kind: str, depth: int) -> str:
        draw = self.draw
        if kind == "K":
            return draw.choice(EXPRESSIONS["K"])
        if depth <= 0 or draw.random() < 0.35:
            return draw.choice(KINDS[kind])
        own = [call for result, call, _ in self.functions.values() if result == kind]
        text = draw.choice(own) if own and draw.random() < 0.4 else draw.choice(EXPRESSIONS[kind])
        return f"({self._filled(text, depth - 1)})"

    def arguments(self, size: int, salt: int = 0) -> tuple[Any, ...]:
        return arguments(size, salt)


def arguments(size: int, salt: int) -> tuple[Any, ...]:
    g = np.random.default_rng([size, salt])
    x, y = g.normal(size=size).round(1) * 2, g.normal(size=size).round(1)
    i, b, s = g.integers(-2, 5, size), g.random(size) < 0.5, np.float64(0.7)
    if salt == 3:
        x[...], b[...] = np.abs(x), True
    elif salt == 4:
        x[::2], y[:1] = np.nan, np.inf
    elif salt == 5:
        x[...], y[...], i[...] = 0.0, -0.0, 0
    return x, y, i, b, s
