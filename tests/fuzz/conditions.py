"""Hold random conditions on sizes, data and plain values to eager execution at many sizes:
``python -m tests.fuzz.conditions [count] [seed]``."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import outcome

SIZES = ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (7, 7), (3, 4), (4, 3), (4, 2), (0, 3), (3, 0), (1, 3), (8, 3))
ATOMS = (
    "{n} < {c}", "{n} <= {c}", "{n} == {c}", "{n} != {c}", "{n} > {c}", "{n} >= {c}", "n < m", "n == m", "m >= {n}", "{n} % 2 == {b}",
    "{n} % 3", "{n}", "x.shape == ({c},)", "x.shape == y.shape", "x.shape != (m,)", "(n, m) == ({c}, {c})", "[n, 1] != [m, 1]",
    "(n, (m, 'a')) == (3, ({c}, 'a'))", "{n} in ({c}, {c})", "x.shape in ((3,), (n, 1), (m,))", "flag", "not flag", "none is None",
    "x.ndim == 1", "isinstance({n}, int)", "y.size", "helper(n)", "helper(m)", "12 // {n} > 2", "(k := n) > 2", "0 < {n} < {c}",
    "seen.append(n)", "bool((x > 0).any())", "x.sum() > 0", "x[{b}] > 0", "float(x.max()) > 0", "bool(x.size) is flag",
)  # fmt: skip
FORMS = (
    "if {cond}:\n    x = x + {c}",
    "if {cond}:\n    x = x + {c}\nelse:\n    x = x * 2",
    "ok = {cond}\nout.append(ok)",
    "x = x * 2 if {cond} else x - 1",
    "for i in range(3):\n    if {cond}:\n        x = x + i\n        continue\n    x = x - i",
    "while k < 3 and ({cond}):\n    k += 1\n    x = x + k",
    "if not ({cond}):\n    return x, out, len(seen)",
    "try:\n    if {cond}:\n        x = x + 1\nexcept (ZeroDivisionError, IndexError, ValueError):\n    x = x * 7",
    "out.append([i for i in range(3) if {cond}])",
    "assert {cond}, n",
)


class Writer:
    """``source`` defines ``program(x, y)`` of two vectors."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        statements = [self._filled(draw.choice(FORMS).replace("{cond}", self._condition(0))) for _ in range(draw.randrange(1, 4))]
        body = "\n".join(f"    {line}" for each in statements for line in each.splitlines())
        head = f"def program(x, y, flag={draw.random() < 0.5}, none=None):\n    n, m, seen, k, out = len(x), len(y), [], 0, []\n"
        self.source = f"{head}{body}\n    return x, out, len(seen), k, n, m\n"

    def _condition(self, depth: int) -> str:
        roll = self.draw.random()
        if depth > 2 or roll < 0.3:
            return self.draw.choice(ATOMS)
        if roll < 0.85:
            return f"({self._condition(depth + 1)} {self.draw.choice(('and', 'or'))} {self._condition(depth + 1)})"
        return f"not ({self._condition(depth + 1)})"

    def _filled(self, text: str) -> str:
        for name, choices in {"{n}": ("n", "m", "len(x)", "x.shape[0]"), "{c}": "0123456", "{b}": "012"}.items():
            while name in text:
                text = text.replace(name, self.draw.choice(choices), 1)
        return text


def helper(n: int) -> bool:
    return n > 2 and n != 4


def arguments(sizes: tuple[int, int], salt: int) -> tuple[Any, ...]:
    g = np.random.default_rng([*sizes, salt])
    return tuple(np.round(g.normal(size=size), 1) for size in sizes)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    program = function_of(writer.source, {"np": np, "helper": helper}, "program")
    example = writer.draw.choice(((2, 2), (3, 3), (4, 4), (5, 5), (4, 3), (5, 2)))

    def make() -> Any:
        exported = export(program, arguments(example, seed), dynamic_shapes=({0: Dim.AUTO},) * 2)
        return reloaded(exported) if seed % 2 else exported

    def raised(error: Exception) -> Any:
        return f"{type(error).__name__}: {error.args!r}", outcome(program, arguments(example, seed))[0]

    made = exported_or_why(writer.source, make, raised)
    if isinstance(made, str):
        return Counter([made])
    calls = [(sizes, salt) for sizes in (example, *SIZES) for salt in (seed, seed + 1)]
    return tallied(writer.source, lambda f, call: outcome(f, arguments(*call)), program, made.module(), calls)


if __name__ == "__main__":
    main(run)
