"""The searches and comparisons of lists, tuples and arrays, in Python."""

from collections import deque


def _absent(kind, method):
    """The message of a search as a template, where the item stands if it names it."""
    try:
        getattr(kind(), method)("absent")
    except ValueError as error:
        return str(error).replace(repr("absent"), "{!r}")


_NOT_FOUND = {kind: _absent(kind, "index") for kind in (list, tuple, deque)}
NOT_REMOVED = {kind: _absent(kind, "remove") for kind in (list, deque)}


def in_items(items, item, /):
    return any(member is item or member == item for member in items)


def in_array(array, item, /):
    return bool((array == item).any())


def count(items, item, /):
    return sum(member is item or bool(member == item) for member in items)


def index(items, item, start=0, stop=None, /):
    place = _within(start, len(items))
    end = None if stop is None else _within(stop, len(items))
    while place < len(items) and (end is None or place < end):
        if items[place] is item or items[place] == item:
            return place
        place += 1
    raise ValueError(_NOT_FOUND[type(items)].format(item))


def _within(place, count):
    return max(place + count, 0) if place < 0 else place


def remove(items, item, /):
    place = 0
    while place < len(items):
        if items[place] is item or items[place] == item:
            break
        place += 1
    else:
        raise ValueError(NOT_REMOVED[list])
    items.pop(place)


def equal_lists(left, right, /):
    return len(left) == len(right) and all(one is other or one == other for one, other in zip(left, right, strict=True))


def equal_tuples(left, right, /):
    return all(one is other or one == other for one, other in zip(left, right, strict=False)) and len(left) == len(right)


def ordered(relation, left, right, /):
    """``relation`` of two lists or two tuples: of their first different items, or lengths."""
    if not left or not right:
        return relation(len(left), len(right))
    if left[0] is right[0] or left[0] == right[0]:
        return ordered(relation, left[1:], right[1:])
    return relation(left[0], right[0])


def unequal_lists(left, right, /):
    return not equal_lists(left, right)


def unequal_tuples(left, right, /):
    return not equal_tuples(left, right)
