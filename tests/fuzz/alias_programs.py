"""Random programs of loops that data leave in several ways, over arrays that are written in place, bound anew and bound to each other."""

from __future__ import annotations

import random

_ARRAYS = "abc"
_KEPT = ["def kept(v):", "    if v[0] > 0.25:", "        return v", "    return v * 0.5"]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Writer:
    """``x``, ``y``: inputs; ``a``, ``b``, ``c``: arrays that may be inputs, each other, or views.

    ``m``: an array of two rows, ``k``: the place of one, or behind them; ``n``: how many iterations began.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def condition(self) -> str:
        one, other = self.random.choices(_ARRAYS, k=2)
        place, bound = self.random.randrange(3), self.random.choice((-0.5, 0, 0.5, 1, 2))
        tests = f"{one}[{place}] > {bound}", f"{one}.sum() < {bound}", f"{one}[{place}] < {other}[{self.random.randrange(3)}]"
        first = self.random.choice(tests)
        return f"{first} {self.random.choice(('and', 'or'))} {self.condition()}" if self.random.random() < 0.25 else first

    def assignment(self) -> str:
        one, other = self.random.choices(_ARRAYS, k=2)
        place, factor = self.random.randrange(3), self.random.choice((0.5, -1, 1.5))
        written = [f"{one}[{place}] = {other}[{self.random.randrange(3)}] * {factor}"] * 4 + [f"{one} += 0.25", f"{one}[:2] = {other}[1:]"]
        bound = [f"{one} = {other}", f"{one} = {other}.copy()", f"{one} = {other} * 0.5 + 0.1", f"{one} = np.sort({other})"]
        row, rows = f"m[{place % 2}]", f"m[{place // 2}]"
        kept = [f"{one} = kept({other})", f"{one}[:2] = kept({other}[1:])", f"{row} = kept({rows})", f"{one} = kept({row})"]
        kept += [f"{one} = m[k] if k < 2 else {other}", f"{one} = m[k - 1] if k > 0 else {other} * 0.5"]
        kept.append(f"{one} = {other} if {self.condition()} else {self.random.choice(_ARRAYS)}")
        return self.random.choice([*written, *bound, *bound, *kept, f"{one} = {other}[::-1]", f"{one}, {other} = {other}, {one}"])

    def branch(self, depth: int, in_loop: bool) -> list[str]:
        kind = self.random.random()
        if in_loop and kind < 0.4:
            way = self.random.choice(("break", "break", "continue", "return a, b, c, n"))
            return [f"if {self.condition()}:", f"    {way}"]
        lines = [f"if {self.condition()}:", *_indented(self.block(depth + 1, in_loop))]
        return [*lines, "else:", *_indented(self.block(depth + 1, in_loop))] if kind > 0.7 else lines

    def block(self, depth: int, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.branch(depth, in_loop) if depth < 3 and self.random.random() < 0.35 else [self.assignment()]
        return lines

    def loop(self) -> list[str]:
        body = self.block(0, True) + self.block(0, True)
        if self.random.random() < 0.2:
            body = ["try:", *_indented(body), "finally:", *_indented(self.block(2, False))]
        head = self.random.choice(
            (f"while n < {self.random.randint(2, 6)}:", f"while ({self.condition()}) and n < 6:", "for _ in range(5):")
        )
        return [head, "    n += 1", *_indented(body)]

    def program(self) -> str:
        """The source of ``f(x, y)``."""
        first = self.random.choice(("x.copy()", "x")), self.random.choice(("y * 1.0", "y"))
        lines = [
            f"a = {first[0]}",
            f"b = {first[1]}",
            "c = np.sort(x)",
            "m = np.stack([x, y])",
            "k = int(x[0] > 0) + int(y[0] > 0)",
            "n = 0",
        ]
        lines += self.block(1, False) if self.random.random() < 0.3 else []
        lines += self.loop() if self.random.random() < 0.8 else self.block(0, False) + self.block(0, False)
        lines += self.block(2, False) if self.random.random() < 0.4 else []
        lines.append(f"return {self.random.choice(('a, b, c, n', 'a.copy(), b * 1, c + m, n', 'a, n', 'a.sum(), c * 2, n'))}")
        return "\n".join(["def f(x, y):", *_indented([*_KEPT, *lines])])
