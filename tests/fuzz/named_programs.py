"""Random classes whose containers have several names, which calls replace, write into, compare and return."""

from __future__ import annotations

import random

_KINDS = {"dict": ('{{"p": {0}, "q": {1}}}', '["p"]', '["q"]'), "list": ("[{0}, {1}]", "[0]", "[1]"), "object": ("R({0}, {1})", ".p", ".q")}
"""By kind of container: how one is made, and its two places."""
_PLACES = ["self.a", "self.b", "self.c[0]", "self.c[1]", "self.d.p", "self.e['k'][0]"]
_FIRSTS = {
    "self.a": ["{new}"] * 9 + ["None"],
    "self.b": ["{new}", "self.a", "self.a"] * 3 + ["None"],
    "self.c": ["[self.a, {new}]", "[self.a, self.b]", "[self.b, self.b]", "[]"],
    "self.d": ["R(self.a, 0.0)", "R({new}, 2.5)", "R(self.b, 0.0)"],
    "self.e": ["{{'k': [self.a]}}", "{{'k': self.c}}", "{{'k': [self.b, self.d]}}"],
}
_STATEMENTS = [
    "n = {new}", "n = {new}", "n = {read}", "{place} = n", "{place} = {read} = n", "{place} = n", "{place} = {read}", "{place} = {new}",
    "{place} = {read} = {new}", "self.c = [n, {read}]", "self.c = [n, n]", "self.c = [{read}, n]", "self.c = []\nself.c.append(n)",
    "self.d = R(n, x[0])", "self.e = {{'k': [n]}}", "self.e = {{'k': self.c}}", "{place}, {read} = {read}, {place}",
    "{place}{p} = x * 2", "{place}{p} = {read}{q} + x", "{place}{p} = {place}{p} + 1", "{place}{p}[0] = x[0]", "n{q} = x - 1",
    "n{q}[1] += 1", "out.append({place} is {read})", "out.append(n is {read})", "out.append({read}{p})", "out.append({read}{q} * 1)",
    "out.append(n)", "out.append({place}{p} is {read}{p})", "n = copy.copy({read})", "n = copy.deepcopy({read})", "out.append(len(self.c))",
    "for r in self.c: out.append(r{p} + 0)", "{place}{p}, {place}{q} = {place}{q}, {place}{p}",
]  # fmt: skip
_GUARDED = "if x[0] > 0: {}"


class Writer:
    """Writes one class from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._new, self._p, self._q = self._random.choice(list(_KINDS.values()))

    def _value(self, inside: bool) -> str:
        values = ["np.zeros(4)", "np.ones(4)", "np.arange(4.0)"]
        values += ["x + 1", "x * 2", "x.copy()", "x", f"{self._place()}{self._p}", f"{self._place()}{self._q} + x"] if inside else []
        return self._random.choice(values)

    def _place(self) -> str:
        return self._random.choice(_PLACES[: self._random.choice((2, 4, 6))])

    def _container(self, inside: bool) -> str:
        return self._new.format(self._value(inside), self._value(inside))

    def _statement(self) -> list[str]:
        text = self._random.choice(_STATEMENTS)
        text = text.format(new=self._container(True), read=self._place(), place=self._place(), p=self._p, q=self._q)
        lines = text.split("\n")
        return [_GUARDED.format(lines[0])] if len(lines) == 1 and ":" not in text and self._random.random() < 0.08 else lines

    def source(self) -> str:
        """A class ``P`` whose objects are called with a vector."""
        first = [f"{name} = {self._random.choice(values).format(new=self._container(False))}" for name, values in _FIRSTS.items()]
        body = ["out = []", f"n = {self._container(True)}"]
        for _ in range(self._random.randint(2, 6)):
            body += self._statement()
        body.append(f"return out, {self._place()}" if self._random.random() < 0.3 else "return out")
        record = "class R:\n    def __init__(self, p, q):\n        self.p, self.q = p, q\nimport copy\n"
        made = ["class P:", "    def __init__(self):", *["        " + line for line in first], "    def __call__(self, x):"]
        return record + "\n".join([*made, *["        " + line for line in body]])
