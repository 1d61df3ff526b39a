"""Hold random programs that reckon with sizes (``index_programs``) to eager execution at every size from 0 to 20:
``python -m tests.fuzz.indices [count] [seed]``. In turn as exported, saved and loaded, and decomposed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from npexport import Dim, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.index_programs import Writer, arguments
from tests.fuzz.layouts import outcome
from tests.support.forms import reloaded
from tests.support.functions import function_of

SIZES = 21


def compared(wanted: Any, ours: Any) -> str:
    assert wanted[:-1] == ours[:-1], f"wanted {wanted[0]}\nfound  {ours[0]}"
    assert set(ours[-1]) <= set(wanted[-1]), f"wanted {wanted[-1]}\nfound  {ours[-1]}"
    return "equal" if wanted[-1] == ours[-1] else "fewer warnings"


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    program = function_of(writer.source, writer.names, "program")
    example = arguments(*writer.example, 0)
    shapes = ({0: Dim.AUTO}, {0: Dim.AUTO}, {0: Dim.AUTO, 1: Dim.AUTO})

    def make() -> Any:
        exported = export(program, example, dynamic_shapes=shapes)
        return reloaded(exported) if seed % 3 == 1 else exported

    made = exported_or_why(
        writer.source, make, lambda error: ((type(error).__name__, str(error)), outcome(program, arguments(*writer.example, 0))[0])
    )
    if isinstance(made, str):
        return Counter([made])
    draw = writer.draw
    calls = [writer.example, *((n, draw.choice((writer.example[1], n, draw.randrange(9)))) for n in range(SIZES)), writer.example]
    return tallied(writer.source, lambda f, call: outcome(f, arguments(*call, 1)), program, made.module(), calls, compared)


if __name__ == "__main__":
    main(run)
