"""Random programs whose loops go over generators that yield where data say so, through other generators and `enumerate`, and leave them in
the middle."""

from __future__ import annotations

import random

import numpy as np

_TESTS = (
    "{v} > 0", "{v} < 1.5", "{v} * 2 > s", "abs({v}) > 1", "k % 2 == 0", "x[0] > {v}", "{v} > 0 and {v} < 3", "not {v} > 1",
)  # fmt: skip
_SOURCES = ("x", "x[:2]", "range(2)")


def _yields(rng: random.Random, indent: int, nested: bool, in_loop: bool) -> list[str]:
    """Statements of a generator."""
    pad, lines = "    " * indent, list[str]()
    for _ in range(rng.choice((1, 1, 2))):
        kind, test = rng.randrange(12), f"if {rng.choice(_TESTS).format(v='a')}:"
        if kind < 4:
            lines += [f"{pad}{test}", f"{pad}    yield {rng.choice(('a', 'a * 2', 'a - s', 'k', 'a'))}"]
        elif kind == 6 and in_loop:
            lines += [f"{pad}{test}", f"{pad}    {rng.choice(('break', 'continue', 'return'))}"]
        elif kind == 8:
            lines += [f"{pad}{test}", f"{pad}    yield a", f"{pad}else:", f"{pad}    yield -a"]
        elif kind == 9 and not nested:
            inner = _yields(rng, indent + 1, True, True)
            lines += [f"{pad}for b in {rng.choice(_SOURCES)}:", *[line.replace("yield a", "yield a + b") for line in inner]]
        elif kind == 10 and rng.random() < 0.3:
            lines.append(f"{pad}log.append({rng.choice(('a', 'k', '1'))})")
        else:
            lines.append(pad + rng.choice(("yield a", "s = s + a", "k += 1", "s = s * 0.5", "w[0] = w[0] + a")))
    return lines


def _generator(rng: random.Random) -> list[str]:
    lines = ["def g(x, w, log):", "    s = 0.0", "    k = 0"]
    if rng.random() < 0.2:
        lines.append("    yield x[0]")
    if rng.random() < 0.75:
        lines += ["    for a in x:", *_yields(rng, 2, False, True)]
    else:
        lines += ["    a = x[0]", "    while a > 0.3:", *_yields(rng, 2, False, False), "        a = a * 0.5"]
    if rng.random() < 0.2 or not any("yield" in line for line in lines):
        lines.append("    yield s")
    return lines


_BETWEEN = (
    ("prev = None", "for u in it:", "    if prev is not None:", "        yield u - prev", "    prev = u"),
    ("for u in it:", "    yield u * 2"),
    ("for u in it:", "    if u > 0.5:", "        yield u"),
)  # fmt: skip
_STEPS = (
    ("t = t * 0.5 + v",), ("t = t * 0.5 + v",), ("n += 1",), ("w[1] = w[1] + v",), ("w[0] = v",), ("x = x + 0.25",), ("last = v",),
    ("acc.append(v * 1.0)",), ("if best is None or v > best:", "    best = v"), ("if v > 1:", "    break"), ("if v > 1:", "    continue"),
    ("if v > 1:", "    n += 1"), ("if v > 1:", "    return t, n"),
)  # fmt: skip
_RESULTS = ("t, n", "t, n, best", "t, acc", "t, last, w[0]", "t, len(log)", "x, t")


def _loop(rng: random.Random, head: str, indent: int) -> list[str]:
    pad, lines = "    " * indent, [f"{'    ' * indent}for {head}:"]
    for _ in range(rng.choice((1, 2, 3))):
        lines += [f"{pad}    {line}" for line in rng.choice(_STEPS)]
    return lines


def program(seed: int) -> str:
    """The source of ``f(x, w)``."""
    rng = random.Random(seed)
    lines, items = _generator(rng), "g(x, w, log)"
    if rng.random() < 0.3:
        lines += ["def g2(it):", *[f"    {line}" for line in rng.choice(_BETWEEN)]]
        items = f"g2({items})"
    lines += ["def f(x, w):", "    t, n, best, last, acc, log = 0.0, 0, None, 0.0, [], []"]
    form = rng.randrange(8)
    if form == 0:
        return "\n".join([*lines, f"    return [v * 2 for v in {items}]"])
    if form == 1:
        lines += _loop(rng, f"n, v in enumerate({items})", 1)
    elif form in (2, 3):
        lines += [("    for j in range(2):", "    if x[0] > 0:")[form - 2], *_loop(rng, f"v in {items}", 2)]
    else:
        lines += _loop(rng, f"v in {items}", 1)
    if form == 4:
        lines += ["    else:", "        t = t + 100"]
    if form == 5:
        lines += _loop(rng, f"v in {items}", 1)
    return "\n".join([*lines, f"    return {rng.choice(_RESULTS)}"])


def inputs(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    return np.round(rng.normal(size=size) * 2, 2), np.round(rng.normal(size=3), 2)
