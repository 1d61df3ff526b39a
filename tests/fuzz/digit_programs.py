# ruff: noqa: E501 -- tables of expressions
"""Random programs that reckon with numbers of the data in loops, at the edges of their kinds: the generator behind ``fuzz/digits.py``.

Integers without bounds beside NumPy's that overflow, quotients and remainders by 0 and of negative ones, shifts beyond the width, powers,
rounding, comparisons beyond 2**53, hashes, checksums and digits, and the texts of all of them.
"""

from __future__ import annotations

import cmath
import functools
import math
import operator
import random
from textwrap import indent
from typing import Any

import numpy as np

LIBRARY = {"np": np, "math": math, "cmath": cmath, "functools": functools, "operator": operator}
EDGES = (0, 1, -1, 2, 3, 5, -7, 10, 63, 64, 65, 99, 255, 256, 2**31 - 1, -(2**31), 2**32, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63), 10**18, 123456789)  # fmt: skip
FLOATS = (0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 1e16, 2.0**53, -(2.0**63), 2.0**63, 1e22, 0.1, 2.675, 1e-5, 123456.789, 1e300, -1e-310, float("inf"), float("nan"), 3.0, 1.0)  # fmt: skip

INTEGERS = (
    "p", "q", "p", "q", "int(x[{k}])", "x[{k}].item()", "int(e)", "j", "len(x)", "int(b)", "{i} + {i}", "{i} - {i}", "{i} * {i}", "{i} // {i}", "{i} % {i}", "-{i}", "~{i}", "abs({i})", "{i} & {i}", "{i} | {i}", "{i} ^ {i}", "{i} << ({i} % 70)", "{i} >> ({i} % 70)", "{i} << {c}", "{i} >> {c}", "divmod({i}, {i})[0]", "divmod({i}, {c})[1]", "{i} % {c}", "{i} // {c}", "{i} ** 2", "{i} ** ({i} % 4)", "pow({i}, {c}, 97)", "pow({i} % 97, {i} % 97, 1000003)", "round({f})", "int({f})", "math.floor({f})", "math.ceil({f})", "math.trunc({f})", "round({i}, -1)", "round({i}, -{c1})", "({i}).bit_length()", "({i}).bit_count()", "math.gcd({i}, {i})", "math.lcm({i} % 1000, {i} % 1000)", "math.isqrt(abs({i}))", "math.comb(abs({i}) % 9, {c1})", "math.factorial({i} % 12)", "min({i}, {i})", "max({i}, {i}, 0)", "sum([{i}, {i}])", "int({b})", "{b} + {b}", "{b} * {i}", "({i} if {b} else {i})", "{i} & 0xFFFFFFFF", "({i} * 31 + {i}) & 0xFFFFFFFFFFFFFFFF", "({i} ^ {i} >> 3) * 1099511628211 % 2**64", "{i} + 2**63", "{i} - 2**64", "-({i}) // {c}", "-({i}) % {c}", "{i} % -{c1}", "{i} // -{c1}", "int(s[{k}])", "int(np.int64({k}) + x[{k}])", "int(x.sum())", "int({w})", "len(t)", "len(str({i}))", "int(str({i})[-3:].lstrip('-') or 0)", "ord(t[0]) if t else 0", "({i}).numerator", "operator.index({i})", "int(f'{{{i}}}')", "sum(map(int, str(abs({i}))))", "functools.reduce(lambda u, v: u * 10 + v, [{i} % 10, {i} % 10, {i} % 10])", "int('{c}' * 2)", "({i} > {i}) - ({i} < {i})", "{i} if {i} else {c}", "{i} or {i}", "{i} and {i}", "bool({i}) + 1", "int({f} // 1)", "({f}).as_integer_ratio()[1] % 97",
)  # fmt: skip
NUMBERS = (
    "a", "a", "float(y[{k}])", "y[{k}].item()", "float({i})", "{f} + {f}", "{f} - {i}", "{f} * {f}", "{f} / {f}", "{i} / {i}", "{f} // {f}", "{f} % {f}", "{i} / {c}", "{f} ** 2", "{f} ** 0.5", "{f} ** -1", "{i} ** -1", "{i} ** -{c1}", "2 ** -{c1}", "-{f}", "abs({f})", "round({f}, 2)", "round({f}, -1)", "round({f}, {c1})", "min({f}, {i})", "max({i}, {f})", "sum([{f}, {i}, {f}])", "math.sqrt({f})", "math.log({i})", "math.log2(abs({i}) + 1)", "math.log({f}, {c})", "math.exp({f})", "math.fmod({f}, {f})", "math.fmod({i}, {c})", "math.remainder({f}, {c})", "math.ldexp({f}, {i} % 99)", "math.frexp({f})[0]", "math.modf({f})[0]", "math.copysign({f}, {i})", "math.hypot({f}, {i})", "math.fsum([{f}, {f}, 0.1])", "math.nextafter({f}, {c})", "math.ulp({f})", "math.pow({f}, {c1})", "math.atan2({f}, {i})", "divmod({f}, {c})[1]", "divmod({i}, {f})[0]", "({f} if {b} else {f})", "float({b})", "float(f'{{{f}:.3e}}')", "float({w})", "{b} * {f}", "{f} % 1", "({f}).conjugate()", "float(round({f}))", "{f} * {i}", "{i} % {f}", "{i} // {f}", "math.prod([{f}, {i}])", "math.dist([{f}], [{i}])", "abs({f} - {f})", "{f} or 1.5", "float(np.float32({f}))", "float(np.float64({f}) / {i})", "complex({f}, {i}).imag", "abs(complex({f}, 1))", "math.inf if {b} else {f}", "math.cbrt({f})", "math.exp2({f})",
)  # fmt: skip
TRUTHS = (
    "{i} < {i}", "{i} == {i}", "{i} < {f}", "{f} <= {i}", "{i} == {f}", "{f} != {f}", "{i} % 2", "{i} > 2**62", "not {i}", "{i} in (0, 1, {c})", "{f} > 0.5", "math.isnan({f})", "({f}).is_integer()", "{i} & 1 == 1", "{i} >= {f} > {c}", "{b} and {b}", "{b} or {b}", "{b} ^ {b}", "{b} is True", "{i} is None", "bool({f})", "{w} > {c}", "{w} == {i}", "{w} < {f}", "t == str({i})", "{i} > x[{k}]", "y[{k}] >= {i}", "isinstance({i}, int)", "math.isclose({f}, {i})", "math.isfinite({f})", "{i} < {i} <= {i}", "str({i}).startswith('-')", "f'{{{f}:.1f}}' == '0.5'", "'1' in str({i})", "bool(x[{k}])", "{i} % {c} == 0",
)  # fmt: skip
SCALARS = ("x[{k}]", "s[{k}]", "y[{k}]", "w", "w", "x[{k}] + {c}", "x[{k}] * x[{k}]", "s[{k}] + {c1}", "s[{k}] * s[{k}]", "x[{k}] // {c}", "x[{k}] % s[{k}]", "y[{k}] / {c}", "np.int64({i} % 2**62)", "np.float64({f})", "x.sum()", "x.max() - x.min()", "-x[{k}]", "abs(x[{k}])", "x[{k}] << {c1}", "s[{k}] >> {c1}", "x[{k}] ** 2", "s[{k}] ** 3", "y[{k}] ** 2", "np.abs(s[{k}])", "x[{k}] & {i}", "x[{k}] + {i}", "y[{k}] * {f}", "w * 3", "w + {f}", "np.uint8(s[{k}])", "x[{k}].astype('i2')", "np.float32(y[{k}])", "x[{k}] / x[{k}]", "x[{k}] ^ 5", "~x[{k}]", "divmod(x[{k}], {c})[1]", "np.right_shift(x[{k}], {c1})")  # fmt: skip
TEXTS = (
    "f'{{{i}}}'", "f'{{{i}:>+12,}}'", "f'{{{i}:#x}}'", "f'{{{i}:_b}}'", "f'{{{i}:o}}'", "f'{{{i}:012d}}'", "f'{{{i}:e}}'", "f'{{{i}:.3f}}'", "f'{{{f}}}'", "f'{{{f}!r:>12}}'", "f'{{{f}:>8.3e}}'", "f'{{{f}:g}}'", "f'{{{f}:+.2%}}'", "f'{{{f}:,.1f}}'", "f'{{{f}:08.2f}}'", "f'{{{f}:.{c1}f}}'", "f'{{{b}}}'", "f'{{{b}:d}}'", "f'{{{w}}}'", "f'{{{w}:.2f}}'", "f'{{{w}!r}}'", "f'{{{w}:>6}}'", "str({i})", "repr({f})", "hex({i})", "bin({i})[2:]", "oct({i})", "'%d' % {i}", "'%5.1f|%s' % ({f}, {i})", "'%x' % {i}", "'%r' % {f}", "'%+g' % {f}", "'{{:^9}}|{{:<4}}'.format({i}, {b})", "format({f}, '.4')", "format({i}, ',')", "str({w})", "repr({w})", "t + str({i})", "t[:3]", "t.upper()", "str({i})[::-1]", "str({i}).zfill(6)", "'-'.join([str({i}), str({f})])", "('odd' if {b} else 'even')", "str(({i}, {f}))", "str([{i}])", "f'{{{i}}}/{{{i}}}'", "({f}).hex()", "str(complex({f}, {i}))", "f'{{complex({f}, 1):.2f}}'", "ascii({f})", "t or 'none'", "str({i}).rjust(5, '*')", "chr(97 + {i} % 26)",
)  # fmt: skip
LEAVES = (
    "p = {i}", "q = {i}", "a = {f}", "b = {b}", "w = {w}", "t = {t}", "p += {i}", "q -= {i}", "p *= {i}", "q //= {i}", "p %= {i}", "q ^= {i}", "p <<= {c1}", "q >>= {c1}", "p &= {i}", "a += {f}", "a *= {f}", "a /= {i}", "a -= {i}", "p, q = q, p", "p, q = divmod({i}, {i})", "p, q = q, p + q", "p, r = divmod({i}, {c})\nl.append(r)", "l.append({i})", "l.append({f})", "l.append({w})", "l.append({b})", "l.append({i})", "z.append({t})", "z.append({t})", "t += {t}", "t = t[-5:]", "w += {i} % 100", "w = w * {c1}", "w -= x[{k}]", "h = (h * 31 + {i}) & 0xFFFFFFFF", "h ^= {i} & 255", "h = h << 5 | h >> 27", "h = h * 16777619 % 2**32", "l = sorted(l[-3:])", "l = [max(l, default={i})]", "l = l[::-1]", "p = sum(l[-2:])", "p = int(a) if {b} else {i}", "x[{k}] = {i} % 1000", "s[{k}] = {i} % 100", "y[{k}] = {f}", "x[{k}] += {i} % 50", "y[{k}] *= {f}", "s[{k}] += 1", "assert {i} != 12345, str({i})", "u = np.array([{i} % 1000, {i} % 1000])\nl.append(u.sum())", "u = np.array([{f}, {f}])\nl.append(u.max())", "d[{k}] = {i}", "d['a'] = {f}", "l.append(d.get({k}, {i}))", "q = q % 1000003", "p = p % (2**61 - 1)", "p = (p + 2**63) % 2**64 - 2**63",
)  # fmt: skip
BLOCKS = (
    "if {b}:\n~", "if {b}:\n~\nelse:\n~", "if {b}:\n~\nelif {b}:\n~\nelse:\n~", "for j, e in enumerate(x):\n~", "for j, e in enumerate(x.tolist()):\n~", "for j, e in enumerate(s):\n~", "for j in range(len(x)):\n    e = x[j]\n~", "for j in range(4):\n    e = j * 3\n~", "for j, e in enumerate(x[::-1]):\n    if {b}: break\n~", "for j, e in enumerate(x):\n    if {b}: continue\n~", "c = 0\nwhile p > 0 and c < 9:\n    p, r = divmod(p, {c1} + 1)\n    c, q = c + 1, q * 2 + r\n~", "c = 0\nwhile q and c < 8:\n    p, q = q, p % q\n    c += 1", "c = 0\nwhile c < 6 and {b}:\n    c += 1\n~", "c = 0\np = abs({i})\nwhile p > 1 and c < 20:\n    p = p // 2 if p % 2 == 0 else 3 * p + 1\n    c += 1", "c, r, q = 1, {i} % 97, abs({i}) % 64\nwhile q:\n    if q & 1: c = c * r % 1009\n    r, q = r * r % 1009, q >> 1", "try:\n~\nexcept (ZeroDivisionError, ValueError, OverflowError) as error:\n    t = str(error)", "try:\n~\nexcept ArithmeticError:\n    a = -1.0\nelse:\n    q = 5", "try:\n    p = {i} // {i}\nexcept ZeroDivisionError: p = 0\nfinally: q += 1", "with np.errstate(all='ignore'):\n~", "with np.errstate(over='raise', divide='raise'):\n    try: w = {w}\n    except FloatingPointError as error: t = str(error)", "match {i} % 4:\n    case 0: p = {i}\n    case 1 | 2 if {b}: q = {i}\n    case r: a = r / 2", "def g(u, v=2):\n    if u > {c}: return u // v\n    return u * v\np = g({i})\nq = g({i}, {c1})", "p = g2({i} % 1000, 5)", "l.append([g2(e, 3) for e in x.tolist()][:2])", "l.append([int(e) % {c} for e in x])", "l.append(sum(e % 7 for e in x.tolist()))", "l.append(max((int(e) for e in x), default=0))", "z.append(''.join(chr(97 + e % 26) for e in x.tolist()))", "z.append([f'{{e:>6}}' for e in x])", "z.append([f'{{e:.2e}}' for e in y])", "z.append(','.join(map(str, x.tolist())))",
)  # fmt: skip
CONSTANTS = ("2", "3", "7", "10", "0", "-2", "1", "64", "97", "2**31", "2**63", "-3")

