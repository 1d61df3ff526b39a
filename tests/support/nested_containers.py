"""Programs that keep lists, dicts and sets in other containers at places that only the data know."""

from __future__ import annotations

from collections import defaultdict, deque


def grouped(x):
    groups = {}
    for place, value in enumerate(x.tolist()):
        groups.setdefault(value, []).append(place)
    return groups


def of_default(x):
    groups = defaultdict(list)
    for place, value in enumerate(x):
        groups[int(value)].append((place, float(value)))
    return sorted(groups.items()), max(groups, key=lambda key: len(groups[key]))


def found_again(x):
    groups = {}
    for value in x.tolist():
        if value in groups:
            groups[value].append(value * 2)
        else:
            groups[value] = [value]
    return {key: sum(values) - values[0] for key, values in groups.items()}


def with_other_names(x):
    groups, same = {1: []}, 0
    first = groups[1]
    for value in x.tolist():
        group = groups.setdefault(value, [])
        group.append(value)
        group.insert(0, -value)
        if len(group) > 4:
            group.pop()
        same += group is first
    groups[7] = first
    first.append(9)
    return groups, len(first), same, groups[1] is groups[7]


def in_buckets(x):
    buckets = [[] for _ in range(4)]
    for value in x.tolist():
        buckets[value].append(value)
    for bucket in buckets:
        bucket.sort(reverse=True)
    return [value for bucket in buckets for value in bucket], buckets


def chained(x):
    table = [[] for _ in range(2)]
    for value in x.tolist():
        for member in table[value % 2]:
            if member == value:
                break
        else:
            table[value % 2].append(value)
    return [len(chain) for chain in table]


def walked(x):
    near = {node: [node] for node in range(6)}
    for node, other in enumerate(x.tolist()):
        near[node].append(other)
        near[other].append(node)
    seen, waiting = [False] * 6, deque([0])
    seen[0] = True
    while waiting:
        for other in near[waiting.popleft()]:
            if not seen[other]:
                seen[other] = True
                waiting.append(other)
    return seen


def of_sets(x):
    members = defaultdict(set)
    for place, value in enumerate(x.tolist()):
        members[value % 2].add(value)
        if place in members[0]:
            members[0].discard(place)
    return sorted(members[1]), {key: len(group) for key, group in members.items()}


def of_dicts(x):
    counts = defaultdict(lambda: defaultdict(int))
    for value, after in zip(x.tolist(), x.tolist()[1:], strict=False):
        counts[value][after] += 1
    return [(value, after, count) for value, row in counts.items() for after, count in row.items()]


def of_deques(x):
    recent = defaultdict(deque)
    for place, value in enumerate(x.tolist()):
        queue = recent[value % 2]
        queue.append(place)
        if len(queue) > 2:
            queue.popleft()
    return dict(recent)


def of_texts(x):
    counts = {}
    for value in x.tolist():
        name = "large" if value > 1 else "small"
        counts[name] = counts.get(name, 0) + value
    return counts


def put_twice(x):
    buckets = [[] for _ in range(len(x) + 2)]
    first = buckets[1]
    for value in x.tolist():
        buckets[value].append(1)
    for value in x.tolist():
        first.extend([0, value])
        buckets[value] = first
    return len(first), [len(bucket) for bucket in buckets]


def missing(x):
    groups = {}
    for value in x.tolist():
        groups.setdefault(value, []).append(value)
    return groups[3][1]


PROGRAMS = [
    grouped, of_default, found_again, with_other_names, in_buckets, chained, walked, of_sets, of_dicts, of_deques, of_texts,
    put_twice, missing,
]  # fmt: skip
