"""Items that the program's own Python compares, by ``__lt__`` or `functools.cmp_to_key`, in an order that data decide."""

from __future__ import annotations

import functools
import heapq
import random
from dataclasses import dataclass, field
from functools import cmp_to_key, total_ordering

import numpy as np
import pytest

from npexport import ExportError, export
from npexport.tracer.models.polyfills import comparing, searches
from tests.support.outcomes import outcome

ARRAYS = [np.array(row) for row in ([3.0, 1, 2, 2, 5], [1.0, 2, 3, 4, 5], [5.0, 4, 3, 2, 1], [2.0, 2, 2, 2, 2], [1, np.nan, 3, np.nan, 0])]


class Logged:
    """An item whose comparisons a table answers, and a list notes."""

    def __init__(self, place, table, log):
        self.place, self.table, self.log = place, table, log

    def __lt__(self, other):
        self.log.append((self.place, other.place))
        return self.table[self.place][other.place]


@pytest.mark.parametrize("seed", range(300))
def test_places_are_sorted_by_the_comparisons_of_the_list(seed):
    rng = random.Random(seed)
    count = rng.randint(0, 63)
    keys = [rng.randrange(rng.choice((2, 5, 100))) for _ in range(count)]
    answers = (lambda one, other: keys[one] < keys[other]) if seed % 3 else (lambda one, other: rng.random() < 0.5)
    table = [[answers(one, other) for other in range(count)] for one in range(count)]
    wanted, found = [], []
    items = [Logged(place, table, wanted) for place in range(count)]
    items.sort()
    order = [*range(count)]
    comparing.sort_places(order, lambda one, other: Logged(one, table, found) < Logged(other, table, found))
    assert (order, found) == ([item.place for item in items], wanted)


class Node:
    def __init__(self, value, name):
        self.value, self.name = value, name

    def __lt__(self, other):
        return self.value < other.value


class Tied(Node):
    def __lt__(self, other):
        if self.value == other.value:
            return self.name < other.name
        return self.value < other.value


class Backwards(Tied):
    def __lt__(self, other):
        return not super().__lt__(other) and self.value != other.value


@total_ordering
class Total:
    def __init__(self, value, name):
        self.value, self.name = value, name

    def __eq__(self, other):
        return self.value == other.value

    def __lt__(self, other):
        return self.value < other.value


@dataclass(order=True)
class Item:
    value: float
    name: int = field(compare=False)


def nodes(x, kind=Node):
    return [kind(x[i], i) for i in range(5)]


def names(found):
    return [each.name for each in found]


def popped(x, kind):
    heap = []
    for i in range(5):
        heapq.heappush(heap, kind(x[i], i))
    first = heapq.heappop(heap)
    return first.value, names([heapq.heappop(heap) for _ in range(4)])


def exchanged(x):
    heap = nodes(x, Tied)
    heapq.heapify(heap)
    first, second = heapq.heapreplace(heap, Tied(x[0] * 2, 7)), heapq.heappushpop(heap, Tied(x[1] - 1, 8))
    return first.name, second.value, names(heap)


def sorted_in_place(x, **kwargs):
    found = nodes(x)
    found.sort(**kwargs)
    return names(found), [each.value for each in found]


