"""A group, compiled: its members over one block of rows after the other, their temporaries in
memory that all blocks share.

Laws:

1. A group is pure: whatever stops it, the nodes computed one by one give what eager execution
   gives, warnings, errors and flags included. So a run ends without a result where NumPy has
   anything to say about an element, and where the layout of an operand is not one that the laws
   below cover.
2. Blocks are multiples of ``Policy.unit`` elements, so that each loop of NumPy treats each element
   by the same instructions as in one call over all. Where such blocks are too large, exact groups
   have blocks of any size: their results differ in the payload of NaNs at most, so such a run ends
   without a result where a NaN comes out. So it does over windows, of which NumPy makes one range
   of so many rows as its buffers take: which rows those are depends on where it begins. Where an
   operand is stretched along an axis, NumPy does so with contiguous arrays, too: blocks begin with
   such a range if that is not too large, or NaNs are looked for.
3. Operands lie in C order, gaps allowed, so that results do; only operands that ufuncs use whole
   may have axes of stride 0. Leading axes become one where all operands are contiguous.
   Where all lie alike, with short rows and gaps between them, blocks are ranges of memory.
4. No element's value depends on where a block ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from npexport.ir.node import Node
from npexport.runtime.blocks import fusion
from npexport.runtime.blocks.fusion import Group
from npexport.runtime.blocks.fusion_body import Body, Part
from npexport.runtime.blocks.fusion_runs import Form, Run, Work, level_strides, run_length
from npexport.runtime.memory.layouts import is_array, is_elementwise_ufunc, size_key

Array = np.ndarray[Any, Any]
MOST_SKIPPED = 64


class Blocks:
    """A group as a function of its operands, blocked ones first, and of one array for each output
    (or ``None``), into which it is computed if that is possible. It returns the outputs as a tuple,
    or ``None`` where the nodes are to be computed one by one.

    ``text``: the source of what is done to one block; ``in_place``: it pays only where the memory
    of operands takes so many results. ``at_once``: what computes a block in one call of C,
    ``parts``: what computes some of its members so.
    """

    def __init__(
        self, group: Group, threads: int, fast_math: bool = False, in_place: int = 0, at_once: Any = None, parts: Sequence[Part] = ()
    ) -> None:
        body = Body(group, fast_math, parts)
        self.text = body.text
        floats = [place for place, node in enumerate(group.outputs) if node.meta["val"].dtype.kind in "fc"]
        self._operands = len(group.blocked) + len(group.whole)
        self._quick = at_once is not None or bool(parts)
        block = _at_once(at_once, body.function, self._operands, body.registers) if at_once is not None else body.function
        self.work = Work(block, body.piece, body.registers, threads, floats)
        self.in_place = in_place
        self.operators = group.operators
        self._outputs = len(group.outputs)
        self._blocked = len(group.blocked)
        self._exact, self._even, self._depth, self._width = group.exact, group.even, group.depth, group.width
        self._least, self._policy = fusion.least(group, threads) // group.width, fusion.POLICY
        self._stretches = any(map(_stretches, group.members))
        self._by_rows = group.rows is not None  # one block of which is better than none
        self._may_be_level, self._all, self._level = group.level, Attempts(), Attempts()
        self._known: tuple[Any, tuple[Form | None, Form | None]] = (None, (None, None))

    def __call__(self, *given: Any) -> tuple[Array, ...] | None:
        if not self._all.due():
            return None
        operands, targets = given[: self._operands], given[self._operands :]
        run = None
        try:
            level, form = self._forms_of(operands)
            if level is not None and self._level.due():
                run = self._attempt(level, operands, targets)
                self._level.told(run is not None)
            if run is None and form is not None:
                run = self._attempt(form, operands, targets)
        except Exception:  # the nodes one by one tell
            pass
        self._all.told(run is not None)
        if run is None:
            return None
        if run.failed:
            run.rest()
        return tuple(run.results)

    def _attempt(self, form: Form, operands: Sequence[Any], targets: Sequence[Array | None]) -> Run | None:
        """A run that gives the results, except for what its ``rest`` computes."""
        run = Run(self.work, form, operands[: self._blocked], operands[self._blocked :], targets)
        if run.overwrites < self.in_place:
            return None
        return run if run() or (run.overwrites and run.done) else None

    def _forms_of(self, operands: Sequence[Any]) -> tuple[Form | None, Form | None]:
        """How to go through these operands, over ranges of memory and otherwise; ``None`` if that
        would not pay, or their layouts do not allow it.
        """
        arrays = [value for value in operands if isinstance(value, np.ndarray)]
        key = [(array.shape, array.strides, array.flags.aligned) for array in arrays]
        if self._known[0] != key:
            blocked, whole = operands[: self._blocked], operands[self._blocked :]
            form = level = None
            if all(map(_is_ordered, blocked)) and all(_is_ordered(value, repeated=True) for value in arrays[self._blocked :]):
                form = self._new_form(blocked, whole)
                level = None if form is None or not self._may_be_level else self._level_form(form, blocked)
                alone = form is not None and form.step >= form.rows and not self._by_rows
                form = None if form is None or alone or max(array.size for array in blocked) < self._least else form
                form = None if form is None else form._replace(step=min(form.step, form.rows))
            self._known = key, (level, form)
        return self._known[1]

    def _level_form(self, form: Form, blocked: Sequence[Array]) -> Form | None:
        """The same over ranges of memory, for windows with the same strides."""
        strides = level_strides(blocked)
        if not strides:
            return None
        rows, *row = blocked[0].shape
        size = math.prod(row)
        more = strides[0] / size - 1 + 1.5 / self.operators  # what is computed besides, as a part of a row
        step = self._step(rows, {size}, strides[0])
        if step is None or run_length(row, strides[1:]) * more > self._policy.level or more > 1:
            return None
        return form._replace(step=min(step[0], rows), look_for_nan=step[1], level=strides)

    def _new_form(self, blocked: Sequence[Array], whole: Sequence[Any]) -> Form | None:
        depth = self._depth if all(array.flags.c_contiguous for array in blocked) else 1
        shape = blocked[0].shape[:depth]
        rows = math.prod(shape)
        if any(array.size == 0 for array in blocked):
            return None
        with np.errstate(all="ignore"):
            first = [array.reshape(rows, *array.shape[depth:])[:1] for array in blocked]
            parts = self.work.piece(*first, *whole, *[None] * (self.work.registers + self._outputs))
        sizes = {array.size for array in first} | {part.size for part in parts}
        step = self._step(rows, sizes, max(sizes))
        if step is None:
            return None
        if self._exact and not all(array.flags.c_contiguous for array in blocked):
            step = step[0], True
        if self._stretches:
            ranges = _ranges({array.shape[1:] for array in first} | {part.shape[1:] for part in parts})
            step = _with_ranges(*step, math.lcm(ranges, self._unit(sizes)), ranges)
        return Form(shape, rows, *step, [(part.shape[1:], part.dtype) for part in parts])

    def _unit(self, sizes: set[int]) -> int:
        """The rows, of so many elements, that are a multiple of ``Policy.unit`` elements."""
        return self._policy.unit // math.gcd(self._policy.unit, *sizes) if self._even else self._policy.unit

    def _step(self, rows: int, sizes: set[int], row: int) -> tuple[int, bool] | None:
        """The rows of a block, of rows of so many elements, and whether NaNs are looked for;
        ``None`` where no blocks fit.
        """
        policy = self._policy
        if row == 0:
            return None
        budget = (policy.quick if self._quick else policy.block) // (row * self._width)
        if self.work.threads > 1:
            budget = min(budget, -(-rows // (2 * self.work.threads)))
        unit = self._unit(sizes)
        if budget >= unit:
            return budget - budget % unit, False
        if unit * row * self._width <= policy.most:
            return unit, False
        return (max(1, budget), True) if self._exact and row * self._width <= policy.most else None


def _stretches(node: Node) -> bool:
    """Whether a call stretches an operand along an axis of its result."""
    metas = [operand.meta["val"] for operand in node.all_input_nodes]
    return is_elementwise_ufunc(node) and any(is_array(meta) and size_key(meta) != size_key(node.meta["val"]) for meta in metas)


def _ranges(shapes: Iterable[tuple[int, ...]]) -> int:
    """The least number of rows of these shapes in which each range of NumPy's that begins with them
    ends.
    """
    room, rows = np.getbufsize(), 1
    for shape in shapes:
        for axis in range(len(shape)):
            size = math.prod(shape[axis:])
            if 1 < size <= room:
                rows = math.lcm(rows, room // size // math.gcd(room // size, math.prod(shape[:axis])))
    return rows


def _with_ranges(step: int, look_for_nan: bool, unit: int, ranges: int) -> tuple[int, bool]:
    """The rows of a block, fewer if it then begins with a range, and whether NaNs are looked
    for.
    """
    return (step, look_for_nan or step % ranges != 0) if step < unit else (step - step % unit, look_for_nan)


def _at_once(
    run: Callable[..., Any], body: Callable[..., tuple[Any, ...]], operands: int, registers: int
) -> Callable[..., tuple[Any, ...]]:
    """What computes a block in one call of C, and operator by operator where C declines."""
    start = operands + registers

    def block(*given: Any) -> tuple[Any, ...]:
        found = run(*given[:operands], *given[start:])
        return body(*given) if found is None else found

    return block


class Attempts:
    """Decides whether to try again something that has failed before: the longer it fails, the more
    rarely.
    """

    def __init__(self) -> None:
        self._wait = self.failures = 0

    def due(self) -> bool:
        """Whether to try this time."""
        self._wait -= 1
        return self._wait < 0

    def told(self, success: bool) -> None:
        """Note whether the attempt succeeded."""
        self.failures = 0 if success else self.failures + 1
        self._wait = 0 if success else min(1 << self.failures, MOST_SKIPPED)


def _is_ordered(array: Array, repeated: bool = False) -> bool:
    """Whether the elements of an array are in C order; gaps are allowed and, with ``repeated``,
    axes of stride 0 as well. An array of one axis always is.
    """
    flags = array.flags
    if flags.c_contiguous or array.ndim < 2:
        return flags.aligned
    extent = 1
    for size, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if size != 1 and not (repeated and stride == 0):
            if stride < extent:
                return False
            extent = stride * size
    return flags.aligned
