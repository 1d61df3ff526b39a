"""Textbook programs over lists of lists and lists in dicts, measured as in `textbook.py`.

python benchmarks/grouped.py [NAME ...]
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import textbook
from textbook import few_numbers, measured

textbook.PROGRAMS.clear()


def edges(size, random):
    return (random.integers(0, size, (size, 2)),)


def two_sorted(size, random):
    return np.sort(random.integers(0, 100, size)), np.sort(random.integers(0, 100, size))


@measured(few_numbers, 10, 300)
def places_in_dict(x):
    places = {}
    for i, v in enumerate(x.tolist()):
        if v not in places:
            places[v] = []
        places[v].append(i)
    return max(len(each) for each in places.values())


@measured(few_numbers, 10, 300)
def groups_by_default(x):
    groups = defaultdict(list)
    for v in x.tolist():
        groups[v % 3].append(v)
    return groups


@measured(few_numbers, 10, 300)
def sums_of_groups(x):
    groups = {}
    for v in x.tolist():
        groups.setdefault(v % 4, []).append(v)
    return {key: sum(group) for key, group in groups.items()}


@measured(edges, 6, 1000)
def dfs_neighbours(e):
    neighbours = [[] for _ in range(len(e))]
    for a, b in e.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    seen, stack, order = [False] * len(e), [0], []
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in neighbours[u]:
            if not seen[v]:
                stack.append(v)
    return np.array(order)


@measured(two_sorted, 5, 100)
def merge_two(x, y):
    a, b, out = x.tolist(), y.tolist(), []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return np.array(out)


if __name__ == "__main__":
    textbook.main()
