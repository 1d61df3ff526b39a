"""Random Python programs (``python_programs``): the interpreter and exported programs against CPython.

``python -m tests.fuzz.python --seconds 3600`` runs until a difference between CPython, ``interpret`` and export-then-run shows up, and
prints the program; at the end, how many programs there were and what was refused. A short run is part of the suite (``test_python.py``).
"""

from __future__ import annotations

import argparse
import collections
import copy
import faulthandler
import random
import re
import signal
import sys
import time
import traceback
import types
import warnings

import numpy as np

from tests.fuzz.python_programs import Writer
from tests.support.collector import no_collection
from tests.support.forms import reloaded

ADDRESS = re.compile("[0-9a-f]{6,}>")
"""The end of an address in the text of an object, which a program may have taken apart."""
TOLERANCE = {"e": 1e-2, "f": 1e-5}


class Endless(BaseException):
    """The program takes too long."""


def _interrupt(signum: int, frame: object) -> None:
    raise Endless


def outcome(call) -> tuple[str, object]:
    """What a call does: a value, or an exception as type, text and chain of contexts."""
    try:
        return ("value", call())
    except (RecursionError, Endless) as error:
        return (type(error).__name__, None)
    except Exception as error:
        return ("error", told(error))


def told(error: BaseException) -> tuple[object, ...]:
    chain, link = [], error
    while link is not None:
        members = tuple(map(told, link.exceptions)) if isinstance(link, BaseExceptionGroup) else ()
        notes = getattr(link, "__notes__", None)
        chain.append((type(link).__name__, str(link), type(link.__cause__).__name__, link.__suppress_context__, notes, members))
        link = link.__context__
    return chain, [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__) if entry.filename == "<fuzz>"]


def equal(a: object, b: object) -> bool:
    if isinstance(a, (np.ndarray, np.generic)) or isinstance(b, (np.ndarray, np.generic)):
        if type(a) is not type(b) or a.dtype != b.dtype or a.shape != b.shape:
            return False
        tolerance = TOLERANCE.get(a.dtype.char, 1e-9)
        return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))
    if type(a) is not type(b):
        return False
    if isinstance(a, str):
        return ADDRESS.sub("", a) == ADDRESS.sub("", b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    return a == b


def compiled(source: str):
    module = sys.modules["fuzz"] = types.ModuleType("fuzz")  # dataclasses look their module up
    exec(compile(source, "<fuzz>", "exec"), vars(module))
    return module.prog


def arguments(data: np.random.Generator, arrays: bool) -> tuple[object, ...]:
    if not arrays:
        return (4,)
    return data.standard_normal(4), data.standard_normal(4), data.integers(-4, 9, 4), data.standard_normal((2, 3)).astype(np.float32), 4


def difference(want: tuple[str, object], run, args: tuple[object, ...]) -> str | None:
    """How the outcome of ``run`` differs from what CPython gave."""
    got = outcome(lambda: run(*copy.deepcopy(args)))
    return None if want[0] == got[0] and equal(want[1], got[1]) else f"\n# CPython: {want}\n# npexport: {got}"


def check(seed: int, tally: collections.Counter[str] | None = None) -> str | None:
    """``None``, or what went wrong with the program of this seed."""
    rng = random.Random(seed)
    arrays = rng.random() < 0.6
    source = Writer(rng, arrays).program()
    tally = collections.Counter() if tally is None else tally
    # a generator in a cycle would write to a log of the program's whenever the collector finds it
    with warnings.catch_warnings(), no_collection():
        warnings.simplefilter("ignore")
        try:
            prog = compiled(source)
        except SyntaxError as error:
            tally[f"no program: {error.msg}"] += 1
            return None
        problem = _check(prog, arrays, np.random.default_rng(seed), tally)
    return problem and f"{source}\n# seed {seed}{problem}"


def _check(prog, arrays: bool, data: np.random.Generator, tally: collections.Counter[str]) -> str | None:
    from npexport import ExportError, export, interpret

    args = arguments(data, arrays)
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, 3, 1)  # again and again: the program may catch it
    want = outcome(lambda: prog(*copy.deepcopy(args)))
    signal.setitimer(signal.ITIMER_REAL, 0)
    tally[f"CPython: {want[0]}"] += 1
    if want[0] not in ("value", "error"):
        return None
    problem = difference(want, lambda *given: interpret(prog, *given), args)
    if problem or not arrays:
        return problem
    try:
        exported = export(prog, copy.deepcopy(args))
    except ExportError as error:
        tally[f"refused: {error.code} {error.message[:70]}"] += 1
        return None if error.code[1] == "1" else f"\n# export: {error}"
    except Exception as error:
        tally["exported: raises"] += 1
        return None if want[0] == "error" and equal(want[1], told(error)) else f"\n# CPython: {want}\n# export: {told(error)}"
    tally["exported"] += 1
    runs = [exported.module()]
    if data.random() < 0.2:
        runs.append(reloaded(exported).module())
    for given in (args, arguments(data, arrays)):
        want = outcome(lambda given=given: prog(*copy.deepcopy(given)))
        for run in runs:
            problem = difference(want, run, given)
            if problem:
                return problem
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--failures", type=int, default=1)
    options = parser.parse_args()
    print("first seed", options.seed, flush=True)
    stop, seed, failures = time.monotonic() + options.seconds, options.seed, 0
    tally: collections.Counter[str] = collections.Counter()
    while time.monotonic() < stop and failures < options.failures:
        faulthandler.dump_traceback_later(60, exit=True, file=sys.stdout)
        problem = check(seed, tally)
        if problem:
            failures += 1
            print(problem, flush=True)
        seed += 1
        if seed % 50 == 0:
            print("at seed", seed, flush=True)  # where it hangs, if it does
    faulthandler.cancel_dump_traceback_later()
    for what, count in tally.most_common():
        print(f"{count:7} {what}")
    print(seed - options.seed, "programs,", failures, "differences")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
