# ruff: noqa: E501 -- tables of statements
"""Random programs over the arrays of an object: attributes, lists, dicts, nested objects, written to in place and by assignment, over three calls.

``python -m tests.fuzz_state [count] [seed]`` runs many.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np

from npexport import export
from npexport.symshapes.errors import ExportError

STATEMENTS = (
    "s.a += x", "s.a[1:] = s.a[:-1]", "s.b = s.b * 0.5 + x", "s.c[0] = s.a", "s.d['w'][...] = x + s.a", "s.l[0] *= 2", "s.l[1] = x * 1", "s.v[0] += 1",
    "y = s.a.reshape(2, -1); y[0] = 3", "y = s.c.T; y += 1", "s.a, s.b = s.b, s.a", "s.b = x * 1", "np.add(s.a, x, out=s.b)", "z = s.c[1]; z += s.a",
    "s.l = [s.l[0] + x, s.l[1]]", "s.l = s.l[::-1]", "s.l[:] = [a + 1 for a in s.l]", "s.d = {'w': s.d['w'] * 2}", "s.d = {**s.d}; s.d['w'] += x",
    "s.t = (s.t[1], s.t[0] + x)", "s.t[1][:2] = x[2:]", "h = s.c + x; s.t = (h[0], h[1])", "s.o = Inner(s.o.t + x)", "k = s.l; s.l = [x * 2, k[0]]; k[1][:] = 5",
    "s.m[0] += 1", "s.m = [s.m[0] * 2]", "s.m = s.k = [s.k[0] + x]", "s.c = s.c[::-1]", "s.o.t += x.sum()", "s.o.t = s.o.t * 2", "x[0] += 1", "s.a = s.a.copy()", "s.b[s.b > 1] = 0", "s.c[:, 1] = x[:3]",
    "s.d['w'] = s.d['w'] + 1", "t = s.a; s.a = t + 1; t += 5", "s.b = s.a", "s.a = s.b = x + 1",
)  # fmt: skip
RESULTS = (
    "s.a.sum()",
    "s.b * 1",
    "s.c + 0",
    "s.d['w'].mean()",
    "s.l[0] + s.l[1]",
    "s.t[0] - s.t[1]",
    "s.m[0] + s.k[0]",
    "s.o.t * 1",
    "x",
    "s.a[1:]",
    "s.b",
)


class Inner:
    def __init__(self, t: Any) -> None:
        self.t = t


class Outer:
    def __init__(self, tied: bool) -> None:
        rng = np.random.default_rng(1)
        self.a, self.b, self.c = rng.random(4), rng.random(4), rng.random((3, 4))
        self.d = {"w": rng.random(4)}
        self.l = [rng.random(4), rng.random(4)]
        self.v = self.a if tied else rng.random(4)
        self.o = Inner(rng.random(4))
        self.t = (rng.random(4), rng.random(4))
        self.m = [rng.random(4)]
        self.k = self.m if tied else [rng.random(4)]


def run(seed: int) -> str:
    """Generate, export and compare one program over three calls: ``"same"`` or the code of a refusal. Raises ``AssertionError`` with the source."""
    rng = random.Random(seed)
    body = "".join(f"    {rng.choice(STATEMENTS)}\n" for _ in range(rng.randint(1, 6)))
    source = f"def forward(s, x):\n{body}    return {', '.join(rng.sample(RESULTS, 2))}\n"
    scope: dict[str, Any] = {"np": np, "Inner": Inner}
    exec(source, scope)
    program = type("Program", (Outer,), {"__call__": scope["forward"]})
    tied = rng.random() < 0.2
    try:
        module = export(program(tied), (np.ones(4),)).module()
    except ExportError as refusal:
        return refusal.code
    eager = program(tied)
    for call in range(3):
        data = np.random.default_rng(rng.randrange(1 << 30)).random(4)
        mine, theirs = data.copy(), data.copy()
        for got, want in zip([*module(mine), mine], [*eager(theirs), theirs], strict=True):
            assert np.array_equal(got, want), f"seed {seed}, call {call}: {got}, not {want}\n{source}"
    return "same"


def main(count: int, seed: int) -> None:
    """Run ``count`` programs from ``seed`` on."""
    outcomes: dict[str, int] = {}
    for number in range(seed, seed + count):
        try:
            outcome = run(number)
        except AssertionError as difference:
            outcome = "different"
            print(difference, file=sys.stderr)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(outcomes)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30))
