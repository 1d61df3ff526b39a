"""Random programs that keep what they count, group and remember in dicts and sets, by keys that only
the data know: made, filled, asked, changed and gone over in loops over sizes and over data, on sides
of branches, and in straight lines.
"""

from __future__ import annotations

import random

_KEYS = {
    "int": ["int(y[{i}])", "y[{i}].item()", "int(y[{i}]) % 3", "k", "{i}", "int(y[{i}]) + k", "2"],
    "scalar": ["y[{i}]", "y[{i}] % 3", "y[{i}] + 1"],
    "tuple": ["(int(y[{i}]), {i} % 2)", "(int(y[{i}]) % 2, k)", "({i} % 2, int(y[{i}]))", "(1, 0)"],
    "float": ["float(y[{i}])", "y[{i}] * 0.5", "float(x[{i}] > 0)"],
    "bool": ["bool(y[{i}] > 1)", "y[{i}].item() > 0"],
}
_VALUES = {
    "int": (["1", "k", "{i}", "int(y[{i}])", "len({d})"], "0"),
    "float": (["float(x[{i}])", "0.5", "float({i})"], "0.0"),
    "numpy": (["x[{i}]", "x[{i}] * 2", "s"], "s"),
    "pair": (["(k, float(x[{i}]))", "({i}, 0.5)"], "(0, 0.0)"),
    "row": (["m[{i}] * 2", "w + {i}"], "w"),
}
_CONDITIONS = ["x[{i}] > 0", "{i} % 2", "{k} in {d}", "{k} not in {d}", "len({d}) < 3", "k > 1", "y[{i}] > 1", "{d}"]
_DICTS = [
    "{d}[{k}] = {v}", "{d}[{k}] = {v}", "{d}[{k}] = {d}.get({k}, {z})", "{d}.setdefault({k}, {v})", "if {k} in {d}: del {d}[{k}]",
    "{d}.pop({k}, {z})", "if {k} not in {d}: {d}[{k}] = {v}", "if {c}: {d}[{k}] = {v}", "{d}.update({{k}: {v}})",
    "try:\n    w = w + np.sum({d}[{k}])\nexcept KeyError:\n    k += 1", "if {c}:\n    {d}[{k}] = {v}\nelse:\n    {d}.pop({k}, None)",
    "if {d} and k > 2: {d}.popitem()", "{d} = dict({d})", "e = {d}", "if len({d}) > 4: {d}.clear()",
]  # fmt: skip
_COUNTS = ["{d}[{k}] = {d}.get({k}, 0) + 1", "{d}[{k}] = {d}.get({k}, 0) + 1", "if {k} in {d}: {d}[{k}] += 1\nelse: {d}[{k}] = 1"]
_SETS = [
    "{d}.add({k})", "{d}.add({k})", "{d}.discard({k})", "if {k} in {d}: {d}.remove({k})", "if {c}: {d}.add({k})",
    "if {k} not in {d}:\n    {d}.add({k})\n    k += 1", "{d} = {d} | {{k}}", "{d} |= {{k}}", "{d} = {d} - {{k}}", "{d}.update([{k}, {k}])",
]  # fmt: skip
_MADE = {
    "dict": ["{}", "{}", "dict()", "{{k}: {v}}", "{{k}: {v} for {i} in range(n)}", "dict(zip([{k} for {i} in range(n)], x.tolist()))"],
    "count": ["{}", "Counter()", "defaultdict(int)", "Counter({k} for {i} in range(n))", "Counter([{k} for {i} in range(n)])"],
    "set": ["set()", "{{k}}", "{{k} for {i} in range(n)}", "set({k} for {i} in range(n))", "set([{k} for {i} in range(n)])"],
}
_HEADS = [
    "for {i} in range(n):", "for {i} in range(n):", "for {i} in range(1, n):", "for {i} in range(n - 1, -1, -1):",
    "for {i}, v in enumerate(x):",
]  # fmt: skip
_BETWEEN = ["s = s * 0.5", "k += 1", "k = max(k, len({d}))", "w = w * 0.5", "if k > 5: break", "if {c}: continue"]
_OF_DICTS = [
    "{d}", "{d}", "len({d})", "list({d})", "list({d}.values())", "list({d}.items())", "{k} in {d}", "{d}.get({k}, {z})", "{d}[{k}]",
    "sorted({d})", "{d}.copy()", "dict({d}.items())", "{**{d}}", "[q for q in {d}]", "[(q, r) for q, r in {d}.items()]", "type({d})",
    "isinstance({d}, dict)", "bool({d})", "set({d})", "{d} == dict({d})", "sum(1 for q in {d} if q in {d})",
]  # fmt: skip
_OF_COUNTS = [
    *_OF_DICTS, "sum({d}.values())", "max({d}, key={d}.get)", "max({d}.values())", "sorted({d}.items(), key=lambda q: (-q[1], q[0]))",
    "np.array(list({d}.values()))", "max({d}.items(), key=lambda q: q[1])", "sum(c * c for c in {d}.values())",
    "min({d}.values(), default=0)",
    "Counter({d}).most_common(2)", "any(c > 1 for c in {d}.values())",
]  # fmt: skip
_OF_SETS = [
    "{d}", "len({d})", "sorted({d})", "{k} in {d}", "max({d}, default=None)", "min({d}, default=None)", "{d} & {{k}}", "{d} ^ {{k}}",
    "{d} == {{k}}",
    "frozenset({d})", "{d}.copy()", "len({d} | {{k}})", "{d}.issubset({{k}})", "isinstance({d}, set)", "any({d})", "{d} <= {{k}}",
]  # fmt: skip
_AFTER = [
    "for q in {d}:\n    k += 1",
    "for q, r in {d}.items():\n    w = w + np.sum(r)",
    "for q in list({d}):\n    {d}[q] = {z}",
    "for q in {d}: {d}[q] = {z}",
]


