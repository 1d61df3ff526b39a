# ruff: noqa: E501
"""Random programs whose branches depend on data: over arrays, scalars, numbers of Python, containers and objects."""

from __future__ import annotations

import itertools
import math
import random
import types
from typing import Any

import numpy as np

from tests.fuzz.resizing_programs import Writer

PRELUDE = """
class Box:
    def __init__(self, v, w):
        self.v, self.w = v, w
    def put(self, q):
        if q > 1: self.w = float(q)
        else: self.v = self.v + 1
        return self.w
TOTAL = 0
def early(x, q):
    if q > 0: return x * 2
    if x[1] > q: return x + 1
    return -x
def pick(a, b, q):
    return a if q > 0.5 else b
def write(a, q):
    if q > 0: a[0] = q
    return a
"""


class Generator:
    """``x``, ``y``: inputs; ``a``, ``b``, ``c``: arrays; ``s``, ``t``: NumPy scalars; ``k``, ``m``: numbers; ``l``, ``d``, ``o``: containers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.fresh = itertools.count()
        self.loops = 0
        self.returned = self.result()

    def choice(self, *options: str) -> str:
        return self.rng.choice(options)

    def array(self) -> str:
        return self.choice("a", "b", "c", "x", "y", "a", "b", "l[0]", "o.v", "d['p']")

    def own(self) -> str:
        """An array that the program may write to."""
        return self.choice("a", "b", "c", "a", "b", "l[0]", "o.v", "d['p']", "x")

    def scalar(self) -> str:
        return self.choice(
            "s", "t", f"{self.array()}[{self.rng.randrange(3)}]", f"{self.array()}.sum()", "np.float64(2.0)", f"abs({self.array()}[1])"
        )

    def number(self) -> str:
        return self.choice("k", "m", "float(s)", "1.5", "-2.0", "0.0", "k", "o.w")

    def condition(self, depth: int = 0) -> str:
        kind = self.rng.randrange(9 if depth < 2 else 5)
        if kind < 3:
            return f"{self.scalar()} {self.choice('>', '<', '>=')} {self.choice('0', '1', '0.5', self.scalar())}"
        if kind == 3:
            return f"({self.array()} {self.choice('>', '<')} {self.rng.randrange(2)}).{self.choice('any', 'all')}()"
        if kind == 4:
            return f"{self.number()} > {self.choice('0', '1', 's')}"
        if kind == 5:
            return f"0 < {self.scalar()} < 2"
        if kind == 6:
            return f"not ({self.condition(depth + 1)})"
        return f"({self.condition(depth + 1)}) {self.choice('and', 'or')} ({self.condition(depth + 1)})"

    def expression(self) -> str:
        """An array of three floats."""
        one, other = self.array(), self.array()
        return self.choice(
            f"{one} + {other}", f"{one} * {self.scalar()}", f"{one}.copy()", f"{one} - {self.number()}", f"np.maximum({one}, {other})",
            "np.zeros(3)", f"{one}[::-1]", f"{one}", f"np.sqrt(abs({one}))", f"{one} + 0.5", f"2 - {one}", f"np.sort({one})", f"early({one}, {self.scalar()})", f"{one} if {self.condition()} else {other}",
            f"{one} * 2 if {self.condition()} else {other} + 1", f"pick({one}, {other}, {self.scalar()})", f"write({self.own()}, {self.scalar()})",
            f"pick({one} + 1, {other} * 2, {self.scalar()})", "np.array([1.0, 2.0, 3.0])", f"np.where({one} > 0, {one}, {other})",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(20)
        if kind < 7 and depth < 3:
            return self.branch(depth)
        if kind < 9:
            return [f"{self.choice('a', 'b', 'c', 'l[0]', 'o.v')} = {self.expression()}"]
        if kind == 9:
            return [f"{self.choice('s', 't')} = {self.scalar()} {self.choice('+', '*')} {self.choice('1', self.scalar())}"]
        if kind == 10:
            return [f"{self.choice('k', 'm')} = {self.choice(self.number() + ' + 1.0', 'float(' + self.scalar() + ')', 'k * 2.0', '3.0')}"]
        if kind == 11:
            return [
                f"{self.own()}[{self.choice('0', '1:', '-1', '::2', '...')}] {self.choice('=', '+=', '*=')} {self.choice('1', '2.5', self.scalar())}"
            ]
        if kind == 12:
            return [f"{self.own()} {self.choice('+=', '*=')} {self.choice('1', self.array(), self.scalar())}"]
        if kind == 13:
            return [
                self.choice(
                    f"l[1] = {self.number()}", f"d['q'] = {self.number()}", f"o.w = {self.number()}", f"d['p'] = {self.expression()}"
                )
            ]
        if kind == 14:
            return [f"o.put({self.scalar()})" if self.rng.random() < 0.5 else f"k = {self.choice('min', 'max')}(k, m, {self.number()})"]
        if kind == 15 and depth < 2 and self.loops < 2:
            return self.loop(depth)
        if kind == 16:
            return [f"{self.choice('b', 'c')} = {self.own()}[{self.choice('::-1', ':')}]"]
        if kind == 17 and depth:
            return [f"return {self.result() if self.rng.random() < 0.2 else self.returned}"]
        if kind == 18:
            return [f"np.{self.choice('add', 'multiply')}({self.array()}, 1, out={self.own()})"]
        return [f"s = {self.choice('min', 'max')}({self.scalar()}, {self.scalar()})"]

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *self.block(depth + 1)]
        if self.rng.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1)]
        if self.rng.random() < 0.6:
            lines += ["else:", *self.block(depth + 1)]
        return lines

    def loop(self, depth: int) -> list[str]:
        self.loops += 1
        body = self.block(depth + 1)
        if self.rng.random() < 0.5:
            body += [f"    if {self.condition()}: {self.choice('continue', 'continue', 'break')}", *self.block(depth + 1)]
        name = f"i{next(self.fresh)}"
        return [f"for {name} in range(3):", *body]

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            lines += [f"    {line}" for line in self.statement(depth)]
        return lines

    def result(self) -> str:
        return self.choice(
            "a", "a, b", "a + b, s, k", "(a, l[0], l[1])", "o.v * 1, o.w", "{'a': a * 1, 'k': k}", "c, t, m", "a.sum()", "k", "s"
        )

    def program(self) -> str:
        body = ["a, b, c = x * 1, y + 1, np.zeros(3)", "s, t, k, m = x[0] + 1, y[2] * 2, 1.0, 2.0"]
        body.append("l, d, o = [x + 2, 1.0], {'p': y * 2, 'q': 2.0}, Box(x - y, 3.0)")
        for _ in range(self.rng.randint(2, 6)):
            body += self.statement(0)
        body.append("return a, b, c, s, t, k, m, l, d, o.v, o.w" if self.rng.random() < 0.3 else f"return {self.returned}")
        return PRELUDE + "def f(x, y):\n" + "".join(f"    {line}\n" for line in body)


def program(seed: int) -> str:
    """The source of the program of a seed; those of odd seeds have arrays of other sizes on their sides."""
    return Writer(seed).program() if seed % 2 else Generator(seed).program()


def compiled(source: str) -> Any:
    """Its function ``f``."""
    module = types.ModuleType("branches_of_data")
    module.__dict__.update(np=np, math=math)
    exec(compile(source, "<program>", "exec"), module.__dict__)
    return module.f


def inputs(rng: random.Random, seed: int) -> tuple[Any, ...]:
    """Arrays that take different sides of the program of a seed."""
    values = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3.0)
    return tuple(np.array([rng.choice(values) for _ in range(3 + seed % 2)]) for _ in range(2))
