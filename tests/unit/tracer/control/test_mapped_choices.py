"""Functions of C over items that are one of several as data decide, which C would not look at."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


def words_of(x):
    return ["lo" if v == 0 else "Mid" if v == 1 else "h1" for v in x]


PROGRAMS = [
    lambda x: " ".join(map(str.upper, words_of(x))),
    lambda x: list(map(str.upper, words_of(x))),
    lambda x: sum(map(len, words_of(x))),
    lambda x: [a + b for a, b in zip(words_of(x), map(str.title, words_of(x)), strict=True)],
    lambda x: list(map(str.replace, words_of(x), ["i", "o", "1"], ["-", "_", "!"])),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_functions_of_c_are_mapped_over_texts_that_data_choose(program):
    run = export(program, (np.array([0, 1, 2]),)).module()
    for number in range(27):
        x = (np.array([number % 3, number // 3 % 3, number // 9]),)
        assert outcome(run, x) == outcome(program, x)
