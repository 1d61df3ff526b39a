"""``check``: a fact that the program states about sizes or values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes.parameters import FUNCTION, TEXT, TRUTH, Kind, require
from npexport.symshapes.symint import SymBool

MESSAGE = Kind(lambda value: value is None or TEXT.fits(value) or FUNCTION.fits(value), "a text, or a function that gives it")


def check(condition: Any, message: str | Callable[[], str] | None = None) -> None:
    """State that ``condition`` holds.

    In an exported program a condition on the data, and on sizes and numbers that only the data
    know, is checked where it stands while the program runs. Of the inputs' sizes it is checked when
    the program is called, where ``InputMismatch`` says what failed. On sizes it is a fact from then
    on.

    Parameters
    ----------
    condition : bool, numpy.bool or array of one truth
        What must hold.
    message : str or callable, optional
        The text of the error, or a function without parameters that gives it when it is needed.

    Raises
    ------
    AssertionError
        With the message, where the condition does not hold.
    UserError
        The condition is not a truth, or the message no text (E201).

    Examples
    --------
    >>> check(3 > 2)
    >>> check(3 > 4, "three is small")
    Traceback (most recent call last):
    AssertionError: three is small
    """
    require("condition", condition, TRUTH)
    require("message", message, MESSAGE)
    if isinstance(condition, SymBool):
        holds = condition.env.check(condition.expression, text_of(message))
    else:
        holds = bool(condition)
    if not holds:
        raise AssertionError(message() if callable(message) else message or "check failed")


def text_of(message: str | Callable[[], str] | None) -> str:
    """The message."""
    return message() if callable(message) else message or ""
