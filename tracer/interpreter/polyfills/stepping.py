"""Iterators written in Python where data decide how many items are taken: what their ends raise is
caught by a frame, and what takes their items is a loop.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import functools

import numpy as np

from npexport.symshapes.errors import Unsupported


class End:
    """Stands for the item after the last one."""


class Placed:
    """What ``iter`` gives for a sequence: the place is an integer, which sides of branches join. It
    is -1 at the end, from which an iterator of C does not go on either. Its classes are called as
    those of C (`placed_class`).
    """

    __slots__ = ("_place", "_sequence")

    def __init__(self, *given):
        if given:
            self._sequence, self._place = given[0], 0

    def __iter__(self):
        return self

    def __next__(self):
        place = self._place
        if 0 <= place < len(self._sequence):
            self._place = place + 1
            return item(self._sequence, place)
        self._place = -1
        raise StopIteration

    def __repr__(self):
        raise Unsupported("E109", "the text of an iterator tells where it lies")

    def __length_hint__(self):
        return len(self._sequence) - self._place if self._place >= 0 else 0


PLACED = {list: "list_iterator", tuple: "tuple_iterator", range: "range_iterator", np.ndarray: "iterator"}
"""What C calls the iterators of sequences that may have a place."""


@functools.cache
def placed_class(name):
    """The class of such iterators that C calls so."""
    return type(name, (Placed,), {"__module__": __name__, "__slots__": ()})


def item(sequence, place):
    return sequence.start + place * sequence.step if isinstance(sequence, range) else sequence[place]


def placed_or(iterator, default):
    """``next`` with a default for such an iterator."""
    place = iterator._place
    if 0 <= place < len(iterator._sequence):
        iterator._place = place + 1
        return item(iterator._sequence, place)
    iterator._place = -1
    return default


def placed_items(iterator):
    while 0 <= (place := iterator._place) < len(iterator._sequence):
        iterator._place = place + 1
        yield item(iterator._sequence, place)
    iterator._place = -1


def taking_in_turn(iterator_of_c, args, kwargs):
    """An iterator of C over iterators, each of which takes an item when it is asked for one."""
    return iterator_of_c(*[placed_items(arg) if isinstance(arg, Placed) else arg for arg in args], **kwargs)


def next_or(step, iterator, default):
    """``next`` with a default; ``step`` is the iterator's ``__next__``."""
    try:
        return step(iterator)
    except StopIteration:
        return default


def one_by_one(iterator):
    while (value := next(iterator, End)) is not End:
        yield value


OF_PLACES = frozenset({Placed.__next__.__code__, placed_or.__code__})
"""Functions whose branches on sizes are branches on data: who takes an item may be on a side."""
