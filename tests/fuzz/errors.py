"""Random programs with error states of their own (``error_programs``): exported, each gives and tells what it does eagerly, whatever the
caller's error state is. ``python -m tests.fuzz.errors [count] [seed]``.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport import ExportedProgram, ExportError, export
from tests.fuzz.command import main
from tests.fuzz.error_programs import Writer
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.told import CALLERS, told

NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-310, 3.0)


def arguments(rng: random.Random, ordinary: bool) -> tuple[Any, ...]:
    """Two arrays of floats and one of integers."""
    floats = [np.array([rng.uniform(0.5, 2) if ordinary else rng.choice(NUMBERS) for _ in range(3)]) for _ in range(2)]
    return *floats, np.array([rng.randint(0, 3) for _ in range(3)])


def in_plain_python(program: ExportedProgram) -> Any:
    """``forward`` of the program's source."""
    return function_of(program.to_python())


FORMS: tuple[Callable[[ExportedProgram], Any], ...] = (
    lambda program: program.module(),
    lambda program: reloaded(program).module(),
    in_plain_python,
    lambda program: lambda *args: tuple(program.graph_module(*args)),
)


def outcome(function: Any, args: tuple[Any, ...], state: str, repeats: bool) -> Any:
    """What a call gives and tells. ``repeats``: whether it computes something again in every iteration, which a program does
    once; then it is not compared how often it warns.
    """
    result, mutated, warned, said = told(function, args, state)
    return (result, mutated, sorted(set(map(str, warned))), sorted(set(said))) if repeats else (result, mutated, warned, said)


def run(seed: int) -> str:
    """The verdict on one program. Raises ``AssertionError`` where it differs."""
    source = Writer(seed).program()
    scope: dict[str, Any] = {}
    exec(source, scope)

    def function(*args: Any) -> Any:
        return scope["f"](np, *args)

    rng = random.Random(seed)
    try:
        program = export(function, arguments(rng, True))
    except ExportError as refusal:
        assert refusal.code in ("E103", "E126"), f"{source}\n{refusal}"
        return f"{refusal.code} {refusal.message[:60]}"
    calls = [arguments(rng, True), *[arguments(rng, False) for _ in range(3)]]
    for number, form in enumerate(FORMS):
        made = form(copy.deepcopy(program))
        for state in CALLERS:
            for args in calls:
                expected, found = (outcome(f, args, state, "while" in source) for f in (function, made))
                try:
                    np.testing.assert_equal(found, expected)
                except AssertionError as difference:
                    report = f"{source}\nform {number}, {state}, of {args}\neager: {expected}\nours:  {found}\n{program.graph_module.code}"
                    raise AssertionError(report) from difference
    return "same"


if __name__ == "__main__":
    main(run)
