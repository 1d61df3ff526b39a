# ruff: noqa: E501 -- tables of statements
"""Random programs over the state of an object, grown statement by statement on an example: the generator behind ``fuzz/state.py``.

A program is the source of a class: ``__init__`` builds containers of arrays in containers, some arrays under several names, some views of
others; ``__call__`` reads and writes them. The tables hold the statements. A row is a condition on the value that the
statement is about, and its text: ``{a}`` the value, ``{b}`` an operand that broadcasts to it, ``{o}`` another array of its shape and dtype, ``{i}`` an
index, ``{p}`` an operand that fits ``a[{i}]``, ``{k}`` a key or position of a container, ``{n}`` a small number, ``{v}`` a new local name.
"""

from __future__ import annotations

import random
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.fuzz import state_parts
from tests.fuzz.array_programs import fits
from tests.fuzz.state_parts import Box, Data, Pair, Slotted
from tests.support.quiet import quiet

SHAPES = ("4", "4", "4", "(3, 4)", "(4, 4)", "(2, 4)", "()", "1", "(2, 2)", "3")
DTYPES = ("", "", "", "", "", ", 'f4'", ", 'i8'", ", 'i8'", ", '?'", ", 'c16'")
INPUTS = ("A(4)", "A(4)", "A((3, 4))", "A(4, 'f4')", "A(4, 'i8')", "A((4, 4)).T", "A(8)[::2]", "A(())", "A((2, 4))")

Condition = Callable[[Any], bool]


def _any(a: Any) -> bool:
    return True


def _number(a: Any) -> bool:
    return a.dtype.kind in "iufc"


def _real(a: Any) -> bool:
    return a.dtype.kind in "iuf"


def _long(a: Any) -> bool:
    return a.ndim >= 1 and len(a) > 1


def _matrix(a: Any) -> bool:
    return a.ndim == 2


def _four(a: Any) -> bool:
    return a.ndim >= 1 and len(a) == 4


def _kinds(*kinds: type) -> Condition:
    return lambda c: type(c) in kinds


WRITES: tuple[tuple[Condition, str], ...] = (
    *((_any, "{a}[{i}] = {p}"),) * 6, *((_any, "{a}[...] = {b}"),) * 3, (_any, "np.copyto({a}, {b})"), (_any, "{a}[{a} > {n}] = {n}"), (_any, "{a}.fill({n})"),
    *((_number, "{a} " + sign + " {b}") for sign in ("+=", "+=", "-=", "*=", "//=", "/=")), *((_number, "{a}[{i}] " + sign + " {p}") for sign in ("+=", "*=", "-=")),
    *((_number, text) for text in ("np.add({a}, {b}, out={o})", "np.add({a}, {b}, out={a})", "np.multiply({a}, {b}, out={o}, where={o} > 1)", "np.maximum({a}, {b}, out={a})", "np.negative({a}, out={o})", "np.cumsum({a}, out={a}.reshape(-1))")),
    *((_long, text) for text in ("{a}[1:] = {a}[:-1]", "{a}[:-1] += {a}[1:]", "{a}[::-1] = {a}", "{a}[0], {a}[-1] = {a}[-1], {a}[0]", "{a}[[0, 0]] = {n}", "{a}[[1, 0]] = {a}[[0, 1]]", "for i in range(len({a})): {a}[i] = {a}[i - 1] + {n}", "for row in {a}[1:]: row += 1", "{a}.sort(0)", "np.add.at({a}, [0, 0], {n})", "np.put({a}, [0, 1], {n})", "{a}[:] = {a} * 0.5 + {b}")),
    *((_matrix, text) for text in ("{a}.T[0] = {n}", "{a}[:, 1] = {n}", "np.fill_diagonal({a}, {n})", "{a}[:, 1:] += {a}[:, :-1]", "{a}.reshape(-1)[::2] = {n}", "{a}.flat[1] = {n}")),
    *((_four, text) for text in ("{a}[n] = {n}", "{a}[n:n + 1] = {n}", "{a}[:n] += 1", "{a}[n:] = {n}", "{a}[n] += {a}[0]", "{a}[n:n + 1] = {a}[:1] + 1", "{a}[3 - n] = {a}[n]", "np.put({a}, [n], {n})", "{a}[np.arange(4) >= n] = {n}")),
)  # fmt: skip

