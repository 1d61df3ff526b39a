"""Whether floating-point errors may raise."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import ERROR_STATE

_known: tuple[Any, list[Any], bool] = (object(), [], False)
"""The state and the filters of the last answer, and the answer: NumPy never changes a state, it
puts another in its place. ``None`` is the one that nobody has set.
"""


def _filters() -> list[Any]:
    """The filters of warnings that are in force: those of the context where CPython keeps them
    there (``-X context_aware_warnings``).
    """
    return warnings._get_context()._filters if _ARE_OF_CONTEXTS else warnings.filters  # type: ignore[attr-defined,return-value]


_ARE_OF_CONTEXTS = bool(getattr(sys.flags, "context_aware_warnings", False))


def errors_pass() -> bool:
    """Whether no floating-point error raises, calls a function of the user's, or gives a
    warning that does.

    >>> with np.errstate(all="ignore"):
    ...     errors_pass()
    True
    >>> with np.errstate(divide="raise"):
    ...     errors_pass()
    False
    """
    global _known
    state, filters = ERROR_STATE.get(None), _filters()
    known_state, known_filters, answer = _known
    if state is known_state and filters == known_filters:
        return answer
    answer = _errors_pass()
    _known = state, list(filters), answer
    return answer


_states: tuple[Any, dict[str, Any]] = (object(), {})


def states_now() -> dict[str, Any]:
    """``np.geterr()``, which is asked once for each state."""
    global _states
    state, (known_state, answer) = ERROR_STATE.get(None), _states
    if state is not known_state:
        answer = {**np.geterr()}
        _states = state, answer
    return answer


def _errors_pass() -> bool:
    states = np.geterr().values()
    if "raise" in states or "call" in states or "log" in states:
        return False
    return "warn" not in states or warnings_pass()


def warnings_pass() -> bool:
    """Whether no filter turns a warning of a floating-point error into an exception."""
    return not any(entry[0] == "error" and issubclass(RuntimeWarning, entry[2]) for entry in _filters())
