"""Hold random classes with lists, dicts and sets that calls make longer or shorter to eager execution, call after call:
``python -m tests.fuzz.growing [count] [seed]``.

A program is run in one of several ways (``WAYS``); callers write to what they passed and to what they got, so that what is
shared shows.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.fuzz.growing_programs import Writer
from tests.support.arrays_harness import compare
from tests.support.forms import reloaded
from tests.support.quiet import quiet

CALLS = 7
WAYS = ("plain", "saved", "decomposed", "pickled", "copied", "inputs written", "results written", "inputs written", "results written")


def run(seed: int) -> str:
    """Export and compare one class."""
    return held(Writer(seed).source(), seed)


def held(source: str, seed: int) -> str:
    """The outcome of a class ``P``, or the code of its refusal. Raises ``AssertionError`` with the source."""
    rng = random.Random(seed)
    way, dynamic = rng.choice(WAYS), rng.random() < 0.5
    try:
        with quiet():
            return _compare(source, way, dynamic, seed)
    except ExportError as refusal:
        if refusal.code.startswith("E9"):
            raise AssertionError(f"seed {seed}: {refusal}\n{source}") from refusal
        return refusal.code
    except Exception as error:
        raise AssertionError(f"seed {seed}, {way}, dynamic {dynamic}: {type(error).__name__}: {error}\n{source}") from error


def _compare(source: str, way: str, dynamic: bool, seed: int) -> str:
    scope: dict[str, Any] = {"np": np, "deque": deque, "defaultdict": defaultdict, "Counter": Counter, "OrderedDict": OrderedDict}
    exec(compile(source, f"growing {seed}", "exec"), scope)
    eager, original, rng = scope["P"](), scope["P"](), np.random.default_rng(seed)
    inputs = [np.round(rng.standard_normal(4), 2) for _ in range(CALLS)]
    try:
        program = export(original, (inputs[0].copy(),), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None)
    except ExportError:
        raise
    except Exception as error:
        assert str(error) == str(_outcome(eager, inputs[0].copy())[0]), error
        return "raises"
    if way == "saved":
        program = reloaded(program)
    module = (program.run_decompositions() if way == "decomposed" else program).module()
    for call, x in enumerate(inputs):
        if call == 3 and way in ("pickled", "copied"):
            module = pickle.loads(pickle.dumps(module)) if way == "pickled" else copy.deepcopy(module)
        mine, theirs = x.copy(), x.copy()
        (failed, have), (error, want) = _outcome(module, mine), _outcome(eager, theirs)
        if isinstance(failed, InputMismatch) or (type(failed) is RuntimeError and "an earlier call raised" in str(failed)):
            return type(failed).__name__
        assert repr(failed) == repr(error), f"call {call} raises {failed!r}, not {error!r}"
        try:
            compare([want, theirs], [have, mine])
        except AssertionError as difference:
            raise AssertionError(f"call {call}: {difference}") from difference
        for array in [array for result in (have, want) for array in _arrays(result)] if way == "results written" else ():
            array[...] = 7.5
        if way == "inputs written":
            mine[...] = theirs[...] = 7.5
    return "same"


def _outcome(function: Any, x: Any) -> tuple[Any, Any]:
    try:
        return None, function(x)
    except Exception as error:
        return error, None


def _arrays(result: Any) -> list[Any]:
    """The arrays in a result that can be written to."""
    if isinstance(result, (tuple, list)):
        return [array for item in result for array in _arrays(item)]
    return [result] if type(result) is np.ndarray and result.flags.writeable else []


if __name__ == "__main__":
    main(run)
