"""Hold random classes that put into lists what others hold, too, to eager execution: inputs, results, state by itself. Callers write
to whatever they have passed or got, pass an array again, a part of it, or what they got: ``python -m tests.fuzz.listed [count] [seed]``.

A program may refuse a call (E401) where an array has been written to that a list may hold; it may never give another result.
"""

from __future__ import annotations

import copy
import random
import textwrap
from collections import deque
from typing import Any

import numpy as np

from npexport import ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.support.arrays_harness import compare
from tests.support.forms import reloaded
from tests.support.quiet import quiet

CALLS = 10
LISTS = ("[]", "deque(maxlen=3)", "deque()", "[np.ones(3)]")
ARRAYS = ("x", "x", "y", "y", "z", "self.w", "self.v", "x[::-1]", "x * 1", "y.T", "z[:]", "self.rows[0]", "self.rows[-1]")
KEPT = ("self.w = x", "self.w = z", "self.w = self.w + y", "self.v = self.w", "self.w = self.rows[-1] * 1", "self.v = y", "self.v += y")
READS = (
    "len(self.rows)", "np.sum(self.rows, axis=0)", "self.rows[-1] * 2", "self.rows[0] + 1", "sum(r[0] for r in self.rows)",
    "float(self.rows[-1][0])", "np.array(self.rows).max()",
)  # fmt: skip
RESULTS = ("x", "y", "z", "self.w", "self.v", "z[1:]", "x[::-1]", "self.rows[-1]", "y.sum()", "self.rows[0].copy()")
ENDS = ("self.rows.pop(0)", "self.rows.popleft()", "self.rows.pop()", "self.rows = self.rows[-2:]", "self.rows.reverse()")
CHANGES = ("y += 1", "y[0] = x[1]", "x += 1", "z += 1", "self.v[...] = 2", "self.w *= 2")


def source_of(seed: int) -> str:
    """A class ``P``, whose calls take two arrays of three numbers."""
    rng = random.Random(seed)
    one = rng.choice
    tupled = rng.random() < 0.3

    def item() -> str:
        return f"({one(ARRAYS)}, {one(('1.5', 'float(x[0])', 'y'))})" if tupled else one(ARRAYS)

    rows = one(LISTS) if not tupled else "[]"
    body = [f"z = {one(('x * 2', 'x + y', 'y - self.w', 'np.sort(x)'))}", f"self.rows.append({item()})"]
    rest = [f"self.rows.append({item()})", f"if x[0] > 0: self.rows.append({item()})", one(KEPT), one(KEPT), one(ENDS), one(CHANGES)]
    rest += [f"if len(self.rows) > 4: {one(ENDS)}", "if y[1] > 1: raise ValueError('late')", f"if self.n > 2: {one(KEPT)}"]
    body += rng.sample(rest, rng.randrange(4))
    reads = [] if tupled else [one(READS)]
    body += [f"total = {read}" for read in reads]
    if rng.random() < 0.2:
        body.append(one(CHANGES))
    results = ", ".join(["total"] * len(reads) + [one(RESULTS) for _ in range(rng.randrange(3))] + ["len(self.rows)"])
    begin = f"self.rows = {rows}\nself.w, self.v, self.n = np.zeros(3), np.ones(3), 0"
    made, called = [textwrap.indent(part, " " * 8) for part in (begin, "\n".join(["self.n += 1", *body, f"return {results}"]))]
    return f"class P:\n    def __init__(self):\n{made}\n\n    def __call__(self, x, y):\n{called}\n"


def run(seed: int) -> str:
    """Export and compare one class."""
    source, rng = source_of(seed), random.Random(seed + 1)
    scope: dict[str, Any] = {"np": np, "deque": deque}
    exec(compile(source, f"listed {seed}", "exec"), scope)
    try:
        with quiet():
            return _compare(scope["P"], rng)
    except ExportError as refusal:
        assert not refusal.code.startswith("E9"), f"seed {seed}: {refusal}\n{source}"
        return refusal.code
    except Exception as error:
        raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\n{source}") from error


def _compare(make: Any, rng: random.Random) -> str:
    pair: list[Any] = [None, make()]
    example = np.array([0.5, 1.0, -1.0])
    try:
        program = export(make(), (example, example + 0.25))
    except (ValueError, IndexError, AttributeError, TypeError) as error:
        assert not isinstance(error, ExportError) or error.code.startswith("E2"), error
        return "raises"
    pair[0] = (reloaded(program) if rng.random() < 0.2 else program).module()
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    have: list[list[Any]] = [[], []]  # what the callers of both hold: the same places of both
    for call in range(CALLS):
        arguments = [_argument(have, numbers, rng) for _ in range(2)]
        outcomes = [_outcome(each, [argument[side] for argument in arguments]) for side, each in enumerate(pair)]
        (failed, mine), (error, want) = outcomes
        if isinstance(failed, InputMismatch) or "an earlier call raised" in str(failed):
            return "refused later"
        assert repr(failed) == repr(error), f"call {call} raises {failed!r}, not {error!r}"
        compare(want, mine)
        for side, result in enumerate((mine, want)):
            have[side] += [argument[side] for argument in arguments]
            have[side] += [value for value in (result if type(result) is tuple else ()) if type(value) is np.ndarray]
        compare(have[1], have[0])
        for _ in range(rng.choice((0, 0, 0, 0, 1)) if have[0] else 0):
            place, at, value = rng.randrange(len(have[0])), rng.randrange(2), numbers.integers(5)
            for side in range(2):
                if have[side][place].flags.writeable:
                    have[side][place][at] = value
        compare(have[1], have[0])
        if rng.random() < 0.1:
            have = [side[-1:] for side in have]
        if rng.random() < 0.05:
            pair = [copy.deepcopy(each) for each in pair]
    return "same"


def _argument(have: list[list[Any]], numbers: Any, rng: random.Random) -> list[Any]:
    """One argument, for both: a new array, or what the caller has already."""
    places = [place for place, array in enumerate(have[0]) if array.shape == (3,) and array.dtype == float]
    if places and rng.random() < 0.3:
        place = rng.choice(places)
        return [side[place] for side in have]
    numbers_of_both, form = np.round(numbers.standard_normal(6), 2), rng.choice((slice(3), slice(3), slice(0, None, 2), slice(None, 2, -1)))
    arrays = [numbers_of_both.copy()[form] for _ in range(2)]
    return arrays if rng.random() < 0.5 else [array.copy() for array in arrays]


def _outcome(function: Any, arguments: list[Any]) -> tuple[Any, Any]:
    try:
        return None, function(*arguments)
    except Exception as error:
        return error, None


if __name__ == "__main__":
    main(run)
