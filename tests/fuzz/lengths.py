"""Hold random programs over long arrays (``length_programs``) to eager execution, to the bit:
``python -m tests.fuzz.lengths [count] [seed]``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.layouts import differing, outcome
from tests.fuzz.length_programs import LENGTHS, Writer
from tests.support.forms import reloaded
from tests.support.functions import function_of


def compared(wanted: Any, ours: Any) -> str:
    """Of warnings only the kinds: a cast that is part of a function with ``out=`` is a node of its own, and named by what it is."""
    assert wanted[:-1] == ours[:-1], f"wanted {differing(wanted[:-1], ours[:-1])}\nfound  {differing(ours[:-1], wanted[:-1])}"
    kinds = [{text.split(" encountered in ")[0] for text in each[-1]} for each in (wanted, ours)]
    assert kinds[1] <= kinds[0], f"wanted {wanted[-1]}\nfound  {ours[-1]}"
    return "equal" if wanted[-1] == ours[-1] else "other warnings"


def held_to_eager(writer: Any, seed: int, size: int, dynamic: Any, calls: list[tuple[int, int]], told: str) -> Counter[str]:
    """Outcomes by kind of a program at ``calls``, each a size and a salt, exported at ``size``; after a file for every second seed.

    Raises ``AssertionError`` with a difference, and ``told``.
    """
    program = function_of(writer.source, {"np": np}, "program")

    def make() -> Any:
        exported = export(program, writer.arguments(size, 0), dynamic_shapes=dynamic)
        return reloaded(exported) if seed % 2 else exported

    def raised(error: Exception) -> Any:
        return (type(error).__name__, str(error)), outcome(program, writer.arguments(size, 0))[0]

    made = exported_or_why(writer.source, make, raised)
    if isinstance(made, str):
        return Counter([made])
    return tallied(told, lambda f, call: outcome(f, writer.arguments(*call)), program, made.module(), calls, compared)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    length = writer.draw.choice(LENGTHS)
    dynamic = ({0: Dim.AUTO}, {0: Dim.AUTO}, {1: Dim.AUTO}, {0: Dim.AUTO}, None) if seed % 3 else None
    others = writer.draw.sample(LENGTHS, 6)
    calls = [(length, 0), (length, 1)] if not dynamic else [(length, 0), *((size, size) for size in others), (length, 2)]
    told = f"{writer.dtypes} {writer.orders} {writer.short} {length}\n{writer.source}"
    return held_to_eager(writer, seed, length, dynamic, calls, told)


if __name__ == "__main__":
    main(run)
