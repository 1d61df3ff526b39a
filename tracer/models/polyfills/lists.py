"""Methods of lists that loops fill, which first ask whether there is such an item."""

from __future__ import annotations


def item_of_list(values, index, /):
    """An item of a list whose length only sizes or data know."""
    length = len(values)
    position = index + length if index < 0 else index
    if position < 0 or position >= length:
        raise IndexError("list index out of range")
    return values.at(position)


def set_item_of_list(values, index, value, /):
    """Set an item of such a list."""
    length = len(values)
    position = index + length if index < 0 else index
    if position < 0 or position >= length:
        raise IndexError("list assignment index out of range")
    values.set(position, value)


def pop_of_list(values, index=-1, /):
    """Remove and return an item of such a list."""
    if not values:
        raise IndexError("pop from empty list")
    if index == -1:
        return values.take(len(values) - 1)
    length = len(values)
    position = index + length if index < 0 else index
    if position < 0 or position >= length:
        raise IndexError("pop index out of range")
    return values.take(position)
