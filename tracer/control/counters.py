"""Counters of ``for`` loops whose length is a size, or a number that only data know: they take the
place of the iterator.

A range and an array are known where the loop begins; for ``enumerate``, ``zip`` and ``reversed``
see `npexport.tracer.models.iteration.counted`.
"""

from __future__ import annotations

import functools
import gc
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from npexport.ir.meta import TensorMeta
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_min
from npexport.symshapes.limits import EXACT_FLOATS
from npexport.symshapes.ranges import ValueRanges, int_oo
from npexport.symshapes.symint import SymBool, SymInt, is_symbolic
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core import array_iterator, filled_dict, inner_lists
from npexport.tracer.arrays.core.filled_dict import FilledDict, FilledView
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import INNER
from npexport.tracer.arrays.core.item_structures import holds_arrays
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import Region
from npexport.tracer.arrays.core.structures_of_items import common_item
from npexport.tracer.control.leaves import MOST, is_carried, union_of
from npexport.tracer.control.refusals import Refused
from npexport.tracer.control.results import suppose
from npexport.tracer.control.symbolic_unions import begin, may_begin
from npexport.tracer.effects.parts import same
from npexport.tracer.effects.world import ShadowedWorld, current_world
from npexport.tracer.interpreter.counting import COUNTED, Counting, counting_of
from npexport.tracer.interpreter.operators import BUILTIN_ITERATORS
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion

COUNTED.update((ArrayProxy, array_iterator.Rows, FilledList, FilledDict, FilledView, *INNER, range))
_GONE_OVER_BY_PLACE = (FilledDict, FilledView, *INNER)
"""Containers that always need a counter, since no C iterator can iterate over them."""
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


class ArrayItems(NamedTuple):
    """The items of an array along its first axis."""

    array: Any

    def __call__(self, position: Any) -> Any:
        try:
            return self.array[position]
        except IndexError:  # what is run is an iteration, which no iterator begins without an item
            raise Refused("the example has no such item") from None

    def arrays(self) -> tuple[Any, ...]:
        """The array."""
        return (self.array,)


class ListItems(NamedTuple):
    """The items of a list that a loop has filled; after a branch it may be one of several lists."""

    grown: FilledList | SymbolicUnion

    def __call__(self, position: Any) -> Any:
        return self._list().at(position)

    def arrays(self) -> tuple[Any, ...]:
        """The columns."""
        return self._list().columns

    def _list(self) -> FilledList:
        return _chosen(self.grown)  # type: ignore[no-any-return]


def _chosen(value: Any) -> Any:
    """The value; after a branch it may be one of several."""
    return value.ask() if isinstance(value, SymbolicUnion) else value


class ZippedItems(NamedTuple):
    """Tuples of the items of several sequences."""

    parts: tuple[Any, ...]

    def __call__(self, position: Any) -> Any:
        return tuple([_chosen(part)(position) for part in self.parts])

    def arrays(self) -> tuple[Any, ...]:
        """The arrays of all parts."""
        return tuple([array for part in self.parts for array in _chosen(part).arrays()])


class ItemsAtNumbers(NamedTuple):
    """The items of a sequence at these numbers, as a counter gives them that runs backwards."""

    items: Any
    numbers: Numbers

    def __call__(self, position: Any) -> Any:
        return self.items(self.numbers(position))

    def arrays(self) -> tuple[Any, ...]:
        """The arrays of the sequence."""
        return self.items.arrays()  # type: ignore[no-any-return]


class ChosenItems(NamedTuple):
    """Values of several kinds, chosen by their position."""

    options: tuple[Any, ...]

    def __call__(self, position: Any) -> Any:
        if type(position) is int:
            return self.options[position]
        world = current_world()
        begin(world, world.host.vm)
        return union_of([position == place for place in range(len(self.options) - 1)], list(self.options), "an item of the loop")

    def arrays(self) -> tuple[Any, ...]:
        """The arrays among the options."""
        return tuple([option for option in self.options if type(option) is ArrayProxy])


