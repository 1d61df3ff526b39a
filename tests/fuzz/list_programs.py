"""Random programs that fill lists in loops over sizes, in loops that data end, and on sides of
branches: appended to, written to, and taken from, on some ways, of scalars,
numbers, rows, tuples and lists, by loops, comprehensions and generator expressions, and counted,
summed, indexed, gone over and made arrays afterwards.
"""

from __future__ import annotations

import random

_SCALARS = ["x[{i}]", "x[{i}] * 2", "x[{i}] + s", "m[{i}].sum()", "m[{i}, 1]", "np.sqrt(abs(x[{i}]))", "s"]
_NUMBERS = ["float(x[{i}])", "float({i})", "x[{i}].item() * 0.5", "{i} / 2"]
_INTEGERS = ["{i}", "int(y[{i}])", "{i} * {i} - 3", "k"]
_ROWS = ["m[{i}] * 2", "m[{i}]", "x[{i}] * w", "w + {i}", "m[{i}, 1:]", "m[{i}] - w", "w"]
_TUPLES = ["(x[{i}], x[{i}] * 2)", "({i}, k)", "(x[{i}], {i})", "(m[{i}], w)", "[x[{i}], s]", "(float(x[{i}]), 0.5)"]
_TRUTHS = ["x[{i}] > 0", "bool(x[{i}] > 0.2)", "{i} % 2 == 0"]
KINDS = [_SCALARS, _SCALARS, _NUMBERS, _INTEGERS, _ROWS, _TUPLES, _TRUTHS]
_CONDITIONS = ["x[{i}] > 0", "{i} % 2", "x[{i}] > s", "{i} > 1", "len({o}) < 3", "y[{i}] % 2 == 0", "k > 1", "m[{i}].max() > 0.5"]
_HEADS = [
    "for {i} in range(n):", "for {i} in range(n):", "for {i} in range(1, n):", "for {i} in range(n - 1, -1, -1):",
    "for {i} in range(0, n, 2):",
    "for {i}, v in enumerate(x):", "for {i}, r in zip(range(n), m):", "for {i} in reversed(range(n)):",
]  # fmt: skip
_ENDLESS = ["while abs(s) > 0.2:", "while k < 7 and abs(s) > 0.3:", "while len({o}) < n + 3:", "while {o} and k < 9:", "while True:"]
_TAKEN = [
    "if {o}: {o}.pop()", "while len({o}) > 1 and k < 20:\n    {o}.pop()\n    k += 2", "if len({o}) > 2: w = {o}.pop()",
    "while {o} and np.sum({o}[-1]) < s: {o}.pop()", "{o}.pop()", "if {c}: {o}.pop()", "if {c}: {o}.append({v})",
    "if {c}:\n    {o} += [{v}, {v}]\nelse:\n    {o}.append({v})", "{o} = {o} + [{v}]", "{o} = [{v}] + {o}",
]  # fmt: skip
_BETWEEN = [
    "s = s + x[{i}]", "k += 1", "w = m[{i}]", "w = w * 0.5", "w[0] = s", "m[{i}, 0] = s", "s = {o}[-1]", "k = max(k, len({o}))",
    "w = {o}[-1]",
    "s = s * 0.5",
]  # fmt: skip
_WRITTEN = [
    "{o}[{i}] = {v}", "{o}[-1] = {v}", "if {o}: {o}[0] = {v}", "if len({o}) > 2: {o}[k % 3] = {v}", "{o}[len({o}) // 2] = {o}[-1]",
    "for r in {o}:\n    r[0] = r[1]", "{o}[{i}][0] = s", "if {o}: {o}[-1][1] = {o}[0][0]", "for j in range(len({o})): {o}[j] = {v}",
    "for r in {o}:\n    if np.sum(r) > s: r[-1] = s", "b = {o}[:]\nif {o}: {o}[0] = {v}", "if {o}: r = {o}[-1]\nif {o}: {o}[-1] = {v}",
]  # fmt: skip
_ORDERED = [
    "heapq.heappush({o}, {v})\nif len({o}) > 3: heapq.heappop({o})", "if {o}: k += int(heapq.heappop({o}) > s)", "heapq.heappush({o}, {v})",
    "if {o}: s = heapq.heappushpop({o}, {v})", "if len({o}) > 2: heapq.heapreplace({o}, {v})", "heapq.heapify({o})",
    "bisect.insort({o}, {v})",
    "{o}.sort()", "{o}.reverse()", "{o}.sort(reverse=True)", "{o}.insert(k % 3, {v})", "{o}.insert(bisect.bisect({o}, {v}), {v})",
    "if {c}:\n    {o}.sort()\nelse:\n    {o}.append({v})", "if {v} in {o}: {o}.remove({v})", "if len({o}) > 2: {o}.pop(len({o}) // 2)",
    "if {c}: del {o}[0]", "if len({o}) > 4: del {o}[1:3]", "if {c}: {o}.clear()", "{o} = sorted({o})[:4]", "if {c}: {o} = {o}[::-1]",
    "if len({o}) > 1: {o}[0], {o}[-1] = {o}[-1], {o}[0]", "k += {o}.count({v})", "if {o}: k = max(k, {o}.index(min({o})))",
    "{o}[1:1] = [{v}]",
]  # fmt: skip
_AFTER = [
    "{o}.append({v})", "s = s + len({o})", "k = len({o})", "w[0] = 5", "m[0] = 1", "s = s + np.array({o}).sum()",
    "for v in {o}:\n    s = s + np.sum(v)", "for k, v in enumerate({o}):\n    pass", "{o} = {o}[1:]", "{o} = {o}[::-1]", "b = list({o})",
    "{o} += [{v}]", "k = k + sum(1 for v in {o} if np.sum(v) > 0)", "b = [v for v in {o}]", "s = sum({o})", "m = np.stack({o})",
]  # fmt: skip
_RESULTS = [
    "np.array({o})", "np.array({o})", "np.asarray({o})", "np.stack({o})", "np.concatenate({o})", "np.vstack({o})", "sum({o})", "len({o})",
    "{o}[-1]", "{o}[0]", "max({o})", "min({o})", "np.mean({o})", "np.array({o}, float)", "np.hstack({o})", "np.column_stack({o})",
    "sum({o}, 0.5)", "np.array({o}).T", "np.array({o})[1:]", "{o}[n // 2]", "np.max({o}, axis=0)", "{o}", "np.array(sorted({o}))",
    "any({o})", "np.sum({o}, axis=0)",
]  # fmt: skip
_COMPREHENSIONS = [
    "[0.0] * n", "[0] * (n + 1)", "list(range(n))", "[s] * len(y)", "[[0.0] * n for {i} in range(n)]", "[[0, 0, 0] for {i} in range(n)]",
    "[{v} for {i} in range(n)]", "[{v} for {i} in range(n) if {c}]", "[{v} for {i}, q in enumerate(x)]", "list({v} for {i} in range(n))",
    "[v * 2 for v in x if v > s]", "[r.sum() for r in m]", "[a * b for a, b in zip(x, y)]",
    "[[x[{i}] * x[j] for j in range(n)] for {i} in range(n)]",
    "[x[{i}] * j for {i} in range(n) for j in range(3)]",
]  # fmt: skip
_FOLDED = [
    "sum(v * v for v in x)", "sum(1 for v in x if v > s)", "max(abs(v) for v in x)", "sum(a * b for a, b in zip(x, y))",
    "min((v for v in x if v > -9), default=0.5)", "len([v for v in y if v > 0])", "sum({v} for {i} in range(n))",
    "sum(float(v) for v in x)", "max(range(n), key=lambda j: x[j])", "np.array([i for i in range(n) if x[i] > 0], dtype=int)",
]  # fmt: skip


