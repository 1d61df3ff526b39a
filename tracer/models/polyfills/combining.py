"""C iterators over the items of several sequences, as generators with plain loops."""

from types import GeneratorType

import numpy as np

from npexport.tracer.models.polyfills.selecting import Nothing


def of_pools(iterator, pools, repeat, /):
    """An iterator over pools that are repeated, all of whose items C takes before it begins."""
    return iterator(*[taken(pool) for pool in pools] * repeat)


def taken(pool):
    """Items of a vector are copies, rows are views."""
    if isinstance(pool, np.ndarray):
        return pool.copy() if pool.ndim == 1 else pool
    return list(pool) if isinstance(pool, (list, GeneratorType)) else pool


def product_of_one(pool):
    for one in pool:
        yield (one,)


def product_of_two(pool, other):
    for one in pool:
        for two in other:
            yield one, two


def product_of_three(pool, other, last):
    for one in pool:
        for two in other:
            for three in last:
                yield one, two, three


def pairs(pool):
    for place in range(len(pool)):
        for other in range(place + 1, len(pool)):
            yield pool[place], pool[other]


def triples(pool):
    for place in range(len(pool)):
        for other in range(place + 1, len(pool)):
            for last in range(other + 1, len(pool)):
                yield pool[place], pool[other], pool[last]


def pairs_with_replacement(pool):
    for place in range(len(pool)):
        for other in range(place, len(pool)):
            yield pool[place], pool[other]


def ordered_pairs(pool):
    for place in range(len(pool)):
        for other in range(len(pool)):
            if place != other:
                yield pool[place], pool[other]


def neighbours(items):
    before = Nothing
    for item in items:
        if before is not Nothing:
            yield before, item
        before = item


def one_after_the_other(*sequences):
    for sequence in sequences:
        for item in sequence:  # noqa: UP028 (a loop of the program)
            yield item


def with_arguments(function, rows):
    for row in rows:
        yield function(*row)


def part(items, start, stop, step):
    for place in range(start, stop, step):
        yield items[place]


def reduced(function, items, total=Nothing):
    for item in items:
        total = item if total is Nothing else function(total, item)
    if total is Nothing:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


PRODUCTS = {1: product_of_one, 2: product_of_two, 3: product_of_three}
"""By the number of pools."""
