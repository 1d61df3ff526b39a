"""Random programs that keep lists, sets and dicts in dicts and lists, at places that only the data
know: put there, found again, held by variables, stored twice, changed, gone over and returned.
"""

from __future__ import annotations

import random

_KEYS = ["int(y[{i}])", "y[{i}].item() % 3", "k % 4", "{i}", "int(y[{i}]) + k", "2"]
_VALUES = {"int": ["1", "k", "{i}", "int(y[{i}])"], "float": ["float(x[{i}])", "0.5"], "pair": ["({i}, k)", "(k, int(y[{i}]))"]}
_CONDITIONS = ["x[{i}] > 0", "{i} % 2", "len(g) < 3", "g", "k > 1", "y[{i}] > 1", "{v} in g"]
_INNER = {"list": "[]", "set": "set()", "dict": "{}", "count": "defaultdict(int)", "deque": "deque()"}
_OUTER = {
    "dict": ["{}", "{}", "{{k}: {new}}", "{j: {new} for j in range(4)}"], "default": ["defaultdict(lambda: {new})", "defaultdict({made})"],
    "list": ["[{new} for j in range(5)]", "[{new} for j in range(n + 2)]"],
}  # fmt: skip
_OF_DICT = [
    "g = d.setdefault({k}, {new})", "g = d.setdefault({k}, {new})", "d[{k}] = {new}", "d[{k}] = g", "g = d.get({k}, g)",
    "if {k} not in d: d[{k}] = {new}", "d.pop({k}, None)", "if {k} in d: g = d[{k}]", "if {c}: g = d.setdefault({k}, {new})", "k += len(d)",
    "try:\n    g = d[{k}]\nexcept KeyError:\n    k += 1",
]  # fmt: skip
_OF_DEFAULT = ["g = d[{k}]", "g = d[{k}]", "d[{k}] = g", "if {c}: g = d[{k}]", "d[{k}] = {new}", "d.pop({k}, None)"]
_OF_LIST = [
    "g = d[{k} % 5]", "g = d[{k} % 5]", "if {c}: g = d[{k} % 5]", "d[{k} % 5] = {new}", "d[{k} % 5] = g",
    "try:\n    g = d[{k}]\nexcept IndexError:\n    k += 1", "d.append({new})", "d.append(g)",
]  # fmt: skip
_CHANGES = {
    "list": [
        "{g}.append({v})", "{g}.append({v})", "{g}.append({v})", "if g: g.pop()", "if len(g) > 1: g[0] = {v}", "g.insert(0, {v})",
        "if g: k += len(g)", "if len(g) > 2: del g[1]", "if len(g) > 4: g.clear()", "g.sort()", "g.reverse()", "g += [{v}]",
        "g.extend([{v}, {v}])",
        "for q in g: k += 1", "if {v} in g: g.remove({v})", "if {c}:\n    g.append({v})\nelse:\n    k += len(g)", "w = w + len(g)",
    ],
    "set": ["{g}.add({v})", "{g}.add({v})", "g.discard({v})", "if {v} in g: k += 1", "k += len(g)", "if {c}: g.add({v})",
        "g.update([{v}])"],
    "dict": [
        "{g}[{v}] = k", "{g}[{v}] = {g}.get({v}, 0) + 1", "g.pop({v}, 0)", "if {v} in g: del g[{v}]", "g.setdefault({v}, {i})",
        "k += len(g)",
        "for q in g: k += 1", "for q, r in g.items(): k += r", "if {c}: g[{v}] = 1",
    ],
    "count": ["{g}[{v}] += 1", "{g}[{v}] += 1", "g[{v}] = k", "if {v} in g: k += g[{v}]", "g.pop({v}, 0)", "for q, r in g.items(): k += r"],
    "deque": ["{g}.append({v})", "{g}.append({v})", "{g}.appendleft({v})", "if g: g.popleft()", "if g: g.pop()", "k += len(g)",
        "for q in g: k += 1"],
}  # fmt: skip
_HEADS = ["for {i} in range(n):", "for {i} in range(n):", "for {i} in range(n - 1, -1, -1):", "for {i}, v in enumerate(x):"]
_BETWEEN = ["s = s * 0.5", "k += 1", "if k > 25: break", "if {c}: continue", "h = g", "k += h is g"]
_READ = {
    "list": [
        "g",
        "len(g)",
        "list(g)",
        "sorted(g)",
        "g[::-1]",
        "g[:2]",
        "{v} in g",
        "g.count({v})",
        "[q for q in g]",
        "g.copy()",
        "tuple(g) == ()",
    ],
    "set": ["len(g)", "sorted(g)", "{v} in g", "g"],
    "dict": ["g", "len(g)", "sorted(g)", "list(g.items())", "g.get({v}, -1)", "sum(g.values())", "dict(g)"],
    "count": ["g", "len(g)", "sorted(g.items())", "{v} in g", "max(g.values(), default=0)"],
    "deque": ["g", "len(g)", "list(g)", "{v} in g"],
}
_RESULTS = {
    "dict": [
        "d", "dict(d)", "len(d)", "sorted(d)", "[(q, len(r)) for q, r in d.items()]", "sum(len(r) for r in d.values())",
        "{k} in d", "list(d)",
        "max(d, key=lambda q: len(d[q])) if d else None", "d.get({k}) is g", "{q: len(r) for q, r in d.items()}",
        "[q for r in d.values() for q in r]",
        "list(map(len, d.values()))", "sorted(d.items())", "len(d[{k}])",
    ],
    "list": ["d", "[len(q) for q in d]", "d[{k} % 5] is g", "[q for r in d for q in r]", "sum(map(len, d))", "len(d[{k}])",
        "max(d, key=len)"],
}  # fmt: skip


