"""``check``: a fact that the program states about sizes or values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes.symint import SymBool


def check(condition: Any, message: str | Callable[[], str] | None = None) -> None:
    """State that ``condition`` holds. Raises ``RuntimeError`` with the message where it does not.

    In an exported program a condition on sizes is a fact from then on, also about sizes that only the data know. Such conditions, and
    conditions on the data themselves, are checked when the program is called, or while it runs: ``InputMismatch`` says what failed.

    >>> check(3 > 2)
    >>> check(3 > 4, "three is small")
    Traceback (most recent call last):
    RuntimeError: three is small
    """
    if isinstance(condition, SymBool):
        holds = condition.env.check(condition.expr, _text(message))
    else:
        holds = bool(condition)
    if not holds:
        raise RuntimeError(_text(message) or "check failed")


def _text(message: str | Callable[[], str] | None) -> str:
    return message() if callable(message) else message or ""
