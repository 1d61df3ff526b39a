# ruff: noqa: E501 -- tables of statements
"""Random programs that return and store what they make: the generator behind ``fuzz/objects.py``.

A program is the source of a class with state of several kinds. Its ``__call__(self, x, box)`` makes arrays of constants, of outside
arrays, of its inputs and of each other, puts them into state and into containers of containers, writes to them, and calls what raises for
some data. In the tables ``{v}`` is an array of four floats, ``{n}`` a local name of one, ``{o}`` any object, ``{c}`` a new local
name, ``{i}`` a small number, ``{j}`` 0 or 1.
"""

from __future__ import annotations

import random

HEAD = """
class Program:
    def __init__(self):
        self.a = np.arange(4.0)
        self.b = np.full(4, 2.0)
        self.n = np.zeros(())
        self.parts = [np.arange(4.0) + 1, np.ones(4)]
        self.d = {"k": np.arange(4.0) - 1, "m": np.eye(2)}

    def __call__(self, x, box):
"""

PLACES = (
    "self.a",
    "self.b",
    "self.parts[0]",
    "self.parts[1]",
    "self.d['k']",
    "x",
    "x",
    "box['w']",
    "box['u'][0]",
    "G",
    "box['s'].w",
    "box['l'][0]",
    "box['m']['w']",
    "box['t'].u[0]",
)
MADE = (
    "np.array([1.0, 2.0, 3.0, 4.0])", "np.array([1.0, 2.0, 3.0, 4.0])", "(np.arange(4.0) + 1)", "np.hanning(4)", "np.r_[1.0:4.0, 9.0]", "np.random.default_rng(3).random(4)", "np.zeros(4)", "np.ones(4)", "np.full(4, 7.0)",
    "np.linspace(0, 1, 4)", "np.arange(8.0)[::2]", "np.arange(8.0).reshape(2, 4)[1]", "np.eye(4)[2]", "np.concatenate([np.ones(2), np.zeros(2)])", "np.array([1, 2, 3, 4]).astype(float)", "np.broadcast_to(np.array([2.0]), (4,)).copy()",
    "np.tile([1.0, 2.0], 2)", "(G * 2)", "(np.arange(4.0) * G)", "G.copy()", "np.asarray(G)", "G[::-1]", "np.array(G)", "np.asfortranarray(np.array([[1.0, 2.0], [3.0, 4.0]])).reshape(-1)", "np.split(np.arange(8.0), 2)[1]",
)  # fmt: skip
DERIVED = (
    "({v} * 2)", "({v} + {v})", "{v}[::-1]", "{v}.copy()", "{v}[...]", "{v}.reshape(2, 2).reshape(4)", "{v}.reshape(2, 2).T.reshape(-1)", "np.where({v} > 1, {v}, 0.5)", "np.asarray({v})", "np.sort({v})", "np.ascontiguousarray({v})",
    "np.maximum({v}, {v})", "np.atleast_2d({v})[0]", "np.stack([{v}, {v}])[1]", "{v}.ravel()", "{v}.astype(float)", "{v}.astype(float, copy=False)", "({v} - {v})",
)  # fmt: skip
STATEMENTS = (
    *("{c} = {v}",) * 6, "{n} += {v}", "{n}[{i}] = 5.0", "{n}[1:] = {v}[:-1]", "{n}[:] = {v}", "{n}.sort()", "{n}[::2] = {n}[:2]", "{n} *= 0.5",
    *("self.a = {v}",) * 3, "self.b = {v}", "self.a += {v}", "self.a[...] = {v}", "self.b[{i}] = 3", "self.a, self.b = self.b, self.a", "self.a = self.b = {v}", "np.add({v}, 1, out=self.a)",
    *("self.n += 1",) * 3, "self.n[...] = {v}.sum()", "self.parts[0] = {v}", "self.parts = [{v}, {v}]", "self.parts.reverse()", "self.parts[{j}] += 1", "self.d['k'] = {v}", "self.d = {{'k': {v}, 'm': self.d['m'] + 1}}", "self.d['m'][0] = {v}[:2]",
    *("x += 1",) * 2, "x[{i}] = 2.0", "x[...] = {v}", "box['w'][{i}] = {i}", "box['u'][0] += 1", "box['s'].w += 1", "box['l'][0][{i}] = 6.0", "box['m']['w'] *= 2", "box['t'].u[0] -= 1",
)  # fmt: skip
RAISING = (
    "np.linalg.inv(np.diag({v}))",
    "{c} = {v} + np.linalg.inv(np.diag({v}))[0]",
    "{c} = {v}[{v}.astype(int)]",
    "{c} = G[x.astype(int)]",
    "{n}[x.astype(int)] = 1.0",
    "self.a[{v}.astype(int)] = 9.0",
    "{c} = np.linalg.inv(np.diag(x)) @ {v}",
)
OBJECTS = (
    "[{o}, {o}]", "[{o}]", "({o}, {o})", "{{'p': {o}, 'q': {o}}}", "Box({o}, {o})", "deque([{o}, {o}])", "OrderedDict(p={o})", "Pair({o}, {o})", "box", "box['u']", "[]", "{i}", "'text'",
    "SimpleNamespace(p={o}, q={o})", "Counter(p={o})", "ChainMap({{'p': {o}}}, {{'q': {o}}})", "UserDict(p={o}, q={o})", "UserList([{o}, {o}])", "defaultdict(list, p={o})", "{{{i}, 'k'}}", "set()", "frozenset([{i}, 2])", "box['s']", "box['l']", "box['m']", "complex({v}[{i}], 1.5)", "{v}[{i}].item()", "None", "{v}", "{v}", "list(box['u'])", "dict(box)",
)  # fmt: skip


