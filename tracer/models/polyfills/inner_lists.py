"""Methods of lists that stand in other containers at places of data."""

from __future__ import annotations

from npexport.tracer.models.polyfills.lists import out_of_range, position_of


def getitem(values, index, /):
    return values.at(position_of(values, index, f"{values.kind.__name__} index out of range"))


def setitem(values, index, value, /):
    values.put(position_of(values, index, out_of_range(values)), value)


def append(values, value, /):
    length = len(values)
    values.put(length, value)
    values.set_length(length + 1)


def extend(values, others, /):
    for value in others:
        append(values, value)


def iadd(values, others, /):
    extend(values, others)
    return values


def pop(values, index=-1, /):
    length = len(values)
    if length == 0:
        raise IndexError("pop from empty list" if values.kind is list else "pop from an empty deque")
    place = length - 1 if index == -1 else position_of(values, index, "pop index out of range")
    value = values.at(place)
    close_up(values, place)
    return value


def close_up(values, place):
    """Give up the item of a place: those behind it move."""
    last = len(values) - 1
    while place < last:
        values.put(place, values.at(place + 1))
        place += 1
    values.set_length(last)


def delitem(values, index, /):
    close_up(values, position_of(values, index, out_of_range(values)))


def insert(values, index, value, /):
    length = len(values)
    place = max(index + length, 0) if index < 0 else min(index, length)
    values.put(length, value)
    values.set_length(length + 1)
    while length > place:
        values.put(length, values.at(length - 1))
        length -= 1
    values.put(place, value)


def remove(values, value, /):
    place = 0
    while place < len(values):
        if values.at(place) == value:
            close_up(values, place)
            return
        place += 1
    raise ValueError("list.remove(x): x not in list" if values.kind is list else "deque.remove(x): x not in deque")


def clear(values, /):
    values.set_length(0)


def replace(values, others, /):
    """Put other items in the place of all."""
    place = 0
    for value in others:
        values.put(place, value)
        place += 1
    values.set_length(place)


def sort(values, key=None, reverse=False):
    replace(values, sorted(values, key=key, reverse=reverse))


def popleft(values, /):
    if len(values) == 0:
        raise IndexError("pop from an empty deque")
    value = values.at(0)
    close_up(values, 0)
    return value


def appendleft(values, value, /):
    insert(values, 0, value)


def extendleft(values, others, /):
    for value in others:
        insert(values, 0, value)
