"""Methods of dicts and sets with keys that only the data know, and what fills them."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

from npexport.tracer.models.polyfills.lists import insert

NAN = "this exported program cannot tell whether a NaN is a key: NaN equals itself where it is one object"
_PURE = (int, float, bool)
_NONE = object()


def place_of(table, key, /):
    for number in table.floats_of(key):
        if number != number:
            raise ValueError(NAN)
    return table.find(key)


def contains(table, key, /):
    return place_of(table, key) < table.end


def getitem(table, key, /):
    place = place_of(table, key)
    if table.factory in _PURE:
        table.put(place, (key, table.factory()), True)
        return table.value_at(place)
    if place < table.end:
        return table.value_at(place)
    if table.kind is Counter:
        return 0
    if table.factory is None:
        raise KeyError(key)
    value = table.factory()
    setitem(table, key, value)
    return value


def get(table, key, default=None, /):
    place = place_of(table, key)
    return table.value_at(place) if place < table.end else default


def setitem(table, key, value, /):
    table.put(place_of(table, key), (key, value))


def setdefault(table, key, default=None):
    place = place_of(table, key)
    table.put(place, (key, default), True)
    return table.value_at(place)


def add(table, key, /):
    table.put(place_of(table, key), (key,))


def delitem(table, key, /):
    place = place_of(table, key)
    if place < table.end:
        table.take(place)
    elif table.kind is not Counter:
        raise KeyError(key)


remove = delitem


def discard(table, key, /):
    place = place_of(table, key)
    if place < table.end:
        table.take(place)


def pop(table, key, default=_NONE):
    place = place_of(table, key)
    if place < table.end:
        return table.take(place)[1]
    if default is _NONE:
        raise KeyError(key)
    return default


def popitem(table, last=True):
    if len(table) == 0:
        raise KeyError("dictionary is empty" if table.kind is OrderedDict else "popitem(): dictionary is empty")
    return table.take(len(table) - 1 if last else 0)


def move_to_end(table, key, last=True):
    place = place_of(table, key)
    if place >= len(table):
        raise KeyError(key)
    row = table.take(place)
    if last:
        table.rows.append(row)
    else:
        insert(table.rows, 0, row)


def clear(table, /):
    table.empty()


def copy(table, /):
    return table.copied(table.kind)


def update(table, *others):
    for other in others:
        if table.is_set:
            fill_set(table, members_of(other))
        elif table.kind is not Counter:
            fill_dict(table, other)
        elif isinstance(other, dict):
            for key, count in other.items():
                table[key] = count + table.get(key, 0)
        else:
            count_elements(table, other)


def updated(made, other, /):
    if isinstance(other, dict):
        fill_dict(made, other)
    else:
        fill_set(made, members_of(other))
    return made


def most_common(table, n=None):
    items = sorted(table.items(), key=lambda item: item[1], reverse=True)
    return items if n is None else items[: max(n, 0)]


def total(table):
    return sum(table.values())


# What fills them: plain Python, in which a dict or a set becomes a stand-in at the first such key


def fill_dict(made, pairs, /):
    items = pairs.items() if hasattr(pairs, "keys") else pairs
    for key, value in items:
        made[key] = value


def filled(made, pairs, /):
    fill_dict(made, pairs)
    return made


def missing_item(made, key, /):
    value = made.default_factory()
    made[key] = value
    return value


def new_dict(pairs, /):
    if hasattr(pairs, "__next__"):
        items = list(pairs)
        return dict(items)
    return filled({}, pairs)


def new_ordered_dict(pairs, /):
    return filled(OrderedDict(), pairs)


def new_default_dict(factory, pairs, /):
    return filled(defaultdict(factory), pairs)


def from_keys(kind, keys, value=None, /):
    made = kind()
    for key in keys:
        made[key] = value
    return made


def new_set(members, /):
    if hasattr(members, "__next__"):
        items = list(members)
        return set(items)
    made = set()
    fill_set(made, members_of(members) if isinstance(members, (set, frozenset)) else members)
    return made


def new_frozen_set(members, /):
    if hasattr(members, "__next__"):
        items = list(members)
        return frozenset(items)
    return alike(new_set(members), frozenset())


def alike(made, one):
    """The set, frozen like another."""
    if isinstance(one, set):
        return made
    return made.copied(frozenset) if hasattr(made, "rows") else frozenset(made)


def fill_set(made, members, /):
    for member in members:
        made.add(member)


def count_elements(counts, members, /):
    for member in members:
        counts[member] = counts.get(member, 0) + 1


def new_counter(*args, **kwargs):
    made = Counter.__new__(Counter)
    made.update(*args, **kwargs)
    return made


# Of two counters


def equal_counts(one, other, /):
    return counts_within(one, other) and counts_within(other, one)


def counts_within(one, other, /):
    for key in one:
        if not one[key] <= other[key]:
            return False
    return all(one[key] <= other[key] for key in other)


ORDERS = {
    "eq": equal_counts,
    "ne": lambda one, other: not equal_counts(one, other),
    "le": counts_within,
    "ge": lambda one, other: counts_within(other, one),
    "lt": lambda one, other: counts_within(one, other) and not counts_within(other, one),
    "gt": lambda one, other: counts_within(other, one) and not counts_within(one, other),
}
"""What `Counter` compares in generators over generators."""


# Of two sets: the order of their members is not shown


def members_of(members, /):
    return members.parts(0) if hasattr(members, "rows") else members


def as_set(members, /):
    """What may be searched more than once."""
    return new_set(members) if hasattr(members, "__next__") else members


def union(one, *others):
    made = new_set(one)
    for other in others:
        fill_set(made, members_of(other))
    return alike(made, one)


def intersection(one, *others):
    """Of equal members, C keeps those of the smaller set, or of an iterable."""
    made = new_set(one)
    for other in others:
        if isinstance(other, (set, frozenset)) and len(other) > len(made):
            made = common(made, other)
        else:
            made = common(other, made)
    return alike(made, one)


def common(members, found, /):
    made = set()
    for member in members_of(members):
        if member in found:
            made.add(member)
    return made


def difference(one, *others):
    made = new_set(one)
    for other in others:
        members, found, made = made, as_set(other), set()
        for member in members_of(members):
            if member not in found:
                made.add(member)
    return alike(made, one)


def symmetric_difference(one, other, /):
    other = as_set(other)
    return union(difference(one, other), difference(other, one))


def issubset(one, other, /):
    other = as_set(other)
    return all(member in other for member in members_of(one))


def issuperset(one, other, /):
    return issubset(other, one)


def isdisjoint(one, other, /):
    other = as_set(other)
    return not any(member in other for member in members_of(one))


def equal(one, other, /):
    if len(one) != len(other):
        return False
    if isinstance(one, dict):
        return all(key in other and other[key] == one[key] for key in one)
    return issubset(one, other)


def unequal(one, other, /):
    return not equal(one, other)
