"""Functions that tests make of text."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType
from typing import Any


def function_of(source: str | CodeType, names: Mapping[str, Any] | None = None) -> Any:
    """The last function or class that ``source`` defines. Its globals are a copy of ``names`` and what ``source`` defines."""
    scope = dict(names or {})
    exec(source, scope)
    return list(scope.values())[-1]
