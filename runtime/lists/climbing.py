"""Numbers that iterations of loops leave as they are or raise by little: how large they are.

Laws:

1. What an iteration gives for such a number is at least what it took, and more by a constant at
   most, on all sides of its branches.
2. So in each iteration the number is at least what the loop began with, and at most that and the
   constant for every iteration before; a number that begins small is never large.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.node import value_of
from npexport.runtime.lists.list_calls import may_miss
from npexport.runtime.loops.counted_loops import Counted
from npexport.runtime.memory.inherited_memory import Block, block_of, is_item
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt

_LITTLE = 1 << 20
_SMALL = 1 << 60


class Bounds(NamedTuple):
    """The least value, and the largest; ``None`` if that is only known to be small."""

    least: int
    most: Any


class Climbing:
    """Such numbers of loops, and of the graphs that they are given to."""

    def __init__(self) -> None:
        self._bounds: dict[Node, Bounds] = {}

    def of(self, value: Any) -> Bounds | None:
        """The bounds of a number; ``None`` if none are known."""
        if type(value) is int:
            return Bounds(value, value) if 0 <= value < _SMALL else None
        if type(value) is not Node or value in self._bounds:
            return self._bounds.get(value) if type(value) is Node else None
        for other in value.graph.placeholders:
            more = _apart(value, other) if other in self._bounds else None
            if more is not None and -_LITTLE <= more <= _LITTLE:
                least, most = self._bounds[other]
                return Bounds(least + more, None if most is None else most + more)
        return None

    def misses(self, node: Node) -> tuple[bool, bool]:
        """Whether a call reads or writes at a place before the first element, and behind the
        last.
        """
        before, behind = may_miss(node)
        bounds = self.of(node.args[1])
        if bounds is None:
            return before, behind
        (size,) = node.args[0].meta["val"].shape
        return before and bounds.least < 0, behind and not (bounds.most is not None and known(bounds.most < size) is True)

    def given(self, graph: Graph, values: Sequence[Any]) -> None:
        """A sub-graph takes these values."""
        for placeholder, value in zip(graph.placeholders, values, strict=True):
            bounds = self.of(value) if type(placeholder.meta["val"]) is SymInt else None
            if bounds is not None:
                self._bounds[placeholder] = bounds

    def loop(self, iteration: Graph, carried: Sequence[Any], operands: Sequence[Any], count: Counted | None) -> None:
        """An iteration takes what the one before gave; the first one takes these."""
        for placeholder, value in zip(iteration.placeholders[len(carried) :], operands, strict=True):
            bounds = self.of(value) if type(placeholder.meta["val"]) is SymInt else None
            if bounds is not None:
                self._bounds[placeholder] = bounds
        before = _iterations_before(count, carried)
        if count is not None and before is not None and count.step > 0 and (begins := self.of(carried[count.place])) is not None:
            self._bounds[iteration.placeholders[count.place]] = Bounds(begins.least, begins.least + count.step * before)
        for carry, first, last in zip(iteration.placeholders, carried, iteration.output_node.args[0], strict=False):
            begins, more = self.of(first), _rise(last, carry)
            if begins is None or more is None or type(carry.meta["val"]) is not SymInt:
                continue
            most = begins.most if more == 0 else None if before is None or begins.most is None else begins.most + more * before
            self._bounds[carry] = Bounds(begins.least, most)


def _iterations_before(count: Counted | None, carried: Sequence[Any]) -> Any:
    """The largest number of iterations before one of a loop."""
    if count is None or type(carried[count.place]) is not int or count.pace % count.step:
        return None
    (left,), counter = count.margin.output_node.args[0], count.body.placeholders[count.place].meta["val"]
    margin = value_of(left)
    whole = margin + (count.pace // count.step) * (counter - carried[count.place])
    if count.pace != 1 and type(whole) is not int:
        return None
    return whole // count.pace + 1 if count.pace != 1 else whole + 1


def _rise(value: Any, carry: Node) -> int | None:
    """By how much at most a value of a graph is more than one that it takes; ``None`` if that is
    not known, or it may be less.
    """
    more = _apart(value, carry)
    if more is not None:
        return more if 0 <= more <= _LITTLE else None
    if type(value) is not Node or not is_item(value) or value.args[0].op != CALL:
        return None
    block = block_of(value.args[0])
    return None if block is None or block.loops else _rise_of_sides(value, block, carry)


def _rise_of_sides(item: Node, block: Block, carry: Node) -> int | None:
    rises = []
    for side in block.graphs:
        result = side.output_node.args[0][item.args[1]]
        found = [
            inner + outer
            for placeholder, operand in zip(side.placeholders, block.values, strict=True)
            if (outer := _apart(operand, carry)) is not None and (inner := _rise(result, placeholder)) is not None
        ]
        found = [rise for rise in found if 0 <= rise <= _LITTLE]
        if not found:
            return None
        rises.append(min(found))
    return max(rises)


def _apart(value: Any, other: Node) -> int | None:
    """The constant difference of two numbers of one graph; ``None`` if there is none."""
    if value is other:
        return 0
    one, two = value_of(value), other.meta["val"]
    if type(one) is not SymInt or type(two) is not SymInt or value.graph is not other.graph:
        return None
    apart = one.expression - two.expression
    return None if apart.terms else int(apart.const)
