"""What `warnings.filters` decide, as CPython's `warnings.warn` reads them."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.errors import Location


def action_of(filters: Any, text: str, category: type, location: Location | None) -> str:
    """What the filters do with a warning that is given at the location."""
    module = location.file.removesuffix(".py") if location else ""
    line = location.line if location else 0
    for action, message, kind, where, number in filters:
        if (
            (message is None or _matches(message, text))
            and issubclass(category, kind)
            and (where is None or _matches(where, module))
            and number in (0, line)
        ):
            return str(action)
    return "default"


def _matches(pattern: Any, text: str) -> bool:
    """A filter holds text (from the command line: to be equal) or a compiled pattern."""
    return pattern == text if isinstance(pattern, str) else pattern.match(text) is not None
