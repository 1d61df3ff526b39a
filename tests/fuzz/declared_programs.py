# ruff: noqa: E501 -- tables of expressions
"""Random programs that call operators of users: the generator behind ``fuzz/declared.py``.

Their operators take arrays, lists of arrays, numbers, texts and what is left out, write to arguments, raise, and give results of every
form, of sizes that the data know, too. They are called on views, scalars, empty and reversed arrays, in branches and loops on data, in
handlers, closures and comprehensions; results are written to. Statements are grown on an example.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from textwrap import indent
from typing import Any, NamedTuple

import numpy as np

import npexport
from npexport import custom_op, new_size, opaque
from tests.fuzz import grown


class Parts(NamedTuple):
    """Results of an operator, found by name where a file is loaded."""

    low: np.ndarray
    high: np.ndarray
    count: int


def _operator(fake: Callable[..., Any], **how: Any) -> Callable[[Callable[..., Any]], Any]:
    def declare(body: Callable[..., Any]) -> Any:
        op = custom_op(f"declared::{body.__name__}", **how)(body)
        op.register_fake(fake)
        return op

    return declare


@_operator(lambda x, y, by, mode: np.empty(x.shape if y is None else np.add(x, y).shape))
def mixed(x: np.ndarray, y: np.ndarray | None = None, by: float = 2.0, *, mode: str = "add") -> np.ndarray:
    whole = x if y is None else x + y
    return np.asarray(whole * by if mode == "mul" else whole + by, np.float64)


@_operator(lambda x, low, strict: np.empty(new_size(max=x.size), x.dtype))
def chosen(x: np.ndarray, low: float = 0.0, strict: bool = True) -> np.ndarray:
    return x[x > low] if strict else x[x >= low]


@_operator(lambda x: Parts(np.empty(x.shape[1:], x.dtype), np.empty(x.shape, x.dtype), new_size(max=x.size)))
def parts(x: np.ndarray) -> Parts:
    return Parts(x.min(0) if len(x) else np.zeros(x.shape[1:], x.dtype), np.sort(x, 0), int((x > 0).sum()))


@_operator(lambda xs, n: [np.empty((n, *x.shape), x.dtype) for x in xs])
def stacked(xs: list[np.ndarray], n: int = 2) -> list[np.ndarray]:
    return [np.stack([x] * n) if n else np.empty((0, *x.shape), x.dtype) for x in xs]


@_operator(lambda x, axes, dtype: {"sum": np.empty(()), "cast": np.empty(x.shape, dtype), "first": np.empty(x.shape[: len(axes)], bool)})
def told(x: np.ndarray, axes: tuple[int, ...] = (), dtype: np.dtype = np.dtype("f4")) -> dict[str, np.ndarray]:  # noqa: B008
    return {"sum": np.array(x.sum(), float), "cast": x.astype(dtype), "first": np.ones(x.shape[: len(axes)], bool)}


@_operator(lambda x: (new_size(), 0.0, True))
def summary(x: np.ndarray) -> tuple[int, float, bool]:
    return int(abs(np.nan_to_num(x, posinf=9, neginf=9)).max(initial=0)) % 1000, float(x.sum()), bool((x > 0).any())


@_operator(lambda x, by: None, mutates_args=("x",))
def raised_by(x: np.ndarray, by: float) -> None:
    np.add(x, by, out=x, casting="unsafe")


@_operator(lambda xs, into: np.empty(len(xs)), mutates_args=("xs", "into"))
def drained(xs: list[np.ndarray], into: np.ndarray | None = None) -> np.ndarray:
    found = np.array([x.sum() for x in xs], float)
    for x in xs:
        x[...] = 0
    if into is not None:
        into[...] = len(xs)
    return found


@_operator(lambda x: np.empty_like(x), raises=ValueError)
def checked(x: np.ndarray) -> np.ndarray:
    if (x < 0).sum() * 2 > x.size:
        raise ValueError("more than half are negative")
    return np.sqrt(abs(x)).astype(x.dtype)


@_operator(lambda x, start, size: np.empty((size, *x.shape[1:]), x.dtype))
def window(x: np.ndarray, start: int, size: int) -> np.ndarray:
    return np.take(x, np.arange(start, start + size) % max(len(x), 1), axis=0) if len(x) else np.zeros((size, *x.shape[1:]), x.dtype)


def library(x: Any, k: Any = 1, *, scale: Any = None) -> Any:
    """A function that knows nothing of operators."""
    found = x * k if scale is None else x * k * scale
    return [np.array(found), {"n": np.ndim(x), "shape": np.shape(x)}]


opaque(
    library,
    lambda x, k=1, *, scale=None: [np.empty_like(x * k if scale is None else x * k * scale), {"n": np.ndim(x), "shape": np.shape(x)}],
    name="declared::library",
)
FUNCTIONS = {
    op.__name__: op for op in (mixed, chosen, parts, stacked, told, summary, raised_by, drained, checked, window)
} | {"library": library, "over_rows": npexport.map, "cond": npexport.cond, "scan": npexport.scan, "Parts": Parts}  # fmt: skip

ARRAYS = ("x", "y", "x.T", "x[::-1]", "x[:, ::2]", "x[1:]", "x[:1]", "x[:0]", "y[None]", "y[:, None]", "x[0] if n else y", "x.sum()", "y[-1] if n else s", "np.ones((n, m))", "np.arange(m) * 0.5", "x > 0", "i", "i[::-1]", "x.astype('f4')", "np.asfortranarray(x)", "x[x > 0]", "x.ravel()", "np.broadcast_to(y, (2, n))", "x.copy()", "s", "np.array(2.5)", "self.a", "x * 2 - 1", "i.astype('u1')", "np.concatenate([y, y])", "abs(x)", "np.float64(2)")  # fmt: skip
EXPRESSIONS = (
    "mixed({a})", "mixed({a}, {b})", "mixed({a}, by={f})", "mixed({a}, {b}, {f}, mode='mul')", "mixed(x={a}, y={b})", "mixed({a}, None, {f})", "mixed({a}) + {b}", "mixed({a})[..., :1]", "mixed({a}).dtype", "mixed(mixed({a}), {b})", "mixed({a}, mode=('mul', 'add')[n % 2])", "mixed({a}, by=float({b}.sum()))", "mixed({a}, by=n)", "mixed({a}, by=len({b}))",
    "chosen({a})", "chosen({a}, {f})", "chosen({a}, strict=n > 2)", "len(chosen({a}))", "chosen({a}).sum()", "chosen({a}).size + n", "chosen({a}) * 2", "chosen({a})[:2]", "chosen({a})[::-1]", "np.concatenate([chosen({a}), chosen({b})])", "np.zeros(len(chosen({a})))", "np.arange(chosen({a}).size)", "chosen(chosen({a}), 1.0)", "mixed(chosen({a}))", "chosen({a}).mean() if chosen({a}).size else 0.0", "[chosen(row) for row in x[:2]]", "chosen({a}).max(initial=0)", "chosen({a}, low=float({b}.sum()))",
    "parts({a})", "parts({a}).low", "parts({a}).high[1:]", "parts({a}).count", "parts({a}).count + n", "parts({a})._asdict()", "parts({a})[1] - {b}", "isinstance(parts({a}), Parts)", "np.zeros(parts({a}).count)", "parts({a}).count > 2", "parts({a}) + (1,)", "[*parts({a})][0]",
    "stacked([{a}, {b}])", "stacked([{a}])[0]", "stacked([{a}], n)[0]", "stacked(({a}, {b}), 1)[1]", "stacked([])", "stacked([{a}, {a}])[0] is stacked([{a}])[0]", "stacked(list(x))", "stacked([row for row in x], 1)", "len(stacked([{a}, {b}], {k}))", "stacked([{a}], {k})", "stacked(n={k}, xs=[{a}])[0].shape",
    "told({a})", "told({a})['cast']", "told({a}, (1,))", "told({a}, dtype=np.dtype('i2'))['cast'] + 1", "sorted(told({a}))", "told({a}, [0], 'f2')", "{{**told({a}), 'n': n}}", "told({a})['sum'] * {b}", "told({a}).get('none', n)",
    "summary({a})", "summary({a})[0] + n", "summary({a})[1] * {b}", "1 if summary({a})[2] else 2", "not summary({a})[2]", "range(summary({a})[0] % 4)", "np.ones(summary({a})[0] % 5)", "summary({a})[0] > summary({b})[0]", "'%d' % summary({a})[0]", "summary({a})[1] > {f}", "{a} * summary({b})[0]", "{a}[summary({b})[0] % 3:]", "round(summary({a})[1], 1)", "int(summary({a})[2]) + n",
    "raised_by({v}, {f})", "drained([{v}])", "drained([{v}, {w}])", "drained([], {v})", "drained([{v}], {w})", "drained([{v}[1:], {v}[:1]])", "drained(list({v}))", "raised_by({v}[::2], {f})", "raised_by({v}.T, n)", "raised_by({v}[0], 1.0)", "raised_by({v}[..., -1:], {f})", "raised_by({v}.reshape(-1), {f})", "raised_by({a}, {f})", "[raised_by(row, j) for j, row in enumerate({v})]",
    "checked({a})", "checked({a}).sum()", "checked(abs({a}))", "checked(checked({a}))", "window({a}, 1, 2)", "window({a}, {k}, n)", "window({a}, 0, {k}).sum(0)", "window({a}, n - 1, m)", "window({a}, len(chosen({b})), 2)", "window({a}, 0, size=len({b}))", "window({a}, summary({b})[0], {k})",
    "library({a})", "library({a}, {k})[0]", "library({a}, scale={f})[1]['shape']", "library({a}, k={b})[0]", "library({a}, scale={b})[0] + 1", "library(k=n, x={a})", "library({f}, {k})", "library({a}, {f})[1]['n']",
    "(lambda f, *q: f(*q))(mixed, {a}, {b})", "list(map(summary, [{a}, {b}]))", "sorted([summary({a})[0], n, 1])", "over_rows(lambda r: mixed(r, by={f}), x)", "cond({a}.sum() > 0, lambda v: mixed(v), lambda v: v * 1.0, (x,))", "scan(lambda c, r: (c + mixed(r).sum(), mixed(r, c)), 0.0, x)", "sum(summary(row)[1] for row in x)", "{{j: parts(row).count for j, row in enumerate(x[:3])}}", "np.where({a} > 0, mixed({a}), 0)", "max(summary({a})[1], summary({b})[1])", "[f({a}) for f in (mixed, chosen)]",
)  # fmt: skip
WRITES = (
    "{v}[...] = mixed({v})", "{v} += mixed({b}).sum()", "{v}[:1] = parts({v}).low", "self.a[:2] += mixed(self.a)[:2]", "self.a = mixed(self.a)", "raised_by(self.a, {f})", "drained([self.a, {v}])", "self.n = summary({a})[0]", "self.kept = chosen({a})", "self.kept = parts({a})", "w0 = mixed({v}); w0 += 1; out.append(w0)", "w0 = told({v}); w0['cast'][...] = 3; out.append(w0)", "w0 = stacked([{v}]); w0.append({f}); w0[0] *= 2; out.append(w0)", "w0 = {v}[1:]; raised_by({v}, 1.0); out.append(w0.copy())", "w0 = {v}.view(); drained([w0]); out.append(w0)", "w0 = library({v})[0]; w0 -= 1; out.append([w0, {v}.copy()])",
    "if {a}.sum() > {f}: raised_by({v}, {f})\nelse: {v}[:1] = 7", "if summary({a})[2]: {v}[...] = 1\nelse: drained([{v}])", "for row in {v}:\n    if row.sum() > 0: raised_by(row, {f})", "for q in range(summary({a})[0] % 3): raised_by({v}, q)", "while summary({v})[1] > 4: raised_by({v}, -1.5)", "for row in x: out.append(mixed(row).sum())", "for row in x:\n    if summary(row)[0] > 1: break\n    self.n = self.n + 1",
    "try: {v}[...] = checked({v})\nexcept ValueError as e: out.append(str(e))", "try:\n    raised_by({v}, 1.0); out.append(checked({a}))\nexcept ValueError: self.n = -1\nfinally: out.append(n)", "for row in x:\n    try: out.append(checked(row).sum())\n    except ValueError: out.append(-1.0)", "try: out.append(checked({a}) / summary({a})[0])\nexcept (ValueError, ZeroDivisionError): raised_by({v}, {f})", "if checked(abs({a})).sum() > 2: self.n = self.n + parts({a}).count", "d['k'] = mixed({a})", "d[summary({a})[0] % 2] = n", "for j, q in enumerate(stacked([{a}, {b}])): d[j] = q.sum()",
    "def f(q, g=mixed):\n    nonlocal n\n    n = n + 0 if g is None else n\n    return g(q)\nout.append(f({a}))", "with np.errstate(all='ignore'): out.append(mixed({a}) / mixed({b}).sum())", "if parts({a}).count > n: out.append(chosen({a}).sum())\nelse: out.append(0.0)",
)  # fmt: skip
_CLASS = """
class Program:
    def __init__(self): self.a, self.n, self.kept = np.arange(4.0), 0, None
    def __call__(self, x, y, i, s):
        n, m = x.shape
        d, out = {'k': 1}, []
