"""Random programs in which data decide which of several lists, deques or dicts a name, an attribute or an argument
is: one is then made longer or shorter, written to, bound anew, exchanged, put into others and returned.
"""

from __future__ import annotations

import random
from typing import NamedTuple

_CONDITIONS = ["v > 0", "v > s", "int(v) % 2", "v == v2", "k > 2", "len({a}) > 1", "len({a}) > len({b})", "v > 0 and v2 < 1", "{a} is {b}"]
_CHOICES = ["{a} if {c} else {b}", "{b} if {c} else {a}", "{a} if {c} else []", "[v] if {c} else {a}", "({a}, {b})[int({c})]"]
_BINDINGS = [
    "{t} = {choice}", "{t} = {choice}", "{a} = {choice}", "if {c}: {a} = []", "if {c}: {a} = [v, v2]", "if {c}: {a}, {b} = {b}, {a}",
    "if {c}: {a} = {b}", "{a} = {b}[:] if {c} else {a}", "if {c}: {a} = {a} + [v]", "if {c}:\n    {t} = {a}\nelse:\n    {t} = {b}",
    "{t} = None\nif {c}: {t} = {a}\nif {t} is None: {t} = {b}", "{t} = {a}", "if {c}: {a} = {a}[1:]", "{t} = pick({a}, {b}, {c})",
    "{t} = {{'p': {a}, 'q': {b}}}['p' if {c} else 'q']",
]  # fmt: skip
_CHANGES = [
    "{t}.append(v)", "{t}.append(v)", "{t}.append(v2 * 2)", "({choice}).append(v)", "{a}.append(v2)", "if {t}: {t}.pop()",
    "if {c}: {t}.append(v)", "{t}.extend([v, v2])", "{t} += [v]", "if {t}: {t}[-1] = v2", "if {t}: s = s + {t}[0]", "k += len({t})",
    "if {c}: {t}.clear()", "{t}.insert(0, v)", "push({choice}, v)", "if len({t}) > 3: del {t}[0]", "{t}.reverse()",
    "for q in {t}: s = s + q", "s = s + sum({t})", "k += {t} is {a}", "if {t}: k += {t}[-1] > s",
]  # fmt: skip
_HIDDEN = [
    "put = {t}.append\nif {c}: {a} = []\nput(v)", "it = iter({t})\nif {c}: {a} = [v]\nk += len(list(it))",
    "it = zip({t}, x)\nif {c}: {a} = [v, v2]\nfor p, q in it: s = s + p * q", "it = (q for q in {t})\nif {c}: {a} = []\ns = s + sum(it)",
    "one = ({a}, {b})[int({c})]\nif {c}: {a} = []\nk += one is {a}", "both = [{a}, {b}]\nif {c}: {a} = [v]\nk += len(both[0])",
    "held = lambda: {t}\nif {c}: {a} = []\nk += len(held())", "one = [{a}, {b}][k % 2]\nif {c}: {a}, {b} = {b}, {a}\none.append(v)",
]  # fmt: skip
_DICT_BINDINGS = [
    "{t} = {choice}", "if {c}: {a} = {{}}", "if {c}: {a} = {{'p': v}}", "if {c}: {a} = {{'p': v, 'q': v2}}", "if {c}: {a}, {b} = {b}, {a}",
    "{a} = dict({b}) if {c} else {a}", "if {c}: {a} = {{**{a}, 'r': v}}", "{t} = {a}", "if {c}: {a} = {b}", "{t} = pick({a}, {b}, {c})",
]  # fmt: skip
_DICT_CHANGES = [
    "{t}['p'] = v", "({choice})['p'] = v2", "{t}[int(v)] = v2", "{t}.update(q=v)", "s = s + {t}.get('p', 0)", "k += 'q' in {t}",
    "if {c}: {t}.clear()", "{t}.pop('p', None)", "if {c}: {t}['r'] = v", "for q in {t}.values(): s = s + q", "k += {t} is {a}",
    "{t}.setdefault('q', v)", "vw = {t}.values()\nif {c}: {a} = {{'p': v2}}\ns = s + sum(vw)", "if 'p' in {t}: {t}['p'] += v",
    "vw = {t}.keys()\nif {c}: {a} = {{}}\nk += len(vw)", "both = [{a}, {b}]\nif {c}: {a} = {{'p': v}}\nk += len(both[0])",
]  # fmt: skip
_DICT_RESULTS = ["{a}", "{b}", "len({a})", "{t}", "sum({t}.values())", "{t} is {a}", "{a} is {b}", "s", "k", "list({a})", "'p' in {b}"]
_RESULTS = [
    "{a}",
    "{b}",
    "len({a})",
    "{t}",
    "sum({t})",
    "{t} is {a}",
    "{a} is {b}",
    "np.array({a})",
    "s",
    "k",
    "[len({a}), len({b})]",
    "max({t}, default=0)",
]
_HELPERS = """
def pick(one, other, truth):
    if truth:
        return one
    return other

def push(values, value):
    values.append(value)
    return values
"""
_SET_BINDINGS = [
    "{t} = {choice}", "if {c}: {a} = set()", "if {c}: {a} = {{int(v)}}", "if {c}: {a} = {{1, int(v2)}}", "if {c}: {a}, {b} = {b}, {a}",
    "{a} = set({b}) if {c} else {a}", "if {c}: {a} = {a} | {{7}}", "{t} = {a}", "if {c}: {a} = {b}", "{t} = pick({a}, {b}, {c})",
]  # fmt: skip
_SET_CHANGES = [
    "{t}.add(int(v))", "({choice}).add(int(v2))", "{t}.discard(1)", "k += len({t})", "k += int(v) in {t}", "{t}.update([int(v), 3])",
    "if {c}: {t}.clear()", "if {c}: {t}.add(5)", "k += {t} is {a}", "add = {t}.add\nif {c}: {a} = set()\nadd(int(v))",
    "both = [{a}, {b}]\nif {c}: {a} = {{9}}\nk += len(both[0])",
]  # fmt: skip
_SET_RESULTS = ["len({a})", "sorted({a})", "{t} is {a}", "{a} is {b}", "k", "s", "int(v) in {b}", "len({t})"]


