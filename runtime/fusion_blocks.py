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
   without a result where a NaN comes out.
3. Operands lie in C order, gaps allowed, so that results do; only operands that ufuncs use whole
   may have axes of stride 0. Leading axes become one where all operands are contiguous.
4. No element's value depends on where a block ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.runtime import fusion, scratch
from npexport.runtime.emit import Source, code_of
from npexport.runtime.fusion import Group, reduced_axes
from npexport.runtime.layouts import is_elementwise_ufunc, size_key
from npexport.runtime.threads import together

Array = np.ndarray[Any, Any]
MOST_SKIPPED = 64


class Blocks:
    """A group as a function of its operands, blocked ones first, and of one array for each output
    (or ``None``), into which it is computed if that is possible. It returns the outputs as a tuple,
    or ``None`` where the nodes are to be computed one by one.

    ``text``: the source of what is done to one block.
    """

    def __init__(self, group: Group, threads: int, fast_math: bool = False) -> None:
        body = _Body(group, fast_math)
        self.text = body.text
        self.block: Callable[..., tuple[Any, ...]] = body.function
        self.registers = body.registers
        self.threads = threads
        self.floats = [place for place, node in enumerate(group.outputs) if node.meta["val"].dtype.kind in "fc"]
        self._outputs = len(group.outputs)
        self._blocked, self._operands = len(group.blocked), len(group.blocked) + len(group.whole)
        self._exact, self._even, self._depth, self._width = group.exact, group.even, group.depth, group.width
        self._policy = fusion.POLICY
        self._skip = self._failures = 0  # how often a run is not tried, after it came to nothing
        self._known: tuple[Any, _Form | None] = (None, None)

    def __call__(self, *given: Any) -> tuple[Array, ...] | None:
        if self._skip:
            self._skip -= 1
            return None
        operands, targets = given[: self._operands], given[self._operands :]
        outputs = None
        try:
            form = self._form_of(operands)
            if form is None:
                return None
            outputs = _Run(self, form, operands[: self._blocked], operands[self._blocked :], targets)()
        except Exception:  # the nodes one by one tell
            pass
        if outputs is None:
            self._failures += 1
            self._skip = min(1 << self._failures, MOST_SKIPPED)
        else:
            self._failures = 0
        return outputs

    def _form_of(self, operands: Sequence[Any]) -> _Form | None:
        """How these operands are gone through; ``None`` where that would not pay, or they lie
        otherwise.
        """
        blocked = operands[: self._blocked]
        whole = [value for value in operands[self._blocked :] if isinstance(value, np.ndarray)]
        if not all(map(_is_ordered, blocked)) or not all(_is_ordered(value, repeated=True) for value in whole):
            return None
        depth = self._depth if all(array.flags.c_contiguous for array in blocked) else 1
        key = depth, [getattr(value, "shape", ()) for value in operands]
        known, form = self._known
        if known != key:
            form = self._new_form(depth, blocked, operands[self._blocked :])
            self._known = key, form
        return form

    def _new_form(self, depth: int, blocked: Sequence[Array], whole: Sequence[Any]) -> _Form | None:
        shape = blocked[0].shape[:depth]
        rows = math.prod(shape)
        if any(array.size == 0 for array in blocked):
            return None
        with np.errstate(all="ignore"):
            first = [array.reshape(rows, *array.shape[depth:])[:1] for array in blocked]
            parts = self.block(*first, *whole, *[None] * (self.registers + self._outputs))
        sizes = {array.size for array in first} | {part.size for part in parts}
        step = self._step(rows, sizes)
        if step is None or step[0] >= rows:
            return None
        return _Form(shape, rows, *step, [(part.shape[1:], part.dtype) for part in parts])

    def _step(self, rows: int, sizes: set[int]) -> tuple[int, bool] | None:
        """The rows of a block, and whether NaNs are looked for; ``None`` where no blocks fit."""
        policy, row = self._policy, max(sizes)
        if row == 0:
            return None
        budget = policy.block // (row * self._width)
        if self.threads > 1:
            budget = min(budget, -(-rows // (2 * self.threads)))
        unit = policy.unit // math.gcd(policy.unit, *sizes) if self._even else policy.unit
        if budget >= unit:
            return budget - budget % unit, False
        if unit * row * self._width <= policy.most:
            return unit, False
        return (max(1, budget), True) if self._exact and row * self._width <= policy.most else None


class _Form(NamedTuple):
    """The leading sizes that are one axis of so many rows, the rows of a block, whether NaNs are
    looked for, and the shapes and dtypes of one row of the registers and the outputs.
    """

    shape: tuple[int, ...]
    rows: int
    step: int
    look_for_nan: bool
    parts: list[tuple[tuple[int, ...], Any]]


class _Run:
    """One call."""

    def __init__(
        self, blocks: Blocks, form: _Form, blocked: Sequence[Array], whole: Sequence[Any], targets: Sequence[Array | None]
    ) -> None:
        self.blocks, self.form, self.whole, self.targets = blocks, form, whole, targets
        depth = len(form.shape)
        self.blocked = [array.reshape(form.rows, *array.shape[depth:]) if depth > 1 else array for array in blocked]
        self.starts: Iterator[int] = iter(range(0, form.rows, form.step))
        arrays = [value for value in (*blocked, *whole) if isinstance(value, np.ndarray)]
        self.outputs: list[Array] = []
        self.staged: list[bool] = []  # which are written to arrays whose rows lie otherwise than a block's
        for (row, dtype), target in zip(form.parts[blocks.registers :], targets, strict=True):
            direct = target is not None and depth == 1 and target.dtype == dtype and target.shape == (form.rows, *row)
            direct = direct and not any(np.may_share_memory(target, array) for array in arrays)
            output: Any = target if direct else np.empty((form.rows, *row), dtype)
            self.outputs.append(output)
            self.staged.append(not output.flags.c_contiguous)
        self.failed = False

    def __call__(self) -> tuple[Array, ...] | None:
        self.errors = {kind: "ignore" if how == "ignore" else "raise" for kind, how in np.geterr().items()}
        threads = min(self.blocks.threads, -(-self.form.rows // self.form.step))
        if threads > 1:
            together(self._work, threads, self._stop)
        else:
            self._work()
        if self.failed:
            return None
        if len(self.form.shape) == 1:
            return tuple(self.outputs)
        return tuple([array.reshape(*self.form.shape, *array.shape[1:]) for array in self.outputs])

    def _stop(self) -> None:
        self.starts = iter(())

    def _work(self) -> None:
        """Compute blocks as long as there are any."""
        form, blocks = self.form, self.blocks
        specs = [((form.step, *row), dtype) for row, dtype in form.parts]
        specs = specs[: blocks.registers] + [spec for spec, staged in zip(specs[blocks.registers :], self.staged, strict=True) if staged]
        try:
            with np.errstate(**self.errors), scratch.arrays(specs) as registers:  # type: ignore[arg-type]
                self._blocks(registers)
        except Exception:  # the nodes one by one tell
            self.failed = True
            self._stop()

    def _blocks(self, registers: list[Array]) -> None:
        blocks, form, blocked, whole = self.blocks, self.form, self.blocked, self.whole
        block, rows, step = blocks.block, form.rows, form.step
        kept = iter(registers[blocks.registers :])
        # what is written into other arrays lies in the order of a block first
        staged = [next(kept) if needed else None for needed in self.staged]
        registers = registers[: blocks.registers]
        while (start := next(self.starts, rows)) < rows:
            stop = min(start + step, rows)
            if stop - start < step:
                registers = [array[: stop - start] for array in registers]
                staged = [None if array is None else array[: stop - start] for array in staged]
            parts = [array[start:stop] for array in self.outputs]
            outs = [part if stage is None else stage for part, stage in zip(parts, staged, strict=True)]
            block(*[array[start:stop] for array in blocked], *whole, *registers, *outs)
            if form.look_for_nan and any(np.isnan(outs[place]).any() for place in blocks.floats):
                raise ArithmeticError("a NaN has no certain payload")
            for part, stage in zip(parts, staged, strict=True):
                if stage is not None:
                    np.copyto(part, stage)


def _is_ordered(array: Array, repeated: bool = False) -> bool:
    """Whether an array's elements lie in C order, gaps allowed, and with ``repeated`` axes of
    stride 0 too. An array of one axis may lie in any way.
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


def into(value: Array, out: Array | None) -> Array:
    """The value, in ``out`` where that is given."""
    if out is None or out is value:
        return value
    np.copyto(out, value)
    return out


def cast(value: Array, dtype: Any, out: Array | None) -> Array:
    """The value in another dtype, in ``out`` where that is given."""
    if out is None:
        return value.astype(dtype)
    np.copyto(out, value, casting="unsafe")
    return out


class _Body:
    """The function of one block: parts of the blocked operands, the others, registers and parts of
    the outputs, which are ``None`` where they are not there yet; it returns the last two.
    """

    def __init__(self, group: Group, fast_math: bool) -> None:
        self.source = Source()
        self.group = group
        self.fast_math = fast_math
        self.names = {node: self.source.fresh("x") for node in (*group.blocked, *group.whole)}
        parameters = list(self.names.values())
        self.outputs = {node: self.source.fresh("y") for node in group.outputs}
        self.used: list[str] = []  # the registers
        self.free: dict[Any, list[str]] = {}
        self.lines: list[str] = []
        last = self._last_uses()
        for node in group.members:
            self._member(node)
            for operand in last[node]:
                self._release(operand)
        results = "".join(f"{name}, " for name in (*self.used, *self.outputs.values()))
        arguments = ", ".join((*parameters, *self.used, *self.outputs.values()))
        self.text = f"def block({arguments}):\n" + "".join(f"    {line}\n" for line in (*self.lines, f"return {results}"))
        self.registers = len(self.used)
        self.function = FunctionType(code_of(self.text, "<npexport block>"), self.source.namespace)

    def _last_uses(self) -> dict[Node, list[Node]]:
        """The members whose memory nothing uses after each member."""
        members = set(self.group.members)
        holder = {node: node for node in members}
        last: dict[Node, Node] = {}
        for node in self.group.members:
            if "view" in node.target.traits and node.args[0] in members:  # type: ignore[union-attr]
                holder[node] = holder[node.args[0]]
            last[holder[node]] = node
            for operand in node.all_input_nodes:
                if operand in members:
                    last[holder[operand]] = node
        ends: dict[Node, list[Node]] = {node: [] for node in self.group.members}
        for node, user in last.items():
            ends[user].append(node)
        return ends

    def _member(self, node: Node) -> None:
        call = _with_last_axes(node)
        out = self.outputs.get(node)
        if _takes_out(node):
            out = out or self._register(node)
            arguments = [self.source.text(arg, self.names) for arg in self.source.operands(call)]
            text = f"{self.source.bind(_kernel(node))}({', '.join((*arguments, f'out={out}'))})"
        elif _is_plain_cast(node):
            out = out or self._register(node)
            text = f"{self.source.bind(cast)}({self.names[node.args[0]]}, {self.source.bind(node.meta['val'].dtype)}, {out})"
        else:
            short = _SHORT_SUMS.get(node.target.name) if self.fast_math and _is_last_sum(call) else None  # type: ignore[union-attr]
            if short is not None:
                keepdims = self.source.value(bool(call.kwargs.get("keepdims", False)))
                text = f"{self.source.bind(short)}({self.names[node.args[0]]}, {keepdims})"
            else:
                text = self.source.call(call, self.names, None)
            text = text if out is None else f"{self.source.bind(into)}({text}, {out})"
        self.names[node] = out or self.source.fresh("t")
        self.lines.append(f"{self.names[node]} = {text}")

    def _register(self, node: Node) -> str:
        free = self.free.setdefault(_kind(node), [])
        if free:
            return free.pop()
        self.used.append(self.source.fresh("r"))
        return self.used[-1]

    def _release(self, node: Node) -> None:
        name = self.names[node]
        if name in self.used:
            self.free.setdefault(_kind(node), []).append(name)
        elif node not in self.outputs:
            self.lines.append(f"{name} = None")


def _sum(x: Array, keepdims: bool) -> Array:
    total: Array = x @ np.ones(x.shape[-1], x.dtype)
    return total[..., None] if keepdims else total


def _mean(x: Array, keepdims: bool) -> Array:
    total = _sum(x, keepdims)
    total /= x.shape[-1]
    return total


_SHORT_SUMS: dict[str, Callable[[Array, bool], Array]] = {"sum": _sum, "mean": _mean}
"""Sums as products with ones."""


def _is_last_sum(node: Node) -> bool:
    return bool(reduced_axes(node)) and node.args[1:] == (-1,) and node.args[0].meta["val"].dtype.char in "fd"


def _kind(node: Node) -> Any:
    """Values of one kind have blocks of one shape and dtype."""
    meta = node.meta["val"]
    return meta.dtype, size_key(meta)


def _takes_out(node: Node) -> bool:
    return is_elementwise_ufunc(node)


def _is_plain_cast(node: Node) -> bool:
    """Whether a cast may write to memory that is there."""
    op: Op = node.target  # type: ignore[assignment]
    return op.name == "astype" and len(node.args) == 2 and node.kwargs.keys() <= {"casting"} and type(node.args[0]) is Node


def _kernel(node: Node) -> Any:
    op: Op = node.target  # type: ignore[assignment]
    return op.kernel


def _with_last_axes(node: Node) -> Node:
    """The node with its axes counted from the last, so that they stay right when leading axes
    become one.
    """
    axes = reduced_axes(node)
    if not axes:
        return node
    rank = node.args[0].meta["val"].ndim
    last = tuple([axis - rank for axis in axes])
    kwargs = {key: value for key, value in node.kwargs.items() if key != "axis"}
    call = Node(node.name, node.op, node.target, (node.args[0], last if len(last) > 1 else last[0]), kwargs, node.meta)
    call.release()
    return call
