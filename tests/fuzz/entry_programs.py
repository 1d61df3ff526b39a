"""Random programs over a list of entries (lists of a value and a count) that a loop over data fills: searches find an entry, change it or
add one; variables hold entries meanwhile, which are moved, copied, put into a second list, and compared.
"""

from __future__ import annotations

import random

_CONDITIONS = (
    "v > 0", "v == 1", "rows and rows[-1][0] == v", "len(rows) > 2", "h is not None and h[1] > 1", "g is not None and g[0] == v", "h is g",
    "len(other) > 1 and other[0][0] > v", "any(q[0] == v for q in rows)", "h in rows", "rows == other",
)  # fmt: skip
_ADDED = ("rows.append([v, 1])", "rows.append([v, len(rows)])", "h = [v, 1]\nrows.append(h)", "g = [v, 2]\nrows.append(g)\nh = g")
_OTHERS = (
    "h = rows[-1] if rows else None", "g = rows[0] if rows else h", "h = g", "g = h", "h = None", "g = None",
    "if h is not None: h[1] += 1", "if g is not None: g[0] += v", "if rows: rows[-1][1] += 2", "if rows: rows[0][0] -= 1",
    "if len(rows) > 2: rows.pop()", "if len(rows) > 3: h = rows.pop(0)", "if rows: del rows[0]", "rows.sort(key=lambda q: q[0])",
    "rows.reverse()", "rows.insert(0, [v, 7])", "other.append([v, 5])", "if h is not None: other.append(h)",
    "if len(rows) > 1: rows[0] = [v, 9]", "h = [v, 3]", "rows = rows[:3]", "if rows: rows[int(v) % len(rows)][1] += 1",
    "if rows: h = rows[int(v) % len(rows)]", "if h is not None: rows.append(h)", "other = rows",
    "if h is not None: h = [h[0], h[1] + 1]", "if len(rows) > 1: rows[0], rows[1] = rows[1], rows[0]", "rows = list(rows)", "k += 1",
    "rows = [q for q in rows if q[0] > v]", "rows.extend([[v, 0], [v, 1]])", "h = find(rows, v)", "h, g = g, h",
    "k += sum(q[1] for q in rows)",
)  # fmt: skip
_CHANGES = ("{q}[1] += 1", "{q}[0] = v", "g = {q}", "h = {q}", "{q}[1] += 1\ng = {q}")
_FITTING = ("{q}[0] == v", "abs({q}[0] - v) < 2", "{q}[1] > 1")
_RESULTS = (
    "rows, k", "[q[0] for q in rows], [q[1] for q in rows], None if h is None else h[1], None if g is None else g[0]", "rows, len(other)",
    "[q[1] for q in rows], [q[0] for q in other], k", "rows, h is g", "h, k", "[rows, h is None]",
)  # fmt: skip
_FIND = """
def find(rows, v):
    for q in rows:
        if q[0] == v: return q
    return None
"""


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class Writer:
    """Writes one program of a vector of numbers, ``f(a)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def _statement(self, depth: int) -> list[str]:
        choose, chance = self.random.choice, self.random.random()
        if chance < 0.2 and depth < 3:
            lines = [f"if {choose(_CONDITIONS)}:", *_indented(self._block(depth + 1))]
            return [*lines, "else:", *_indented(self._block(depth + 1))] if self.random.random() < 0.5 else lines
        if chance < 0.4 and depth < 3:
            name = choose("qh")
            change = choose(_CHANGES).replace("{q}", name).split("\n")
            found = [f"if {choose(_FITTING).replace('{q}', name)}:", *_indented([*change, choose(("break", "pass", "continue"))])]
            lines = [f"for {name} in {choose(('rows', 'rows', 'other'))}:", *_indented(found)]
            return [*lines, "else:", *_indented(self._block(depth + 1))] if self.random.random() < 0.6 else lines
        return choose(_ADDED if chance < 0.55 else _OTHERS).split("\n")

    def _block(self, depth: int) -> list[str]:
        return [line for _ in range(self.random.randint(1, 2)) for line in self._statement(depth)]

    def program(self) -> str:
        choose, chance = self.random.choice, self.random.random
        body = [f"rows = {choose(('[]', '[]', '[[0, 0]]', '[[0, 0], [1, 0]]'))}", "other, h, g, k = [], None, None, 0"]
        if chance() < 0.3:
            body += ["h = [a[0], 0]", "rows.append(h)"]
        body += ["for v in a:", *_indented(self._block(0) + self._block(0))]
        if chance() < 0.3:
            body += ["for v in a[:2]:", *_indented(self._block(0))]
        return "\n".join([_FIND, "def f(a):", *_indented([*body, f"return {choose(_RESULTS)}"])])
