"""Loops that begin with several tests are left at the end of an iteration, on every CPython."""

import inspect

import numpy as np
import pytest

from npexport import Dim, export, interpret
from npexport.tracer.bytecode import decode
from npexport.tracer.interpreter.loop_analysis import loops


def of_while(x, k=0):
    while x.sum() < 100 and k < 50:
        x = x * 2
        k += 1
    return x, k


def of_breaks(x, k=0):
    while True:
        if x.sum() >= 100:
            break
        if k >= 50:
            break
        x = x * 2
        k += 1
    return x, k


def of_a_negation(x, k=0):
    while True:
        if not (x.sum() < 100 and k < 50):
            break
        x = x * 2
        k += 1
    return x, k


def of_returns(x, k=0):
    while True:
        if x.sum() >= 100:
            return x, k
        if k >= 3:
            return -x, k
        x = x * 2
        k += 1


def with_continue(x, k=0):
    while x.sum() < 100 and k < 50:
        k += 1
        if x.max() > 8:
            x = x + 10
            continue
        x = x * 2
    return x, k


def with_walrus(x, k=0):
    while (m := x.max()) < 30 and (n := k) < 9:
        x = x * 2
        k += 1
    return x, k, m


def with_else(x, k=0):
    while x.sum() < 100 and k < 50:
        x = x * 2
        k += 1
        if k == 4:
            break
    else:
        x = x - 1
    return x, k


def with_handler(x, k=0):
    while x.sum() < 100 and k < 50:
        try:
            x = x * 2
            k += 1
            x = x + 1 // (3 - k)
        except ZeroDivisionError:
            k += 40
    return x, k


def within_a_loop(x, k=0):
    for _ in range(2):
        while x.sum() < 100 and k < 5:
            x = x * 2
            k += 1
        x, k = x / 8, 0
    return x


PROGRAMS = [of_while, of_breaks, of_a_negation, of_returns, with_continue, with_walrus, with_else, with_handler, within_a_loop]
INPUTS = [np.ones(3), np.full(3, 1000.0), np.zeros(3), np.array([1.0, 9.0, 40.0]), np.array([-1.0, 0.5, 0.5])]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_interpreted_as_it_runs(program):
    for x in INPUTS:
        np.testing.assert_equal(interpret(program, x), program(x))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("dynamic_shapes", [None, {"x": {0: Dim.AUTO}}], ids=["static", "dynamic"])
def test_captured(program, dynamic_shapes):
    run = export(program, (np.ones(3),), dynamic_shapes=dynamic_shapes).module()
    for x in INPUTS:
        wanted, actual = program(x), run(x)
        np.testing.assert_equal(actual, wanted)
        if isinstance(wanted, tuple):
            assert (actual[0] is x) == (wanted[0] is x)


@pytest.mark.parametrize("program", [of_while, of_breaks, of_a_negation, of_returns, with_continue])
def test_tests_stand_before_the_loop_and_at_its_end(program):
    instructions = decode(program.__code__).instructions
    (loop,) = loops(program.__code__)
    line = inspect.getsource(program).splitlines()[0]
    assert loop.header > 0, line
    back = {index for index in loop.members if instructions[index].name == "JUMP_BACKWARD"}
    assert {instructions[index].arg for index in back} == {loop.header}


def test_a_loop_with_one_test_stands_as_it_is():
    def one(x):
        while True:
            if x.sum() > 100:
                break
            x = x * 2
        return x

    names = [instruction.name for instruction in decode(one.__code__).instructions]
    assert names.count("COMPARE_OP") == 1
