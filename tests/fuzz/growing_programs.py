"""Random classes with lists, dicts and sets that calls make longer or shorter: histories, windows, stacks, counts."""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple

ITEMS = {
    "float": ["float(x[0])", "float(x.sum())", "float(np.abs(x).max())", "0.5", "float(x[1]) - 1"],
    "int": ["int(x[1] > 0)", "self.n", "int(x.argmax())", "2"],
    "scalar": ["x.max()", "x[0] * 2", "x.sum() - 1", "np.float64(0.5)"],
    "array": ["x * 2", "x + self.n", "x.copy()", "np.sort(x)", "np.cumsum(x)", "x", "self.w", "x[:2].copy()", "self.w + x.sum()"],
    "text": ["'a'", "'b'", "f'{x[0]:.2f}'", "str(self.n)"],
}
FIRST = {"float": "0.5, 1.5", "int": "1", "scalar": "np.float64(1.0)", "array": "np.ones(4)", "text": "'a'", "tuple": "(1, 2.0)"}
"""Of which some lists begin with items."""
KEYS = ["int(x.argmax())", "self.n % 3", "int(x[0] > 0)", "(int(x.argmax()), int(x[1] > 0))", "2"]
TABLES = ["{}", "defaultdict(float)", "Counter()", "set()", "{1: 2.0}", "OrderedDict()"]
_KINDS = ["float"] * 4 + ["int", "scalar", "scalar", "array", "array", "array", "text", "tuple", "arrays", "pair", "record"]


class Held(NamedTuple):
    """One list: how the program reaches it, the kind of its items, and its own kind."""

    place: str
    kind: str
    made: str  # "list", "deque", or "key": one that is made where a dict lacks it


