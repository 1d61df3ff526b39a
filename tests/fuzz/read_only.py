"""Hold random classes over arrays that are read-only, or become so, to eager execution: ``python -m tests.fuzz.read_only [count] [seed]``.

The state, what is global, an input and their views are written to, replaced, returned, asked for their flags, and have these set. Compared
as in `tests.fuzz.layouts`, over three calls, with the program as exported or as loaded from a file.
"""

from __future__ import annotations

import random
import textwrap
from typing import Any

import numpy as np

from npexport import export
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.function_programs import compiled
from tests.fuzz.layouts import outcome
from tests.support.forms import reloaded

VIEWS = (
    "{0}", "{0}[1:]", "{0}[::-1]", "{0}.T", "{0}.view()", "np.asarray({0})", "{0}.reshape(-1)", "np.broadcast_to({0}, {0}.shape)",
    "{0}.copy()", "np.ascontiguousarray({0})", "{0}[None][0]",
)  # fmt: skip
STATEMENTS = (
    "{name} = {view}", "{array}.flags.writeable = False", "{state} = {view}", "{state} = {array} + x",
    "out.append({array}.flags.writeable)", "out.append({view})",
    "try:\n    {array}.flags.writeable = True\nexcept ValueError:\n    out.append('fixed')",
    "try:\n    {array}[0] = x[1] + 1\nexcept ValueError:\n    out.append('kept')",
    "try:\n    np.add({array}, 1, out={array})\nexcept ValueError:\n    out.append('whole')",
)  # fmt: skip
SECOND = ("np.full(3, 7.0)", "self.a[:]", "self.a[1:]", "self.a")


def source_of(rng: random.Random) -> str:
    """A class with the state ``a`` and ``b``, beside a global ``G``."""
    arrays, lines = ["self.a", "self.b", "x", "G"], []
    for number in range(rng.randint(2, 6)):
        statement, array = rng.choice(STATEMENTS), rng.choice(arrays)
        view = rng.choice(VIEWS).format(rng.choice(arrays))
        lines.append(statement.format(name=f"v{number}", array=array, state=rng.choice(("self.a", "self.b")), view=view))
        arrays += [f"v{number}"] if "{name}" in statement else []
    lines.append(f"return out, {', '.join(rng.choice(arrays) for _ in range(rng.randint(1, 3)))}")
    flags = [rng.random() < 0.5 for _ in range(3)]
    first = ["self.a = np.arange(3.0)", f"self.a.flags.writeable = {flags[0]}", f"self.b = {rng.choice(SECOND)}"]
    first += [] if flags[1] else ["self.b.flags.writeable = False"]
    bodies = [textwrap.indent("\n".join(body), "        ") for body in (first, ["out = []", *lines])]
    made = f"G = np.arange(3.0) - 1\nG.flags.writeable = {flags[2]}\n"
    return f"{made}class M:\n    def __init__(self):\n{bodies[0]}\n    def __call__(self, x):\n{bodies[1]}\ndef f():\n    return M()\n"


def run(seed: int) -> str:
    """What became of the class. Raises ``AssertionError`` with its source where results differ."""
    rng = random.Random(seed)
    source = source_of(rng)
    eager, ours = compiled(source)(), compiled(source)()
    fixed = rng.random() < 0.2

    def given(call: int) -> tuple[Any, ...]:
        x = np.arange(3.0) * (call + 1) + 0.5
        x.flags.writeable = not fixed
        return (x,)

    exported = exported_or_why(source, lambda: export(ours, given(0)), lambda error: (repr(error), _raised(compiled(source)(), given(0))))
    if isinstance(exported, str):
        return exported
    module = (reloaded(exported) if rng.random() < 0.4 else exported).module()
    for call in range(3):
        wanted, found = outcome(eager, given(call)), outcome(module, given(call))
        assert found == wanted, f"{source}\ncall {call}\nwanted {wanted}\nfound  {found}\n{exported}"
    return "same"


def _raised(program: Any, args: tuple[Any, ...]) -> str:
    try:
        program(*args)
    except Exception as error:
        return repr(error)
    return "nothing"


if __name__ == "__main__":
    main(run)
