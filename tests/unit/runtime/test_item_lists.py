"""Lists whose length data decide are lists in compiled programs, too, where nothing needs arrays."""

import numpy as np
import pytest

from npexport import Dim, export
from npexport.runtime.module import make_module

X = np.array([0.5, -1.0, np.nan, -0.0, 3.0, 0.0, -2.5, 1.5])
I = np.array([3, -2, 0, 7, 2**62, -5], np.int64)


def counted(x):
    return [place for place, v in enumerate(x) if v > 0]


def kept_on_both_sides(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
        elif v < -1:
            found.append(-v)
    return found


def two_lists(x):
    more, less = [], []
    for v in x.tolist():
        if v > 0:
            more.append(v)
        else:
            less.append(v)
    return more, less


def nested(x):
    found = []
    for v in x.tolist():
        if v > 0:
            if v > 1:
                found.append(v)
            found.append(-v)
    return found


def list_and_array(x):
    found = [v for v in x.tolist() if v > 0]
    return found, np.array(found)


def length_too(x):
    found = [v for v in x.tolist() if v > 0]
    return found, len(found)


def twice(x):
    found = [v for v in x if v > 0]
    return [found, list(found), found]


def ends(x):
    found = [v for v in x.tolist() if v < 1]
    return found[0] if found else 9.0


def before_and_after(x):
    found = [v for v in x.tolist() if v > 0]
    before = list(found)
    if x[0] > 0:
        found.append(7.0)
    return before, found


LISTS = {
    "floats": (lambda x: [v for v in x.tolist() if v > 0], X, True),
    "scalars": (lambda x: [v for v in x if not v > 0], X, True),
    "halves": (lambda x: [v for v in x if v > 0], X.astype(np.float16), True),
    "integers": (lambda x: [int(v) for v in x if v % 2 == 0], I, True),
    "small integers": (lambda x: [int(v) for v in x if v > 0], I.astype(np.int8), True),
    "large integers": (lambda x: [int(v) for v in x if v > 2], np.abs(I).astype(np.uint64), False),
    "complex scalars": (lambda x: [v for v in x if v.real > 0], X * 1j + X, True),
    "truths": (lambda x: [bool(v) for v in x if v], X > 0, True),
    "computed": (lambda x: [v * 2 for v in x.tolist() if v > 0], X, True),
    "longer than at first": (lambda x: [v for v in x.tolist() if v > 0], np.concatenate([X] * 5), True),
    "an array of scalars": (lambda x: np.array([v for v in x if v > 0]), X, False),
    "places": (counted, X, True),
    "on both sides": (kept_on_both_sides, X, True),
    "two lists": (two_lists, X, True),
    "nested": (nested, X, True),
    "list and array": (list_and_array, X, False),
    "length": (length_too, X, False),
    "twice": (twice, X, False),
    "ends": (ends, X, False),
    "before and after": (before_and_after, X, False),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_those_of_eager_execution(name):
    function, x, listed = LISTS[name]
    program = export(function, (x.copy(),))
    run, plain = program.module(), make_module(program, True, threads=0)
    kind = x.dtype.kind
    for data in (
        x,
        x[::-1].copy(),
        x ^ x if kind in "biu" else x * 0,
        np.full_like(x, 3),
        np.full_like(x, kind == "b" or -3 if kind != "u" else 0),
    ):
        for module in (run, plain):
            assert repr(module(data.copy())) == repr(function(data.copy()))
    assert ("] * " in run.code) >= listed


def test_what_is_written_where_memory_may_fail_is_an_array():
    def of_either_kind(x):
        found = []
        for v in x:
            if v > 2:
                break
            found += [bool(v > 0.2)]
        found.append(x[0] > 0)
        return sum([1 for v in found if v])

    run = export(of_either_kind, (X.copy(),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for data in (X, X[:1], X[:5], np.zeros(3)):
        assert run(data.copy()) == of_either_kind(data)
