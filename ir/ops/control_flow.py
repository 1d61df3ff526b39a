"""Operators over graphs: branches and loops.

A sub-graph is a `GraphModule` among the arguments. Its placeholders are what its iteration is about
(carries, an element), then ``operands``: whatever else it uses of the graph around it. Its outputs
are arrays, NumPy scalars, and numbers of Python. The law of all rules: what goes into a sub-graph
is what its placeholders declare, and what comes out of one is what comes out of the other, or goes
in again. Results are new arrays in C order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Raises
from npexport.ir.graph import GraphModule
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.ir.ops import rows_control
from npexport.ir.ops.control import LONGEST_MESSAGE, class_of
from npexport.ir.ops.fresh import fresh_float, fresh_size, fresh_truth
from npexport.ir.ops.rules import record
from npexport.ir.printing import value_text
from npexport.ir.raising import NOTHING
from npexport.symshapes.env import known
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.symint import SymInt, is_symbolic, python_type

NUMBERS = {int: lambda: fresh_size(-int_oo, int_oo), float: fresh_float, bool: fresh_truth}
"""How Python numbers that come out of a sub-graph are made: only the data know them."""


def _raising(args: tuple[Any, ...]) -> bool:
    return any("raises" in node.meta for arg in args if type(arg) is GraphModule for node in arg.graph.nodes)


_RAISES = (Raises((Exception,), _raising, None),)
_BRANCH, _LOOP = Emit(block="branch", asks=True), Emit(block="loop")


def outputs_of(module: Any) -> tuple[Any, ...]:
    """The metas of a sub-graph's outputs. Raises ``TypeError`` if it is no sub-graph."""
    if type(module) is not GraphModule:
        raise TypeError(f"{module!r} is not a graph")
    return tuple([meta_of_value(value_of(value)) for value in module.graph.output_node.args[0]])


def meta_of_value(value: Any) -> Any:
    """The meta of a value inside a sub-graph: that of a NumPy scalar is its dtype."""
    return TensorMeta((), value.dtype, scalar=True) if isinstance(value, np.generic) else value


def _enter(module: Any, given: tuple[Any, ...], own: frozenset[str] = frozenset()) -> tuple[Any, ...]:
    """What comes out; ``own``: the symbols that stand for any size."""
    outputs = outputs_of(module)
    declared = [node.meta["val"] for node in module.graph.placeholders]
    if len(declared) != len(given):
        raise TypeError(f"{module.name} takes {len(declared)} values, {len(given)} are given")
    for node, value in zip(module.graph.placeholders, given, strict=True):
        if not fits(node.meta["val"], value, own):
            raise TypeError(f"{module.name} declares {node.name} as {node.meta['val']}, {value} is given")
    for value in outputs:
        if not isinstance(value, TensorMeta) and python_type(value) not in NUMBERS:
            raise TypeError(f"{module.name} returns {value!r}")
    return outputs


def fits(one: Any, other: Any, own: frozenset[str] = frozenset()) -> bool:
    """Whether two values are of one kind, dtype and shape; of numbers of Python only the types are
    looked at. ``own``: the symbols that stand for any size."""
    one, other = meta_of_value(one), meta_of_value(other)
    if not alike(one, other):
        return False
    shapes = [value.shape if isinstance(value, TensorMeta) else () for value in (one, other)]
    return all(_symbol(a) in own or _equal(a, b) for a, b in zip(*shapes, strict=True))


def _equal(one: Any, other: Any) -> bool:
    return one is other or known(one == other) is True


def _symbol(size: Any) -> str:
    """The name of the symbol, if the size is one; else the empty text."""
    return str(size.expression) if type(size) is SymInt and size.expression.is_symbol else ""


def _own_sizes(module: Any, given: tuple[Any, ...]) -> frozenset[str]:
    """The symbols in the sizes of a body's placeholders that occur in no value passed to it."""
    metas = [node.meta["val"] for node in module.graph.placeholders] if type(module) is GraphModule else []
    sizes = {_symbol(size) for meta in metas for size in (meta.shape if isinstance(meta, TensorMeta) else ())}
    return frozenset(sizes - symbols_of(given) - {""})


def symbols_of(values: tuple[Any, ...]) -> set[str]:
    """The symbols in shapes and numbers."""
    parts = [part for value in values for part in (value.shape if isinstance(value, TensorMeta) else (value,))]
    return {name for part in parts if is_symbolic(part) for name in part.expression.symbols}


def alike(one: Any, other: Any) -> bool:
    """Whether two values are one but for the sizes of arrays: of one kind, dtype and rank."""
    one, other = meta_of_value(one), meta_of_value(other)
    if isinstance(one, TensorMeta) and isinstance(other, TensorMeta):
        return (one.dtype, one.ndim, one.scalar) == (other.dtype, other.ndim, other.scalar)
    return not isinstance(one, TensorMeta) and not isinstance(other, TensorMeta) and python_type(one) is python_type(other)


