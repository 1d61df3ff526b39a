"""The ``rows`` of records: where the rows of a dim are in the result of a call that keeps them
apart. A fact raises `Coupled` for a call that does not.

A fact is a function of a `RowCall`. An operator without the fact couples rows, unless no operand
depends on them. The shapes of all results are checked again: rows are where the size of the dim is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from npexport.ir.arguments import leaves_of
from npexport.ir.node import Node
from npexport.ir.rows import NUMBER, Coupled, RowCall, Rows, State, product, symbols_of
from npexport.symshapes.env import known
from npexport.symshapes.expr import integer
from npexport.symshapes.symint import SymInt

Fact = Callable[[RowCall], State]


# Shared


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes counted from the front; raises `Coupled` for those that only calls know."""
    if any(not isinstance(item, (int, np.integer)) for item in leaves_of(axis) if item is not None):
        raise Coupled("its axis is not known")
    return tuple(range(ndim)) if axis is None else tuple(normalize_axis_tuple(axis, ndim, allow_duplicate=True))


def require_beside(rows: Rows, axes: Sequence[int], what: str = "it goes along") -> None:
    """Raises `Coupled` where the rows stand along one of the axes."""
    if rows.axis in axes:
        raise Coupled(f"{what} axis {rows.axis}, along which the rows stand")


def broadcast(call: RowCall, operands: Sequence[Any], ndim: int) -> Rows | None:
    """Where rows stand in the common shape of operands, which has ``ndim`` axes."""
    found: Rows | None = None
    for operand in operands:
        rows = call.rows(operand)
        if rows is None:
            continue
        placed = rows._replace(axis=rows.axis - call.ndim(operand) + ndim)
        if found is not None and found != placed:
            raise Coupled("the rows of its operands stand along different axes")
        found = placed
    if found is not None:
        for operand in operands:
            require_stretched(call, operand, found.axis - ndim)
    return found


def require_stretched(call: RowCall, operand: Any, axis: int) -> None:
    """Raises `Coupled` where an operand without rows has more than one element along the axis,
    counted from the end, along which others have theirs.
    """
    shape = call.shape(operand) if call.rows(operand) is None else ()
    if len(shape) >= -axis and not (type(shape[axis]) is int and shape[axis] == 1):
        raise Coupled("the rows of an operand meet elements that are the same for all parts")


# Element by element


def aligned(call: RowCall) -> State:
    """Element-wise operators, after broadcasting."""
    operands = [leaf for leaf in leaves_of(tuple(call.arguments.values())) if type(leaf) is Node]
    metas = call.meta if isinstance(call.meta, (tuple, list)) else (call.meta,)
    ndims = [len(meta.shape) for meta in metas]
    if any(ndim != max(map(call.ndim, operands)) for ndim in ndims):
        raise Coupled("its result has other axes than its operands")
    return call.results(broadcast(call, operands, ndims[0]))


def transformed(call: RowCall) -> State:
    """Transforms along some axes: of several without names, the last ones."""
    call.only("a")
    rows, ndim = call.rows(call["a"]), call.ndim(call["a"])
    if rows is not None:
        axes = call["axis"] if "axis" in call.arguments else call["axes"]
        if axes is None and call["s"] is not None:
            axes = tuple(range(-len(call["s"]), 0)) if isinstance(call["s"], (tuple, list)) else (-1,)
        require_beside(rows, axes_of(axes, ndim))
        call.rounded()
    return rows


def normalized(call: RowCall) -> int:
    """How many last axes a layer normalizes."""
    shape = call["normalized_shape"]
    return len(shape) if isinstance(shape, (tuple, list)) else 1


def batched(rank: int) -> Fact:
    """Layers over ``([N,] C, ...)``, which mix channels."""
    return batch(ndim=rank + 2)


def pooled(rank: int) -> Fact:
    """Layers over the last ``rank`` axes."""
    return leading(rank, rounds=True)


def first(call: RowCall) -> State:
    """The result has the axes of the first argument, and each element depends on the same element
    of that alone."""
    name = next(iter(call.arguments))
    call.only(name)
    return call.rows(call[name])


def written(*operands: str, of: str = "") -> Fact:
    """An argument, by default the first, with elements replaced by those of others, after
    broadcasting to it.
    """

    def fact(call: RowCall) -> State:
        target = of or next(iter(call.arguments))
        call.only(target, *operands)
        return broadcast(call, [call[name] for name in (target, *operands)], call.ndim(call[target]))

    return fact


