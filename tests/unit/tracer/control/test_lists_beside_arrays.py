"""Lists of a length that only sizes know, beside arrays and scalars, which take them as arrays."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.comparison import said

PROGRAMS = {
    "scalar": lambda items, x: items + x[0],
    "array": lambda items, x: items + x,
    "array first": lambda items, x: x + items,
    "difference": lambda items, x: items - x,
    "tuple": lambda items, x: items + (1,),  # noqa: RUF005
    "number": lambda items, x: items + 1,
    "size": lambda items, x: items + x.size,
    "list": lambda items, x: items + [x[0]],  # noqa: RUF005
    "in place": operator.iadd,
    "in place, a scalar": lambda items, x: operator.iadd(items, x[0]),
    "in place, a list": lambda items, x: operator.iadd(items, [x[0]]),
    "a list of numbers in place": lambda items, x: operator.iadd([1.0], x),
}


@pytest.mark.parametrize("dtype", [float, np.uint8])
@pytest.mark.parametrize("combine", PROGRAMS.values(), ids=PROGRAMS)
def test_lists_beside_arrays(combine, dtype):
    def program(x):
        return combine([item for item in x], x)  # noqa: C416

    def exported(x):
        return export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()

    for size in (2, 3, 5):
        x = np.arange(size).astype(dtype)
        assert repr(said(lambda x: exported(np.arange(3).astype(dtype))(x), x)) == repr(said(program, x))
