"""Branches of a loop that raise on one side, beside a handler of another exception, and decide the
loop by what follows them: equal to eager execution, or refused.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import one_in, shard

SOURCE = """
def f(x):
    lst, acc = [], 0.0
    for i in range({count}):
        t = float(x[i])
        try:
            if t > 1:
                {side}
            else:
                acc = acc + 1
        except {caught}:
            {handler}
        if t > 2:
            {end}
        acc = acc * 2
    return acc
"""
CAUGHT = """
def f(x, t):
    acc, n = 0.0, 0
    for v in x:
        if {around}:
            try:
                if v > 1:
                    raise Refusal
                n += 1
            except {waits}:
                {handler}
        acc = acc + v
    return acc, n
"""
SIDES = ("lst[0] = acc", "raise KeyError(i)", "acc = acc - 1")
HANDLERS = ("return acc", "acc = 5.0", "pass")
ENDS = ("break", "return -acc", "continue", "acc = acc + 3")
VALUES = ([0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 1.5, 2.5], [1.5, 0, 3], [0, 0, 4])
DATA = [np.array(values, float) for values in VALUES]


def compiled(**parts):
    return function_of(compile(SOURCE.format(**parts), "<program>", "exec"))


@pytest.mark.parametrize("caught", ["ValueError", "IndexError"])
@pytest.mark.parametrize("side", SIDES)
def test_what_a_side_did_before_is_kept(side, caught):
    captured = 0
    for handler, end, count in itertools.product(HANDLERS, ENDS, (2, 3)):
        f = compiled(side=side, caught=caught, handler=handler, end=end, count=count)
        try:
            run = export(f, (DATA[0],)).module()
        except ExportError as error:
            assert error.code in ("E103", "E126"), error
            continue
        captured += 1
        for x in DATA:
            assert outcome(run, (x,)) == outcome(f, (x,)), (handler, end, count, x)
    assert captured >= 6


def after_a_handler(x, k):
    i = int(k[0])
    for _ in range(len(x)):
        try:
            if all(v > 0 for v in x):
                return i
        except IndexError:
            i = 5
        else:
            i = i + 1
        i = i + 1
    return i


def test_the_jump_of_a_handler_is_no_loop():
    run = export(after_a_handler, (DATA[0], np.array([1])), dynamic_shapes=({0: Dim.AUTO}, None)).module()  # did not end
    for x in (*DATA, np.ones(2), np.zeros(5), np.zeros(0)):
        assert outcome(run, (x, np.array([2]))) == outcome(after_a_handler, (x, np.array([2])))


class Refusal(Exception):
    pass


@pytest.mark.parametrize(
    ("around", "handler"), [("True", "acc = acc * 0.5"), ("True", "break"), ("True", "continue"), ("v > t", "acc = acc * 0.5")]
)
@pytest.mark.parametrize("waits", ["Refusal", "(KeyError, Refusal)"])
def test_what_a_handler_of_the_loop_gets(handler, waits, around):
    function = function_of(compile(CAUGHT.format(handler=handler, waits=waits, around=around), "<program>", "exec"), {"Refusal": Refusal})
    for shapes, sizes in ((None, (4,)), ({"x": {0: Dim("n", min=2)}, "t": None}, (2, 4, 7))):
        run = export(function, (np.array([0.5, -2.0, 3.0, 0.25]), np.float64(0.5)), dynamic_shapes=shapes).module()
        for size, seed in itertools.product(sizes, range(8)):
            x, t = np.round(np.random.default_rng(seed).normal(size=size) * 1.5, 1), np.float64(seed / 4 - 0.5)
            assert outcome(run, (x, t)) == outcome(function, (x, t)), (x, t)


CALLED = """
def checked(v):
    if v < 0:
        raise Refusal
    return 1

def deep(v):
    return checked(v) + checked(v + 0.5)

