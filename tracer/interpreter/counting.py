"""Counters of loops whose number of iterations is not a plain integer: immutable iterators, which
are replaced on the stack.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

from npexport.symshapes.env import known
from npexport.symshapes.symrange import SymRange

_COUNT = re.compile(r"count\((-?\d{1,18})(?:, ([1-9]\d{0,9}))?\)")
_NEVER = (1 << 63) - 1
"""The end of a counter that does not end."""


class _Due:
    """The placeholder on the stack for the item of an iteration that has not begun."""

    def __repr__(self) -> str:
        return "the item of an iteration"


DUE: Any = _Due()
COUNTED: set[type] = {SymRange}
"""Types whose objects a loop may iterate by a counter."""


class Counting(NamedTuple):
    """The iterator of ``range(value, stop, step)``, or of what ``items`` gives for these numbers.

    ``items`` is called with a number; ``items.arrays()`` are the arrays that it reads. ``peeled``:
    the number of first iterations that ran by themselves because they could not be captured.
    """

    value: Any
    stop: Any
    step: Any
    items: Any = None
    peeled: int = 0

    def is_static(self) -> bool:
        """Whether the number of iterations is known."""
        return type(self.value) is int and type(self.stop) is int

    def going(self) -> Any:
        """Whether there is another item: a bool, or a truth that only sizes or data know."""
        truth = self.value < self.stop if self.step > 0 else self.value > self.stop
        decided = known(truth)
        return truth if decided is None else decided

    def item(self, number: Any) -> Any:
        """The item for a number."""
        return number if self.items is None else self.items(number)

    def arrays(self) -> tuple[Any, ...]:
        """The arrays whose items these are."""
        return () if self.items is None else self.items.arrays()

    def advance(self, stack: list[Any]) -> list[Any]:
        """Take the next item; returns the stack after that, given the stack with the iterator on
        it.

        The item is only due: nothing is read of an array before the iteration begins.
        """
        stack[-1] = self._replace(value=self.value + self.step)
        stack.append(DUE)
        return stack


COUNTED.add(Counting)


def begin(stack: list[Any]) -> None:
    """Begin an iteration: take the item that is due."""
    if stack and stack[-1] is DUE:
        counter = stack[-2]
        stack[-1] = counter.item(counter.value - counter.step)


def due(stack: list[Any]) -> list[Any]:
    """The stack at the start of an iteration, as it is before its item is taken."""
    return [*stack[:-1], DUE] if len(stack) > 1 and type(stack[-2]) is Counting else list(stack)


def counting_of(iterator: Any) -> Counting | None:
    """The counter for an iterator of a range, or of ``itertools.count``, at its position."""
    if type(iterator) is Counting:
        return iterator
    if type(iterator) is itertools.count:
        numbers = _COUNT.fullmatch(repr(iterator))
        return Counting(int(numbers[1]), _NEVER, int(numbers[2] or 1)) if numbers is not None else None
    if type(iterator) is not type(iter(range(0))):
        return None
    state: Any = iterator.__reduce__()
    _, (rest,), *taken = state  # CPython 3.11 counts what was taken
    return Counting(rest.start + (taken[0] or 0 if taken else 0) * rest.step, rest.stop, rest.step)
