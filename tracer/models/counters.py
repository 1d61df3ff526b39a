"""What a ``for`` goes over whose length is a size, or a number that only data know: a counter in
place of the iterator.

A range and an array are known where the loop begins. What ``enumerate``, ``zip`` and ``reversed``
give is a counter only where the next instruction begins a loop over it, so that nothing else of the
program ever sees it; everywhere else it is what C makes.
"""

from __future__ import annotations

import functools
import types
from typing import Any, NamedTuple

from npexport.symshapes.functions import sym_min
from npexport.symshapes.limits import EXACT_FLOATS
from npexport.symshapes.ranges import ValueRanges, int_oo
from npexport.symshapes.symint import SymInt, is_symbolic, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core import rows
from npexport.tracer.arrays.core.grown import Grown
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.counting import COUNTED, Counting, counting_of
from npexport.tracer.interpreter.either import Either
from npexport.tracer.interpreter.frame import NULL, Machine
from npexport.tracer.interpreter.listing import is_listed
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.plain import plain
from npexport.tracer.models.registry import DECLINED, Feed, models

COUNTED.update((ArrayProxy, Grown, range))
_SMALL = 1 << 32


class Numbers(NamedTuple):
    """The numbers ``start``, ``start + step``, …"""

    start: Any
    step: Any

    def __call__(self, position: Any) -> Any:
        return self.start + position * self.step

    def arrays(self) -> tuple[Any, ...]:
        """None."""
        return ()


class Rows(NamedTuple):
    """The items of an array along its first axis."""

    array: Any

    def __call__(self, position: Any) -> Any:
        return self.array[position]

    def arrays(self) -> tuple[Any, ...]:
        """The array."""
        return (self.array,)


class Listed(NamedTuple):
    """The items of a list that a loop has filled; a branch may have made it one of several."""

    grown: Grown | Either

    def __call__(self, position: Any) -> Any:
        return self._list().at(position)

    def arrays(self) -> tuple[Any, ...]:
        """The columns."""
        return self._list().columns

    def _list(self) -> Grown:
        return self.grown.ask() if isinstance(self.grown, Either) else self.grown


class Together(NamedTuple):
    """Tuples of the items of several."""

    parts: tuple[Any, ...]

    def __call__(self, position: Any) -> Any:
        return tuple([part(position) for part in self.parts])

    def arrays(self) -> tuple[Any, ...]:
        """Those of all parts."""
        return tuple([array for part in self.parts for array in part.arrays()])