class KeptItems(NamedTuple):
    """Items from ``containers``, each of which is kept with what it holds and may not change."""

    items: Any
    containers: tuple[tuple[Any, list[Any]], ...]

    def __call__(self, position: Any) -> Any:
        for container, held in self.containers:
            now = _held(container)
            if len(now) != len(held) or not all(map(same, now, held)):
                raise Unsupported("E103", f"a loop that sizes or data may end changes the {type(container).__name__} that it iterates over")
        return self.items(position)

    def arrays(self) -> tuple[Any, ...]:
        """The arrays whose rows are among the items."""
        return self.items.arrays()  # type: ignore[no-any-return]


def kept(items: Any, containers: list[Any]) -> Any:
    """Items that are those of these containers as long as the containers do not change."""
    held = tuple([(container, _held(container)) for container in containers if type(container) not in (tuple, str)])
    return KeptItems(items, held) if held else items


def _held(container: Any) -> list[Any]:
    return [*container.keys(), *container.values()] if type(container) is dict else list(container)


def items_of(values: list[Any]) -> Any:
    """A function from positions to these values; ``None`` if a number cannot choose among them, or
    there are none.
    """
    if not values:
        return None
    if all(type(value) is tuple and len(value) == len(values[0]) for value in values):
        parts = [items_of(list(column)) for column in zip(*values, strict=True)]
        return None if None in parts else ZippedItems(tuple(parts))
    try:
        item = common_item(values)
    except Unsupported:
        item = None
    if item is not None and not holds_arrays(item) and type(item) in (TensorMeta, type):
        return ListItems(FilledList.of(item, values))
    chosen = len(values) <= MOST and all(map(is_carried, values)) and may_begin(current_world())
    return ChosenItems(tuple(values)) if chosen else None


BACKWARDS: type = type(reversed(list[Any]()))
_OF_CONTAINERS = frozenset({BACKWARDS, *map(type, map(iter, ([], (), "", "é", {}, {}.values(), {}.items())))})
"""C iterators that reveal what they have left."""
CONTAINERS = frozenset({list, tuple, dict, *map(type, ({}.keys(), {}.values(), {}.items()))})
"""Types of containers with such iterators."""


