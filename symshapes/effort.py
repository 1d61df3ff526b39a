"""A limit to the work that expressions from outside may cause.

Expressions are cheap to write but can be expensive to compute: ``(a + b + c)**40`` has hundreds of
terms, and deciding a truth about it makes thousands more. Where text comes from elsewhere, its
reader sets a limit; each new expression counts as many units as it has parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class TooMuchWork(ValueError):
    """The limit is reached: every further step within it raises this exception again."""


_left: ContextVar[list[int] | None] = ContextVar("_left", default=None)


@contextmanager
def limited(units: int) -> Iterator[None]:
    """Within it, this thread may make expressions of so many units; the next one raises
    ``TooMuchWork``.

    >>> from npexport.symshapes import expr as E
    >>> with limited(1000):
    ...     str(E.symbol("s0") + 1)
    's0 + 1'
    """
    token = _left.set([units])
    try:
        yield
    finally:
        _left.reset(token)


def is_limited() -> bool:
    """Whether there is a limit: work that would only save later work is then skipped."""
    return _left.get() is not None


def spend(units: int) -> None:
    """Count units against the limit, if there is one."""
    left = _left.get()
    if left is not None:
        left[0] -= units
        if left[0] < 0:
            raise TooMuchWork("its expressions are too large to be worked out")
