"""Tables whose keys are tuples and texts, read with keys that the data decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

TABLE = {("a", 0): "b", ("b", 1): "a", ("b", 0): "b"}


def with_a_default(x):
    state = "a"
    for v in x:
        state = TABLE.get((state, int(v > 1)), "a")
    return state


def a_missing_key_raises(x):
    state = "a"
    for v in x:
        state = TABLE[state, int(v > 1)]
    return state


def a_missing_key_is_caught(x):
    state, missed = "a", 0
    for v in x:
        try:
            state = TABLE[state, bool(v > 1)]
        except KeyError:
            state, missed = "a", missed + 1
    return state, missed


def of_several_kinds(x):
    table = {(0, 0): 1, (0, 1): 2.5, (1, 0): "x", (1, True): None, "other": 3}
    return table[int(x[0] > 0), int(x[1] > 0)], table.get((int(x[0]), 7))


def functions(x):
    table = {("a", True): np.sin, ("a", False): lambda v: v * 2, ("b", True): lambda v: v - 1}
    found = table.get(("a" if x[0] > 0 else "b", bool(x[1] > 0)))
    return x if found is None else found(x)


def many_functions(x):
    return [np.sin, np.cos, np.exp, np.tan][int(x[0] > 0) + 2 * int(x[1] > 0)](x)


def nested(x):
    table = {"a": {0: "b", 1: "a"}, "b": {0: "a", 1: "b"}}
    state = "a"
    for v in x[:3]:
        state = table[state][int(v > 1)]
    return state


DATA = [np.array(values) for values in ([1.0, -2, 3], [-1.0, -2, -3], [2.0, 5, 0], [0.5, -1, 7, 8], [-1.0, 2, 0, 0, 1])]


@pytest.mark.parametrize(
    "program", [with_a_default, a_missing_key_raises, a_missing_key_is_caught, of_several_kinds, functions, many_functions]
)
def test_the_table_is_read_as_in_eager_execution(program: Any) -> None:
    module = export(program, (DATA[0],), dynamic_shapes=({0: Dim("n", min=2)},)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(program, (x,))


def test_tables_of_tables() -> None:
    module = export(nested, (DATA[0],)).module()
    assert [module(x) for x in DATA[:3]] == [nested(x) for x in DATA[:3]]
