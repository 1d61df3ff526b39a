"""Methods that are exported for their effect on the object."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def giving_no_owner(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, but with ``None`` instead of its own object, which every caller has."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        return None if result is self else result

    return call


def item_of_branches(items, place):
    """The one of a few items at a place that only the data know."""
    if len(items) == 2:
        return items[0] if place == 0 else items[1]
    return items[0] if place == 0 else item_of_branches(items[1:], place - 1)


def item_of_keys(items, place, key):
    """The item of the key that stands at this place, if there is one."""
    if place == len(items):
        raise KeyError(key)
    return items[place]


def attributes_of(obj):
    """``vars(obj)``."""
    if not hasattr(obj, "__dict__"):
        raise TypeError("vars() argument must have __dict__ attribute")
    return obj.__dict__
