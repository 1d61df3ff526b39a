"""Textbook programs whose containers grow as data decide. Their arguments are, by name, a vector of
small integers ``a``, one of floats ``x`` and a square matrix of small integers ``g``.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict, deque
from typing import Any

import numpy as np

from tests.support.declaring import declaring

PROGRAMS, _, program, _ = declaring()
OF_ONE_SIZE: list[Any] = []
"""Those that are exported for one size only."""


def of_one_size(function: Any) -> Any:
    OF_ONE_SIZE.append(function)
    return program(function)


def arguments(function: Any, seed: int = 0, size: int = 5) -> tuple[Any, ...]:
    """``a``, a vector of small integers, ``x`` and ``y``, of floats, and ``g``, a square matrix of small integers, by the
    function's parameters.
    """
    rng = np.random.default_rng([seed, size])
    found = {"a": rng.integers(0, 4, size), "x": rng.normal(size=size), "g": rng.integers(0, 3, (size, size)), "y": rng.normal(size=size)}
    return tuple([found[name] for name in function.__code__.co_varnames[: function.__code__.co_argcount]])


# Lists


@program
def longest_increasing(a):
    tails = []
    for value in a:
        place = bisect.bisect_left(tails, value)
        if place == len(tails):
            tails.append(value)
        else:
            tails[place] = value
    return len(tails)


@program
def largest_rectangle(a):
    stack, best = [], 0
    for i in range(len(a) + 1):
        height = a[i] if i < len(a) else 0
        while stack and a[stack[-1]] > height:
            top = stack.pop()
            width = i if not stack else i - stack[-1] - 1
            best = max(best, a[top] * width)
        stack.append(i)
    return best


@program
def connected_components(g):
    seen, found = [False] * len(g), []
    for start in range(len(g)):
        if seen[start]:
            continue
        group, stack = [], [start]
        seen[start] = True
        while stack:
            u = stack.pop()
            group.append(u)
            for v in range(len(g)):
                if (g[u, v] == 2 or g[v, u] == 2) and not seen[v]:
                    seen[v] = True
                    stack.append(v)
        found.append(sorted(group))
    return found


@program
def a_group_on_a_side(a):
    found = []
    if not a[0]:
        found.append([0] * int(a[1]))
    return found


@program
def groups_with_names(a):
    found = []
    for i in range(2):
        if not a[i]:
            group = [k for k in range(int(a[i + 1 - len(a)]) + 2)]
            found.append((i, group))
    return found


@program
def sliding_maxima(x):
    queue, found = deque(), []
    for i, value in enumerate(x):
        while queue and x[queue[-1]] <= value:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - 2:
            queue.popleft()
        found.append(x[queue[0]])
    return found


@program
def least_recently_used(a):
    cache, hits = OrderedDict(), 0
    for key in a.tolist():
        if key in cache:
            hits += 1
            cache.move_to_end(key)
        else:
            if len(cache) >= 2:
                cache.popitem(last=False)
            cache[key] = True
    return hits, list(cache)


# Ranges of scalars


@program
def knapsack(a):
    best = [0] * 9
    for i in range(len(a)):
        for room in range(8, a[i], -1):
            best[room] = max(best[room], best[room - a[i] - 1] + i)
    return best


@program
def coins(a):
    ways = [1] + [0] * 9
    for coin in a:
        for total in range(coin + 1, 10):
            ways[total] += ways[total - coin - 1]
    return ways


@program
def repeated_values(a):
    found = []
    for count, value in zip(a[::2], a[1::2], strict=False):
        for _ in range(count):
            found.append(value)
    return found


# Orders


@program
def sorted_rows(x):
    return sorted([[value > 0, value, i] for i, value in enumerate(x.tolist())])


@program
def rows_sorted_by_lists(a):
    rows = []
    for i, value in enumerate(a.tolist()):
        if value:
            rows.append((i, value))
    rows.sort(key=lambda row: [row[1], -row[0]])
    return rows


@of_one_size
def rows_of_a_matrix(g):
    return sorted(g.tolist(), reverse=True)


@program
def numbers_of_two_kinds(a):
    total, found = 0, []
    for i in range(len(a)):
        if a[i]:
            found.append(total)
        total += a[i] - 1
    return sorted(found), sorted(found, reverse=True)


@program
def primes_by_slices(a):
    marks = np.ones(20 + int(a[0]), bool)
    i = 2
    while i * i < 20 + a[0]:
        if marks[i]:
            marks[i * i :: i] = False
        i += 1
    return marks


@program
def primes_by_ranges(a):
    limit = 9 + int(a[0])
    marks = [True] * limit
    for i in range(2, limit):
        if marks[i]:
            for k in range(i * i, limit, i):
                marks[k] = False
    return [i for i in range(2, limit) if marks[i]]


@program
def down_and_up(a):
    i, found = len(a) - 1, []
    while i >= 0:
        found.append(i)
        i -= 1
        while i < 2 and a[i] > 1 and len(found) < 9:
            found.append(-i)
            i += 1
    return found


@program
def as_many_items_as_a_scalar_says(a):
    found = [0] * a[0]
    for value, times in zip([1, 2], a, strict=False):
        found += times * [value]
    return found, len([3, 1] * a[1])


@program
def texts_of_integers(a):
    n = int(a[0]) - 2
    return bin(n), hex(n), oct(a[1]), bin(int(a[1]) > 1), [bin(each).zfill(6) for each in a[:2]]


@program
def shifted_letters(a):
    return [chr(ord("a") + (int(each) + 24) % 26) for each in a[:2]]


# Numbers, None and texts in one list


@program
def kinds_of_two_lists(a, x):
    one, two = [], []
    for i in range(len(a)):
        if a[i] > 1:
            one.append(None)
            two.append(x[i])
        else:
            one.append(i)
            two.append(a[i])
            if a[i] == 0:
                two.append(None)
    return one + two, two + one


@program
def a_list_gets_another_of_other_kinds(a, x):
    one, two = [], []
    for i in range(len(a)):
        one.append(None if a[i] > 1 else i)
        two.append(float(x[i]) if a[i] > 1 else "none")
    one.extend(two)
    return one


@program
def a_list_begun_anew(a, x):
    found = []
    if a[1] > 1:
        found.append(None)
        found = []
        found.append(0)
        if a[0] == 0:
            found.append(x[0])
    return found


# Parts of lists that are replaced


@program
def parts_replaced(a, x):
    one, two = [], []
    for value in x.tolist():
        if value > 0:
            one.append(value)
        else:
            two.append(value)
    same = one
    one[a[0] : a[1]] = two
    two[:] = one
    one[-1:] = (1.5, 2.5)
    one[5:2] = [7.0]
    one[1:1] = one
    one[:] = one[::-1]
    return one, two, same is one


@program
def neighbours_merged(a):
    items, i = list(range(len(a))), 0
    while i < len(a) - 1:
        if a[i] > 1:
            items[i : i + 2] = [items[i] + items[i + 1]] if i + 1 < len(items) else []
        i += 1
    return items


# Lists beside handlers


@of_one_size
def a_handler_waits_while_lists_grow(a, x):
    found = []
    for i in range(int(a[1])):
        found.append(float(i))
    try:
        if a[0] == 0:
            found.append(x[0].item())
        for value in x.tolist():
            if value > 1:
                raise ValueError("large")
            found.append(value)
    except ValueError:
        found.append(-1.0)
    return found
