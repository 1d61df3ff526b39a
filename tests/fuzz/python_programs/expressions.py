"""Expressions of random programs, and the blocks that hold statements."""

from __future__ import annotations

import random
from collections.abc import Callable

COMPARISONS = ["<", "<=", "==", "!=", ">", ">="]


class Expressions:
    """One method for each kind of value; the argument is how deep the expression stands in others."""

    def __init__(self, rng: random.Random, arrays: bool) -> None:
        self.rng = rng
        self.arrays = arrays
        self.ints = ["i0", "i1", "i2", "n"]
        self.lists = ["l0", "l1"]
        self.dicts = ["d0"]
        self.strings = ["s0"]
        self.names = [*self.ints[:3], *self.lists, *self.dicts, *self.strings, *(["v0", "k0", "m0"] if arrays else [])]
        self.functions: list[str] = []
        self.counter = 0
        self.loop_depth = 0
        self.depth = 0
        self.routine = "none"

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}_{self.counter}"

    def pick(self, choices: list) -> object:
        """One of the choices; a function among them is called."""
        choice = self.rng.choice(choices)
        return choice() if callable(choice) else choice

    def int_(self, depth: int = 0) -> str:
        choices: list[str | Callable[[], str]] = [str(self.rng.randint(-3, 9)), lambda: self.pick(self.ints), lambda: self.pick(self.ints)]
        if depth < 2:
            choices += self._inner_ints(depth + 1)
        return self.pick(choices)

    def _inner_ints(self, depth: int) -> list[Callable[[], str]]:
        sub = lambda: self.int_(depth)
        pick, choice = self.pick, self.rng.choice
        choices = [
            lambda: f"({sub()} {pick(['+', '-', '*', '&', '|', '^'])} {sub()})",
            lambda: f"({sub()} {pick(['//', '%'])} {pick(['2', '3', '5', '7', sub])})",
            lambda: f"({sub()} if {self.cond(depth)} else {sub()})",
            lambda: f"len({pick(self.lists)})",
            lambda: f"{pick(self.lists)}[{sub()}]" if self.rng.random() < 0.1 else f"sum({self.list_(depth)})",
            lambda: f"({pick(self.lists)} + [{sub()}, 2])[{sub()} % 2]",
            lambda: f"{pick(self.dicts)}.get({sub()}, {sub()})",
            lambda: f"{choice(['max', 'min'])}({sub()}, {sub()}, key=lambda q: (q % 3, q))",
            lambda: f"functools.reduce(lambda p, q: p * 2 + q, {self.list_(depth)}, 1) % 97",
            lambda: f"len({self.string(depth)})",
            lambda: f"abs({sub()})",
            lambda: f"int(not {self.cond(depth)})",
            lambda: f"next((q for q in {self.list_(depth)} if q > {sub()}), {sub()})",
            lambda: f"(w := {sub()} % 11) + w",
            lambda: f"(lambda p, *r, q=2, **o: p + len(r) - q + len(o))({sub()}, *{self.list_(depth)}, **{{'z': {sub()}}})",
            lambda: f"divmod({sub()}, {pick(['3', '4', sub])})[{pick(['0', '1'])}]",
            lambda: f"(({sub()}) << ({sub()} % 4)) % 61",
            lambda: f"pow({sub()}, {pick(['0', '2', '3'])}, 13)",
            lambda: f"Point({sub()}).norm()",
            lambda: f"Pair({sub()}, right={sub()}).right",
            lambda: f"Color({sub()} % 3 + 1).next.value",
            lambda: f"int(str({sub()} % 50)[::-1])",
        ]
        if self.functions:
            choices.append(lambda: f"{pick(self.functions)}({sub()})")
        if self.routine in ("async", "asyncgen"):
            choices.append(lambda: f"(await Tick({sub()}, {self.rng.randint(0, 2)}))")
        return choices

    def cond(self, depth: int = 0) -> str:
        a, b = self.int_(depth + 1), self.int_(depth + 1)
        pick = self.pick
        choices = [
            f"{a} {pick(COMPARISONS)} {b}",
            f"{a} < {b} <= {self.int_(2)}",
            f"{a} {pick(COMPARISONS)} {b} {pick(COMPARISONS)} 2",
            f"{a} in {pick(self.lists)}",
            f"{a} not in {pick(self.dicts)}",
            f"({a} > 1 and {b} < 5)",
            f"({a} or {b})",
            f"not {a}",
            f"any(q == {a} for q in {pick(self.lists)})",
            f"all({pick(self.lists)})",
            f"isinstance({a}, (int, str))",
            f"{pick(self.strings)} is None",
            f"'a' in {pick(self.strings)}",
            f"{pick(self.lists)} {pick(COMPARISONS)} [{a}]",
            f"bool({pick(self.dicts)}) is not ({a} > 2)",
            f"Perm.R in Perm({a} % 8)",
            f"Point({a}) < Point({b}, 1)",
        ]
        return pick([*choices, *self.array_conditions()] if self.arrays else choices)

    def list_(self, depth: int = 0) -> str:
        a = lambda: self.int_(2)
        pick = self.pick
        some = lambda: pick(self.lists)
        return pick(
            [
                lambda: f"[{a()}, {a()}, {a()}]",
                lambda: f"[q + {a()} for q in {some()} if q % 2]",
                lambda: f"[p * q for p in range(3) for q in {some()}[:2]]",
                lambda: f"[p - q for p, q in zip({some()}, {some()}[1:])]",
                lambda: f"list(map(lambda q, k={a()}: q - k, {some()}))",
                lambda: f"sorted({some()}, key=lambda q: (-q) % 5)",
                lambda: f"sorted({some()}, key=functools.cmp_to_key(lambda p, q: (p % 3) - (q % 3)), reverse={pick(['True', 'False'])})",
                lambda: f"{some()}[{a()}:{a()}]",
                lambda: f"{some()}[::-1]",
                lambda: f"{some()}[::{pick(['2', '-2', '3'])}]",
                lambda: f"[*{some()}, {a()}]",
                lambda: f"[*{some()}, *range({a()} % 3), *{{{a()}: 1}}]",
                lambda: f"list(itertools.chain({some()}, range({a()} % 4)))",
                lambda: f"[v for k, v in sorted({pick(self.dicts)}.items())]",
                lambda: f"sorted({{q % 4 for q in {some()}}})",
                lambda: f"list(zip({some()}, range(2)))[0:0] + [{a()}]",
                lambda: f"[len(w) for w in {pick(self.strings)}.split('a')]",
                lambda: f"list(filter(None, {some()}))",
                lambda: f"[(w := q) + w for q in {some()}]",
                lambda: f"list(Countdown({a()} % 4))",
                lambda: f"[f() for f in [lambda: q for q in {some()}[:3]]]",
                lambda: f"[f({a()}) for f in [lambda p, q=q: p - q for q in {some()}[:3]]]",
                lambda: f"list(itertools.islice(itertools.cycle({some()} or [1]), {self.rng.randint(0, 5)}))",
                lambda: f"[sum(c) for c in itertools.combinations({some()}[:4], 2)]",
                lambda: f"[*itertools.takewhile(lambda q: q < {a()}, {some()})]",
                lambda: f"[q for r in [[{a()}], {some()}] for q in r if q]",
                lambda: f"[sum(q * p for q in {some()}) % 31 for p in range(3)]",
                lambda: f"heapq.nsmallest(2, {some()})",
                lambda: f"list(collections.deque({some()}, maxlen=2))",
                lambda: f"list(collections.Counter({some()}).elements())[:6]",
                lambda: f"copy.copy({some()})",
            ]
        )

    def string(self, depth: int = 0) -> str:
        a = lambda: self.int_(2)
        pick = self.pick
        some = lambda: pick(self.strings)
        choices = [
            some,
            lambda: f"f'{{{a()}}}-{{{a()}!r:>4}}'",
            lambda: f"f'{{({a()}):{{({a()}) % 5 + 1}}d}}|{{{some()}!s:.{{2}}}}'",
            lambda: f"f'{{{some()}=}}'[:20]",
            lambda: f"'a'.join(map(str, {pick(self.lists)}))[:20]",
            lambda: f"('%d|%s' % ({a()}, {some()}))[:20]",
            lambda: f"('%(p)05d' % {{'p': {a()}}})[:20]",
            lambda: f"'{{0}}{{k!r:>3}}'.format({a()}, k={a()})",
            lambda: f"str({pick(self.lists)})[:15]",
            lambda: f"repr({pick(self.dicts)})[:15]",
            lambda: f"{some()}.upper().replace('A', 'b')",
            lambda: f"({some()} * 2)[{a()}:{a()}]",
            lambda: f"''.join(c for c in {some()} if c.isalpha()).title()",
            lambda: f"{some()}.center(9, '*').rpartition('a')[{self.rng.randint(0, 2)}]",
            lambda: f"re.sub('[a-n]', lambda found: str(len(found.group()) + {a()}), {some()})[:20]",
            lambda: f"string.Template('$p').substitute(p={a()})",
            lambda: f"repr(Point({a()}))",
            lambda: f"str(Color.GREEN) + Perm({a()} % 8).name.__class__.__name__",
        ]
        return pick([*choices, *self.array_strings()] if self.arrays else choices)

    def array_conditions(self) -> list[Callable[[], str]]:
        raise NotImplementedError

    def array_strings(self) -> list[Callable[[], str]]:
        raise NotImplementedError

    # blocks

    @property
    def shared(self) -> str:
        """The declaration by which a nested function or class uses the program's own variables."""
        return f"nonlocal {', '.join(self.names)}"

    def statement(self) -> list[str]:
        raise NotImplementedError

    def block(self, lines: int) -> list[str]:
        return [line for _ in range(lines) for line in self.statement()]

    def nested(self, lines: int | None = None) -> list[str]:
        self.depth += 1
        body = self.block(lines or self.rng.randint(1, 3))
        self.depth -= 1
        return indented(body)

    def body(self, routine: str, lines: int) -> list[str]:
        """The indented body of a function inside the program, which shares the program's variables."""
        saved = self.loop_depth, list(self.functions), self.depth, self.routine
        self.loop_depth, self.depth, self.routine = 1, self.depth + 1, routine
        body = self.block(lines)
        self.loop_depth, self.functions, self.depth, self.routine = saved
        return indented([self.shared, *body])


def indented(lines: list[str], levels: int = 1) -> list[str]:
    return ["    " * levels + line for line in lines]
