"""Random programs that return and store what they make (``object_programs``): exported and held to eager Python over several calls.

``python -m tests.fuzz.objects [count] [seed] [exceptions]`` runs many. Between the calls the caller writes to what it was given; some calls
raise. Compared are results, inputs and state with their values, which containers are one object or the caller's own, and which arrays
share memory, also with the results of earlier calls. Programs are run as they are, saved and loaded, copied half-way, or after passes.
"""

from __future__ import annotations

import copy
import functools
import random
import sys
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from npexport import ExportError, export, register_dataclass
from tests.fuzz.command import main
from tests.fuzz.object_programs import Program
from tests.fuzz.state import outcome, text
from tests.support.forms import passed, reloaded
from tests.support.quiet import quiet

CONTAINERS = (deque, OrderedDict, defaultdict, Counter, ChainMap, UserDict, UserList, SimpleNamespace)
CALLS = 4
WAYS = ("plain", "plain", "saved", "copied", "passes")


@register_dataclass
@dataclass
class Box:
    p: Any
    q: Any


class Pair(NamedTuple):
    p: Any
    q: Any


def run(seed: int, raising: bool) -> str:
    """Generate, export and compare one program: what came of it. Raises ``AssertionError`` with the source where that differs."""
    rng = random.Random(seed)
    source = Program(rng).build(rng.randint(1, 9), raising)
    way = rng.choice(WAYS)
    try:
        with quiet():
            return _compare(rng, source, way)
    except ExportError as refusal:
        if refusal.code.startswith("E9"):
            raise AssertionError(f"seed {seed}: {refusal}\n{source}") from refusal
        return refusal.code
    except Exception as error:
        raise AssertionError(f"seed {seed}, {way}: {type(error).__name__}: {error}\n{source}") from error


def scope() -> dict[str, Any]:
    """The names of a program; its outside array is its own."""
    return {"np": np, "G": np.array([4.0, 3.0, 2.0, 1.0]), "Box": Box, "Pair": Pair, **{cls.__name__: cls for cls in CONTAINERS}}


def arguments(data: list[float]) -> tuple[Any, Any]:
    array = np.array(data)
    others = {"s": SimpleNamespace(w=array - 1), "l": UserList([array * 3]), "m": ChainMap({"w": array + 5}), "t": UserDict(n=1)}
    others["t"].u = deque([array - 2])
    return array, {"u": [array * 2, 1], "w": array + 3, **others}


def _compare(rng: random.Random, source: str, way: str) -> str:
    exported, eager_scope = scope(), scope()
    exec(source, exported)
    exec(source, eager_scope)
    error, program = outcome(lambda: export(exported["Program"](), arguments([1.0, 2.0, 3.0, 0.5])))
    eager = eager_scope["Program"]()
    if error is not None:
        if isinstance(error, ExportError):
            raise error
        assert outcome(eager, *arguments([1.0, 2.0, 3.0, 0.5]))[0] is not None, f"export raises {text(error)}"
        return "raises"
    module = {"saved": reloaded, "passes": passed}.get(way, lambda p: p)(program).module()
    held = Held()
    raised = False
    for call in range(CALLS):
        if way == "copied" and call == 2:
            module, held = copy.deepcopy(module), Held()
        data = [float(rng.choice((0, 1, 1, 2, 3, 3, 7))) for _ in range(4)]
        mine, theirs = arguments(data), arguments(data)
        (failed, found), (wrong, expected) = outcome(module, *mine), outcome(eager, *theirs)
        try:
            assert text(failed) == text(wrong), f"raises {failed!r}, not {wrong!r}"
            raised |= wrong is not None
            held.compare([mine, found, state_of(module, eager)[0]], [theirs, expected, state_of(module, eager)[1]])
        except AssertionError as difference:
            raise AssertionError(f"call {call}: {difference}") from difference
        if rng.random() < 0.5:
            spoil(found, expected)
    return "same, raised" if raised else "same"


def state_of(module: Any, eager: Any) -> tuple[list[Any], list[Any]]:
    """The arrays of the state in both."""
    places = {"a": eager.a, "b": eager.b, "n": eager.n, "d.k": eager.d["k"], "d.m": eager.d["m"]}
    places |= {f"parts.{index}": part for index, part in enumerate(eager.parts)}
    buffers = dict(module.named_buffers())
    names = [name for name in places if name in buffers]
    return [buffers[name] for name in names], [places[name] for name in names]


class Held:
    """All that a caller has seen: of both sides, in the same order."""

    def __init__(self) -> None:
        self._containers: dict[tuple[bool, int], int] = {}  # of one side -> of the other
        self._arrays: list[tuple[Any, Any]] = []
        self._kept: list[Any] = []

    def compare(self, mine: Any, theirs: Any) -> None:
        """What came of a call is alike, in itself and together with what came before."""
        first = len(self._arrays)
        self._walk(mine, theirs, "result")
        for one, other in self._arrays[first:]:
            for early, earlier in self._arrays[-60:]:
                want = np.shares_memory(other, earlier)
                assert np.shares_memory(one, early) == want, f"{other} and {earlier}: shares_memory is {want}"

    def _walk(self, mine: Any, theirs: Any, path: str) -> None:
        assert type(mine) is type(theirs), f"{path}: {mine!r}, not {theirs!r}"
        if isinstance(theirs, np.ndarray):
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape and np.array_equal(mine, theirs, equal_nan=True), (
                f"{path}: {mine}, not {theirs}"
            )
            assert mine.flags.writeable == theirs.flags.writeable, f"{path}: writeable is {theirs.flags.writeable}"
            self._arrays.append((mine, theirs))
            return
        assert type(theirs) not in (set, frozenset) or mine == theirs, f"{path}: {mine!r}, not {theirs!r}"
        children = list(parts(theirs))
        if not children and not isinstance(theirs, (list, dict, deque, set)):
            assert mine == theirs, f"{path}: {mine!r}, not {theirs!r}"
            return
        self._kept += [mine, theirs]
        if path.count("[") >= 2 and not is_constant(theirs):
            same = self._containers.setdefault((True, id(mine)), id(theirs)) == id(theirs)
            assert same and self._containers.setdefault((False, id(theirs)), id(mine)) == id(mine), f"{path} is another object"
        mine = list(parts(mine))
        assert [key for key, _ in mine] == [key for key, _ in children], f"{path}: {mine}"
        for (key, one), (_, other) in zip(mine, children, strict=True):
            self._walk(one, other, f"{path}[{key}]")


def is_constant(value: Any) -> bool:
    """Whether a value is a tuple of plain values: CPython may make one of several."""
    return isinstance(value, tuple) and all(
        not list(parts(item)) and isinstance(item, (int, str, tuple, type(None))) or is_constant(item) for item in value
    )


def parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """What a container holds, by key."""
    if isinstance(value, (Box, SimpleNamespace, ChainMap, UserDict, UserList)):
        yield from vars(value).items()
    elif isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, (list, tuple, deque)):
        yield from enumerate(value)


def spoil(*results: Any) -> None:
    """Write to every array, once for each memory, and to every list."""
    for result in results:
        arrays: list[Any] = []
        _collect(result, arrays, set())
        for array in arrays:
            if array.flags.writeable:
                array += 1


def _collect(value: Any, arrays: list[Any], seen: set[int]) -> None:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray) and not any(np.shares_memory(value, other) for other in arrays):
        arrays.append(value)
    for _, item in parts(value):
        _collect(item, arrays, seen)


if __name__ == "__main__":
    main(functools.partial(run, raising="exceptions" in sys.argv))
