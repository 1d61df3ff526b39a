# ruff: noqa: E501 -- tables of expressions
"""Random programs that reckon with sizes: the generator behind ``fuzz/indices.py``.

Quotients that round down and up, remainders, least and greatest of sizes, ranges with steps, halves and powers of two; they are bounds
and steps of slices, widths of pads, shapes, shifts, places, lengths of windows and transforms, bounds of loops, and conditions.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import random
from typing import Any

import numpy as np

LIBRARY = {"np": np, "math": math, "itertools": itertools, "functools": functools, "operator": operator}

ATOMS = ("n", "n", "n", "m", "m", "1", "2", "3", "0", "-1", "k", "len({v})", "{v}.size", "{a}.shape[0]", "{a}.shape[-1]", "{a}.size")
INTEGERS = (
    "{i} // {p}", "-(-{i} // {p})", "({i} + {i} - {p}) // {p} + 1", "min({i}, {i})", "max(0, {i})", "max({i}, {i}, 1)", "{i} % {p}", "{i} + {i}", "{i} - {i}", "{i} * {p}", "abs({i})", "-({i})", "({i}) >> 1", "({i}) & 3", "({i}) | 1", "{i} ^ 1", "~({i})", "int({i} / 2)", "int({i} * 0.7)", "round({i} / 3)", "round({i} / 2)",
    "math.ceil({i} / {p})", "math.floor({i} / {p})", "math.isqrt(abs({i}))", "divmod({i}, {p})[0]", "divmod({i}, {p})[1]", "({i}).bit_length()", "1 << ({i}).bit_length()", "len(range({i}, {i}, {p}))", "len(range({i}, 0, -{p}))", "int(np.ceil({i} / {p}))", "{a}.nbytes // 8", "math.prod({a}.shape)", "int(np.prod({a}.shape))", "math.gcd({i}, {p})", "({i} + {p} - 1) // {p} * {p}", "{i} - {i} % {p}", "({i} > {i}) + {i}", "({i} if {c} else {i})", "sum(divmod({i}, {p}))",
    "math.comb(abs({i}) % 6, 2)", "{p} ** ({i} % 3)", "-{i} % {p}", "-{i} // {p}", "({i}) % -{p}", "({i}) // -{p}", "sum(range({i} % 7))", "max(range(({i}) % 5 + 1))", "operator.index({i})", "len({v}[{i}:{i}])", "len({v}[{i}::{p}])", "len({v}[::-{p}])", "slice({i}, {i}, {p}).indices(n)[1]", "len(slice({i}, None, -{p}).indices(n))", "range({i}, {i}, {p})[-1:].stop", "int(({i}) ** 0.5)", "np.clip({i}, 0, n).item()", "sorted([{i}, {i}, {i}])[1]", "(n - {i}) // 2", "int(math.log2(abs({i}) + 1))", "{i} // 2 * 2", "int(bool({i}))", "(lambda q, r=1: q * r + 1)({i}, {i})", "functools.reduce(operator.add, {a}.shape, 0)", "np.broadcast_shapes({v}.shape, (1,))[0]",
)  # fmt: skip
CONDITIONS = ("{i} > {i}", "{i} == {i}", "n % 2", "n & (n - 1) == 0", "{i} <= 0", "n > 1", "not {i}", "n % {p} == 0", "{i} in range({i}, {i}, {p})", "{i} < {i} < {i}", "bool({v}.size)", "n == m", "n - 1 in (2, 3, 5)", "{i} != {i} or n")  # fmt: skip
VECTORS = (
    "{v}[{i}:]", "{v}[:{i}]", "{v}[{i}:{i}]", "{v}[{i}:{i}:{p}]", "{v}[{i}:{i}:-{p}]", "{v}[::-{p}]", "{v}[{i}::-1]", "{v}[:{i}:-1]", "{v}[-({i}):]", "{v}[{i}::{p}]", "{v}[slice({i}, {i})]", "{v}[slice({i}, None, {p})]", "{v}[..., {i}:]", "np.roll({v}, {i})", "np.roll({v}, -({i}))", "np.pad({v}, (max(0, {i}), max(0, {i})))", "np.pad({v}, abs({i}) % 5)", "np.pad({v}, (0, -n % {p}))", "np.pad({v}, ({i} % 4, {i} % 3), mode='edge')", "np.pad({v}, {i} % 4, mode='reflect')", "np.pad({v}, (1, {i} % 4), mode='wrap')", "np.pad({v}, ({i} % 3, 1), mode='symmetric')", "np.pad({v}, ({i} % 3, 0), constant_values={i})",
    "np.pad({v}, {i} % 4, mode='linear_ramp', end_values=1)", "np.pad({v}, {i} % 3, mode='mean')", "np.pad({v}, {i} % 3, mode='maximum', stat_length={p})", "np.tile({v}, {i} % 4)", "np.repeat({v}, {i} % 4)", "np.zeros(max(0, {i}))", "np.ones({i} % 9)", "np.arange({i})", "np.arange({i}, {i})", "np.arange({i}, {i}, {p}) * 1.0", "np.arange({i}, {i}, -{p}) + 0.0", "np.linspace(0, 1, {i} % 9)", "np.linspace({i}, {i}, max({i}, 0) % 30)", "np.full(abs({i}) % 9, {i})", "np.concatenate([{v}[{i}:], {v}[:{i}]])", "np.concatenate([{v}, np.zeros(-n % {p})])", "np.append({v}, {i})", "np.resize({v}, {i} % 12)",
    "np.insert({v}, {i} % (n + 1), 7.0)", "np.delete({v}, {i} % max(n, 1))", "np.delete({v}, slice({i}, {i}))", "np.delete({v}, [{i} % 3])", "np.take({v}, [{i}, {i}], mode='wrap')", "np.take({v}, {i} % 3, mode='clip')[None]", "{v}[[{i} % 3, {i} % 2]]", "{v}[np.arange({i} % 5) % max(n, 1)]", "{v}[np.arange({i}, {i}) % len({v})]", "np.convolve({v}, np.ones({i} % 4 + 1), 'same')", "np.convolve({v}, np.ones({i} % 4 + 1), 'valid')", "np.correlate({v}, {v}[:{i}], 'full')", "np.split({v}[:n // 2 * 2], 2)[1]", "np.array_split({v}, {p})[{i} % {p}]", "np.split({v}, [{i}, {i}])[1]", "np.array_split({v}, [{i} % 4])[0]", "np.array_split({v}, {i} % 4 + 1)[-1]",
    "{v}.reshape(-1, {p})[:, 0]", "{v}[:n // {p} * {p}].reshape(-1, {p}).sum(1)", "{v}[:n // {p} * {p}].reshape({p}, -1).mean(0)", "{a}.reshape(-1)[{i}:]", "{a}.ravel()[::{p}]", "{a}[{i}:, 0]", "{a}[:, {i}:].sum(0)", "{a}[{i}:{i}].sum(axis=0)", "{a}.T[{i}:].sum(1)", "{a}[..., ::-{p}].max(axis=1, initial=0)", "np.diag({a}, {i} % 3)", "np.diagonal({a}, -({i} % 3)).copy()", "{a}.flatten()[-({i}):]", "np.add.reduceat({v}, range(0, n, {p}))", "np.add.reduceat({v}, [0, {i} % max(n, 1)])", "np.cumsum({v})[{p} - 1:] - np.cumsum({v})[:{i}]", "np.diff({v}, {i} % 3)", "np.diff({v}, prepend={i})",
    "np.fft.rfft({v}, {i} % 9 + 1).real", "np.fft.fftshift({v})", "np.fft.fftfreq({i} % 9 + 1)", "np.fft.rfftfreq(n + 1)", "np.hanning({i} % 9)", "np.bartlett(max({i}, 0) % 30)", "np.gradient({v}, {p})", "np.interp(np.linspace(0, 1, {i} % 8), np.linspace(0, 1, n), {v})", "sliding_window_view({v}, {p})[:, 0]", "sliding_window_view({v}, {i} % 4 + 1).mean(-1)", "sliding_window_view({v}, {p})[::{p}].ravel()", "as_strided({v}, (max(0, (n - {p}) // {p} + 1), {p}), ({p} * 8, 8)).sum(1)", "np.eye({i} % 6, {i} % 5, {i} % 3).sum(0)", "np.tri({i} % 6, k={i} % 3).ravel()", "np.triu({a}, {i} % 3)[0]", "np.tril({a}, -({i})).sum(0)",
    "np.partition({v}, {i} % max(n, 1))", "np.sort({v})[{i}:][::-1]", "np.argsort({v}, kind='stable')[:{i}]", "{v}[np.argpartition({v}, {i} % max(n, 1))[0]][None]", "np.flip({v})[{i}:]", "np.vander({v}[:3], {i} % 4).ravel()", "np.trim_zeros(np.zeros({i} % 4))", "np.bincount(np.arange({i} % 5), minlength={i} % 9) * 1.0", "np.histogram({v}, {i} % 4 + 1)[0]", "np.indices(({i} % 4, {i} % 3)).ravel()", "np.outer({v}[:{i}], {v}[{i}:]).ravel()", "np.kron({v}[:2], np.ones({i} % 3))", "{v} * {i}", "{v} + {i} % 3", "{v} / {p}", "np.where(np.arange(len({v})) < {i}, {v}, 0)", "np.concatenate([{v}[q:q + {p}] for q in range(0, n, {p})] or [{v}])", "np.array([{v}[q] for q in range({i} % 4, n, {p})])", "np.stack([{v}, {v}[::-1]], 1)[{i}:].ravel()", "np.array([{i}, {i}]) * 0.5", "np.asarray([q * {p} for q in range({i} % 6)], float)", "np.fromiter((q for q in range({i} % 7)), float)", "np.empty(({i} % 3, 0)).ravel()", "np.select([{v} > 0], [{v} * {i}], {i})", "np.ediff1d({v}, to_end={i})", "np.nan_to_num({v})[-{p}:]", "halves({v})", "blocks({v}, {p})", "butterfly({v})", "padded({v}, {p})", "chunks({v}, {i})", "np.lib.stride_tricks.broadcast_to({v}[:1], ({i} % 4,))", "np.broadcast_to({v}[-1:], max({i}, 0) % 20) + 0", "{v}[{i} % 3 : {i} % 3 + {p}]", "{v}.copy()", "np.rot90({a}, {i})[0]", "np.moveaxis({a}, {i} % 2, 0)[0]", "np.expand_dims({v}, {i} % 2).ravel()", "np.squeeze({a}[:1, {i}:])", "{a}.sum(axis={i} % 2)", "np.roll({a}, ({i}, {i}), (0, 1))[0]", "{a}[{i} % max(n, 1)]", "{a}[:, {i} % max(m, 1)]", "{a}[-1, {i}:]", "np.tensordot({a}[:, :{i}], {a}[:, {i}:], ([0], [0])).ravel()", "{a}[{i}:].T @ {v}[{i}:n]", "np.einsum('ij,i->j', {a}[:{i}], {v}[:{i}])", "np.hsplit({a}, [{i} % 3])[0].sum(0)", "np.block([[{a}, {a}]])[:, {i}:].sum(0)", "np.unravel_index(np.arange({i} % 5), (n + 3, m + 1))[0] * 1.0", "np.ravel_multi_index(([0, 1], [0, {i} % 2]), (2, m + 2)) * 1.0",
)  # fmt: skip
STATEMENTS = (
    "{o}[{i}:] = {i}", "{o}[:{i}] += 1", "{o}[{i}:{i}] *= 2", "{o}[{i}::{p}] = 0", "{o}[::-{p}] += 1", "{o}[{i}:] = {o}[{i}:][::-1]", "{o}[1:] -= {o}[:-1]", "{o}[:-{p}] = {o}[{p}:]", "{o}[{p}:] = {o}[:-{p}]", "{o}[{i} % len({o})] = 5", "{o}[-({i} % 3) - 1] -= 1", "{o}[{i}:{i}][::2] = 3", "for j in range({i}): {o}[j % max(len({o}), 1):] += j", "for j in range({i}, {i}, {p}): {o}[j:j + {p}] += j", "for j in range(n - 1, -1, -{p}): {o}[j:] *= 0.5", "for j in range(0, len({o}) - {p} + 1, {p}): {o}[j] = {o}[j:j + {p}].sum()",
    "for j in range(len({o}) // 2): {o}[j], {o}[-1 - j] = {o}[-1 - j] + 1, {o}[j]", "for j in range(1, n): {o}[j % len({o})] += {v}[j - 1]", "j = {i}\nwhile j > 0:\n    {o}[j:] += 1\n    j //= 2", "j = 1\nwhile j < n:\n    {o}[j:] = {o}[j:] + {o}[:-j]\n    j *= 2", "j = {i} % 9\nwhile j > 1:\n    j = j // 2 if j % 2 == 0 else j * 3 + 1\n    {o}[:1] += j", "if {c}: {o} = {o}[{i}:]", "if {c}: {o}[:1] = {i}\nelse: {o} = {o} * 2", "{m} = {v}.sum() if {c} else {v}.max(initial=0)", "{m} = {v} if {c} else np.pad({v}, (0, {p}))", "{m} = [{v}[q:q + {p}].sum() for q in range({i} % 4, n, {p})]", "{m} = [len(q) for q in np.array_split({v}, {p})]", "{m} = [{v}[q::{p}].sum() for q in range({p})]", "{m} = {{q: {v}[q:].sum() for q in range({i} % 5)}}", "{m} = [q for q in range({i}, {i}, {p})]", "{m} = [*range(n)][{i}:{i}]", "{m} = list(range(n))[{i}::-{p}]", "{m} = {i}, {i}", "{m} = ({i}) / ({p})", "{m} = {c}", "{m} = f'{{{i}}}|{{{i}:>4}}'", "{m} = np.zeros((abs({i}) % 5, abs({i}) % 4)).shape", "{m} = {v}[{i}:].shape, {v}[::{p}].strides", "{m} = np.float64({i}) / {p}", "{m} = np.int64({i}) // {p}, np.int32({i}) % {p}", "{m} = np.array({i}), np.array([{i}]).dtype", "{m} = {v}[{i}]", "{m} = {a}[{i}, {i}]", "{m} = next((q for q in range({i}, n) if q % {p} == 1), -1)", "{m} = sum({v}[q] * q for q in range(0, n, {p}))", "{m} = max((q * {i} % 7 for q in range(n)), default={i})", "{m} = [tuple(q) for q in itertools.combinations(range({i} % 4), 2)]", "{m} = [a + b for a, b in zip(range(n), range({i}, {i} + n))]", "{m} = [(q, r.sum()) for q, r in enumerate({a}[{i}:])][:3]", "{m} = any({v}[q] > 0 for q in range({i} % 3, n))", "{m} = [x.sum() for x in {a}[:, ::{p}]]", "{m} = [*map(len, np.array_split({v}, {i} % 3 + 1))]", "{m} = np.unravel_index({i} % max(n * m, 1), (n, m))", "{m} = [*np.ndindex({i} % 3, {i} % 2)]", "{m} = isinstance({i}, int), type({i}).__name__", "h = {i}\nh += {i}\nh //= {p}\n{m} = h, {v}[h:]", "h = [{i}, {i}]\nh.sort()\n{m} = {v}[h[0]:h[1]]", "h = slice({i}, {i}, {p})\n{m} = {v}[h], h.start", "try: {m} = {v}[{i}]\nexcept IndexError as e: {m} = str(e)", "try: {m} = {v}.reshape({p}, -1)\nexcept ValueError as e: {m} = str(e)", "try: {m} = {v} + {v}[{i}:]\nexcept ValueError as e: {m} = str(e)", "try: {o}[{i}:] = {v}[:{i}]\nexcept ValueError as e: {m} = 'fits not'", "try: {m} = n // ({i} % 3)\nexcept ZeroDivisionError as e: {m} = str(e)", "assert {i} >= -99, 'small'", "match ({i} % 3, n):\n    case (0, _): {m} = {v}[:1]\n    case (1, q) if q > 2: {m} = {v}[q // 2:]\n    case (_, q): {m} = q", "match {a}.shape:\n    case (p, 1): {m} = p\n    case (1, q): {m} = q * 2\n    case (p, q): {m} = p - q", "first, *rest = {v}[:{p}]\n{m} = first, len(rest)", "{m}, _ = divmod({i}, {p})", "{a}[{i}:, :{i}] += 1", "{a}[::-1][:{i}] *= 2", "{a}.T[{i} % 3:] = 0", "{a}[{i} % max(n, 1), ::{p}] = 4", "for j in range(min(n, m)): {a}[j, j] = j", "for j in range(1, n): {a}[j] += {a}[j - 1]", "for j in range(m - 1, 0, -{p}): {a}[:, j] -= {a}[:, j - 1]", "for p_, q_ in [(j, j + {p}) for j in range(0, n, {p})]: {a}[p_:q_] += 1",
)  # fmt: skip
HEAD = """
sliding_window_view, as_strided = np.lib.stride_tricks.sliding_window_view, np.lib.stride_tricks.as_strided
def halves(q):
    if len(q) < 2: return q
    at = len(q) // 2
    return np.concatenate([halves(q[at:]) + 1, halves(q[:at])])
