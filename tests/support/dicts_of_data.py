"""Programs that keep what they count, group and remember in dicts and sets, by keys that are integers of their argument."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np


def counted(x):
    counts = {}
    for value in x.tolist():
        counts[value] = counts.get(value, 0) + 1
    return counts, max(counts.values(), default=0), sum(counts)


def counted_scalars(x):
    counts = {}
    for value in x:
        if value in counts:
            counts[value] += 1
        else:
            counts[value] = 1
    best, most = None, 0
    for key, count in counts.items():
        if count > most:
            best, most = key, count
    return best, most, counts


def counter(x):
    counts = Counter(x.tolist())
    counts.update([1, 1])
    counts.update({2: 5, 9: 1})
    counts.update(Counter(x[:2].tolist()))
    return counts, counts[77], counts.most_common(2), counts.total()


def counters_combined(x):
    one, other = Counter(x[:3].tolist()), Counter(x[3:].tolist())
    made = [one + other, one - other, one | other, one & other]
    one.subtract(other)
    return *made, +one, -one, one


def counters_changed(x):
    one, other = Counter(x[:3].tolist()), Counter(x[3:].tolist())
    held, kept = one, Counter(one)
    one += other
    kept |= other
    one -= kept
    kept &= other
    return held, kept


def counters_compared(x):
    one, other = Counter(x[:3].tolist()), Counter(x[2:].tolist())
    found = 1 if one == other else 0
    return found, one < other, one >= other


def entropy(x):
    counts = Counter(x.tolist())
    return sum(count / len(x) * np.log2(count / len(x)) for count in counts.values())


def mode(x):
    counts = Counter(x.tolist())
    return max(counts, key=counts.get), sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def pair_of_sum(x):
    seen = {}
    for place, value in enumerate(x.tolist()):
        if 4 - value in seen:
            return seen[4 - value], place
        seen[value] = place
    return None


def first_twice(x):
    seen = set()
    for value in x.tolist():
        if value in seen:
            return value
        seen.add(value)
    return -1


def unique_in_order(x):
    seen, out = set(), []
    for value in x.tolist():
        if value not in seen:
            seen.add(value)
            out.append(value)
    return out, list(dict.fromkeys(x.tolist()))


def longest_run(x):
    members, best = set(x.tolist()), 0
    for value in x.tolist():
        if value - 1 not in members:
            length = 1
            while value + length in members:
                length += 1
            best = max(best, length)
    return best


def of_two_sets(x):
    one, other = set(x[:3].tolist()), set(x[3:].tolist())
    return len(one & other), one | other, one - other, one ^ other, one == other, one.isdisjoint(other), one.issubset(other)


def frozen(x):
    members = frozenset(x.tolist())
    return members, 2 in members, sorted(members), isinstance(members, frozenset)


def of_frozen_sets(x):
    one, other = frozenset(x[:3].tolist()), set(value for value in x[3:].tolist())
    return one & other, other & one, one.union([7]), other - one, one.copy(), frozenset(int(value) for value in x)


def emptied(x):
    found = {value: 1 for value in x.tolist()}
    for key in list(found):
        if found.get(key, 0) > 0 and key > 2:
            found.clear()
    found[5] = 1
    if int(x[0]) in found:
        del found[int(x[0])]
    return found, len(found)


def to_the_front(x):
    order = OrderedDict()
    for value in x.tolist():
        order[value] = order.get(value, 0) + 1
        if value > 1:
            order.move_to_end(value, last=False)
    return order


def taken_out(x):
    members = {0, 1, 2, 3}
    for value in x.tolist():
        members.discard(value)
    members.add(9)
    members |= {int(x[0])}
    return members


def removed(x):
    members = {0, 1, 2, 3}
    members.remove(int(x[0]))
    members.remove(int(x[1]))
    return members


def summed_by_key(x):
    sums = defaultdict(float)
    for place, value in enumerate(x.tolist()):
        sums[value] += place * 0.5
    return sums, sum(sums.values())


def with_a_factory(x):
    left = defaultdict(lambda: 10)
    for place, value in enumerate(x.tolist()):
        left[value] -= place
    return dict(left)


def labels(x):
    numbers, out = {}, np.empty_like(x)
    for place, value in enumerate(x):
        out[place] = numbers.setdefault(int(value), len(numbers))
    return out, numbers


def ranks(x):
    places = {value: place for place, value in enumerate(sorted(set(x.tolist())))}
    return np.array([places[value] for value in x.tolist()], int)


def widest_window(x):
    counts, best, left = {}, 0, 0
    for right, value in enumerate(x.tolist()):
        counts[value] = counts.get(value, 0) + 1
        while len(counts) > 2:
            gone = int(x[left])
            counts[gone] -= 1
            if counts[gone] == 0:
                del counts[gone]
            left += 1
        best = max(best, right - left + 1)
    return best


def least_recently_used(x):
    cache, hits = OrderedDict(), 0
    for value in x.tolist():
        if value in cache:
            hits += 1
            cache.move_to_end(value)
        else:
            cache[value] = True
            if len(cache) > 2:
                cache.popitem(last=False)
    return hits, cache


def runs_of_a_sum(x):
    seen, total, found = {0: 1}, 0, 0
    for value in x.tolist():
        total += value
        found += seen.get(total - 4, 0)
        seen[total] = seen.get(total, 0) + 1
    return found


def components(x):
    parent = {}

    def root(node):
        while parent[node] != node:
            node = parent[node]
        return node

    for one, other in zip(x[:-1].tolist(), x[1:].tolist(), strict=True):
        parent.setdefault(one, one)
        parent.setdefault(other, other)
        parent[root(one)] = root(other)
    return sum(1 for node in parent if parent[node] == node)


def pairs(x):
    counts = {}
    for one, other in zip(x[:-1].tolist(), x[1:].tolist(), strict=True):
        counts[one, other] = counts.get((one, other), 0) + 1
    return counts, max(counts.values(), default=0)


def crossing(x):
    place, seen = (0, 0), {(0, 0): 0}
    for step, value in enumerate(x.tolist()):
        place = (place[0] + (value == 1) - (value == 2), place[1] + (value == 3) - (value == 0))
        if place in seen:
            return step, seen[place]
        seen[place] = step + 1
    return -1


def missing(x):
    squares = {value: value * value for value in x[:3].tolist()}
    return squares[int(x[3])]


def popped(x):
    halves = {number: number / 2 for number in range(4)}
    return [halves.pop(value, -1.0) for value in x.tolist()], halves


def one_by_two_names(x):
    one = other = {}
    for value in x:
        one[int(value)] = 1
    other[99] = 2
    return one is other, one, len(other), type(one) is dict, bool(one), hasattr(one, "rows")


def held_by_an_object(x):
    class Holder:
        def __init__(self):
            self.counts = {}

    holder = Holder()
    for value in x:
        holder.counts[int(value)] = holder.counts.get(int(value), 0) + int(value)
    return holder.counts


def copies(x):
    one = {int(value): 1 for value in x}
    other, third, fourth = dict(one), one.copy(), {**one, 7: 8}
    other[50] = 2
    third.update({51: 3})
    return one, other, third, fourth, one == other, list(one.items())


def gone_over(x):
    counts, total = Counter(x.tolist()), 0
    for key in counts:
        total += key * counts[key]
    for key, count in counts.items():
        counts[key] = count + 1
    return total, counts, any(count > 2 for count in counts.values())


def arrays(x):
    rows = {}
    for place, value in enumerate(x.tolist()):
        rows[value] = np.array([place, value]) * 2.0
    return sum(row[0] for row in rows.values()), np.array(sorted(rows))


def on_sides(x):
    found = {}
    if x[0] > 1:
        found[int(x[1])] = 5
    else:
        found[int(x[2])] = 6
        found[int(x[3])] = 7
    return found


def until_full(x):
    found, place = {}, 0
    while place < len(x) and len(found) < 2:
        found[int(x[place])] = place
        place += 1
    return found, place


def halves(x):
    sums = {}
    for value in (x * 0.5).tolist():
        sums[value] = sums.get(value, 0) + 1
    return sums, 0.0 in sums


def written_once_more(x):
    counts = {}
    for value in x.tolist():
        counts[value] = counts.get(value, 0) + 1
    found = list(counts.values())
    found[0] = found[0] + 1
    return found[0], found


PROGRAMS = [value for name, value in list(globals().items()) if callable(value) and getattr(value, "__module__", None) == __name__]
DYNAMIC = [program for program in PROGRAMS if program not in (missing, removed, on_sides, of_two_sets, of_frozen_sets)]
"""Those of them that take few items, too."""
