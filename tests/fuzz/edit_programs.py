"""Random programs whose graphs are edited: arrays, branches and loops on data, state, an argument that is written."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from npexport import nn

_ARRAYS = [
    "x",
    "a",
    "b",
    "self.w * 1",
    "x[::-1]",
    "np.sin(a)",
    "np.exp(-abs(b))",
    "(a + b)",
    "a * y",
    "np.where(a > b, a, b)",
    "a.sum(axis=1, keepdims=True)",
]
_NUMBERS = ["s", "a.sum()", "b.mean()", "y[0]", "np.float64(2)", "abs(s)"]
_PLAIN = [
    "a = {array} + {array}", "b = {array} * 0.5", "a = np.maximum({array}, y)", "b = {array} - {array}", "s = s + {number}", "s = {number}",
    "a = np.concatenate([a[1:], a[:1]]) * {number}", "b = b.T.copy().T", "y += 0.5", "self.calls = self.calls + 1", "self.m += y",
    "s = a[0, 1] * 1",
    "b = np.cumsum({array}, axis=0)", "a = a @ np.outer(y, y)", "b = np.minimum(b, {number})",
]  # fmt: skip
_BLOCKS = [
    ("if {number} > 1:", "else:"), ("if ({array} > 0).any():", "else:"), ("while s < 6 and k < 4:", ""), ("for k in range(int(q)):", ""),
]  # fmt: skip


def program(rng: random.Random) -> str:
    """The source of a class ``Model``: ``forward(x, y, q)`` of ``f64[n, 3]``, ``f64[3]`` and ``i64[]``."""

    def text(form: str) -> str:
        while "{" in form:
            form = form.replace("{array}", rng.choice(_ARRAYS), 1).replace("{number}", rng.choice(_NUMBERS), 1)
        return form

    def lines(count: int, indent: str, depth: int) -> list[str]:
        found: list[str] = []
        for _ in range(count):
            if depth == 0 or rng.random() < 0.7:
                found.append(indent + text(rng.choice(_PLAIN)))
                continue
            head, other = rng.choice(_BLOCKS)
            loop = ["s = s + 1.5", "k = k + 1"] if head.startswith("while") else []
            found += [indent + text(head), *lines(2, f"{indent}    ", depth - 1), *[f"{indent}    {line}" for line in loop]]
            found += [indent + other, *lines(1, f"{indent}    ", depth - 1)] if other else []
        return found

    head = [
        "class Model(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        "        self.w = nn.Parameter(np.array([1.0, -0.5, 0.25]))",
    ]
    head += ["        self.register_buffer('m', np.zeros(3))", "        self.calls = 0", "    def forward(self, x, y, q):"]
    head += ["        a, b, s, k = x * 1, x + y, 0.5, 0"]
    return "\n".join([*head, *lines(rng.randint(2, 5), "        ", 2), "        return a, b, s, a * s"])


def model(source: str) -> Any:
    """A model of that source."""
    scope: dict[str, Any] = {"np": np, "nn": nn}
    exec(compile(source, "<edited>", "exec"), scope)
    return scope["Model"]()


def inputs(rng: random.Random) -> tuple[Any, ...]:
    """Arguments of ``forward``."""
    values = np.random.default_rng(rng.randrange(1 << 30))
    return values.normal(size=(rng.randint(1, 4), 3)), values.normal(size=3), np.int64(rng.randrange(4))
