"""``itertools.count``, ``repeat`` and ``cycle`` beside sequences in ``zip``: functions from
positions to items.
"""

from __future__ import annotations

import gc
import itertools
import operator
from typing import Any, NamedTuple

from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.listed_memory import tie
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.control.counters import Numbers, along, items_of
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.counting import counting_of
from npexport.tracer.interpreter.frame import Machine


class Constant(NamedTuple):
    """The same value, however often."""

    value: Any

    def __call__(self, position: Any) -> Any:
        return self.value

    def arrays(self) -> tuple[Any, ...]:
        """None."""
        return ()


class CycledItems(NamedTuple):
    """The items of a sequence, again and again."""

    items: Any
    length: Any

    def __call__(self, position: Any) -> Any:
        return self.items(position % self.length)

    def arrays(self) -> tuple[Any, ...]:
        """The arrays of the sequence."""
        return tuple(self.items.arrays())


class Cycled:
    """What `itertools.cycle` makes of a sequence where ``zip`` takes it."""

    __slots__ = ("found", "values")

    def __init__(self, found: CycledItems, values: Any) -> None:
        self.found, self.values = found, values


def stays(world: ShadowedWorld, vm: Machine, values: Any) -> bool:
    """Whether a sequence is the same from now on, which the program may not change any more: C
    reads its items at other times.
    """
    if type(values) is list:
        return world.alone(vm, values)
    if type(values) is FilledList:
        values.freeze()
    elif type(values) is ArrayProxy:
        tie(values.storage)
    return True


def cycled(values: Any) -> Cycled | None:
    """The cycle over a sequence that is not empty, if a number finds its items."""
    if type(values) in (list, tuple):
        found = (items_of(list(values)), len(values)) if values else None
    else:
        found = along(values)
    if found is None or found[0] is None or not found[1] > 0:
        return None
    return Cycled(CycledItems(*found), values)


def endless(world: ShadowedWorld, vm: Machine, value: Any) -> Any:
    """The items of what never ends, by their position; ``None`` for anything else."""
    if type(value) is Cycled:
        return value.found
    if type(value) is itertools.repeat:
        return None if operator.length_hint(value, -1) >= 0 else Constant(gc.get_referents(value)[-1])
    if type(value) is itertools.count and world.alone(vm, value):
        counter = counting_of(value)
        return None if counter is None else Numbers(counter.value, counter.step)
    return None


def stay(world: ShadowedWorld, vm: Machine, args: tuple[Any, ...]) -> bool:
    """Whether the sequences of all cycles are the same from now on: C keeps the items of the first
    time.
    """
    return all(stays(world, vm, arg.values) for arg in args if type(arg) is Cycled)


def made(arg: Any) -> Any:
    """What ``zip`` takes where no position finds all items: the iterator of C."""
    return itertools.cycle(arg.values) if type(arg) is Cycled else arg