def filled(call: RowCall) -> State:
    """New arrays of one value: rows stand where the shape says."""
    if any(call.states[leaf] not in (None, NUMBER) for leaf in leaves_of(call.arguments.get("fill_value")) if type(leaf) is Node):
        return broadcast(call, [call["fill_value"]], len(call.meta.shape))
    value = call.arguments.get("fill_value")
    if type(value) is Node and call.states[value] is NUMBER:
        raise Coupled("it takes the size of the dim as a number")
    return call.standing()


def counting(call: RowCall) -> State:
    """``np.arange(n)``: the numbers of the rows."""
    rows = call.standing()
    call.same(call["stop"], call["step"])
    plain = call["stop"] is None and type(call["step"]) is int and call["step"] == 1
    if not plain or rows is None or rows.each != integer(1) or call.meta.dtype.kind not in "iu":
        raise Coupled("it counts beyond the rows")
    return rows._replace(numbers=True)


# Along other axes


def along(*operands: str, of: str = "", axis: str = "axis", rounds: bool = False) -> Fact:
    """The axes of an argument, by default the first, stay; what is done goes along ``axis``;
    further ``operands`` have the same axes."""

    def fact(call: RowCall) -> State:
        name = of or next(iter(call.arguments))
        call.only(name, *operands)
        rows = broadcast(call, [call[each] for each in (name, *operands)], call.ndim(call[name]))
        if rows is not None:
            ndim = call.ndim(call[name])
            require_beside(rows, axes_of(call[axis], ndim))
            if rounds:
                call.rounded()
        return call.results(rows)

    return fact


def reduced(*masks: str, rounds: bool = False, lead: str = "") -> Fact:
    """A reduction over ``axis``; ``masks`` broadcast to the array; the axes of ``lead`` stand in
    front of the result's."""

    def fact(call: RowCall) -> State:
        name = "array" if "array" in call.arguments else next(iter(call.arguments))
        call.only(name, *masks)
        ndim = call.ndim(call[name])
        rows = broadcast(call, [call[each] for each in (name, *masks)], ndim)
        if rows is None:
            return call.results(None)
        axes = axes_of(call["axis"], ndim)
        require_beside(rows, axes, "it reduces")
        if rounds:
            call.rounded()
        kept = bool(call.arguments.get("keepdims", False))
        shift = 0 if kept else sum(axis < rows.axis for axis in axes)
        more = call.ndim(call[lead]) if lead else 0
        return call.results(rows._replace(axis=rows.axis - shift + more))

    return fact


def averaged(call: RowCall) -> State:
    """``np.average``: weights for each element, or along the axis for all rows."""
    weights = call["weights"]
    return reduced(*["weights"] * (weights is not None and call.ndim(weights) == call.ndim(call["a"])), rounds=True)(call)


def leading(core: Callable[[RowCall], int] | int, *others: str, rounds: bool = False) -> Fact:
    """The last ``core`` axes of the first argument are one thing, all others a stack of such;
    ``others`` stack alike. The axes in front keep their places."""

    def fact(call: RowCall) -> State:
        name = next(iter(call.arguments))
        call.only(name, *others)
        given = [call[each] for each in (name, *others) if call[each] is not None]
        ndim = max(map(call.ndim, given))
        rows = broadcast(call, given, ndim)
        if rows is not None:
            require_beside(rows, range(ndim - (core if isinstance(core, int) else core(call)), ndim), "it works on")
            if rounds:
                call.rounded()
        return call.results(rows)

    return fact


def batch(axes: Sequence[int] = (0,), ndim: int = 0, others: Sequence[str] = (), rounds: bool = True) -> Fact:
    """The rows stand along one of these axes of the first argument, which has ``ndim`` axes (0:
    any), and of ``others``; results have them in the same place."""

    def fact(call: RowCall) -> State:
        name = next(iter(call.arguments))
        call.only(name, *others)
        size = call.ndim(call[name])
        rows = broadcast(call, [call[each] for each in (name, *others)], size)
        if rows is not None:
            if rows.axis not in axes or (ndim and size != ndim):
                raise Coupled(f"it works on axis {rows.axis}, along which the rows stand")
            if rounds:
                call.rounded()
        return call.results(rows)

    return fact


