"""Counters of loops whose number of turns only the data know: iterators of ranges that are never
changed, only replaced on the stack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from npexport.symshapes.env import known


class Counting(NamedTuple):
    """The iterator of ``range(value, stop, step)``."""

    value: Any
    stop: Any
    step: Any

    def going(self) -> Any:
        """Whether there is another item: a truth, or a truth that only the data know."""
        truth = self.value < self.stop if self.step > 0 else self.value > self.stop
        decided = known(truth)
        return truth if decided is None else decided

    def advance(self, stack: list[Any]) -> list[Any]:
        """Take the next item: the stack, on which the iterator lies, as it is then."""
        stack[-1] = self._replace(value=self.value + self.step)
        stack.append(self.value)
        return stack


def counting_of(iterator: Any) -> Counting | None:
    """The counter of an iterator of a range where it stands."""
    if type(iterator) is Counting:
        return iterator
    if type(iterator) is not type(iter(range(0))):
        return None
    state: Any = iterator.__reduce__()
    _, (rest,), *taken = state  # CPython 3.11 counts what was taken
    return Counting(rest.start + (taken[0] or 0 if taken else 0) * rest.step, rest.stop, rest.step)
