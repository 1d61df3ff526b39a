"""The function of one block of a group: its members over memory that all blocks share.

Laws:

1. A member computes into the memory of an operand that nothing needs afterwards, or else into that
   of an output which nobody has computed yet, or into a register: the fewer there are, the more
   rows fit the cache.
2. What a call of C computes at once lies in no memory of its operands: where it declines they are
   as they were.
3. The memory of an output holds nothing that is needed once the output is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.aliasing import rounds_alone
from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.runtime.blocks.fusion import Group, reduced_axes
from npexport.runtime.emission.emit import Source, code_again, defined
from npexport.runtime.memory.layouts import is_elementwise_ufunc, size_key

Array = np.ndarray[Any, Any]


def into(value: Array, out: Array | None) -> Array:
    """Compute the value, into ``out`` if it is given."""
    if out is None or out is value:
        return value
    np.copyto(out, value)
    return out


def cast(value: Array, dtype: Any, out: Array | None) -> Array:
    """Convert the value to another dtype, into ``out`` if it is given."""
    if out is None:
        return value.astype(dtype)
    np.copyto(out, value, casting="unsafe")
    return out


class Part(NamedTuple):
    """Members that ``run`` computes in one call of C, with what it takes of them and gives."""

    members: Sequence[Node]
    operands: Sequence[Node]
    outputs: Sequence[Node]
    expression: Any
    run: Callable[..., Any]


class Body:
    """The function of one block: parts of the blocked operands, the others, registers and parts of
    the outputs, which are ``None`` where they are not there yet; it returns the last two.
    """

    def __init__(self, group: Group, fast_math: bool, runs: Sequence[Part] = ()) -> None:
        self.source = Source()
        self.part_of = {node: part for part in runs for node in part.members}
        self.group = group
        self.fast_math = fast_math
        self.names = {node: self.source.fresh("x") for node in (*group.blocked, *group.whole)}
        parameters = list(self.names.values())
        self.outputs = {node: self.source.fresh("y") for node in group.outputs}
        self.used: list[str] = []  # the registers
        self.cells: dict[str, Any] = dict.fromkeys(self.outputs.values())  # memory -> the value that lies there
        self.kinds: dict[str, Any] = {name: _kind(node) for node, name in self.outputs.items()}
        self.number = {node: place for place, node in enumerate(group.members)}
        self.lines: list[str] = []
        ends = self._last_uses()
        self.last = {value: self.number[user] for user, values in ends.items() for value in values}
        waiting: list[Node] = []  # what a part takes stays until it ends
        quick: list[str] = []  # the lines with calls of C
        start = begun = 0
        for node in group.members:
            part = self.part_of.get(node)
            if part is not None and node is part.members[0]:
                start = len(self.lines)
            self._member(node)
            waiting += ends[node]
            if part is None or node is part.members[-1]:
                if part is not None:
                    quick += [*self.lines[begun:start], *self._at_once(part, self.lines[start:])]
                    begun = len(self.lines)
                for operand in waiting:
                    self._release(operand)
                waiting = []
        results = "".join(f"{name}, " for name in (*self.used, *self.outputs.values()))
        arguments = ", ".join((*parameters, *self.used, *self.outputs.values()))
        quick += self.lines[begun:]
        self.registers = len(self.used)
        text, self.text = [
            f"def block({arguments}):\n" + "".join(f"    {line}\n" for line in (*lines, f"return {results}"))
            for lines in (self.lines, quick)
        ]
        self.piece = defined(text, "<npexport block>", self.source.namespace, code_again)
        self.function = defined(self.text, "<npexport block>", self.source.namespace, code_again) if runs else self.piece

    def _at_once(self, part: Part, lines: Sequence[str]) -> list[str]:
        """The statements of a part: as one call of C, and as they are where that declines."""
        found = self.source.fresh("e")
        outputs = [self.names[node] for node in part.outputs]
        taken = ", ".join((*(self.names[node] for node in part.operands), *outputs))
        call = f"{found} = {self.source.bind(part.run)}({self.source.bind(part.expression)}, {taken})"
        given = f"{', '.join(outputs)}, = {found}"
        return [call, f"if {found} is None:", *(f"    {line}" for line in lines), "else:", f"    {given}"]

    def _last_uses(self) -> dict[Node, list[Node]]:
        """For each member, the members whose memory nothing uses after it."""
        members = set(self.group.members)
        holder = self.holder = {node: node for node in members}
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
            short = _short_sum(node.target) if self.fast_math and _is_last_sum(call) else None
            if short is not None:
                keepdims = self.source.value(bool(call.kwargs.get("keepdims", False)))
                text = f"{self.source.bind(short)}({self.names[node.args[0]]}, {keepdims})"
            else:
                text = self.source.call(call, self.names, None)
            text = text if out is None else f"{self.source.bind(into)}({text}, {out})"
        self.names[node] = out or self.source.fresh("t")
        self.lines.append(f"{self.names[node]} = {text}")

    def _register(self, node: Node) -> str:
        """The memory of a member that is no output."""
        taken = [name for name, value in self.cells.items() if value is not None and self._may_replace(node, value)]
        taken = taken if node not in self.part_of else []
        free = [name for name, value in self.cells.items() if value is None and self.kinds[name] == _kind(node)]
        for name in (*taken, *free):
            if self._stays_free(name, node):
                break
        else:
            name = self.source.fresh("r")
            self.used.append(name)
            self.kinds[name] = _kind(node)
        self.cells[name] = node
        return name

    def _may_replace(self, node: Node, value: Node) -> bool:
        """Whether a member may compute into the memory of an operand."""
        if self.last[value] != self.number[node] or value not in node.args or not _takes_out(node) or _kind(node) != _kind(value):
            return False
        if rounds_alone(node.target, node.meta["val"].dtype):  # type: ignore[arg-type]
            return False  # the last block may have one element
        return not any(other is not value and self.holder.get(other) is value for other in node.all_input_nodes)

    def _stays_free(self, name: str, node: Node) -> bool:
        """Whether the value in this memory is no longer needed when the output whose memory it is
        gets computed.
        """
        for output, own in self.outputs.items():
            if own == name:
                last, due = self.last[node], self.number[output]
                if output in self.part_of:
                    return last < self.number[self.part_of[output].members[0]]
                return last < due or (last == due and self._may_replace(output, node))
        return True

    def _release(self, value: Node) -> None:
        name = self.names[value]
        if name in self.cells:
            if self.cells[name] is value and value not in self.outputs:
                self.cells[name] = None
        elif value not in self.outputs:
            self.lines.append(f"{name} = None")


def _sum(x: Array, keepdims: bool) -> Array:
    total: Array = x @ np.ones(x.shape[-1], x.dtype)
    return total[..., None] if keepdims else total


def _mean(x: Array, keepdims: bool) -> Array:
    total = _sum(x, keepdims)
    total /= x.shape[-1]
    return total


def _short_sum(op: Any) -> Callable[[Array, bool], Array] | None:
    """The statement that computes a sum as a product with ones."""
    return _sum if op is ops.np.sum else _mean if op is ops.np.mean else None


def _is_last_sum(node: Node) -> bool:
    return bool(reduced_axes(node)) and node.args[1:] == (-1,) and node.args[0].meta["val"].dtype.char in "fd"


def _kind(node: Node) -> Any:
    """The key of values whose blocks have one shape and dtype."""
    meta = node.meta["val"]
    return meta.dtype, size_key(meta)


def _takes_out(node: Node) -> bool:
    return is_elementwise_ufunc(node)


def _is_plain_cast(node: Node) -> bool:
    """Whether a cast can write to existing memory."""
    op: Op = node.target  # type: ignore[assignment]
    return op is ops.np.astype and len(node.args) == 2 and node.kwargs.keys() <= {"casting"} and type(node.args[0]) is Node


def _kernel(node: Node) -> Any:
    op: Op = node.target  # type: ignore[assignment]
    return op.kernel


def _with_last_axes(node: Node) -> Node:
    """The node with its axes counted from the last one, so that they stay right when leading axes
    are merged.
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
