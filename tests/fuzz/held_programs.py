"""Random programs of loops that data leave, over arrays that lists hold as well: what is returned may be an item, an input, or both."""

from __future__ import annotations

from tests.fuzz.alias_programs import Writer as AliasWriter

_ARRAYS = "abc"


class Writer(AliasWriter):
    """``a``, ``b``, ``c``: arrays that may be inputs, each other, or items of the list ``held``."""

    def assignment(self) -> str:
        one, other = self.random.choices(_ARRAYS, k=2)
        made = [f"{one} = {other} * 0.5 + 0.1", f"{one} = np.sort({other})", f"{one} = {other}", f"{one} = {other}.copy()"]
        put = [f"held.append({one})"] * 4 + [f"held[-1] = {one}", f"held.insert(0, {one})"]
        place = self.random.choice(("-1", "-1", "0", "n % len(held)"))
        taken = [f"{one} = held[{place}]", f"{one} = held[{place}] * 2", f"{one} = held.pop() if len(held) > 1 else {other}"]
        kept = [f"{one} = kept({other})", f"{one} = {other} if {self.condition()} else {self.random.choice(_ARRAYS)}"]
        return self.random.choice([*made * 3, *put * 3, *taken * 2, *kept, f"{one}[0] = 0.25"])

    def program(self) -> str:
        """The source of ``f(x, y)``."""
        source = super().program()
        first = self.random.choice(("[x]", "[b, y]", "[a]", "[a * 2]", "[np.sort(y)]", "[y.copy(), x * 1]"))
        results = self.random.choice(("a", "a, b", "a, held[-1]", "a, np.stack(held)", "a, len(held)", "held[0], n", "a.sum(), held[-1]"))
        head, _, _ = source.rpartition("\n")
        return f"{head}\n    return {results}".replace("\n    n = 0", f"\n    n = 0\n    held = {first}")
