"""``shuffle`` of a list by a generator whose state only the data know: the order, what is drawn and the state left are those of eager
NumPy, and what cannot be ordered by data is refused.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from npexport import Dim, ExportError, export

X = np.array([0.2, 0.9, 0.4, 0.7, 0.1])
MAKERS = {name: getattr(np.random, name) for name in ("PCG64", "MT19937", "SFC64")}
PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


@program
def places(rng, x):
    order = list(range(len(x)))
    rng.shuffle(order)
    return x[order], order


@program
def train_and_test(rng, x):
    order = list(range(len(x)))
    rng.shuffle(order)
    return x[order[:3]].sum(), x[order[3:]].sum()


@program
def visited_in_order(rng, x):
    order = [i for i in range(len(x))]
    total = 0.0
    for _ in range(2):
        rng.shuffle(order)
        for i in order:
            total = total * 2 + x[i]
    return total


@program
def numbers_of_data(rng, x):
    items = x.tolist()
    rng.shuffle(items)
    return sorted(items), items, rng.random()


@program
def as_many_as_data_say(rng, x):
    chosen = [value for value in x if value > 0.3]
    rng.shuffle(chosen)
    return chosen, rng.random()


@program
def pairs_as_many_as_data_say(rng, x):
    chosen = []
    for i, value in enumerate(x):
        if value > 0.3:
            chosen.append((i, value))
    rng.shuffle(chosen)
    return chosen, rng.random()


@program
def pairs(rng, x):
    rows = list(zip(x, range(5)))
    rng.shuffle(rows)
    left, right = zip(*rows)
    return np.array(left), right


@program
def texts_and_arrays(rng, x):
    names, arrays = ["a", "b", "c"], [x, x + 1, x * 2]
    rng.shuffle(x=names)
    rng.shuffle(arrays)
    return names, arrays


@program
def on_one_side(rng, x):
    items = [10, 20, 30]
    if x[0] > 0.5:
        rng.shuffle(items)
    return items, rng.random()


@program
def until_the_data_agree(rng, x):
    items, count = [10, 20, 30], 0
    same = items
    while items[0] != 30:
        rng.shuffle(items)
        count += 1
    return same, count


@program
def before_an_exception(rng, x):
    items = [10, 20]
    try:
        rng.shuffle(items)
        raise ValueError
    except ValueError:
        return items


@program
def nothing_to_order(rng, x):
    none, one = [], [1]
    rng.shuffle(none)
    rng.shuffle(one)
    return none, one, rng.random()


@program
def a_known_order_before(rng, x):
    items = [1, 2, 3, 4]
    np.random.default_rng(4).shuffle(items)
    rng.shuffle(items)
    return items


def seen(f, rng, x):
    found = f(rng, x.copy())
    return repr(found), repr(rng.get_state(legacy=False) if isinstance(rng, np.random.RandomState) else rng.bit_generator.state)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("bits", MAKERS)
def test_lists_are_shuffled_as_numpy_shuffles_them(name, bits):
    f = PROGRAMS[name]
    module = export(f, (np.random.Generator(MAKERS[bits](0)), X)).module()
    for seed in range(6):
        x = X[::-1] * (1 + seed % 3)
        assert seen(module, np.random.Generator(MAKERS[bits](seed)), x) == seen(f, np.random.Generator(MAKERS[bits](seed)), x)


@pytest.mark.parametrize("name", PROGRAMS)
def test_legacy_generators_shuffle_lists(name):
    f = PROGRAMS[name]
    module = export(f, (np.random.RandomState(0), X)).module()
    for seed in range(6):
        assert seen(module, np.random.RandomState(seed), X) == seen(f, np.random.RandomState(seed), X)


@pytest.mark.parametrize("f", [places, visited_in_order, numbers_of_data, as_many_as_data_say, pairs_as_many_as_data_say])
def test_lists_of_other_lengths_are_shuffled(f):
    module = export(f, (np.random.default_rng(0), X), dynamic_shapes=(None, {0: Dim("n")})).module()
    for size in (2, 3, 9, 40):
        x = np.random.default_rng(size).random(size)
        assert seen(module, np.random.default_rng(size), x) == seen(f, np.random.default_rng(size), x)


def by_a_generator_of_the_program(x):
    own, legacy = np.random.default_rng(3), np.random.RandomState(3)
    chosen, others = [value for value in x if value > 0.3], [value for value in x if value < 0.8]
    own.shuffle(chosen)
    legacy.shuffle(others)
    return chosen, others, own.permutation(x[x > 0.3]), own.random(), legacy.rand()


def by_name(x):
    own, legacy = np.random.default_rng(3), np.random.RandomState(3)
    numbers, values, array, part = [1, 2, 3], [x[0], x[1], x[2]], np.arange(5), np.arange(5.0)
    own.shuffle(x=numbers)
    own.shuffle(axis=0, x=values)
    own.shuffle(x=array)
    own.shuffle(x=part[1:])
    legacy.shuffle(x=numbers)
    return numbers, values, array, part, own.permutation(x=x), own.choice(a=x, size=2), own.random()


def results_by_position(x):
    own, arrays = np.random.default_rng(3), [np.zeros(3) for _ in range(4)]
    own.random(None, np.float64, arrays[0])
    own.standard_normal((3,), np.float64, arrays[1])
    own.standard_exponential(3, np.float64, "zig", arrays[2])
    own.standard_gamma(2.0, None, np.float64, arrays[3])
    return arrays, x[0] * own.random()


@pytest.mark.parametrize("f", [by_a_generator_of_the_program, by_name, results_by_position])
def test_generators_of_the_program_reorder_and_fill_what_is_passed_in_any_form(f):
    module = export(f, (X,)).module()
    for x in (X, X[::-1] * 2, X / 4):
        assert repr(module(x)) == repr(f(x))


def of_two_kinds(rng, x):
    items = [1, 2.5]
    rng.shuffle(items)
    return items


def a_deque(rng, x):
    items = deque([1, 2, 3])
    rng.shuffle(items)
    return list(items)


@pytest.mark.parametrize(("f", "code"), [(of_two_kinds, "E104"), (a_deque, "E107")])
def test_other_lists_are_refused(f, code):
    with pytest.raises(ExportError) as caught:
        export(f, (np.random.default_rng(0), X))
    assert caught.value.code == code
