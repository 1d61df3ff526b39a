"""What C compares and calls is the program's own with either hook; polyfills give what C gives."""

import functools
import itertools
import operator
import re
import types
from collections.abc import Generator, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npexport import export
from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter import polyfills


class Kernel:
    def times(self):
        return 1


KERNEL = Kernel()
BOUND = [
    lambda: (KERNEL.times == KERNEL.times, KERNEL.times != KERNEL.times, KERNEL.times == Kernel().times),
    lambda: (KERNEL.times in [KERNEL.times], Kernel().times in (KERNEL.times,), [len, KERNEL.times].index(KERNEL.times)),
    lambda: ([KERNEL.times].count(KERNEL.times), [KERNEL.times] == [KERNEL.times], (KERNEL.times,) == (Kernel().times,)),
    lambda: ({KERNEL.times: 1}[KERNEL.times], KERNEL.times in {KERNEL.times}, hash(KERNEL.times) == hash(KERNEL.times)),
    lambda: (operator.eq(KERNEL.times, KERNEL.times), operator.contains([KERNEL.times], KERNEL.times), KERNEL in [KERNEL]),
    lambda: (functools.partial(len) in [len], len in [len], Kernel.times == Kernel.times, min in {min: 1}, KERNEL == KERNEL),
    lambda: [sorted([3, 1], key=key) for key in (abs, [7, 5, 6, 4].__getitem__)],
]


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("call", BOUND)
def test_what_c_compares_is_the_programs_own(call):
    """Each comparison stands for itself in what is computed: known at export, or the same when the program runs."""
    bound, expected = KERNEL.times, call()
    exported = export(lambda x: (x, call(), bound == KERNEL.times, bound in [KERNEL.times]), (np.ones(2),))
    assert exported.module()(np.ones(2))[1:] == (expected, True, True)


class Stopping:
    """A function that raises ``StopIteration`` at a number, as ``next`` does."""

    def __init__(self, at):
        self.at = at

    def __call__(self, *values):
        if values[-1:] == (self.at,):
            raise StopIteration
        return values


NAN = float("nan")
ENDS = [
    lambda: list(map(lambda n: next(iter([n][: 3 - n])), [1, 2, 3, 1])),
    lambda: list(filter(lambda n: next(iter([n][: 3 - n])), [1, 2, 3, 1])),
    lambda: list(itertools.filterfalse(lambda n: next(iter([0][: 3 - n])), [1, 2, 3, 1])),
    lambda: list(itertools.takewhile(lambda n: next(iter([n][: 3 - n])), [1, 2, 3, 1])),
    lambda: list(itertools.dropwhile(lambda n: next(iter([n][: 3 - n])), [1, 2, 3, 1])),
    lambda: list(itertools.starmap(Stopping(3), [(1,), (2,), (3,), (1,)])),
    lambda: list(itertools.accumulate([1, 2, 3, 4], lambda a, b: next(iter([b][: 3 - b])))),
    lambda: [(key, list(found)) for key, found in itertools.groupby([1, 1, 2, 3, 1], lambda n: next(iter([n][: 3 - n])))],
    lambda: list(iter(lambda numbers=iter([1, 2]): next(numbers), 5)),
    lambda: [len(list(found)) for _, found in itertools.groupby([NAN, NAN, 1.0], lambda n: n)],
    lambda: next(iter(lambda: NAN, NAN), "ended"),
    lambda: [(key, [next(found, None) for found in (mine, mine, mine)]) for key, mine in itertools.groupby([1, 1, 2, -2, 3], abs)],
    lambda: [next(mine, None) for _, mine in list(itertools.groupby([1, 1, 2, 1], abs))],
]


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("call", ENDS)
def test_lazy_ones_end_as_those_of_c(call):
    exported = export(lambda x: (x, repr(call())), (np.ones(2),))
    assert exported.module()(np.ones(2))[1] == repr(call())


# The polyfills by themselves, held to C's

SHORT = st.lists(st.integers(-3, 3), max_size=8)


def modulo(n):
    return n % 3


@given(SHORT, st.booleans())
def test_sorting_is_stable(numbers, reverse):
    marked = list(enumerate(numbers))
    assert polyfills.sorted_(marked, key=lambda pair: pair[1], reverse=reverse) == sorted(marked, key=lambda pair: pair[1], reverse=reverse)
    assert polyfills.sorted_(numbers, reverse=reverse) == sorted(numbers, reverse=reverse)


