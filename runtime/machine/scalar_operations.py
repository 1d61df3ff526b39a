"""Numbers in the functions of loops (`npexport.runtime.machine.scalar_loop_code`): their kinds, and
how each operation on them is written, with all that has to hold for machine numbers to give what
Python and NumPy give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.symshapes.symint import python_type

INT, FLOAT, BOOL, NP_INT, NP_FLOAT, NP_BOOL = "int", "float", "bool", "int64", "float64", "bool_"
INTS, FLOATS, BOOLS = (INT, NP_INT), (FLOAT, NP_FLOAT), (BOOL, NP_BOOL)
WHOLE = (*INTS, *BOOLS)
_OF_PYTHON = {int: INT, float: FLOAT, bool: BOOL}
OF_DTYPE = {np.dtype(np.int64): NP_INT, np.dtype(np.float64): NP_FLOAT, np.dtype(np.bool_): NP_BOOL}
_EXACT = 1 << 53
"""Integers up to here are floats."""
_CHECKED = {"+": "add", "-": "sub", "*": "mul"}
_BOOLEAN = {"&": "({} and {})", "|": "({} or {})", "^": "({} != {})"}

DONE, LEFT, AGAIN = range(3)
"""What the function says first: the loop has ended; the next iteration is Python's; it has made as
many iterations as it may at once.
"""


class Value(NamedTuple):
    """``version``: how often the array has been written to where it stands for this value."""

    text: str
    kind: Any
    version: int = 0


class Unfit(Exception):
    """The loop cannot run in machine code."""


def kind_of(value: Any) -> Any:
    """The kind of a value in a graph; ``None`` if no machine number can represent it."""
    if isinstance(value, np.generic):
        return OF_DTYPE.get(value.dtype)
    if not isinstance(value, TensorMeta):
        return _OF_PYTHON.get(python_type(value))
    if value.scalar:
        return OF_DTYPE.get(value.dtype)
    return (value.dtype, value.ndim) if value.dtype in OF_DTYPE and value.ndim else None


def kind_within(value: Any) -> Any:
    """The same of a value that stays in an iteration: an array without axes is its number there."""
    return OF_DTYPE.get(value.dtype) if isinstance(value, TensorMeta) and not value.ndim else kind_of(value)


class Rows:
    """The rows of an iteration so far; ``leave`` is the text that gives the carries back."""

    def __init__(self, leave: str) -> None:
        self.leave = leave
        self.of_numpy = False  # whether floats of NumPy are computed
        self.rows: list[str] = []
        self.depth = 0
        self.count = 0

    def add(self, text: str) -> None:
        self.rows.append("    " * self.depth + text)

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def leave_if(self, text: str) -> None:
        """Leave the iteration to Python if this condition holds."""
        self.add(f"if {text}: {self.leave.format(LEFT)}")

    def result(self, text: str, kind: str) -> Value:
        """A value under a name of its own; of NumPy's floats only those that are finite, which no
        operation has warned of.
        """
        name = self.fresh()
        self.add(f"{name} = {text}")
        if kind == NP_FLOAT:
            self.of_numpy = True
            self.leave_if(f"not isfinite({name})")
        return Value(name, kind)

    def given(self, text: str) -> str:
        """The name of a value."""
        name = self.fresh()
        self.add(f"{name} = {text}")
        return name

    def whole(self, value: Value) -> str:
        return f"(1 if {value.text} else 0)" if value.kind in BOOLS else value.text

    def real(self, value: Value) -> str:
        return value.text if value.kind in FLOATS else f"float({self.whole(value)})"

    def exact(self, value: Value) -> str:
        """The number as a float; the loop is left if an integer is too large to be one exactly."""
        if value.kind in INTS:
            self.leave_if(f"not -{_EXACT} <= {value.text} <= {_EXACT}")
        return self.real(value)


def fits(holds: bool) -> None:
    if not holds:
        raise Unfit


def _all(values: Sequence[Value], kinds: Sequence[str]) -> bool:
    return all(value.kind in kinds for value in values)


def _arithmetic(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    if kind in FLOATS:
        return iteration.result(f"{iteration.real(a)} {step} {iteration.real(b)}", kind)
    fits(kind in INTS and _all((a, b), WHOLE))
    result, over = iteration.fresh(), iteration.fresh()
    iteration.add(f"{result}, {over} = {_CHECKED[step]}({iteration.whole(a)}, {iteration.whole(b)})")
    iteration.leave_if(over)
    return Value(result, kind)


def _compared(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    """NumPy may warn of a NaN."""
    fits(kind in BOOLS)
    for value in (a, b):
        if value.kind == NP_FLOAT:
            iteration.leave_if(f"{value.text} != {value.text}")
    if _all((a, b), WHOLE):
        return iteration.result(f"{iteration.whole(a)} {step} {iteration.whole(b)}", kind)
    return iteration.result(f"{iteration.exact(a)} {step} {iteration.exact(b)}", kind)


def _divided(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    fits(kind in FLOATS)
    iteration.leave_if(f"{iteration.whole(b)} == 0")
    return iteration.result(f"{iteration.exact(a)} / {iteration.exact(b)}", kind)


def _floored(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    fits(kind in INTS and _all((a, b), WHOLE))
    iteration.leave_if(f"{iteration.whole(b)} == 0 or {iteration.whole(b)} == -1")
    return iteration.result(f"{iteration.whole(a)} {step} {iteration.whole(b)}", kind)


def _bits(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    if kind in BOOLS:
        fits(_all((a, b), BOOLS))
        return iteration.result(_BOOLEAN[step].format(a.text, b.text), kind)
    fits(kind in INTS and _all((a, b), WHOLE))
    return iteration.result(f"{iteration.whole(a)} {step} {iteration.whole(b)}", kind)


def _shifted(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    """Of integers of Python; NumPy's are shifted out of their bits."""
    fits(kind == INT and _all((a, b), (INT, BOOL)))
    left, places = iteration.whole(a), iteration.whole(b)
    iteration.leave_if(f"{places} < 0 or {places} > 62")
    if step == ">>":
        return iteration.result(f"{left} >> {places}", kind)
    value = iteration.result(f"{left} << {places}", kind)
    iteration.leave_if(f"({value.text} >> {places}) != {left}")
    return value