def along(value: Any) -> tuple[Any, Any] | None:
    """The items of a sequence by position, and its length; ``None`` if a number finds no item."""
    if type(value) is Counting:
        length, numbers = SymRange(value.value, value.stop, value.step).__len__(), Numbers(value.value, value.step)
        return (numbers if value.items is None else ItemsAtNumbers(value.items, numbers)), length
    if type(value) is SymRange and True in (known(value.step > 0), known(value.step < 0)):
        return Numbers(value.start, value.step), value.__len__()
    if type(value) is range:
        return Numbers(value.start, value.step), max(0, -((value.start - value.stop) // value.step))
    if type(value) is FilledList:
        return ListItems(value), value.length
    if type(value) in INNER:
        return inner_lists.along(value)
    if type(value) in (FilledDict, FilledView):
        return filled_dict.along(value)
    if type(value) is ArrayProxy and value.meta.shape:
        return ArrayItems(value), value.meta.shape[0]
    return None


def is_counted(world: ShadowedWorld, length: Any) -> bool:
    """Whether to try a loop of this length as one node."""
    return world.counting if type(length) is SymInt else world.unrolling.is_large(length)


def counter_of(world: ShadowedWorld, value: Any) -> Counting | None:
    """The counter of a range or an array whose length is not a plain integer, or is large; or of
    what is left of an array's iterator that the program lets go of.
    """
    if type(value) is Counting:
        return value
    if type(value) is array_iterator.Rows:
        if not is_counted(world, value.array.meta.shape[0]) or world.recorder.session.is_held(value):
            return None
        return _counting(_left_of_array(value))
    found = along(value)
    if found is None or not (is_counted(world, found[1]) or (type(found[1]) is int and type(value) in _GONE_OVER_BY_PLACE)):
        return None
    if type(value) in (range, SymRange) and type(value.step) is int:
        return Counting(value.start, value.stop, value.step)
    return Counting(0, found[1], 1, found[0])  # a counter whose step is not known counts the items


def resumed(iterator: Any, of_data: bool) -> tuple[Counting, list[Any], list[Any]] | None:
    """The counter for what is left of an iterator of a range, an array or a container, or of
    ``enumerate`` or ``zip`` of these, which is not advanced; the iterators that it replaces; and
    the containers, which the loop must not change. ``of_data``: data end the loop; a loop over a
    container that sizes end runs the iterations of the example.
    """
    counter = counting_of(iterator)
    if counter is not None:
        held = [part.containers for part in _parts(counter.items) if type(part) is KeptItems]
        return counter, [iterator], [container for containers in held for container, _ in containers]
    found = left_of(iterator)
    if found is not None and found.containers and not of_data:
        return None
    return None if found is None else (_counting(found), found.iterators, found.containers)


class _Left(NamedTuple):
    """The items that an iterator has left: a function of their position, and their number."""

    items: Any
    length: Any
    iterators: list[Any]
    containers: list[Any]


def _left_of_array(iterator: array_iterator.Rows) -> _Left:
    array = iterator.array[iterator.position :] if iterator.position else iterator.array
    return _Left(ArrayItems(array), array.meta.shape[0], [iterator], [])


def _counting(left: _Left) -> Counting:
    return Counting(0, left.length, 1, left.items)


def left_of(iterator: Any, chooses: Callable[[list[Any]], Any] = items_of) -> _Left | None:
    """The items that an iterator has left; ``chooses``: makes that function for the items of a
    container.
    """
    if type(iterator) is array_iterator.Rows:
        return _left_of_array(iterator)
    if type(iterator) is reversed:
        reduced: Any = iterator.__reduce__()
        _, (sequence, *_), *last = reduced
        if type(sequence) is not ArrayProxy or not last:
            return None
        return _Left(ItemsAtNumbers(ArrayItems(sequence), Numbers(last[0], -1)), last[0] + 1, [iterator], [])
    if type(iterator) in _OF_CONTAINERS:
        _, (container, *_), *position = iterator.__reduce__()
        start = position[0] if position else 0
        values = list(container)[start::-1] if type(iterator) is BACKWARDS else list(container)[start:]
        items = chooses(values)
        whole = [one for one in gc.get_referents(iterator) if isinstance(one, (list, dict, tuple, str))]
        return None if items is None else _Left(items, len(values), [iterator], whole)
    if type(iterator) is enumerate or type(iterator) is zip:
        parts = iterator.__reduce__()[1:]
        inner = [parts[0][0]] if type(iterator) is enumerate else list(parts[0])
        found = [each for each in [left_of(one, chooses) for one in inner] if each is not None]
        if not inner or len(found) < len(inner):
            return None
        strict = type(iterator) is zip and len(parts) > 1
        if strict and any(type(each.length) is not int or each.length != found[0].length for each in found):
            return None
        items = [each.items for each in found]
        length = functools.reduce(sym_min, [each.length for each in found])
        together = ZippedItems((Numbers(parts[0][1], 1), items[0]) if type(iterator) is enumerate else tuple(items))
        iterators = [iterator, *[one for each in found for one in each.iterators]]
        return _Left(together, length, iterators, [one for each in found for one in each.containers])
    counter = counting_of(iterator)
    if counter is None:
        return None
    return _Left(Numbers(counter.value, counter.step), SymRange(counter.value, counter.stop, counter.step).__len__(), [iterator], [])


def rest_of(counter: Counting, reason: str) -> Any:
    """An iterator over the remaining items; the number of iterations becomes a constant, for this
    reason.
    """
    left = SymRange(counter.value, counter.stop, counter.step)
    length = left.__len__()
    if is_symbolic(length):
        length = length._constant(reason)
    if counter.items is None and not is_symbolic(counter.value):
        return iter(range(counter.value, counter.value + length * counter.step, counter.step))
    numbers = [counter.value + position * counter.step for position in range(length)]
    return iter(numbers) if counter.items is None else _one_by_one(counter.items, numbers)


def _one_by_one(items: Any, numbers: list[Any]) -> Iterator[Any]:
    lengths = [(grown, grown.length) for grown in lists_of(items)]
    for number in numbers:
        yield items(number)
        if any(grown.length is not length for grown, length in lengths):
            raise length_changes()


def items_iterated(iterator: Any) -> Any:
    """The items of a counter, or of what is left of one; ``None`` for any other iterator."""
    if type(iterator) is Counting:
        return iterator.items
    if type(iterator) is types.GeneratorType and iterator.gi_code is _one_by_one.__code__:
        return inspect.getgeneratorlocals(iterator).get("items")
    return None


def lists_of(items: Any) -> list[Any]:
    """The lists, and the rows of dicts and sets, that a counter iterates over."""
    found = [part.rows if type(part) is FilledDict else part for part in _parts(items)]
    return [part for part in found if type(part) is FilledList]


def _parts(items: Any) -> Iterator[Any]:
    """What the items of a counter are made of, at every depth."""
    yield items
    if type(items) is KeptItems:  # its containers are the program's
        yield from _parts(items.items)
    elif type(items) is tuple or hasattr(items, "_fields"):
        for part in items:
            yield from _parts(part)


def length_changes() -> Unsupported:
    """The error for a loop that changes the length of the list that it iterates over."""
    hint = "Iterate over a copy: for item in list(items)."
    return Unsupported(
        "E103", "a loop changes the length of the list that it iterates over, and only sizes or data know that length", hint=hint
    )


def reach(first: Counting, due: bool) -> tuple[Any, Any]:
    """Bounds of a counter's value in every iteration: it moves away from the first value, and stops
    before ``stop``. Bounds that are sizes are left out. ``due``: whether it was already advanced
    for the iteration.
    """
    small = type(first.value) is int and abs(first.value) < _SMALL and abs(first.step) < _SMALL
    low, high = (-EXACT_FLOATS, EXACT_FLOATS) if small else (-int_oo, int_oo)
    value, stop = _bounds(first.value), _bounds(first.stop)
    if _of_one_iteration(first):
        return low, high
    if first.step > 0:
        return max(low, value.lower), high
    return max(low, stop.lower + first.step + 1 if due else low), min(high, value.upper)


def of_any_iteration(region: Region, first: Counting, name: str, due: bool, by_count: bool) -> Counting:
    """The counter in any iteration, which runs in the region: it moves away from the first value,
    and has not passed the end.

    ``due``: whether it was already advanced for the iteration. ``by_count``: whether the counter
    alone decides that another iteration follows; then shapes may depend on that, too.
    """
    value, up = region.enter(first.value, name, reach(first, due)), first.step > 0
    passed = [number - first.step for number in (first.value, value)] if due else []
    truths = [value >= first.value if up else value <= first.value]
    truths += [number < first.stop if up else number > first.stop for number in passed]
    supposed = by_count and not _of_one_iteration(first)
    for truth in truths:
        if supposed:
            suppose(region.recorder, truth, True)
        elif type(truth) is SymBool:
            region.inside.append(truth.expression)
    return first._replace(value=value)


def _of_one_iteration(first: Counting) -> bool:
    """Whether the counter ends after the present iteration, so that there is no loop."""
    value, stop = _bounds(first.value), _bounds(first.stop)
    return bool(value.lower >= stop.upper if first.step > 0 else value.upper <= stop.lower)


def _bounds(number: Any) -> ValueRanges:
    """The bounds of an integer that hold everywhere in the program."""
    if type(number) is not SymInt:
        return ValueRanges(number, number)
    return number.env.facts.bounds(number.expression)


def holds_a_result(stack: list[Any], before: list[Any]) -> bool:
    """Whether the stack of a path that has left a loop holds a value that is about to be returned:
    one that is not an iterator and was not there before the loop.
    """
    others = [(place, value) for place, value in enumerate(stack) if type(value) not in (Counting, array_iterator.Rows, *BUILTIN_ITERATORS)]
    return any(place >= len(before) or value is not before[place] for place, value in others)
