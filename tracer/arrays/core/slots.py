"""Special methods of NumPy's classes as the program calls them by name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import WrapperDescriptorType
from typing import Any


@functools.cache
def slot(name: str, method: WrapperDescriptorType) -> Callable[..., Any]:
    """``x.__len__(...)`` in a program."""

    def call(proxy: Any, *args: Any, **kwargs: Any) -> Any:
        """Raises NumPy's ``TypeError`` for a wrong number of arguments."""
        try:
            inspect.signature(method).bind(proxy, *args, **kwargs)
        except TypeError:
            method(proxy.example_of_type(), *args, **kwargs)
        return getattr(proxy, name)(*args)

    call.__name__ = name
    return call
