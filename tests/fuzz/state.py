"""Random programs over the state of an object (``state_programs``): exported and held to eager Python over several calls.

``python -m tests.fuzz.state [count] [seed]`` runs many. Compared after every call are results with their types and dtypes, inputs,
every buffer and parameter, and what shares memory; the exported object and the program itself must be untouched. A program is run in
one of several ways (``WAYS``): saved and loaded, copied half-way, with other weights, with inputs and results that the caller writes
to and passes back.
"""

from __future__ import annotations

import copy
import itertools
import random
from collections import deque
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz import state_parts
from tests.fuzz.command import main
from tests.fuzz.state_programs import Program
from tests.support.arrays_harness import compare
from tests.support.forms import reloaded
from tests.support.quiet import quiet

CALLS = 4
WAYS = ("plain", "plain", "saved", "copied", "weights", "same input", "inputs written", "results written", "fed back")


def run(seed: int) -> str:
    """Generate, export and compare one program: ``"same"`` or the code of a refusal. Raises ``AssertionError`` with the source."""
    rng = random.Random(seed)
    program = Program(rng)
    source = program.build(rng.randint(1, 8))
    way = rng.choice(WAYS)
    try:
        with quiet():
            return _compare(rng, program, source, way)
    except ExportError as refusal:
        return refusal.code
    except Exception as error:
        raise AssertionError(f"seed {seed}, {way}: {type(error).__name__}: {error}\nx = {program.input}\n{source}") from error


def _compare(rng: random.Random, program: Program, source: str, way: str) -> str:
    scope = state_parts.scope()
    exec(source, scope)
    make = scope["Program"]
    original = make()
    before, cached = image(original), image(scope["CACHE"])
    number = rng.randrange(4)
    shapes = {"x": None, "n": Dim("n", min=0, max=3)} if program.dynamic else None
    example = inputs(program, 0)
    kept = example.copy(order="K")
    error, exported = outcome(lambda: export(original, (example, number), dynamic_shapes=shapes))
    assert image(original) == before, "export changed the object"
    assert image(scope["CACHE"]) == cached and scope["Shared"].table is None, "export filled a cache"
    compare(kept, example)
    if error is not None:
        if not isinstance(error, ExportError):
            assert text(outcome(make(), example, number)[0]) == text(error), f"export raises {text(error)}"
            return "raises"
        raise error
    held = image(exported.state_dict), image(exported.constants)
    if way == "saved":
        exported = reloaded(exported)
        held = image(exported.state_dict), image(exported.constants)
    module = exported.module()
    eager = make()
    if way == "weights":
        changed = {name: array * 2 for name, array in module.state_dict().items() if array.dtype.kind in "fc"}
        module.load_state_dict(changed, strict=False)
        for name, array in changed.items():
            at(eager, name)[...] = array
    numbers = [rng.randrange(4) if program.dynamic else number for _ in range(CALLS)]
    verdict = _calls(program, module, eager, way, numbers)
    assert image(original) == before, "running changed the object"
    assert (image(exported.state_dict), image(exported.constants)) == held, "running changed the program"
    return verdict


def _calls(program: Program, module: Any, eager: Any, way: str, numbers: list[int]) -> str:
    mine, theirs = inputs(program, 1), inputs(program, 1)
    results: list[list[Any]] = [[], []]
    lay = {name: array.strides for name, _, array in _state(module, eager) if isinstance(array, np.ndarray)}
    for call, number in enumerate(numbers):
        if way == "same input" and call:
            for x in (mine, theirs):
                x[...] = inputs(program, call + 1)
        elif way == "fed back" and _fit(results, mine):
            mine, theirs = _fit(results, mine)
        elif call:
            mine, theirs = inputs(program, call + 1), inputs(program, call + 1)
        if way == "copied" and call == 2:
            module = copy.deepcopy(module)
        (failed, found), (error, expected) = outcome(module, mine, number), outcome(eager, theirs, number)
        if isinstance(failed, InputMismatch) and way in ("same input", "fed back"):
            return "mismatch"
        if failed is not None or error is not None:
            assert text(failed) == text(error), f"call {call} raises {failed!r}, not {error!r}"
            return "raises"
        results = [list(leaves(found)), list(leaves(expected))]
        state = _state(module, eager)
        try:
            compare([*results[1], theirs], [*results[0], mine])
            for name, have, given in state:
                want = np.asarray(given)  # numbers are held as arrays
                assert have.dtype == want.dtype and np.array_equal(have, want, equal_nan=have.dtype.kind in "fc"), (
                    f"{name}: {have}, not {want}"
                )
            state = [(name, have, want) for name, have, want in state if isinstance(want, np.ndarray)]
            if {name: array.strides for name, _, array in state} == lay:  # aliasing is promised for the layouts of the example
                _compare_memory(
                    [*results[1], theirs, *(want for _, _, want in state)], [*results[0], mine, *(have for _, have, _ in state)]
                )
            lay = {name: array.strides for name, _, array in state}
        except AssertionError as difference:
            raise AssertionError(f"call {call}: {difference}") from difference
        if way == "results written":
            _scribble(results)
        if way == "inputs written":
            _scribble([[mine], [theirs]])
    return "same"


