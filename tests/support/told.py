"""What a call gives, and what it says of floating-point errors under each error state that a caller may have."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

CALLERS = ("warn", "ignore", "raise", "call")


def told(function: Callable[..., Any], args: tuple[Any, ...], state: str) -> tuple[Any, ...]:
    """The result or the exception, the mutated arguments, warnings and calls, under ``np.errstate(all=state)``; in an error's text a
    scalar's operator is called as an array's.
    """
    args = tuple([arg.copy() for arg in args])
    said: list[Any] = []
    with warnings.catch_warnings(record=True) as warned, np.errstate(all=state, call=lambda *error: said.append(error)):  # type: ignore[call-overload]
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except FloatingPointError as error:
            result, args = (type(error), str(error).replace("scalar ", "")), ()  # what is written by then is not promised
    return result, args, [(each.category, str(each.message).replace("scalar ", "")) for each in warned], said
