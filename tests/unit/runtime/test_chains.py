"""Chains of arithmetic in registers of the machine: the bits, warnings and errors of NumPy's loops, at every length, layout and value."""

import ctypes
import mmap
import random
import sys

import numpy as np
import pytest

from npexport import export
from npexport.runtime.blocks import chains, expressions
from npexport.runtime.blocks.expression_calls import Calls
from tests.support.blocks import hold

pytestmark = pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")
STATES = ({"all": "ignore"}, {"all": "warn"}, {"all": "raise"}, {"invalid": "raise", "over": "ignore"}, {"under": "warn", "over": "ignore"})
SIZES = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 127, 255, 256, 257, 300, 511, 1000, 2047, 2049, 5000)
BINARY = (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum)
UNARY = (np.square, np.sqrt, np.negative, np.absolute, np.fabs, np.exp)
TESTS = (np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal)


def numbers(count, dtype, seed=0, special=False):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(count).astype(dtype)
    if special:
        words = np.array([0.0, -0.0, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).tiny / 8, -1.0, 1e30], dtype)
        places = rng.random(count) < 0.3
        values[places] = rng.choice(words, count)[places]
    return values


def not_numbers(count, dtype, seed=0):
    """Values of which some are NaNs of various payloads."""
    values = numbers(count, dtype, seed)
    word = values.view(f"u{values.itemsize}")
    rng = np.random.default_rng(seed + 1)
    quiet = int(np.array(np.nan, dtype).view(word.dtype))
    for place in np.flatnonzero(rng.random(count) < 0.2):
        word[place] = quiet | int(rng.integers(1, 1000)) | (int(rng.integers(2)) << (8 * values.itemsize - 1))
    return values


def random_program(rng, length):
    """A program that is mostly chains: each operator takes the last result, or results before it, or numbers."""
    steps = [
        (rng.random(), rng.choice(BINARY), rng.choice(UNARY), rng.choice(TESTS), [rng.random() for _ in range(3)]) for _ in range(length)
    ]
    kept = [rng.randrange(length) for _ in range(rng.randint(1, 2))]

    def function(*inputs):
        values = list(inputs)
        for kind, two, one, test, picks in steps:
            last = values[-1]
            other, third = [values[int(pick * len(values))] for pick in picks[:2]]
            number = last.dtype.type(picks[2] * 4 - 2)
            if kind < 0.15:
                values.append(one(last))
            elif kind < 0.3:
                values.append(np.where(test(last, other), third, number if picks[2] < 0.5 else last))
            elif kind < 0.45:
                values.append(two(number, last) if picks[2] < 0.5 else two(last, number))
            else:
                values.append(two(other, last) if picks[2] < 0.5 else two(last, other))
        return tuple([values[len(inputs) + place] * 1 for place in kept])

    return function


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("seed", range(8))
def test_random_programs_have_numpys_bits(seed, dtype):
    rng = random.Random(seed)
    function = random_program(rng, rng.randint(4, 24))
    for count in rng.sample(SIZES, 6):
        hold(function, (numbers(count, dtype, 1), numbers(count, dtype, 2)))
        hold(function, (numbers(count, dtype, 1, True), numbers(count, dtype, 2, True)), STATES)
        hold(function, (not_numbers(count, dtype, 1), not_numbers(count, dtype, 2)), STATES[:2])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("seed", range(8))
def test_rows_of_every_length(seed, dtype):
    rng = random.Random(seed)
    function = random_program(rng, rng.randint(3, 12))

    def windows(x, row, column):
        return function(x[1:-1, 1:-1], x[:-2, 1:-1], row[1:-1], column, x[1:-1, 2:])

    for columns in rng.sample(SIZES, 4):
        for make in (numbers, lambda *args: numbers(*args, True), not_numbers):
            x = make(7 * (columns + 2), dtype, seed).reshape(7, columns + 2)
            hold(windows, (x, make(columns + 2, dtype, 1), make(5, dtype, 2).reshape(5, 1)))


def stencil(a, b):
    b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
    a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def fields(x, y, z):
    y[1:, :] -= 0.5 * (z[1:, :] - z[:-1, :])
    x[:, 1:] -= 0.5 * (z[:, 1:] - z[:, :-1])
    z[:-1, :-1] -= 0.7 * (x[:-1, 1:] - x[:-1, :-1] + y[1:, :-1] - y[:-1, :-1])


def in_place(x, y):
    x *= 0.5
    x += y
    x -= 1.0
    x *= y
    x /= 3.0
    return x


def in_place_at_once(x, y):
    x[...] = (x * 0.5 + y) * (x - y) / (y * y + 1)
    y[:] = np.where(x > y, x, 0) * 2 - x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("columns", [3, 66, 700])
