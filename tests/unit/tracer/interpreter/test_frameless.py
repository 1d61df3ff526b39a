"""Calls that need no frame do what they do with one: every function that can runs so from its second call on."""

from __future__ import annotations

import sys
import traceback

import numpy as np
import pytest

from npexport import Unsupported, export
from npexport.tracer.interpreter import vm as machine
from npexport.tracer.interpreter.program import code_info
from npexport.tracer.interpreter.vm import VM


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(machine, "OFTEN", 1)


def given_back(values):
    class Kept:
        def __init__(self, value):
            self.value = value

        def put(self, value):
            self.value = value
            return 1 / value

        def both(self, other):
            return self.value + other.value

        def spare(self):
            return self.missing

        @property
        def sign(self):
            return -1 if self.value < 0 else 1

        def __add__(self, other):
            return self.value

    def shared():
        return count + 1

    def large(a, b=2, *, c=3):
        return a * b - c if a else b

    def unbound(a):
        if a:
            b = a
        return b

    said, kept, count = [], Kept(1), 0
    for value in values:
        count += 1
        for call in (
            lambda: kept.put(value),
            lambda: (kept.value, kept.sign, kept + value, kept.spare()),
            lambda: kept.both(Kept(value)),
            lambda: (large(value), large(value, c=1), large(value, 1, c=value)),
            lambda: (shared(), unbound(value)),
            lambda: (Kept(Kept(value)).value.value, (lambda a, b: b)(Kept(1), 2)),
        ):
            try:
                said.append(call())
            except (TypeError, ZeroDivisionError, AttributeError, UnboundLocalError) as error:
                said.append(
                    (str(error), error.__context__, [(each.name, each.lineno) for each in traceback.extract_tb(error.__traceback__)])
                )
    return said


VALUES = [1, 2.5, 0, -1, True, "a", None, 2j, 10**400]


def test_values_exceptions_and_lines_are_those_of_calls_with_a_frame():
    assert VM().run(given_back, (VALUES,)) == given_back(VALUES)


def test_so_they_are_in_an_export():
    def program(x):
        try:
            return x, repr(given_back(VALUES))
        except ValueError:
            return x, ""

    x = np.ones(2)
    assert export(program, (x,)).module()(x)[1] == program(x)[1]


def test_what_is_given_is_dropped_when_the_call_ends():
    def program(n):
        class Told:
            def __init__(self, name):
                self.name = name

            def __del__(self):
                said.append(self.name)

            def same(self, other):
                return self

        def second(a, b):
            return b

        said = []
        for i in range(n):
            second(Told(("first", i)), Told(("second", i)))
            said.append("between")
            kept = second(Told(("dropped", i)), Told(("kept", i)))
            said.append(Told(("self", i)).same(Told(("other", i))).name)
            kept = kept.same(i)
        kept = None
        return said

    assert VM().run(program, (3,)) == program(3)


def test_a_function_that_looks_at_its_frame_has_one():
    def named():
        return sys._getframe().f_code.co_name

    def program():
        return [named() for _ in range(3)]

    assert VM().run(program) == ["named"] * 3


def test_arrays_go_on_with_a_frame():
    class Scaled:
        def __init__(self, by):
            self.by = by

        def of(self, value):
            return value * self.by

        @property
        def double(self):
            return self.by + self.by

    def program(x):
        total, numbers, arrays = x, Scaled(2), Scaled(x)
        for _ in range(4):
            total = numbers.of(total) + arrays.of(numbers.double) - arrays.double
        return total

    x = np.arange(3.0)
    assert np.array_equal(export(program, (x,)).module()(x), program(x))


def test_calls_without_a_frame_are_counted():
    def one(a):
        return a

    def many(n):
        for _ in range(n):
            one(n)

    VM(step_limit=1000).run(many, (400,))
    assert code_info(one.__code__).frameless is not None
    with pytest.raises(Unsupported) as caught:
        VM(step_limit=1000).run(many, (600,))
    assert caught.value.code == "E124"


def test_a_call_too_many_is_one_with_or_without_a_frame():
    def leaf(a):
        return a

    def down(n):
        try:
            leaf(n)
            return down(n + 1)
        except RecursionError:
            return n

    vm = VM()
    vm.depth_limit = 50
    assert vm.run(down, (0,)) == 49