ASSIGNMENTS: tuple[tuple[Condition, str], ...] = (
    *((_any, text) for text in ("{a} = {o}.copy()", "{a} = {a}.copy()", "{a} = np.where({a} > 1, {a}, {b})", "{a} = {o}", "{a} = np.zeros_like({a})", "{a}, {o} = {o}, {a}", "{a} = {o}[...]", "{a} = {a}[::-1]", "{a} = np.roll({a}, 1)", "{a} = {a} = {o} + 1", "{v} = {a} + 1; {a} = {v}; {v}[...] = {n}", "{v} = {a}; {a} = {v} * 2; {v} += 1", "{a} = np.full_like({a}, {n})", "{a} = {a}.astype({a}.dtype)", "{a} = np.concatenate([{a}[1:], {o}[:1]])", "{a} = {a}.T", "{a} = np.array([*{a}])", "{a} = np.asarray({a})", "del {a}\n{a} = {o} + 1")),
    *((_number, text) for text in ("{a} = {a} * 0.5 + {b}", "{a} = {a} + {b}", "{a} = np.maximum({a}, {b})", "{a} = {a} - {o}", "{a} = {a} @ np.eye(4)", "{a} = np.cumsum({a}, -1)", "{a} = {v} = {a} + {b}\n{v} *= 2")),
    (_four, "{a} = np.where(np.arange(4) == n, {n}, {a})"), (_four, "{a} = np.concatenate([{a}[n:], {a}[:n]])"),
)  # fmt: skip
"""``{a}`` is a place that can be assigned to."""

