"""Methods that are exported for what they do to their objects."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def giving_no_owner(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, but ``None`` where it gives its own object, which whoever called it has."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        return None if result is self else result

    return call
