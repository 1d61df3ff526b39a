"""Lists that are made of the elements of arrays: in C as in Python, and in the programs that use it."""

import numpy as np
import pytest

from npexport import Dim, export, ops
from npexport.runtime.compilation.simplify import simplified
from npexport.runtime.extensions import WRITTEN
from npexport.runtime.kernels import list_rows as kernels
from npexport.runtime.modules.module import make_module

BUILT = [made for made in (kernels.list_rows, kernels.row_place, kernels.beginning, kernels.divided) if made in WRITTEN]
needs_c = pytest.mark.skipif(not BUILT, reason="the C extension was not built")


def outcome(function, args):
    try:
        found = function(*args)
    except Exception as error:
        return type(error), str(error)
    return type(found), getattr(found, "dtype", None), repr(found)


def alike(function, *args):
    assert outcome(function, args) == outcome(WRITTEN[function], args)


@needs_c
@pytest.mark.parametrize("seed", range(60))
def test_rows_in_c_are_those_of_python(seed):
    rng = np.random.default_rng(seed)
    lists, step = int(rng.integers(1, 50)), int(rng.choice([1, 3, 1 << 32]))
    owners = rng.integers(0, lists, rng.integers(0, 80))
    places = np.array([np.count_nonzero(owners[:row] == owner) for row, owner in enumerate(owners)], np.int64)
    keys = owners * step + (places if step > 80 else 0)
    if seed % 4 == 0:
        keys = rng.permutation(keys)
    numbers = rng.permutation(lists) if seed % 3 == 0 else np.arange(lists)
    lengths = np.array([np.count_nonzero(owners == number) for number in numbers], np.int64)
    lengths -= (lengths > 0) & (rng.random(lists) < 0.3)
    alike(kernels.list_rows, keys, numbers, step, lengths)
    alike(kernels.list_rows, np.repeat(keys, 2)[::2], numbers, step, lengths)
    alike(kernels.list_rows, keys, numbers[:-1], step, lengths)
    alike(kernels.list_rows, keys.astype(np.int32), numbers, step, lengths)


@needs_c
def test_rows_of_lists_that_are_twice_there_or_have_too_few():
    keys = np.array([0, 10, 1, 11, 2])
    for numbers, lengths in (([0, 0], [1, 2]), ([0], [9]), ([1], [3]), ([0, 1], [-1, 1]), ([2**62], [0]), ([], [])):
        alike(kernels.list_rows, keys, np.array(numbers, np.int64), 10, np.array(lengths, np.int64))


@needs_c
def test_places_in_c_are_those_of_python():
    column = np.array([3, 1, 3, 2**62, -1])
    for key in (3, 2, 2**62, 2**70, -1, 1.0, True, np.int64(2)):
        for count in (-2, 0, 1, 4, 5):
            for each in (column, column[::-1], np.repeat(column, 2)[::2], column.astype(np.float64), column > 1):
                alike(kernels.row_place, (each,), (key,), count)
    alike(kernels.row_place, (column, column), (3, 3), 5)


@needs_c
def test_beginnings_in_c_are_those_of_python():
    for dtype in (np.int64, np.float64, np.bool_, np.float32, np.uint64, "M8[s]"):
        array = np.array([3, 0, 5, 0, 7]).astype(dtype)
        for each in (array, array[::-1], array[::2]):
            for end in (-9, -1, 0, 3, 5, 9, 2**70):
                alike(kernels.beginning, each, end)


@needs_c
def test_lists_in_c_are_those_of_python():
    items = [10, 20.5, True, 40, 50]
    forms = ([0, 1, 2], [2, 0, 3]), ([2, 0], [1, 4]), ([1, 1], [2, 2]), ([0], [3]), ([], []), ([0, 1], [4, 4]), ([0], [2, 3])
    for numbers, lengths in forms:
        for made in (list, set, tuple):
            alike(kernels.divided, numbers, lengths, items, made)


def groups(k, v):
    found = {}
    for key, value in zip(k.tolist(), v.tolist(), strict=True):
        found.setdefault(key, []).append(value)
    return found


def parts(k, v):
    found = {"even": [], "odd": []}
    for value in (k + v).tolist():
        found["odd" if value % 2 else "even"].append(value)
    return found


def runs(k, v):
    found = []
    for value in (k // 2).tolist():
        if found and found[-1][0] == value:
            found[-1][1] += 1
        else:
            found.append([value, 1])
    return found


def weighted(k, v):
    found = []
    for value, weight in zip((k / 2).tolist(), v.tolist(), strict=True):
        if found and found[-1][0] >= value:
            found[-1][0] += weight
        else:
            found.append([value, 0.5, weight * 1.0])
    return found


def total(k, v):
    found = groups(k, v)
    return {key: sum(values) for key, values in found.items()}, np.array(list(found))


PROGRAMS = [groups, parts, runs, weighted, total]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", PROGRAMS)
def test_what_programs_return(function, dynamic):
    k, v = np.array([3, 1, 3, 3, 2, 1]), np.array([4, 5, 6, 7, 8, 9])
    n = Dim("n", min=2)
    program = export(function, (k, v), dynamic_shapes={"k": {0: n}, "v": {0: n}} if dynamic else None)
    modules = [program.module(), make_module(program, True, threads=0), program.module(fast_math=True)]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(2, 70)) if dynamic else 6
        data = rng.integers(0, 1 + seed, size), rng.integers(-(2**40) if seed == 3 else -9, 9, size)
        for module in modules:
            assert repr(module(*data)) == repr(function(*data))


def test_loops_begin_with_arrays_of_their_own():
    program = export(parts, (np.arange(6), np.arange(6)))
    assert sum(node.target is ops.np.zeros for node in simplified(program).graph.nodes) == 2
    first, second = [program.module()(np.arange(6), np.arange(6)) for _ in range(2)]
    first["odd"].append(5)
    first["even"].append(7)
    assert second == {"even": [0, 2, 4, 6, 8, 10], "odd": []}


class Kept:
    """Rows of state, of which one does not fit."""

    def __init__(self):
        self.rows = np.zeros((4, 2), np.int64)

    def __call__(self, x):
        count = 0
        for value in x.tolist():
            if value > 0:
                row = np.zeros(2, np.int64)
                row[0] = value
                row[1] = value * 2**40
                self.rows[count] = row
                count += 1
        return count


def test_a_number_that_does_not_fit_leaves_the_row_as_it_was():
    eager, x = Kept(), np.array([1, 2, -3])
    module = export(Kept(), (x,)).module()
    for data in (x, np.array([3, 2**30, 1]), np.array([5, -1, 7])):
        found = []
        for each in (eager, module):
            try:
                found.append(each(data.copy()))
            except OverflowError as error:
                found.append(str(error))
        assert found[0] == found[1]
        np.testing.assert_array_equal(dict(module.named_buffers())["rows"], eager.rows)
