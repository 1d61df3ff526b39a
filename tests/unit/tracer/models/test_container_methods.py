"""Methods of lists, dicts and sets at places of data, with arguments by place and by name."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, deque
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome

X = np.array([1, 2, -3, 4, 3, 2])
FLOATS = np.array([np.nan, 1.0, -2.0, np.nan])


def tables(kind: Any, x: Any) -> Any:
    found = [kind(), kind()]
    for value in x:
        found[int(value) % 2][int(value)] = 1
    return found


def lists(kind: Any, x: Any, number: Any = int) -> Any:
    found = [kind(), kind()]
    for value in x:
        found[int(value > 0)].append(number(value))
    return found


def counts_by_name(x: Any) -> Any:
    groups = [Counter(), Counter()]
    for value in x:
        groups[int(value) % 2][int(value)] += 1
    return groups[int(x[0]) % 2].most_common(n=1), groups[0].most_common(1)


def set_by_name(x: Any) -> Any:
    groups = tables(OrderedDict, x)
    found = groups[int(x[0]) % 2].setdefault(key=7, default=3)
    return found, groups[int(x[0]) % 2].setdefault(default=5, key=7), [list(group.items()) for group in groups]


def popped_by_name(x: Any) -> Any:
    groups = tables(OrderedDict, x)
    return groups[int(x[0]) % 2].pop(key=int(x[0])), groups[1].pop(default=9, key=100), len(groups[0]), len(groups[1])


def ordered_alone(x: Any) -> Any:
    table = OrderedDict()
    for value in x:
        table[int(value)] = 1
    return table.pop(key=int(x[0])), table.setdefault(key=77, default=2), list(table.items())


def places_of_numpy(x: Any) -> Any:
    groups = lists(list, x)
    groups[int(x[0] > 0)].insert(x[0], 8)
    return groups[1].pop(np.int64(0)), groups[int(x[0] > 0)].pop(x[2]), groups


def ends(x: Any) -> Any:
    groups = lists(deque, x)
    groups[1].insert(1, 5)
    groups[int(x[0] > 0)].extendleft([1, 2])
    groups[1].appendleft(9)
    groups[1].extend(groups[1])
    groups[0].clear()
    return groups, groups[1].copy(), groups[1].count(2), groups[1].index(2)


def removed(x: Any) -> Any:
    groups = lists(list, x)
    groups[int(x[0] > 0)].remove(2)
    groups[1].reverse()
    groups[1].sort(reverse=True, key=lambda value: value % 3)
    return groups, 2 in groups[1], 5 in groups[0]


def copies_of_deques(x: Any) -> Any:
    found = deque()
    for value in x:
        if value > 0:
            found.append(int(value))
    other = found.copy()
    other.appendleft(7)
    return found, other, copy.copy(found), list(found), sorted(found), copy.copy(lists(deque, x)[1])


def turned(x: Any) -> Any:
    found = deque()
    for value in x:
        if value > 0:
            found.append(int(value))
    found.rotate(1)
    if x[1] > 1:
        found.rotate(-2)
    found.rotate(x[0])
    found.rotate()
    return found


def not_there(x: Any) -> Any:
    found = deque()
    for value in x:
        if value > 0:
            found.append(int(value))
    found.remove(int(x[1]) * 2)
    return found


PROGRAMS = [turned, not_there, counts_by_name, copies_of_deques, set_by_name, popped_by_name, ordered_alone, places_of_numpy, ends, removed]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_methods_of_containers_are_those_of_python(program: Any) -> None:
    module = export(program, (X,)).module()
    for x in (X, X[::-1].copy(), np.array([1, 1, 2, 2, 2, 2]), np.array([2, 4, -6, 8, 7, 2])):
        assert outcome(module, (x,)) == outcome(program, (x,))


def test_names_that_c_does_not_take_are_its_error() -> None:
    with pytest.raises(TypeError, match="keyword"):
        export(lambda x: tables(dict, x)[int(x[0]) % 2].setdefault(key=7, default=3), (X,))


def texts_by_name(x: Any) -> Any:
    groups = tables(dict, x)
    groups[int(x[0]) % 2].update(a=2)
    return len(groups[0]), len(groups[1])


def counted_texts(x: Any) -> Any:
    groups = tables(Counter, x)
    groups[int(x[0]) % 2].update(b=2)
    return len(groups[0]), len(groups[1])


@pytest.mark.parametrize("program", [texts_by_name, counted_texts])
def test_keys_that_are_texts_are_not_lost(program: Any) -> None:
    with pytest.raises(Unsupported, match="gets keys that are texts") as caught:
        export(program, (X,))
    assert caught.value.code == "E104"


def removed_float(x: Any) -> Any:
    groups = lists(list, x, float)
    value = float(x[0])
    groups[int(value > 0)].append(value)
    groups[int(value > 0)].remove(value)
    return groups


def holds_float(x: Any) -> Any:
    groups = lists(list, x, float)
    value = float(x[0])
    groups[int(value > 0)].append(value)
    return value in groups[int(value > 0)]


@pytest.mark.parametrize("program", [removed_float, holds_float])
def test_floats_that_may_be_nan_are_not_searched_for(program: Any) -> None:
    """NaN is found where it is one object."""
    with pytest.raises(Unsupported, match="NaN is equal to itself") as caught:
        export(program, (FLOATS,))
    assert caught.value.code == "E103"
