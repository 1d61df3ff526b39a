"""Writes random Python programs over ints, strings, containers, closures, generators, classes, exceptions and arrays."""

from __future__ import annotations

import random
import textwrap

PRELUDE = """
import functools, itertools, contextlib, collections, operator
import numpy as np

class Err(Exception):
    def __init__(self, value, *rest):
        super().__init__(value, *rest)
        self.value = value

class Sub(Err):
    pass

class Managed:
    def __init__(self, log, swallow):
        self.log, self.swallow = log, swallow
    def __enter__(self):
        self.log.append("enter")
        return len(self.log)
    def __exit__(self, kind, value, tb):
        self.log.append(("exit", kind and kind.__name__))
        return self.swallow and kind is not None and issubclass(kind, Err)

@contextlib.contextmanager
def managed(log, tag):
    log.append(tag)
    try:
        yield tag * 2
    except Sub as error:
        log.append(("swallowed", error.value))
    finally:
        log.append(-tag)
"""


class Writer:
    """Builds one program; every name that it reads is always bound to a value of the kind that its pool says."""

    def __init__(self, rng: random.Random, arrays: bool) -> None:
        self.rng = rng
        self.arrays = arrays
        self.ints = ["i0", "i1", "i2", "n"]
        self.lists = ["l0", "l1"]
        self.dicts = ["d0"]
        self.strings = ["s0"]
        self.vectors = ["x", "y", "v0"] if arrays else []
        self.functions: list[str] = []
        self.counter = 0
        self.loop_depth = 0
        self.depth = 0
        self.in_function = False

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}_{self.counter}"

    # expressions

    def int_(self, depth: int = 0) -> str:
        pick = self.rng.choice
        choices = [lambda: str(self.rng.randint(-3, 9)), lambda: pick(self.ints), lambda: pick(self.ints)]
        if depth < 2:
            sub = lambda: self.int_(depth + 1)  # noqa: E731
            choices += [
                lambda: f"({sub()} {pick(['+', '-', '*', '&', '|', '^'])} {sub()})",
                lambda: f"({sub()} {pick(['//', '%'])} {pick(['2', '3', '5', '7', sub()])})",
                lambda: f"({sub()} if {self.cond(depth + 1)} else {sub()})",
                lambda: f"len({pick(self.lists)})",
                lambda: f"{pick(self.lists)}[{sub()}]" if self.rng.random() < 0.3 else f"sum({self.list_(depth + 1)})",
                lambda: f"{pick(self.dicts)}.get({sub()}, {sub()})",
                lambda: f"max({sub()}, {sub()}, key=lambda q: (q % 3, q))",
                lambda: f"functools.reduce(lambda p, q: p * 2 + q, {self.list_(depth + 1)}, 1) % 97",
                lambda: f"len({self.string(depth + 1)})",
                lambda: f"abs({sub()})",
                lambda: f"int(not {self.cond(depth + 1)})",
                lambda: f"next((q for q in {self.list_(depth + 1)} if q > {sub()}), {sub()})",
            ]
            if self.functions:
                choices.append(lambda: f"{pick(self.functions)}({sub()})")
        return pick(choices)()

    def cond(self, depth: int = 0) -> str:
        pick = self.rng.choice
        a, b = self.int_(depth + 1), self.int_(depth + 1)
        return pick(
            [
                f"{a} {pick(['<', '<=', '==', '!=', '>', '>='])} {b}",
                f"{a} < {b} <= {self.int_(2)}",
                f"{a} in {pick(self.lists)}",
                f"{a} not in {pick(self.dicts)}",
                f"({a} > 1 and {b} < 5)",
                f"({a} or {b})",
                f"not {a}",
                f"any(q == {a} for q in {pick(self.lists)})",
                f"isinstance({a}, (int, str))",
                f"{pick(self.strings)} is None",
            ]
        )

    def list_(self, depth: int = 0) -> str:
        pick = self.rng.choice
        a = lambda: self.int_(2)  # noqa: E731
        return pick(
            [
                f"[{a()}, {a()}, {a()}]",
                f"[q + {a()} for q in {pick(self.lists)} if q % 2]",
                f"[p * q for p in range(3) for q in {pick(self.lists)}[:2]]",
                f"list(map(lambda q, k={a()}: q - k, {pick(self.lists)}))",
                f"sorted({pick(self.lists)}, key=lambda q: (-q) % 5)",
                f"{pick(self.lists)}[{a()}:{a()}]",
                f"{pick(self.lists)}[::-1]",
                f"[*{pick(self.lists)}, {a()}]",
                f"list(itertools.chain({pick(self.lists)}, range({a()} % 4)))",
                f"[v for k, v in sorted({pick(self.dicts)}.items())]",
                f"sorted({{q % 4 for q in {pick(self.lists)}}})",
                f"list(zip({pick(self.lists)}, range(2)))[0:0] + [{a()}]",
                f"[len(w) for w in {pick(self.strings)}.split('a')]",
                f"list(filter(None, {pick(self.lists)}))",
                f"[(w := q) + w for q in {pick(self.lists)}]",
            ]
        )

    def string(self, depth: int = 0) -> str:
        pick = self.rng.choice
        a = lambda: self.int_(2)  # noqa: E731
        return pick(
            [
                pick(self.strings),
                f"f'{{{a()}}}-{{{a()}!r:>4}}'",
                f"'a'.join(map(str, {pick(self.lists)}))[:20]",
                f"('%d|%s' % ({a()}, {pick(self.strings)}))[:20]",
                f"str({pick(self.lists)})[:15]",
                f"{pick(self.strings)}.upper().replace('A', 'b')",
            ]
        )

    def vector(self, depth: int = 0) -> str:
        """An expression for a float64 array of shape (4,)."""
        pick = self.rng.choice
        choices = [lambda: pick(self.vectors), lambda: pick(self.vectors)]
        if depth < 2:
            sub = lambda: self.vector(depth + 1)  # noqa: E731
            choices += [
                lambda: f"({sub()} {pick(['+', '-', '*'])} {sub()})",
                lambda: f"({sub()} * ({self.int_(2)} % 7))",
                lambda: f"np.{pick(['sin', 'cos', 'tanh', 'abs', 'negative'])}({sub()})",
                lambda: f"{sub()}[::-1]",
                lambda: f"np.where({sub()} > {sub()}, {sub()}, {sub()})",
                lambda: f"np.concatenate([{sub()}[2:], {sub()}[:2]])",
                lambda: f"np.stack([{sub()}, {sub()}]).{pick(['sum', 'mean', 'max'])}(axis=0)",
                lambda: f"({sub()} + {sub()}.{pick(['sum', 'mean', 'max'])}())",
                lambda: f"np.outer({sub()}, {sub()})[{self.int_(2)} % 4]",
                lambda: f"{sub()}.reshape(2, 2).T.ravel()",
                lambda: f"sum(({sub()} * q for q in range(3)), np.zeros(4))",
                lambda: f"np.array([q * {pick(['1.0', '0.5', 'i0'])} for q in {sub()}])",
            ]
        return pick(choices)()

    # statements

    def block(self, lines: int) -> list[str]:
        out: list[str] = []
        for _ in range(lines):
            out += self.statement()
        return out or ["pass"]

    def nested(self, lines: int | None = None) -> list[str]:
        self.depth += 1
        body = self.block(lines or self.rng.randint(1, 3))
        self.depth -= 1
        return ["    " + line for line in body]

    def statement(self) -> list[str]:
        simple = [self.assign, self.augment, self.log, self.container, self.unpack, self.raise_]
        if self.arrays:
            simple += [self.array_assign, self.array_write, self.array_assign]
        compound = [
            self.if_,
            self.for_,
            self.while_,
            self.try_,
            self.with_,
            self.def_,
            self.generator,
            self.class_,
            self.match,
            self.recursion,
            self.bound_methods,
        ]
        pool = simple if self.depth >= 3 or self.rng.random() < 0.5 else compound
        return self.rng.choice(pool)()

    def assign(self) -> list[str]:
        kind = self.rng.random()
        if kind < 0.5:
            return [f"{self.rng.choice(self.ints[:3])} = {self.int_()}"]
        if kind < 0.8:
            return [f"{self.rng.choice(self.lists)} = {self.list_()}"]
        return [f"{self.rng.choice(self.strings)} = {self.string()}"]

    def augment(self) -> list[str]:
        return [
            f"{self.rng.choice(self.ints[:3])} {self.rng.choice(['+=', '-=', '*=', '^='])} {self.int_()}",
            "i0 %= 1009",
            "i1 %= 1009",
            "i2 %= 1009",
        ]

    def log(self) -> list[str]:
        return [f"log.append({self.rng.choice([self.int_, self.list_, self.string])()})"]

    def container(self) -> list[str]:
        d, entries = self.rng.choice(self.dicts), self.rng.choice(self.lists)
        return self.rng.choice(
            [
                [f"{d}[{self.int_()}] = {self.int_()}"],
                [f"{entries}.append({self.int_()})", f"del {entries}[6:]"],
                [f"{entries}[{self.int_(2)}:{self.int_(2)}] = {self.list_()}", f"del {entries}[6:]"],
                [f"{d}.pop({self.int_()}, None)"],
                [f"{d} = {{q: q * {self.int_(2)} for q in {self.list_()}}}"],
                [f"{d} |= collections.Counter({self.list_()})"],
                [f"{entries}.sort(key=lambda q: -q)"],
            ]
        )

    def unpack(self) -> list[str]:
        return self.rng.choice(
            [
                [f"i0, *l0, i1 = {self.list_()} + [1, 2]"],
                ["i0, i1 = i1, i0"],
                [f"(i2, (i1, *l1)) = ({self.int_()}, [{self.int_()}, 3, 4])"],
                [f"for i1, i2 in enumerate({self.list_()}): pass"],
            ]
        )

    def raise_(self) -> list[str]:
        if self.rng.random() < 0.6:
            return self.assign()
        kind = self.rng.choice(["Err", "Sub", "ValueError", "KeyError"])
        tail = self.rng.choice(["", "", " from None", " from KeyError('cause')"])
        return [f"if {self.cond()}:", f"    raise {kind}({self.int_()}){tail}"]

    def if_(self) -> list[str]:
        out = [f"if {self.cond()}:", *self.nested()]
        if self.rng.random() < 0.4:
            out += [f"elif {self.cond()}:", *self.nested()]
        if self.rng.random() < 0.5:
            out += ["else:", *self.nested()]
        return out

    def loop_body(self) -> list[str]:
        self.loop_depth += 1
        body = self.nested()
        if self.rng.random() < 0.4:
            body += [f"    if {self.cond()}: {self.rng.choice(['break', 'continue'])}"]
        self.loop_depth -= 1
        return body

    def for_(self) -> list[str]:
        if self.loop_depth >= 2:
            return self.assign()
        var = self.rng.choice(self.ints[:3])
        source = self.rng.choice([f"range({self.rng.randint(0, 4)})", f"{self.list_()}[:4]", "reversed(l0[:3])", "list(d0)[:3]"])
        out = [f"for {var} in {source}:", *self.loop_body()]
        return out + (["else:", *self.nested(1)] if self.rng.random() < 0.3 else [])

    def while_(self) -> list[str]:
        if self.loop_depth >= 2:
            return self.assign()
        var = self.fresh("w")
        body = self.loop_body()
        out = [f"{var} = 0", f"while {var} < {self.rng.randint(1, 4)} and {self.cond()}:", f"    {var} += 1", *body]
        return out + (["else:", *self.nested(1)] if self.rng.random() < 0.3 else [])

    def try_(self) -> list[str]:
        out = ["try:", *self.nested()]
        handlers = self.rng.sample(
            ["Sub", "Err", "(ValueError, KeyError)", "ZeroDivisionError", "IndexError", "LookupError"], self.rng.randint(0, 3)
        )
        for handler in handlers:
            name = self.fresh("e")
            out += [
                f"except {handler} as {name}:",
                f"    log.append((type({name}).__name__, {name}.args, type({name}.__context__).__name__))",
                *self.nested(1),
            ]
            if self.rng.random() < 0.2:
                out.append("    raise")
        if handlers and self.rng.random() < 0.3:
            out += ["else:", *self.nested(1)]
        if not handlers or self.rng.random() < 0.4:
            out += ["finally:", "    log.append('finally')", *self.nested(1)]
        return out

    def with_(self) -> list[str]:
        head = self.rng.choice(
            [
                f"with Managed(log, {self.cond()}) as i1:",
                f"with managed(log, {self.int_(2)}) as i2:",
                "with Managed(log, True), managed(log, 3) as i0:",
                "with contextlib.suppress(Err, LookupError):",
            ]
        )
        return [head, *self.nested()]

    def function_body(self, lines: int) -> tuple[list[str], list[str]]:
        """A body that works on its own copies of the pools, and perhaps on nonlocal ones."""
        saved = self.loop_depth, list(self.functions), self.depth
        self.loop_depth, self.depth = 1, self.depth + 1
        body = self.block(lines)
        self.loop_depth, self.functions, self.depth = saved
        return ["nonlocal " + ", ".join(["i0", "i1", "i2", "l0", "l1", "d0", "s0"] + (["v0"] if self.arrays else []))], body

    def def_(self) -> list[str]:
        if self.depth >= 2:
            return self.assign()
        name = self.fresh("f")
        head, body = self.function_body(2)
        arg = self.fresh("a")
        out = [
            f"def {name}({arg}, *rest, scale=1, **options):",
            *["    " + line for line in head + body],
            f"    return ({arg} * scale + i0) % 101",
        ]
        if self.rng.random() < 0.2:
            out.insert(0, "@functools.lru_cache(maxsize=None)")
        elif self.rng.random() < 0.2:
            out.insert(0, "@(lambda fn: functools.wraps(fn)(lambda *args, **kwargs: fn(*args, **kwargs) + 1))")
        out.append(f"log.append({name}({self.int_(2)}, scale=2))")
        self.functions.append(name)
        return out

    def generator(self) -> list[str]:
        if self.depth >= 2:
            return self.assign()
        name, inner = self.fresh("g"), self.fresh("h")
        head, body = self.function_body(1)
        out = [
            f"def {inner}(k):",
            "    try:",
            "        got = yield k",
            "        log.append(('got', got))",
            "        yield k + 1",
            "    finally:",
            "        log.append('closed')",
            "    return k * 2",
            f"def {name}(k):",
            *["    " + line for line in head + body],
            f"    r = yield from {inner}(k)",
            "    yield r",
            f"    yield from ({self.int_(2)} + q for q in l0[:2])",
        ]
        use = self.rng.choice(
            [
                [f"log.append(list({name}({self.int_(2)})))"],
                [f"it = {name}(1)", "log.append(next(it))", "log.append(it.send(5))", "it.close()"],
                [
                    f"it = {name}(2)",
                    "next(it)",
                    "try:",
                    "    log.append(it.throw(Sub(3)))",
                    "except Err as error:",
                    "    log.append(error.value)",
                ],
                [f"for i1 in {name}(3):", "    if i1 > 4: break", "else:", "    log.append('all')"],
                [f"i0, *l1 = {name}(4)"],
                [f"log.append(sum({name}(2)) % 1000)"],
            ]
        )
        return out + use

    def class_(self) -> list[str]:
        if self.depth >= 2:
            return self.assign()
        name = self.fresh("C")
        base = self.rng.choice(["", "(Base)", "(list)", "(dict)"])
        out = [
            "class Base:",
            "    total = 0",
            "    def __init_subclass__(cls, **kwargs):",
            "        super().__init_subclass__(**kwargs)",
            "        cls.made = getattr(cls, 'made', 0) + 1",
            "    def greet(self):",
            "        return ['base', type(self).__name__]",
            f"class {name}{base}:",
            f"    factor = {self.int_(2)}",
            "    def __init__(self, value=1):",
            "        super().__init__()",
            "        self.value = value",
            "    @property",
            "    def double(self):",
            "        return self.value * 2",
            "    @double.setter",
            "    def double(self, value):",
            "        self.value = value // 2",
            "    @classmethod",
            "    def make(cls, value):",
            "        return cls(value + cls.factor)",
            "    @staticmethod",
            "    def twice(value):",
            "        return value * 2",
            "    def __add__(self, other):",
            f"        return {name}(self.value + getattr(other, 'value', other))",
            "    __radd__ = __add__",
            "    def __eq__(self, other):",
            f"        return isinstance(other, {name}) and self.value == other.value",
            "    def __lt__(self, other):",
            "        return self.value < other.value",
            "    def __hash__(self):",
            "        return hash(self.value)",
            "    def __call__(self, k):",
            "        return self.value * k",
            "    def __repr__(self):",
            "        return f'<{self.value}>'",
            "    def __bool__(self):",
            "        return self.value % 2 == 0",
        ]
        use = [
            [
                f"o = {name}({self.int_(2)})",
                "o.double = 7",
                f"log.append((o.value, o.double, (o + 1).value, (2 + o).value, o(3), {name}.make(2).value))",
            ],
            [f"log.append(repr(sorted([{name}(3), {name}({self.int_(2)}), {name}.make(1)])))"],
            [f"log.append(len({{{name}(1), {name}(1), {name}(2)}}))", f"log.append({name}(4) in [{name}(3), {name}(4)])"],
            [f"log.append(sum([{name}(1), {name}(2)], 5).value)", f"i0 = 1 if {name}(3) else 2", f"log.append({name}.twice(4))"],
        ]
        if base == "(Base)":
            use.append([f"log.append(({name}(1).greet(), {name}.made))"])
        return out + self.rng.choice(use)

    def match(self) -> list[str]:
        subject = self.rng.choice([self.list_(), "(i0, i1)", "{'k': i0, 'z': l0}", "i0", "s0", "d0"])
        return [
            f"match {subject}:",
            "    case [i1, i2]:",
            *["    " + line for line in self.nested(1)],
            "    case [i1, *_] if i1 > 2:",
            "        log.append(('star', i1))",
            "    case {'k': i1, **rest}:",
            "        log.append(sorted(rest))",
            "    case int(i2) | str(i2):",
            "        log.append('scalar')",
            "        i2 = 5",
            "    case _:",
            *["    " + line for line in self.nested(1)],
        ]

    def recursion(self) -> list[str]:
        if self.depth >= 2:
            return self.assign()
        name = self.fresh("rec")
        return [
            f"def {name}(k, acc=()):",
            f"    return acc if k <= 0 else {name}(k - 1, acc + (k * i0 % 7,))",
            f"log.append({name}({self.rng.randint(0, 6)}))",
        ]

    def bound_methods(self) -> list[str]:
        return self.rng.choice(
            [
                ["push = l0.append", f"push({self.int_()})", "del l0[6:]"],
                [f"i0 = operator.itemgetter(0)({self.list_()} + [1])"],
                [f"i1 = functools.partial(lambda p, q=2: p - q, q={self.int_(2)})(i0)"],
                [f"log.append([(k, len(list(g))) for k, g in itertools.groupby({self.list_()}, key=lambda q: q % 2)])"],
                ["l1 = list(itertools.accumulate(l0[:5], lambda p, q: (p + 2 * q) % 50))"],
                ["log.append('{:>3}|{!r}'.format(i0, s0))"],
            ]
        )

    def array_assign(self) -> list[str]:
        return [f"v0 = {self.vector()}"]

    def array_write(self) -> list[str]:
        return self.rng.choice(
            [
                ["v0 = v0.copy()", f"v0[{self.rng.randint(0, 3)}] = {self.vector()}[{self.rng.randint(0, 3)}]"],
                ["v0 = np.array(v0)", f"v0[1:] += {self.vector()}[:-1]"],
                [f"v0 = v0 + {self.vector()}", "view = v0.reshape(2, 2)", "view[0] *= 2", "view.T[1] -= 1"],
                ["v0 = v0.copy()", f"v0[{self.vector()} > 0] = {self.rng.choice(['0.5', 'i0 % 5'])}"],
                ["acc = np.zeros(4)", f"for q, row in enumerate({self.vector()}): acc[q] = row * q", "v0 = acc"],
                [f"np.add(v0, {self.vector()}, out=(hold := np.empty(4)))", "v0 = hold"],
            ]
        )

    def program(self) -> str:
        body = self.block(self.rng.randint(4, 9))
        args = "x, y, n" if self.arrays else "n"
        setup = ["log = []", "i0, i1, i2 = 1, n, 3", "l0, l1 = [1, 2, 3], [n]", "d0 = {1: 2, 3: n}", "s0 = 'banana'"]
        if self.arrays:
            setup.append("v0 = x + 0")
        result = "return log, i0, i1, i2, l0, l1, d0, s0" + (", v0" if self.arrays else "")
        return PRELUDE + f"\ndef prog({args}):\n" + textwrap.indent("\n".join([*setup, *body, result]), "    ") + "\n"
