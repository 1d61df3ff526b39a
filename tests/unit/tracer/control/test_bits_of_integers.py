"""The ones of an integer that only the data know, counted in its text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.outcomes import outcome

DATA = [np.array(values) for values in ([3, 1, 2, 0], [0, 0, 0, 0], [-5, 4, 1 << 62, -(1 << 63)], [255, -1, 1023, 7])]


def ones(x: np.ndarray) -> Any:
    return [bin(value).count("1") for value in x.tolist()], sum(f"{value - 3:b}".count("1") for value in x.tolist())


def distances(x: np.ndarray) -> Any:
    return [format(one ^ other, "b").count("1") for one in x.tolist() for other in x.tolist()]


def until_one_is_left(x: np.ndarray) -> Any:
    n, steps = abs(int(x[0])) + 5, 0
    while bin(n).count("1") > 1:
        n, steps = n & (n - 1), steps + 1
    return n, steps


@pytest.mark.parametrize("program", [ones, distances, until_one_is_left])
def test_programs_are_as_eager_ones(program: Any) -> None:
    module = export(program, (DATA[0],)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(program, (x,)), x


@pytest.mark.parametrize("program", [lambda x: bin(int(x[0])).count("0"), lambda x: f"{int(x[0]):08b}".count("b")])
def test_other_counts_are_refused(program: Any) -> None:
    with pytest.raises(ExportError, match="E104"):
        export(program, (DATA[0],))
