"""Builtins and displays over arrays and lists whose length only sizes or data know: equal to eager
execution at other sizes.
"""

from __future__ import annotations

import bisect
import math
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard

EXPRESSIONS = """
sorted(x) | sorted(x, reverse=True) | sorted(x, key=lambda v: -v) | sorted(x)[len(x) // 2] | np.array(sorted(x))
sorted(range(len(x)), key=lambda i: x[i]) | sorted(range(len(x)), key=lambda i: -x[i]) | sorted(range(len(x)), reverse=True)
[*x] | [*x, *x] | [1, *x] | [*x, 1] | [1, *x, *x, 2] | [*x, *[1, 2]] | [*range(len(x)), 1.0] | [*x.astype(int)] | np.array([*x])
list(x) * 2 | 2 * list(x) | [*x] * len(x) | list(x) * -1 | list(x) * 0
bisect.bisect_left(x, 2.0) | bisect.bisect_right(x, x[0]) | bisect.bisect(x, 0.5, 1) | bisect.bisect_left(sorted(x), x[-1])
math.prod(x) | math.prod(x, start=2) | math.prod(x.tolist()) | math.prod([v + 1 for v in x])
2.0 in x.tolist() | x.tolist().index(1.5) | x.tolist().count(2.0) | 7 in x.tolist() | (1.5, 0) in [(v, 0) for v in x.tolist()]
[v for v in x if v in [1.5, 2.0]] | [0, 1][x.tolist().index(x.tolist()[0]):] if len(x) < 0 else 1
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip
REFUSED = ["(*x,)", "x.tolist().index(x.tolist()[0])", "x.tolist()[0] in x.tolist()", "list(x) * 1.5"]
SIZES = ([1.5, 2.0], [3.0, 1.5, 2.0], [2.0, 1.5, np.nan, 0.0, 2.0], [0.5, 1.0, 1.5, 2.0, 2.5, 9.0])


def program_of(expression: str) -> Any:
    return eval(f"lambda x: {expression}", {"np": np, "bisect": bisect, "math": math})


@pytest.mark.parametrize("expression", shard(EXPRESSIONS, 3))
def test_they_give_what_they_give_eagerly(expression: str) -> None:
    program = program_of(expression)
    found = export(program, (np.array([1.0, 1.5, 0.5, 2.0, 3.0]),), dynamic_shapes=({0: Dim("n", min=2)},))
    for module in (found.module(), reloaded(found).module(), found.run_decompositions().module()):
        for values in SIZES:
            assert outcome(module, (np.array(values),)) == outcome(program, (np.array(values),))


@pytest.mark.parametrize("expression", REFUSED)
def test_others_are_refused_or_raise_what_python_raises(expression: str) -> None:
    program = program_of(expression)
    with pytest.raises((ExportError, TypeError)):
        export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim("n", min=2)},))
