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


def two_in_turn(first, second, /):
    for item in first:
        yield item
    for item in second:
        yield item


def three_in_turn(first, second, third, /):
    for item in first:
        yield item
    for item in second:
        yield item
    for item in third:
        yield item


IN_TURN = {2: two_in_turn, 3: three_in_turn}


def of_each(sequences):
    for each in sequences:
        for value in each:  # noqa: UP028
            yield value


def again_and_again(sequence):
    while len(sequence) > 0:
        for value in sequence:  # noqa: UP028
            yield value


def pairs_filled_up(fill, longest, one, other):
    for place in range(longest):
        yield one[place] if place < len(one) else fill, other[place] if place < len(other) else fill


def triples_filled_up(fill, longest, one, other, last):
    for place in range(longest):
        first = one[place] if place < len(one) else fill
        yield first, other[place] if place < len(other) else fill, last[place] if place < len(last) else fill


def repeated(value, times):
    for _ in range(times):
        yield value


def groups(items, key):
    if len(items) == 0:
        return
    start, mark = 0, items[0] if key is None else key(items[0])
    for place in range(1, len(items)):
        other = items[place] if key is None else key(items[place])
        if not mark == other:  # noqa: SIM201 (what C asks)
            yield mark, items[start:place]
            start, mark = place, other
    yield mark, items[start:]


def with_arguments(function, rows):
    for row in rows:
        yield function(*row)


def part(items, start, stop, step):
    for place in range(start, stop, step):
        yield items[place]


def first_items(items, start, stop, step):
    if not stop:
        return
    place, wanted = 0, start
    for item in items:
        if place == wanted:
            yield item
            wanted += step
        place += 1  # noqa: SIM113 (a loop of the program)
        if place >= stop:
            return


def reduced(function, items, total=Nothing):
    for item in items:
        total = item if total is Nothing else function(total, item)
    if total is Nothing:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


PRODUCTS = {1: product_of_one, 2: product_of_two, 3: product_of_three}
"""By the number of pools."""