def test_arrays_that_are_changed(dtype, columns):
    for make in (numbers, lambda *args: numbers(*args, True), not_numbers):
        x, y, z = (make(400 * columns, dtype, seed).reshape(400, columns).copy() for seed in range(3))
        hold(stencil, (x, y), STATES)
        hold(fields, (x, y, z), STATES)
        hold(in_place, (x, y), STATES)
        hold(in_place_at_once, (x, y), STATES)
        x[300, 1] = np.nan  # what comes before it is written by then
        hold(fields, (x, y, z), STATES[:2])
        hold(in_place, (x, y), STATES[:2])
        y[350, 2] = np.inf
        hold(in_place_at_once, (x, y), STATES)


def many_kept(*values):
    sums = [values[k] + values[k + 1] for k in range(len(values) - 1)]
    total = sums[0] * sums[-1]
    for one in sums:
        total = total - one * 2 + one / 3
    return total


@pytest.mark.parametrize("operands", [4, 15, 17, 19, 30])
def test_many_values_at_the_same_time(operands):
    hold(many_kept, [numbers(777, "f8", seed) for seed in range(operands)], STATES)


def long(x):
    for k in range(150):
        x = x * 1.001 + k - np.abs(x) / 7
    return x


def test_long_programs():
    for count in (5, 700, 4100):
        hold(long, (numbers(count, "f8"),), STATES)


def test_zeros_of_two_signs():
    def larger(x, y):
        return np.maximum(np.minimum(x * 2, y) * 1, 0.0) - np.float64(0), np.maximum(0.0, x * y * 1 * 1), np.minimum(-0.0, x * y * 1 * 1)

    x, y = np.array([0.0, -0.0, 1.0, -1.0] * 300), np.array([0.0, 0.0, -0.0, -0.0] * 300)
    hold(larger, (x, y))
    hold(larger, (y, x))
    hold(larger, (x.astype("f4"), y.astype("f4")))


def parts(function, args):
    """The chains of the first group of a program, each as (first, last, names of its steps)."""
    graph = export(function, args).graph
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    calls = Calls()
    (group,) = expressions.expression_groups(nodes, lambda node: False, calls)
    layout = expressions.Layout(group, [(node, calls.of(node)) for node in group.members])
    return [(first, last, [chains.STEPS[step[0]] for step in steps]) for first, last, _, steps in layout.chains()]


def test_what_is_one_chain():
    x = numbers(100, "f8")
    assert parts(lambda x, y: (x * 2 + y) * y - 1, (x, x)) == [(0, 3, ["take", "*", "+", "*", "-", "give"])]
    assert parts(lambda x: 1 - (3 / x), (x,)) == [(0, 1, ["take", "/", "subtract from", "give"])]
    squares = parts(lambda x: (x + 1) * (x + 1) - x, (x,))
    assert squares == [(0, 2, ["take", "+", "square", "-", "give"])]
    assert parts(lambda x, y: np.where(x + y > 0, y, 0.0) * 2, (x, x)) == [(0, 3, ["take", "+", ">", "choose", "*", "give"])]
    assert parts(lambda x: np.log(x) * 2 + 1, (x,)) == [(1, 2, ["take", "*", "+", "give"])]
    assert parts(lambda x: (x > 0) & (x + 1 < 3), (x,)) == []


def test_truths_that_leave_are_no_part_of_a_chain():
    def leaving(x, y):
        larger = x * 2 > y
        return larger, np.where(larger, x * 2, y) + 1 - y

    for count in (5, 800, 5000):
        hold(leaving, (numbers(count, "f8"), numbers(count, "f8", 1)), STATES)


def test_where_numpy_chooses_another_zero_there_are_no_larger_ones(monkeypatch):
    x = numbers(100, "f8")
    monkeypatch.setattr(chains, "takes_the_second", lambda: False)
    assert parts(lambda x: np.maximum(x * 2 + 1, 0) - 1, (x,)) == [(0, 1, ["take", "*", "+", "give"])]
    monkeypatch.undo()
    if chains.takes_the_second():
        assert parts(lambda x: np.maximum(x * 2 + 1, 0) - 1, (x,))[0][:2] == (0, 3)


@pytest.mark.parametrize("rows", [60, 400, 2000])
def test_windows_of_large_arrays_keep_the_payloads_of_nans(rows):
    def windows(a):
        return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])

    hold(windows, (not_numbers(rows * 700, "f8").reshape(rows, 700),))


def centred_in_place(x, y):
    t = x * 0.5 + y
    t -= t.mean(axis=-1, keepdims=True)
    t *= 2.0
    return t


def scaled_in_place(x, y):
    t = x * y
    t = (t - t[:, :1]) / (t.max(axis=-1, keepdims=True) - y[:, -1:])
    return np.sqrt(-t)


def one_value_twice(x, y):
    t = x + y
    u = t - t.min(axis=-1, keepdims=True)
    return u * 2.0 - u