class Program:
    """One program; ``names`` are the local arrays so far, ``objects`` the local objects."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._names: list[str] = []
        self._objects: list[str] = []
        self._count = 0

    def build(self, statements: int, raising: bool) -> str:
        """The source."""
        lines = []
        for _ in range(statements):
            table = RAISING if raising and self._rng.random() < 0.3 else STATEMENTS
            lines += [self._object()] if self._rng.random() < 0.25 else [self._statement(self._rng.choice(table))]
        results = ", ".join(self._any(2) for _ in range(self._rng.randint(1, 4)))
        return HEAD + "".join(f"        {line}\n" for line in [*lines, f"return {results}"])

    def _statement(self, text: str) -> str:
        if "{n}" in text and not self._names:
            text = "{c} = {v}"
        return self._fill(text, 2)

    def _object(self) -> str:
        value = self._fill(self._rng.choice(OBJECTS), 2)
        self._count += 1
        self._objects.append(f"o{self._count}")
        return f"o{self._count} = {value}"

    def _fill(self, text: str, depth: int) -> str:
        while "{v}" in text:
            text = text.replace("{v}", self._array(depth), 1)
        while "{o}" in text:
            text = text.replace("{o}", self._any(depth - 1), 1)
        name = self._rng.choice(self._names) if "{n}" in text else ""
        new = ""
        if "{c}" in text:
            self._count += 1
            new = f"v{self._count}"
            self._names.append(new)
        for mark, value in (("{n}", name), ("{c}", new), ("{i}", str(self._rng.randrange(4))), ("{j}", str(self._rng.randrange(2)))):
            text = text.replace(mark, value)
        return text.replace("{{", "{").replace("}}", "}")

    def _array(self, depth: int) -> str:
        choice = self._rng.random()
        if depth and choice < 0.35:
            return self._fill(self._rng.choice(DERIVED), depth - 1)
        if self._names and choice < 0.65:
            return self._rng.choice(self._names)
        return self._rng.choice(MADE if choice < 0.85 else PLACES)

    def _any(self, depth: int) -> str:
        if depth <= 0 or self._rng.random() < 0.5:
            return self._rng.choice(self._objects) if self._objects and self._rng.random() < 0.6 else self._array(1)
        return self._fill(self._rng.choice(OBJECTS), depth)
