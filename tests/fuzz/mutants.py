"""Hold changed programs to eager execution: functions that are exported elsewhere, mutated (``mutations``).

``python -m tests.fuzz.mutants [count] [seed] [tests]``: the programs are those of the textbook, or what ``tests`` (files and folders)
export. Odd seeds of the textbook have dynamic sizes. Compared are results with strides, exceptions, what is left in the arguments and what
shares memory, for arguments of other values, and of other sizes where these are dynamic.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import random
import resource
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest

import npexport
from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.mutations import NothingToChange, mutated
from tests.support import textbook_exits, textbook_nested, textbook_searches, textbook_simulations  # noqa: F401  declare more
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.quiet import quiet
from tests.support.textbook_loops import PROGRAMS as TEXTBOOK

_LARGE = 20_000  # bytes of arguments
_LONG = 20_000  # lines that a call runs
_ROOM = 1 << 28  # bytes that a call takes
_SIZES = (0, 1, 1, 2, 5)


class Program(NamedTuple):
    """A function, the arguments and the options with which it is exported."""

    function: FunctionType
    args: tuple[Any, ...]
    options: dict[str, Any]


class TooLong(BaseException):
    """A mutant may never end, and double a list each time."""


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Within, what takes much memory raises ``MemoryError``."""
    earlier = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + _ROOM, earlier[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, earlier)


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which raises ``TooLong`` where a call runs many lines of Python or takes much memory."""

    def run(*args: Any) -> Any:
        left = _LONG

        def count(frame: FrameType, event: str, value: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise TooLong
            return count

        earlier = sys.gettrace()
        sys.settrace(count)
        try:
            with little_memory():
                return function(*args)
        except MemoryError:
            raise TooLong from None
        finally:
            sys.settrace(earlier)

    return run


def textbook() -> list[Program]:
    return [Program(function, args, {}) for function, calls in TEXTBOOK.values() for args in calls]


def exported_by(tests: list[str]) -> list[Program]:
    """What tests export, one of each function, in the order of their calls."""
    found: dict[Any, Program] = {}
    real = npexport.export

    def recording(f: Any, args: Any = (), kwargs: Any = None, **options: Any) -> Any:
        if isinstance(f, FunctionType) and isinstance(args, tuple) and not kwargs and _nbytes(args) < _LARGE:
            key = f.__code__.co_filename, f.__code__.co_firstlineno, bool(options.get("dynamic_shapes"))
            found.setdefault(key, Program(f, copy.deepcopy(args), options))
        return real(f, args, kwargs, **options)

    vars(npexport)["export"] = recording
    try:
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests])
    finally:
        vars(npexport)["export"] = real
    return list(found.values())


def mutant(program: Program, rng: random.Random) -> tuple[str, Any]:
    """The source of a mutant, and the function.

    Raises ``NothingToChange``.
    """
    function = program.function
    try:
        source = mutated(textwrap.dedent(inspect.getsource(function)), rng)
        cells = {name: cell.cell_contents for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)}
        with quiet():
            made = function_of(source, {"np": np, **function.__globals__, **cells}, function.__name__)
    except (OSError, SyntaxError, ValueError, NameError):  # no source, no program, an empty cell, a default of a local name
        raise NothingToChange from None
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return source, made


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A container with its arrays changed."""
    if isinstance(value, np.ndarray):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(mapped(each, change) for each in value)
    return {key: mapped(each, change) for key, each in value.items()} if type(value) is dict else value


def with_other_values(args: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)

    def change(array: Any) -> Any:
        kind = array.dtype.kind
        if kind not in "fiub" or not array.flags.writeable or 0 in array.strides:
            return array
        changed = copy.deepcopy(array) if array.flags.forc else np.array(array)
        if kind == "f":
            changed[...] = rng.standard_normal(array.shape) * (1, 3, 100, 0)[seed % 4]
            changed[rng.random(array.shape) < (0.2 if seed % 5 == 0 else 0)] = np.nan
        else:
            changed[...] = rng.integers(*{"i": (-3, 6), "u": (0, 6), "b": (0, 2)}[kind], array.shape)
        return changed if changed.strides == array.strides else array

    return mapped(args, change)


def with_other_sizes(args: Any, rng: random.Random) -> Any:
    """Equal sizes stay equal."""
    chosen: dict[int, int] = {}

    def change(array: Any) -> Any:
        shape = [chosen.setdefault(size, rng.choice((*_SIZES, size + 1))) for size in array.shape]
        return np.resize(array, shape) if array.size and 0 not in shape else np.zeros(shape, array.dtype)

    return mapped(args, change)


def _nbytes(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return sum(map(_nbytes, items))


def arguments(program: Program, rng: random.Random) -> Iterator[Any]:
    yield program.args
    for seed in range(5):
        yield with_other_values(program.args, seed)
    for _ in range(4 if program.options.get("dynamic_shapes") else 0):
        yield with_other_sizes(program.args, rng)


def any_size(args: tuple[Any, ...]) -> dict[str, Any]:
    shapes = [dict.fromkeys(range(each.ndim), Dim.AUTO) if isinstance(each, np.ndarray) else None for each in args]
    return {"dynamic_shapes": tuple(shapes)}


def check(program: Program, rng: random.Random) -> str:
    """What became of a mutant. Raises ``AssertionError`` with its source where it is not eager's."""
    try:
        source, function = mutant(program, rng)
    except NothingToChange:
        return "no mutant"
    eager = bounded(function)
    try:
        with quiet():
            expected = outcome(eager, program.args, memory=True)
            if outcome(eager, program.args, memory=True) != expected:
                return "another result each time"
    except TooLong:
        return "too long"
    made = exported_or_why(
        f"{source}\nof {program.args}, {program.options}",
        lambda: export(function, copy.deepcopy(program.args), **program.options),
        lambda error: (f"{type(error).__name__}: {error.args!r}", expected[0]),
    )
    if isinstance(made, str):
        return made
    module = made.module()
    for args in arguments(program, rng):
        try:
            expected = outcome(eager, args, memory=True)
            found = outcome(module, args, memory=True)
        except (TooLong, InputMismatch):
            continue
        assert found == expected, f"{source}\nof {args}, {program.options}\neager: {expected}\nours:  {found}"
    return "same"


def run_of(programs: list[Program]) -> Callable[[int], str]:
    def run(seed: int) -> str:
        program, rng = programs[seed % len(programs)], random.Random(seed)
        if not program.options and seed // len(programs) % 2:
            program = program._replace(options=any_size(program.args))
        return check(program, rng)

    return run


if __name__ == "__main__":
    rooms = [word for word in sys.argv[1:] if not word.isdigit()]
    main(run_of(exported_by(rooms) if rooms else textbook()))
