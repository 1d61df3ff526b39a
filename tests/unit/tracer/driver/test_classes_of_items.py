"""Classes of a program that have a length, and items by their places: dynamic sizes stay dynamic, and the error that ends
C's iteration over items is never one of the program.
"""

import functools
import heapq
import operator
from collections import deque
from itertools import islice

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

SIZES = 0, 1, 2, 4, 7


class Items:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, place):
        return self.x[place]


class Sized(Items):
    def __len__(self):
        return len(self.x)


class Later(Sized):
    def __len__(self):
        return len(self.x) - 2


class Large(Sized):
    def __len__(self):
        return len(self.x) << 61


class Chosen:
    def __init__(self, x):
        self.found = [v for v in x if v > 1]

    def __len__(self):
        return len(self.found)


class Picked(Items):
    def __init__(self, x, places):
        super().__init__(x)
        self.places = places

    def __getitem__(self, place):
        return self.x[self.places[place]]


class PickedOfThree(Picked):
    def __len__(self):
        return 3


OF_ALL_SIZES = {
    "len": lambda x: len(Sized(x)),
    "len of a part": lambda x: len(Sized(x[1:])),
    "range of it": lambda x: [place * 2 for place in range(len(Sized(x)))],
    "of what data choose": lambda x: (len(Chosen(x)), bool(Chosen(x)), 1 if not Chosen(x) else 2),
    "more than one": lambda x: max(len(Sized(x)), len(Chosen(x))),
}
OF_SOME = {
    "truth": lambda x: (bool(Sized(x)), not Sized(x), 1.0 if Sized(x) else 2.0),
    "negative": lambda x: len(Later(x)),
    "too large": lambda x: len(Large(x)),
    "loop": lambda x: [v * 2 for v in Items(x)],
    "sum": lambda x: sum(Items(x)),
    "unpacked": lambda x: [*Items(x)],
    "zip": lambda x: list(zip(Items(x), Items(x), strict=True)),
    "next": lambda x: next(iter(Items(x)), None),
    "list": lambda x: list(Sized(x)),
    "reversed": lambda x: list(reversed(Sized(x))),
    "deque": lambda x: deque(Items(x)),
    "star": lambda x: np.hypot(*Items(x)) if len(x) == 2 else 0,
    "extended": lambda x: functools.reduce(operator.iconcat, [Sized(x)], []),
}


@pytest.mark.parametrize("name", [*OF_ALL_SIZES, *OF_SOME])
def test_lengths_and_items_at_other_sizes(name):
    function = OF_ALL_SIZES.get(name) or OF_SOME[name]
    with quiet():
        run = export(function, (np.arange(2.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    taken = 0
    for size in SIZES:
        x = np.arange(float(size))
        try:
            found = outcome(run, (x,))
        except InputMismatch:
            continue
        taken += 1
        assert found == outcome(function, (x,))
    assert taken == len(SIZES) if name in OF_ALL_SIZES else taken


READERS = {
    "loop": lambda x, places: [v for v in Picked(x, places)],
    "sum": lambda x, places: sum(Picked(x, places)),
    "reversed": lambda x, places: list(reversed(PickedOfThree(x, places))),
    "fromiter": lambda x, places: np.fromiter(Picked(x, places), float),
    "deque": lambda x, places: deque(Picked(x, places)),
    "islice": lambda x, places: list(islice(Picked(x, places), 2)),
    "stack": lambda x, places: np.stack(Picked(x, places)),
    "smallest": lambda x, places: heapq.nsmallest(1, Picked(x, places)),
    "key": lambda x, places: sorted(range(3), key=lambda place: PickedOfThree(x, places)[place]),
}


@pytest.mark.parametrize("name", READERS)
def test_errors_of_data_that_end_an_iteration_of_c(name):
    function, x = READERS[name], np.arange(5.0)
    try:
        run = export(function, (x, np.array([3, 0, 1]))).module()
    except ExportError as error:
        assert error.code in ("E103", "E119", "E126")
        return
    for places in ([3, 0, 1], [0, 9, 1], [1, 1, 7], [-1, 2, 3], [9, 9, 9]):
        assert outcome(run, (x, np.array(places))) == outcome(function, (x, np.array(places)))
