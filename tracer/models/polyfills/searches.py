"""``bisect`` and ``heapq`` on lists that data order: the comparisons of the C code, in its
order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.tracer.interpreter.polyfills import below

TWO_NANS = "tuples with NaN in the same place are compared: the exported program does not know whether it is one object"
NAN_IN_ORDER = "this exported program does not know where NaN goes among items that a heap has ordered"


def bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> int:
    lo, hi = _ends(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        value = a[middle] if key is None else key(a[middle])
        if below(x, value):
            hi = middle
        else:
            lo = middle + 1
    return lo


def bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> int:
    lo, hi = _ends(a, lo, hi)
    while lo < hi:
        middle = (lo + hi) // 2
        value = a[middle] if key is None else key(a[middle])
        if below(value, x):
            lo = middle + 1
        else:
            hi = middle
    return lo


def _ends(a: Any, lo: int, hi: int | None) -> tuple[int, int]:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    return lo, len(a) if hi is None else hi


def insort_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def above(a: Any, b: Any) -> Any:
    return below(b, a)


def _to_root(heap: Any, root: int, place: int, better: Callable[[Any, Any], Any]) -> None:
    """Move an item up past those that come after it."""
    item = heap[place]
    while place > root:
        parent = (place - 1) // 2
        if not better(item, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _to_leaf(heap: Any, root: int, better: Callable[[Any, Any], Any]) -> None:
    """Move the item at the root down to a leaf, along the smaller items, and up to its place."""
    count, place, item = len(heap), root, heap[root]
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and not better(heap[child], heap[child + 1]):
            child += 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    _to_root(heap, root, place, better)


def heapify(heap: Any, /, better: Any = below) -> None:
    for root in reversed(range(len(heap) // 2)):
        _to_leaf(heap, root, better)


def heappush(heap: Any, item: Any, /, better: Any = below) -> None:
    heap.append(item)
    _to_root(heap, 0, len(heap) - 1, better)


def heappop(heap: Any, /, better: Any = below) -> Any:
    _require_items(heap)
    last = heap.pop()
    return _replaced(heap, last, better) if heap else last


def heapreplace(heap: Any, item: Any, /, better: Any = below) -> Any:
    _require_items(heap)
    return _replaced(heap, item, better)


def _require_items(heap: Any) -> None:
    if not heap:
        raise IndexError("index out of range")


def _replaced(heap: Any, item: Any, better: Any) -> Any:
    first = heap[0]
    heap[0] = item
    _to_leaf(heap, 0, better)
    return first


def heappushpop(heap: Any, item: Any, /, better: Any = below) -> Any:
    if heap and better(heap[0], item):
        return _replaced(heap, item, better)
    return item


def below_unless_nan(one: Any, other: Any) -> Any:
    """The same of tuples whose floats may be one object in both of them: two that are NaN are equal
    then, and differ else.
    """
    if not one or not other:
        return len(one) < len(other)
    if (isinstance(one[0], np.ndarray) and one[0] is other[0]) or one[0] == other[0]:
        return below_unless_nan(one[1:], other[1:])
    if len(one) > 1 and isinstance(one[0], (float, np.floating)) and one[0] != one[0] and other[0] != other[0]:
        raise ValueError(TWO_NANS)
    return bool(below(one[0], other[0]))


def numbers_below(one: Any, other: Any) -> Any:
    """The same of tuples of real numbers, no comparison of which raises: without branches. Tuples
    within have the same shapes in both.
    """
    one, other = _leaves(one), _leaves(other)
    pairs, last = [*zip(one, other, strict=False)], max(len(one), len(other)) - 1
    both_nan, before, truth = False, True, len(one) < len(other)
    for place, (mine, theirs) in enumerate(pairs):
        if place < last and isinstance(mine, (float, np.floating)):
            both_nan = both_nan | (before & (mine != mine) & (theirs != theirs))
        before = before & (mine == theirs)
    if both_nan:
        raise ValueError(TWO_NANS)
    for mine, theirs in reversed(pairs):
        truth = (mine < theirs) | ((mine == theirs) & truth)
    return bool(truth)


def above_unless_nan(one: Any, other: Any) -> Any:
    return below_unless_nan(other, one)


def _leaves(items: Any) -> list[Any]:
    found = []
    for item in items:
        found += _leaves(item) if type(item) is tuple else [item]
    return found


def numbers_above(one: Any, other: Any) -> Any:
    return numbers_below(other, one)


def extremes(library: Any, are_of_data: Any, floats_in: Any, count: int, values: Any, key: Any, largest: bool, /) -> Any:
    """``nlargest`` and ``nsmallest``: the first of the sorted items, unless a key is NaN."""
    items = list(values)
    keys = items if key is None else [key(item) for item in items]
    if not are_of_data(keys):
        rest = iter(keys)
        return library(count, items, key=None if key is None else lambda item: next(rest))
    _require_no_nan(floats_in, keys)
    order = sorted(range(len(keys)), key=lambda place: keys[place], reverse=largest)
    return [items[place] for place in order[:count]]


def merge(floats_in: Any, sequences: Any, key: Any, reverse: bool, /) -> list[Any]:
    """The items that ``heapq.merge`` of these gives: of equal ones, the first sequence's first."""
    found, keys = None, None
    for each in sequences:
        items = list(each)
        ranks = items if key is None else [key(item) for item in items]
        _require_no_nan(floats_in, ranks)
        found, keys = (items, ranks) if keys is None else _merged(found, keys, items, ranks, reverse)
    return [] if found is None else found


def merge_kept(call: Any, lists: Any, require_kept: Any, /) -> Any:
    """The same, of lists that a loop over the items may change."""
    return _each(merge(*call), lists, require_kept)


def _each(items: Any, lists: Any, require_kept: Any) -> Any:
    for item in items:
        yield item
        require_kept(lists)


def _merged(items: Any, keys: Any, others: Any, ranks: Any, reverse: bool) -> Any:
    found, order, mine, theirs = [], [], 0, 0
    for _ in range(len(keys) + len(ranks)):
        if mine < len(keys) and (theirs >= len(ranks) or not _comes_before(ranks[theirs], keys[mine], reverse)):
            found.append(items[mine])
            order.append(keys[mine])
            mine += 1
        else:
            found.append(others[theirs])
            order.append(ranks[theirs])
            theirs += 1
    return found, order


def _comes_before(one: Any, other: Any, reverse: bool) -> Any:
    return below(other, one) if reverse else below(one, other)


def _require_no_nan(floats_in: Any, keys: Any) -> None:
    for column in floats_in(keys):
        if np.isnan(column).any():
            raise ValueError(NAN_IN_ORDER)


def followed(function: Callable[..., Any], args: Any, then: Callable[[], Any], /) -> Any:
    """A call, and what is noted after it."""
    result = function(*args)
    then()
    return result
