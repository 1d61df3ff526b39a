"""Random loops over sizes: exported with dynamic sizes, each gives at every size that is accepted
what it gives eagerly, or is refused. ``python -m tests.fuzz.sized_loops [count] [seed]``.
"""

from __future__ import annotations

import bisect
import copy
import heapq
from collections import Counter, defaultdict, deque
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.sized_loop_programs import Writer
from tests.support.functions import function_of
from tests.support.quiet import quiet

SIZES = 0, 1, 2, 3, 4, 5, 7


def arguments(size: int, number: int) -> tuple[Any, ...]:
    """A vector, integers, and a matrix of as many rows."""
    rng = np.random.default_rng([size, number])
    return rng.normal(size=size), rng.integers(-3, 6, size=size), rng.normal(size=(size, 3))


def outcome(function: Any, given: tuple[Any, ...]) -> Any:
    """What a call gives or raises, to the bit, and what its arguments are afterwards."""
    given = copy.deepcopy(given)
    with quiet():
        try:
            result: Any = function(*given)
        except InputMismatch:
            raise
        except Exception as error:
            result = type(error).__name__, str(error)
    with np.printoptions(precision=17, floatmode="unique", threshold=10_000):
        return repr((ordered(result), given))


def ordered(result: Any) -> Any:
    """A result whose sets show their members in one order."""
    if isinstance(result, (set, frozenset)):
        return type(result), sorted(map(repr, result))
    if isinstance(result, dict):
        return type(result), {key: ordered(value) for key, value in result.items()}
    return type(result)(map(ordered, result)) if type(result) in (tuple, list) else result


def check(seed: int) -> Counter[str]:
    """How often there was each outcome of one program.

    Raises ``AssertionError`` where the results differ.
    """
    return held_to_eager(seed, Writer(seed).program(), 4 - seed % 2)


def held_to_eager(seed: int, source: str, size: int, is_static: bool = False) -> Counter[str]:
    """The same of any program of such arguments; ``size``: of its example, and of all calls where
    it ``is_static``.
    """
    program = function_of(
        source, {"np": np, "bisect": bisect, "heapq": heapq, "Counter": Counter, "defaultdict": defaultdict, "deque": deque}
    )
    example = arguments(size, 0)
    told, shapes = f"seed {seed}\n{source}", None if is_static else ({0: Dim.AUTO},) * 3
    made = exported_or_why(
        told,
        lambda: export(program, copy.deepcopy(example), dynamic_shapes=shapes),
        lambda error: (kind := f"(({type(error).__name__!r}, ", outcome(program, example)[: len(kind)]),
    )
    if isinstance(made, str):
        return Counter([made])
    calls = (arguments(each, number) for each in ([size] if is_static else SIZES) for number in range(8 if is_static else 3))
    return tallied(told, outcome, program, made.module(), calls)


if __name__ == "__main__":
    main(check)