class Meet:
    """The values of two sides as seen without knowing which side was taken.

    A size that is the same on both is that size. Different sizes become a new one, which only the
    data know; arrays with the same pair of sizes share the same new one.
    """

    def __init__(self) -> None:
        self._sizes: dict[tuple[Any, Any], Any] = {}

    def value(self, one: Any, other: Any) -> Any:
        one, other = meta_of_value(one), meta_of_value(other)
        if not isinstance(one, TensorMeta):
            return _between(one, other) if python_type(one) is int else _result(one)
        shape = tuple([self._size(a, b) for a, b in zip(one.shape, other.shape, strict=True)])
        return TensorMeta(shape, one.dtype, scalar=one.scalar)

    def _size(self, one: Any, other: Any) -> Any:
        if _equal(one, other):
            return one
        key = getattr(one, "expression", one), getattr(other, "expression", other)
        if key not in self._sizes:
            self._sizes[key] = _one_of(one, other)
        return self._sizes[key]


class Lengths:
    """What a loop gives, of what it carries: first values, what they are inside, and what an
    iteration gives.

    A size that is a symbol of its ``own`` inside is one in all places, before an iteration and
    after it; any other one, and one that is known to be the first, is what it was.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self._sizes: dict[str, tuple[Any, Any, Any]] = {}

    def value(self, inside: Any, first: Any, after: Any) -> Any:
        first, after = meta_of_value(first), meta_of_value(after)
        if not isinstance(first, TensorMeta):
            return _result(first)
        shape = [self._size(*sizes) for sizes in zip(inside.shape, first.shape, after.shape, strict=True)]
        return TensorMeta(tuple(shape), first.dtype, scalar=first.scalar)

    def _size(self, inside: Any, first: Any, after: Any) -> Any:
        name = _symbol(inside)
        if name not in self._own or _equal(inside, first):
            _require(_equal(first, after), "an iteration gives an array of other sizes than it takes")
            return first
        if name not in self._sizes:
            self._sizes[name] = first, after, _one_of(first, after)
        before, behind, result = self._sizes[name]
        _require(_equal(before, first) and _equal(behind, after), f"{name} stands for two sizes")
        return result


def _one_of(one: Any, other: Any) -> Any:
    """A new size that is one of two."""
    (low, high), (least, most) = _ends(one), _ends(other)
    upper = max(high, most)
    return fresh_size(max(min(low, least), 0), None if upper == int_oo else upper)


def _between(one: Any, other: Any) -> Any:
    """A new integer that is one of two."""
    ends = [end for number in (one, other) for end in _ends(number)]
    return fresh_size(min(ends), max(ends))


def _ends(size: Any) -> tuple[Any, Any]:
    """The lower and upper bound that are known of a size."""
    if type(size) is int:
        return size, size
    found = size.env.facts.bounds(size.expression)
    return found.lower, found.upper


def _require(fit: bool, what: str) -> None:
    if not fit:
        raise TypeError(what)


def _result(value: Any) -> Any:
    value = meta_of_value(value)
    return value if isinstance(value, TensorMeta) else NUMBERS[python_type(value)]()


def _truth(value: Any) -> None:
    single = known(value.size == 1) is True if isinstance(value, TensorMeta) else python_type(value) in NUMBERS
    _require(single, "the condition is not a truth")


@record(
    kernel="control_flow.cond", namespace="control", traits="data_dependent_shape", raises=_RAISES, emit=_BRANCH, rows=rows_control.branches
)
def cond(pred: Any, true_graph: Any, false_graph: Any, operands: Any, /) -> Any:
    """What one of two graphs gives for the operands: the first if ``pred`` is true. Where an array
    has other sizes than that of the other graph, the data say which.
    """
    _truth(pred)
    first, second = _enter(true_graph, operands), _enter(false_graph, operands)
    _require(len(first) == len(second), f"its sides give {len(first)} and {len(second)} results")
    for one, other in zip(first, second, strict=True):
        _require(alike(one, other), f"one side gives {value_text(one)}, the other {value_text(other)}")
    return tuple(map(Meet().value, first, second))


@record(
    kernel="control_flow.while_loop",
    namespace="control",
    traits="data_dependent_shape repeats",
    raises=_RAISES,
    emit=_LOOP,
    rows=rows_control.iterations,
)
def while_loop(cond_graph: Any, body_graph: Any, carried: Any, operands: Any, /) -> Any:
    """The carried values after as many iterations of the body as the condition holds before. A size
    that is a symbol of the body's own is another one in every iteration.
    """
    given = (*carried, *operands)
    own = _own_sizes(body_graph, given)
    going = _enter(cond_graph, given, own)
    _require(len(going) == 1, f"{cond_graph.name} gives {len(going)} values")
    _truth(going[0])
    after = _enter(body_graph, given, own)
    _require(len(after) == len(carried) and all(map(alike, carried, after)), f"{body_graph.name} gives other values than it takes")
    inside = [node.meta["val"] for node in body_graph.graph.placeholders]
    lengths = Lengths(own)
    return tuple([lengths.value(*values) for values in zip(inside, carried, after, strict=False)])


@record(kernel="control_flow.scan", namespace="control", traits="data_dependent_shape repeats", raises=_RAISES, rows=rows_control.scanned)
def scan(combine_graph: Any, init: Any, xs: Any, operands: Any, dim: Any, reverse: Any, shapes: Any, /) -> Any:
    """The last carry, then what each iteration gives beside it, stacked along ``dim``; ``xs`` are
    iterated over along ``dim``.

    ``shapes``: of what an iteration gives.
    """
    length, iterations = xs[0].shape[dim], [element_of(x, dim) for x in xs]
    _require(all(x.shape[dim] is length or known(x.shape[dim] == length) is True for x in xs), "the arrays differ in length")
    outputs = _enter(combine_graph, (*init, *iterations, *operands))
    carry, ys = outputs[: len(init)], outputs[len(init) :]
    _require(len(carry) == len(init) and all(map(fits, init, carry)), f"{combine_graph.name} gives another carry than it takes")
    stacked = [stacked_of(y, length, dim) for y in ys]
    _require(len(shapes) == len(ys), f"{combine_graph.name} gives {len(ys)} elements, {len(shapes)} shapes are given")
    for shape, y in zip(shapes, ys, strict=True):
        own = y.shape if isinstance(y, TensorMeta) else ()
        _require(len(shape) == len(own) and all(known(a == b) is True for a, b in zip(shape, own, strict=True)), "the shapes differ")
    return (*map(_result, init), *stacked)


@record(kernel="control_flow.map_", namespace="control", traits="data_dependent_shape repeats", raises=_RAISES, rows=rows_control.scanned)
def map_(body_graph: Any, xs: Any, operands: Any, shapes: Any, /) -> Any:
    """What the body gives for each element along the first axis, stacked."""
    return scan.rule(body_graph, (), xs, operands, 0, False, shapes)


@record(kernel="control_flow.raised", namespace="control", traits="data_dependent_shape", raises=NOTHING)
def raised(try_graph: Any, errors: Any, operands: Any, /) -> Any:
    """Which of ``errors`` a graph raises for the operands: from 1 on; 0 if it raises none."""
    _require_attempt(try_graph, errors, operands)
    return fresh_size(0, len(errors))


@record(kernel="control_flow.message", namespace="control", raises=NOTHING)
def message(try_graph: Any, errors: Any, operands: Any, /) -> TensorMeta:
    """What the one of ``errors`` says that a graph raises for the operands; nothing if it raises
    none.
    """
    _require_attempt(try_graph, errors, operands)
    return TensorMeta((), MESSAGE, scalar=True)


MESSAGE = np.dtype(f"U{LONGEST_MESSAGE}")


def _require_attempt(try_graph: Any, errors: Any, operands: Any) -> None:
    _require(type(errors) is tuple and bool(errors), "there are no exceptions")
    for error in errors:
        class_of(error)
    _require(not _enter(try_graph, operands), f"{try_graph.name} gives something")


@record(
    kernel="control_flow.chosen", namespace="control", traits="data_dependent_shape may_share choice", raises=NOTHING,
    emit=Emit(("({1} if {0} else {2})",)), rows=rows_control.chosen
)  # fmt: skip
def chosen(pred: Any, one: Any, other: Any, /) -> Any:
    """One of two arrays, which is not copied: the first if ``pred`` is true."""
    _truth(pred)
    _require(isinstance(one, TensorMeta) and not one.scalar and alike(one, other), "the arrays differ in kind, rank or dtype")
    return Meet().value(one, other)


@record(kernel="control_flow.with_room", namespace="control", traits="data_dependent_shape c_order scatter", raises=NOTHING, step="room")
def with_room(x: Any, count: Any, /) -> TensorMeta:
    """``x`` where it has at least ``count`` rows; otherwise its rows, and zeros below them: at
    least as many again, so that a program that adds row after row copies each a few times only.
    """
    _require(isinstance(x, TensorMeta) and x.ndim >= 1, "only an array has rows")
    return TensorMeta((fresh_size(max(_ends(x.shape[0])[0], 0), None), *x.shape[1:]), x.dtype)


def element_of(x: TensorMeta, dim: int) -> TensorMeta:
    """One element of an array along an axis: of one axis a NumPy scalar."""
    axis = dim % x.ndim
    return TensorMeta((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype, scalar=x.ndim == 1)


def stacked_of(y: Any, length: Any, dim: int) -> TensorMeta:
    """Elements stacked along a new axis ``dim``."""
    shape = y.shape if isinstance(y, TensorMeta) else ()
    dtype = y.dtype if isinstance(y, TensorMeta) else np.dtype(python_type(y))
    axis = dim % (len(shape) + 1) if -len(shape) - 1 <= dim <= len(shape) else None
    _require(axis is not None, f"elements of {len(shape)} axes cannot be stacked along axis {dim}")
    return TensorMeta((*shape[:axis], length, *shape[axis:]), dtype)
