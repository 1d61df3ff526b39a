"""Random programs with loops on data over arrays, scalars, containers and views that share memory."""

from __future__ import annotations

import random
from typing import NamedTuple

_FIRST = ["y = x", "y = x.copy()", "y = x[::-1]", "y = np.zeros(3)", "y = x * 0.5", "y = x[:]"]
_SECOND = ["z = y", "z = x", "z = y[::-1]", "z = np.ones(3)", "z = x + y", "z = y.copy()"]
_SUM = ["s = x[0] + 0.5", "s = x[0] + 0.5", "s = 0.0", "s = 0"]
_PLAIN = [
    "x = x + 0.5", "x = x * 0.5", "y = y * 0.5 + 1", "z = x - y", "x += 0.25", "y *= 0.5", "z -= 0.125", "x[k % 3] = s", "y[0] = x[1]",
    "z[1:] = x[:2]", "y = x", "z = y", "x = z", "y = x[::-1]", "x, y = y, x", "y, z = z, y", "y[:] = x", "np.add(x, 0.5, out=y)",
    "s = s + x.sum()", "s = x[k % 3] + 1", "s = s + 1.5", "s = np.abs(y).max()", "t = (x, s)", "x = t[0]", "s = s + t[1]", "box[0] = s",
    "box[0] = box[0] + x", "s = s + box[1]", "box[1] = box[1] + 0.5", "table['a'] = table['a'] * 0.5", "x = x + table['a']",
    "y = y.copy()", "z = np.where(x > y, x, y)", "m = m + k", "m = max(m, k)", "x[m % 3] += 0.5", "last = s", "holder.v = holder.v + s",
    "box = [s + 0.5, x * 0.5]", "box = [box[0] + 1, box[1] * 0.5]", "box = [v * 0.5 for v in box]", "box, spare = spare, box",
    "spare = [box[0] * 1, box[1] + x]", "spare[0] = spare[0] + s", "spare = box", "table = {'a': x + s}", "table = {**table, 'a': y * 1}",
    "holder = Holder(holder.v * 0.5)", "holder = Holder(box)", "pair = pair._replace(a=pair.a + 1)", "pair = Pair(s * 1, pair.b + y)",
    "x = x + pair.b", "s = s + pair.a", "holder.v[0] = s", "x = holder.v", "flag = not flag", "f = f * 0.5 + 1", "f = float(s)",
    "s = s + f",
]  # fmt: skip
_HEADS = [
    "while s < 6 and k < 7:", "for i in range(6):", "for i in range(int(q)):", "while k < 5:", "while x.sum() < 9 and k < 6:",
    "while True:",
]  # fmt: skip
_LEAVING = ["break", "continue", "break", "return x * 1, y * 1, s, k", "return y * 1, x * 1, s, m", "return s"]
_TESTS = ["s > 2", "x.sum() > y.sum()", "s < 8", "x[0] > 0", "k % 2 == 0", "flag", "x[k % 3] > s", "m > 2", "not (y > x).any()", "f > 1.5"]
_AFTER = ["x[0] = 9.0", "y += 1.0", "z[:] = 0.0", "x = x + y", "box[1] = s", "pass", "s = s + last", "y[1:] = z[:2]", "holder.v += 1"]


class Holder:
    """An object with an attribute."""

    def __init__(self, v: object) -> None:
        self.v = v


class Pair(NamedTuple):
    """A tuple whose items have names."""

    a: object
    b: object


class Writer:
    """Writes one program from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def block(self, depth: int, looping: bool, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 4)):
            lines += [indent + line for line in self.statement(depth, looping)]
        return lines

    def statement(self, depth: int, looping: bool) -> list[str]:
        roll = self.random.random()
        if depth and roll < 0.2:
            lines = [f"if {self.random.choice(_TESTS)}:", *self.block(depth - 1, looping, "    ")]
            return lines + (["else:", *self.block(depth - 1, looping, "    ")] if self.random.random() < 0.4 else [])
        if looping and roll < 0.32:
            return [f"if {self.random.choice(_TESTS)}:", "    " + self.random.choice(_LEAVING)]
        if depth > 1 and roll < 0.38:
            return [f"for j in range({self.random.choice(['2', 'int(q) % 3'])}):", *self.block(0, False, "    ")]
        if depth > 1 and roll < 0.42:
            head = self.random.choice([f"while n < 3 and {self.random.choice(_TESTS)}:", "while n < 3:"])
            lines = ["n = 0", head, "    n += 1", *self.block(1, True, "    ")]
            return lines + (["else:", *self.block(0, False, "    ")] if self.random.random() < 0.3 else [])
        if depth > 1 and roll < 0.45:
            return ["try:", *self.block(1, looping, "    "), "finally:", "    m += 1"]
        return [self.random.choice(_PLAIN)]

    def program(self) -> str:
        choose = self.random.choice
        head = choose(_HEADS)
        lines = [
            "def program(x, q):", choose(_FIRST), choose(_SECOND), choose(_SUM), "k, m, flag, f = 0, 0, False, 0.5", "t = (y, s)",
            "last = s", "box = [np.float64(1.0), x * 1.0]", "table = {'a': np.ones(3)}",
            "spare, pair = [np.float64(2.0), x * 2.0], Pair(x[1], y * 1.0)", f"holder = Holder({choose(['x', 'np.ones(3)', 'y'])})",
            head, "    k += 1", *(["    if k > 6: break"] if head == "while True:" else []), *self.block(2, True, "    "),
        ]  # fmt: skip
        if head != "while True:" and self.random.random() < 0.2:
            lines += ["else:", *self.block(0, False, "    ")]
        lines += [choose(_AFTER) for _ in range(2)]
        if self.random.random() < 0.7:  # the arrays themselves, or their values
            given = "return x * 1, y * 1, z * 1, s, k, m, flag, f, box[0] * 1, box[1] * 1, table['a'] * 1, holder.v * 1"
            lines.append(given + ", spare[0] * 1, spare[1] * 1, pair.a * 1, pair.b * 1")
        else:
            lines.append("return x, y, z, s, k, m, flag, f, box, table['a'], holder.v, spare, pair[1]")
        return "\n".join([lines[0], *["    " + line for line in lines[1:]]])
