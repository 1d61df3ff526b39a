"""Random models as source text: modules of ``nn`` and plain classes, which hold each other.

A model holds layers, parameters, buffers, plain arrays, numbers, and models that were written before it: alone, under two names, in
lists, in dicts, in ``Sequential``. What is called twice, shared, or kept as state is drawn anew in each. The root takes ``x`` and a
container of further arrays, and returns a container.
"""

from __future__ import annotations

import random
from collections import namedtuple
from typing import Any

import numpy as np

from npexport import nn

WIDTH = 4
Pair = namedtuple("Pair", "first second")
NAMES: dict[str, Any] = {"np": np, "nn": nn, "Pair": Pair}

LAYERS = (
    "nn.Linear(4, 4, dtype=np.float64)",
    "nn.Linear(4, 4, bias=False, dtype=np.float64)",
    "nn.LayerNorm(4, dtype=np.float64)",
    "nn.Sequential(nn.Linear(4, 4, dtype=np.float64), nn.Tanh())",
    "nn.ReLU()",
    "nn.Dropout(0.5).eval()",
)
ARRAYS = ("np.ones(4)", "np.arange(4.0)", "np.full((1, 4), 0.5)", "np.linspace(-1, 1, 4)")
STEPS = (
    "x = np.tanh(x)",
    "x = x * 2 - 1",
    "x = x - x.mean(axis=0)",
    "x = np.where(x > 0, x, 0.1 * x)",
    "x = x / max(x.shape[0], 1)",
    "x = x + x.shape[0]",
    "x = x[::-1]",
    "x = np.concatenate([x[1:], x[:1]])",
    "x = x.reshape(-1, 4)",
    "if x.sum() > 0:\n    x = x * 0.5\nelse:\n    x = x + 1",
    "while np.abs(x).sum() > 50:\n    x = x * 0.5",
    "x = x.copy()\nx[:, 0] = 1",
    "x = x if x.max() > 1 else -x",
    "for i in range(2):\n    x = np.sin(x) + i",
    "try:\n    x = x + np.add(x[0], [1, 2, 3])\nexcept ValueError:\n    x = x + 0.25",
    "total = 0.0\nfor row in x:\n    total = total + row[0]\nx = x + total",
)