def _negated(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    if kind in FLOATS:
        fits(a.kind == kind)
        return iteration.result(f"fabs({a.text})" if step == "absolute" else f"-{a.text}", kind)
    fits(kind in INTS and a.kind in (INT, NP_INT, BOOL))
    iteration.leave_if(f"{iteration.whole(a)} == {-(1 << 63)}")
    return iteration.result(f"abs({iteration.whole(a)})" if step == "absolute" else f"-{iteration.whole(a)}", kind)


def _inverted(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    fits(kind in INTS and a.kind == kind)
    return iteration.result(f"~{a.text}", kind)


def _not(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    fits(kind in BOOLS and a.kind in BOOLS)
    return iteration.result(f"not {a.text}", kind)


def _chosen(iteration: Rows, step: str, kind: str, a: Value, b: Value) -> Value:
    """Python's ``min`` and ``max``: the first unless the second is beyond it."""
    fits(kind in (INT, FLOAT) and a.kind == b.kind == kind)
    return iteration.result(f"{b.text} if {b.text} {'<' if step == 'min' else '>'} {a.text} else {a.text}", kind)


def _to_float(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    fits(kind == FLOAT)
    return Value(a.text, kind) if a.kind in FLOATS else iteration.result(iteration.real(a), kind)


def _to_int(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    fits(kind == INT)
    if a.kind in INTS:
        return Value(a.text, kind)
    if a.kind in BOOLS:
        return iteration.result(iteration.whole(a), kind)
    iteration.leave_if(f"not -{_EXACT} <= {a.text} <= {_EXACT}")
    return iteration.result(f"int({step}({a.text}))" if step in ("floor", "ceil") else f"int({a.text})", kind)


def _truth(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    fits(kind == BOOL)
    return iteration.result(f"{a.text} != 0" if a.kind not in BOOLS else a.text, kind)


def _root(iteration: Rows, step: str, kind: str, a: Value) -> Value:
    fits(kind in FLOATS)
    text = iteration.real(a)
    iteration.leave_if(f"not (0.0 <= {text} and isfinite({text}))")
    return iteration.result(f"sqrt({text})", kind)


OPERATIONS: dict[tuple[str, int], Callable[..., Value]] = {
    **dict.fromkeys([(step, 2) for step in ("+", "-", "*")], _arithmetic),
    **dict.fromkeys([(step, 2) for step in ("==", "!=", "<", "<=", ">", ">=")], _compared),
    **dict.fromkeys([(step, 2) for step in ("&", "|", "^")], _bits),
    **dict.fromkeys([(step, 2) for step in ("//", "%")], _floored),
    **dict.fromkeys([(step, 2) for step in ("<<", ">>")], _shifted),
    **dict.fromkeys([(step, 2) for step in ("min", "max")], _chosen),
    **dict.fromkeys([(step, 1) for step in ("negative", "absolute")], _negated),
    **dict.fromkeys([(step, 1) for step in ("int", "floor", "ceil", "trunc")], _to_int),
    ("float", 1): _to_float,
    ("/", 2): _divided,
    ("~", 1): _inverted,
    ("not", 1): _not,
    ("truth", 1): _truth,
    ("sqrt", 1): _root,
}
"""How operations of so many operands are written, by the `step` of operators."""
FUNCTIONS = {"isfinite": math.isfinite, "sqrt": math.sqrt, "floor": math.floor, "ceil": math.ceil, "fabs": math.fabs}
"""What the text calls by name, besides ``add``, ``sub`` and ``mul`` of integers, which say whether
the result has left 64 bits."""
