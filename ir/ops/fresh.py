"""Sizes, floats and truths that only the data know: rules request new ones, and the caller of the
rules decides how they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from npexport.symshapes.errors import Unsupported

Size = Any  # int or SymInt


class Fresh(NamedTuple):
    """How numbers that only the data know are made."""

    size: Callable[[Size, Size, int], Size]
    number: Callable[[], Any]
    truth: Callable[[], Any]


FRESH: ContextVar[Fresh | None] = ContextVar("fresh_numbers", default=None)


def fresh_size(low: Size, high: Size, slot: int = 0) -> Size:
    """A new size that only the data know, between the bounds (``None``: no upper bound).

    ``slot``: which of several such sizes of one call it is, as `Counts.sizes` asks. Raises
    ``Unsupported`` (E104) where nobody has said how such sizes are made.
    """
    return _fresh("the shape of the result").size(low, high, slot)


def fresh_float() -> Any:
    """A new float that only the data know. Raises ``Unsupported`` (E104) as `fresh_size` does."""
    return _fresh("the number").number()


def fresh_truth() -> Any:
    """A new truth that only the data know. Raises ``Unsupported`` (E104) as `fresh_size` does."""
    return _fresh("the truth").truth()


def _fresh(what: str) -> Fresh:
    fresh = FRESH.get()
    if fresh is None:
        raise Unsupported("E104", f"{what} depends on the data")
    return fresh


def makers_of(env: Any) -> tuple[Callable[..., Any], ...]:
    """What `fresh_numbers` takes to make the numbers symbols of a shape environment."""
    return (lambda low, high, slot: env.create_unbacked(low, high), env.create_unbacked_float, env.create_unbacked_truth)


@contextmanager
def fresh_numbers(size: Callable[[Size, Size, int], Size], number: Callable[[], Any], truth: Callable[[], Any]) -> Iterator[None]:
    """While active, ``size(low, high, slot)`` gives the sizes that depend on data, ``number()`` the
    floats, and ``truth()`` the truths."""
    token = FRESH.set(Fresh(size, number, truth))
    try:
        yield
    finally:
        FRESH.reset(token)