def recurrent(call: RowCall) -> State:
    """Layers over sequences ``(L, N, …)`` from states ``(N, …)``; the first result is a
    sequence.
    """
    states = [name for name in ("h", "c") if name in call.arguments]
    call.only("input", *states)
    found = {call.rows(call[name]) for name in states}
    rows = found.pop()
    sequence = None if rows is None else rows._replace(axis=rows.axis + 1)
    if found or call.rows(call["input"]) != sequence or (rows is not None and (rows.axis != 0 or call.ndim(call["input"]) != 3)):
        raise Coupled("a step takes what the step before it gives")
    call.rounded()
    return [sequence] + [rows] * (len(call.meta) - 1)


# Shapes


def moved(call: RowCall) -> State:
    """The axes in another order, with axes of one element more or less: the kernel is asked."""
    name = next(iter(call.arguments))
    call.only(name)
    rows = call.rows(call[name])
    if rows is None:
        return None
    probe = np.empty(
        [2 if axis == rows.axis else 1 if type(size) is int and size == 1 else 3 for axis, size in enumerate(call.shape(call[name]))]
    )
    target: Any = call.node.target
    shape = target.kernel(probe, *call.node.args[1:], **call.node.kwargs).shape
    if shape.count(2) != 1:
        raise Coupled("its result has other axes than its operand")
    return rows._replace(axis=shape.index(2))


def squeezed(call: RowCall) -> State:
    """Without a word on axes, those of one element go: a single row must not be one."""
    rows = call.rows(call["a"])
    if rows is not None and call["axis"] is None and known(call.shape(call["a"])[rows.axis] != 1) is not True:
        raise Coupled("it drops the axis of a single row")
    return moved(call)


def reshaped(call: RowCall) -> State:
    """Rows stay together where as many elements stand in front of them as before."""
    name = next(iter(call.arguments))
    state = call.state(call[name])
    rows = call.rows(call[name], numbers=True)
    if state is None:
        return None  # and the shape is looked at
    if call["order"] != "C" and len(call.meta.shape) + call.ndim(call[name]) > 2:
        raise Coupled("it reorders elements")
    found = call.standing()
    before = call.shape(call[name])
    if rows is None or found is None or product(before[: rows.axis]) != product(call.meta.shape[: found.axis]):
        raise Coupled("it reshapes across the axis along which the rows stand")
    return found._replace(numbers=rows.numbers)


def stretched(call: RowCall) -> State:
    """Broadcasting to a shape."""
    rows = call.rows(call["array"])
    if rows is None:
        return call.standing()
    return rows._replace(axis=rows.axis - call.ndim(call["array"]) + len(call.meta.shape))


def without(*names: str) -> Fact:
    """Of the axes of the first argument, those in these arguments are dropped."""

    def fact(call: RowCall) -> State:
        first_name = next(iter(call.arguments))
        call.only(first_name)
        rows, ndim = call.rows(call[first_name]), call.ndim(call[first_name])
        if rows is None:
            return None
        axes = axes_of(tuple(call[name] for name in names), ndim)
        require_beside(rows, axes)
        return rows._replace(axis=rows.axis - sum(axis < rows.axis for axis in axes))

    return fact


def windows(call: RowCall) -> State:
    """Windows along some axes stand behind all others."""
    call.only("x")
    rows = call.rows(call["x"])
    if rows is not None:
        require_beside(rows, axes_of(call["axis"], call.ndim(call["x"])))
    return rows


def same_elements(call: RowCall) -> State:
    """Elements as another dtype: of another size they are parts of the last axis."""
    name = next(iter(call.arguments))
    call.only(name)
    rows, ndim = call.rows(call[name]), call.ndim(call[name])
    if rows is not None and rows.axis == ndim - 1 and call[name].meta["val"].dtype.itemsize != call.meta.dtype.itemsize:
        raise Coupled("its elements are of another size")
    return rows


# Joining


def joined(new: bool) -> Fact:
    """Arrays one after the other along an axis, which is a ``new`` one or not."""

    def fact(call: RowCall) -> State:
        call.only("arrays")
        ndim = len(call.meta.shape)
        rows = broadcast(call, call["arrays"], ndim - new)
        if rows is None:
            return None
        if call["axis"] is None:
            raise Coupled("it joins all elements")
        (axis,) = axes_of(call["axis"], ndim)
        if new:
            return rows._replace(axis=rows.axis + (rows.axis >= axis))
        require_beside(rows, (axis,), "it joins along")
        return rows

    return fact


