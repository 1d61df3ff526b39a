"""Methods of lists that loops fill, and most of those of lists that stand in other containers at
places of data: whether there is such an item is tested first.
"""

from __future__ import annotations

import numpy as np

from npexport.tracer.arrays.core.filled_list_orders import (
    are_in_order,
    before_lists,
    floats_before_others,
    in_columns,
    put_in_order,
    rearrange,
    turn_round,
)
from npexport.tracer.models.polyfills.membership import NOT_REMOVED
from npexport.tracer.models.polyfills.searches import TWO_NANS

NO_PLACE = "list assignment index out of range"
"""What CPython says of a place that is written or deleted, and is none."""
EQUAL_KEYS = "this exported program cannot compare lists that stand behind equal keys"


def sorted_as_list(values, key, reverse, /):
    """``sorted`` of a range or an array whose length only the data know."""
    return sorted(list(values), key=key, reverse=reverse)  # noqa: C414


def shuffle(reorder, values, /):
    """``shuffle`` of a random generator, which draws for a list what it draws for an array."""
    values[:] = [values[place] for place in _order(reorder, values)]


def shuffle_rows(reorder, values, /):
    rearrange(values, _order(reorder, values))


def _order(reorder, values, /):
    order = np.arange(len(values))
    reorder(order)
    return order


def getitem(values, index, /):
    return values.at(position_of(values, index, f"{values.kind.__name__} index out of range"))


def setitem(values, index, value, /):
    values.set(position_of(values, index, out_of_range(values)), value)


def delitem(values, index, /):
    values.take(position_of(values, index, out_of_range(values)))


def delete_part(values, start, stop, /):
    """``del values[start:stop]``."""
    length = len(values)
    start, stop = bound_of(start, 0, length), bound_of(stop, length, length)
    if stop > start:
        rest = values[stop:]
        values.shorten(start)
        extend(values, rest)


def assign_part(values, start, stop, others, /):
    """``values[start:stop] = others``."""
    length, others = len(values), list(others)
    start, stop = bound_of(start, 0, length), bound_of(stop, length, length)
    rest = values[max(start, stop) :]
    values.shorten(start)
    extend(values, others)
    extend(values, rest)


def bound_of(bound, default, length):
    """Where a slice of so many items begins or ends."""
    if bound is None:
        return default
    return max(bound + length, 0) if bound < 0 else min(bound, length)


def out_of_range(values):
    return NO_PLACE if values.kind is list else "deque index out of range"


def position_of(values, index, text):
    length = len(values)
    position = index + length if index < 0 else index
    if position < 0 or position >= length:
        raise IndexError(text)
    return position


def pop(values, index=-1, /):
    if not values:
        raise IndexError("pop from empty list" if values.kind is list else "pop from an empty deque")
    if index == -1:
        return values.take(len(values) - 1)
    return values.take(position_of(values, index, "pop index out of range"))


def popleft(values, /):
    if not values:
        raise IndexError("pop from an empty deque")
    return values.take(0)


def append_within(values, value, /):
    if len(values) < values.maxlen:
        values.push(value)
    elif values.maxlen > 0:
        values.shift(value, False)


def appendleft_within(values, value, /):
    if len(values) < values.maxlen:
        appendleft(values, value)
    elif values.maxlen > 0:
        values.shift(value, True)


def insert_within(values, index, value, /):
    if len(values) >= values.maxlen:
        raise IndexError("deque already at its maximum size")
    insert(values, index, value)


def appendleft(values, value, /):
    values.append(value)
    values.move_last(0)


def extendleft(values, others, /):
    for value in others:
        values.appendleft(value)


def insert(values, index, value, /):
    position = bound_of(index, 0, len(values)) if index else 0
    values.append(value)
    values.move_last(position)


def extend(values, others, /):
    for value in others:
        values.append(value)


def iadd(values, others, /):
    extend(values, others)
    return values


def clear(values, /):
    values.shorten(0)


def reverse(values, /):
    turn_round(values)


def sort(values, key, backwards, /):
    all_keys = values if key is None else [key(value) for value in values]
    if are_in_order(all_keys):
        return
    all_keys = in_columns(all_keys)
    keys = before_lists(all_keys)
    for column in floats_before_others(keys):
        if np.isnan(column).sum() > 1:
            raise ValueError(TWO_NANS)
    put_in_order(values, keys, backwards)
    if keys is not all_keys:
        require_different(keys)


def require_different(keys):
    """No two keys are equal, which would be ordered by the lists behind them."""
    put_in_order(keys, keys, False)
    place = 1
    while place < len(keys):
        if keys.at(place) == keys.at(place - 1):
            raise ValueError(EQUAL_KEYS)
        place += 1


def in_order(values, key, backwards, /):
    values = values.listed()
    sort(values, key, backwards)
    return values


def rotate(values, count=1, /):
    length = len(values)
    if length > 0:
        rearrange(values, (np.arange(length) - count) % length)


def remove(values, value, /):
    place = 0
    while place < len(values):
        if values.at(place) == value:
            values.take(place)
            return
        place += 1
    raise ValueError(NOT_REMOVED[values.kind].format(value))


def of_items_or_none(values, function, args, place, kwargs, /):
    """What a function makes of a list, which is one of its arguments and may be empty."""
    if len(values) == 0:
        return function(*args[:place], [], *args[place + 1 :], **kwargs)
    return function(*args, **kwargs)


def of_numbers_that_fit(values, array, dtype, put, function, args, place, kwargs, /):
    """What a function makes of a list, which is one of its arguments, of scalars of this dtype."""
    scalars = [array(value, dtype)[()] for value in values]
    return function(*args[:place], put(scalars), *args[place + 1 :], **kwargs)


def write_each(place, values, /):
    """``place[:] = values``, which raises where a number does not fit, after those before it."""
    for number, value in enumerate(values):
        place[number] = value


def call_each_of_list(function, columns, finish):
    """The calls of a ufunc of ``np.frompyfunc``, as many as only sizes know: ``columns`` are lists
    of the arguments.
    """
    return finish([function(*row) for row in zip(*columns, strict=True)])


def call_each_of_list_for_several(function, columns, count, check, finish):
    """The same of a function with several results.

    ``check`` raises unless a list holds tuples of them.
    """
    results = check([function(*row) for row in zip(*columns, strict=True)])
    return finish([[row[place] for row in results] for place in range(count)])
