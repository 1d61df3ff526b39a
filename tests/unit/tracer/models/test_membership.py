"""``in`` where data decide: of arrays, and of lists and tuples that hold data or are asked for them."""

import operator
from collections import deque

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.comparison import said
from tests.support.forms import reloaded


class Bag:
    def __init__(self, values):
        self.values = values

    def __contains__(self, value):
        return value in self.values


class Listed(Bag):
    def __contains__(self, value):
        return (self.values == value).any()


class Some(Bag):
    def __bool__(self):
        return bool(self.values.any())


def branch(x):
    if 1.0 in x:
        return x * 2
    return x


def branch_on_absence(x):
    if 1 not in x:
        x = x - 1
    return x.sum()


def of_items(x):
    return x[0] in [1.0, 2.0], x[0] not in (1.0, 3), x[-1] in (), None in [x[0], None], x.max() in {"a": 1, 2: 3}.values(), 2.0 in deque(x)


def counted(x):
    return sum(v in x for v in (0.0, 1.0, 2.0)), [v for v in (0.0, 1.0, 2.0) if v in x]


def by_identity(x):
    value = float(x[0])
    other = float(x[0])
    found = value in [value], value in [other], x in [x], x[0] in [x[0]]
    return found, [value, other].count(value), [value] == [value], [value] == [other], (value, 1) != (value, 1), [value].index(value)


def of_rows(x):
    table = np.stack([x, x * 2])
    return x in table, x[0] in table[1], 7 in table, "a" in table, None in table, np.int64(2) in x.astype(int)


def until_found(x):
    i = 0
    while i not in x and i < 5:
        i += 1
    return i


def on_sides(x):
    return x * 3 if x.sum() > 2 and 2.0 in x and x[0] in (1.0, 2.0) else x * 0


def of_python_numbers(x):
    return int(x[0]) in (1, 2), float(x[0]) in [1, 2.5], bool(x[0]) in [True], int(x.sum()) in range(3)


def pairs(x):
    at = int(x[0]), int(x[1])
    if at == (1, 2):
        return x.sum()
    return x.sum() * 2 if at != (3, 1) else x.max()


def lists(x):
    return x.tolist() == [1.0, 2.0, 3.0], [x[0], [x[1]]] == [2, [1.0]], [x[0]] == [x[0], 1], [x[0]] != [0.0], (x[0], 1) == [x[0], 1]


def counts(x):
    return x.tolist().count(1.0), (x[0], 2, x[1]).count(2), [x[0], None].count(None), [True, x[2] > 0].count(True)


def places(x):
    return [x[0], x[1], x[2]].index(2), (x[0], 1.0).index(1.0)


def places_of_data(x):
    scores = list(x)
    return scores.index(max(scores)), x.tolist().index(min(x)), [float(x[0]), float(x[1])].index(float(x[1])), (x[0], x[1]).index(x.min())


def places_or_none(x):
    try:
        return [x[0], x[1]].index(x[2])
    except ValueError as error:
        return str(error)


PROGRAMS = {
    f.__name__: f
    for f in (
        branch,
        branch_on_absence,
        of_items,
        counted,
        of_rows,
        until_found,
        on_sides,
        of_python_numbers,
        pairs,
        lists,
        counts,
        places,
        places_of_data,
        places_or_none,
    )
} | {
    "of classes": lambda x: (1.0 in Bag(x), 1.0 not in Bag(x), 1.0 in Listed(x), 1.0 not in Listed(x)),
    "truths of classes": lambda x: (not Some(x), bool(Some(x)), [Some(x - 1) and 1, Some(x) or 2] == 3),
    "operator.contains": lambda x: (operator.contains(x, 2), operator.contains([x[0]], 1.0)),
    "an array that is a member": lambda x: x in [x, 1],
}
DATA = ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [2.0, 1.0, 1.0], [-1.0, 5.0, 2.5], [3.0, 1.0, 0.0])


@pytest.mark.parametrize("sizes", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_ask_what_is_in(name, sizes):
    program = PROGRAMS[name]
    example = np.array(DATA[0])
    exported = export(program, (example,), dynamic_shapes=sizes)
    for run in (exported.module(), reloaded(exported).module()):
        for data in DATA:
            x = np.array(data)
            have, need = said(lambda: run(x.copy())), said(lambda: program(x.copy()))  # noqa: B023
            assert repr(have) == repr(need), (data, have, need)


def test_what_is_one_object_is_in_a_list_even_if_it_is_nan():
    run = export(by_identity, (np.ones(1),)).module()
    for value in (1.0, np.nan):
        assert run(np.array([value])) == by_identity(np.array([value]))


def test_an_array_among_items_has_no_truth():
    def program(x):
        return x[:2] in [x[0], x]

    x = np.ones(3)
    assert said(lambda: export(program, (x,))) == said(lambda: program(x))


def test_floats_of_data_are_objects_of_their_own():
    def program(x):
        value, other = float(x[0]), float(x[0])
        return value is value, value is other  # noqa: PLR0124

    assert export(program, (np.ones(1),)).module()(np.ones(1)) == (True, False)