CONTAINERS: tuple[tuple[Condition, str], ...] = (
    *((_kinds(list), text) for text in (
        "{a}[0], {a}[1] = {a}[1], {a}[0]", "{a}.reverse()", "{a}.append({a}.pop(0))", "{a}[:] = [e + 1 for e in {a}]", "{a} = [e * 2 for e in {a}]", "{a} = list({a})", "{a} = {a}[::-1]", "{a} = {a}.copy()", "for e in {a}: e += 1", "{v} = {a}; {a} = [e + 1 for e in {v}]", "{a}.insert(0, {a}.pop())", "{a}[0] = {a}[1]", "{a} = [*{a}[1:], {a}[0]]", "{a}.append(1); {a}.pop()", "{a} += []", "{a}[-1] = {a}[0] + {a}[1]", "for i, e in enumerate({a}): {a}[i] = e + i", "{a} = [{a}[0], {a}[1] + {n}]", "{a}.sort(key=id) if False else None", "del {a}[0]", "{a}.append({n})", "{a}.clear()",
    )),
    *((_kinds(dict, OrderedDict), text) for text in (
        "{a} = {{**{a}}}", "{a} = {{k: e + 1 for k, e in {a}.items()}}", "{a}.update({{{k}: {a}[{k}] + 1}})", "for e in {a}.values(): e *= 2", "{v} = {a}.pop({k}); {a}[{k}] = {v}", "{a} = dict({a})", "{a} |= {{{k}: {a}[{k}] * 2}}", "{a} = {a} | {{}}", "{a}[{k}] = {a}[{k}] + 1", "{a}.setdefault({k}, None)", "{a} = {a}.copy()", "for k in {a}: {a}[k] = {a}[k] * 0.5 + 1", "{v} = {{**{a}}}; {v}[{k}] = {v}[{k}] + 1; {a} = {v}", "{a}['tmp'] = 1; del {a}['tmp']", "{a}['new'] = {n}", "del {a}[{k}]", "{a}.get({k})[...] = {n}",
    )),
    *((_kinds(tuple), text) for text in ("{a} = tuple(e + 1 for e in {a})", "{a} = ({a}[1], {a}[0])", "{a} = ({a}[0] * 2, {a}[1])", "{a}[0][...] = {n}", "{a} = (*{a},)", "for e in {a}: e += 1", "{v}, {v}_ = {a}; {v} += {v}_", "{a} = {a}[:1] + {a}[1:]", "{a} += ()", "{a} = {a}[0], {a}[1] + {n}")),
    *((_kinds(Pair), text) for text in ("{a} = {a}._replace(h={a}.h + 1)", "{a} = Pair({a}.c, {a}.h)", "{a} = Pair(*[e * 2 for e in {a}])", "{a}.h[...] = {n}", "{v}, {v}_ = {a}; {a} = Pair({v} * 0.5 + {v}_, {v}_)", "{a} = Pair({a}.h, {a}.h + {a}.c)")),
    *((_kinds(Box, Data, Slotted), text) for text in (
        "{a}.h, {a}.c = {a}.c, {a}.h", "{a} = type({a})({a}.h + 1, {a}.c)", "setattr({a}, 'h', {a}.h * 2)", "{a}.h = {a}.h + {a}.c", "{a} = type({a})({a}.c, {a}.h)", "{v} = {a}; {v}.h = {v}.h + 1", "{a}.h += 1", "{v} = {a}.h; del {a}.h; {a}.h = {v} + 1", "{a}.extra = 1", "object.__setattr__({a}, 'c', {a}.c - 1)",
    )),
    *((_kinds(Data), text) for text in ("{a} = dataclasses.replace({a}, h={a}.h + 1)", "{a}.__post_init__()")),
    *((_kinds(Box, Data), text) for text in ("{a}.__dict__.update(h={a}.h + 1)", "vars({a})['c'] = {a}.c * 2", "{a}.__dict__['h'] += 1", "{v} = {{**vars({a})}}; {v}['h'] = {v}['h'] + 1; vars({a}).update({v})")),
    *((_kinds(Box), text) for text in ("{a}.twice()", "{a}.swap()", "{a}.both = {n}", "{a}.total += 1", "{a}[0] = {n}", "{a} @= {n}", "{a} = copy.copy({a})")),
    *((_kinds(deque), text) for text in ("{a}.rotate(1)", "{a}.append({a}.popleft())", "{a}.append({a}[0] + 1)", "{a}[0] = {a}[1] * 2", "for e in {a}: e += 1", "{a}.appendleft({a}[-1] * 1)", "{a}.reverse()")),
    *((_kinds(state_parts.Layer), text) for text in ("{v} = {a}(A4)", "{a}.mean = {a}.mean * 0.9 + 0.1", "{a}.mean[...] += 1", "{a}.weight *= 0.5", "{a}.step()", "{a}.plain = {a}.plain + 1", "{a}.hidden += {a}.mean", "{a}.weight = {a}.weight.T.copy()", "{a}.register_buffer('mean', {a}.mean + 1)", "for e in {a}.parameters(): e *= 0.5", "for k, e in {a}.named_buffers(): e += 1")),
)  # fmt: skip