class Writer:
    """Writes one program from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        choose = self.random.choice
        self.inner = choose(["list", "list", "list", "set", "dict", "count", "deque"])
        self.outer = choose([*_OUTER])
        self.values = _VALUES["int" if self.inner in ("count", "set", "dict") else choose([*_VALUES])]
        self.count = 0

    def fill(self, text: str, i: str = "0") -> str:
        choose = self.random.choice
        own = {"dict": ["d.setdefault({k}, {new})", "g"], "default": ["d[{k}]", "g"], "list": ["d[{k} % 5]", "g"]}[self.outer]
        for name, options in (("{g}", own), ("{c}", _CONDITIONS), ("{k}", _KEYS), ("{v}", self.values)):
            while name in text:
                text = text.replace(name, choose(options), 1)
        new = _INNER[self.inner]
        made = {"[]": "list", "set()": "set", "{}": "dict", "deque()": "deque"}.get(new, f"lambda: {new}")
        return text.replace("{new}", new).replace("{made}", made).replace("{i}", i)

    def step(self, i: str) -> list[str]:
        choose, chance = self.random.choice, self.random.random
        finding = {"dict": _OF_DICT, "default": _OF_DEFAULT, "list": _OF_LIST}[self.outer]
        return self.fill(choose(finding if chance() < 0.4 else _CHANGES[self.inner]), i).split("\n")

    def loop(self, depth: int) -> list[str]:
        self.count += 1
        i, choose, chance = f"i{self.count}", self.random.choice, self.random.random
        endless = chance() < 0.2
        lines = ["while abs(s) > 0.2:" if endless else choose(_HEADS).replace("{i}", i)]
        i = "(k % max(n, 1))" if endless else i
        body = ["k += 1", "s = s * 0.5", "if k > 12: break"] if endless else []
        for _ in range(self.random.randint(1, 3)):
            body += self.loop(depth - 1) if depth and chance() < 0.2 else self.step(i)
        if chance() < 0.3:
            body.append(self.fill(choose(_BETWEEN), i))
        return lines + ["    " + line for line in body]

    def program(self) -> str:
        choose, chance = self.random.choice, self.random.random
        lines = [
            "n, k, s, w = len(x), 0, x.sum(), 0",
            self.fill(f"d = {choose(_OUTER[self.outer])}"),
            self.fill({"dict": "g = d.setdefault(1, {new})", "default": "g = d[1]", "list": "g = d[1]"}[self.outer]),
            "h = g",
        ]
        for _ in range(choose([1, 2])):
            lines += self.step("0") if chance() < 0.25 else self.loop(1)
        results = [
            self.fill(choose(choose([_READ[self.inner], _RESULTS["list" if self.outer == "list" else "dict"]])))
            for _ in range(choose([1, 1, 2]))
        ]
        results += ["k"] * (chance() < 0.3) + ["w"] * (chance() < 0.2)
        return "\n".join(["def program(x, y, m):", *["    " + line for line in [*lines, f"return {', '.join(results)}"]]])
