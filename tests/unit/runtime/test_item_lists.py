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


def halved(x):
    n, found = int(x[0]), []
    while n > 0:
        found.append(n)
        n //= 2
    return found


def appended_twice(x):
    n, found, odd = int(x[1]), [0], []
    while n:
        found.append(n % 5)
        if n % 2:
            odd.append(n / 2)
        found.append(-2)
        n = n // 2 if n > 0 else 0
    return found, odd, [len(odd), sum(odd)]


def nested_appends(x):
    n, found = int(x[2]), []
    while n > 1:
        k = n
        while k > 0:
            found.append(k)
            k -= 3
        n -= 2
    while len(found) < 3:
        found.append(0)
    return found


def of_last_items(x):
    found = [int(x[0])]
    while found[-1] < 50:
        found.append(abs(found[-1]) + 1)
    return found


def kept_beside_grown(x):
    n, found = int(x[0]), []
    while n > 0:
        found.append(n % 2 == 0)
        n -= 1
    grown = list(found)
    while len(grown) < 9:
        grown.append(True)
    return found, grown


def read_behind(x):
    n, found = int(x[0]), [0]
    while n > 0:
        found.append(n)
        found[0] += found[len(found) - 1]
        n -= 2
    return found, np.array(found)


LISTS = {
    "while": (halved, I, True),
    "appended twice": (appended_twice, I, True),
    "nested loops": (nested_appends, I, True),
    "last items": (of_last_items, I, True),
    "kept beside": (kept_beside_grown, I, True),
    "read behind": (read_behind, I, False),
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


def test_appended_integers_have_the_room_of_arrays():
    def powers(x):
        found, power = [], int(x[0])
        while power:
            found.append(power)
            power = power * 2**40 if power < 2**80 else 0
        return found

    program = export(powers, (I,))
    for module in (program.module(), make_module(program, True, threads=0)):
        with pytest.raises(OverflowError):
            module(I)


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
