"""Whether two inputs are one array, asked in every way that Python has: the exported program gives
what it gives eagerly, or refuses the inputs.
"""

from __future__ import annotations

import copy
import operator
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.outcomes import outcome

PROGRAMS = {
    "is": lambda x, y: x + 1 if x is y else y + 2,
    "is not": lambda x, y: x + 1 if x is not y else y + 2,
    "operator.is_": lambda x, y: x + 1 if operator.is_(x, y) else y + 2,
    "operator.is_not": lambda x, y: operator.is_not(x, y),
    "map": lambda x, y: list(map(operator.is_, (x, y, x), (y, y, x))),
    "id": lambda x, y: x + 1 if id(x) == id(y) else y + 2,
    "ids in a set": lambda x, y: len({id(x), id(y)}),
    "ids as keys": lambda x, y: x + 1 if id(x) in {id(y): 1} else y + 2,
    "an id in a list": lambda x, y: [id(v) for v in (x, y)].index(id(y)),
    "id of a result": lambda x, y: (id(np.asarray(x)) == id(x), id(x.copy()) == id(x)),
    "in a list": lambda x, y: x in [y],
    "in a tuple": lambda x, y: x in (y,),
    "equal lists": lambda x, y: [x] == [y],
    "copies": lambda x, y: copy.deepcopy([x, y])[1],
}  # fmt: skip
NAN, ONE = np.array([np.nan]), np.array([1.0])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("one", [True, False])
def test_identity_is_that_of_eager_execution(name: str, one: bool) -> None:
    program: Any = PROGRAMS[name]
    module = export(program, (NAN, NAN if one else ONE)).module()
    for inputs in ((NAN, NAN), (NAN, ONE), (ONE, ONE), (ONE, ONE + 1)):
        if (inputs[0] is inputs[1]) is one:
            assert outcome(module, inputs) == outcome(program, inputs)
            continue
        try:
            found = outcome(module, inputs)
        except InputMismatch:
            continue  # the program asks, and it is otherwise than in the example
        assert found == outcome(program, inputs)


SIZES = {
    "a small constant": lambda x: len(x) is int("3"),
    "a large constant": lambda x: len(x) is int("300"),
    "not a constant": lambda x: len(x) is not int("3"),
    "a constant in a branch": lambda x: x + 1 if len(x) is int("3") else x - 1,
    "a computed size": lambda x: (len(x) + 1) // 2 is int("2"),
    "another number": lambda x: (len(x) is None, len(x) is True, len(x) is 3.0 + len(x)),
    "data": lambda x: int(x[0]) is int("1"),
    "shapes": lambda x: (x.shape is x[None].shape, (x + 1)[:2].shape is (3, len(x))),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_small_integers_are_one_object_each(name: str) -> None:
    program: Any = SIZES[name]
    module = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (1, 2, 3, 4, 5, 300):
        try:
            found = outcome(module, (np.ones(size),))
        except InputMismatch:
            continue  # the size decides a branch
        assert found == outcome(program, (np.ones(size),))


REFUSED = [
    lambda x: x.size is len(x),
    lambda x: len(x) + 1 is x.shape[0] + 1,
    lambda x: [n is m for n in [len(x)] for m in [n]],
]


@pytest.mark.parametrize("program", REFUSED)
def test_large_integers_that_are_equal_are_refused(program: Any) -> None:
    with pytest.raises(ExportError, match="differs from run to run"):
        export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},))
    small = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim("n", max=200)},)).module()
    assert small(np.ones(7)) == program(np.ones(7))


def test_tuples_of_equal_sizes_are_refused() -> None:
    with pytest.raises(ExportError, match="whether two tuples are one object"):
        export(lambda x: x.shape is (x + 1).shape, (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},))


FLAGS = {"C order": lambda: np.ones((2, 3)), "F order": lambda: np.ones((2, 3), order="F"), "both": lambda: np.ones((1, 3))}


@pytest.mark.parametrize("name", FLAGS)
def test_the_number_of_all_flags_is_that_of_the_array(name: str) -> None:
    module = export(lambda x: (x.flags.num, (x + 1).flags.num), (FLAGS[name](),)).module()
    array = FLAGS[name]()
    assert module(array) == (array.flags.num, (array + 1).flags.num)
    array.flags.writeable = False
    with pytest.raises(InputMismatch):
        module(array)
