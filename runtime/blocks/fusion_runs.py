"""One call of a group: which memory its outputs go to, and its blocks one after the other, on
threads.

Laws:

1. An output is written to the memory of an operand only where both are the same elements, block by
   block when a block is done, and where no floating-point error raises anything.
2. So a run that is stopped after that goes on: blocks that are done were like any others, and what
   is left is computed in one piece, in the caller's error state. It has the bits and the warnings
   of eager execution, since it begins at a multiple of ``Policy.unit``.
3. Windows of arrays that lie alike are ranges of memory: such a block is computed with what lies
   between its rows. Nobody sees what comes of that, but for an error or a NaN, which ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.runtime.blocks import scratch
from npexport.runtime.error_state import errors_pass
from npexport.runtime.threads import together

Array = np.ndarray[Any, Any]


class Work(NamedTuple):
    """What is done to a block: the function, its number of registers, on how many threads, and
    which of its outputs are floats. ``piece``: the same operator by operator.
    """

    block: Callable[..., tuple[Any, ...]]
    piece: Callable[..., tuple[Any, ...]]
    registers: int
    threads: int
    floats: list[int]


class Form(NamedTuple):
    """The leading sizes that are one axis of so many rows, the rows of a block, whether NaNs are
    looked for, and the shapes and dtypes of one row of the registers and the outputs.

    ``level``: the strides in elements of all blocked operands, where blocks are ranges of memory.
    """

    shape: tuple[int, ...]
    rows: int
    step: int
    look_for_nan: bool
    parts: list[tuple[tuple[int, ...], Any]]
    level: tuple[int, ...] = ()


class Run:
    """One call."""

    def __init__(self, work: Work, form: Form, blocked: Sequence[Array], whole: Sequence[Any], targets: Sequence[Array | None]) -> None:
        self.work, self.form, self.whole = work, form, whole
        self.blocked = [_with_rows(array, form) for array in blocked]
        self.starts: Iterator[int] = iter(range(0, form.rows, form.step))
        self.done: list[int] = []
        self.failed = False
        self.overwrites = 0  # outputs that lie in the memory of operands
        others = [value for value in whole if isinstance(value, np.ndarray)]
        self.outputs: list[Array] = []
        self.results: list[Array] = []
        self.staged: list[bool] = []  # which are written when a block is done
        for (row, dtype), target in zip(form.parts[work.registers :], targets, strict=True):
            output = None if target is None else self._output(target, row, dtype, [*others, *self.outputs])
            overwrites = output is not None and any(np.may_share_memory(output, array) for array in self.blocked)
            self.results.append(target if output is not None else np.empty((*form.shape, *row), dtype))  # type: ignore[arg-type]
            self.outputs.append(_with_rows(self.results[-1], form) if output is None else output)
            self.overwrites += overwrites
            self.staged.append(overwrites or bool(form.level) or not self.outputs[-1].flags.c_contiguous)

    def _output(self, target: Array, row: tuple[int, ...], dtype: Any, others: Sequence[Array]) -> Array | None:
        """The memory for an output, if it can be written to."""
        form = self.form
        if target.dtype != dtype or target.shape != (*form.shape, *row) or (len(form.shape) > 1 and not target.flags.c_contiguous):
            return None
        found = _with_rows(target, form)
        shared = [array for array in self.blocked if np.may_share_memory(found, array)]
        if any(np.may_share_memory(found, array) for array in others) or not all(_is_same(found, array) for array in shared):
            return None
        return None if shared and (form.look_for_nan or not errors_pass()) else found

    def __call__(self) -> bool:
        """Whether the outputs are computed, except for what `rest` computes."""
        self.errors = {kind: "ignore" if how == "ignore" else "raise" for kind, how in np.geterr().items()}
        threads = min(self.work.threads, -(-self.form.rows // self.form.step))
        if threads > 1:
            together(self._work, threads, self._stop)
        else:
            self._work()
        return not self.failed

    def rest(self) -> None:
        """Compute the blocks that are not done in one piece."""
        form, done = self.form, set(self.done)
        ranges = [range(start, min(start + form.step, form.rows)) for start in range(0, form.rows, form.step) if start not in done]
        rows: Any = np.concatenate([np.arange(each.start, each.stop) for each in ranges])
        if len(rows) == form.rows - rows[0]:
            rows = slice(rows[0], None)
        registers = self.work.registers
        found = self.work.piece(*[array[rows] for array in self.blocked], *self.whole, *[None] * len(form.parts))
        for output, part in zip(self.outputs, found[registers:], strict=True):
            output[rows] = part

    def _stop(self) -> None:
        self.starts = iter(())

    def _work(self) -> None:
        """Compute blocks as long as any are left."""
        form, registers = self.form, self.work.registers
        specs: list[Any] = [((form.step * form.level[0],) if form.level else (form.step, *row), dtype) for row, dtype in form.parts]
        specs = specs[:registers] + [spec for spec, staged in zip(specs[registers:], self.staged, strict=True) if staged]
        try:
            with np.errstate(**self.errors), scratch.arrays(specs) as memory:  # type: ignore[arg-type]
                if form.level:
                    self._level_blocks(memory[:registers], memory[registers:])
                else:
                    self._blocks(memory[:registers], memory[registers:])
        except Exception:  # the nodes one by one tell, or the rest
            self.failed = True
            self._stop()

    def _blocks(self, registers: list[Array], stages: list[Array]) -> None:
        work, form, blocked, whole = self.work, self.form, self.blocked, self.whole
        block, rows, step = work.block, form.rows, form.step
        kept = iter(stages)
        staged = [next(kept) if needed else None for needed in self.staged]
        while (start := next(self.starts, rows)) < rows:
            stop = min(start + step, rows)
            if stop - start < step:
                registers = [array[: stop - start] for array in registers]
                staged = [None if array is None else array[: stop - start] for array in staged]
            parts = [array[start:stop] for array in self.outputs]
            outs = [part if stage is None else stage for part, stage in zip(parts, staged, strict=True)]
            block(*[array[start:stop] for array in blocked], *whole, *registers, *outs)
            if form.look_for_nan and any(np.isnan(outs[place]).any() for place in work.floats):
                raise ArithmeticError("a NaN has no certain payload")
            for part, stage in zip(parts, staged, strict=True):
                if stage is not None:
                    np.copyto(part, stage)
            self.done.append(start)

    def _level_blocks(self, registers: list[Array], stages: list[Array]) -> None:
        """The same over ranges of memory."""
        work, form, whole = self.work, self.form, self.whole
        block, rows, step, pitch = work.block, form.rows, form.step, form.level[0]
        row = _span(self.blocked[0].shape[1:], form.level[1:])
        memory = [_range_of(array, (rows - 1) * pitch + row) for array in self.blocked]
        windows = [_window(stage, (step, *self.blocked[0].shape[1:]), form.level) for stage in stages]
        while (start := next(self.starts, rows)) < rows:
            stop = min(start + step, rows)
            first, size = start * pitch, (stop - start - 1) * pitch + row
            outs = [stage[:size] for stage in stages]
            block(*[array[first : first + size] for array in memory], *whole, *[array[:size] for array in registers], *outs)
            for place in work.floats:
                most = np.maximum.reduce(outs[place])
                if most != most:
                    raise ArithmeticError("a NaN has no certain payload")
            for output, window in zip(self.outputs, windows, strict=True):
                np.copyto(output[start:stop], window[: stop - start])
            self.done.append(start)


def _with_rows(array: Array, form: Form) -> Array:
    depth = len(form.shape)
    return array.reshape(form.rows, *array.shape[depth:]) if depth > 1 else array


def _is_same(one: Array, other: Array) -> bool:
    """Whether two arrays consist of the same elements in the same order."""
    same = one.dtype == other.dtype and one.shape == other.shape and one.strides == other.strides
    return same and one.__array_interface__["data"] == other.__array_interface__["data"]


# Windows of arrays that lie alike


def level_strides(arrays: Sequence[Array]) -> tuple[int, ...]:
    """The strides in elements that these arrays of one shape have in common, of windows with
    elements next to each other; empty where they have not.
    """
    size = arrays[0].itemsize
    strides = tuple([stride // size for stride in arrays[0].strides])
    alike = all(array.strides == tuple([stride * array.itemsize for stride in strides]) for array in arrays)
    return strides if alike and strides[-1] == 1 and not arrays[0].flags.c_contiguous else ()


def _range_of(array: Array, size: int) -> Array:
    """So many elements of memory from the first one of a window on; raises where it is the window
    of no array in C order.
    """
    root: Any = array.base
    if type(root) is not np.ndarray or root.dtype != array.dtype or not root.flags.c_contiguous:
        raise ValueError("there may be no elements between those of a window")
    begin = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    begin //= array.itemsize
    found: Array = root.reshape(-1)[begin : begin + size]
    return found


def run_length(shape: Sequence[int], strides: Sequence[int]) -> int:
    """The number of elements of a row of a window that are next to one another."""
    length = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if stride != length:
            break
        length *= size
    return length


def _span(shape: Sequence[int], strides: Sequence[int]) -> int:
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def _window(memory: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    return np.ndarray(shape, memory.dtype, memory, 0, tuple([stride * memory.itemsize for stride in strides]))
