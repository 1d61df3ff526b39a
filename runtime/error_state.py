"""Whether floating-point errors may raise."""

from __future__ import annotations

import warnings

import numpy as np


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
    states = np.geterr().values()
    if "raise" in states or "call" in states or "log" in states:
        return False
    return "warn" not in states or not any(entry[0] == "error" and issubclass(RuntimeWarning, entry[2]) for entry in warnings.filters)
