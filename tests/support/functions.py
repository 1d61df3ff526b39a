"""Functions that tests make of text."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType
from typing import Any


def function_of(source: str | CodeType, names: Mapping[str, Any] | None = None, name: str | None = None) -> Any:
    """The function or class that ``source`` defines under ``name``, by default the last one.

    Its globals are a copy of ``names`` and what ``source`` defines.
    """
    scope = dict(names or {})
    exec(source, scope)
    return scope[name] if name else list(scope.values())[-1]
