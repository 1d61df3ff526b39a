# ruff: noqa: E501
"""Random programs whose arrays get other sizes on the sides of branches, and in the iterations of loops, on data."""

from __future__ import annotations

import random

PRELUDE = """
class Box:
    def __init__(self, v):
        self.v = v
    def cut(self, q):
        if q > 0: self.v = self.v[1:]
        return self.v
def early(v, q):
    if q > 0: return v[:2]
    if len(v) > 3: return v
    return v * 2
def keep(v):
    m = v > 0
    if m.any(): v = v[m]
    return v
"""


class Writer:
    """``x``, ``y``: inputs; ``a``, ``b``, ``c``: arrays of any length; ``p``, ``q``: two of one length; ``w``: of two axes; ``s``, ``k``: numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0
        self.returned = self.result()

    def choice(self, *options: str) -> str:
        return self.random.choice(options)

    def array(self) -> str:
        return self.choice("a", "b", "c", "a", "b", "x", "y", "l[0]", "o.v")

    def condition(self) -> str:
        one = self.array()
        return self.choice(
            f"{one}.sum() > {self.choice('0', '1', 's')}", f"len({one}) > {self.choice('2', '3', 'k')}", f"({one} > 1).any()", "s > 1", "x[0] > 0",
            "y[1] > x[1]", "p.sum() < q.sum()", "k > 2", f"{one}.size and {one}[0] > 0", "w.sum() > 1", "x[2] > 1 or y[0] < 0", "w.shape[0] > 1", "not (p > q).all()",
        )  # fmt: skip

    def expression(self) -> str:
        """An array of any length."""
        one, other = self.array(), self.array()
        return self.choice(
            f"{one}[1:]", f"{one}[::2]", f"{one}[:2] * 2", f"{one}[{one} > 0]", f"np.append({one}, s)", f"np.concatenate([{one}, {other}])", f"{one} * 2", f"{one} + 1",
            f"{one}", "x", "y[1:]", "np.zeros(2)", f"{one}.copy()", f"{one}[::-1]", f"early({one}, s)", f"keep({one})", f"{one}[:k]", f"o.cut({self.choice('s', 'x[0]')})",
            f"{one}[1:] if {self.condition()} else {other}", f"{one} * 1 if {self.condition()} else {other}[:2] + 1", "p", "p + q", "w[0]", "w.sum(axis=1)", "w.ravel()", f"np.sort({one})",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kind = self.random.randrange(20)
        if kind < 6 and depth < 3:
            return self.branch(depth)
        if kind < 10:
            return [f"{self.choice('a', 'b', 'c', 'a', 'l[0]', 'o.v')} = {self.expression()}"]
        if kind == 10:
            return [
                self.choice(
                    "p, q = p[1:], q[1:]",
                    "p, q = p[p > 0], q[p > 0]",
                    "p, q = p + q, q * 2",
                    "p = p * q",
                    "p, q = np.append(p, s), np.append(q, 1.0)",
                    "p, q = q, p",
                )
            ]
        if kind == 11:
            return [
                self.choice(
                    "w = w[1:]",
                    "w = w[:, 1:]",
                    "w = np.concatenate([w, w])",
                    "w = w * 2",
                    "w = w[w[:, 0] > 0]",
                    "w = w.T",
                    "w = w[::-1]",
                    "w = w + s",
                )
            ]
        if kind == 12:
            return [
                self.choice(
                    "s = a.sum()",
                    "s = b[:1].sum() + 1",
                    "s = c.max() if len(c) else s",
                    "s = s * 0.5",
                    "s = w.sum()",
                    "s = a[0]",
                    "s = p @ q",
                )
            ]
        if kind == 13:
            return [self.choice("k = len(a)", "k = b.shape[0]", "k += 1", "k = c.size - 1", "k = w.shape[0]")]
        if kind == 14:
            return [
                self.choice(
                    "a[:1] = 5.0",
                    "b += 1",
                    "a *= 2",
                    "c[-1:] = s",
                    "l[0] += 1",
                    "o.v[:2] = 0",
                    "w[:1] += 1",
                    "p -= 1",
                    "a[::2] = 1.0",
                    "x += 1",
                )
            ]
        if kind == 15 and depth < 2 and self.loops < 2:
            return self.loop(depth)
        if kind == 16:
            return [self.choice("l[1] = s", "d = {'u': a, 'k': k}", "a, b = b, a", "c = a + b[: len(a)] if len(b) == len(a) else c")]
        if kind == 17 and depth:
            return [f"return {self.result() if self.random.random() < 0.2 else self.returned}"]
        return [f"{self.choice('a', 'b', 'c')} = {self.expression()}"]

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *self.block(depth + 1)]
        if self.random.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1)]
        return lines + (["else:", *self.block(depth + 1)] if self.random.random() < 0.5 else [])

    def loop(self, depth: int) -> list[str]:
        self.loops += 1
        name = f"n{self.loops}"
        body = self.block(depth + 1)
        if self.random.random() < 0.4:
            body += [f"    if {self.condition()}: {self.choice('continue', 'break', 'break')}", *self.block(depth + 1)]
        if self.random.random() < 0.3:
            return [f"for {name} in range({self.choice('3', 'int(abs(x[1]))')}):", *body]
        return [f"{name} = 0", f"while ({self.condition()}) and {name} < 4:", f"    {name} += 1", *body]

    def block(self, depth: int) -> list[str]:
        return [f"    {line}" for _ in range(self.random.randint(1, 3)) for line in self.statement(depth)]

    def result(self) -> str:
        return self.choice(
            "a", "a, b", "a * 1, len(a), s", "(a, l[0], l[1])", "o.v * 1, k", "{'a': a, 'k': k}", "c", "p + q, p.shape", "w", "w * 1, w.shape", "s", "a.sum(), b.size",
            "x, a * 2", "a * 1, b * 1, c * 1, p * 1, q * 1, w * 1, s, k",
        )  # fmt: skip

    def program(self) -> str:
        body = [
            "a, b, c = x * 1, y[1:] + 1, np.zeros(3)",
            "p, q, w = x + 1, y * 2, np.outer(x, y[:3])",
            "s, k, l, o = x[0] + 1, 2, [x + 2, 1.0], Box(x - y)",
        ]
        for _ in range(self.random.randint(2, 5)):
            body += self.statement(0)
        body.append(f"return {self.returned}")
        return PRELUDE + "def f(x, y):\n" + "".join(f"    {line}\n" for line in body)