def inputs(program: Program, seed: int) -> Any:
    return eval(program.input, {"A": state_parts.numbers(seed + 10)})


def outcome(function: Any, *arguments: Any) -> tuple[Any, Any]:
    """``(None, result)``, or ``(error, None)``."""
    try:
        return None, function(*arguments)
    except Exception as error:
        return error, None


def text(error: Any) -> str:
    return f"{type(error).__name__}: {error}"


def _fit(results: list[list[Any]], x: Any) -> Any:
    """A pair of results that may be passed as the next input."""
    for pair in zip(*results, strict=True):
        if all(type(r) is np.ndarray and (r.shape, r.dtype, r.strides) == (x.shape, x.dtype, x.strides) for r in pair):
            return pair
    return None


def _scribble(results: list[list[Any]]) -> None:
    """What a caller may do with arrays."""
    for mine, theirs in zip(*results, strict=True):
        for array in (mine, theirs):
            if type(array) is np.ndarray and array.flags.writeable and array.dtype.kind in "iufc":
                array += 1


def leaves(result: Any) -> Any:
    """What containers of a result hold."""
    if isinstance(result, (list, tuple, deque)):
        for item in result:
            yield from leaves(item)
    elif isinstance(result, dict):
        for key, item in result.items():
            yield key
            yield from leaves(item)
    else:
        yield result


def _state(module: Any, eager: Any) -> list[tuple[str, Any, Any]]:
    """Name, the module's array and the object's."""
    arrays = dict([*module.named_parameters(), *module.named_buffers()])
    return [(name, array, at(eager, name)) for name, array in arrays.items() if at(eager, name) is not None]


def at(owner: Any, path: str) -> Any:
    """What lies at a dotted path; ``None`` where names in it are no names of Python's, or where it is a container that buffers hold
    leaf by leaf.
    """
    for name in path.split("."):
        if hasattr(owner, name):
            owner = getattr(owner, name)
        elif isinstance(owner, dict) and (name in owner or (name.isdigit() and int(name) in owner)):
            owner = owner[name] if name in owner else owner[int(name)]
        elif isinstance(owner, (list, tuple, deque)) and name.isdigit():
            owner = owner[int(name)]
        else:
            return None
    return None if isinstance(owner, (list, deque, dict, set)) else owner


def _compare_memory(expected: list[Any], found: list[Any]) -> None:
    pairs = list(zip(expected, found, strict=True))
    for (i, (first, mine)), (j, (second, other)) in itertools.combinations(enumerate(pairs), 2):
        if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
            want = np.shares_memory(first, second)
            assert np.shares_memory(mine, other) == want, f"arrays {i} and {j}: shares_memory is {want}"
            assert mine is not other or first is second or want or not first.size, f"arrays {i} and {j} are one object"


def image(value: Any, seen: set[int] | None = None) -> Any:
    """Everything that an object holds, with the identities of arrays and containers."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray):
        return id(value), value.tobytes(), value.strides
    if id(value) in seen:
        return id(value)
    seen.add(id(value))
    if isinstance(value, dict):
        return id(value), [(key, image(item, seen)) for key, item in value.items()]
    if isinstance(value, (list, tuple, deque)):
        return id(value), [image(item, seen) for item in value]
    if hasattr(value, "__slots__"):
        return id(value), [image(getattr(value, name, None), seen) for name in value.__slots__]
    return (id(value), image(vars(value), seen)[1]) if hasattr(value, "__dict__") else value


if __name__ == "__main__":
    main(run)
