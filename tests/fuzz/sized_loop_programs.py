"""Random programs with loops that go over sizes: ranges of every direction and step, arrays,
``enumerate``, ``zip``, ``reversed`` and counters of the program's own, nested, left early, over
arrays, numbers and lists.
"""

from __future__ import annotations

import random

_STARTS = ["0", "0", "0", "1", "2", "n - 1", "n - 2", "n // 2", "n", "-n", "-1"]
_STOPS = ["n", "n", "n", "n - 1", "n + 1", "0", "-1", "-n", "n // 2", "2 * n", "3"]
_STEPS = ["1", "1", "1", "2", "3", "-1", "-1", "-2", "-3"]
_CONDITIONS = [
    "{i} % 2", "{i} % 3 == 0", "{i} < n - 1", "{i} > 0", "{i} == 2", "{i} != n // 2", "x[{i} % n] > 0.3", "k > 2", "s > 1", "len(out) > 2",
    "{i} < k", "a[0] < x[-1]", "y[{i} % n] % 2 == 0", "{i} >= n - 2 and k < 4",
]  # fmt: skip
_VALUES = [
    "x[{p}]", "a[{p}]", "y[{p}]", "m[{p}, 1]", "m[{p}].sum()", "x[:{i}].sum()", "{i}", "{i} * 0.5", "float({i})", "s", "k", "1", "0.5",
    "x[{p}] * y[{p}]", "(m[{p}] * x[{p}]).max()", "x[{p}:].sum()", "abs(x[{p}])", "np.sqrt(abs(a[{p}]))", "n - {i}", "int(y[{p}])",
]  # fmt: skip
_PLACES = ["{i}", "{i}", "{i}", "{i} - 1", "{i} + 1", "-1", "n - 1 - {i}", "{i} // 2", "{i} % n", "0"]
_PLAIN = [
    "a[{p}] = {v}", "a[{p}] += {v}", "a[{p}] = a[{q}] + {v}", "s = s + {v}", "s += {v}", "s = max(s, {v})", "k += 1", "k = {i}", "t = {v}",
    "out.append({v})", "a = a * 0.5", "a[1:] = a[:-1]", "a[:{i}] += 1", "s = {v}", "a[{p}], a[{q}] = a[{q}], a[{p}]", "b = a",
    "b = a.copy()", "a += b", "b[{p}] = {v}", "d['s'] = d['s'] + {v}", "a = np.where(a > s, a, x)",
    "y[{p}] = y[{p}] + 1", "pair = ({v}, pair[0])",
]  # fmt: skip


class Writer:
    """Writes one program from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def fill(self, text: str, i: str) -> str:
        for name, forms in (("{v}", _VALUES), ("{p}", _PLACES), ("{q}", _PLACES), ("{p}", _PLACES)):
            while name in text:
                text = text.replace(name, self.random.choice(forms), 1)
        return text.replace("{i}", i)

    def bounds(self) -> str:
        choose, count = self.random.choice, self.random.choice([1, 1, 2, 2, 3, 3])
        return ", ".join([choose(_STOPS)] if count == 1 else [choose(_STARTS), choose(_STOPS), choose(_STEPS)][:count])

    def loop(self, depth: int, outer: str) -> list[str]:
        self.loops += 1
        i, v, choose = f"i{self.loops}", f"v{self.loops}", self.random.choice
        body = self.block(depth, i)
        heads = [
            f"for {i} in range({self.bounds()}):",
            f"for {i} in range({self.bounds()}):",
            f"for {i} in reversed(range({self.bounds()})):",
            f"for {i}, {v} in enumerate({choose(['x', 'm', 'range(n)', 'x, 1', 'y'])}):",
            f"for {i}, {v} in zip({choose(['range(n)', 'y', 'range(n - 1, -1, -1)'])}, {choose(['x', 'm', 'range(1, n)'])}):",
            f"for {i} in range({choose(_STARTS[:3])}, {outer}):",
        ]
        if self.random.random() < 0.12:
            step, test = choose([("+= 1", "< n"), ("+= 2", "< n - 1"), ("-= 1", "> 0")])
            return [f"{i} = {'0' if '<' in test else 'n - 1'}", f"while {i} {test}:", f"    {i} {step}", *body]
        lines = [choose(heads), *body]
        return lines + (["else:", "    " + self.fill(choose(_PLAIN), "k")] if self.random.random() < 0.1 else [])

    def block(self, depth: int, i: str) -> list[str]:
        return ["    " + line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, i)]

    def statement(self, depth: int, i: str) -> list[str]:
        roll, choose = self.random.random(), self.random.choice
        if roll < 0.2:
            lines = [f"if {self.fill(choose(_CONDITIONS), i)}:", *self.block(0, i)]
            return lines + (["else:", *self.block(0, i)] if self.random.random() < 0.4 else [])
        if roll < 0.27:
            return [f"if {self.fill(choose(_CONDITIONS), i)}:", "    " + choose(["break", "continue", "break", "return a, s, k"])]
        if depth and roll < 0.42:
            return self.loop(depth - 1, i)
        return [self.fill(choose(_PLAIN), i)]

    def program(self) -> str:
        choose = self.random.choice
        lines = ["def program(x, y, m):", "n, k, t, pair = len(x), 0, 0, (1, 2)", "b, out, d = a, [], {'s': 0.5}"]
        lines.insert(2, f"s = {choose(['0', '0.0', 'x[0]', 'x.sum()', 'np.float64(0)'])}")
        lines.insert(2, f"a = {choose(['x.copy()', 'np.zeros(n)', 'x * 2', 'np.zeros(n + 1)', 'x'])}")
        for _ in range(self.random.randint(1, 2)):
            lines += self.loop(2, choose(["n", "n - 1"]))
        lines.append(choose(["return a, s, k, t", "return a, b, s, out, d", "return np.array(out), a, y, pair", "return s, k, out"]))
        return "\n".join([lines[0], *["    " + line for line in lines[1:]]])