class Writer:
    """The source of one class ``P``, whose calls take an array of four numbers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lists: list[Held] = []

    def source(self) -> str:
        """The class."""
        begin = ["self.n, self.w = 0, np.zeros(4)", *[self._list(number) for number in range(self.rng.choice([1, 1, 1, 2]))]]
        body = ["self.n += 1", *[self._statement(self.rng.choice(self.lists)) for _ in range(self.rng.randint(1, 4))]]
        if self.rng.random() < 0.3:
            body.insert(
                self.rng.randrange(1, len(body) + 1), self.rng.choice(["self.w += x", "self.w = x * 2", "x[0] = 1.5", "self.w[1] = self.n"])
            )
        results = "".join(f"{self._result(held)}, " for held in self.lists)
        parts = "\n".join(begin), "\n".join([*body, f"return {results}"])
        made, called = [textwrap.indent(part, " " * 8) for part in parts]
        return f"class P:\n    def __init__(self):\n{made}\n\n    def __call__(self, x):\n{called}\n"

    def _item(self, kind: str) -> str:
        one = self.rng.choice
        if kind == "tuple":
            return f"({self._item('int')}, {self._item('float')})"
        if kind == "arrays":
            return f"({self._item('array')}, {self._item('float')})"
        if kind == "pair":
            return f"[{self._item('float')}, {self._item('float')}]"
        if kind == "record":
            return f"{{'step': {self._item('int')}, 'loss': {self._item('float')}}}"
        return one(ITEMS[kind])

    def _table(self, number: int) -> str:
        """A dict or a set with keys of one kind."""
        made, tuples = self.rng.choice(TABLES), self.rng.random() < 0.2
        made = "{}" if tuples and made.startswith("{1") else made
        self.lists.append(Held(f"self.t{number}", "pairs" if tuples else "numbers", "set" if made == "set()" else made[:4]))
        return f"self.t{number} = {made}"

    def _list(self, number: int) -> str:
        rng = self.rng
        if rng.random() < 0.25:
            return self._table(number)
        kind, made = rng.choice(_KINDS), rng.choice(["list"] * 7 + ["deque", "deque", "key"])
        first = FIRST.get(kind, "") if rng.random() < 0.3 else ""
        if first and kind == "array" and rng.random() < 0.4:
            first = rng.choice(["self.w", "self.w[:]", "self.w, self.w"])
        if made == "key":
            self.lists.append(Held(f"self.d{number}.setdefault('k', [])", kind, made))
            return f"self.d{number} = {{}}"
        self.lists.append(Held(f"self.l{number}", kind, made))
        return f"self.l{number} = " + (f"deque([{first}], maxlen={rng.choice([2, 3, None, 4])})" if made == "deque" else f"[{first}]")

    def _statement(self, held: Held) -> str:
        rng, at, item = self.rng, held.place, lambda: self._item(held.kind)
        if held.made == "key":
            return f"{at}.append({item()})"
        if at.startswith("self.t"):
            return self._of_table(held)
        found = [
            *[f"{at}.append({item()})"] * 6,
            *[f"if len({at}) > {rng.randint(1, 4)}: {at}.{'popleft()' if held.made == 'deque' else 'pop(0)'}"] * 2,
            f"if {at}: {at}.pop()",
            f"if x[0] > 0 and len({at}) > 1: {at}.pop()",
            f"if x[1] > {rng.choice(['0', '-0.5', '5'])}: {at}.append({item()})",
            f"for v in x[:2]:\n    if v > 0: {at}.append({item()})",
            f"for i in range(self.n % 3): {at}.append({item()})",
            f"{at}.reverse()",
            f"if len({at}) == {rng.randint(2, 4)}: {at}.clear()",
            f"{at}.extend([{item()}, {item()}])",
            f"if len({at}) >= 2: {at}[{rng.choice([0, -1, 1])}] = {item()}",
            f"assert len({at}) < {rng.randint(6, 30)}, 'long'",
            f"if x[2] > 1: raise ValueError(f'bad {{len({at})}}')",
            f"kept = {item()}\n{at}.append(kept)\nself.kept = kept",
        ]
        if held.made == "deque":
            return rng.choice([*found, f"{at}.appendleft({item()})", f"{at}.rotate(1)"])
        found += [
            f"{at} = {at}[-{rng.randint(1, 4)}:]",
            f"{at} = {at} + [{item()}]",
            f"{at} += [{item()}]",
            f"{at}.insert({rng.choice(['0', '1', f'len({at}) // 2'])}, {item()})",
            f"del {at}[:1]",
            f"{at}[:] = {at}[1:]",
            f"if self.n == 2: {at} = []",
            f"local = {at}\nlocal.append({item()})",
            f"self.other = {at}",
        ]
        return rng.choice([*found, *([f"{at}.sort()"] if held.kind in ("float", "int", "scalar") else [])])

    def _of_table(self, held: Held) -> str:
        at, rng = held.place, self.rng
        key = rng.choice(KEYS[3:4] if held.kind == "pairs" else [*KEYS[:3], KEYS[4]])
        if held.made == "set":
            return rng.choice([f"{at}.add({key})"] * 4 + [f"{at}.discard({key})", f"if len({at}) > 2: {at}.clear()", f"{at} |= {{{key}}}"])
        value = "1.0" if rng.random() < 0.3 else self._item("float")
        return rng.choice(
            [f"{at}[{key}] = {value}"] * 3
            + [f"{at}[{key}] = {at}.get({key}, 0.0) + {value}"] * 3
            + [
                f"{at}.pop({key}, None)",
                f"if {key} in {at}: del {at}[{key}]",
                f"if len({at}) > 2: {at}.clear()",
                f"{at}.setdefault({key}, {value})",
            ]
        )

    def _result(self, held: Held) -> str:
        if held.place.startswith("self.t"):
            return self.rng.choice(self._results_of_table(held))
        at, found = held.place, [f"len({held.place})", f"bool({held.place})", f"list({held.place})"]
        if held.kind in ("float", "int", "scalar"):
            found += [f"sum({at})", f"max({at}) if {at} else -1.0", f"np.mean({at}) if {at} else 0.0", f"{at}[-1] if {at} else None"]
            found += [f"[v * 2 for v in {at}]", f"min({at}, default=0.0)", f"sum(v > 0 for v in {at})", f"np.cumsum({at})"]
            found += [f"{at}[0] - {at}[-1] if len({at}) > 1 else 0.0", f"np.array({at}, dtype=float)", f"0.5 in {at}", f"{at}"]
        if held.kind == "array":
            found += [f"sum(float(a.sum()) for a in {at})", f"{at}[-1].sum() if {at} else 0.0", f"{at}[0] + 1 if {at} else x + 0"]
            found += [f"{at}[-1] if {at} else x + 0", f"{at}[0][1:] if {at} else x[1:] + 0", f"{at}[-1].copy() if {at} else x + 0"]
        if held.kind == "tuple":
            found += [f"sum(v for _, v in {at})", f"{at}[-1] if {at} else None", f"[a for a, b in {at}]"]
        if held.kind == "arrays":
            found += [f"sum(v for _, v in {at})", f"sum(float(a.sum()) for a, _ in {at})", f"{at}[-1][0] if {at} else x + 0"]
        if held.kind == "pair":
            found += [f"sum(v[0] for v in {at})", f"{at}[-1][0] if {at} else 0.0", f"{at}[-1] if {at} else None"]
        if held.kind == "text":
            found += [f"{at}.count('a')", f"','.join({at})", f"{at}[-1] if {at} else ''"]
        return self.rng.choice(found)

    def _results_of_table(self, held: Held) -> list[str]:
        at, key = held.place, KEYS[3] if held.kind == "pairs" else KEYS[0]
        found = [f"len({at})", f"{key} in {at}", f"bool({at})", f"sorted({at})"]
        if held.made != "set":
            found += [
                f"{at}.get({key})",
                f"sum({at}.values())",
                f"list({at}.items())",
                f"max({at}.values(), default=0.0)",
                f"dict({at})",
                f"{at}",
            ]
        return found
