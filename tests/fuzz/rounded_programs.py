# ruff: noqa: E501 -- tables of expressions
"""Random programs of what NumPy rounds by how memory lies: the generator behind ``fuzz/rounded.py``.

Functions, in place and with ``out=``, over arrays, views of them backwards, with gaps, turned, of one element, and over what branches
and loops leave.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

DTYPES = ("f2", "f4", "f8", "c8", "c16", "f4", "f8")
ONE = "exp log sin cos tan arctan sqrt square tanh sinh cosh log1p expm1 cbrt reciprocal arcsin arccos log10 log2 exp2 abs negative conjugate".split()
TWO = "add subtract multiply divide power arctan2 hypot maximum fmod copysign logaddexp".split()
WHOLE = ("{n}", "{n}", "{n}", "{n}[::-1]", "{n}[...]", "{t}")
SOURCES = (*WHOLE, "{n}[:1]", "{n}[-1:]", "{n}.copy()")
PARTS = ("::2", "1:", ":-1", ":1", "::-1", "-1:", "1:3")
OTHERS = {"1:": ":-1", ":-1": "1:"}
VALUES = (
    "{s}", "np.{one}({e})", "np.{one}({s})", "np.{two}({e}, {s})", "({e}) * ({s})", "({e}) + ({s})", "({e}) - 0.3", "({e}) * 1.7", "({e}) / 2",
    "({e}).sum(axis=0, keepdims=True)", "({e}).mean(keepdims=True)", "({e}).max(axis=-1, keepdims=True)", "({e}) ** 2", "({s}) ** 0.5", "({s}) ** 3",
)  # fmt: skip
STATEMENTS = (
    "{new} = {e}", "{new} = {e}", "{new} = {e}", "{new} = {w} if np.abs({n}).sum() > {c} else {w}", "{new} = {w} if np.abs({n}).sum() > {c} else {e}",
    "{new} = {w}\nfor _ in range(int(m.sum()) % 3 + 1): {new} = np.{one}({new})", "{new} = {w}\nfor _ in range(2): {new} = np.{two}({new}, {e})",
    "{n} *= {e}", "{n} += {s}", "{n} **= {c}", "{n} /= {s}", "{n} -= 0.7", "{w}[...] = {e}", "{n}[{p}] *= {n}[{p}]", "{n}[{p}] **= 2", "{n}[{p}] /= {n}[{p}]",
    "np.{one}({n}[{p}], out={m}[{p}])", "np.{one}({m}[{p}], out={m}[{p}])", "np.{one}({m}[{q}], out={m}[{p}])", "np.{two}({m}[{p}], {n}[{p}], out={m}[{p}])",
    "np.{two}({n}[{q}], {m}[{p}], out={m}[{p}])", "np.{one}({v}, out={v})", "np.{one}({v}, out={v})", "np.{one}({s}, out={v})", "np.{two}({v}, {s}, out={v})",
    "np.{two}({s}, {v}, out={v})", "np.{two}({v}, {v}, out={v})", "np.{two}({s}, {s}, out={v}, where=m)", "np.{one}({v}, out={v}, where=m)",
)  # fmt: skip


class Writer:
    """``source`` defines ``program(x, y, m)`` of two arrays and a mask of one shape: of one axis, of three columns, or square."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.dtype, self.axes = draw.choice(DTYPES), draw.choice((0, 0, 1, 2))
        self.names = ["x", "y"]
        lines: list[str] = []
        for number in range(draw.randrange(2, 7)):
            row = draw.choice(STATEMENTS)
            new, part = f"v{number}", draw.choice(PARTS)
            parts = {"p": part, "q": OTHERS.get(part, part), "m": draw.choice(self.names), "v": self._filled(draw.choice(WHOLE), 0)}
            for name, text in parts.items():
                row = row.replace(f"{{{name}}}", text)
            lines += self._filled(row.replace("{new}", new), 2).split("\n")
            self.names += [new] * ("{new}" in row)
        body = "".join(f"    {line}\n" for line in lines)
        self.source = f"def program(x, y, m):\n{body}    return {', '.join(self.names[-3:])}\n"

    def _filled(self, row: str, depth: int) -> str:
        draw = self.draw
        while "{" in row:
            place = row.index("{")
            name = row[place + 1 : row.index("}", place)]
            row = row[:place] + self._text(name, depth, draw) + row[place + len(name) + 2 :]
        return row

    def _text(self, name: str, depth: int, draw: random.Random) -> str:
        if name == "n":
            return draw.choice(self.names)
        if name == "t":
            return draw.choice(self.names) + ".T" * (self.axes == 2)
        if name in ("one", "two", "c"):
            return draw.choice({"one": ONE, "two": TWO, "c": ("0", "2", "5", "0.5", "99")}[name])
        rows = {"w": WHOLE, "s": SOURCES, "e": VALUES if depth else SOURCES}[name]
        return self._filled(draw.choice(rows), max(depth - 1, 0))

    def arguments(self, size: int, salt: int) -> tuple[Any, ...]:
        g = np.random.default_rng([size, salt])
        shape = ((size,), (size, 3), (size, size))[self.axes]
        made = [2 * g.normal(size=shape) + (1j * g.normal(size=shape) if "c" in self.dtype else 0) for _ in range(2)]
        return (*[each.astype(self.dtype) for each in made], g.random(shape) < 0.6)
