"""Sorting in exported programs compares as often as C does, and in its order, or is refused."""

import numpy as np
import pytest

from npexport import export


class Noting:
    """Compares, and says so."""

    def __init__(self, value, said):
        self.value = value
        self.said = said

    def __lt__(self, other):
        self.said.append((self.value, other.value))
        return self.value < other.value


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", [0, 1, *[pytest.param(count, marks=pytest.mark.needs_answers) for count in (2, 5, 20, 70, 150)]])
def test_sorting_compares_as_c_does(count, reverse, frame_hook):
    values = [value * 7 % 11 for value in range(count)]

    def program(x):
        said, other = [], []
        found = [item.value for item in sorted((Noting(value, said) for value in values), reverse=reverse)]
        return x, found, said, sorted(values, key=lambda value: Noting(-value, other)), other

    assert export(program, (np.ones(2),)).module()(np.ones(2))[1:] == program(np.ones(2))[1:]
