"""Hold calls with operands of every kind that sizes and data make (``operand_programs``) to eager execution:
``python -m tests.fuzz.operands [count] [seed]``. Called at sizes from 0 to 300; of a ``TypeError`` its text is its own."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

from npexport import Dim, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.operand_programs import arguments, compiled, source
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

SIZES = (3, 1, 2, 7, 64, 300, 0)


def seen(function: Any, args: tuple[Any, ...]) -> Any:
    """What a call gives or raises, and leaves in the arguments."""
    found, *left = outcome(function, args, memory=True)
    return told(found), *left


def told(found: str) -> str:
    """Of what is raised only the kind where NumPy and Python have many words for it."""
    kind = re.match(r"(\w*TypeError|TooLarge): ", found)
    return found if kind is None else {"TooLarge": "OverflowError"}.get(kind[1], kind[1])


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    draw, text = random.Random(seed), source(seed)
    program, example = compiled(text), draw.choice((3, 3, 3, 5, 1))
    given = arguments(example, 0)
    shapes = ({0: Dim.AUTO},) * len(given) if seed % 4 else None

    def make() -> Any:
        exported = export(program, given, dynamic_shapes=shapes)
        return exported if seed % 3 else reloaded(exported)

    made = exported_or_why(text, make, lambda error: (told(f"{type(error).__name__}: {error.args!r}"), seen(program, given)[0]))
    if isinstance(made, str):
        return Counter([made])
    calls = (arguments(size, draw.randrange(3) if size != example else 0) for size in (example, *SIZES))
    return tallied(text, seen, program, made.module(), calls)


if __name__ == "__main__":
    main(run)
