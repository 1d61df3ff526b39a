"""Classes: inheritance, metaclasses, descriptors, slots, special methods, dataclasses, enumerations."""

from __future__ import annotations

from tests.fuzz.python_programs.expressions import Expressions, indented

HEADS = [
    "",
    "(Base)",
    "(Mixin, Base)",
    "(list)",
    "(dict)",
    "(metaclass=Meta, tag=5)",
    "(Base, tag='t')",
    "(abc.ABC)",
    "(typing.Generic[T])",
]


class Objects(Expressions):
    SIMPLE = ("use_point", "use_enum")
    COMPOUND = ("class_", "protocols", "attributes", "slots", "metaclass", "diamond", "dataclass", "class_body", "iterator", "enumeration")

    def method(self, head: str, result: str) -> list[str]:
        """A method with random statements in it."""
        return indented([f"def {head}:", *self.body("def", 1), f"    return {result}"])

    def use_point(self) -> list[str]:
        return self.rng.choice(
            [
                [f"log.append(dataclasses.asdict(Point({self.int_(2)}, rest=[l0, {{1: s0}}])))"],
                [
                    f"p = dataclasses.replace(Point(1, {self.int_(2)}), x={self.int_(2)})",
                    "log.append((p == Point(1, 2), p > Point(1), repr(p)))",
                ],
                [f"i0 = sorted([Point({self.int_(2)}), Point({self.int_(2)}, 1), Point(2)])[1].norm()"],
                ["p = copy.deepcopy(Point(1, rest=l0))", "p.rest.append(7)", "log.append((p.rest, l0, p.rest is l0))"],
                [f"log.append(Pair({self.int_(2)})._replace(right=i0)._asdict())"],
            ]
        )

    def use_enum(self) -> list[str]:
        return self.rng.choice(
            [
                [f"log.append(attempt(lambda: Color({self.int_(2)}).next.name))"],
                [f"log.append([c.name for c in Color if c.value > {self.int_(2)}])"],
                [f"log.append((Perm.R | Perm({self.int_(2)} % 8)).value)", "log.append((~Perm.X).value)"],
                ["log.append((Color['RED'] is Color.RED, Color.RED in Color, len(Color), repr(Color.BLUE)))"],
            ]
        )

    def class_(self) -> list[str]:
        if self.depth >= 2:
            return self.use_point()
        name, head = self.fresh("C"), self.rng.choice(HEADS)
        out = [
            "T = typing.TypeVar('T')",
            f"class {name}{head}:",
            f"    factor = {self.int_(2)}",
            "    def __init__(self, value=1):",
            "        super().__init__()",
            "        self.value = value",
            "    @property",
            *self.method("double(self)", "self.value * 2"),
            "    @double.setter",
            "    def double(self, value):",
            "        self.value = value // 2",
            "    @classmethod",
            "    def make(cls, value):",
            "        return cls(value + cls.factor)",
            "    @staticmethod",
            *self.method("twice(value)", "value * 2"),
            *self.method("__add__(self, other)", f"{name}(self.value + getattr(other, 'value', other))"),
            "    __radd__ = __add__",
            "    def __eq__(self, other):",
            f"        return isinstance(other, {name}) and self.value == other.value",
            *self.method("__lt__(self, other)", "self.value < other.value"),
            *self.method("__hash__(self)", "hash(self.value)"),
            *self.method("__call__(self, k)", "self.value * k"),
            "    def __repr__(self):",
            "        return f'<{self.value}>'",
            *self.method("__bool__(self)", "self.value % 2 == 0"),
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
            [f"log.append([c.__name__ for c in {name}.__mro__])", f"log.append(repr(max([{name}(1), {name}(4)])))"],
        ]
        if "Base" in head:
            use.append([f"log.append(({name}(1).greet(), {name}.tagged))"])
        return out + self.rng.choice(use)

    def protocols(self) -> list[str]:
        """Container and number protocols with random bodies; some fall back to one another."""
        if self.depth >= 2:
            return self.use_point()
        name = self.fresh("P")
        methods = [
            self.method("__len__(self)", "len(self.data)"),
            self.method("__getitem__(self, at)", "self.data[at]"),
            self.method("__setitem__(self, at, value)", "self.data.__setitem__(at, value)"),
            self.method("__contains__(self, what)", "what in self.data"),
            self.method("__iter__(self)", "iter(self.data)"),
            self.method("__reversed__(self)", "reversed(self.data)"),
            self.method("__iadd__(self, other)", "self"),
            self.method("__mul__(self, other)", "NotImplemented if other == 2 else 'mul'"),
            self.method("__rmul__(self, other)", "'rmul'"),
            self.method("__matmul__(self, other)", "('matmul', other)"),
            self.method("__neg__(self)", "[-q for q in self.data]"),
            self.method("__eq__(self, other)", "NotImplemented"),
            self.method("__ne__(self, other)", "'ne'"),
            self.method("__gt__(self, other)", "len(self.data) > 1"),
            self.method("__index__(self)", "len(self.data)"),
            self.method("__format__(self, spec)", "f'{len(self.data)}:{spec}'"),
            self.method("__str__(self)", "'text'"),
            self.method("__delitem__(self, at)", "None"),
            self.method("__enter__(self)", "self"),
            self.method("__exit__(self, *what)", "len(self.data) % 2 == 0"),
            self.method("__getattr__(self, name)", "name * 2"),
            self.method("__divmod__(self, other)", "(other, self.data)"),
            self.method("__missing__(self, key)", "key"),
            self.method("__class_getitem__(cls, item)", "('class item', item)"),
            self.method("__hash__(self)", "5"),
            self.method("__bool__(self)", "bool(self.data)"),
        ]
        uses = [
            "len(o)", "o[0]", "o[1:]", "o[-1]", "list(o)", "2 in o", "[q for q in o]", "list(reversed(o))", "o * 2", "o * 3", "2 * o", "o @ 1", "-o",
            "o == 1", "o != 1", "o == o", "o < o", "o > 1", "[1, 2, 3, 4][o % 2:]", "[4, 5, 6, 7][o]", "f'{o:>3}'", "str(o)", "o.nothing", "divmod(o, 2)", "bool(o)",
            "{o: 1}[o]", "sorted([o, o]) is None", "max(o)", "(*o, 1)", "dict.fromkeys(o)", "range(o)", "sum(o)", "o.data", "type(o)[1]", "next(iter(o))", "'%s' % o",
            "operator.index(o)", "isinstance(o, collections.abc.Sized)", "hash(o) == hash(o)", "any(o)", "o[5]", "o.missing.upper()", "getattr(o, 'q', 1)", "hasattr(o, 'z')",
        ]  # fmt: skip
        out = [f"class {name}:", "    def __init__(self, *data):", "        self.data = list(data)"]
        for method in self.rng.sample(methods, self.rng.randint(3, 8)):
            out += method
        values = ", ".join(self.int_(2) for _ in range(self.rng.randint(0, 3)))
        out += [f"o = {name}({values})", *(f"log.append(plain(attempt(lambda: {use})))" for use in self.rng.sample(uses, 6))]
        steps = ["o += 1", "o[0] = 5", "del o[0]", f"with o as opened: raise Sub({self.int_(2)})", "o.new = 3"]
        for step in self.rng.sample(steps, 2):
            out += ["try:", f"    {step}", "except Exception as error:", "    log.append(story(error)[0][:2])", f"    o = {name}(1, 2)"]
        return out + ["i1 = 4"]

    def attributes(self) -> list[str]:
        """Hooks of attribute access and descriptors."""
        if self.depth >= 2:
            return self.use_enum()
        name = self.fresh("A")
        hooks = [
            indented(
                [
                    "def __getattr__(self, name):",
                    "    if name.startswith('_'): raise AttributeError(name)",
                    f"    return (name, {self.int_(2)})",
                ]
            ),
            indented(["def __setattr__(self, name, value):", "    log.append(('set', name))", "    super().__setattr__(name, value)"]),
            indented(
                [
                    "def __getattribute__(self, name):",
                    "    if name == 'hidden': return 'found'",
                    "    return object.__getattribute__(self, name)",
                ]
            ),
            indented(["def __delattr__(self, name):", "    log.append(('del', name))", "    object.__delattr__(self, name)"]),
            indented(["def __dir__(self):", "    return ['b', 'a']"]),
            [],
        ]
        uses = ["o.level", "o.hidden", "o.nothing", "o._private", "vars(o)", "dir(o)[:2]", "o.half", "o.half", "o.shout(2)", f"{name}.level.name", "getattr(o, 'level', 3)",
                "hasattr(o, '_no')", "delattr(o, 'level')", "setattr(o, 'level', -1)", "setattr(o, 'half', 3)", "o.__class__.__name__", "o.shout.__func__.__name__", "o.partial(3)"]  # fmt: skip
        return [
            f"class {name}:",
            "    level = Positive()",
            "    @functools.cached_property",
            *self.method("half(self)", "self.level / 2"),
            *self.method("shout(self, times)", "'hey' * times"),
            "    partial = functools.partialmethod(shout)",
            *self.rng.choice(hooks),
            *self.rng.choice(hooks[:1] + hooks[-1:]),
            f"o = {name}()",
            f"o.level = abs({self.int_(2)})",
            *(f"log.append(attempt(lambda: {use}))" for use in self.rng.sample(uses, 7)),
        ]

    def slots(self) -> list[str]:
        if self.depth >= 2:
            return self.use_enum()
        name = self.fresh("S")
        uses = [
            "setattr(o, 'c', 1)",
            "o.b",
            "delattr(o, 'a')",
            "o.__slots__",
            "hasattr(o, '__dict__')",
            "o.a",
            "sub.c",
            "sub.a + sub.__dict__['c']",
            "repr(copy.copy(o).a)",
        ]
        return [
            f"class {name}:",
            "    __slots__ = ('a', 'b')",
            "    def __init__(self, a):",
            *indented(self.body("def", 1)),
            "        self.a = a",
            f"class {name}Sub({name}):",
            "    pass",
            f"o, sub = {name}({self.int_(2)}), {name}Sub({self.int_(2)})",
            f"sub.c = {self.int_(2)}",
            *(f"log.append(attempt(lambda: {use}))" for use in self.rng.sample(uses, 5)),
        ]

    def metaclass(self) -> list[str]:
        if self.depth >= 2:
            return self.use_point()
        name = self.fresh("M")
        uses = ["{0}[3]", "len({0})", "list({0})", "5 in {0}", "{0}(1, 2).serial", "{0}.prepared", "type({0}).__name__", "{0}.tag", "isinstance({0}(), Meta)", "{0}.__name__", "bool({0})",
                "type('Made', ({0},), {{'z': 4}}).z", "{0}.made", "issubclass({0}, Base)"]  # fmt: skip
        return [
            f"class {name}(Base, metaclass=Meta, tag={self.int_(2)}):",
            "    def __init__(self, *args):",
            *indented(self.body("def", 1)),
            "        self.args = args",
            *(f"log.append(attempt(lambda: {use.format(name)}))" for use in self.rng.sample(uses, 6)),
        ]

    def diamond(self) -> list[str]:
        if self.depth >= 2:
            return self.use_point()
        name = self.fresh("D")
        order = self.rng.choice(["B, {0}C".format(name), "C, {0}B".format(name)])
        return [
            f"class {name}A:",
            *self.method("go(self, *args)", "['A', *args]"),
            "    def __new__(cls, *args): return super().__new__(cls)",
            f"class {name}B({name}A):",
            *self.method("go(self, *args)", "['B', *super().go(1, *args)]"),
            f"class {name}C({name}A):",
            "    def go(self, *args):",
            "        step = lambda: super(__class__, self).go(*args)",
            "        return ['C', *step()]",
            f"class {name}D({name}{order}):",
            *self.method("go(self, *args)", f"['D', *super().go({self.int_(2)})]"),
            f"log.append(({name}D(4).go(), {name}B.go({name}C.__new__({name}B)), [c.__name__[-1] for c in {name}D.mro()[:4]]))",
        ]

    def dataclass(self) -> list[str]:
        if self.depth >= 2:
            return self.use_point()
        name = self.fresh("K")
        options = self.rng.choice(
            [
                "",
                "(frozen=True)",
                "(order=True)",
                "(slots=True)",
                "(kw_only=True)",
                "(eq=False)",
                "(unsafe_hash=True)",
                "(repr=False, order=True)",
            ]
        )
        uses = ["o == {0}(a=i0)", "o < {0}(a=4)", "hash(o) == hash(o)", "dataclasses.astuple(o)[:2]", "dataclasses.replace(o, a=9).total", "setattr(o, 'a', 3)",
                "{0}(1)", "repr(o)[-12:] if {1} else 0", "[f.name for f in dataclasses.fields(o)]", "o.b is {0}(a=1).b", "{0}()", "dataclasses.asdict(o)", "{0}.__match_args__", "o.total"]  # fmt: skip
        return [
            f"@dataclasses.dataclass{options}",
            f"class {name}:",
            "    a: int",
            f"    b: list = dataclasses.field(default_factory=lambda: [{self.int_(2)}], hash=False)",
            f"    c: typing.ClassVar[int] = {self.int_(2)}",
            f"    d: str = {self.string()}",
            "    @property",
            *self.method("total(self)", "self.a + sum(self.b) + self.c"),
            f"o = {name}(a={self.int_(2)})",
            *(f"log.append(plain(attempt(lambda: {use.format(name, 'repr' not in options)})))" for use in self.rng.sample(uses, 6)),
        ]

    def class_body(self) -> list[str]:
        """Statements in the body of a class, and its scopes."""
        if self.depth >= 2:
            return self.use_point()
        name = self.fresh("Z")
        saved, self.routine = self.routine, "class"
        body = self.nested()
        self.routine = saved
        return [
            f"class {name}:",
            f"    {self.shared}",
            *body,
            f"    low = {self.int_(2)}",
            "    table = {q: q + n for q in range(low % 3)}",
            "    pick = (lambda self, q: (q, type(self).low))",
            "    for step in l0[:2]:",
            "        low += step",
            "    class Inner:",
            f"        deep = {self.int_(2)}",
            "        def name(self): return __class__.__qualname__.split('.')[-2:]",
            f"log.append(({name}.low, {name}.table, {name}().pick(1), {name}.Inner().name(), {name}.Inner.deep))",
        ]

    def iterator(self) -> list[str]:
        if self.depth >= 2:
            return self.use_point()
        name = self.fresh("I")
        return [
            f"class {name}:",
            "    def __init__(self): self.at = 0",
            "    def __iter__(self): return self",
            "    def __next__(self):",
            *indented(self.body("def", 1)),
            "        self.at += 1",
            f"        if self.at > {self.rng.randint(0, 4)}: raise StopIteration",
            "        return self.at",
            self.rng.choice(
                [
                    f"log.append(list({name}()))",
                    f"i0, *l1 = 1, *{name}()",
                    f"log.append(dict(zip({name}(), {name}())))",
                    f"log.append([(p, q) for p in {name}() for q in {name}() if p != q])",
                    f"log.append(sorted({name}(), key=lambda q: -q))",
                    f"log.append(list(itertools.accumulate({name}())))",
                    f"log.append((lambda *q: q)(*{name}()))",
                    f"log.append(next(filter(lambda q: q > 1, {name}()), 'none'))",
                ]
            ),
        ]

    def enumeration(self) -> list[str]:
        if self.depth >= 2:
            return self.use_enum()
        name = self.fresh("E")
        return [
            f"class {name}({self.rng.choice(['enum.Enum', 'enum.IntEnum', 'enum.IntFlag', 'enum.Enum'])}):",
            "    A = enum.auto()",
            "    B = 4",
            "    C = 4",
            *self.method("twice(self)", "self.value * 2"),
            "    @classmethod",
            "    def _missing_(cls, value):",
            "        return cls.A if value == 9 else None",
            f"log.append(([e.name for e in {name}], {name}.C is {name}.B, {name}.A.twice(), attempt(lambda: {name}(9).name), attempt(lambda: {name}(77).name)))",
        ]
