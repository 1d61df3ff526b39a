# ruff: noqa: E501
"""Random programs whose variables, attributes and items are one of several values as data decide: ``None`` or an array, texts, kinds of
numbers, functions, objects, unbound."""

from __future__ import annotations

import random

PRELUDE = """
class Box:
    def __init__(self, v, w):
        self.v, self.w = v, w
    def best(self, q):
        if self.v is None or q > self.w: self.v, self.w = q, q
        return self.v
def found(v, q):
    for n in range(3):
        if v[n] > q: return n
    return None
def first(v, q):
    if q > 1: return None
    if q < -1: return 'low', v
    return 'some', v * 2
def twice(v): return v * 2
def less(v): return v - 1
"""


class Writer:
    """``x``, ``y``: inputs; ``a``: an array; ``s``, ``k``: numbers; ``e``, ``g``, ``o.v``, ``l[0]``: ``None`` or an array; ``b``: ``None``
    or a scalar; ``i``: ``None`` or an index; ``w``: a text; ``h``: a function or ``None``; ``r``: ``None``, a tuple or an object;
    ``u``: perhaps not bound."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def choice(self, *options: str) -> str:
        return self.random.choice(options)

    def sentinel(self) -> str:
        return self.choice("e", "g", "e", "o.v", "l[0]")

    def array(self) -> str:
        one = self.sentinel()
        return self.choice("a", "x", "y", "a", f"(x if {one} is None else {one})", f"({one} if {one} is not None else a)")

    def scalar(self) -> str:
        if self.random.random() < 0.1:
            over = f"v for v in {self.array()} if v {self.choice('>', '<')} {self.choice('0', '1', '0.5', 'y[0]')}"
            return self.choice(f"sum({over})", f"next(({over}), {self.choice('0.5', 's', 'x[1]')})", f"max(({over}), default=1.5)")
        return self.choice(
            "s", f"{self.array()}[{self.random.randrange(3)}]", f"{self.array()}.sum()", "(s if b is None else b)", "x[0]", "y[1]"
        )

    def condition(self, depth: int = 0) -> str:
        kind = self.random.randrange(12 if depth < 2 else 10)
        if self.random.random() < 0.05:
            return (
                f"{self.choice('any', 'all')}(v > {self.choice('0', 's', '1')} for v in {self.array()} if v != {self.choice('0', 'y[1]')})"
            )
        if kind < 3:
            return f"{self.scalar()} {self.choice('>', '<')} {self.choice('0', '1', '0.5', self.scalar())}"
        if kind == 3:
            return f"{self.choice(self.sentinel(), 'b', 'i', 'r', 'h')} is {self.choice('None', 'not None')}"
        if kind == 4:
            return f"w {self.choice('==', '!=')} {self.choice(repr('low'), repr('mid'), repr('high'))}"
        if kind == 5:
            return self.choice(
                "w", "not h", "h", "i is not None and i > 0", "b is None or b > s", "w in ('low', 'mid')", "isinstance(r, tuple)"
            )
        if kind == 6:
            return f"{self.sentinel()} is {self.sentinel()}"
        if kind == 7:
            return f"i {self.choice('==', '!=')} {self.choice('0', '1', 'None')}"
        if kind < 10:
            return f"x[{self.random.randrange(3)}] > {self.choice('0', 'y[0]', '1')}"
        return f"({self.condition(depth + 1)}) {self.choice('and', 'or')} ({self.condition(depth + 1)})"

    def plain(self) -> str:
        one, other = self.sentinel(), self.sentinel()
        return self.choice(
            f"{one} = None", f"{one} = {self.array()} {self.choice('+ 1', '* 2', '', '[::-1]', '- s')}", f"{one} = {other}", f"a = {self.array()} * 1", f"b = {self.scalar()}",
            "b = None", f"i = {self.choice('0', '1', '2', 'None', 'found(x, s)', 'found(a, 0.5)', 'next((n for n in range(3) if x[n] > s), None)')}", f"w = {self.choice(repr('low'), repr('mid'), repr('high'), repr(''))}",
            "w = w + 'x'", "h = twice", "h = None", "h = less if s > 0 else twice", "r = (1, x)", "r = Box(a, 2.0)", "r = None", "r = first(a, s)", f"u = {self.scalar()}", f"u = {self.array()}",
            f"s = {self.scalar()} + 1", "k = k + 1", "o.best(s)" if one == "o.w" else "k = k + len(w)", f"s = s + (0 if {one} is None else {one}.sum())", "s = s + (x[i] if i is not None else 1)",
            "a = h(a) if h else a", "a = (h or twice)(a)", "s = r[1].sum() if isinstance(r, tuple) else s", f"{one} = a if {one} is None else {one} + 1", "a[0] = s",
            "s = {'low': s, 'mid': s + 1}.get(w, s * 2)", "b = s if b is None else min(b, s)", "l = [e, 1.0]", "o = Box(g, o.w)", "e, g = g, e", "t = (e, w)", "e, w = t", "a = (lambda v, n=i: v if n is None else v[n] + v)(a)",
            "s = sum(1.0 for n in (e, g, b) if n is not None) + s", "a = np.add(a, 1, out=None if b is None else a)", "k = k + (w == 'low')",
        )  # fmt: skip

    def risky(self) -> str:
        """What raises for some of the values."""
        return self.choice(
            "s = s + b",
            "s = x[i]" if self.random.random() < 0.3 else "s = s * u",
            f"a = a + {self.sentinel()}",
            "a = h(a)",
            "k = k + i",
            f"{self.choice('e', 'g')}[0] = s",
            "a = r[1] * 2",
            "s = -b",
        )

    def statement(self, depth: int, looping: bool) -> list[str]:
        kind = self.random.randrange(20)
        if kind < 6 and depth:
            lines = [f"if {self.condition()}:", *self.block(depth - 1, looping)]
            if self.random.random() < 0.3:
                lines += [f"elif {self.condition()}:", *self.block(depth - 1, looping)]
            return lines + (["else:", *self.block(depth - 1, looping)] if self.random.random() < 0.5 else [])
        if kind == 6 and looping:
            return [f"if {self.condition()}:", f"    {self.choice('break', 'continue', 'break')}"]
        if kind == 7 and depth and self.loops < 2:
            self.loops += 1
            name = f"n{self.loops}"
            head = self.choice(
                f"for {name} in range(3):", f"for {name} in x:", f"while {name} < 4 and ({self.condition()}):", f"while {name} < 3:"
            )
            step = [f"    {name} += 1"] if head.startswith("while") else []
            return [f"{name} = 0", head, *step, *self.block(depth - 1, True)]
        if kind == 8 and self.random.random() < 0.5:
            return [self.risky()]
        return [self.plain()]

    def block(self, depth: int, looping: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += [f"    {line}" for line in self.statement(depth, looping)]
        return lines

    def result(self) -> str:
        parts = [
            "a",
            "s",
            "k",
            "-1 if i is None else i",
            "0.0 if b is None else b",
            "x * 0 if e is None else e * 1",
            "0 if w == 'low' else 1 if w == 'mid' else 2",
        ]
        parts += ["e", "g", "b", "i", "w", "l", "o.v", "(e, g)", "{'e': e, 'k': k}", "r if isinstance(r, tuple) else None", "e if k else w"]
        parts += ["o.v is None", "l[0] is e", "1 if h is twice else 2", "g.sum() if g is not None else s", "s if r is None else a.sum()"]
        return f"return {', '.join(self.random.sample(parts, self.random.randint(1, 6)))},"

    def program(self) -> str:
        body = [
            f"a, s, k, w, h, r = x * 1, {self.choice('x[0] + 1', '0.5', 'y[2] * 1')}, 0, 'low', {self.choice('None', 'twice')}, None",
            f"e, g = {self.choice('None', 'x + 1')}, {self.choice('None', 'None', 'x')}", "b = i = None", "l, o, t = [e, 2.0], Box(None, 1.0), (None, '')",
        ]  # fmt: skip
        for _ in range(self.random.randint(3, 7)):
            body += self.statement(2, False)
        body.append(self.result())
        return PRELUDE + "def f(x, y):\n" + "".join(f"    {line}\n" for line in body)
