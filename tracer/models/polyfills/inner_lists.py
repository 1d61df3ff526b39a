"""Methods of lists that stand in other containers at places of data, where they differ from those
of lists that loops fill (`npexport.tracer.models.polyfills.lists`): these lists have no columns of
their own, so that items move one by one.
"""

from __future__ import annotations

from npexport.tracer.models.polyfills.lists import bound_of


def append(values, value, /):
    length = len(values)
    values.set(length, value)
    values.set_length(length + 1)


def take(values, place, /):
    """Remove and return the item of a place: those behind it move."""
    value = values.at(place)
    last = len(values) - 1
    while place < last:
        values.set(place, values.at(place + 1))
        place += 1
    values.set_length(last)
    return value


def insert(values, index, value, /):
    place = bound_of(index, 0, len(values))
    length = len(values)
    append(values, value)
    while length > place:
        values.set(length, values.at(length - 1))
        length -= 1
    values.set(place, value)


def appendleft(values, value, /):
    insert(values, 0, value)


def clear(values, /):
    values.set_length(0)


def replace(values, others, /):
    """Put other items in the place of all."""
    place = 0
    for value in others:
        values.set(place, value)
        place += 1
    values.set_length(place)


def sort(values, key=None, reverse=False):
    replace(values, sorted(values, key=key, reverse=reverse))
