"""Methods of lists that stand in other containers at places of data, where they differ from those
of lists that loops fill (`npexport.tracer.models.polyfills.lists`): these lists have no columns of
their own, so that items move one by one.
"""

from __future__ import annotations


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


def move_last(values, place, /):
    """The last item goes to a place, and those from there on behind it."""
    last = len(values) - 1
    value = values.at(last)
    while last > place:
        values.set(last, values.at(last - 1))
        last -= 1
    values.set(place, value)


def clear(values, /):
    values.set_length(0)


def replace(values, others, /):
    """Put other items in the place of all."""
    place = 0
    for value in others:
        values.set(place, value)
        place += 1
    values.set_length(place)


def sort(values, *, key=None, reverse=False):
    replace(values, sorted(values, key=key, reverse=reverse))


def reverse(values, /):
    replace(values, values.read()[::-1])


def copy(values, /):
    return values.read().copy()
