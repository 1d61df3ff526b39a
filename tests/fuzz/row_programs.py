"""Random programs of loops over the rows of arrays: variables get rows, each other and views, data end the loops, and what the
variables hold is written to and returned.
"""

from __future__ import annotations

import random

_VARIABLES = "abc"
_LOOPS = (
    ["for i, r in enumerate(x):"],
    ["for i, r in enumerate(x[1:]):"],
    ["for i, r in enumerate(x[::-1]):"],
    ["for i, r in enumerate([x[1], y[0], x[2]]):"],
    ["for i, (r, q) in enumerate(zip(x, y)):"],
    ["for i in range(len(x)):", "    r = x[i]"],
    ["i = -1", "while i < 2:", "    i += 1", "    r = x[i]"],
)


class Writer:
    """``x``, ``y``: inputs of two axes; ``a``, ``b``, ``c``: rows or arrays like rows; ``r``: the row of an iteration."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.in_loop = False

    def value(self) -> str:
        """A row, or an array like one."""
        chosen = self.random.choice([*_VARIABLES, *("rrr" if self.in_loop else "")])
        made = self.random.choice(("[:]", "[::-1]", " * 2", ".copy()", " + 1", ".T", ".reshape(3)"))
        row = f"{self.random.choice('xy')}[{self.random.choice(['0', '1', '-1', *(['i'] if self.in_loop else [])])}]"
        return self.random.choice((chosen, chosen, chosen, chosen + made, row))

    def assignment(self) -> str:
        one, other = self.random.choices(_VARIABLES, k=2)
        pair = f"{one}, {other} = {self.random.choice(_VARIABLES)}, {self.value()}"
        write = f"{one}{self.random.choice((' += 1', ' *= 2', '[0] = 5.0', f'[:] = {other}'))}"
        return self.random.choice((f"{one} = {self.value()}", f"{one} = {self.value()}", f"{one} = {self.value()}", pair, write))

    def statement(self, depth: int = 0) -> list[str]:
        if depth == 2 or self.random.random() < 0.6:
            return [self.assignment()]
        one = self.random.choice([*_VARIABLES, *("rr" if self.in_loop else "")])
        limit = self.random.choice(("0", "0.5", "-0.5", f"{self.random.choice(_VARIABLES)}[0]"))
        side = self.statement(depth + 1)
        if self.in_loop and self.random.random() < 0.4:
            side += [self.random.choice(("break", "continue", f"return {self.random.choice(_VARIABLES)}"))]
        lines = [f"if {one}[{self.random.randrange(3)}] {self.random.choice('<>')} {limit}:", *_indented(side)]
        return [*lines, "else:", *_indented(self.statement(depth + 1))] if self.random.random() < 0.4 else lines

    def program(self) -> str:
        """The source of ``f(x, y)``."""
        first = self.random.choice(("x[0]", "y[1]", "x[-1]", "x[0].copy()", "np.zeros(3)"))
        lines = [f"a = {first}", f"b = {self.random.choice(('x[0]', 'a', 'y[1]', 'y[0] * 2', 'a[:]'))}"]
        lines += [f"c = {self.random.choice(('b', 'a', 'y[2]', 'x[2] + 1'))}", *(self.statement() if self.random.random() < 0.5 else ())]
        lines += self.random.choice(_LOOPS)
        self.in_loop = True
        lines += _indented([line for _ in range(self.random.randint(1, 3)) for line in self.statement()])
        self.in_loop = False
        lines += [line for _ in range(self.random.randrange(3)) for line in self.statement()]
        lines.append(f"return {self.random.choice(('a', 'a, b', 'a, c, x', 'b', 'x', 'a + b, c', '[a, b]', 'y, a', 'x[0], b'))}")
        return "\n".join(["def f(x, y):", *_indented(lines)])


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
