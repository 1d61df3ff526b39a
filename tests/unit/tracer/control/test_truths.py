"""``any`` and ``all`` of arrays of data are Python truths that the program computes."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export

ARRAYS = [np.array(items, float) for items in ([1, -1, 0], [0, 0], [np.nan, 0], [], [2, 3, 4, 5])]
PROGRAMS = {
    "any": lambda x: any(x),
    "all": lambda x: all(x),
    "of a comparison": lambda x: (any(x < 0), all(x >= 0), not any(x > 1)),
    "as a number": lambda x: any(x) + all(x),
    "beside arrays in a list": lambda x: np.select([any(x < 0), x > 2, all(x > 0)], [x, -x, x * 2], 7),
    "alone in a list": lambda x: np.select([bool((x > 1).any())], [1], 7),
    "of complex numbers": lambda x: (any(x * 1j), all(x + 0j)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_truths_of_arrays(name):
    program = PROGRAMS[name]
    run = export(program, (ARRAYS[0],), dynamic_shapes=({0: Dim("n")},)).module()
    for array in ARRAYS:
        assert repr(run(array)) == repr(program(array))


def positive(x):
    if any(x < 0):
        raise ValueError(f"{x.min()} is negative")
    return np.sqrt(x)


def test_a_check_by_any():
    run = export(positive, (np.ones(3),)).module()
    assert run(np.full(3, 4.0)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match=r"-2\.0 is negative"):
        run(np.array([1.0, -2, 3]))


def _goes_on_where_it_is_false(x, given):
    number, iterations, below, item = int(given[0]), 0, False, x[0]
    while iterations < 4 and x[0] == x[0]:
        iterations += 1
        below = (~number <= 6) and (3 < 7)
        item = x[10**300 if below else number]
    return item, below


def test_what_is_known_of_a_truth_after_an_iteration_is_not_known_before_it():
    """An item at a place that is never there raises: an iteration that ends knows the truth to be false."""
    x = np.arange(5.0)
    for program in (export(_goes_on_where_it_is_false, (x, np.array([2]))), export(_goes_on_where_it_is_false, (x, np.array([-9])))):
        run = program.module()
        for number in (-20, -8, -7, -6, 0, 4, 5):
            for array in (x, np.full(5, np.nan)):
                outcomes = []
                for function in (run, _goes_on_where_it_is_false):
                    try:
                        outcomes.append(repr(function(array, np.array([number]))))
                    except IndexError as error:
                        outcomes.append(repr(error))
                assert outcomes[0] == outcomes[1], (number, array[0])
