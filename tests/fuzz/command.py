"""The command line of the fuzzers: ``[COUNT] [SEED]`` and words of their own."""

from __future__ import annotations

import platform
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from npexport import ExportError, InputMismatch, export
from tests.support.outcomes import outcome
from tests.support.quiet import quiet


def main(run: Callable[[int], Any]) -> None:
    """Runs ``run`` for ``COUNT`` seeds from ``SEED`` on; prints every difference, and how often there was each outcome.

    ``run`` returns an outcome, or a ``Counter`` of several, and raises ``AssertionError`` with the report of a difference.
    The exit code is 1 if there was one.
    """
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    count = numbers[0] if numbers else 1000
    seed = numbers[1] if len(numbers) > 1 else random.randrange(1 << 30)
    outcomes: Counter[str] = Counter()
    for number in range(seed, seed + count):
        try:
            found = run(number)
        except Exception as problem:
            found = "different" if isinstance(problem, AssertionError) else "crashed"
            report = problem if found == "different" else repr(problem)
            print(f"seed {number}: {found}\n{report}\n", file=sys.stderr, flush=True)
        outcomes.update(_counted(found))
    print(f"CPython {platform.python_version()}, NumPy {np.__version__}, seeds {seed} to {seed + count - 1}:")
    for name, times in outcomes.most_common():
        print(f"{times:8} {name}")
    sys.exit(outcomes["different"] + outcomes["crashed"] > 0)


def _counted(found: Any) -> Any:
    return found if isinstance(found, Counter) else [found]


def tally_of(run: Callable[[int], Any], seeds: Iterable[int]) -> Counter[str]:
    """How often there was each outcome of these seeds."""
    outcomes: Counter[str] = Counter()
    for seed in seeds:
        outcomes.update(_counted(run(seed)))
    return outcomes


def reporting(difference: Callable[[int], tuple[str, str]]) -> Callable[[int], str]:
    """``run`` of a fuzzer whose ``difference`` of a seed is what became of the program, and the report where it is not eager's."""

    def run(seed: int) -> str:
        kind, report = difference(seed)
        assert not report, f"{kind}\n{report}"
        return kind

    return run


def exported_or_why(source: Any, make: Callable[[], Any], raised: Callable[[Exception], tuple[Any, Any]] | None = None) -> Any:
    """The program that ``make`` exports, or a word for why there is none. Raises ``AssertionError`` with ``source`` for a defect.

    ``raised``: of an exception that the program raises at its example, what is compared with eager execution's, and this.
    """
    try:
        with quiet():
            return make()
    except ExportError as refusal:
        assert refusal.code[1] not in "59", f"{source}\n{refusal}"  # a file of our own loads
        return f"refused {refusal.code}"
    except Exception as error:
        with quiet():
            found, wanted = raised(error) if raised else (None, None)
        assert found == wanted, f"{source}\nexport raises {error!r}\nwanted {wanted}"
        return "raises"


def compared(source: str, outcome: Callable[[Any, Any], Any], f: Any, exported: Any, calls: Iterable[Any]) -> tuple[str, str]:
    """``differs``, and the report, where an exported program has another outcome than its function for one of the calls; else ``same``."""
    run = exported.module()
    for args in calls:
        expected, got = outcome(f, args), outcome(run, args)
        if expected != got:
            return "differs", f"{source}\nof {args}\neager: {expected}\nours:  {got}\n{exported.graph_module.code}"
    return "same", ""


def exported_and_tallied(source: str, f: Any, calls: Sequence[tuple[Any, ...]], dynamic: Any) -> str | Counter[str]:
    """How the calls of a function are that is exported at copies of the arrays of the first, or why it is refused."""
    exported = exported_or_why(source, lambda: export(f, tuple(each.copy() for each in calls[0]), dynamic_shapes=dynamic))
    return exported if type(exported) is str else tallied(source, outcome, f, exported.module(), calls)


def equal(wanted: Any, found: Any) -> str:
    assert wanted == found, f"wanted {wanted}\nfound  {found}"
    return "equal"


def tallied(
    source: str, outcome: Callable[[Any, Any], Any], f: Any, module: Any, calls: Iterable[Any], compare: Callable[[Any, Any], str] = equal
) -> Counter[str]:
    """How many calls are equal, or what else ``compare`` says of two outcomes, and how many are of a size that is not accepted.

    Raises ``AssertionError`` with a difference.
    """
    found: Counter[str] = Counter()
    for args in calls:
        try:
            ours = outcome(module, args)
        except InputMismatch:
            found["size not accepted"] += 1
            continue
        try:
            found[compare(outcome(f, args), ours)] += 1
        except AssertionError as difference:
            raise AssertionError(f"{source}\nof {args}\n{difference}") from None
    return found