class Vocabulary(NamedTuple):
    """What a program does with containers of one kind. ``empty``: such a container without items; ``one``: with one; ``copy``: what
    makes something of one that may be returned beside it.
    """

    empty: str
    one: str
    copy: str
    firsts: list[str]
    bindings: list[str]
    changes: list[str]
    results: list[str]


LISTS = Vocabulary("[]", "[v]", "list", ["[]", "[]", "[0.5]", "[1.5, 2.5]"], _BINDINGS, [*_CHANGES, *_HIDDEN], _RESULTS)
SETS = Vocabulary("set()", "{int(v)}", "sorted", ["set()", "set()", "{1}", "{1, 2}"], _SET_BINDINGS, _SET_CHANGES, _SET_RESULTS)
DICTS = Vocabulary(
    "{}", "{'p': v}", "dict", ["{}", "{'p': 0.5}", "{'p': 0.5}", "{'p': 1.5, 'q': 2.5}"], _DICT_BINDINGS, _DICT_CHANGES, _DICT_RESULTS
)


class Writer:
    """Writes one program from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.of_state = self.random.random() < 0.35
        self.names = ["self.a", "self.b"] if self.of_state else ["a", "b"]
        self.words = self.random.choice([LISTS, LISTS, LISTS, DICTS, DICTS, SETS])

    def fill(self, text: str) -> str:
        one, other = self.random.sample(self.names, 2)
        choose = self.random.choice
        while "{c}" in text or "{choice}" in text:
            text = text.replace("{choice}", choose(_CHOICES), 1).replace("{c}", choose(_CONDITIONS), 1)
        text = text.replace("[v] if", self.words.one + " if").replace("else []", "else " + self.words.empty)
        text = text.replace("{a}", one).replace("{b}", other).replace("{t}", choose(["t", "t", one]))
        return text.replace("{{", "{").replace("}}", "}")

    def lines(self, count: int) -> list[str]:
        """So many statements."""
        found: list[str] = []
        for _ in range(count):
            found += self.fill(self.random.choice(self.words.bindings if self.random.random() < 0.4 else self.words.changes)).split("\n")
        return found

    def source(self) -> str:
        """A class ``P`` whose objects are called with a vector."""
        chance = self.random.random
        begin = [f"{name} = {self.random.choice(self.words.firsts)}" for name in self.names]
        body = ["v, v2, s, k = x[0], x[-1], x.sum(), 0", "t = " + self.names[0], *self.lines(self.random.randint(1, 3))]
        if chance() < 0.6:
            body += [self.random.choice(["for v in x:", "for v in x:", "for v, v2 in zip(x, x[::-1]):"])]
            body += ["    " + line for line in self.lines(self.random.randint(1, 3))]
        body += self.lines(self.random.randint(0, 2))
        results = [self.fill(each) for each in self.random.sample(self.words.results, self.random.randint(1, 3))]
        results = [f"{self.words.copy}({each})" if each in self.names and self.of_state and chance() < 0.8 else each for each in results]
        body.append(f"return [{', '.join(results)}]")
        first, then = (begin, body) if self.of_state else (["self.n = 0"], [*begin, *body])
        made = ["class P:", "    def __init__(self):", *["        " + line for line in first], "    def __call__(self, x):"]
        return _HELPERS + "\n".join([*made, *["        " + line for line in then]])
