"""Loops over generators that yield where data say so: written into the loop, and equal to eager execution on data that takes every side, at
other sizes."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def positive(x):
    for a in x:
        if a > 0:
            yield a


def squares(it):
    for a in it:
        yield a * a


@program
def left_in_the_middle(x):
    total = 0.0
    for a in positive(x):
        total += a
        if total > 2:
            break
    else:
        total += 100
    return total


@program
def of_two_loops(x):
    def differences():
        for a in x:
            for b in x:
                if a * b > 2:
                    yield a - b

    total = 0.0
    for difference in differences():
        total = total * 0.5 + difference
    return total


@program
def of_a_while(x):
    def halves(a):
        while a > 1:
            yield a
            a = a / 2

    total = 0.0
    for a in x:
        for half in halves(a):
            total += half
    return total


@program
def in_several_places(x):
    def values():
        yield x[0]
        for a in x[1:]:
            if a > 0:
                yield a
            else:
                yield -a * 2

    total = 0.0
    for a in values():
        total = total * 2 + a
    return total


@program
def returns_early(x):
    def until_large():
        for a in x:
            if a > 4:
                return
            yield a

    total = 1.0
    for a in until_large():
        if a < 0:
            continue
        total = total * 2 + a
    else:
        total = total + 100
    return total


@program
def over_another_generator(x):
    def pairs():
        previous = None
        for a in positive(x):
            if previous is not None:
                yield previous, a
            previous = a

    total = 0.0
    for a, b in pairs():
        total += a * b
    return total


@program
def handed_to_another_generator(x):
    total = 0.0
    for a in squares(positive(x)):
        total += a
        if total > 5:
            return total
    return -total


@program
def of_a_comprehension(x):
    return [a + 1 for a in positive(x)]


@program
def counted(x):
    out = np.zeros(len(x))
    for i, a in enumerate(positive(x)):
        out[i] = a
    return out


@program
def sees_what_the_loop_writes(x):
    y = x.copy()
    for a in positive(y):
        y[-1] = a - 1
    return y


@program
def within_a_loop(x):
    total = 0.0
    for k in range(3):
        for a in positive(x - k):
            total += a * k
    return total


class Above:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for a in self.x:
            if a > 1:
                yield a


@program
def of_an_object(x):
    total = 0.0
    for a in Above(x):
        total += a
    return total


@program
def shares_a_variable(x):
    n = 0

    def above():
        nonlocal n
        for a in x:
            n += 1
            if a > 2:
                yield a

    total = 0.0
    for a in above():
        total += a * n
    return total, n


@program
def searches(x):
    def halving(low, high):
        while high - low > 0.1:
            middle = (low + high) / 2
            yield middle
            if middle > x[0]:
                high = middle
            else:
                low = middle

    count = 0
    for middle in halving(-8.0, 8.0):
        count += 1
    return count, middle


@program
def listed(x):
    return np.array([*positive(x)]), np.fromiter(positive(x), dtype=float), np.fromiter((a * 2 for a in x if a > 1), float)


@program
def left_before_it_begins(x):
    def after():
        for a in x:
            if a > 0:
                break
        yield 1.0

    return [v * 2 for v in after()]


def data(size):
    rng = np.random.default_rng(size)
    return [np.full(size, -1.0), np.full(size, 5.0), *[np.round(rng.normal(size=size) * 3, 1) for _ in range(12)]]


@pytest.mark.parametrize("f", PROGRAMS)
def test_equals_eager(f):
    run = export(f, (np.array([1.0, -2.0, 3.0, 0.5]),)).module()
    for x in data(4):
        assert outcome(run, (x,)) == outcome(f, (x,)), x


@pytest.mark.parametrize("f", PROGRAMS)
def test_equals_eager_at_other_sizes(f):
    run = export(f, (np.array([1.0, -2.0, 3.0, 0.5]),), dynamic_shapes={"x": {0: Dim("n", min=2)}}).module()
    for x in (x for size in (2, 3, 7) for x in data(size)):
        assert outcome(run, (x,)) == outcome(f, (x,)), x


def test_lines_are_those_of_the_generator():
    def f(x):
        total = 0.0
        for a in positive(x):
            total += a
        return total

    program = export(f, (np.array([1.0, -2.0]),))
    spans = [span for graph in program.graph.all_graphs() for node in graph.nodes for span in node.meta.get("stack_trace", ())]
    assert {"positive", "f"} <= {span.function for span in spans}


def test_a_stop_iteration_in_it_is_a_runtime_error():
    def stopping(x):
        for a in x:
            if a > 0:
                yield a
        next(iter(()))

    def f(x):
        total = 0.0
        try:
            for a in stopping(x):
                total += a
        except RuntimeError as error:
            return total, str(error)
        return total, ""

    run = export(f, (np.array([1.0, -2.0]),)).module()
    for x in data(2):
        assert outcome(run, (x,)) == outcome(f, (x,)), x


def falling(x):
    current = x[0]
    for a in x[1:]:
        if a < current or a < 1.5:
            current = a
            yield current


@pytest.mark.slow
def test_what_takes_all_items_of_a_generator_over_another():
    def f(x):
        return max((a for a in falling(x)), default=-1.0), sum(1 for a in falling(x) if a > 0), any(a > 1 for a in falling(x))

    for shapes, sizes in ((None, (4,)), ({"x": {0: Dim("n", min=2)}}, (2, 3, 7))):
        run = export(f, (np.array([1.0, -2.0, 3.0, 0.5]),), dynamic_shapes=shapes).module()
        for x in (x for size in sizes for x in data(size)):
            assert outcome(run, (x,)) == outcome(f, (x,)), x


UNPACKED = {
    "an expression": lambda x: (lambda a, b, c: a + b * c)(*(v * 2 for v in x)),
    "at once": "a, b, c = (v * 2 for v in x)\nreturn a + b * c",
    "with a rest": "a, *b = (np.atleast_1d(v) for v in x)\nreturn a + b[-1]",
    "two of them": "a, b = (v + 1 for v in x[:2])\nc, d = (v - 1 for v in x[1:])\nreturn a * b + c * d",
}


@pytest.mark.parametrize("name", UNPACKED)
def test_all_items_of_a_generator_that_nobody_holds_are_unpacked(name):
    """Its first item alone is what `next` gives of one; what is unpacked has them all."""
    f = UNPACKED[name]
    if isinstance(f, str):
        f = function_of("def f(x):\n    " + f.replace("\n", "\n    "), {"np": np})
    for spec in (None, ({0: Dim.AUTO},)):
        run = export(f, (np.arange(3.0),), dynamic_shapes=spec).module()
        np.testing.assert_array_equal(run(np.arange(3.0) * 2 + 1), f(np.arange(3.0) * 2 + 1))
