"""Chains: runs of arithmetic on floats that C computes tile by tile in registers of the machine
(`_chains.h` states the laws), each as a list of steps.

A step is an operator and places of its operands: a value's, or one below 0 of memory of a tile's
size. One value is in the registers: an operator takes it as its first operand and leaves its result
there.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.runtime.blocks.exponentials import is_exponential

STEPS = (
    *("take", "+", "-", "subtract from", "*", "/", "divide into", ">", ">=", "<", "<=", "==", "!="),
    *("square", "sqrt", "negative", "absolute", "maximum", "maximum of", "minimum", "minimum of", "exp", "choose", "keep", "give"),
)
"""The steps, in the order of `_chains.h`; those of operators are what their records call them."""
NUMBERS = {step: number for number, step in enumerate(STEPS)}
COMPARISONS = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}
SWAPPED = {
    **{"+": "+", "-": "subtract from", "*": "*", "/": "divide into", "maximum": "maximum of", "minimum": "minimum of"},
    **COMPARISONS,
}
"""Operators of two operands, and the step where the second one is in the registers."""
UNARY = frozenset({"square", "sqrt", "negative", "absolute", "exp"})
FEWEST, MOST, KEPT = 2, 32, 16
"""Operators of a chain at least and at most, and the values that it keeps at the same time."""

Step = tuple[int, int, int]
Member = tuple[Node, Any]


class Chain:
    """The members from ``first`` to ``last`` of a group; ``given``: those that are needed
    elsewhere.
    """

    def __init__(self, members: Sequence[Member], first: int, last: int, outputs: Collection[Node]) -> None:
        self.first, self.last = first, last
        self.members = members[first : last + 1]
        self.made = {node for node, _ in self.members}
        self.given = {node for node in self.made if node in outputs or any(user not in self.made for user in node.users)}
        self.size = max(int(node.meta["val"].dtype.itemsize) for node, _ in self.members)

    def steps(self, places: Mapping[Node, int], constants: Mapping[Any, int]) -> tuple[Step, ...] | None:
        """The steps, of values with these places; ``None`` where too many are to be kept."""
        found = list(self._in_order())
        last = {operand: number for number, (_, operands) in enumerate(found) for operand in operands if type(operand) is Node}
        slots: dict[Node, int] = {}
        free = list(range(-KEPT, 0))
        steps: list[Step] = []
        for number, (step, operands) in enumerate(found):
            if step == "made":
                (value,) = operands
                if value in self.given:
                    steps.append((NUMBERS["give"], places[value], -1))
                elif last[value] > number:
                    if not free:
                        return None
                    slots[value] = free.pop()
                    steps.append((NUMBERS["keep"], slots[value], -1))
                continue
            where = [_place(operand, slots, places, constants) for operand in operands]
            steps.append((NUMBERS[step], *(*where, -1, -1)[:2]))  # type: ignore[arg-type]
            for operand in dict.fromkeys([operand for operand in operands if type(operand) is Node and operand in slots]):
                if last[operand] == number:
                    free.append(slots.pop(operand))
        return tuple(steps)

    def _in_order(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Each step with what it takes from memory; ``made`` after each member."""
        current: Any = None
        for node, call in self.members:
            one, *others = call.args
            step = call.op.step
            if step in UNARY:
                if one is not current:
                    yield "take", (one,)
                yield step, ()
            elif step == "choose":
                if one is not current:
                    yield "take", (one,)
                yield step, tuple(others)
            elif one is current and others[0] is current and step == "*":
                yield "square", ()
            elif one is not current and others[0] is current:
                yield SWAPPED[step], (one,)
            else:
                if one is not current:
                    yield "take", (one,)
                yield step, (others[0],)
            yield "made", (node,)
            current = node


def _place(operand: Any, slots: Mapping[Node, int], places: Mapping[Node, int], constants: Mapping[Any, int]) -> int:
    if type(operand) is Node:
        return slots[operand] if operand in slots else places[operand]
    return constants[key_of(operand)]


def key_of(constant: Any) -> Any:
    """What constants that are alike have in common."""
    return constant.dtype, constant.tobytes()


def chains_of(members: Sequence[Member], outputs: Collection[Node]) -> list[Chain]:
    """The chains among the members of a group."""
    kinds = [_kind_of(node, call) for node, call in members]
    while True:
        runs = list(_runs(kinds))
        number_of = {members[place][0]: number for number, run in enumerate(runs) for place in run}
        wrong = [place for run in runs for place in run if not _stays_inside(members[place], number_of, outputs)]
        if not wrong:
            break
        for place in wrong:
            kinds[place] = None
    return [Chain(members, run[0], run[-1], outputs) for run in runs if len(run) >= FEWEST]


def _runs(kinds: Sequence[Any]) -> Iterator[range]:
    """Where members of one kind follow one another."""
    start = 0
    for place in range(1, len(kinds) + 1):
        if place == len(kinds) or kinds[place] != kinds[start] or place - start == MOST:
            if kinds[start] is not None:
                yield range(start, place)
            start = place


def _kind_of(node: Node, call: Any) -> str | None:
    """The letter of the dtype in which a chain computes a member; ``None`` where none does."""
    step = call.op.step
    if step not in SWAPPED and step not in UNARY and step != "choose":
        return None
    operands = call.args[1:] if step == "choose" else call.args
    kinds = {_letter_of(arg) for arg in operands}
    (kind,) = kinds if len(kinds) == 1 else (None,)
    if kind not in ("f", "d") or (step in ("maximum", "minimum") and not takes_the_second()):
        return None
    if step == "exp" and not is_exponential(node):
        return None
    return kind


def _letter_of(arg: Any) -> str | None:
    value = value_of(arg)
    return value.dtype.char if isinstance(value, (TensorMeta, np.ndarray)) else None


def _stays_inside(member: Member, number_of: Mapping[Node, int], outputs: Collection[Node]) -> bool:
    """Whether truths are made and chosen by in one run: they have no other place."""
    node, call = member
    if call.op.step == "choose":
        test = call.args[0]
        return type(test) is Node and number_of.get(test) == number_of[node] and test.meta["val"].dtype.kind == "b"
    if call.op.step not in COMPARISONS:
        return True
    if node in outputs or not node.users:
        return False
    return all(number_of.get(user) == number_of[node] and user.args[0] is node and node not in user.args[1:] for user in node.users)


@functools.cache
def takes_the_second() -> bool:
    """Whether NumPy's loops take the second one of two zeros, as the machine's instruction does,
    wherever they stand.
    """
    for dtype in (np.float32, np.float64):
        minus, plus = np.full(77, -0.0, dtype), np.zeros(77, dtype)
        for count in (1, 2, 3, 5, 8, 16, 33, 77):
            for one, other in ((minus, plus), (plus, minus)):
                pairs = (one[:count], other[:count]), (one[:count], other[:1]), (one[:1], other[:count])
                for ufunc in (np.maximum, np.minimum):
                    if any((np.signbit(ufunc(*pair)) != np.signbit(other[0])).any() for pair in pairs):
                        return False
    return True