VIEWS: tuple[tuple[Condition, str], ...] = (
    (_any, "{v} = {a}"), (_any, "{v} = {a}[{i}]"), (_any, "{v} = {a}[{i}]"), (_any, "{v} = {a}.T"), (_any, "{v} = {a}.reshape(-1)"), (_any, "{v} = {a}.view()"), (_any, "{v} = {a}.ravel()"), (_any, "{v} = np.asarray({a})"), (_long, "{v} = {a}[::-1][1:]"), (_long, "{v}, *{v}_ = {a}"), (_matrix, "{v} = {a}.diagonal()"), (_matrix, "{v} = {a}[:, 0]"), (_four, "{v} = {a}[:n]"), (_four, "{v} = {a}[n]"),
    (_number, "{v} = {a} + {b}"), (_number, "{v} = {a} * {b}"), (_number, "{v} = {a}.sum()"), (_any, "{v} = {a}.copy()"), (_number, "{v} = np.sqrt(abs({a}))"), (_any, "{v} = np.zeros_like({a})"), (_real, "{v} = {a}.max()"), (_any, "{v} = [{a}, {o}]; {v}[0][...] = {n}"), (_any, "{v} = {{'e': {a}}}; {v}['e'][{i}] = {p}"), (_any, "{v} = (lambda: {a})(); {v}[...] = {n}"),
)  # fmt: skip

CONTROL: tuple[str, ...] = (
    "for _ in range(2):\n    {s}", "if {a}.ndim > 0:\n    {s}\nelse:\n    {t}", "try:\n    {s}\n    raise KeyError(1)\nexcept KeyError:\n    {t}", "try:\n    {s}\nfinally:\n    {t}", "def g():\n    {s}\ng()", "with np.errstate(all='ignore'):\n    {s}",
    "try:\n    {a}[{i}] = {n}\n    {a} += np.ones(7)\nexcept ValueError as error:\n    log.append(type(error).__name__)", "self.count += 1; self.count -= 1\n{s}", "if self.flag:\n    {s}", "(lambda self: self.core.__setitem__(0, {n}))(self)\n{s}", "while self.count:\n    break\nelse:\n    {s}",
)  # fmt: skip
METHODS: tuple[str, ...] = (
    "self.bump(x)", "self.bump(x); self.bump(x)", "super().bump(x)", "self.first = {n}", "self.first += 1", "self.whole = self.core + 1", "self.whole *= 2", "self.watched = self.core * 1", "self.watched += 1", "self['core'] = self['core'] + 1", "self['core'][0] = {n}", "setattr(self, 'core', getattr(self, 'core') + 1)", "self.__dict__['core'] = self.core + 1", "self.__dict__.update(core=self.core * 2)", "vars(self)['core'][...] += 1",
    "object.__setattr__(self, 'core', self.core - 1)", "self.core = self.scale(self.core)", "type(self).static(self.core)", "self.reset() if self.flag else None", "self += 1", "with self: self.core += 1", "self.count = 3; self.count = 0", "self.last = x", "self.last = x * 1", "self.last[...] = x", "self.last = x; self.core += 1", "x[...] = self.last", "x += 1", "x[...] = {n}", "self.last, self.before = x.copy(), self.last", "self.before = self.last; self.last = x", "self.ring[n] = x; self.ring[...] = self.ring[::-1]", "self.ring[n:n + 1] = x",
    "self.ring = np.concatenate([self.ring[1:], x.reshape(1, *x.shape)])", "self.tick[...] += 1", "self.tick += 1; self.ring[self.tick % 4] = x", "self.ring[self.tick % 4] = x; self.tick = self.tick + 1", "self.ring[self.tick % 4, ...] += {n}", "self.made = x; del self.made", "self.made = x * 1", "self.count += 1", "self.none = x", "self.lazy = self.lazy if self.lazy is not None else x",
)  # fmt: skip
HELD: tuple[str, ...] = (
    "self.steps += 1", "self.steps = self.steps * 3 - 1", "self.steps += x.size", "self.rate *= 0.9", "self.rate = self.rate / (1 + 0.5 * self.steps)", "self.rate = max(self.rate, 0.1)", "self.rate, self.total = self.total, self.rate", "self.total += float(x.sum())", "self.total += x.sum()", "self.total = 0.25 * self.steps", "self.phase = self.phase * 0.5 + x.sum()", "self.phase += 1",
    "self.seen['a'] += 1", "self.seen['b'] = self.seen['b'] * 0.5 + self.seen['a']", "self.seen = {{**self.seen, 'a': self.seen['a'] + 2}}", "self.seen['c'] = x * 2", "self.history.pop(0); self.history.append(self.rate)", "self.history.append(self.history.pop(0))", "self.history = [*self.history[1:], float(x.sum())]", "self.history[1] = self.history[0] + self.steps", "self.history.append(1.0)",
    "self.fresh = x * 1", "self.fresh = x * 1; self.fresh += 1", "self.fresh = {a} + 1", "self.fresh = {a}", "self.fresh = {a}[{i}]", "self.fresh = (x, {{'s': x.sum(), 'n': x.shape}})", "self.fresh = [x + 1, 'text', None, True]", "self.fresh = Box(x * 1, self.steps)", "self.fresh = {a}.sum()", "self.fresh = len(x.shape) + 0.5", "self.fresh = float(x.sum())", "self.none = x * 2", "self.none = {{'w': x * 2}}", "self.other = self.fresh = x - 1",
    "if self.slow is None: self.slow = np.zeros_like(x)\nself.slow = 0.5 * self.slow + x", "if self.slow is None:\n    self.slow = np.zeros(x.shape)\nself.slow *= 0.5; self.slow += x", "self.velocity['w'] = self.velocity.get('w', 0.0) * 0.5 + x", "if 'v' not in self.velocity: self.velocity['v'] = np.zeros(4)\nself.velocity['v'] = self.velocity['v'] + {n}", "self.slow = x if self.slow is None else self.slow", "if self.slow is None: self.slow = np.arange(4.0)", "self.slow = (0 if self.slow is None else self.slow) + x",
    "if 'w' not in CACHE: CACHE['w'] = np.hanning(4)", "CACHE.setdefault(x.shape, np.arange(x.size).reshape(x.shape))", "CACHE['n'] = 3", "remembered(3)", "CACHE['x'] = x", "if Shared.table is None: Shared.table = np.hanning(4)\n{v} = Shared.table * 2", "{v} = remembered(2) + self.rate", "self.rate = self.rate if self.steps % 2 else 0.5", "self.flag = not self.flag", "self.flag = bool(x.sum() > {n})", "if self.flag: self.core += 1\nself.flag = False", "self.steps = 7", "self.name = f'{{x.shape}}'",
)  # fmt: skip
NUMBERS = (
    "x * self.rate",
    "self.steps",
    "self.total",
    "self.phase",
    "x + self.steps",
    "self.history[0]",
    "sum(self.history)",
    "{a} * self.seen['b']",
    "self.seen['a'] // 2",
    "remembered(3)",
    "1 - 0.9 ** self.steps",
    "self.fresh",
    "x * self.slow",
)