def tiled(call: RowCall) -> State:
    """Copies side by side along other axes."""
    call.only("A")
    rows = call.rows(call["A"])
    if rows is None:
        return None
    reps = call["reps"] if isinstance(call["reps"], (tuple, list)) else (call["reps"],)
    ndim = max(len(reps), call.ndim(call["A"]))
    reps = (1,) * (ndim - len(reps)) + tuple(reps)
    axis = rows.axis + ndim - call.ndim(call["A"])
    if type(reps[axis]) is not int or reps[axis] != 1:
        raise Coupled(f"it repeats all rows along axis {rows.axis}")
    return rows._replace(axis=axis)


def repeated(call: RowCall) -> State:
    """Each element several times: along the rows' own axis each row is longer."""
    call.only("a")
    rows = call.rows(call["a"])
    if rows is None:
        return None
    axes = axes_of(call["axis"], call.ndim(call["a"]))
    if rows.axis not in axes:
        return rows
    if len(axes) > 1 or type(call["repeats"]) is not int or rows.each != integer(1):
        raise Coupled("rows are repeated differently")
    return rows._replace(each=integer(call["repeats"]))


def padded(call: RowCall) -> State:
    """Padding along other axes."""
    call.only("array")
    rows = call.rows(call["array"])
    if rows is None:
        return None
    width = np.asarray(call["pad_width"], dtype=object)
    if width.shape != (call.ndim(call["array"]), 2) or any(type(one) is not int or one for one in width[rows.axis]):
        raise Coupled(f"it pads along axis {rows.axis}, along which the rows stand")
    return rows


# Lookups


def looked_up(what: str) -> Fact:
    """Each element of an argument by itself, among others that are the same for all."""

    def fact(call: RowCall) -> State:
        call.only(what)
        return call.rows(call[what])

    return fact


def taken(call: RowCall) -> State:
    """``np.take``."""
    call.only("a", "indices")
    rows, places = call.rows(call["a"]), call.rows(call["indices"])
    ndim, depth = call.ndim(call["a"]), call.ndim(call["indices"])
    if call["axis"] is None:
        if rows is not None:
            raise Coupled("it takes elements of all rows")
        return places
    (axis,) = axes_of(call["axis"], ndim)
    if rows is None:
        return None if places is None else places._replace(axis=places.axis + axis)
    if places is not None:
        raise Coupled("it takes elements by the rows of its indices")
    require_beside(rows, (axis,), "it takes elements along")
    return rows._replace(axis=rows.axis + (depth - 1 if rows.axis > axis else 0))


def chosen(call: RowCall) -> State:
    """``np.choose`` among several arrays."""
    call.only("a", "choices")
    if type(call["choices"]) is Node:
        raise Coupled("it chooses among the parts of one array")
    return broadcast(call, [call["a"], *call["choices"]], len(call.meta.shape))


def likelihood(call: RowCall) -> State:
    """``nll_loss``: targets have the axes of the input but that of the classes."""
    call.only("input", "target")
    rows, targets = call.rows(call["input"]), call.rows(call["target"])
    if rows is None and targets is None:
        return call.results(None)
    classes = min(call.ndim(call["input"]), 2) - 1
    if rows is None or rows.axis == classes or targets != rows._replace(axis=rows.axis - (rows.axis > classes)):
        raise Coupled("the rows of its targets are not those of its input")
    return call.results(targets)


def size_of(call: RowCall) -> State:
    """A size: it is the dim's, or is the same."""
    return NUMBER if call.name in symbols_of(call.meta) else None


def of_sizes(call: RowCall) -> State:
    """Arithmetic on sizes."""
    if any(isinstance(call.state(leaf), Rows) for leaf in leaves_of(tuple(call.arguments.values()))):
        raise Coupled("it makes one number of all rows")
    if call.name in symbols_of(call.meta):
        return NUMBER
    exact = type(call.meta) in (int, bool, SymInt)  # of these the expression is all that they depend on
    leaves = leaves_of(tuple(call.arguments.values()))
    return None if exact or all(call.state(leaf) is None for leaf in leaves) else NUMBER


def part(call: RowCall) -> State:
    """One of several results."""
    states = call.states[call["values"]] if type(call["values"]) is Node else None
    return states[call["index"]] if isinstance(states, list) else states
