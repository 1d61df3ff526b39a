"""Hold random programs over numbers of the data at their edges (``digit_programs``) to eager execution:
``python -m tests.fuzz.digits [count] [seed]``. In turn as exported, and saved and loaded."""

from __future__ import annotations

from collections import Counter
from typing import Any

from npexport import Dim, export
from tests.fuzz import indices
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.digit_programs import LIBRARY, Writer
from tests.fuzz.layouts import outcome
from tests.support.forms import reloaded
from tests.support.functions import function_of


def compared(wanted: Any, ours: Any) -> str:
    """Lists that loops fill hold integers of 64 bits, and say so where one has more."""
    if ours[0] == ("OverflowError", "Python int too large to convert to C long"):
        return "beyond 64 bits"
    return indices.compared(wanted, ours)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    program = function_of(writer.source, LIBRARY, "program")
    dynamic = ({0: Dim.AUTO},) * 3 if seed % 3 else None

    def make() -> Any:
        exported = export(program, writer.arguments(4, 0), dynamic_shapes=dynamic)
        return reloaded(exported) if seed % 2 else exported

    def raised(error: Exception) -> Any:
        return (type(error).__name__, str(error)), outcome(program, writer.arguments(4, 0))[0]

    made = exported_or_why(writer.source, make, raised)
    if isinstance(made, str):
        return Counter([made])
    calls = [(4, salt) for salt in range(8)] + [(size, size) for size in (1, 2, 3, 5, 7, 9)] * bool(dynamic)
    return tallied(writer.source, lambda f, call: outcome(f, writer.arguments(*call)), program, made.module(), calls, compared)


if __name__ == "__main__":
    main(run)
