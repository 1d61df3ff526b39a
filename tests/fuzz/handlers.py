"""Hold random programs that raise on data, past handlers that may fail, to eager ones: ``python -m tests.fuzz.handlers [count] [seed]``.

Compared over several calls are results, what is raised with its text, notes and causes, and what is left in the arguments and in a list
from outside.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from npexport import export
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.handler_programs import program
from tests.support.images import image
from tests.support.quiet import quiet

XS = ([1.0, 2, 3, 4], [-1.0, 2, 3, 4], [-1.0, -2, 3, 4], [0.0, 0, 0, 0], [2.0, 1, 1, -1], [-2.0, 0, 1, 1])
XS += ([np.nan, 1, 2, 3], [np.inf, -1, 2, 3])
KS = (1, 7, -9)


def told(error: BaseException | None, depth: int = 5) -> Any:
    """What an exception says; the context of what an operator raises in a handler is not known."""
    if error is None or depth == 0:
        return None
    notes = [note for note in getattr(error, "__notes__", ()) if not note.startswith("Raised by")]
    return type(error).__name__, str(error), notes, told(error.__cause__, depth - 1)


def outcome(run: Any, scope: dict[str, Any], x: list[float], k: int) -> Any:
    """What a call gives or raises, and what it leaves."""
    args = np.array(x), np.array([k])
    scope["LOG"].clear()
    try:
        with quiet():
            given = image(run(*args))
    except Exception as error:
        given = "raises", told(error)
    return given, image(args), list(scope["LOG"])


def run(seed: int) -> str:
    """What became of the program: a code, ``raises``, ``same``. Raises ``AssertionError`` with the source where it is not eager's."""
    source, scope = program(random.Random(seed)), dict[str, Any]()
    exec(compile(source, f"<handlers {seed}>", "exec"), scope)
    eager, x, k = scope["run"], XS[seed % 2], KS[seed // 2 % 2]
    made = exported_or_why(
        source,
        lambda: export(eager, (np.array(x), np.array([k]))),
        lambda error: (("raises", told(error)), outcome(eager, scope, x, k)[0]),
    )
    if isinstance(made, str):
        return made
    module = made.module()
    for x in XS:
        for k in KS:
            theirs, ours = outcome(eager, scope, x, k), outcome(module, scope, x, k)
            assert theirs == ours, f"{source}\nx = {x}, k = {k}\neager: {theirs}\nours:  {ours}"
    return "same"


if __name__ == "__main__":
    main(run)
