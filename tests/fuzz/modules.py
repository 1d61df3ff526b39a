"""Hold random modules (``module_programs``) to eager execution: ``python -m tests.fuzz.modules [count] [seed]``.

Compared is what ``layouts`` compares, and after every call the state of the object; in turn as exported, saved and loaded, decomposed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.layouts import differing, outcome
from tests.fuzz.module_programs import LIBRARY, Writer
from tests.fuzz.state import at
from tests.support.forms import reloaded
from tests.support.functions import function_of

SIZES = (4, 0, 1, 2, 3, 5, 8, 13)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    make = function_of(writer.source, LIBRARY, "Program")
    dynamic = ({0: Dim.AUTO},) * 4 + (None,) if seed % 4 else None
    example = lambda: writer.arguments(4, 0)  # noqa: E731

    def exported() -> Any:
        made = export(make(), example(), dynamic_shapes=dynamic)
        return reloaded(made) if seed % 2 else made

    def raised(error: Exception) -> Any:
        return (type(error).__name__, str(error)), outcome(make(), example())[0]

    program = exported_or_why(writer.source, exported, raised)
    if isinstance(program, str):
        return Counter([program])
    module, eager, found, draw = program.module(), make(), Counter[str](), writer.draw
    for number, size in enumerate((4, *draw.sample(SIZES, 5), 4) if dynamic else (4,) * 6):
        salt = draw.randrange(6) if number else 0
        told = f"{writer.source}\nseed {seed}, call {number}: size {size}, salt {salt}"
        try:
            ours = outcome(module, writer.arguments(size, salt))
        except InputMismatch as error:
            found["size not accepted" if size != 4 else "refused at its size"] += 1
            assert dynamic and size != 4, f"{told}\n{error}"
            continue
        wanted = outcome(eager, writer.arguments(size, salt))
        assert wanted[:-1] == ours[:-1], f"{told}\nwanted {differing(wanted, ours)}\nfound  {differing(ours, wanted)}"
        assert set(ours[-1]) <= set(wanted[-1]), f"{told}\nwanted {wanted[-1]}\nfound  {ours[-1]}"
        state = dict(module.named_buffers())
        if state.get("interrupted"):
            found["interrupted"] += 1
            break
        for name, have in state.items():
            want = at(eager, name)
            if isinstance(want, (np.ndarray, np.generic, int, float)) and f"{name}.is_set" not in state:
                assert np.array_equal(have, want, equal_nan=have.dtype.kind in "fc"), f"{told}\n{name}: {have}, not {want}"
        found["raises" if isinstance(wanted[0][0], str) else "equal"] += 1
    return found


if __name__ == "__main__":
    main(run)