RESULTS = ("{a}", "{a}", "{a} * 1", "{a}.sum()", "{a}[{i}]", "{a}[{i}]", "{a}.T", "{a}.copy()", "[{a}, {o}]", "{{'r': {a}}}", "{a}.reshape(-1)", "x", "x + 0", "np.asarray({a})", "len(self.__dict__)", "{a}.shape", "self.last", "np.float64(3)", "self.ring[n]", "self.core", "self.tick")  # fmt: skip


class Program:
    """Grows ``source`` on an example. ``inputs``: the text of ``x``; ``dynamic``: whether ``n`` is a dynamic size."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.input = rng.choice(INPUTS)
        self.dynamic = rng.random() < 0.3
        self.module = rng.random() < 0.3
        self.names = 0
        self.parts = [self._part(f"p{number}") for number in range(rng.randint(2, 5))]
        self.lines: list[str] = []
        self.source = ""

    def _part(self, name: str) -> str:
        rng = self.rng
        kind = rng.random()
        if self.module and kind < 0.3:
            shape = f"A({rng.choice(SHAPES)})"
            return rng.choice(
                (
                    f"self.register_buffer('{name}', {shape})",
                    f"self.{name} = nn.Parameter({shape})",
                    f"self.register_buffer('{name}', {shape}, persistent=False)",
                )
            )
        if name != "p0" and kind < 0.5:
            other = f"self.p{rng.randrange(int(name[1:]))}"
            return f"self.{name} = part({other}, {rng.randrange(100)})"
        return f"self.{name} = {self._value(0)}"

    def _value(self, depth: int) -> str:
        rng = self.rng
        if depth == 2 or rng.random() < 0.3:
            return f"A({rng.choice(SHAPES)}{rng.choice(DTYPES)})"
        first, second = self._value(depth + 1), self._value(depth + 1)
        if rng.random() < 0.5:  # of one kind, so that they can take each other's place
            first = second
        return rng.choice(("[{0}, {1}]", "[{0}, {1}]", "({0}, {1})", "({0}, {1})", "{{'w': {0}, 3: {1}}}", "{{'w': {0}, 3: {1}}}", "Box({0}, {1})", "Pair({0}, {1})", "Data({0}, {1})", "Slotted({0}, {1})", "OrderedDict(w={0}, v={1})", "deque([{0}, {1}], 2)", "Layer()", "nn.ModuleList([Layer(), Layer()])", "nn.ParameterDict(dict(w=A(4), v=A(4)))", "nn.Sequential(nn.BatchNorm1d(3), Layer())")).format(first, second)  # fmt: skip

    def build(self, length: int) -> str:
        """The source of ``class Program``; its ``__call__(self, x, n)`` gives a list of results and what it noted."""
        with quiet():
            self.scope = self._scope()
            for _ in range(length * 5):
                if len(self.lines) < length:
                    self._grow()
            tables = RESULTS, RESULTS, NUMBERS
            results = [self._filled(self.rng.choice(self.rng.choice(tables))) for _ in range(self.rng.randint(1, 4))]
            results = [text for text in results if text is not None and self._runs(text)]
        return self._text(self.lines, f"[{', '.join(results)}]")

    def _text(self, lines: list[str], result: str) -> str:
        base = "Base, nn.Module" if self.module else "Base"
        start = "".join(f"        {line}\n" for line in self.parts)
        body = "".join(f"        {line}\n" for text in lines for line in text.split("\n"))
        call = "forward" if self.module else "__call__"
        return f"class Program({base}):\n    def __init__(self):\n        super().__init__()\n        A = numbers()\n        self.begin({self.input})\n{start}    def {call}(self, x, n=1):\n        log = []\n{body}        return {result}, log\n"

    def _scope(self) -> dict[str, Any]:
        """The names that a statement sees."""
        scope = state_parts.scope()
        exec(self._text([], "[]"), scope)
        scope["self"] = scope["Program"]()
        scope["x"] = eval(self.input, {"A": state_parts.numbers()})
        scope["n"], scope["log"] = 1, []
        return scope

    def _runs(self, line: str) -> bool:
        if "super()" in line:
            return True
        before = set(self.scope)
        try:
            exec(line, self.scope)
        except Exception:
            for name in set(self.scope) - before:
                del self.scope[name]
            return False
        return all(array.size < 200 for _, array in self._arrays())

    def _grow(self) -> None:
        kind = self.rng.random()
        if kind < 0.15:
            text = self._filled(self.rng.choice(METHODS))
        elif kind > 0.8:
            text = self._filled(self.rng.choice(HELD))
        elif kind < 0.25:
            names = self.names
            inner = [self._statement() for _ in range(2)]
            if None in inner or "\n" in "".join(map(str, inner)) or self.names > names:  # a local name may not be bound
                return
            text = self._filled(self.rng.choice(CONTROL), s=inner[0], t=inner[1])
        else:
            text = self._statement()
        if text is None:
            return
        if self._runs(text):
            self.lines.append(text)

    def _statement(self) -> str | None:
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            table, values = CONTAINERS, self._containers()
        elif kind < 0.55:
            table, values = WRITES, self._arrays()
        elif kind < 0.75:
            table, values = ASSIGNMENTS, [(text, array) for text, array in self._arrays() if text.startswith("self")]
        else:
            table, values = VIEWS, self._arrays()
        if not values:
            return None
        for _ in range(8):
            condition, text = rng.choice(table)
            found = [(place, value) for place, value in values if condition(value)]
            if found:
                return self._filled(text, rng.choice(found))
        return None

    # Places

    def _places(self) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        queue: list[tuple[str, Any]] = [("self", self.scope["self"])]
        queue += [(name, value) for name, value in self.scope.items() if name[0] == "v" and name[1:].isdigit() or name == "x"]
        while queue:
            text, value = queue.pop(0)
            if id(value) in seen and not isinstance(value, np.ndarray):
                continue
            seen.add(id(value))
            yield text, value
            if isinstance(value, (list, tuple, deque)):
                fields = getattr(value, "_fields", None)
                queue += [(f"{text}.{fields[i]}" if fields else f"{text}[{i}]", item) for i, item in enumerate(value)]
            elif isinstance(value, dict):
                queue += [(f"{text}[{key!r}]", item) for key, item in value.items()]
            elif type(value) is Slotted:
                queue += [(f"{text}.{name}", getattr(value, name)) for name in ("h", "c") if hasattr(value, name)]
            elif hasattr(value, "__dict__") and not callable(getattr(value, "dtype", None)):
                queue += [
                    (f"{text}.{name}" if name.isidentifier() else f"{text}[{name}]", item)
                    for name, item in vars(value).items()
                    if name[0] != "_"
                ]

    def _arrays(self) -> list[tuple[str, Any]]:
        return [(text, value) for text, value in self._places() if isinstance(value, np.ndarray)]

    def _containers(self) -> list[tuple[str, Any]]:
        kinds = (list, dict, tuple, Pair, Box, Data, Slotted, OrderedDict, deque, state_parts.Layer)
        return [(text, value) for text, value in self._places() if type(value) in kinds and value]

    def _filled(self, text: str, chosen: tuple[str, Any] | None = None, **given: Any) -> str | None:
        rng = self.rng
        arrays = self._arrays()
        if chosen is None:
            chosen = rng.choice(arrays)
        name, value = chosen
        values: dict[str, Any] = {"a": name, "n": rng.choice(("0", "1", "2", "3", "-1", "0.5")), **given}
        if "{v}" in text:
            self.names += 1
            values["v"] = f"v{self.names}"
        if isinstance(value, np.ndarray):
            alike = [other for other, array in arrays if array.shape == value.shape and array.dtype == value.dtype and other != name]
            values["o"] = rng.choice(alike) if alike else name
            values["b"] = self._operand(value.shape, arrays)
            values["i"] = self._index(value.shape)
            values["p"] = self._operand(np.empty(value.shape)[eval(f"np.s_[{values['i']}]")].shape, arrays)
        else:
            values["k"] = repr(rng.choice(list(value))) if isinstance(value, dict) else "0"
        return text.format(**values)

    def _index(self, shape: tuple[int, ...]) -> str:
        rng = self.rng
        items = []
        for size in shape[: rng.randint(0, len(shape))]:
            items.append(rng.choice((str(rng.randrange(-size, size)) if size else ":", ":", "1:", ":-1", "::2", "::-1", "1:3")))
        return ", ".join(items) or "..."

    def _operand(self, shape: tuple[int, ...], arrays: list[tuple[str, Any]]) -> str:
        names = [name for name, array in arrays if fits(array.shape, shape)] if self.rng.random() < 0.6 else []  # fmt: skip
        return self.rng.choice(names or ["1", "2", "0.5", "-1", "n"])