def f(x, t):
    acc, n, i = 0.0, 0, 0
    {loop}
        {around}
            try:
                n += {call}
                acc = acc + v
            except Refusal:
                n += 2
                {handler}
        acc = acc * 0.5 + v
    return acc, n
"""
LOOPS = {
    "array": "for v in x:",
    "range": "for i in range(len(x)):\n        v = x[i]",
    "true": "while True:\n        if i >= len(x):\n            break\n        v = x[i]\n        i += 1",
    "inner": "for v in x:\n      for _ in range(2):",
}
CALLS = ("checked(v)", "deep(v)")
WAYS = ("break", "return acc, -n", "continue", "acc = acc * 0.5", "if acc > t:\n                    break")
AROUND = ("if True:", "if v > t:", "with np.errstate(all='ignore'):")


@pytest.mark.parametrize(("loop", "call", "handler", "around"), one_in(4, shard(itertools.product(LOOPS, CALLS, WAYS, AROUND), 3)))
def test_what_a_called_function_raises_decides_the_loop(loop, call, handler, around):
    function = function_of(
        compile(CALLED.format(loop=LOOPS[loop], call=call, handler=handler, around=around), "<program>", "exec"),
        {"Refusal": Refusal, "np": np},
    )
    for shapes, sizes in ((None, (4,)), ({"x": {0: Dim("n", min=2)}, "t": None}, (2, 4, 7))):
        run = export(function, (np.array([0.5, -2.0, 3.0, 0.25]), np.float64(0.5)), dynamic_shapes=shapes).module()
        for size, seed in itertools.product(sizes, range(8)):
            x, t = np.round(np.random.default_rng(seed).normal(size=size) * 1.5, 1), np.float64(seed / 4 - 0.5)
            assert outcome(run, (x, t)) == outcome(function, (x, t)), (x, t)


def sums_up(x, t):
    n = 0
    try:
        for v in x:
            n += 1 if v > t else 2
            if v < 0:
                raise ValueError("negative")
    except ValueError:
        n = -n
    return n


def handled_behind(x, t):
    n = 0
    for v in x:
        if v > t:
            try:
                if v > 1:
                    raise ValueError("large")
                n += 1
            except KeyError:
                n = 7
                break
    return n


@pytest.mark.parametrize("f", [sums_up, handled_behind])
def test_a_handler_around_the_loop_or_for_another_exception(f):
    run = export(f, (np.array([0.5, -2.0, 3.0, 0.25]), np.float64(0.5))).module()
    for seed in range(12):
        x, t = np.round(np.random.default_rng(seed).normal(size=4) * 1.5, 1), np.float64(seed / 4 - 0.5)
        assert outcome(run, (x, t)) == outcome(f, (x, t)), (x, t)


def test_a_text_that_one_path_alone_gives_is_refused():
    def f(x):
        s = 0.0
        for i in range(x.size):
            try:
                if x[i] < 0:
                    raise ValueError(i)
                s = s + x[i]
            except ValueError as error:
                return s, error.args[0]
        return s, 0

    with pytest.raises(ExportError) as caught:
        export(f, (DATA[1],), dynamic_shapes=({0: Dim("n", min=2)},))  # was an internal error
    assert caught.value.code == "E103"


def test_a_handler_that_gets_what_itself_raises():
    def first(x, t):
        i = 0
        while True:
            try:
                if x[i] > t:
                    i += 1
                    raise Refusal
                raise KeyError(i)
            except Refusal:
                pass

    def f(x, t):
        try:
            return first(x, t)
        except KeyError as error:
            return error.args[0]

    run = export(f, (np.array([1.0, 2.0, -1.0]), np.float64(0.5))).module()
    for values in ([1.0, 2.0, -1.0], [0.0, 2.0, 1.0], [1.0, -2.0, 1.0], [1.0, 2.0, 3.0]):
        given = np.array(values), np.float64(0.5)
        assert outcome(run, given) == outcome(f, given)
