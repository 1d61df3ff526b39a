# ruff: noqa: E501 -- tables of statements
"""Random programs that meet floating-point errors in error states of their own: the generator behind ``fuzz/errors.py``.

A program is the source of ``f(np, x, y, i)`` over three arrays of three elements. No two of its calls are alike, and all that it
computes is used, so that it tells as often of errors as its source does.
"""

from __future__ import annotations

import random

KINDS = ("divide", "over", "under", "invalid")
ACTIONS = ("ignore", "ignore", "warn", "raise")
VALUES = (
    "{a} / ({b} * {n})", "{a} // ({b} + {n})", "{a} * {b} * {n}e160", "np.exp({a} * {n}e2)", "np.log({a} - {n})", "np.sqrt({a} * -{n})", "np.arcsin({a} * {n})",
    "{a} + {n} * np.inf", "np.power({a}, {n}.5)", "{a} % ({b} * {n})", "({a} * {n}e150).astype('f4') * 1.0", "({a} * {n}).astype('i4') * 1.0", "i // (i - {n}) + {a}", "np.reciprocal({a} * {n})",
    "np.hypot({a} * {n}e200, {b})", "{a} * {n}e-200 * {b} * 1e-200", "{a}[0] / ({b} * {n})", "{a}[::-1] - {b} / {n}", "np.where({a} > 0, {b} / {n}, {a} / ({b} * {n}))", "np.add.reduce({a} * {n}e300) + {b}", "({a} * {n}).mean() / {b}",
    "np.divide({a}, {b} * {n}, where={b} != 0, out=np.zeros(3))", "np.log1p({a} * -{n}) + {b}", "np.maximum({a} * {n}, {b})", "{a}[1] * {n} + {b}[2] / ({a}[0] * {n})", "np.cumsum({a} * {n}e100)", "np.sinh({a} * {n}e2)", "np.tan({a} / {n}) / ({b} - {n})",
)  # fmt: skip
WRITES = (
    "{v}[1:] /= {a}[1:] * {n}",
    "{v} *= {a} * {n}e100",
    "{v}[{a} > 0] = {n}.5",
    "{v}[0] += {a}[1] / ({b}[1] * {n})",
    "np.log({v}, out={v})",
    "{v} += {a} * {n}e300",
)
HEAD = "def f(np, x, y, i):\n    v0 = x * 1.0\n"


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.values = ["v0"]  # variables that are bound on every way
        self.own: list[str] = []  # those whose memory is the program's own
        self.count = 0

    def program(self) -> str:
        """The source."""
        body = self.block(1, 3)
        return HEAD + body + f"    return ({', '.join([*self.values, ''])})\n"

    def block(self, depth: int, most: int) -> str:
        return "".join(self.statement(depth) for _ in range(self.rng.randint(1, most)))

    def statement(self, depth: int) -> str:
        rng, pad = self.rng, "    " * depth
        kind = rng.random() if depth < 4 else 0.0
        if kind < 0.45:
            return self.computed(pad)
        if kind < 0.55 and self.own:
            return pad + self.filled(rng.choice(WRITES).replace("{v}", rng.choice(self.own))) + "\n"
        if kind < 0.8:
            return f"{pad}with {', '.join(f'np.errstate({self.state()})' for _ in range(rng.choice((1, 1, 2))))}:\n" + self.block(
                depth + 1, 3
            )
        if kind < 0.85:
            old = self.fresh("old")
            return f"{pad}{old} = np.seterr({self.state()})\n" + self.block(depth, 2) + f"{pad}np.seterr(**{old})\n"
        if kind < 0.9:
            return self.function(depth, pad)
        return self.branch(depth, pad) if kind < 0.96 else self.iterations(depth, pad)

    def computed(self, pad: str) -> str:
        text = self.filled(self.rng.choice(VALUES))
        name = self.fresh("v")
        self.values.append(name)
        self.own.append(name)
        return f"{pad}{name} = {text} + np.zeros(3)\n"

    def filled(self, text: str, first: str = "") -> str:
        self.count += 1
        names = first or self.rng.choice(self.values), self.rng.choice([*self.values, "y"])
        return text.format(a=names[0], b=names[1], n=self.count % 7 + 1 + self.count // 7 * 10)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def state(self) -> str:
        if self.rng.random() < 0.3:
            return f"all={self.rng.choice(ACTIONS[:3])!r}"
        kinds = self.rng.sample(KINDS, self.rng.randint(1, 3))
        return ", ".join(f"{kind}={self.rng.choice(ACTIONS)!r}" for kind in kinds)

    def function(self, depth: int, pad: str) -> str:
        name, result = self.fresh("g"), self.fresh("v")
        lines = f"{pad}@np.errstate({self.state()})\n{pad}def {name}(z):\n{pad}    return {self.filled(self.rng.choice(VALUES))} + z + np.zeros(3)\n"
        lines += f"{pad}{result} = {name}({self.rng.choice(self.values)})\n"
        self.values.append(result)
        return lines

    def side(self, depth: int, name: str) -> str:
        """A block that binds ``name``; nothing else of it is seen outside."""
        values, own = list(self.values), list(self.own)
        self.own = []
        text = self.block(depth, 2)
        made = [value for value in self.values if value not in values] or [self.rng.choice(values)]
        self.values, self.own = values, own
        return text + f"{'    ' * depth}{name} = {' + '.join(made)} + {self.fresh('')}\n"

    def branch(self, depth: int, pad: str) -> str:
        name, test = self.fresh("v"), f"{self.rng.choice(self.values)}[0] > {self.rng.choice(('0', 'y[1]', '1'))}"
        sides = self.side(depth + 1, name), self.side(depth + 1, name)
        self.values.append(name)
        return f"{pad}if {test}:\n{sides[0]}{pad}else:\n{sides[1]}"

    def iterations(self, depth: int, pad: str) -> str:
        name, iteration = self.fresh("v"), self.fresh("t")
        head = f"{pad}{name}, {iteration} = {self.rng.choice(self.values)} + {self.fresh('')}, 0\n"
        head += f"{pad}while {iteration} < i[0]:\n{pad}    {iteration} = {iteration} + 1\n"
        body = f"{pad}    with np.errstate({self.state()}):\n{pad}        {name} = {self.filled(self.rng.choice(VALUES), name)} + {name}\n"
        self.values.append(name)
        return head + body
