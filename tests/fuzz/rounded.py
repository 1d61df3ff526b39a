"""Hold random programs of what NumPy rounds by how memory lies (``rounded_programs``) to eager execution, to the bit:
``python -m tests.fuzz.rounded [count] [seed]``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.layouts import outcome
from tests.fuzz.lengths import compared
from tests.fuzz.rounded_programs import Writer
from tests.support.forms import reloaded
from tests.support.functions import function_of

SIZES = (1, 2, 3, 4, 5, 9, 17, 130)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    program = function_of(writer.source, {"np": np}, "program")
    size = writer.draw.choice(SIZES)
    dynamic = ({axis: Dim.AUTO for axis in range(1 + writer.axes // 2)},) * 3 if seed % 3 else None

    def make() -> Any:
        exported = export(program, writer.arguments(size, 0), dynamic_shapes=dynamic)
        return reloaded(exported) if seed % 2 else exported

    def raised(error: Exception) -> Any:
        return (type(error).__name__, str(error)), outcome(program, writer.arguments(size, 0))[0]

    made = exported_or_why(writer.source, make, raised)
    if isinstance(made, str):
        return Counter([made])
    calls = [(size, salt) for salt in range(3)] if not dynamic else [(size, 0), (1, 1), (2, 2), (3, 3), (7, 4), (16, 5)]
    told = f"{writer.dtype} {size}\n{writer.source}"
    return tallied(told, lambda f, call: outcome(f, writer.arguments(*call)), program, made.module(), calls, compared)


if __name__ == "__main__":
    main(run)
