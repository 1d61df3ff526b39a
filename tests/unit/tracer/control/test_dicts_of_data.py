"""Dicts and sets with keys that only the data know: equal to eager execution, saved and loaded, decomposed, as plain Python, and at other
sizes; what an exported program cannot keep of them is refused."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.dicts_of_data import DYNAMIC, PROGRAMS
from tests.support.drivers import drivers
from tests.support.functions import function_of
from tests.support.nested_containers import PROGRAMS as NESTED
from tests.support.outcomes import outcome
from tests.support.shards import shard

EXAMPLE = np.array([1, 2, 1, 3, 3, 3])


def shown(result):
    """A result whose sets show their members in one order."""
    if isinstance(result, (set, frozenset)):
        return type(result), sorted(map(repr, result))
    return type(result)(map(shown, result)) if type(result) in (tuple, list) else result


def held(function, run, x):
    assert outcome(lambda y: repr(shown(run(y))), (x,)) == outcome(lambda y: repr(shown(function(y))), (x,)), x


@pytest.mark.parametrize("function", shard([*PROGRAMS, *NESTED], 3))
def test_equals_eager(function, tmp_path):
    program = export(function, (EXAMPLE,))
    rng = np.random.default_rng(0)
    path = tmp_path / "plain.py"
    forward = function_of(program.to_python(path), {"__file__": str(path)})
    runs = [*drivers(program), program.run_decompositions().module(), forward]
    for _ in range(12):
        x = rng.integers(0, 4, 6)
        for run in runs:
            held(function, run, x)


@pytest.mark.parametrize("function", shard([*DYNAMIC, *NESTED], 3))
def test_equals_eager_at_other_sizes(function):
    run = export(function, (EXAMPLE,), dynamic_shapes={"x": {0: Dim("n", min=2)}}).module()
    rng = np.random.default_rng(1)
    for size in (2, 3, 6, 20):
        for _ in range(4):
            held(function, run, rng.integers(0, 5, size))


def _of_arrays(x):
    return {float(x[0]): x}


def _in_order(x):
    return list(set(x.tolist()))


def _of_a_first_member(x):
    return set(x.tolist()).pop()


def _made_longer(x):
    found = {value: 1 for value in x.tolist()}
    for key in found:
        found[key + 10] = 1
    return found


def _of_two_kinds(x):
    found = {}
    for value in x.tolist():
        found[value] = 1
        found[value * 0.5] = 2
    return found


def _compared_floats(x):
    halves = {value: value / 2 for value in x.tolist()}
    return halves == dict(halves)


def _of_texts(x):
    found = {value: 1 for value in x.tolist()}
    found.update(name=3)
    return found


def _of_a_counter_and_a_dict(x):
    counts = Counter(x.tolist())
    counts |= {1: 2}  # the larger count, not the dict's
    return counts


REFUSED = [_of_a_counter_and_a_dict, _of_texts, _compared_floats, _of_arrays, _in_order, _of_a_first_member, _made_longer, _of_two_kinds]


@pytest.mark.parametrize("function", REFUSED)
def test_is_refused(function):
    with pytest.raises(Unsupported, match="a dict or a set, whose keys only the data know") as caught:
        export(function, (EXAMPLE,))
    assert caught.value.code == "E104"


def test_nan_is_no_key():
    def counted(x):
        counts = {}
        for value in x.tolist():
            counts[value] = counts.get(value, 0) + 1
        return counts

    run = export(counted, (np.array([0.5, 1.5, 0.5]),)).module()
    assert str(run(np.array([-0.0, 0.0, 1.0]))) == "{-0.0: 2, 1.0: 1}"
    with pytest.raises(ValueError, match="NaN is a key"):
        run(np.array([1.0, np.nan, 2.0]))


def test_a_method_held_by_a_variable():
    def counted(x):
        members = set()
        add = members.add
        for value in x.tolist():
            add(value)
        return len(members)

    run = export(counted, (EXAMPLE,)).module()
    assert run(np.array([5, 5, 6, 7, 7, 7])) == 3


def _returned_twice(x):
    groups = {}
    for value in x.tolist():
        groups.setdefault(value, []).append(value)
    return groups, groups[1]


def _made_longer_within(x):
    groups = {}
    for value in x.tolist():
        groups.setdefault(value, []).append(value)
    group = groups[1]
    for value in group:
        group.append(value)
    return len(group)


def _as_an_array(x):
    groups = {}
    for value in x.tolist():
        groups.setdefault(value, []).append(value)
    return np.array(list(groups.values()))


@pytest.mark.parametrize("function", [_returned_twice, _made_longer_within, _as_an_array])
def test_lists_in_dicts_are_refused(function):
    with pytest.raises(Unsupported, match="at (a place|places) that only the data know"):
        export(function, (EXAMPLE,))


def test_a_list_that_data_make_longer_where_it_is_gone_over():
    def summed(x):
        groups = {0: [], 1: []}
        for value in x.tolist():
            groups[value % 2].append(value)
        for value in groups[0]:
            groups[int(x[0]) % 2].append(value)
        return len(groups[1])

    run = export(summed, (EXAMPLE,)).module()
    assert run(np.array([1, 2, 2, 4, 4, 1])) == 6
    with pytest.raises(RuntimeError, match="length changes meanwhile"):
        run(np.array([2, 2, 2, 4, 4, 1]))


def test_which_of_equal_members_an_intersection_keeps():
    def kept(x, y):
        members = {float(value) for value in x}
        return members & {value * 1.0 for value in y}, members.intersection(y.tolist())

    run = export(kept, (np.array([0.0, 1.0, 2.0]), np.array([0.0, 5.0])), dynamic_shapes=({0: Dim.AUTO},) * 2).module()
    for x, y in (([0, 1, 2], [0, 5]), ([0], [-0.0, 1, 2]), ([1, -0.0, 3], [0, 1, 3, 4]), ([1, 2], [2, 1])):
        args = np.array(x, float), np.array(y, float)
        assert [sorted(map(repr, members)) for members in run(*args)] == [sorted(map(repr, members)) for members in kept(*args)]


def test_a_dict_of_lists_that_is_returned_twice():
    def grouped(x):
        groups = {}
        for value in x.tolist():
            groups.setdefault(value % 3, []).append(value)
        return groups, [groups]

    found, (again,) = export(grouped, (EXAMPLE,)).module()(np.array([2, 2, 2, 4, 4, 3]))
    assert found is again and found == {2: [2, 2, 2], 1: [4, 4], 0: [3]}


def test_a_set_of_a_dict_that_is_returned_twice():
    def found(x):
        sets = {}
        mine = sets.setdefault(int(x[0]), set())
        for value in x.tolist():
            sets.setdefault(value % 2, set()).add(value)
        mine.update([7])
        return mine, mine

    one, other = export(found, (EXAMPLE,)).module()(np.array([1, 2, 3, 4, 5, 5]))
    assert one is other and one == {1, 3, 5, 7}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_known_number_of_items_in_the_order_of_keys(count):
    def ordered(x):
        found = {}
        for place in range(count):
            found[x[place]] = int(x[place]) % 3
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))

    run = export(ordered, (np.array([4, 5, 6]),)).module()
    for given in itertools.product(range(4), repeat=3):
        assert repr(run(np.array(given))) == repr(ordered(np.array(given)))


def rows_by_key(x):
    table = {}
    for value in x:
        table[int(value)] = x
    return table


def test_what_the_refusal_of_arrays_under_keys_of_data_says_to_write_is_captured():
    with pytest.raises(Unsupported, match=r"return an array of its items \(np\.stack; of a dict, of its values\)"):
        export(rows_by_key, (EXAMPLE,))

    def stacked(x):
        return np.stack(list(rows_by_key(x).values()))

    held(stacked, export(stacked, (EXAMPLE,)).module(), EXAMPLE[::-1].copy())