"""


class Writer(grown.Writer):
    """Grows a class whose call takes a matrix, a vector of floats and one of integers, and a number."""

    sizes = ((4, 3), (0, 3), (1, 1), (2, 3), (3, 0), (5, 2), (7, 4), (13, 1), (30, 11), (0, 0), (1, 6))

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        names: dict[str, Any] = {"np": np, **FUNCTIONS}
        exec(_CLASS + "        pass", names)
        given = dict(zip("xyis", self.arguments(*self.sizes[0]), strict=True))
        super().__init__({**names, "self": names["Program"](), "n": 4, "m": 3, "d": {"k": 1}, "out": [], **given}, [])
        self.grow_all(self.draw.randrange(2, 8))
        body = "".join(indent(line.replace("\n        except", "\nexcept"), " " * 8) + "\n" for line in self.lines)
        self.source = f"{_CLASS}{body}        return {''.join(f'{name}, ' for name in self.names[-6:])}d, out, n, self.a, self.n\n"

    def arguments(self, rows: int, columns: int, salt: int = 0) -> tuple[Any, ...]:
        """Arrays of these sizes; by ``salt`` with extreme values."""
        rng = np.random.default_rng([rows, columns, salt])
        x, y, i = rng.normal(size=(rows, columns)).round(2), rng.normal(size=rows).round(2), rng.integers(-2, 5, rows)
        if salt == 1:
            x[::2], y[:1] = np.nan, np.inf
        elif salt == 2:
            x[...], y[...] = -0.0, 1e38
        return x, y, i, np.float64(rng.normal()).round(1)

    def dims(self) -> Any:
        return (2, 1, 1, None)

    def grow(self) -> None:
        draw = self.draw
        written = draw.random() < 0.4
        row = draw.choice(WRITES if written else EXPRESSIONS)
        own = [name for name in self.names if isinstance(self.values[name], np.ndarray)]
        for hole, choices in (("v", [*own, "x", "y", "self.a"][-4:]), ("w", [*own, "x", "y"][-4:]), ("k", ("0", "1", "3", "n", "n % 3"))):
            row = row.replace("{%s}" % hole, draw.choice(choices))
        for hole in "ab":
            row = row.replace("{%s}" % hole, f"({draw.choice(own[-4:] if own and draw.random() < 0.4 else ARRAYS)})")
        row = row.replace("{f}", draw.choice(("0.5", "-1.0", "2", "n", "float(m)", "1e300", "s"))).replace("{{", "{").replace("}}", "}")
        self.add(row, None if written else self.fresh_name())