class Writer:
    """Writes one program from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        choose = self.random.choice
        self.kind = choose(["dict", "count", "count", "set"])
        self.keys = _KEYS[choose(["int", "int", "int", "scalar", "tuple", "float", "bool"])]
        self.values, self.default = _VALUES["int" if self.kind == "count" else choose([*_VALUES])]
        self.count = 0

    def fill(self, text: str, i: str = "0") -> str:
        choose = self.random.choice
        while "{c}" in text or "{k}" in text or "{v}" in text:
            text = text.replace("{c}", choose(_CONDITIONS), 1).replace("{k}", choose(self.keys), 1).replace("{v}", choose(self.values), 1)
        return text.replace("{z}", self.default).replace("{i}", i).replace("{d}", "d")

    def step(self, i: str) -> list[str]:
        choose, chance = self.random.choice, self.random.random
        table = {"dict": _DICTS, "count": [*_COUNTS, *_COUNTS, *_DICTS], "set": _SETS}[self.kind]
        lines = self.fill(choose(table), i).split("\n")
        return lines + (self.fill(choose(_BETWEEN[:4]), i).split("\n") if chance() < 0.2 else [])

    def loop(self, depth: int) -> list[str]:
        self.count += 1
        i, choose, chance = f"i{self.count}", self.random.choice, self.random.random
        endless = chance() < 0.2
        lines = [choose(["while k < 9 and len(d) < 4:", "while abs(s) > 0.2:"]) if endless else choose(_HEADS).replace("{i}", i)]
        i = "(k % max(n, 1))" if endless else i
        body = ["k += 1", "s = s * 0.5", "if k > 12: break"] if endless else []
        for _ in range(self.random.randint(1, 3)):
            body += self.loop(depth - 1) if depth and chance() < 0.2 else self.step(i)
        if chance() < 0.2:
            body.append(self.fill(choose(_BETWEEN), i))
        return lines + ["    " + line for line in body]

    def program(self) -> str:
        choose, chance = self.random.choice, self.random.random
        made = choose(_MADE[self.kind])
        lines = ["n, k, s, w = len(x), 0, x.sum(), np.ones(3)", f"d = {self.fill(made, 'i' if ' for ' in made else '0')}"]
        for _ in range(self.random.choice([1, 1, 2])):
            lines += self.step("0") if chance() < 0.25 else self.loop(1)
        if chance() < 0.25 and self.kind != "set":
            lines += self.fill(choose(_AFTER)).split("\n")
        results = [self.fill(choose({"dict": _OF_DICTS, "count": _OF_COUNTS, "set": _OF_SETS}[self.kind])) for _ in range(choose([1, 2]))]
        results += ["k"] * (chance() < 0.3) + ["w"] * (chance() < 0.2)
        return "\n".join(["def program(x, y, m):", *["    " + line for line in [*lines, f"return {', '.join(results)}"]]])
