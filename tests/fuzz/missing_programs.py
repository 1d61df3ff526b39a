"""Random classes with attributes and keys that only some calls set or delete: gates, defaults, caches, handlers."""

from __future__ import annotations

import random

VALUES = [
    "x * 2", "x - 1", "x.sum()", "float(x[0])", "self.n", "int(x[1] * 3)", "x[0]", "self.w * x[0]", "x[:2] + 1", "x[0] > 0",
    "np.float32(x[1])", "'up'", "(x[0], (x * 2, self.n))",
]  # fmt: skip
CONDITIONS = ["x[0] > 0", "x.sum() > 0.3", "self.n > 2", "self.n % 2 == 0", "x[1] < x[2]", "self.w.sum() > 2", "x[2] > 0 and self.n > 1"]
OF_ATTRIBUTES = [
    "out.append(getattr({owner}, '{name}', None))",
    "out.append(getattr({owner}, '{name}', x))",
    "out.append(hasattr({owner}, '{name}'))",
    "out.append({owner}.{name})",
    "if hasattr({owner}, '{name}'):\n    {owner}.{name} = {owner}.{name} * 2",
    "if not hasattr({owner}, '{name}'):\n    {owner}.{name} = {value}",
    "if hasattr({owner}, '{name}'):\n    del {owner}.{name}",
    "try:\n    out.append({owner}.{name} * 1)\nexcept AttributeError:\n    out.append(-1)",
]
OF_KEYS = [
    "out.append(self.table.get({key}))",
    "out.append(self.table.get({key}, 0))",
    "out.append({key} in self.table)",
    "out.append(self.table[{key}])",
    "if {key} in self.table:\n    self.table[{key}] = self.table[{key}] * 2",
    "if {key} not in self.table:\n    self.table[{key}] = {value}",
    "if {key} in self.table:\n    del self.table[{key}]",
    "try:\n    out.append(self.table[{key}] * 1)\nexcept KeyError:\n    out.append(-1)",
    "out.append(self.table.setdefault({key}, {value}))",
    "out.append(self.table.pop({key}, None))",
    "out.append(list(self.table))",
    "for value in self.table.values():\n    out.append(value)",
    "self.table = dict(self.table)",
]
OTHERS = [
    "self.w = self.w * 0.5 + x[0]", "self.w += x", "out.append(self.w.sum())", "if x[0] > 1.2:\n    raise ValueError('large')",
    "self.p, self.q = self.q, float(x[0])", "if self.p is not None and self.q is not None and self.p < self.q:\n    out.append(1)",
    "self.far = [*self.far[1:], x[1]]", "if self.far[0] is not None and self.far[0] > x[0]:\n    self.n += 1",
]  # fmt: skip


class Writer:
    """The source of one class ``P``, whose calls take an array of four numbers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.owner = self.rng.choice(["self", "self", "self", "self.inner"])
        self.names = self.rng.sample("abc", self.rng.randint(1, 2))
        self.keys = self.rng.sample(["'k'", "'m'", "3"], self.rng.randint(0, 2))
        self.kinds = {place: self.rng.choice(VALUES) for place in (*self.names, *self.keys)}

    def source(self) -> str:
        """The class; some have a default of a first attribute, or a method that finds what is not there."""
        hook = self.rng.choice(["", "", "", f"    {self.names[0]} = {self.rng.choice(['None', '0.0', '-1'])}\n", _HOOK])
        table = self.rng.choice(["{}", "{}", "{'z': 1.5}", "dict(z=np.ones(4))"])
        body = "".join(f"        {line}\n" for line in self._block(0))
        first = (
            f"self.n, self.w, self.inner, self.table, self.far, self.p, self.q = 0, np.zeros(4), Inner(), {table}, [None] * 3, None, None"
        )
        result = self.rng.choice(["out", "out, self.n", "out, self.w", "len(out), out"])
        begin = f"class Inner:\n    pass\n\nclass P:\n{hook}    def __init__(self):\n        {first}\n"
        return f"{begin}    def __call__(self, x):\n        self.n += 1\n        out = []\n{body}        return {result}\n"

    def _block(self, depth: int) -> list[str]:
        return [line for _ in range(self.rng.randint(1, 3)) for line in self._statement(depth)]

    def _statement(self, depth: int) -> list[str]:
        chance, one = self.rng.random(), self.rng.choice
        if chance < 0.3 and depth < 2:
            lines = [f"if {one([*CONDITIONS, *map(self._asked, (*self.names, *self.keys))])}:", *_indented(self._block(depth + 1))]
            return [*lines, "else:", *_indented(self._block(depth + 1))] if self.rng.random() < 0.3 else lines
        if chance < 0.36 and depth < 2:
            return [f"for i in range({one(['3', 'len(x)', 'self.n'])}):", *_indented(self._block(2))]
        if chance < 0.5:
            return one(OTHERS).split("\n")
        place = one([*self.names, *self.keys])
        value = self.kinds[place] if self.rng.random() < 0.9 else one(VALUES)
        if chance < 0.7:
            return [f"{self._place(place)} = {value}"]
        form = one(OF_ATTRIBUTES if place in self.names else OF_KEYS)
        return form.format(owner=self.owner, name=place, key=place, value=value).split("\n")

    def _place(self, place: str) -> str:
        return f"{self.owner}.{place}" if place in self.names else f"self.table[{place}]"

    def _asked(self, place: str) -> str:
        return f"hasattr({self.owner}, '{place}')" if place in self.names else f"{place} in self.table"


_HOOK = """    def __getattr__(self, name):
        if name in "abc":
            return -5.0
        raise AttributeError(name)
"""


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
