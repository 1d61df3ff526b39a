"""Operators of arrays of objects whose items are arrays: what NumPy gives item by item."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import result_or_error

OPERATORS = {name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
IN_PLACE = {name: getattr(operator, f"i{name}") for name in OPERATORS}
PARTNERS = {
    "a Python number": lambda v: 3,
    "a large Python number": lambda v: 10.0**30,
    "a NumPy scalar": lambda v: np.float32(2),
    "a scalar of data": lambda v: v[1],
    "a number of data": lambda v: float(v[1]),
    "an array, item by item": lambda v: v[:2],
    "an array of other length": lambda v: v,
    "a known array": lambda v: np.array([1, 2]),
    "a list": lambda v: [2, 3],
    "a column": lambda v: np.array([[1.0], [2.0]]),
    "an array of objects": lambda v: np.array([v + 1, v[1:]], dtype=object),
    "an array of other objects": lambda v: np.array([2, v[:1]], dtype=object),
    "too many objects": lambda v: np.array([v, v[:1], v[:2]], dtype=object),
}


def ragged(v):
    return np.array([v.astype(np.float32), v[1:]], dtype=object)


def in_order(found):
    return [found.shape, *found.ravel()]


def held_to_eager(program):
    made = export(program, (np.array([4.0, 5.0, 6.0]),)).module() if not raises(program) else None
    for v in (np.array([1.0, 2.0, 3.0]), np.array([-1.5, 0.5, 7.0])):
        with np.errstate(all="ignore"):
            wanted = result_or_error(program, v)
            found = result_or_error(made, v) if made else result_or_error(lambda v: export(program, (v,)), v)
        assert repr(found) == repr(wanted)


def raises(program):
    try:
        with np.errstate(all="ignore"):
            program(np.array([4.0, 5.0, 6.0]))
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("partner", PARTNERS)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_those_of_the_items(name, partner):
    compute, other = OPERATORS[name], PARTNERS[partner]
    held_to_eager(lambda v: in_order(compute(ragged(v), other(v))))
    held_to_eager(lambda v: in_order(compute(other(v), ragged(v))))


@pytest.mark.parametrize("partner", PARTNERS)
@pytest.mark.parametrize("name", IN_PLACE)
def test_operators_in_place_write_new_items(name, partner):
    compute, other = IN_PLACE[name], PARTNERS[partner]

    def program(v):
        array = ragged(v)
        alias, first = array[:], array[0]
        found = compute(array, other(v))
        return [found is array, *in_order(alias), first]

    held_to_eager(program)


@pytest.mark.parametrize("compute", [operator.neg, operator.pos, operator.abs])
def test_operators_of_one_operand(compute):
    held_to_eager(lambda v: in_order(compute(ragged(v))))


def test_items_that_overlap_are_read_before_they_are_written():
    def program(v):
        array = np.array([v, v[:1], v[1:2]], dtype=object)
        array[1:] += array[:-1]
        return list(array)

    held_to_eager(program)


def test_one_object_without_axes_is_no_array():
    def program(v):
        single = np.empty((), dtype=object)
        single[()] = v
        return single * 2, -single

    held_to_eager(program)


REFUSED = {
    "numbers, of which NumPy warns by what Python has left in the processor": lambda v: np.array([v, 2.0], dtype=object) * 2.0,
    "an order that is not C's": lambda v: np.array([[v, v[:1]], [v[:2], v]], dtype=object).T * 2,
    "comparisons": lambda v: ragged(v) == 3,
    "products of matrices": lambda v: ragged(v) @ ragged(v),
    "a function of NumPy": lambda v: np.multiply(ragged(v), 2),
    "objects without operators": lambda v: ragged(v) + np.array([None, v], dtype=object),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_of_objects_is_refused(what):
    with pytest.raises(ExportError, match="E122"):
        export(lambda v: list(REFUSED[what](v).ravel()), (np.arange(3.0),))


def test_a_step_of_descent_over_parameters_in_one_array():
    class Step:
        def __init__(self):
            self.weights = {"w": np.ones((3, 2)), "b": np.zeros(2)}

        def __call__(self, x):
            gradients = np.array([np.outer(x, x[:2]), x[1:]], dtype=object)
            for name, step in zip(self.weights, -0.1 * gradients, strict=True):
                self.weights[name] += step
            return x @ self.weights["w"] + self.weights["b"]

    eager, run = Step(), export(Step(), (np.ones(3),)).module()
    for number in range(3):
        x = np.arange(3.0) + number
        assert run(x).tobytes() == eager(x).tobytes()