def tree(x):
    """Kruskal's algorithm."""
    edges = [Item(x[i] + x[j], 5 * i + j) for i in range(5) for j in range(i)]
    edges.sort()
    parents, total = list(range(5)), 0.0

    def root(node):
        while parents[node] != node:
            node = parents[node]
        return node

    for edge in edges:
        one, other = root(edge.name // 5), root(edge.name % 5)
        if one != other:
            parents[one] = other
            total += edge.value
    return total


def around(x):
    """Points in the order of their angle, as a scan for a hull sorts them."""
    points = [(x[i], x[(i + 2) % 5]) for i in range(5)]
    start = min(points, key=lambda p: (p[1], p[0]))

    def turn(a, b):
        return (a[1] - start[1]) * (b[0] - start[0]) - (b[1] - start[1]) * (a[0] - start[0])

    return sorted(points, key=cmp_to_key(turn))


PROGRAMS = {
    "sorted": lambda x: names(sorted(nodes(x))),
    "sorted backwards": lambda x: names(sorted(nodes(x), reverse=True)),
    "of a generator": lambda x: names(sorted(Node(x[i], i) for i in range(5))),
    "of keys": lambda x: [i for i in sorted(range(5), key=lambda i: Node(x[i], i))],
    "ties by name": lambda x: names(sorted(nodes(x, Tied))),
    "backwards by super": lambda x: names(sorted(nodes(x, Backwards))),
    "a total order": lambda x: names(sorted(nodes(x, Total))),
    "in place": sorted_in_place,
    "in place, backwards": lambda x: sorted_in_place(x, reverse=True),
    "edges": tree,
    "a heap": lambda x: popped(x, Node),
    "a heap with ties": lambda x: popped(x, Tied),
    "a heap of a data class": lambda x: popped(x, Item),
    "heapreplace and heappushpop": exchanged,
    "a function of two": lambda x: sorted(x, key=cmp_to_key(lambda a, b: -1 if a < b else int(a > b))),
    "a function of two tuples": lambda x: sorted([(x[i], i) for i in range(5)], key=cmp_to_key(lambda a, b: b[0] - a[0])),
    "a function of places": lambda x: sorted(range(5), key=cmp_to_key(lambda i, j: x[i] - x[j])),
    "points by angle": around,
    "at once": lambda x: names(sorted(nodes(x))) if x[0] > 1 else [],
    "one of them": lambda x: names(sorted([Node(x[0], 1)])),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_items_are_in_the_order_of_eager_execution(name):
    program = PROGRAMS[name]
    run = export(program, (ARRAYS[0],)).module()
    for x in ARRAYS:
        assert outcome(run, (x,)) == outcome(program, (x,))


def kept(x):
    given = nodes(x)
    return names(sorted(given)), names(given)


def counted(x):
    class Counted(Node):
        def __lt__(self, other):
            self.name += 1
            return self.value < other.value

    return names(sorted(nodes(x, Counted)))


def of_several_kinds(x):
    return names(sorted([Node(x[0], 0), Node(x[1], x[1]), Node(x[2], 2)]))


def raising(x):
    class Raising(Node):
        def __lt__(self, other):
            return 1 / float(self.value) < 1 / float(other.value)

    found = nodes(x, Raising)
    found.sort()
    return names(found)


REFUSED = {
    "the items are held elsewhere": (kept, "held by a variable"),
    "a comparison changes an item": (counted, "E1"),
    "they are not alike": (of_several_kinds, "of several kinds"),
    "a comparison may raise": (raising, "E1"),
    "they are too many": (lambda x: names(sorted(Node(x[i % 5], i) for i in range(64))), "E103"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_not_known_of_them_is_refused(why):
    program, text = REFUSED[why]
    with pytest.raises(ExportError, match=text):
        export(program, (ARRAYS[0],))


def test_comparisons_that_are_known_may_be_of_any_items():
    """They are as many as in eager execution, of the items themselves."""

    def program(x):
        log = []

        class Known(Node):
            def __lt__(self, other):
                log.append((self.name, other.name))
                return self.name < other.name

        given = [Known(x, 3), Known(x[:2], 1), Known(x[0], 2)]
        found = sorted(given)
        return log, [each.value for each in found], found[0] is given[1], sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a))

    run = export(program, (ARRAYS[0],)).module()
    for x in ARRAYS:
        assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("name", ["heapify", "heappush", "heappop", "heapreplace", "heappushpop"])
def test_heaps_are_those_of_the_items_places(name):
    rng = random.Random(name)
    for _ in range(200):
        count = rng.randint(1, 9)
        table = [[rng.random() < 0.5 for _ in range(count + 1)] for _ in range(count + 1)]
        wanted, found = [], []
        heap = [Logged(place, table, wanted) for place in range(count)]
        given = [Logged(count, table, wanted)] if name not in ("heapify", "heappop") else []
        result = getattr(heapq, name)(heap, *given)
        places = [*range(count)]
        less = functools.partial(lambda one, other: Logged(one, table, found) < Logged(other, table, found))
        place = getattr(searches, name)(places, *[count for _ in given], better=less)
        assert ([item.place for item in heap], result and result.place) == (places, place)
        assert found == wanted
