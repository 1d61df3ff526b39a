"""Arrays of the caller at places that only the data know: what the program returns is his own array, or shares memory with it, as in
eager execution; where that cannot be told it is refused.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export

X = np.array([0.2, 0.9, 0.4])
Y = X + 2
PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


@program
def of_a_list(rng, x, y):
    return [x, y][int(x[0] > 0.5)]


@program
def of_a_tuple_and_a_dict(rng, x, y):
    return (x, y)[int(x[0] > 0.5)], {0: x, 1: y}[int(y[0] > 2.5)]


@program
def beside_the_array(rng, x, y):
    return [x, y, x + y][int(x.argmax())], x


@program
def several_that_may_be_one(rng, x, y):
    items = [x, y]
    return items[int(x[0] > 0.5)], items[int(y[0] > 2.5)]


@program
def views(rng, x, y):
    found = [x[:2], y[:2]][int(x[0] > 0.5)]
    return found, found[:1], [x.reshape(-1), y.ravel()][int(y[0] > 2.5)]


@program
def written_before(rng, x, y):
    x += 1
    return [x, y][int(x[0] > 1.5)]


@program
def one_of_others(rng, x, y):
    found = [x, y][int(x[0] > 0.5)]
    return [found, y * 2][int(y[0] > 2.5)]


@program
def replaced_inserted_and_taken(rng, x, y):
    items, others = [x, y], [x, y]
    items[int(x[0] > 0.5)] = x * 2
    others.insert(int(x[0] > 0.5), y)
    return items, others[0], [x, y].pop(int(y[0] > 2.5))


@program
def in_pairs(rng, x, y):
    return [(x, 1), (y, 2)][int(x[0] > 0.5)]


@program
def on_a_side(rng, x, y):
    if y[0] > 2.5:
        return [x, y][int(x[0] > 0.5)]
    return x


@program
def before_a_branch(rng, x, y):
    found = [x, y][int(x[0] > 0.5)]
    if y[0] > 2.5:
        found = found * 2
    return found


@program
def in_a_loop(rng, x, y):
    found = x
    for value in x:
        found = [x, y][int(value > 0.5)]
        if value > 0.8:
            break
    return found


@program
def halved(rng, x, y):
    found = [x, y][int(x[0] > 0.5)]
    while found.sum() > 3:
        found = found / 2
    return found


@program
def in_order(rng, x, y):
    return sorted([x, y], key=lambda array: array[1] * (1 if x[0] > 0.5 else -1))


@program
def shuffled(rng, x, y):
    items = [x, y, x + y]
    rng.shuffle(items)
    return items


@program
def exchanged(rng, x, y):
    items = [x, y, x + y]
    for place in range(2):
        other = int(x[place] > 0.5)
        items[2], items[other] = items[other], items[2]
    return [item + 1 for item in items]


def shared(f, seed, arrays):
    rng, arrays = np.random.default_rng(seed), [array.copy() for array in arrays]
    found, leaves = f(rng, *arrays), []

    def add(value):
        if isinstance(value, (tuple, list)):
            for item in value:
                add(item)
        elif isinstance(value, np.ndarray):
            leaves.append(value)

    add(found)
    leaves += arrays
    return repr(found), [(one is other, np.shares_memory(one, other)) for one in leaves for other in leaves], repr(arrays)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dim", [None, Dim("n")])
def test_the_array_is_the_callers(name, dim):
    f = PROGRAMS[name]
    module = export(f, (np.random.default_rng(0), X.copy(), Y.copy()), dynamic_shapes=(None, {0: dim}, {0: dim})).module()
    for seed in range(4):
        for arrays in ((X, Y), (X + 1, Y), (X, Y + 1), (X[::-1], Y + 1)):
            assert shared(module, seed, arrays) == shared(f, seed, arrays)


@program
def a_view_of_one_of_them(rng, x, y):
    found = [x, y][int(x[0] > 0.5)]
    return [found[:2], y[:2]][int(y[0] > 2.5)]


def at_a_place_of_data(x, y):
    place = int(x.argmin())
    return [x[place : place + 1], y[:1]][int(y[0] > 2.5)]


@pytest.mark.parametrize("f", [at_a_place_of_data])
def test_what_cannot_be_told_is_refused(f):
    with pytest.raises(ExportError, match="E103 .*in the memory of"):
        export(f, (X.copy(), Y.copy()))
