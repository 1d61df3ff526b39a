"""Loops over numbers as Python for a compiler of machine code: what `npexport.runtime.scalar_loops`
hands to numba.

Law: an iteration that machine numbers cannot make exactly as Python and NumPy do is not made.
Integers that leave 64 bits, divisors of zero, NumPy's floats that are not finite (which may warn),
places outside an array: the function returns the carries as they stood before the iteration, and
the loop in Python goes on with it, and raises or warns there. Nothing in an iteration is written
before its end, so an iteration may be begun twice. Text holds numbered names and literals of
integers only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.symshapes.symint import python_type

INT, FLOAT, BOOL, NP_INT, NP_FLOAT, NP_BOOL = "int", "float", "bool", "int64", "float64", "bool_"
INTS, FLOATS, BOOLS = (INT, NP_INT), (FLOAT, NP_FLOAT), (BOOL, NP_BOOL)
WHOLE = (*INTS, *BOOLS)
_OF_PYTHON = {int: INT, float: FLOAT, bool: BOOL}
_OF_DTYPE = {np.dtype(np.int64): NP_INT, np.dtype(np.float64): NP_FLOAT, np.dtype(np.bool_): NP_BOOL}
_EXACT = 1 << 53
"""Integers up to here are floats."""
_NUMPYS = {"subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv", "remainder": "mod", "negative": "neg",
           "absolute": "abs", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt",
           "greater_equal": "ge", "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor", "logical_not": "not_",
           "invert": "invert"}  # fmt: skip
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
          "and_": "&", "or_": "|", "xor": "^"}  # fmt: skip
_BOOLEAN = {"and_": "({} and {})", "or_": "({} or {})", "xor": "({} != {})"}

DONE, LEFT, AGAIN = range(3)
"""What the function says first: the loop has ended; the next iteration is Python's; it has made as
many iterations as it may at once.
"""


class Loop(NamedTuple):
    """``text`` of a function of (iterations at most, carries, operands), which gives (`DONE`,
    `LEFT` or `AGAIN`, carries); ``constants`` of its names; the kinds of carries and operands, of
    an operand that is an array its dtype and rank.
    """

    text: str
    constants: dict[str, Any]
    carries: tuple[str, ...]
    operands: tuple[Any, ...]


class Value(NamedTuple):
    text: str
    kind: Any


class _Unfit(Exception):
    """The loop cannot run in machine code."""


def kind_of(value: Any) -> Any:
    """The kind of a value in a graph; ``None`` if no machine number can represent it."""
    if isinstance(value, np.generic):
        return _OF_DTYPE.get(value.dtype)
    if not isinstance(value, TensorMeta):
        return _OF_PYTHON.get(python_type(value))
    if value.scalar:
        return _OF_DTYPE.get(value.dtype)
    return (value.dtype, value.ndim) if value.dtype in _OF_DTYPE and value.ndim else None


def loop_of(cond_graph: GraphModule, body_graph: GraphModule, carried: Sequence[Any], operands: Sequence[Any]) -> Loop | None:
    """The function of a loop that carries nothing but numbers; ``None`` if it cannot run in machine
    code.
    """
    values = [value.meta["val"] if type(value) is Node else value for value in (*carried, *operands)]
    kinds = [kind_of(value) for value in values]
    if None in kinds or any(type(kind) is tuple for kind in kinds[: len(carried)]):
        return None
    names = [f"c{index}" for index in range(len(carried))]
    given = [f"g{index}" for index in range(len(operands))]
    iteration = _Iteration(f"return ({{}}, {', '.join(names)})")
    try:
        iteration.loop(cond_graph.graph, body_graph.graph, list(map(Value, (*names, *given), kinds)), len(names), outermost=True)
    except _Unfit:
        return None
    head = f"def loop({', '.join(('iterations', *names, *given))}):\n"
    return Loop(
        head + "".join(f"    {row}\n" for row in iteration.rows),
        iteration.constants,
        tuple(kinds[: len(names)]),
        tuple(kinds[len(names) :]),
    )


class _Iteration:
    """The rows so far; ``leave`` is the text that gives the carries back."""

    def __init__(self, leave: str) -> None:
        self.leave = leave
        self.rows: list[str] = []
        self.constants: dict[str, Any] = {}
        self.values: dict[Node, Value] = {}
        self.parts: dict[Node, list[Value]] = {}
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
            self.leave_if(f"not isfinite({name})")
        return Value(name, kind)

    def value(self, arg: Any) -> Value:
        if type(arg) is Node:
            if arg not in self.values:
                raise _Unfit
            return self.values[arg]
        kind = kind_of(arg)
        if kind is None or type(kind) is tuple or isinstance(arg, TensorMeta):
            raise _Unfit
        if kind in INTS:
            if not -(1 << 63) < arg < 1 << 63:
                raise _Unfit
            return Value(f"({int(arg)})", kind)
        if kind in BOOLS:
            return Value(repr(bool(arg)), kind)
        name = f"k{len(self.constants)}"
        self.constants[name] = float(arg)
        return Value(name, kind)

    def graph(self, graph: Graph, given: Sequence[Value]) -> list[Value]:
        """Write the rows of a graph with these operands; its outputs."""
        self.values.update(zip(graph.placeholders, given, strict=True))
        for node in graph.nodes:
            if node.op == CALL:
                self.node(node)
        return [self.value(value) for value in graph.output_node.args[0]]

    def node(self, node: Node) -> None:
        op: Any = node.target
        if node.meta.get("errors") or node.kwargs:
            raise _Unfit
        if op is ops.control.cond:
            self.parts[node] = self.branch(*node.args)
        elif op is ops.control.while_loop:
            self.parts[node] = self.inner(*node.args)
        elif op is ops.sym.item and node.args[0] in self.parts:
            self.values[node] = self.parts[node.args[0]][node.args[1]]
        elif op is ops.sym.size and type(node.args[1]) is int:
            self.values[node] = Value(f"{self.value(node.args[0]).text}.shape[{node.args[1]}]", INT)
        elif op is ops.np.getitem:
            self.values[node] = self.element(*node.args)
        elif op is ops.py.mixed_operator:
            self.operate(node, node.args[0], node.args[2])
        else:
            name = op.name.removeprefix("scalar_") if op.namespace == "np" else op.name
            self.operate(node, _NUMPYS.get(name, name) if op.namespace == "np" else name, node.args)
        if node in self.values and self.values[node].kind != kind_of(node.meta["val"]):
            raise _Unfit

    def operate(self, node: Node, name: str, operands: Sequence[Any]) -> None:
        op: Any = node.target
        write = _OPERATIONS.get((name, len(operands))) if op.namespace in ("sym", "py", "np") else None
        kind = kind_of(node.meta["val"])
        if write is None or kind is None or type(kind) is tuple:
            raise _Unfit
        values = [self.value(operand) for operand in operands]
        if any(type(value.kind) is tuple for value in values):
            raise _Unfit
        self.values[node] = write(self, name, kind, *values)

    # Branches and loops

    def branch(self, pred: Any, true_graph: GraphModule, false_graph: GraphModule, operands: Sequence[Any]) -> list[Value]:
        given = [self.value(operand) for operand in operands]
        names, kinds = [self.fresh() for _ in true_graph.graph.output_node.args[0]], []
        condition = self.value(pred)
        if condition.kind not in BOOLS:
            raise _Unfit
        for head, module in ((f"if {condition.text}:", true_graph), ("else:", false_graph)):
            self.add(head)
            self.depth += 1
            outputs = self.graph(module.graph, given)
            self.assign(names, outputs)
            self.depth -= 1
            kinds.append([output.kind for output in outputs])
        if kinds[0] != kinds[1] or any(type(kind) is tuple for kind in kinds[0]):
            raise _Unfit
        return list(map(Value, names, kinds[0]))

    def inner(self, cond_graph: GraphModule, body_graph: GraphModule, carried: Sequence[Any], operands: Sequence[Any]) -> list[Value]:
        first = [self.value(value) for value in carried]
        carries = [Value(self.fresh(), value.kind) for value in first]
        self.assign([carry.text for carry in carries], first)
        given = [self.value(operand) for operand in operands]
        self.loop(cond_graph.graph, body_graph.graph, [*carries, *given], len(carries), outermost=False)
        return carries

    def loop(self, test: Graph, iteration: Graph, values: list[Value], carries: int, *, outermost: bool) -> None:
        """A loop in place; an inner one that makes too many iterations is left to Python, as one
        that may never end.
        """
        kinds = [value.kind for value in values[:carries]]
        if any(type(kind) is tuple for kind in kinds):
            raise _Unfit
        self.add("while True:")
        self.depth += 1
        (going,) = self.graph(test, values)
        if going.kind not in BOOLS:
            raise _Unfit
        self.add(f"if not {going.text}: {self.leave.format(DONE) if outermost else 'break'}")
        self.add("iterations -= 1")
        self.add(f"if iterations < 0: {self.leave.format(AGAIN if outermost else LEFT)}")
        outputs = self.graph(iteration, values)
        if [output.kind for output in outputs] != kinds:
            raise _Unfit
        self.assign([value.text for value in values[:carries]], outputs)
        self.depth -= 1

    def assign(self, names: Sequence[str], values: Sequence[Value]) -> None:
        self.add(f"{', '.join(names)} = {', '.join(value.text for value in values)}" if names else "pass")

    # Numbers

    def element(self, array: Any, index: Any) -> Value:
        """An item of an array that nothing in the loop writes to."""
        operand = self.value(array)
        places = [self.value(place) for place in (index if type(index) is tuple else (index,))]
        if type(operand.kind) is not tuple or len(places) != operand.kind[1] or any(place.kind not in INTS for place in places):
            raise _Unfit
        texts = []
        for axis, place in enumerate(places):
            size, name = f"{operand.text}.shape[{axis}]", self.fresh()
            self.add(f"{name} = {place.text}")
            self.add(f"if {name} < 0: {name} += {size}")
            self.leave_if(f"{name} < 0 or {name} >= {size}")
            texts.append(name)
        name = self.fresh()
        self.add(f"{name} = {operand.text}[{', '.join(texts)}]")
        return Value(name, _OF_DTYPE[operand.kind[0]])

    def whole(self, value: Value) -> str:
        return f"(1 if {value.text} else 0)" if value.kind in BOOLS else value.text

    def real(self, value: Value) -> str:
        return value.text if value.kind in FLOATS else f"float({self.whole(value)})"

    def exact(self, value: Value) -> str:
        """The number as a float; the loop is left if an integer is too large to be one exactly."""
        if value.kind in INTS:
            self.leave_if(f"not -{_EXACT} <= {value.text} <= {_EXACT}")
        return self.real(value)


def _fits(holds: bool) -> None:
    if not holds:
        raise _Unfit


def _all(values: Sequence[Value], kinds: Sequence[str]) -> bool:
    return all(value.kind in kinds for value in values)


def _arithmetic(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    if kind in FLOATS:
        return iteration.result(f"{iteration.real(a)} {_SIGNS[name]} {iteration.real(b)}", kind)
    _fits(kind in INTS and _all((a, b), WHOLE))
    result, over = iteration.fresh(), iteration.fresh()
    iteration.add(f"{result}, {over} = {name}({iteration.whole(a)}, {iteration.whole(b)})")
    iteration.leave_if(over)
    return Value(result, kind)


def _compared(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    """NumPy may warn of a NaN."""
    _fits(kind in BOOLS)
    for value in (a, b):
        if value.kind == NP_FLOAT:
            iteration.leave_if(f"{value.text} != {value.text}")
    if _all((a, b), WHOLE):
        return iteration.result(f"{iteration.whole(a)} {_SIGNS[name]} {iteration.whole(b)}", kind)
    return iteration.result(f"{iteration.exact(a)} {_SIGNS[name]} {iteration.exact(b)}", kind)


def _divided(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    _fits(kind in FLOATS)
    iteration.leave_if(f"{iteration.whole(b)} == 0")
    return iteration.result(f"{iteration.exact(a)} / {iteration.exact(b)}", kind)


def _floored(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    _fits(kind in INTS and _all((a, b), WHOLE))
    iteration.leave_if(f"{iteration.whole(b)} == 0 or {iteration.whole(b)} == -1")
    return iteration.result(f"{iteration.whole(a)} {'//' if name == 'floordiv' else '%'} {iteration.whole(b)}", kind)


def _bits(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    if kind in BOOLS:
        _fits(_all((a, b), BOOLS))
        return iteration.result(_BOOLEAN[name].format(a.text, b.text), kind)
    _fits(kind in INTS and _all((a, b), WHOLE))
    return iteration.result(f"{iteration.whole(a)} {_SIGNS[name]} {iteration.whole(b)}", kind)


def _shifted(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    """Of integers of Python; NumPy's are shifted out of their bits."""
    _fits(kind == INT and _all((a, b), (INT, BOOL)))
    left, places = iteration.whole(a), iteration.whole(b)
    iteration.leave_if(f"{places} < 0 or {places} > 62")
    if name == "rshift":
        return iteration.result(f"{left} >> {places}", kind)
    value = iteration.result(f"{left} << {places}", kind)
    iteration.leave_if(f"({value.text} >> {places}) != {left}")
    return value


