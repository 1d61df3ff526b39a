# ruff: noqa: E501
"""Random programs of nested control flow over arrays of one dtype: handlers, loops, closures, generators, containers, state."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

PRELUDE = """
import math
import numpy as np
class Own(Exception): pass
class Model:
    def __init__(self):
        self.w, self.n, self.flag = np.array([1.0, 2.0, 3.0]), 0.5, False
    def best(self, u):
        if u > self.n: self.n = u
        return self.n
def over(v, u):
    for r in v:
        if r == u: return
        yield r
def first(v, u):
    for n in range(len(v)):
        try:
            if v[n] == u: return n
        finally:
            u = u + 0
    else: return -1
def checked(u):
    if u > 1: raise Own('large')
    if u < -1: raise ValueError(f'small')
    return u * 2
"""
DTYPES = ("f8", "f8", "f4", "i8", "u1", "?", "c16")
LITERALS = {"f": ("0.5", "1", "2.0", "-1"), "i": ("1", "2", "-1"), "u": ("1", "2", "3"), "b": ("True", "False"), "c": ("1j", "2", "0.5")}
EXCEPTIONS = (
    "IndexError",
    "ZeroDivisionError",
    "ValueError",
    "Own",
    "(Own, IndexError)",
    "KeyError",
    "ArithmeticError",
    "LookupError",
    "Exception",
)


class Writer:
    """``x``: an array of ``dtype``; ``k``: two integers; ``a``, ``z``: arrays that the program may write to, ``v``: a view; ``b``: a mask;
    ``s``: a NumPy scalar; ``t``, ``i``, ``q``: a float, an int, a truth of Python; ``j``: a counter; ``p``, ``d``, ``l``: containers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = np.dtype(self.random.choice(DTYPES))
        self.names = 0

    def choice(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def literal(self) -> str:
        return self.choice(*LITERALS[self.dtype.kind])

    def array(self) -> str:
        if self.chance(0.6):
            return self.choice("a", "v", "x", "z", "a", "d['a']", "p[1]")
        one, other = self.choice("a", "v", "x", "z"), self.choice("a", "v", "x", "z")
        joined = f"{one} {self.choice('&', '|', '^')} {other}" if self.dtype.kind == "b" else f"{one} {self.choice('+', '-', '*')} {other}"
        scaled = f"{one} ^ b" if self.dtype.kind == "b" else f"{one} * {self.literal().replace('-1', '2')}"
        return self.choice(
            joined,
            joined,
            scaled,
            f"np.where(b, {one}, {other})",
            f"{one}[::-1]",
            f"{one}.copy()",
            f"np.abs({one})" if self.dtype.kind != "c" else f"{one}.conj()",
        )

    def scalar(self) -> str:
        one = self.choice("a", "v", "x", "z")
        return self.choice(
            "s",
            f"{one}[0]",
            f"{one}[-1]",
            f"{one}[i % 3]",
            f"{one}.sum()",
            f"{one}.max(initial=0)" if self.dtype.kind != "c" else f"{one}.prod()",
            f"{one}[i]",
        )

    def number(self) -> str:
        return self.choice("t", "t + 1", "t * 0.5", "-t", "float(i)", "float(abs(s))", "abs(t)", "min(t, 1.5)", "max(t, i, 0)", "1 / (i * i + 1)", "(t if q else 1.5)", "self.n", "p[0]", "d['t']", "l[0]", "(t and 2.0)", "(t or 3.0)", "round(t, 1)", f"sum(float(abs(r)) for r in {self.choice('a', 'x')})")  # fmt: skip

    def integer(self) -> str:
        return self.choice(
            "i",
            "i + 1",
            "i // 2",
            "i % 3",
            "-i",
            "int(k[0])",
            "int(k[1])",
            "int(k[0]) * int(k[1])",
            "len(x)",
            "int(b.sum())",
            "(i if t > 1 else 2)",
            "j",
            "int(t)",
            "max(i, 0)",
            "len(l)",
            "sum(1 for r in b if r)",
            "first(k, i)",
        )

    def condition(self, depth: int = 0) -> str:
        kind = self.random.randrange(14 if depth < 2 else 10)
        if kind < 3:
            return f"{self.choice('t', 't', 'self.n', 'p[0]', self.number())} {self.choice('>', '<', '>=', '==', '!=')} {self.choice('0', '1', '0.5', 'i')}"
        if kind < 5:
            return f"{self.choice('i', 'int(k[0])', 'k[1]', self.integer())} {self.choice('>', '<', '==', '!=', '<=')} {self.choice('0', '1', '2', 'j')}"
        if kind == 5:
            return self.choice(
                "b.any()",
                "b.all()",
                "q",
                "not q",
                "self.flag",
                "a.any()",
                "(x == a).all()",
                "np.array_equal(a, x)",
                "bool(s)",
                "len(l) > 2",
            )
        if kind == 6:
            return self.choice(
                "i in (0, 2)",
                "0 < t < 2",
                "0 <= i < len(x)",
                "e is None",
                "e is not None and e > 1",
                "isinstance(i, int)",
                "t != t",
                "math.isfinite(t)",
            )
        if kind == 7:
            return self.choice(
                f"any(r == {self.literal()} for r in a)",
                "all(r for r in b)",
                "(y := t * 2) > 1",
                "any(b)",
                "next((r for r in b if r), False)",
            )
        if kind < 10:
            return (
                f"{self.scalar()} {self.choice('==', '!=')} {self.literal()}"
                if self.dtype.kind in "bc"
                else f"{self.scalar()} {self.choice('>', '<', '==')} {self.literal()}"
            )
        if kind == 10:
            return f"not ({self.condition(depth + 1)})"
        return f"({self.condition(depth + 1)}) {self.choice('and', 'or')} ({self.condition(depth + 1)})"

    def write(self) -> str:
        one = self.choice("a", "v", "z", "a", "d['a']")
        add = "^=" if self.dtype.kind == "b" else self.choice("+=", "-=", "*=")
        return self.choice(
            f"{one}[0] = s",
            f"{one} {add} {self.choice('x', 'a', 's')}",
            f"{one}[b] = {self.literal()}",
            f"{one}[1:] = x[1:]",
            f"{one}[::2] {add} {self.choice('s', 'x[::2]')}",
            f"{one}[i % 3] = s",
            f"{one}[i] {add} s",
            f"{one}[...] = x",
            "x[0] = s",
        )

    def plain(self) -> str:
        if self.chance(0.2):
            return self.write()
        return self.choice(
            f"a = {self.array()}", f"z = {self.array()}", f"v = {self.choice('a', 'z', 'x')}{self.choice('[:]', '[::-1]', '')}", f"b = x {self.choice('==', '!=')} {self.literal()}", "b = ~b",
            f"s = {self.scalar()}", f"t = {self.number()}", f"i = {self.integer()}", f"q = {self.condition(1)}", f"t += {self.number()}", f"i += {self.integer()}", "t *= 0.5",
            "a, z = z, a", "t, i = float(i), i + 1", f"p = (t, {self.array()})", "p = (p[0] + 1, a)", "t, a = p", f"d['t'] = {self.number()}", f"d['a'] = {self.array()}",
            f"d = {{'a': a, 't': {self.number()}}}", "d = {**d, 't': t}", f"l[0] = {self.number()}", "l = [t, *l[:1]]", "l.append(1.0)", f"e = {self.choice('None', 't', 't')}", "t = e if e is not None else t", "t = l.pop() if len(l) > 1 else t",
            f"self.n = {self.number()}", f"self.flag = {self.condition(1)}", "self.w = self.w * 2", "self.w[0] = t", "self.w += t", "t = self.best(t)", "t += self.w[0]",
            f"t = {self.condition(1)} and t or 2.0", f"i = i if {self.condition(1)} else j",
        )  # fmt: skip

    def risky(self) -> str:
        """What raises for some of the values."""
        return self.choice(
            "t = 1 / i",
            "t = t / int(k[1])",
            "s = x[i]",
            "t = l[i]",
            "t = {0: t, 1: 2.0}[i]",
            "t = math.sqrt(t)",
            "i = i % int(k[0])",
            "a = a.take(i) + a",
            "t = checked(t)",
            f"assert {self.condition()}, 'no'",
            "t = math.log(t)",
            "t = float('x' if q else 1)",
            "i = [0, 1].index(i)",
            "a = a.reshape(i, -1)",
            "e = e + 1",
        )

    def indented(self, lines: list[str]) -> list[str]:
        return [f"    {line}" for line in lines]

    def block(self, depth: int, looping: bool, most: int = 3) -> list[str]:
        return self.indented([line for _ in range(self.random.randint(1, most)) for line in self.statement(depth, looping)])

    def jump(self, looping: bool) -> str:
        jumps = ["return t, a", "return i", "raise Own('here')", "raise ValueError"] + [
            "break",
            "continue",
            "break",
            "continue",
        ] * 2 * looping
        return self.choice(*jumps)

    def statement(self, depth: int, looping: bool) -> list[str]:
        roll = self.random.random()
        if depth <= 0 or roll < 0.42:
            return [self.risky() if self.chance(0.15) else self.plain()]
        if roll < 0.5:
            return [f"if {self.condition()}: {self.jump(looping)}"]
        return self.choice(
            *[self.branch] * 4, *[self.handler] * 3, *[self.loop] * 3, self.closure, self.generator, self.match, self.managed
        )(depth - 1, looping)  # type: ignore[arg-type,operator]

    def branch(self, depth: int, looping: bool) -> list[str]:
        lines = [f"if {self.condition()}:", *self.block(depth, looping)]
        while self.chance(0.3):
            lines += [f"elif {self.condition()}:", *self.block(depth, looping)]
        return lines + (["else:", *self.block(depth, looping)] if self.chance(0.5) else [])

    def handler(self, depth: int, looping: bool) -> list[str]:
        risk = self.indented([self.choice(self.risky(), f"if {self.condition()}: {self.jump(looping)}")])
        body = [
            *(self.block(depth, looping, 2) if self.chance(0.5) else []),
            *risk,
            *(self.block(depth, looping, 2) if self.chance(0.5) else []),
        ]
        lines = ["try:", *body]
        caught = self.chance(0.8)
        for _ in range(self.random.randint(1, 2) if caught else 0):
            last = (
                self.indented([self.choice(self.jump(looping), "raise", "raise KeyError(i) from None", "t = float(len(str(error)))")])
                if self.chance(0.4)
                else []
            )
            lines += [f"except {self.choice(*EXCEPTIONS)} as error:", *self.block(depth - 1, looping, 2), *last]
        if caught and self.chance(0.3):
            lines += ["else:", *self.block(depth - 1, looping, 2)]
        if not caught or self.chance(0.3):
            lines += ["finally:", *self.block(depth - 1, looping and self.chance(0.3), 2)]
        return lines

    def loop(self, depth: int, looping: bool) -> list[str]:
        n = self.name("n")
        head, *first = self.random.choice([
            (f"for {n} in range(3):",), (f"for {n} in range(min(i, 4)):", f"j = {n}"), (f"for {n} in range(len(x)):", f"s = x[{n}]"), (f"for {n}, s in enumerate(a):",),
            (f"for {n} in x.tolist():", f"t = abs({n}) + 0.0"), (f"for {n}, s in zip(range(2), x):", f"j += {n}"), (f"for {n} in (t, 1.5, 2.0):", f"t = {n}"),
            (f"while {n} < 4 and {self.condition(1)}:", f"{n} += 1"), (f"while {n} < int(k[0]):", f"{n} += 1"), (f"while {self.condition(1)}:", f"{n} += 1", f"if {n} > 4: break"),
            ("while True:", f"{n} += 1", f"if {n} > 3 or {self.condition(1)}: break"), (f"for {n} in range(2):", "j += 1"),
        ])  # fmt: skip
        lines = [f"{n} = 0", head, *self.indented(first), *self.block(depth, True)]
        return lines + (["else:", *self.block(depth - 1, looping, 1)] if self.chance(0.25) else [])

    def closure(self, depth: int, looping: bool) -> list[str]:
        f = self.name("f")
        body = self.indented(
            [
                f"nonlocal {self.choice('t', 't, a', 'i, t', 'a, s', 'd, t')}",
                self.plain_inside(),
                f"if {self.choice('u > 1', 'q', 'i == 1')}: return {self.choice('u', 't', 'u + 1')}",
                self.plain_inside(),
                "return u * 2",
            ]
        )
        return [
            f"def {f}(u, c=i):",
            *body,
            self.choice(
                f"t = {f}(t)",
                f"t = {f}(t, c=2) + {f}(1.5)",
                f"t = max({f}(r) for r in (t, 1.0))",
                f"l = [{f}(r) for r in l]",
                "l = sorted(l, key=lambda r: -r)",
                f"if {f}(t) > 1: t = {f}(0.5)",
            ),
        ]

    def plain_inside(self) -> str:
        return self.choice(
            "t = t + u",
            "t = u if u > c else t",
            "a = a + x if x.dtype.kind != 'b' else a ^ x",
            "a[0] = s",
            "i, j_ = i + 1, c",
            "d['t'] = u",
            "l[0] = u",
            "self.n = u",
            "pass",
        ).replace("i, j_ =", "_ =")

    def generator(self, depth: int, looping: bool) -> list[str]:
        g = self.name("g")
        body = [
            "try:",
            "    for r in over(a, s):",
            f"        if {self.condition(1)}: {self.choice('return', 'continue', 'break')}",
            "        yield r",
            f"finally: {self.choice('l.append(1.0)', 'd[0] = 1', 'pass')}",
        ]
        use = self.choice(
            f"for s in {g}(): t += abs(s)",
            f"t = float(abs(sum({g}())))",
            f"s = next({g}(), s)",
            f"t += len(list({g}()))",
            f"for s in {g}():\n    if {self.condition(1)}: break",
        )
        return [f"def {g}():", *self.indented(body), *use.split("\n")]

    def match(self, depth: int, looping: bool) -> list[str]:
        lines = [f"match {self.choice('i', 'int(k[0])', '(i, q)', 'e')}:"]
        for case in ("0", f"{self.choice('1 | 2', 'None', '(1, True)', '(_, False)')}", f"u if {self.condition(1)}", "_")[
            self.random.randrange(3) :
        ]:
            lines += self.indented([f"case {case}:", *self.block(depth - 1, looping, 2)])
        return lines

    def managed(self, depth: int, looping: bool) -> list[str]:
        return [
            self.choice("with np.errstate(all='ignore'):", "with np.errstate(all='ignore'), np.errstate(over='ignore'):"),
            *self.block(depth, looping),
        ]

    def program(self) -> str:
        kind = self.dtype.kind
        body = [
            "a, z, b, s, e = x.copy(), x * 1, x == x[:1], x.dtype.type(1), None",
            "v = a[::-1]",
            "t, i, q, j, y = float(k[1]), int(k[0]), bool(k[0] > 1), 0, 0.0",
            "p, d, l = (t, a), {'a': z, 't': t}, [t, 1.0]",
        ]
        if kind == "b":
            body[0] = body[0].replace("x * 1", "x & True")
        for _ in range(self.random.randint(1, 4)):
            body += self.statement(3, False)
        parts = [
            "a",
            "z",
            "v",
            "x",
            "b",
            "s",
            "t",
            "i",
            "q",
            "j",
            "p",
            "d",
            "l",
            "e",
            "self.n",
            "self.w",
            "a.sum()",
            "(t, i)",
            "t if q else i",
        ]
        body.append(f"return {', '.join(self.random.sample(parts, self.random.randint(1, 5)))},")
        return f"{PRELUDE}def run(self, x, k):\n" + "\n".join(self.indented(body)) + "\nModel.__call__ = run\n"


def inputs(rng: random.Random, dtype: np.dtype[Any], size: int) -> tuple[Any, ...]:
    """An array of few different numbers, and two small integers."""
    numbers = [rng.choice((0, 1, 2, 3, 0.5, 1.5, 2.5, -1, -0.5)) for _ in range(size)]
    if dtype.kind == "c":
        return np.array([number + rng.choice((0, 1j)) for number in numbers], dtype), np.array([rng.randint(-1, 3) for _ in range(2)])
    if dtype.kind == "u":
        numbers = [abs(number) * rng.choice((1, 1, 100)) % 256 for number in numbers]
    return np.array(numbers).astype(dtype), np.array([rng.randint(-1, 3) for _ in range(2)])
