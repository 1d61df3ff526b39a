"""Random Python programs (python_programs.py): the interpreter and exported programs against CPython.

``python -m tests.fuzz_python --seconds 3600`` runs until a difference between CPython, ``interpret`` and
export-then-run shows up, and prints the program. A short run is part of the suite (test_fuzz_python.py).
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
import time
import traceback
import warnings

import numpy as np

from tests.python_programs import Writer


def outcome(call) -> tuple[str, object]:
    """What a call does: a value, or an exception as type, text and chain of contexts."""
    try:
        return ("value", call())
    except RecursionError:
        return ("recursion", None)
    except Exception as error:
        chain, link = [], error
        while link is not None:
            chain.append((type(link).__name__, str(link), type(link.__cause__).__name__, link.__suppress_context__))
            link = link.__context__
        frames = [entry.name for entry in traceback.extract_tb(error.__traceback__) if entry.filename == "<fuzz>"]
        return ("error", (chain, frames))


def equal(a: object, b: object) -> bool:
    if isinstance(a, (np.ndarray, np.generic)) or isinstance(b, (np.ndarray, np.generic)):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    return a == b


def compiled(source: str):
    namespace: dict[str, object] = {"__name__": "fuzz"}
    exec(compile(source, "<fuzz>", "exec"), namespace)
    return namespace["prog"]


def check(seed: int) -> str | None:
    """``None``, or what went wrong with the program of this seed."""
    from npexport import ExportError, export, interpret

    rng = random.Random(seed)
    arrays = rng.random() < 0.5
    source = Writer(rng, arrays).program()
    try:
        prog = compiled(source)
    except SyntaxError:
        return None
    data = np.random.default_rng(seed)
    args = (data.standard_normal(4), data.standard_normal(4), 4) if arrays else (4,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = outcome(lambda: prog(*copy.deepcopy(args)))
        if want[0] == "recursion":
            return None
        got = outcome(lambda: interpret(prog, *copy.deepcopy(args)))
        if want[0] != got[0] or not equal(want[1], got[1]):
            return f"{source}\n# seed {seed}\n# CPython:   {want}\n# interpret: {got}"
        if not arrays or want[0] == "error":
            return None
        try:
            run = export(prog, args).module()
        except ExportError as error:
            return None if error.code[1] == "1" else f"{source}\n# seed {seed}\n# export: {error}"
        for k in range(2):
            fresh = (data.standard_normal(4), data.standard_normal(4), 4) if k else args
            want = outcome(lambda fresh=fresh: prog(*copy.deepcopy(fresh)))
            got = outcome(lambda fresh=fresh: run(*copy.deepcopy(fresh)))
            if want[0] != got[0] or not equal(want[1], got[1]):
                return f"{source}\n# seed {seed}\n# CPython: {want}\n# export:  {got}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--failures", type=int, default=1)
    options = parser.parse_args()
    print("first seed", options.seed)
    stop, seed, failures = time.monotonic() + options.seconds, options.seed, 0
    while time.monotonic() < stop and failures < options.failures:
        problem = check(seed)
        if problem:
            failures += 1
            print(problem)
        seed += 1
    print(seed - options.seed, "programs,", failures, "differences")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
