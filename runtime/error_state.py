"""Whether floating-point errors may raise."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import ERROR_STATE

_known: tuple[Any, list[Any], bool] = (None, [], False)
"""The state and the filters of the last answer, and the answer: NumPy never changes a state, it
puts another in its place.
"""


def errors_pass(warn: bool = False) -> bool:
    """Whether no floating-point error raises, calls a function of the user's, or gives a
    warning that does. ``warn``: whether the program makes some of them warnings.

    >>> with np.errstate(all="ignore"):
    ...     errors_pass()
    True
    >>> with np.errstate(divide="raise"):
    ...     errors_pass()
    False
    """
    global _known
    state, filters = ERROR_STATE.get(None), warnings.filters
    known_state, known_filters, answer = _known
    if state is known_state and state is not None and filters == known_filters:
        return answer
    answer = _errors_pass()
    _known = state, list(filters), answer
    return answer


def _errors_pass() -> bool:
    states = np.geterr().values()
    if "raise" in states or "call" in states or "log" in states:
        return False
    return not (warn or "warn" in states) or not any(
        entry[0] == "error" and issubclass(RuntimeWarning, entry[2]) for entry in warnings.filters
    )