NANS = np.array([0x7FC00001, 0xFFC00002, 0x7F800003], np.uint32).view(np.float32)
"""NaNs that are told apart: two quiet ones, and one that is not."""


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [centred_in_place, scaled_in_place, one_value_twice])
def test_rows_that_are_written_over(function, dtype):
    """Of rows that a block holds, and of more, with numbers of all kinds in one row and in all."""
    rng = np.random.default_rng(0)
    for shape in ((5, 7), (40, 300), (64, 1000)):
        for specials in ([], [np.inf], [-np.inf, np.inf], [np.nan], list(NANS), [*NANS, np.inf, -0.0, 3e38]):
            x, y = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
            with np.errstate(all="ignore"):
                for special in specials:
                    x[-2, rng.integers(shape[1])] = special
                    y[rng.integers(shape[0]), :3] = special
            hold(function, (x, y), ({"all": "ignore"}, {"all": "warn"}, {"invalid": "raise"}))


def moved(x):
    return (x * 0.999 + 0.001 - 0.002) * 1.001


def moved_in_place(x):
    x *= 0.999
    x += 0.001
    x -= 0.002
    x *= 1.001
    x += 0.5
    return x


def turned(x):
    return 1 - np.abs(x)


def halved_in_place(x):
    x *= 0.5
    x -= 1e-3
    return x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [moved, moved_in_place, turned, halved_in_place])
def test_long_arrays_with_an_error_in_any_block(function, dtype):
    for count in (4096, 8191, 8193, 40_001):
        for special in (None, np.nan, np.inf, np.finfo(dtype).max, np.finfo(dtype).tiny):
            for place in (0, 4095, 4096, 8192, count - 1):
                x = numbers(count, dtype)
                if special is not None and place < count:
                    x[place] = special
                hold(function, (x,), STATES[1:3])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("operator", [*BINARY, *TESTS], ids=lambda operator: operator.__name__)
def test_operators_of_an_array_and_one_element(operator, dtype):
    def applied(x, one):
        left, right = operator(x * 2, one), operator(one, x - 1)
        if operator in TESTS:
            left, right = np.where(left, x, one), np.where(right, one, x)
        return (left * 0.5 + right) * 2

    def function(x, column):
        return applied(x, column), applied(x, x.dtype.type(0.25))

    for width in (1, 9, 300):
        for special in (False, True):
            x, column = numbers(7 * width, dtype, width, special).reshape(7, width), numbers(7, dtype, 1, special).reshape(7, 1)
            hold(function, (x, column), STATES[:3])


def apart(values, step, rows):
    """The values as elements that lie apart, on an axis of their own or in rows."""
    room = np.full((rows, abs(step) * len(values) + 1), 7.0, values.dtype)
    view = room[:, 1:][:, ::step] if step > 0 else room[:, : abs(step) * len(values)][:, ::-1][:, ::-step]
    view[...] = values
    return view if rows > 1 else view[0]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("step", [2, 3, 5, -1, -2, -3])
@pytest.mark.parametrize("seed", range(2))
def test_elements_that_lie_apart_are_gathered(seed, step, dtype):
    rng = random.Random(f"{seed} {step}")
    function, rows = random_program(rng, rng.randint(3, 12)), rng.choice((1, 1, 3))
    for count in rng.sample(SIZES, 3):
        for make in (numbers, lambda *args: numbers(*args, special=True), not_numbers):
            x, y = apart(make(count, dtype, 1), step, rows), make(count, dtype, 2)
            for args in ((x, y), (y, x), (x, apart(y, 2, rows)), (x, x)):
                hold(function, args, STATES[:2])


def test_more_operands_that_lie_apart_than_are_gathered():
    def function(x):
        total = x[:, 0] * 0.5
        for column in range(1, 20):
            total = total + x[:, column] * 0.5
        return total

    for rows in (1, 9, 700):
        hold(function, (np.random.default_rng(0).standard_normal((rows, 20)),))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is protected as Linux does it")
def test_nothing_beside_elements_that_lie_apart_is_read():
    """The elements are the last ones of a page of memory behind which there is none, or the first
    ones.
    """
    page = mmap.PAGESIZE
    room = mmap.mmap(-1, 3 * page)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    memory = np.frombuffer(room, "u1")
    start = memory.ctypes.data
    for place in (start, start + 2 * page):
        assert protect(ctypes.c_void_p(place), ctypes.c_size_t(page), 0) == 0
    try:
        for dtype in ("f4", "f8"):
            inside = memory[page : 2 * page].view(dtype)
            inside[:] = numbers(len(inside), dtype)
            for view in (inside[len(inside) % 2 - 1 :: -2], inside[::-1], inside[1::2], inside[::2][::-1], inside[2::3]):
                hold(lambda x: (x * 0.5 + 1.5) * x - 2.5, (view,))
    finally:
        for place in (start, start + 2 * page):
            protect(ctypes.c_void_p(place), ctypes.c_size_t(page), mmap.PROT_READ | mmap.PROT_WRITE)
