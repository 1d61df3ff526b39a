"""Iterators of C over lists whose items are one of several values: what has been taken from one is
not taken again on the sides of a branch on which it is.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

CAPTURED = [
    "' '.join(reversed(words))", "' '.join(iter(words))", "' '.join(dict(enumerate(words)).values())", "' '.join(deque(words))",
    "np.fromiter(iter(numbers), float)", "np.fromiter(iter(numbers), float, 2)", "np.fromiter(reversed(list(numbers)), float)",
    "(lambda it: (next(it), np.fromiter(it, float)))(iter(numbers))", "(lambda it: (np.fromiter(it, float, 2), list(it)))(iter(numbers))",
]  # fmt: skip
EXACT_OR_REFUSED = [
    "sum(iter(numbers))",
    "max(reversed(numbers))",
    "any(iter(found))",
    "sorted(set(reversed(words)))",
    "'odd' in iter(words)",
]
DATA = [np.array(each) for each in ([1, 2, 3], [2, 2, 2], [1, 1, 1], [0, 1, 4], [2, 1, 1])]


def _program(expression: str) -> Any:
    lines = [
        "def program(a):",
        "  words = ['odd' if v % 2 else 'even' for v in a.tolist()]",
        "  numbers = [float(v) if v % 2 else 2 for v in a.tolist()]",
        "  found = [None if v % 2 else v for v in a.tolist()]",
        f"  return {expression}",
    ]
    return function_of("\n".join(lines), {"np": np, "deque": deque})


@pytest.mark.parametrize("expression", CAPTURED + EXACT_OR_REFUSED)
def test_each_item_is_taken_once(expression: str) -> None:
    program = _program(expression)
    try:
        run = export(program, (DATA[0].copy(),)).module()
    except Unsupported as refusal:
        assert refusal.code == "E103" and expression in EXACT_OR_REFUSED
        return
    for given in DATA:
        assert outcome(run, (given,)) == outcome(program, (given,))
