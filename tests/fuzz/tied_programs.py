"""Random classes with three arrays of one shape, whose names calls give to one another where data say, and into which they write."""

from __future__ import annotations

import random

_GUARDS = ["x[0] > 0", "x.sum() < 0.5", "self.n > 2", "{a}.sum() > {b}.sum()", "self.n % 2 == 0", "self.n == 1"]
_NAMES = ["self.u", "self.v", "self.w", "self.l[0]", "self.d['k']"]
_VALUES = [*["{b}"] * 7, "{b} + x", "x * 2", "{b}.copy()", "{b}[::-1]", "x", "t", "{b}.reshape(4)", "np.sort({b})"]
_WRITES = ["{a} += x", "{a}[0] = x[1]", "{a}[...] = {b} * 0.5", "t[1] = x[2]", "np.add({a}, 1, out={a})", "{a} *= 0.5", "{a}[1:] -= 1"]
_OTHER = [
    "t = {a}", "t = {a} * 1", "t = x + {b}", "self.n += 1", "{a}, {b} = {b}, {a}", "out.append({a} * 1)", "out.append({a}.sum())",
    "out.append({a})", "if self.n > 4: raise ValueError(str(self.n))", "out.append({a} is {b})",
]  # fmt: skip


class Writer:
    """Writes one class from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def _statement(self, names: list[str]) -> str:
        choose, chance = self._random.choice, self._random.random()
        if chance < 0.4:
            text = f"{{a}} = {choose(_VALUES)}"
            text = f"if {choose(_GUARDS)}: {text}" if self._random.random() < 0.8 else text
        else:
            text = choose(_WRITES) if chance < 0.65 else choose(_OTHER)
        first, second = self._random.choices(names, k=2)
        return text.format(a=first, b=second)

    def source(self) -> str:
        """A class ``P`` whose objects are called with a vector."""
        names = self._random.sample(_NAMES, self._random.choice((2, 2, 3)))
        first = ["self.u, self.v, self.w, self.n = np.zeros(4), np.ones(4), np.arange(4.0), 0"]
        first += [self._random.choice(["self.l, self.d = [np.ones(4)], {'k': np.zeros(4)}", "self.l, self.d = [self.u], {'k': self.v}"])]
        body = ["out, t = [], x * 1", *[self._statement(names) for _ in range(self._random.randint(2, 6))]]
        body.append(f"return out, {self._random.choice(names)}{self._random.choice(['', ' * 1', '.sum()'])}")
        made = ["class P:", "    def __init__(self):", *["        " + line for line in first], "    def __call__(self, x):"]
        return "\n".join([*made, *["        " + line for line in body]])
