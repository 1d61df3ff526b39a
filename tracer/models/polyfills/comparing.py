"""``sorted``, ``list.sort`` and ``heapq`` of items that the program's own Python compares, where
data decide: the comparisons of the C code, in its order, of places instead of items.

Source: ``Objects/listobject.c`` of CPython, for lists that are too short to be merged.
"""

from __future__ import annotations

import functools
from typing import Any

from npexport.tracer.bytecode.host import RUNS_HOLD_EQUAL_ITEMS


def in_order(compared: Any, raises: Any, of_data: Any, compare: Any, values: Any, keys: Any, reverse: bool, /) -> Any:
    """What ``of_data`` returns, unless Python compares the keys: then the items in their order.
    ``raises``: called where a comparison raises, unless nothing is left of the list.
    """
    items = compared(values, keys, compare)
    if items is None:
        return of_data(values, keys, reverse)
    order = [*range(len(keys))]
    if reverse:
        order.reverse()
    sort_places(order, functools.partial(less, items, compare, raises))
    if reverse:
        order.reverse()
    return items.taken(order), keys


def on_heap(compared: Any, raises: Any, operation: Any, heap: Any, given: Any, /) -> Any:
    """An operation of ``heapq`` on a list and the item that it is given, if any."""
    items = compared([*heap, *given], heap, given)
    places = [*range(len(heap))]
    result = operation(places, *range(len(heap), len(heap) + len(given)), better=functools.partial(less, items, None, raises))
    found = items.taken(places if result is None else [*places, result])
    heap[:] = found[: len(places)]
    return None if result is None else found[-1]


def less(items: Any, compare: Any, raises: Any, one: Any, other: Any) -> Any:
    """The comparison of the items at two places. Where data choose a place, the item is made anew
    of its parts.
    """
    mine = None if items.is_known(one) else [column[one] for column in items.columns()]
    theirs = None if items.is_known(other) else [column[other] for column in items.columns()]
    first, second = items.item(one, mine), items.item(other, theirs)
    truth = is_less(first, second, compare) if raises is None else watched(first, second, compare, raises)
    items.require_unchanged(first, mine)
    items.require_unchanged(second, theirs)
    return truth


def is_less(first: Any, second: Any, compare: Any) -> Any:
    return first < second if compare is None else compare(first, second) < 0


def watched(first: Any, second: Any, compare: Any, raises: Any) -> Any:
    try:
        return is_less(first, second, compare)
    except Exception:
        raises()
        raise


def sort_places(order: Any, less: Any) -> None:
    """Sort by insertion what follows the run that the list begins with."""
    if len(order) < 2:
        return
    for start in range(mixed_run(order, less) if RUNS_HOLD_EQUAL_ITEMS else run(order, less), len(order)):
        pivot = order[start]
        low, high = 0, start
        while low < high:
            middle = (low + high) >> 1
            if less(pivot, order[middle]):
                high = middle
            else:
                low = middle + 1
        place = start
        while place > low:
            order[place] = order[place - 1]
            place -= 1
        order[low] = pivot


def run(order: Any, less: Any) -> Any:
    """The length of the run at the beginning, which ascends then: one that descends strictly is
    reversed.
    """
    if not less(order[1], order[0]):
        return ascending(order, 2, less)
    count = 2
    while count < len(order) and less(order[count], order[count - 1]):
        count += 1
    turn(order, 0, count)
    return count


def mixed_run(order: Any, less: Any) -> Any:
    """The same where equal items, too, may stand in a run that descends."""
    count = ascending(order, 1, less)
    if count == len(order) or (count > 1 and less(order[0], order[count - 1])):
        return count
    if count > 1:
        turn(order, 0, count)
    count += 1
    equal = 0
    while count < len(order):
        if less(order[count], order[count - 1]):
            turn(order, count - equal - 1, count)
            equal = 0
        elif less(order[count - 1], order[count]):
            break
        else:
            equal += 1
        count += 1
    turn(order, count - equal - 1, count)
    turn(order, 0, count)
    return ascending(order, count, less)


def ascending(order: Any, count: Any, less: Any) -> Any:
    while count < len(order) and not less(order[count], order[count - 1]):
        count += 1
    return count


def turn(order: Any, low: Any, high: Any) -> None:
    """Reverse a part of a list."""
    high -= 1
    while low < high:
        order[low], order[high] = order[high], order[low]
        low += 1
        high -= 1
