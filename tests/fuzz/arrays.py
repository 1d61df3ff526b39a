"""Random programs over arrays (``array_programs``), traced or exported, and held to eager NumPy on fresh data.

``python -m tests.fuzz.arrays [count] [seed] [strict]`` runs many; each program is source text, printed where it differs.
Compared are results with their types and dtypes, inputs and state afterwards, errors with their texts, what shares memory and in which
order it lies.
"""

from __future__ import annotations

import functools
import random
import sys
from typing import Any

import numpy as np

from npexport import ExportError, export
from npexport.ir.signature import InputKind
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.ownership import shares
from npexport.tracer.arrays.core.proxy import ArrayProxy
from tests.fuzz.array_programs import LAYOUTS, Program, State
from tests.fuzz.command import main
from tests.support.arrays_harness import compare, evaluate, result_nodes, trace
from tests.support.functions import function_of
from tests.support.quiet import quiet


def run(seed: int, length: int = 8, strict: bool = False) -> str:
    """Generate, trace and compare one program: ``"same"`` or the code and message of a refusal.

    Raises ``AssertionError`` with the source where something differs.
    ``strict``: the VM interprets the program, and what ``export`` gives is run; else CPython runs it on proxies.
    """
    rng = random.Random(seed)
    program = Program(rng, overlaps=strict, stateful=strict, avoid=() if strict else NEEDS_EXPORT)
    source = program.build(rng.randint(2, length))
    function = function_of(source, {"np": np})
    try:
        with quiet():
            return (_compare_export if strict else _compare)(rng, program, function)
    except Unsupported as refusal:
        return f"{refusal.code} {refusal.message}"
    except Exception as error:
        raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\ninputs {program.inputs}\n{source}") from error


NEEDS_EXPORT = (" is ", ".mean(axis=-1, out=", "type(", "ndarray", "default_rng", "shares_memory", "owndata", ".base", ".shape =", "flags")
"""What proxies without an interpreter do not answer."""


def outcome(function: Any, *arguments: Any) -> Any:
    """``(None, result)``, or ``(error as text, None)``."""
    try:
        return None, function(*arguments)
    except ExportError:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}", None


def _compare(rng: random.Random, program: Program, function: Any) -> str:
    example = program.make()
    session, proxies, (result, log) = trace(lambda np, *arrays: function(np, None, *arrays), *example)
    if any(text.startswith("Unsupported") for text in log if isinstance(text, str)):
        return "E9 caught"
    conditions = {condition.placeholder.path for condition in session.recorder.layouts.conditions.values()}
    layouts = [spec[2] if f"x{i}" in conditions else rng.choice(LAYOUTS) for i, spec in enumerate(program.inputs)]
    state = rng.getstate()
    inputs = program.make(layouts)
    rng.setstate(state)
    eager = program.make(layouts)
    error, expected = outcome(function, np, None, *eager)
    nodes = (result_nodes(session, result), result_nodes(session, tuple(proxies)))
    failed, got = outcome(evaluate, session, nodes, inputs)
    if error is None and failed is not None and failed in expected[1]:
        return "same"  # an error of the data, which the program catches in eager execution
    assert (failed is None) == (error is None), f"raises {failed}, not {error}"
    if error is not None or failed is not None:
        return "same"
    compare_logs(expected[1], log)
    compare([*expected[0], *eager], [*got[0], *got[1]])
    _compare_aliasing(session, function, program, result)
    return "same"


def _compare_aliasing(session: Any, function: Any, program: Program, result: list[Any]) -> None:
    """Which results share memory is the example's own answer."""
    error, found = outcome(function, np, None, *program.make())
    if error is not None:
        return
    again, _ = found
    with session.activate():
        for i, first in enumerate(result):
            for j, second in enumerate(result[:i]):
                if type(first) is ArrayProxy and type(second) is ArrayProxy:
                    want = np.shares_memory(again[i], again[j])
                    try:
                        assert shares(first, second) == want, f"results {i} and {j}: shares_memory is {want}"
                    except Unsupported:
                        continue


def _compare_export(rng: random.Random, program: Program, function: Any) -> str:
    cls = type("Exported", (State,), {"__call__": lambda self, *arrays: function(np, self, *arrays)})
    example = program.make()
    before = [array.tobytes() for array in example]
    error, exported = outcome(lambda: export(cls(program.tied), tuple(example)))
    if error is not None:  # of data that the generator did not see
        assert error == outcome(cls(program.tied), *example)[0], f"export raises {error}"
        return "raises"
    assert before == [array.tobytes() for array in example], "export wrote to an input"
    given = [spec for spec in exported.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    related = any(isinstance(spec, str) for spec in program.inputs)
    layouts = [
        spec[2] if related or argument.layout is not None or argument.owns else rng.choice(LAYOUTS)
        for spec, argument in zip(program.inputs, given, strict=True)
    ]
    module, eager = exported.module(), cls(program.tied)
    _compare_call(rng, program, module, eager, None)
    _compare_call(rng, program, module, eager, layouts)
    return "same"


def _compare_call(rng: random.Random, program: Program, module: Any, eager: Any, layouts: list[str] | None) -> None:
    """Other data, in these layouts. Aliasing and memory orders of results are promised for the example's layouts."""
    state = rng.getstate()
    inputs = program.make(layouts)
    rng.setstate(state)
    theirs = program.make(layouts)
    (error, expected), (failed, found) = outcome(eager, *theirs), outcome(module, *inputs)
    if error is None and failed is not None and failed in expected[1]:
        return  # an error of the data, which the program catches in eager execution
    assert error == failed, f"raises {failed}, not {error}"
    if error is not None:
        return  # what was written before the error is no promise
    compare_logs(expected[1], found[1])
    compare([*expected[0], *theirs], [*found[0], *inputs])
    if layouts is None:
        _compare_memory([*expected[0], *theirs], [*found[0], *inputs])


def compare_logs(expected: list[Any], found: list[Any]) -> None:
    """What the programs noted, errors with their types and texts among it."""
    assert expected == found, f"log {found}, not {expected}"


def _compare_memory(expected: list[Any], found: list[Any]) -> None:
    pairs = list(zip(expected, found, strict=True))
    for i, (first, mine) in enumerate(pairs):
        if isinstance(first, np.ndarray):
            assert order(mine) == order(first), f"result {i}: strides {mine.strides}, not {first.strides}"
        for j, (second, other) in enumerate(pairs[:i]):
            if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
                continue
            want = np.shares_memory(first, second)
            assert np.shares_memory(mine, other) == want, f"results {i} and {j}: shares_memory is {want}"
            assert mine is not other or first is second, f"results {i} and {j} are one object"


def order(array: Any) -> Any:
    """The strides of axes that have some, and nothing of those that have none."""
    return tuple(stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1) if array.size else ()


if __name__ == "__main__":
    main(functools.partial(run, strict="strict" in sys.argv))