class Writer:
    """``source()`` is a module of Python in which ``make()`` gives a model."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.plain = rng.random() < 0.3
        self.classes: list[str] = []

    def source(self) -> str:
        rng = self.rng
        parts = [self._model(f"M{number}") for number in range(rng.randint(1, 4))]
        root = self._model("Root", root=True)
        return "\n\n".join([*parts, root, "def make():\n    nn.init.manual_seed(0)\n    return Root().eval()" if not self.plain else _MAKE])

    def _model(self, name: str, root: bool = False) -> str:
        held, steps = [], []
        for number in range(self.rng.randint(1, 4)):
            some_held, some_steps = self._part(f"p{number}")
            held += some_held
            steps += some_steps
        for _ in range(self.rng.randint(0, 2)):
            steps.append(self.rng.choice(STEPS))
        self.rng.shuffle(steps)
        base, begin = ("", []) if self.plain else ("(nn.Module)", ["super().__init__()"])
        head = "def forward(self, x, extra):" if root else "def forward(self, x):"
        body = [*(self._extra() if root else []), *steps, f"return {self._result()}" if root else "return x"]
        call = "\n\n    def __call__(self, *args):\n        return self.forward(*args)" if self.plain else ""
        self.classes.append(name)
        return f"class {name}{base}:\n    def __init__(self):\n{_block([*begin, *held] or ['pass'])}\n\n    {head}\n{_block(body)}{call}\n"

    def _part(self, name: str) -> tuple[list[str], list[str]]:
        """What a model holds under a name, and what it does with it."""
        kinds = [self._layer, self._array, self._state, self._list, self._dict, *([self._model_of] * 3 if self.classes else [])]
        return self.rng.choice(kinds)(name)

    def _made(self) -> str:
        if self.classes and self.rng.random() < 0.6:
            return f"{self.rng.choice(self.classes)}()"
        return self.rng.choice(LAYERS)

    def _layer(self, name: str) -> tuple[list[str], list[str]]:
        return [f"self.{name} = {self.rng.choice(LAYERS)}"], [f"x = self.{name}(x)"]

    def _model_of(self, name: str) -> tuple[list[str], list[str]]:
        made = f"{self.rng.choice(self.classes)}()"
        use = self.rng.choice(
            ["x = self.{0}(x)", "x = self.{0}(self.{0}(x))", "x = x + self.{0}(x)", "x = self.{0}(x) + self.{0}(x[::-1])"]
        )
        if self.rng.random() < 0.3:  # under two names
            return [f"self.{name} = self.{name}_again = {made}"], [use.format(name), f"x = self.{name}_again(x)"]
        return [f"self.{name} = {made}"], [use.format(name)]

    def _array(self, name: str) -> tuple[list[str], list[str]]:
        array = self.rng.choice(ARRAYS)
        forms = ["{1}"] if self.plain else ["{1}", "nn.Parameter({1})", "nn.Buffer({1})"]
        held = f"self.{name} = {self.rng.choice(forms)}".format(name, array)
        return [held], [self.rng.choice(["x = x * self.{0}", "x = x + self.{0}", "x = x @ np.diag(np.ravel(self.{0}))"]).format(name)]

    def _state(self, name: str) -> tuple[list[str], list[str]]:
        persistent = self.rng.choice(["", ", persistent=False"])
        shape, changes = self.rng.choice([
            ("np.zeros(())", ["self.{0} += 1", "self.{0} = self.{0} + 1", "self.{0} += x.sum()"]),
            ("np.zeros(4)", ["self.{0} += x.sum(axis=0)", "self.{0}[1] = x.max()", "self.{0}[...] = self.{0} * 0.5 + 1",
                             "self.{0} = 0.9 * self.{0} + 0.1 * x.sum(0)", "np.add(self.{0}, 1, out=self.{0})"]),
        ])  # fmt: skip
        held = f"self.{name} = {shape}" if self.plain else f"self.register_buffer({name!r}, {shape}{persistent})"
        if not self.plain and self.rng.random() < 0.2:
            held = f"self.{name} = {shape}"
        change = self.rng.choice(changes).format(name)
        if self.rng.random() < 0.2:
            change = f"if x.sum() > 0:\n    {change}"
        return [held], [change, self.rng.choice(["x = x + self.{0}", "x = x * (self.{0} > 1)", "pass"]).format(name)]

    def _list(self, name: str) -> tuple[list[str], list[str]]:
        items = [self._made() for _ in range(self.rng.randint(1, 3))]
        if self.rng.random() < 0.3 and not self.plain:
            return [f"self.{name} = nn.Sequential({', '.join(items)})"], [f"x = self.{name}(x)"]
        if self.rng.random() < 0.3:
            items.append(f"self.{name}_first")
            begin = [f"self.{name}_first = {self._made()}"]
        else:
            begin = []
        held = f"[{', '.join(items)}]" if self.plain else f"nn.ModuleList([{', '.join(items)}])"
        loop = self.rng.choice([
            "for part in self.{0}:\n    x = part(x)",
            "for part in reversed(list(self.{0})):\n    x = x + part(x)",
            "for i in range(len(self.{0})):\n    x = self.{0}[i](x)",
            "x = sum([part(x) for part in self.{0}])",
            "x = self.{0}[-1](x)",
        ])  # fmt: skip
        return [*begin, f"self.{name} = {held}"], [loop.format(name)]

    def _dict(self, name: str) -> tuple[list[str], list[str]]:
        items = ", ".join(f"{key!r}: {self._made()}" for key in self.rng.sample(["a", "b", "mean", "forward_"], self.rng.randint(1, 3)))
        held = f"{{{items}}}" if self.plain else f"nn.ModuleDict({{{items}}})"
        loop = self.rng.choice([
            "for key, part in self.{0}.items():\n    x = part(x)",
            "for key in self.{0}:\n    x = x + self.{0}[key](x)",
            "x = np.stack([part(x) for part in self.{0}.values()]).sum(axis=0)",
        ])  # fmt: skip
        return [f"self.{name} = {held}"], [loop.format(name)]

    def _extra(self) -> list[str]:
        """What the root reads of its container of arrays, which it may write to."""
        uses = [
            "x = x + extra['y']",
            "x = x * extra['z'][0]",
            "x = x - extra['z'][1].first",
            "extra['y'][...] = 3",
            "extra['z'][1].second[0] += 1",
        ]
        return self.rng.sample(uses, self.rng.randint(1, 3))

    def _result(self) -> str:
        held = "self.p0" if self.rng.random() < 0.1 else "x"
        either = f"{{'a': x, 'b': np.asarray({held}) if isinstance({held}, np.ndarray) else x[:, :2]}}"
        forms = ["x", "x, x.sum()", "{'out': x, 'more': [x[0], (x * 2,)]}", "Pair(x, {'n': x.shape[0]})", "[x, x]", "x, None, 'text', 2.5"]
        forms += [either, "x, extra['y']", "(x, (), {})"]
        return self.rng.choice(forms)


_MAKE = "def make():\n    nn.init.manual_seed(0)\n    return Root()"


def _block(statements: list[str]) -> str:
    lines = [line for statement in statements for line in statement.splitlines()]
    return "\n".join(f"        {line}" for line in lines)


def arguments(seed: int, rows: int) -> tuple[Any, ...]:
    """The arguments of a root: ``x`` and a container."""
    draw = np.random.default_rng([seed, rows]).standard_normal
    return draw((rows, WIDTH)), {"y": draw(WIDTH), "z": [draw((rows, 1)), Pair(draw((1, WIDTH)), draw(3))]}
