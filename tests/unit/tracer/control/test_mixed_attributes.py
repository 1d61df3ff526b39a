"""What a number that is Python's or NumPy's, as data decide, has as attributes, what a sum of such numbers is, and what a handler
catches of operations on them: each kind's own, as in eager execution.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

EITHER = ["s, t = 1.0, 2.0", "if x[0] > 0: s = x[1]", "if x[2] > 0: t = x[0]"]
BODIES = {
    "an attribute that only NumPy's has": ["return np.reshape(x[1], s.shape)[()]"],
    "its absence, handled": ["try: return s.ndim", "except AttributeError: return 7"],
    "a method that only NumPy's has": ["return s.item()"],
    "a dtype": ["return s.dtype == np.float64"],
    "attributes of both": ["return s.real + s.imag, s.conjugate()"],
    "the class": ["return s.__class__ is float, t.__class__ is np.float64"],
    "a sum of two": ["return sum([s, t]), sum((t, s)) / 2.0"],
    "a sum with a start": ["return sum([s, t], 0.5)"],
    "a sum that Python corrects": ["return sum([s, 1e100, 1.0, t, -1e100]), sum([s, s, 0.1, x[1]])"],
    "a division, handled": ["try: return s / t", "except ZeroDivisionError: return -1.0"],
    "a number of a float, handled": ["try: return round(s)", "except ValueError: return 0", "except OverflowError: return 1"],
    "a difference, where NumPy's raises": [
        "with np.errstate(all='raise'):", "    try: return s - t", "    except ArithmeticError: return None",
    ],
}  # fmt: skip
VALUES = (0.0, -1.5, 2.5, 1e308, np.nan, 1e-300)


@pytest.mark.parametrize("body", BODIES)
def test_each_kind_gives_what_it_gives_eagerly(body: str) -> None:
    program: Any = function_of("def program(x):\n" + "\n".join(f"    {line}" for line in [*EITHER, *BODIES[body]]), {"np": np})
    module = export(program, (np.array([1.0, 2.0, 3.0]),)).module()
    for values in itertools.product(VALUES, repeat=3):
        assert outcome(module, (np.array(values),), warns=True) == outcome(program, (np.array(values),), warns=True)
