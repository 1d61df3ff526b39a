"""Calls of the operators of `ir/ops/np_strings.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NUMPY
from npexport.ir.op import Op
from npexport.ir.ops.np_strings import CASES, OF_ANY_LENGTH, SIDES, UFUNCS
from tests.op_samples.inputs import Call, Samples, call

_TEXTS = (np.array(["12", "21", "13"]), np.array([["1"], ["2"]]), np.array([b"12", b"21"]), np.empty((0, 2), "U3"))
_OF_ANY_LENGTH = np.array([["12", "000000000000000000000071"], ["7", "1"]], "T")
"""As long as their dtype says: a scalar has the length of its text, which no rule knows."""


def _samples(ufunc: np.ufunc) -> Callable[[], Iterator[Call]]:
    """Texts, with one to look for or to strip, and the bounds between which to look."""

    def generate() -> Iterator[Call]:
        for texts in _TEXTS:
            operands = (texts, np.array("7", texts.dtype.char), 0, 3)[: ufunc.nin]
            try:
                ufunc(*operands)
            except TypeError:  # no loop for bytes
                continue
            yield operands, {}

    return generate


_SEVEN, _EIGHTS = np.array("7", "T"), np.array(["8", "000000000000000000000008"], "T")
_CALLS = {"str_replace": [(_SEVEN, _EIGHTS, 2)], "str_expandtabs": [(4,)], "str_slice": [(1, 3, 1), (-1, -9, np.array([-2, -1]))]}
TEXTS_ARE_COPIED = NUMPY >= "2.2.0"
"""Before, a deep copy of such an array ends the process in NumPy itself, and these operators have no samples."""


def _of_any_length(*calls: tuple[Any, ...]) -> Callable[[], Iterator[Call]]:
    return lambda: (call(_OF_ANY_LENGTH, *args) for args in calls)


def _case_samples() -> Iterator[Call]:
    for case in sorted(CASES):
        for texts in _TEXTS:
            yield call(texts, case)
        if TEXTS_ARE_COPIED:
            yield call(_OF_ANY_LENGTH, case)


def _justified_samples() -> Iterator[Call]:
    for texts in _TEXTS[:-1]:
        for side in SIDES:
            yield call(texts, 5, side)
    yield call(_TEXTS[0], 3, "ljust", fillchar="*")
    if TEXTS_ARE_COPIED:
        yield call(_OF_ANY_LENGTH, 5, "center")


SAMPLES: dict[Op, Samples] = {
    ops.np.str_case: _case_samples,
    ops.np.str_justify: _justified_samples,
}

OTHERS = set(UFUNCS) - set(OF_ANY_LENGTH)
SAMPLES |= {op: _samples(op.kernel) for op in ops.REGISTRY if op.namespace == "np" and op.kernel in OTHERS}
if TEXTS_ARE_COPIED:
    SAMPLES |= {getattr(ops.np, name): _of_any_length(*calls) for name, calls in _CALLS.items()}
