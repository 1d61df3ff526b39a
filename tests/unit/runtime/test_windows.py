"""Elements that loops read as numbers of Python, and write."""

import gc
import re
import weakref

import numpy as np
import pytest

from npexport import export
from npexport.runtime.lists import windows
from npexport.runtime.machine import loop_machine
from tests.support.textbook_searches import insertion_sort_of_a_list

X = np.random.default_rng(3).permutation(40).astype(np.int64)


def search(x):
    found, ordered = 0, np.sort(x).tolist()
    for v in x.tolist():
        low, high = 0, len(ordered)
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] < v:
                low = middle + 1
            else:
                high = middle
        found = found * 31 % 1009 + low
    return found


def exchanged(x):
    p, q, i = x.tolist(), (x * 2).tolist(), 0
    while p[i % 7] < 500:
        q[i % 7] = p[i % 7] * 3 + 1
        p, q = q, p
        i += 1
    return np.array(p), np.array(q), i


def exchanged_arrays(x):
    p, q, i = x * 1.0, x * 2.0, 0
    while float(p[i % 7]) < 500.0:
        q[i % 7] = float(p[i % 7]) * 1.5 + 1.0
        p, q = q, p
        i += 1
    return p.sum(), q[:3].sum(), q.max(), i


def one_of_two(x):
    a, b, i, total = x.tolist(), (x * 3).tolist(), 0, 0
    while i < 30:
        total = total * 5 % 997 + a[(i * 7 + total) % 40]
        if total % 3 == 0:
            a, b = b, a
        i += 1
    return total, a[3], b[3]


def kept_beside(x):
    p, i, total = x * 1.0, 0, 0.0
    first = p
    while float(first[i]) < 30.0:
        p = p + 1.0
        total += float(p[i]) - float(first[i])
        i += 1
    return p, first, total


def written_within(x):
    y, i = np.zeros(40), 0
    while i < 40 and int(x[i]) < 39:
        row = np.zeros(3)
        for j in range(3):
            row[j] = float(x[i]) * j
        y[i] = float(row[1]) + float(row[2])
        i += 1
    return y, i


def in_two_axes(x):
    g = x.reshape(8, 5)
    i = j = steps = 0
    while int(g[i, j]) != 7:
        i, j = int(g[i, j]) % 8, (j + 3) % 5
        steps += 1
        if steps > 30:
            break
    return steps, i, j


def from_the_end(x):
    i = total = 0
    while int(x[-1 - i]) != 17:
        total = total * 7 % 1000 + int(x[-1 - i])
        i += 1
    return i, total


PROGRAMS = [
    search,
    insertion_sort_of_a_list,
    exchanged,
    exchanged_arrays,
    one_of_two,
    kept_beside,
    written_within,
    in_two_axes,
    from_the_end,
]


@pytest.fixture(autouse=True)
def loops_of_python(monkeypatch):
    """No machine makes iterations (`npexport.runtime.machine.loop_machine`), which needs no windows."""
    monkeypatch.setattr(loop_machine, "_loops", None)


@pytest.fixture
def made(monkeypatch):
    found, window = [], windows.window
    monkeypatch.setattr(windows, "window", lambda array: found.append(array.shape) or window(array))
    return found


def same(one, other):
    if isinstance(other, tuple):
        return all(same(*pair) for pair in zip(one, other, strict=True))
    assert type(one) is type(other)
    np.testing.assert_array_equal(one, other, strict=True)
    return True


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_loops_do_to_elements_is_what_numpy_does(f):
    module = export(f, (X,)).module()
    for seed in range(6):
        x = np.random.default_rng(seed).permutation(40).astype(np.int64)
        assert same(module(x), f(x.copy()))


@pytest.mark.parametrize("f", [search, insertion_sort_of_a_list, in_two_axes])
def test_elements_of_one_array_are_read_through_its_window(f, made):
    module = export(f, (X,)).module()
    module(X)
    assert made


def grown(x):
    stack, total = [int(x[0]) + 70], 0
    while stack:
        k = stack.pop()
        total = total * 3 % 1009 + k
        if k > 1:
            stack.append(1)
            stack.append(1)
            stack.append(k - 1)
    return total


def test_a_longer_array_has_a_window_of_its_own():
    module = export(grown, (X,)).module()
    assert re.search(r"if .* > .*: (v\d+) = .*; v\d+ = c\d+\(\1\)\n", module.code)
    for first in range(40):
        x = np.full(40, first)
        assert module(x) == grown(x)


def count(x):
    i = total = 0
    while i < 12 and not int(x[i]) == 99:
        total += int(x[i])
        i += 1
    return i, total


def sums(x):
    i, total = 0, 0.0
    while i < 12 and not float(x[i]) > 1e9:
        total += float(x[i])
        i += 1
    return i, total


@pytest.mark.parametrize("kind", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", ">i4", "<i8", ">u2"])
def test_integers_of_all_dtypes(kind):
    x = (np.arange(12) * 13 % 120).astype(kind)
    assert export(count, (x,)).module()(x) == count(x)


@pytest.mark.parametrize("kind", ["e", "f", "d", "g", ">f8", ">f4"])
def test_floats_of_all_dtypes(kind):
    x = (np.arange(12) / 7).astype(kind)
    x[3] = np.inf
    x[5] = -0.0
    module = export(sums, (x,)).module()
    assert module(x) == sums(x)
    x[3], x[7] = 2.0, np.nan
    np.testing.assert_equal(module(x), sums(x))


def test_memory_that_is_not_aligned_and_parts_of_arrays():
    x = np.arange(12) * 5
    module = export(count, (x,)).module()
    apart = np.zeros(12 * 8 + 1, np.uint8)[1:].view(np.int64)
    apart[:] = x
    assert windows.window(apart)[3] == 15
    windows.window(apart)[3] = 16
    assert apart[3] == 16
    for other in (apart, np.arange(24)[::2], np.arange(12)[::-1], np.broadcast_to(np.array([4]), 12)):
        try:
            found = module(other)
        except Exception as error:  # a layout that was not promised
            assert "E4" in str(error)
        else:
            assert found == count(other)


def test_windows_keep_no_array():
    def f(x):
        y, i = x * 2, 0
        while int(y[i]) < 60:
            i += 1
        return i, np.ones(3)

    module = export(f, (X,)).module()
    x = X.copy()
    gone = weakref.ref(x)
    assert module(x)[0] == f(x)[0]
    del x
    gc.collect()
    assert gone() is None