class Writer:
    """Writes one program from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def fill(self, text: str, kind: list[str], i: str = "0", o: str = "out") -> str:
        choose = self.random.choice
        return text.replace("{c}", choose(_CONDITIONS)).replace("{v}", choose(kind or ["s"])).replace("{i}", i).replace("{o}", o)

    def loop(self, lists: dict[str, list[str]], depth: int) -> list[str]:
        self.count += 1
        i, choose, chance = f"i{self.count}", self.random.choice, self.random.random
        endless = chance() < 0.25
        lines = [choose(_ENDLESS).replace("{o}", choose([*lists])) if endless else choose(_HEADS).replace("{i}", i)]
        i = "(k % max(n, 1))" if endless else i
        for _ in range(self.random.randint(1, 3)):
            name = choose([*lists])
            append = self.fill(
                choose(["{o}.append({v})", "{o}.append({v})", "{o} += [{v}]", "{o}.extend([{v}, {v}])"]), lists[name], i, name
            )
            roll = chance()
            if roll < 0.3:
                body = [f"if {self.fill(choose(_CONDITIONS), [], i, name)}:", "    " + append]
                body += ["else:", "    " + choose([append, "k += 1"])] if chance() < 0.3 else []
            elif roll < 0.4:
                body = [f"if {self.fill(choose(_CONDITIONS), [], i, name)}:", "    " + choose(["break", "continue"]), append]
            elif roll < 0.5 and depth:
                body = self.loop(lists, depth - 1)
            else:
                body = [append]
            if chance() < 0.35:
                body.insert(self.random.choice([0, len(body)]), self.fill(choose(_BETWEEN), [], i, name))
            lines += ["    " + line for line in body]
        if chance() < 0.3:
            name = choose([*lists])
            lines += ["    " + line for line in self.fill(choose(_TAKEN), lists[name], i, name).split("\n")]
        if chance() < 0.3:
            name = choose([*lists])
            lines += ["    " + line for line in self.fill(choose(_WRITTEN), lists[name], i, name).split("\n")]
        if chance() < 0.3:
            name = choose([*lists])
            lines += ["    " + line for line in self.fill(choose(_ORDERED), lists[name], i, name).split("\n")]
        if endless:
            lines += ["    s = s * 0.5", "    k += 1", "    if k > 12: break"]
            lines[1:1] = ["    k += 1", "    if k > 30: break"]
        return lines

    def program(self) -> str:
        choose, chance = self.random.choice, self.random.random
        lists = {name: choose(KINDS) for name in self.random.choice([["out"], ["out"], ["out", "more"]])}
        lines = ["n, k, s, w = len(x), 0, x.sum(), np.ones(3)"]
        for name, kind in lists.items():
            lines.append(f"{name} = {self.fill(choose(['[]', '[]', '[]', '[{v}]']), kind)}")
        for _ in range(self.random.choice([1, 1, 2])):
            if chance() < 0.3:
                name = choose([*lists])
                lines.append(f"{name} = {self.fill(choose(_COMPREHENSIONS), lists[name], 'i')}")
            else:
                lines += self.loop(lists, 1)
        for _ in range(self.random.choice([0, 0, 1, 2])):
            name = choose([*lists])
            lines += self.fill(choose(_TAKEN), lists[name], "0", name).split("\n")
        for table in (_AFTER, _WRITTEN, _AFTER)[: self.random.choice([0, 0, 1, 2, 3])]:
            name = choose([*lists])
            lines += self.fill(choose(table), lists[name], "0", name).split("\n")
        results = [self.fill(choose(_RESULTS), [], "0", name) for name in lists]
        results += (
            [self.fill(choose(_FOLDED), choose(KINDS[:4]), "i")] * (chance() < 0.2) + ["s"] * (chance() < 0.3) + ["k"] * (chance() < 0.2)
        )
        lines.append(f"return {', '.join(results)}")
        return "\n".join(["def program(x, y, m):", *["    " + line for line in lines]])
