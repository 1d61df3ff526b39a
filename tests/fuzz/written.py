"""Hold random programs that raise within branches and loops, after writes to an input and to state, to eager execution:
``python -m tests.fuzz.written [count] [seed]``. Compared after every call are the result or the exception, the input, and the arrays
of the state that nothing binds anew. A program that was interrupted (``interrupted`` is then part of its state) is not called again.
"""

from __future__ import annotations

import copy
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.fuzz.written_programs import Writer
from tests.support.forms import FORMS
from tests.support.functions import function_of
from tests.support.outcomes import shown
from tests.support.plain_modules import module_of
from tests.support.quiet import quiet

Call = tuple[np.ndarray, np.ndarray]


def run(seed: int) -> str:
    """Export and compare one program: ``"within"`` where its sub-graphs say what was written when they raise, ``"same"``, or the code of a
    refusal. Raises ``AssertionError`` with the source.
    """
    rng = random.Random(seed)
    source = Writer(rng, attributes=seed % 3 == 0).source()
    Program = function_of(source, {"np": np})
    calls = [call(rng) for _ in range(12)]
    dynamic = ({0: Dim.AUTO}, None) if seed % 2 else None
    try:
        with quiet():
            try:
                program = export(Program(), copy.deepcopy(calls[0]), dynamic_shapes=dynamic)
            except ExportError as refusal:
                return refusal.code
            except Exception as error:
                return _raises(Program(), calls[0], error)
            return _compare(Program, program, rng.choice([*FORMS, "decomposed", "plain"]), calls, grows=dynamic is not None)
    except Exception as error:
        raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\n{calls[0]}\n{source}") from error


def call(rng: random.Random) -> Call:
    """An input and indices, some of which do not fit."""
    return np.array([rng.randrange(100) / 100 for _ in range(4)]), np.array([rng.choice((0, 1, 2, 3, 3, 1, 0, 5, -1)) for _ in range(3)])


def _raises(eager: Any, args: Call, error: Exception) -> str:
    try:
        eager(*copy.deepcopy(args))
    except Exception as expected:
        assert (type(expected), expected.args) == (type(error), error.args)
        return "raises"
    raise error


def _compare(make: Any, program: Any, form: str, calls: list[Call], *, grows: bool) -> str:
    within = any("checkpoint" in node.target.traits for graph in _inner(program) for node in graph.nodes if node.op == "call_function")
    once = "interrupted" in program.graph_signature.buffers_to_mutate.values()
    with tempfile.TemporaryDirectory() as folder:
        for number, args in enumerate(calls):
            longer = (np.append(args[0], args[0][0]), args[1]) if grows and number % 2 and form != "plain" else args
            function, state = _module(program, form, Path(folder))
            eager = make()
            for each in (longer, calls[number - 1]):
                expected, got = _outcome(eager, each), _outcome(function, each)
                if got[0] == "refused":  # a size that the program keeps for its state
                    assert grows and each is longer
                    break
                assert got == expected, f"{form} gives {got}, eager {expected}, of {each}"
                assert shown(state().get("h", eager.h)) == shown(eager.h), f"{form} leaves h = {state()['h']}, eager {eager.h}, of {each}"
                if once and expected[0] == "raised":
                    break
    return "within" if within else "same"


def _inner(program: Any) -> list[Any]:
    return [graph for module in program.graph.sub_graphs() for graph in module.graph.all_graphs()]


def _module(program: Any, form: str, folder: Path) -> tuple[Any, Any]:
    """The program in a form, and a function that gives its state."""
    if form == "plain":
        module = module_of(program, folder / "plain.py")
        return module.forward, lambda: getattr(module, "STATE", {})
    module = (program.run_decompositions() if form == "decomposed" else FORMS[form](program)).module()
    return module, lambda: dict(module.named_buffers())


def _outcome(function: Any, args: Call) -> tuple[str, str, str]:
    args = copy.deepcopy(args)
    try:
        kind, found = "returned", shown(function(*args))
    except InputMismatch as refusal:
        kind, found = "refused", str(refusal)
    except Exception as error:
        kind, found = "raised", f"{type(error).__name__}{error.args}"
    return kind, found, shown(args)


if __name__ == "__main__":
    main(run)
