# ruff: noqa: E501 -- tables of expressions
"""Random programs over long arrays: the generator behind ``fuzz/lengths.py``.

Chains of operators, sums and products along every axis, running sums, products of matrices, sorts and masks over arrays whose lengths are
just below, at and above those from which NumPy, BLAS and the compiled program go other ways: 8 and 128 terms of a sum, the buffer of
8192 elements, temporaries of 256 KB, blocks that fit into the cache.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

LENGTHS = (7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 128, 129, 255, 257, 1023, 1025, 4095, 4097, 8191, 8192, 8193, 16383, 16385, 32767, 32768, 32769, 65537, 70000)  # fmt: skip
NARROW = (1, 2, 3, 4, 5, 8, 16, 31)
DTYPES = ("f8", "f8", "f8", "f4", "f4", "c16", "c8", "f2", "i8", "i4", "u1", "?", "g", "i2", ">f8")
ARRAYS = (
    "u", "v", "u", "v", "{a} + {a}", "{a} * {a}", "{a} - {c}", "{a} * {c} + {a}", "{a} * {a} + {a} * {a}", "({a} - {a}) * ({a} + {c})", "{a} / ({a} * {a} + 1)", "np.sqrt(np.abs({a}))", "np.exp(-np.abs({a}))", "np.where({a} > {c}, {a}, {a})", "np.maximum({a}, {a})", "{a}[::-1]", "np.abs({a})", "-{a}", "{a} ** 2", "{a} ** 3", "{a} ** 0.5", "np.tanh({a})", "np.sin({a}) + np.cos({a})", "np.cumsum({a})", "np.sort({a})", "np.roll({a}, 3)", "{a}.copy()", "np.square({a}) - {a}", "{a} - {a}.mean()", "({a} - {a}.mean()) / ({a}.std() + 1)", "{a} * {a}.sum()", "{a} - {a}.max()", "np.clip({a}, {c}, {a})", "np.log1p(np.abs({a}))", "np.hypot({a}, {a})", "{a} @ {a} * {a}", "w[0] + {a}", "w.sum(0)", "w.mean(axis=0)", "w.max(0) - w.min(0)", "{a} + w.sum(axis=0)", "w.T @ p", "p @ w", "np.dot(p, w)", "np.einsum('ij,i->j', w, p)", "(w * {a}).sum(0)", "np.add.reduce(w)", "w.prod(axis=0)", "np.cumsum(w, axis=0)[-1]", "w.var(0)", "np.linalg.norm(w, axis=0)", "np.median(w, axis=0)", "w.std(axis=0)", "np.multiply.reduce(w[:3])", "np.average(w, axis=0, weights=p)", "np.minimum({a}, {c})", "{a}.astype('f4')", "{a}.astype('f8')", "np.floor({a} * 3)", "np.fmod({a}, 0.7)", "np.nan_to_num({a})", "np.logaddexp({a}, {a})", "np.arctan2({a}, {a})", "np.diff({a}, prepend={c})", "{a}.conj()", "np.real({a})", "np.gradient({a})", "np.convolve({a}, p, 'same')[:len(u)]", "np.interp({a}.real, [-1.0, 0, 1], [1.0, 2, 3])", "np.add({a}, {a}, dtype='f8')", "(x := {a}) * x", "np.flip({a})", "{a} * ({a} > 0)", "np.exp({a}) / np.exp({a}).sum()", "np.float32(0.1) * {a}", "{a} % 3", "{a} // 2", "np.partition({a}, 5)", "np.trunc({a} * 2) / 2", "q[:, 0] + {a}", "q[:, -1] * q[:, 0]", "q.sum(1)", "q.mean(axis=1)", "q.max(axis=1)", "q @ p", "(q * q).sum(axis=-1)", "q.prod(1)", "np.linalg.norm(q, axis=1)", "q.var(axis=1)", "np.cumsum(q, axis=1)[:, -1]", "np.einsum('ij,j->i', q, p)", "(q - q.mean(0)).sum(1)", "q.any(1) * {a}", "np.sort(q, axis=1)[:, 0]",
)  # fmt: skip
NUMBERS = (
    "{a}.sum()", "{a}.mean()", "{a}.prod()", "{a}.max()", "{a}.min()", "{a}.std()", "{a}.var(ddof=1)", "{a} @ {a}", "np.dot({a}, {a})", "np.vdot({a}, {a})", "np.inner({a}, {a})", "{a}.argmax()", "np.linalg.norm({a})", "np.add.reduce({a}[::2])", "{a}[::-1].sum()", "{a}[1:].sum()", "{a}[3:-2].mean()", "np.sum({a} * {a})", "np.sum(({a} - {a}) ** 2)", "np.mean(np.abs({a} - {a}))", "({a} * {a} + {c}).sum()", "np.einsum('i,i->', {a}, {a})", "np.sum({a}, where={a} > 0)", "np.sum({a}, dtype='f8')", "np.sum({a}, dtype='f4')", "np.median({a})", "np.count_nonzero({a} > {c})", "({a} > {c}).mean()", "np.trapezoid({a})", "{a}.cumsum()[-1]", "np.logical_and.reduce({a} > -9)", "np.ptp({a})", "np.quantile({a}.real, 0.3)", "np.add.reduceat({a}, [0, 5])", "np.square({a}).sum()", "np.sqrt(np.mean(np.square({a})))", "w.sum()", "w.mean()", "w.T.sum()", "w.sum(axis=1)", "w.mean(1)", "w.prod(axis=1)", "w.std(axis=1)", "w.max(1)", "(w * {a}).sum(axis=1)", "w @ {a}", "w @ w.T", "np.einsum('ij,ij->i', w, w)", "np.einsum('ij,kj->ik', w, w)", "w[:, ::2].sum(1)", "w[::-1].sum(axis=(0, 1))", "w.sum(1, keepdims=True)", "np.linalg.norm(w)", "np.linalg.norm(w, axis=1)", "w.argmax(1)", "np.tensordot(w, w, ([1], [1]))", "np.cov(w)", "np.cumsum(w, axis=1)[:, -1]", "np.nansum(w, axis=1)", "q.sum()", "q.sum(0)", "q.mean(axis=0)", "q.var(0)", "q.prod(axis=0)", "q.T @ {a}", "q.T @ q", "{a} @ q", "q.sum(axis=(0, 1))", "(q * {a}[:, None]).sum(0)", "q.max(0)", "np.add.reduce(q, axis=0)[::-1]", "q[::2].sum(axis=0)", "np.einsum('ij,ik->jk', q, q)", "np.corrcoef(q.T)", "q.std(axis=0)", "np.linalg.norm(q, axis=0)", "np.sum(q, axis=0, dtype='f8')", "q.T.sum(axis=1)", "np.ascontiguousarray(q.T).sum(1)", "(q @ q.T[:, :5]).sum(0)", "w.reshape(-1).sum()", "w.T.reshape(-1).sum()", "w.ravel('K').mean()", "q.reshape(-1, 2).sum(0) if q.size % 2 == 0 else 0", "{a}[: len(u) // 8 * 8].reshape(-1, 8).sum(0)", "{a}[: len(u) // 8 * 8].reshape(8, -1).sum(1)",
)  # fmt: skip
STATEMENTS = ("{o} += {a}", "{o} *= {a}", "{o}[1:] += {o}[:-1]", "{o}[...] = {a}[::-1]", "{o} -= {o}.mean()", "{o}[{a} > {c}] = {c}", "np.add({o}, {a}, out={o})", "np.multiply({o}, {c}, out={o}, where={a} > 0)", "{o}[::2] *= 2", "{o}[:] = {o} * {o} + {a}", "np.sqrt(np.abs({o}), out={o})", "{o} /= 3", "{o}.sort()", "np.cumsum({o}, out={o})", "{o}[5:] = {o}[:-5]", "for j in range(3): {o} = {o} * 0.5 + {a}", "for j in range(len(p)): {o} = {o} + w[j] * p[j]", "{o} = {o} * 1 if {a}.sum() > 0 else {o} - {a}", "w[0] = {a}", "w += {a}", "q[:, 0] -= {a}", "w *= p[:, None]", "q /= 2", "w -= w.mean(1, keepdims=True)", "q -= q.mean(0)", "np.add.at({o}, [0, 1, 1], 1)")  # fmt: skip


class Writer:
    """``source`` defines ``program(u, v, w, q, p)`` of two long vectors, a wide matrix, a tall one and a short vector."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.dtypes = [draw.choice(DTYPES[: draw.choice((3, 8, len(DTYPES)))]) for _ in "uvwqp"]
        self.orders = [draw.choice("CCCF") for _ in "wq"]
        self.short = draw.choice(NARROW)
        self.own, lines, self.results = list[str](), list[str](), list[str]()
        names: dict[str, Any] = dict(zip("uvwqp", self.arguments(33, 0), strict=True), np=np)
        with np.errstate(all="ignore"):
            for number in range(draw.randrange(2, 6)):
                for _ in range(20):
                    name, roll = f"r{number}", draw.random()
                    text = (
                        f"{name} = {self._array(2)}"
                        if roll < 0.4
                        else f"{name} = {self._filled(draw.choice(NUMBERS), 1)}"
                        if roll < 0.8
                        else self._filled(draw.choice(STATEMENTS), 1)
                    )
                    try:
                        exec(text, names)
                        if np.shape(names["u"]) != (33,):
                            raise ValueError
                    except Exception:
                        continue
                    lines.append(text)
                    if name in names:
                        self.results.append(name)
                        if roll < 0.4 and np.shape(names[name]) == (33,):
                            self.own.append(name)
                    break
        body = "".join(f"    {line}\n" for line in lines)
        self.source = f"def program(u, v, w, q, p):\n{body}    return {''.join(f'{each}, ' for each in self.results)}\n"

    def _array(self, depth: int) -> str:
        if depth <= 0 or self.draw.random() < 0.2:
            return self.draw.choice(["u", "v", *self.own[-2:]])
        return f"({self._filled(self.draw.choice(ARRAYS), depth - 1)})"

    def _filled(self, row: str, depth: int) -> str:
        row = row.replace("{o}", self.draw.choice(["u", "v", *self.own]))
        while "{a}" in row:
            row = row.replace("{a}", self._array(depth), 1)
        while "{c}" in row:
            row = row.replace("{c}", self.draw.choice(("0.5", "2", "1", "0.1", "-1", "np.float32(1.5)")), 1)
        return row

    def arguments(self, length: int, salt: int) -> tuple[Any, ...]:
        g = np.random.default_rng([length, salt])
        shapes = ((length,), (length,), (self.short, length), (length, self.short), (self.short,))
        with np.errstate(all="ignore"):
            made = [self._numbers(g, dtype, shape, salt) for dtype, shape in zip(self.dtypes, shapes, strict=True)]
        made[2:4] = [np.asarray(each, order=order) for each, order in zip(made[2:4], self.orders, strict=True)]
        return tuple(made)

    def _numbers(self, g: Any, dtype: str, shape: tuple[int, ...], salt: int) -> Any:
        kind = np.dtype(dtype).kind
        if kind in "iu":
            return g.integers(0, 9, shape).astype(dtype)
        found = g.normal(size=shape) * (1, 1e3, 1e-4)[salt % 3]
        return (found > 0) if kind == "b" else (found + 1j * g.normal(size=shape)).astype(dtype) if kind == "c" else found.astype(dtype)