HEAD = """
def small(u): return u if -(2**200) < u < 2**200 else u % 2**64
def g2(u, depth):
    if depth == 0 or u <= 1: return u
    return g2(u // 2, depth - 1) + u % 3
"""


class Writer:
    """``source`` defines ``program(x, s, y)`` of 64-bit and narrow integers and floats."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.narrow = draw.choice(("i1", "u1", "i2", "i4", "u4", "u8", "i8"))
        kept: list[str] = []
        count = draw.randrange(2, 7)
        for _ in range(6 * count):
            if len(kept) < count and self._runs([*kept, row := self._statement(2)]):
                kept.append(row)
        self.source = self._text(kept)

    def _text(self, lines: list[str]) -> str:
        body = indent("\n".join(lines or ["pass"]), "    ")
        return f"{HEAD}def program(x, s, y):\n    p, q, a, b, w, t, h, e, j, c, r = int(x[0]), int(s[0]), float(y[0]), bool(x[-1] > 0), x[0], 'ab', 5, x[-1], 0, 0, 0\n    l, z, d = [], [], {{}}\n{body}\n    return p, q, a, b, w, t, h, c, r, l, z, d\n"

    def _runs(self, lines: list[str]) -> bool:
        names: dict[str, Any] = dict(LIBRARY)
        try:
            exec(self._text(lines), names)
        except SyntaxError:
            return False
        good = 0
        with np.errstate(all="ignore"):
            for salt in range(3):
                try:
                    found = names["program"](*self.arguments(4, salt))
                    if len(str(found)) > 3000:
                        return False
                    good += 1
                except Exception:
                    if salt == 0 and self.draw.random() < 0.97:
                        return False
        return good > 0

    def _statement(self, depth: int) -> str:
        if depth and self.draw.random() < 0.45:
            row = self._filled(self.draw.choice(BLOCKS), 2)
            return "\n".join(
                indent("\n".join(["p, q, h = small(p), small(q), small(h)", *(self._statement(depth - 1) for _ in range(self.draw.randrange(1, 4)))]), line[:-1] + "    ") if line.strip() == "~" else line
                for line in row.split("\n")
            )  # fmt: skip
        return self._filled(self.draw.choice(LEAVES), 2)

    def _filled(self, row: str, depth: int) -> str:
        draw = self.draw
        tables = {"i": (INTEGERS, "pqpqjh"), "f": (NUMBERS, "a"), "b": (TRUTHS, "b"), "w": (SCALARS, "w"), "t": (TEXTS, "t")}
        for hole, (table, plain) in tables.items():
            while "{%s}" % hole in row:
                chosen = draw.choice(plain) if depth <= 0 or draw.random() < 0.3 else f"({self._filled(draw.choice(table), depth - 1)})"
                row = row.replace("{%s}" % hole, chosen.replace("{", "\0").replace("}", "\1"), 1)
        for hole, choices in {"{k}": ("0", "1", "-1", "2"), "{c1}": ("1", "2", "3", "5"), "{c}": CONSTANTS}.items():
            while hole in row:
                row = row.replace(hole, draw.choice(choices), 1)
        return row.replace("{{", "{").replace("}}", "}").replace("\0", "{").replace("\1", "}")

    def arguments(self, size: int, salt: int) -> tuple[Any, ...]:
        g = random.Random(f"{size} {salt}")
        edge = salt % 2
        x = np.array([g.choice(EDGES) if edge else g.randrange(-20, 60) for _ in range(size)], np.int64)
        s = np.array([g.choice(EDGES) if edge else g.randrange(1, 90) for _ in range(size)], np.int64).astype(self.narrow)
        y = np.array([g.choice(FLOATS) if edge else g.randrange(-40, 40) / 4 for _ in range(size)])
        return x, s, y
