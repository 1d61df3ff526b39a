"""Calls of the operators of `ir/ops/np_scalars.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.np_scalars import OF_SCALARS
from tests.op_samples.inputs import Call, Samples, call

_NUMBERS = tuple(np.dtype(code).type(3) for code in ("?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"))

_PYTHON = (True, 2, 2.5)


def _samples(function: Callable[..., Any], count: int) -> Callable[[], Iterator[Call]]:
    def generate() -> Iterator[Call]:
        pairs = (*product(_NUMBERS, (*_NUMBERS, *_PYTHON)), *product(_PYTHON, _NUMBERS))
        for operands in pairs if count == 2 else ((number,) for number in _NUMBERS):
            try:
                with np.errstate(all="ignore"):
                    function(*operands)
            except TypeError:
                continue
            yield operands, {}

    return generate


def _constructor_samples() -> Iterator[Call]:
    for number in (True, 3, 2.5, np.float64(2.5), np.int8(3), np.array(7)):
        for code in ("?", "i1", "u8", "f2", "f8", "c8"):
            yield call(number, np.dtype(code))


SAMPLES: dict[Op, Samples] = {
    ops.np.construct: _constructor_samples,
}

SAMPLES |= {op: _samples(op.kernel, len(op.signature.parameters)) for op in OF_SCALARS.values()}
