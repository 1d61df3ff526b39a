"""``itertools.count``, ``repeat`` and ``cycle`` beside sequences in ``zip``: functions from positions
to items.
"""

from __future__ import annotations

import gc
import itertools
import operator
from typing import Any, NamedTuple

from npexport.tracer.arrays.core.filled_list import FilledList, freeze
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.control.counters import Numbers, along, items_of
from npexport.tracer.control.refusals import Refused
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
    """The items of a sequence, again and again. ``cycle`` keeps those of the first time, so the
    sequence must not change.
    """

    items: Any
    length: Any
    array: Any
    version: int

    def __call__(self, position: Any) -> Any:
        if self.array is not None and self.array.storage.version != self.version:
            raise Refused("itertools.cycle keeps the items of an array that changes")
        return self.items(position % self.length)

    def arrays(self) -> tuple[Any, ...]:
        """The arrays of the sequence."""
        return tuple(self.items.arrays())


class Cycled:
    """What `itertools.cycle` makes of a sequence where ``zip`` takes it."""

    __slots__ = ("found", "values")

    def __init__(self, found: CycledItems, values: Any) -> None:
        self.found, self.values = found, values


def cycled(values: Any) -> Cycled | None:
    """The cycle over a sequence that is not empty, if a number finds its items."""
    if type(values) in (list, tuple):
        found = (items_of(list(values)), len(values)) if values else None
    else:
        found = along(values)
    if found is None or found[0] is None or not found[1] > 0:
        return None
    if type(values) is FilledList:
        freeze(values)
    array = values if type(values) is ArrayProxy else None
    return Cycled(CycledItems(*found, array, 0 if array is None else array.storage.version), values)


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


def made(arg: Any) -> Any:
    """What ``zip`` takes where no position finds all items: the iterator of C."""
    return itertools.cycle(arg.values) if type(arg) is Cycled else arg
