"""Kernels of functions of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TEXTS
from npexport.ir.numpy_internals import NUMPY, slice_of_texts

_SLICE = slice_of_texts if NUMPY >= "2.4.0" else None


def change_case(x: Any, case: str) -> Any:
    """``np.strings.upper(x)`` and its kin; a text of no axes is a 0-d array."""
    return np.asarray(getattr(np.strings, case)(x))


def justified(x: Any, width: int, side: str, fillchar: str = " ") -> Any:
    """``np.strings.center(x, width, fillchar)`` and its kin, of the dtype of that width where all
    texts are as wide."""
    parameters = (width,) if side == "zfill" else (width, fillchar)
    return getattr(np.strings, side)(x, *parameters)


def sliced(x: Any, start: Any, stop: Any, step: Any) -> Any:
    """``np.strings.slice(x, start, stop, step)`` of texts of any length, with which
    NumPy before 2.4 ends the process."""
    if _SLICE is not None:
        return _SLICE(x, start, stop, step)
    operands = np.broadcast_arrays(x, start, stop, step)
    found = [text[begin:end:by] for text, begin, end, by in zip(*[operand.ravel().tolist() for operand in operands], strict=True)]
    return np.array(found, TEXTS).reshape(operands[0].shape)
