"""The programs of ``fuzz/arrays.py`` with a dynamic first axis, at several sizes: equal to eager, or refused as not exported for that size.

``python -m tests.fuzz.dynamic_arrays [count] [seed]`` runs many.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.array_programs import Program, make_array
from tests.fuzz.command import main
from tests.support.arrays_harness import compare
from tests.support.functions import function_of
from tests.support.outcomes import result_or_error
from tests.support.quiet import quiet

SIZES = (None, 2, 3, 5, 7, 1, 0)  # None: the example's own


def run(seed: int) -> Counter[str]:
    """Outcomes by kind: ``"same"``, ``"mismatch"``, the code of a refusal. Raises ``AssertionError`` with the source."""
    rng = random.Random(seed)
    program = Program(rng, overlaps=False, stateful=False)
    source = program.build(rng.randint(2, 6), everything=True)
    if "except" in source:  # a caught error may be the errors of some sizes alone
        return Counter(["caught"])
    function = function_of(source, {"np": np})
    examples = program.make(["C"] * len(program.inputs))
    dynamic = [array.ndim > 0 and array.shape[0] > 1 for array in examples]
    outcomes: Counter[str] = Counter()
    with quiet():
        try:
            shapes = tuple({0: Dim.AUTO} if wanted else None for wanted in dynamic)
            module = export(lambda *arrays: function(np, None, *arrays), tuple(examples), dynamic_shapes=(shapes,)).module()
        except ExportError as refusal:
            assert refusal.code[1] != "9", f"seed {seed}: {refusal}\n{source}"
            return Counter([refusal.code])
        except Exception as error:  # of the program, whose examples lie in C order here
            assert isinstance(result_or_error(lambda *arrays: function(np, None, *arrays), *examples), type(error)), (
                f"seed {seed}: {error!r}\n{source}"
            )
            return Counter(["raises"])
        for size in SIZES:
            shapes = [
                (size, *s[1:]) if wanted and size is not None else s for (s, _, _), wanted in zip(program.inputs, dynamic, strict=True)
            ]
            data = [make_array(rng, shape, spec[1], "C") for shape, spec in zip(shapes, program.inputs, strict=True)]
            try:
                outcomes[_compare(module, function, data)] += 1
            except AssertionError as difference:
                raise AssertionError(f"seed {seed}, size {size}: {difference}\ninputs {program.inputs}\n{source}") from difference
    return outcomes


def _compare(module: Any, function: Any, data: list[Any]) -> str:
    mine, eager = ([array.copy() for array in data] for _ in range(2))
    want, got = result_or_error(lambda *arrays: function(np, None, *arrays), *eager), result_or_error(module, *mine)
    if isinstance(got, InputMismatch):
        return "mismatch"
    if isinstance(want, Exception) or isinstance(got, Exception):
        assert (type(want), str(want)) == (type(got), str(got)), f"{got!r}, not {want!r}"
        return "raises"
    assert got[1] == want[1], f"errors {got[1]}, not {want[1]}"
    compare([*want[0], *eager], [*got[0], *mine])
    return "same"


if __name__ == "__main__":
    main(run)
