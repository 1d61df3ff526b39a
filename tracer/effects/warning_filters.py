"""What `warnings.filters` decide, as CPython's `warnings.warn` reads them."""

from __future__ import annotations

from typing import Any

from npexport.ir.error_states import IGNORED
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


def ignored(filters: Any, callers: Any) -> str | None:
    """What error states (`npexport.ir.error_states`) say of the program's own filters, which stand
    in front of the caller's: "" where there are none, ``None`` where they say more than that
    warnings are ignored. An entry that the program has made is its own, also where the caller has
    an equal one.
    """
    entries = set(map(id, callers))
    own = [entry for entry in filters if id(entry) not in entries]
    if not own:
        return "" if list(filters) == list(callers) else None
    for name, category in IGNORED.items():
        first = ("ignore", None, category, None, 0)
        rest = [entry for entry in callers if entry != first]
        if filters[0] is own[0] and own[0] == first and (category is Warning or list(filters[1:]) == rest):
            return name
    return None