def _negated(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    if kind in FLOATS:
        _fits(a.kind == kind)
        return iteration.result(f"fabs({a.text})" if name == "abs" else f"-{a.text}", kind)
    _fits(kind in INTS and a.kind in (INT, NP_INT, BOOL))
    iteration.leave_if(f"{iteration.whole(a)} == {-(1 << 63)}")
    return iteration.result(f"abs({iteration.whole(a)})" if name == "abs" else f"-{iteration.whole(a)}", kind)


def _inverted(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    _fits(kind in INTS and a.kind == kind)
    return iteration.result(f"~{a.text}", kind)


def _not(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    _fits(kind in BOOLS and a.kind in BOOLS)
    return iteration.result(f"not {a.text}", kind)


def _chosen(iteration: _Iteration, name: str, kind: str, a: Value, b: Value) -> Value:
    """Python's ``min`` and ``max``: the first unless the second is beyond it."""
    _fits(kind in (INT, FLOAT) and a.kind == b.kind == kind)
    return iteration.result(f"{b.text} if {b.text} {'<' if name == 'min' else '>'} {a.text} else {a.text}", kind)


def _to_float(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    _fits(kind == FLOAT)
    return iteration.result(iteration.real(a), kind)


def _to_int(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    _fits(kind == INT)
    if a.kind in WHOLE:
        return iteration.result(iteration.whole(a), kind)
    iteration.leave_if(f"not -{_EXACT} <= {a.text} <= {_EXACT}")
    return iteration.result(f"int({name}({a.text}))" if name in ("floor", "ceil") else f"int({a.text})", kind)


def _truth(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    _fits(kind == BOOL)
    return iteration.result(f"{a.text} != 0" if a.kind not in BOOLS else a.text, kind)


def _root(iteration: _Iteration, name: str, kind: str, a: Value) -> Value:
    _fits(kind in FLOATS)
    text = iteration.real(a)
    iteration.leave_if(f"not (0.0 <= {text} and isfinite({text}))")
    return iteration.result(f"sqrt({text})", kind)


_OPERATIONS: dict[tuple[str, int], Callable[..., Value]] = {
    **dict.fromkeys([(name, 2) for name in ("add", "sub", "mul")], _arithmetic),
    **dict.fromkeys([(name, 2) for name in ("eq", "ne", "lt", "le", "gt", "ge")], _compared),
    **dict.fromkeys([(name, 2) for name in ("and_", "or_", "xor")], _bits),
    **dict.fromkeys([(name, 2) for name in ("floordiv", "mod")], _floored),
    **dict.fromkeys([(name, 2) for name in ("lshift", "rshift")], _shifted),
    **dict.fromkeys([(name, 2) for name in ("min", "max")], _chosen),
    **dict.fromkeys([(name, 1) for name in ("neg", "abs")], _negated),
    **dict.fromkeys([(name, 1) for name in ("float", "floating")], _to_float),
    **dict.fromkeys([(name, 1) for name in ("int", "element", "floor", "ceil", "trunc")], _to_int),
    ("truediv", 2): _divided,
    ("invert", 1): _inverted,
    ("not_", 1): _not,
    ("truth", 1): _truth,
    ("sqrt", 1): _root,
}
"""How operations of so many operands are written, by their names in ``operator`` and ``math``."""
FUNCTIONS = {"isfinite": math.isfinite, "sqrt": math.sqrt, "floor": math.floor, "ceil": math.ceil, "fabs": math.fabs}
"""What the text calls by name, besides ``add``, ``sub`` and ``mul`` of integers, which say whether
the result has left 64 bits."""
