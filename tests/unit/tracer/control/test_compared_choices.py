"""Values of which data choose one of several, compared with each other: no branch is needed for each."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest

from npexport import export
from npexport.ir import ops
from tests.support.outcomes import outcome


def _name(number):
    return "odd" if number % 2 else "even" if number > 2 else "none"


def texts(v):
    a, b = _name(v[0]), _name(v[1])
    return a < b, a <= b, a == b, a != b, a > b, a >= "none", "even" < b


def with_none(v):
    a, b = ("x" if v[0] > 1 else None), ("x" if v[1] > 1 else None)
    return a == b, a != b, a is not b


def without_an_order(v):
    a = "x" if v[0] > 1 else None
    try:
        return a < "z"
    except TypeError:
        return v[1]


def kinds(v):
    a, b = ("s" if v[0] > 1 else 3), ("s" if v[1] > 1 else 3.0)
    return a == b, a != b, "yes" if a == b and v[2] > 0 else "no"


def not_equal_to_themselves(v):
    a, b = (float("nan") if v[0] > 1 else "t"), (float("nan") if v[1] > 1 else "t")
    return a == b, a != b


def in_a_loop(v):
    changes, state, last = 0, "a", "m"
    for each in v:
        new = "b" if each > 2 else "a" if each < 1 else "c"
        changes += new != state
        state = max(state, new)
        if new < last:
            last = new
        elif new > last + "":
            last = "z"
    return changes, state, last


def in_a_heap(v):
    heap = ["a", "b"]
    for each in v:
        heapq.heappush(heap, "c" if each > 2 else "a" if each < 1 else "bb")
    return heapq.heappop(heap) == "a", heapq.heappop(heap)


PROGRAMS = [texts, with_none, without_an_order, kinds, not_equal_to_themselves, in_a_loop, in_a_heap]


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_choice_is_compared(program):
    module = export(program, (np.array([3, 2, 1]),)).module()
    for values in itertools.product(range(5), repeat=3):
        assert outcome(module, (np.array(values),)) == outcome(program, (np.array(values),)), values


def test_two_texts_are_compared_without_a_branch():
    program = export(texts, (np.array([3, 2, 1]),))
    assert len(program.graph.find_nodes(op="call_function", target=ops.control.cond)) == 2  # those that choose