@given(SHORT)
def test_groups(numbers):
    expected = [(key, list(members)) for key, members in itertools.groupby(numbers, modulo)]
    assert [(key, list(members)) for key, members in polyfills.groupby(numbers, modulo)] == expected
    assert [key for key, _ in polyfills.groupby(numbers, modulo)] == [key for key, _ in expected]


@given(SHORT, SHORT)
def test_lazy_ones(first, second):
    log, expected = [], []

    def logging(target):
        return lambda *values: target.append(values) or sum(values) > 0

    for builtin, polyfill in [
        (map, polyfills.map_),
        (filter, polyfills.filter_),
        (itertools.filterfalse, polyfills.filterfalse),
        (itertools.takewhile, polyfills.takewhile),
        (itertools.dropwhile, polyfills.dropwhile),
    ]:
        arguments = [first, second] if builtin is map else [first]
        assert list(polyfill(logging(log), *arguments)) == list(builtin(logging(expected), *arguments))
    assert log == expected, "callbacks in C's order"


@given(SHORT.filter(bool))
def test_extremes(numbers):
    assert polyfills.max_(numbers, key=modulo) == max(numbers, key=modulo)
    assert polyfills.min_(*numbers, 1, key=modulo) == min(*numbers, 1, key=modulo)


@given(st.text("ab", max_size=6), st.sampled_from(["a", "a*", "b+", "", "a|b"]), st.integers(0, 3))
def test_substitution(text, pattern, count):
    def bracket(match):
        return f"[{match.group()}]"

    assert polyfills.substitute(re.compile(pattern), bracket, text, count) == re.sub(pattern, bracket, text, count=count)


def _added(value):
    return value + 1


def _ended(iterator):
    list(iterator)
    return iterator


ASKED = [
    lambda x: isinstance(map(_added, [1]), map),
    lambda x: isinstance(filter(_added, [1]), (list, filter)),
    lambda x: type(map(np.sin, [x])) is map,
    lambda x: type(_ended(map(np.sin, [x]))) is map,
    lambda x: itertools.takewhile(_added, [1]).__class__ is itertools.takewhile,
    lambda x: hasattr(filter(_added, [1]), "send"),
    lambda x: isinstance(itertools.accumulate([1, 2], _added), types.GeneratorType),
    lambda x: (type(map(_added, [x])).__name__, isinstance(map(_added, [x]), Iterator), isinstance(map(_added, [x]), Generator)),
    lambda x: [hasattr(map(_added, [x]), name) for name in ("send", "gi_frame", "__len__", "__next__")],
]


@pytest.mark.parametrize("asked", ASKED)
def test_iterators_of_c_are_none_of_ours_to_the_program(asked):
    try:
        found = export(lambda x: (asked(x), x), (np.ones(2),)).module()(np.ones(2))[0]
    except Unsupported as refusal:
        assert refusal.code == "E119"
    else:
        assert found == asked(np.ones(2))


def _known(value):
    if value == 1:
        raise KeyError(value)
    return value


def _again(iterator):
    found = []
    try:
        found += list(iterator)
    except KeyError:
        found.append("raised")
    return [*found, *iterator]


GOING_ON = [
    lambda x: _again(map(_known, [0, 1, 2])),
    lambda x: _again(filter(_known, [3, 1, 2])),
    lambda x: _again(itertools.starmap(_known, [(0,), (1,), (2,)])),
    lambda x: _again(itertools.accumulate([3, 1, 2, 4], lambda total, value: total + _known(value))),
    lambda x: _again(itertools.takewhile(_known, [3, 1, 2])),
]
TEXTS = [
    lambda x: len(map(_added, [x])),
    lambda x: map(_added, [x])[0],
    lambda x: map(_added, [x]) + [1],
    lambda x: len(itertools.starmap(_added, [[x]])),
]


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("asked", [*GOING_ON, *TEXTS])
def test_generators_in_the_place_of_iterators_of_c_do_not_go_on_or_speak_for_them(asked):
    def program(x):
        try:
            return asked(x)
        except TypeError as error:
            return str(error)

    try:
        found = export(program, (np.ones(2),)).module()(np.ones(2))
    except Unsupported as refusal:
        assert refusal.code == "E119"
    else:
        assert found == program(np.ones(2))


def test_generators_of_the_program_are_asked_as_before():
    def program(x):
        values = (value for value in (x, x))
        return next(values) + 1, type(values).__name__, isinstance(values, types.GeneratorType), hasattr(values, "send")

    assert export(program, (np.ones(2),)).module()(np.ones(2))[1:] == ("generator", True, True)