def blocks(q, k):
    whole = len(q) // k * k
    rest = q[whole:]
    made = q[:whole].reshape(-1, k).sum(1)
    return np.append(made, rest.sum()) if len(rest) else made
def butterfly(q):
    size = 1 << max(0, (len(q) - 1).bit_length())
    q = np.pad(q, (0, size - len(q)))
    step = 1
    while step < size:
        q = q.reshape(-1, 2, step)
        q = np.concatenate([q[:, 0] + q[:, 1], q[:, 0] - q[:, 1]], -1).ravel()
        step *= 2
    return q
def padded(q, k, stride=2):
    out = (len(q) + 2 - k) // stride + 1
    wide = np.pad(q, 1)
    made = np.zeros(max(out, 0))
    for j in range(out): made[j] = wide[j * stride : j * stride + k].sum()
    return made
def chunks(q, size):
    size = max(1, size)
    return np.array([q[j : j + size].sum() for j in range(0, len(q), size)])
"""


class Writer:
    """Grows ``program(v, w, a)`` of vectors of ``n`` and ``m`` numbers and a matrix of both on an example."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        few = seed % 4 == 3  # loops do not run then, and ends meet
        self.example = (
            draw.choice((0, 1, 1, 2) if few else (5, 6, 8, 3, 4, 7, 12)),
            draw.choice((0, 1, 1, 2, 3) if few else (4, 3, 5, 6, 9)),
        )
        self.names: dict[str, Any] = dict(LIBRARY)
        exec(HEAD, self.names)
        v, w, a = arguments(*self.example, 0)
        self.names |= {"v": v, "w": w, "a": a, "n": len(v), "m": len(w), "k": 2}
        self.vectors, self.own, self.results, lines = ["v", "v", "w"], list[str](), list[str](), list[str]()
        for number in range(draw.randrange(2, 7)):
            self._grow(f"r{number}", lines)
        body = "".join(f"    {line}\n" for each in lines for line in each.split("\n"))
        self.source = f"{HEAD}def program(v, w, a):\n    n, m, k = len(v), len(w), 2\n{body}    return {''.join(f'{each}, ' for each in [*self.results, *self.own[-1:]])}\n"

    def _grow(self, name: str, lines: list[str]) -> None:
        draw = self.draw
        for _ in range(20):
            chance = draw.random()
            vector = chance < 0.6
            integer = chance > 0.92
            text = (
                f"{name} = " + self.filled(draw.choice(VECTORS))
                if vector
                else f"{name} = {self.integer(3)}"
                if integer
                else self.filled(draw.choice(STATEMENTS)).replace("{m}", name)
            )
            if not vector and "{o}" in text:
                owner = draw.choice([*self.own, "v"])
                text = text.replace("{o}", owner)
            try:
                exec(text, self.names)
            except Exception:
                if draw.random() > 0.03 or "\n" in text:
                    continue
                text = f"try: {text}\nexcept Exception as e: {name} = type(e).__name__, str(e)"
                self.names[name] = "raises"
            if getattr(self.names.get(name), "size", 0) > 500:
                continue
            lines.append(text)
            if name in self.names:
                self.results.append(name)
                value = self.names[name]
                if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == float:
                    self.vectors.append(name)
                    if value.flags.writeable:
                        self.own.append(name)
            return

    def filled(self, text: str) -> str:
        draw = self.draw
        holes = {
            "{c}": lambda: f"({self.filled(draw.choice(CONDITIONS))})", "{i}": lambda: f"({self.integer(draw.randrange(3))})", "{p}": lambda: draw.choice(("2", "3", "2", "4", "k", "1", "5")),
            "{v}": lambda: draw.choice(self.vectors[-4:]), "{a}": lambda: "a",
        }  # fmt: skip
        for hole, choose in holes.items():
            while hole in text:
                text = text.replace(hole, choose(), 1)
        return text.replace("{{", "{").replace("}}", "}")

    def integer(self, depth: int) -> str:
        return self.filled(self.draw.choice(INTEGERS if depth else ATOMS)) if self.draw.random() < 0.8 else self.draw.choice("nm")


def arguments(n: int, m: int, salt: int) -> tuple[Any, ...]:
    rng = np.random.default_rng([n, m, salt])
    return rng.normal(size=n).round(2), rng.normal(size=m).round(2), rng.normal(size=(n, m)).round(2)
