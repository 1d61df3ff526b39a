"""Loops over numbers in machine code, where numba is installed (``pip install npexport[numba]``).

A loop runs as Python, or in the machine of `npexport.runtime.machine.loop_machine`, until it has
made many iterations; then it is compiled, once in a process, and
what follows of it runs in machine code as far as that is exact
(`npexport.runtime.machine.scalar_loop_code`). Python does the rest.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any

import numpy as np

from npexport.runtime.emission.emit import code_of
from npexport.runtime.machine.loop_machine import Machine
from npexport.runtime.machine.scalar_loop_code import Loop
from npexport.runtime.machine.scalar_operations import AGAIN, BOOL, FLOAT, FUNCTIONS, INT, LEFT, NP_BOOL, NP_FLOAT, NP_INT

PATIENCE = 50_000
"""Iterations that Python makes before a loop is worth compiling, which takes half a second."""
_OF_MACHINE, _PATIENCE_WITH_MACHINE = 10_000, 800
"""Iterations that the machine makes at once, and how often it makes so many, in all calls together,
before that: by then it has saved the user's own Python as long as the compiler takes.
"""
_FEW = range(16)
"""Iterations that Python makes of each loop that is compiled: handing numbers over takes as long.
"""
_AT_ONCE = 1 << 22
"""Iterations between two looks at signals."""
_TYPES: dict[str, type] = {INT: int, FLOAT: float, BOOL: bool, NP_INT: np.int64, NP_FLOAT: np.float64, NP_BOOL: np.bool_}
_NUMPYS = {NP_INT: np.int64, NP_FLOAT: np.float64, NP_BOOL: np.bool_}


@functools.cache
def is_there() -> bool:
    """Whether numba is installed. It is imported when the first loop is compiled."""
    return find_spec("numba") is not None


class ScalarLoop:
    """What a compiled program calls of a loop: ``first`` gives the iterations that Python makes,
    ``made`` is told where there were fewer, and a call goes on from there. The ``machine``, if
    there is one, makes the first iterations in its place, and all of them where nothing else can.
    """

    def __init__(self, loop: Loop, machine: Machine | None) -> None:
        self.loop = loop
        self.machine = None if machine is None else machine.some()
        self.left = PATIENCE if machine is None else _PATIENCE_WITH_MACHINE
        self.compiled: Any = None

    def first(self) -> range:
        if self.machine is not None:
            return range(0)
        return range(self.left) if self.compiled is None else _FEW

    def made(self, iterations: int) -> None:
        self.left = max(self.left - iterations, 0)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        """The carries after all iterations that machine code makes exactly, which may be none."""
        loop = self.loop
        carries: Sequence[Any] = values[: len(loop.carries)]
        operands = values[len(loop.carries) :]
        if not all(map(_fits, values, (*loop.carries, *loop.operands))) or not self._is_quiet():
            return tuple(carries)
        said = AGAIN
        while said == AGAIN and self.machine is not None and self.left:
            said, *carries = self.machine(_OF_MACHINE, *carries, *operands)
            self.left -= said == AGAIN
        if said == AGAIN and self.compiled is None:
            self.compiled = compiled(loop, self.machine)
        while said == AGAIN:
            said, *carries = self.compiled(_AT_ONCE, *carries, *operands)
        return tuple(
            [value if (numpys := _NUMPYS.get(kind)) is None else numpys(value) for kind, value in zip(loop.carries, carries, strict=True)]
        )

    def _is_quiet(self) -> bool:
        """Whether NumPy says nothing of floats that become too small: the only error whose result
        is finite.
        """
        return np.geterr()["under"] == "ignore"


def _fits(value: Any, kind: Any) -> bool:
    if type(kind) is tuple:
        dtype, rank = kind
        return type(value) is np.ndarray and value.dtype == dtype and value.ndim == rank and value.flags.aligned
    return type(value) is _TYPES[kind] and (type(value) is not int or -(1 << 63) <= value < 1 << 63)


def compiled(loop: Loop, machine: Any) -> Any:
    """The function of a loop. If numba cannot compile it, or does not work with this NumPy, that of
    the machine, or else one that makes no iterations.
    """
    otherwise = machine or functools.partial(_stay, len(loop.carries))
    try:
        numba = import_module("numba")
    except ImportError:
        return otherwise
    try:
        return _machine_code(loop, numba)
    except numba.core.errors.NumbaError:
        return otherwise


def _stay(carries: int, iterations: int, *values: Any) -> tuple[Any, ...]:
    """Make no iterations: all of them are left to Python."""
    return LEFT, *values[:carries]


def _machine_code(loop: Loop, numba: Any) -> Any:
    types = numba.types
    scalars = {
        INT: types.int64,
        NP_INT: types.int64,
        FLOAT: types.float64,
        NP_FLOAT: types.float64,
        BOOL: types.boolean,
        NP_BOOL: types.boolean,
    }
    of = [
        scalars[kind] if type(kind) is str else types.Array(numba.from_dtype(kind[0]), kind[1], "A", readonly=True)
        for kind in (*loop.carries, *loop.operands)
    ]
    namespace = {**FUNCTIONS, **_checked(numba), **loop.constants}
    function = FunctionType(code_of(loop.text, "<npexport loop>"), namespace)
    return numba.njit([(types.int64, *of)], error_model="numpy")(function)


_CHECKED: dict[str, Any] = {}


def _checked(numba: Any) -> dict[str, Any]:
    """Sums, differences and products of integers, each with whether it has left 64 bits."""
    if not _CHECKED:
        pair = numba.types.Tuple((numba.types.int64, numba.types.boolean))
        instructions = {"add": "sadd_with_overflow", "sub": "ssub_with_overflow", "mul": "smul_with_overflow"}
        _CHECKED.update({name: _intrinsic(numba, pair, instruction) for name, instruction in instructions.items()})
    return _CHECKED


def _intrinsic(numba: Any, pair: Any, instruction: str) -> Any:
    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = getattr(builder, instruction)(*args)
        return context.make_tuple(builder, signature.return_type, [builder.extract_value(found, place) for place in (0, 1)])

    def typed(context: Any, left: Any, right: Any) -> Any:
        return pair(numba.types.int64, numba.types.int64), write

    return import_module("numba.extending").intrinsic(typed)
