"""Named tuples that hold what is one of several values, as data decide: it is moved into them, and
what examines them asks which it is."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, load, save
from tests.support.outcomes import outcome

Result = namedtuple("Result", "trend value")


class Typed(NamedTuple):
    trend: str
    value: Any = None


class Pair(tuple):
    def __new__(cls, one: Any, other: Any) -> Any:
        return super().__new__(cls, (one, other))


def trend(value: Any) -> str:
    if value > 1:
        return "increasing"
    return "decreasing" if value < -1 else "no trend"


def returned(x: Any) -> Any:
    return Result(trend(x[0]), x[1]), Typed(trend(x[1])), Typed(value=trend(x[0]), trend="x")


def of_a_class_made_in_the_call(x: Any) -> Any:
    made = namedtuple("Test", ["trend", "h"])
    h = abs(x[0]) > 1
    return made(trend(x[0]) if h else "no trend", h)


def read(x: Any) -> Any:
    result = Result(trend(x[0]), "value")
    name, other = result
    return name, other, result.trend, result[0], result[1:], len(result), tuple(result), list(result), isinstance(result, Result)


def examined(x: Any) -> Any:
    result = Result(trend(x[0]), "no")
    return ",".join(result), max(result), result == ("no trend", "no"), "increasing" in result, repr(result), f"{result}"


def compared(x: Any) -> Any:
    one, other = Result(trend(x[0]), 1), Result(trend(x[1]), 2)
    return one < other, sorted([one, other]), min(one, other)


def missing(x: Any) -> Any:
    result = Result(None if x[0] > 1 else x[1], x[2])
    return result, result.trend is None


def in_a_list(x: Any) -> Any:
    found = []
    for value in x:
        found.append(Result(trend(value), value))
    return found, [each.trend for each in found]


def of_a_subclass_of_tuple(x: Any) -> Any:
    pair = Pair(trend(x[0]), 2)
    return pair[0], len(pair), tuple(pair), Result._make([trend(x[1]), 1])


DATA = [np.array(values, float) for values in ([2, 0, 1], [-3, 2, 1], [0, 0, 0], [1, -2, 3], [-1, 5, -5])]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(
    "function", [returned, of_a_class_made_in_the_call, read, examined, compared, missing, in_a_list, of_a_subclass_of_tuple]
)
def test_equals_eager(function, dynamic, tmp_path):
    program = export(function, (DATA[0],), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None)
    runs = [program.module()]
    if function not in (of_a_class_made_in_the_call,):  # whose class no file can name
        save(program, tmp_path / "program.np2")
        runs.append(load(tmp_path / "program.np2").module())
    for x in DATA:
        wanted = outcome(function, (x,))
        assert all(outcome(run, (x,)) == wanted for run in runs)


def joined(x: Any) -> Any:
    return ",".join(Pair(trend(x[0]), "b"))  # which C takes apart, and would not take for a tuple of texts


def test_a_subclass_with_attributes_that_is_examined_is_refused():
    with pytest.raises(Unsupported) as caught:
        export(joined, (DATA[0],))
    assert caught.value.code == "E103"