def _along(value: Any) -> tuple[Any, Any] | None:
    """What a sequence gives for a position, and its length; ``None`` where no number finds its
    items.
    """
    if type(value) is Counting:
        length = SymRange(value.value, value.stop, value.step).__len__()
        return (Numbers(value.value, value.step) if value.items is None else value.items), length
    if type(value) is SymRange and type(value.step) is int:
        return Numbers(value.start, value.step), value.__len__()
    if type(value) is range:
        return Numbers(value.start, value.step), max(0, -((value.start - value.stop) // value.step))
    if type(value) is Grown:
        return Listed(value), value.length
    if type(value) is ArrayProxy and value.meta.shape:
        return Rows(value), value.meta.shape[0]
    return None


def _is_counted(world: ShadowedWorld, length: Any) -> bool:
    """Whether a loop of this length is tried as one node."""
    return bool(world.counting if type(length) is SymInt else world.unroll is not None and length > world.unroll)


def counter_of(world: ShadowedWorld, value: Any) -> Counting | None:
    """The counter of a range or an array whose length is not a plain integer, or is large."""
    if type(value) is Counting:
        return value
    found = _along(value)
    if found is None or not _is_counted(world, found[1]):
        return None
    return Counting(value.start, value.stop, value.step) if type(value) in (range, SymRange) else Counting(0, found[1], 1, found[0])


def resumed(iterator: Any) -> tuple[Counting, list[Any]] | None:
    """The counter of what is left of an iterator of a range or an array, or of ``enumerate`` or
    ``zip`` of these, which stays as it is; and the iterators that this takes the place of.
    """
    counter = counting_of(iterator)
    if counter is not None:
        return counter, [iterator]
    found = _left(iterator)
    return None if found is None else (Counting(0, found[1], 1, found[0]), found[2])


def _left(iterator: Any) -> tuple[Any, Any, list[Any]] | None:
    """What gives the items that are left by their position, how many there are, and the
    iterators.
    """
    if type(iterator) is rows.Rows:
        array = iterator.array[iterator.position :] if iterator.position else iterator.array
        return Rows(array), array.meta.shape[0], [iterator]
    if type(iterator) is enumerate or type(iterator) is zip:
        parts = iterator.__reduce__()[1:]
        inner = [parts[0][0]] if type(iterator) is enumerate else list(parts[0]) if len(parts) == 1 else []
        found = [each for each in map(_left, inner) if each is not None]
        if not inner or len(found) < len(inner):
            return None
        items = [each[0] for each in found]
        length = functools.reduce(sym_min, [each[1] for each in found])
        together = Together((Numbers(parts[0][1], 1), items[0]) if type(iterator) is enumerate else tuple(items))
        return together, length, [iterator, *[one for each in found for one in each[2]]]
    counter = counting_of(iterator)
    if counter is None:
        return None
    return Numbers(counter.value, counter.step), SymRange(counter.value, counter.stop, counter.step).__len__(), [iterator]


def rest_of(counter: Counting, reason: str) -> Any:
    """An iterator over the rest, of which this reason makes the number of iterations a constant."""
    left = SymRange(counter.value, counter.stop, counter.step)
    length = plain(left.__len__(), reason)
    if counter.items is None and not is_symbolic(counter.value):
        return iter(range(counter.value, counter.value + length * counter.step, counter.step))
    numbers = [counter.value + position * counter.step for position in range(length)]
    return iter(numbers) if counter.items is None else (counter.items(number) for number in numbers)


def reach(first: Counting, due: bool) -> tuple[Any, Any]:
    """What the value of a counter lies between in every iteration, as far as that is no size: it
    moves away from the first one, and stops before it is ``stop``; ``due``: whether it was moved
    already for the iteration.
    """
    small = type(first.value) is int and abs(first.value) < _SMALL and abs(first.step) < _SMALL
    low, high = (-EXACT_FLOATS, EXACT_FLOATS) if small else (-int_oo, int_oo)
    value, stop = _bounds(first.value), _bounds(first.stop)
    if value.lower >= stop.upper if first.step > 0 else value.upper <= stop.lower:  # of one iteration, which stays a loop
        return low, high
    if first.step > 0:
        return max(low, value.lower), high
    return max(low, stop.lower + first.step + 1 if due else low), min(high, value.upper)


def _bounds(number: Any) -> ValueRanges:
    """What is known of an integer wherever the program is."""
    if type(number) is not SymInt:
        return ValueRanges(number, number)
    return number.env.facts.bounds(number.expression)


# Builtins whose result a loop goes over at once


def _begins_loop(world: ShadowedWorld, vm: Machine) -> bool:
    """Whether a loop of the frame goes over what the call that runs gives, perhaps through
    ``enumerate``.
    """
    frame: Any = vm.frame
    if world.trial is not None or not frame.info.decoded.instructions[frame.pc - 1].name.startswith("CALL"):
        return False
    instructions, index, depth = frame.info.decoded.instructions, frame.pc, len(frame.stack)
    while instructions[index][:2] == ("CALL", 1):
        callee = [each for each in frame.stack[max(depth - 2, 0) : depth] if each is not NULL]
        if len(callee) != 1 or callee[0] is not enumerate:
            return False
        index, depth = index + 1, depth - 2
    if instructions[index].name != "GET_ITER":
        return False
    while instructions[index + 1].name in _AROUND:
        index += 1
    if instructions[index + 1][:2] == ("CALL", 0):  # of a comprehension's own function
        function = next((each for each in reversed(frame.stack[:depth]) if each is not NULL), None)
        return isinstance(function, types.FunctionType) and function.__name__ in _COMPREHENSIONS
    return instructions[index + 1].name in ("FOR_ITER", "ENTER_GENERATOR")


_AROUND = frozenset({"LOAD_FAST_AND_CLEAR", "SWAP", "BUILD_LIST"})
"""What a list comprehension does before its loop."""
_COMPREHENSIONS = frozenset({"<listcomp>", "<genexpr>"})


def _counter(world: ShadowedWorld, lengths: list[Any], items: Any) -> Any:
    """The counter of items by their position."""
    length = lengths[0]
    for other in lengths[1:]:
        length = sym_min(length, other)
    return Counting(0, length, 1, items) if _is_counted(world, length) else DECLINED


@models("builtins", "enumerate", pure=True, iterates="items", feeds=Feed(polyfills.iterate, only_first=True))
def enumerate_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array, or of several."""
    start = kwargs["start"] if kwargs.keys() == {"start"} else args[1] if len(args) == 2 else 0
    found = _along(args[0]) if args and len(args) + len(kwargs) <= 2 and kwargs.keys() <= {"start"} else None
    if found is None and args and python_type(start) is int and is_listed(vm, args[0]) and _begins_loop(world, vm):
        return Invoke(polyfills.numbered, (args[0], start))
    if found is None or python_type(start) is not int or not _begins_loop(world, vm):
        return DECLINED
    return _counter(world, [found[1]], Together((Numbers(start, 1), found[0])))


@models("builtins", "zip", pure=True, iterates="items", feeds=Feed(polyfills.iterate))
def zip_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of ranges and arrays."""
    found = [each for each in map(_along, args) if each is not None]
    if kwargs or not found or len(found) < len(args) or not _begins_loop(world, vm):
        return DECLINED
    return _counter(world, [length for _, length in found], Together(tuple([items for items, _ in found])))


@models("builtins", "reversed", pure=True, calls=polyfills.reversed_)
def reversed_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array."""
    found = _along(args[0]) if len(args) == 1 and not kwargs else None
    if found is None or not _is_counted(world, found[1]) or not _begins_loop(world, vm):
        return DECLINED
    items, length = found
    if type(items) is Numbers:
        return Counting(items(length - 1), items.start - items.step, -items.step)
    return Counting(length - 1, -1, -1, items)
