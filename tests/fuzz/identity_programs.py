"""Random programs that ask which arrays are one object, where data decide what variables hold."""

from __future__ import annotations

import random

_ARRAYS = "abcd"
_OBJECTS = "abcdxy"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Writer:
    """``x``, ``y``: inputs; ``a``, ``b``, ``c``, ``d``: arrays that may be inputs, each other, or views; ``k``: the answers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def question(self) -> str:
        return f"{self.random.choice(_ARRAYS)} {self.random.choice(('is', 'is', 'is not'))} {self.random.choice(_OBJECTS)}"

    def condition(self) -> str:
        one, other = self.random.choices(_ARRAYS, k=2)
        return self.random.choice(
            (self.question(), f"{one}[0] > {other}[1]", f"{one}.sum() > {self.random.choice('012')}", f"{one}[2] < 0")
        )

    def assignment(self) -> str:
        one, other, third = self.random.choices(_ARRAYS, k=3)
        bound = [f"{one} = {other}", f"{one} = {other}", f"{one} = {self.random.choice('xy')}", f"{one}, {other} = {other}, {one}"]
        made = [f"{one} = {other} * 0.5 + 0.25", f"{one} = {other} - {third}", f"{one} = {other}[:]"]
        chosen = [f"{one} = {other} if {self.condition()} else {third}", f"{one} = [{other}, {third}, {other}][int({other}[0] > 0)]"]
        asked = [f"k = k * 2 + ({self.question()})"] * 2
        return self.random.choice([*bound, *made, *chosen, *asked])

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        kind = self.random.random()
        if kind < 0.3 and depth < 2:
            lines = [f"if {self.condition()}:", *_indented(self.block(depth + 1, in_loop))]
            return [*lines, "else:", *_indented(self.block(depth + 1, in_loop))] if kind < 0.15 else lines
        if kind < 0.36 and depth == 0 and not in_loop:
            return [f"for _ in range({self.random.choice((3, 12))}):", *_indented(self.block(1, True))]
        return [self.assignment()]

    def block(self, depth: int, in_loop: bool) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def program(self) -> str:
        """The source of ``f(x, y)``."""
        lines = ["a = x", "b = y", "c = x + y", "d = x * 0.5", "k = 0"]
        lines += [line for _ in range(self.random.randint(2, 5)) for line in self.statement(0, False)]
        results = self.random.choice(("", "a, ", "a + 0, d, "))
        lines.append(f"return {results}k, {', '.join(self.question() for _ in range(4))}")
        return "\n".join(["def f(x, y):", *_indented(lines)])
