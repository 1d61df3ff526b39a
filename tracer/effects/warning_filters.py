"""Decides by `warnings.filters` as CPython's `warnings.warn` does."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from npexport.ir.error_states import ignored_text
from npexport.symshapes.errors import Location


def action_of(filters: Any, text: str, category: type, location: Location | None) -> str:
    """What the filters do with a warning at the location."""
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


def by_place(filters: Any, category: type) -> bool:
    """Whether it may depend on where a warning is issued what the filters do with one of this
    category.
    """
    for _, message, kind, module, line in filters:
        if issubclass(category, kind):
            if module is not None or line:
                return True
            if message is None:
                return False
    return False


def _matches(pattern: Any, text: str) -> bool:
    """Whether a filter's text (from the command line: to be equal) or compiled pattern matches."""
    return pattern == text if isinstance(pattern, str) else pattern.match(text) is not None


def ignored(filters: Any, callers: Any, issued: Collection[type[Warning]]) -> str | None:
    """How error states (`npexport.ir.error_states`) describe the program's own filters, which come
    before the caller's: "" if there are none, ``None`` if they do more than ignore warnings. An
    entry that the program has made is its own, even if the caller has an equal one.

    ``issued``: only for warnings of these categories; a filter for another does not concern them.
    """
    if Warning not in issued:
        filters, callers = [[entry for entry in each if _may_match(entry, issued)] for each in (filters, callers)]
    own = _own(filters, callers)
    if not own:
        return "" if list(filters) == list(callers) else None
    found = [_ignoring(entry) for entry in own]
    first = all(entry is mine for entry, mine in zip(filters, own, strict=False))
    if not first or None in found:
        return None
    text = ignored_text(found)  # type: ignore[arg-type]
    rest = [entry for entry in callers if entry not in own]
    return text if text == "ignore" or list(filters[len(own) :]) == rest else None


def _ignoring(entry: Any) -> tuple[type[Warning], str] | None:
    """The category and the message of a filter that ignores warnings wherever they are issued."""
    action, message, category, module, line = entry
    if action != "ignore" or module is not None or line or isinstance(message, str):
        return None
    return None if message is not None and message.flags & ~re.UNICODE != re.IGNORECASE else (category, message.pattern if message else "")


def ignores(filters: Any, callers: Any, category: type, text: Any) -> bool | None:
    """Whether the program's own filters ignore such warnings; ``None`` if they do more. ``text`` is
    a string if it is known.
    """
    filters, callers = [[entry for entry in each if _concerns(entry, category, text)] for each in (filters, callers)]
    own = _own(filters, callers)
    if not own:
        return False if filters == callers else None
    action, message, _, module, line = own[0]
    plain = action == "ignore" and module is None and line == 0 and (message is None or type(text) is str)
    return True if filters[0] is own[0] and plain else None


def _concerns(entry: Any, category: type, text: Any) -> bool:
    """Whether a filter may match a warning."""
    return issubclass(category, entry[2]) and (type(text) is not str or entry[1] is None or _matches(entry[1], text))


def _own(filters: Any, callers: Any) -> list[Any]:
    """The entries that the program has made."""
    entries = set(map(id, callers))
    return [entry for entry in filters if id(entry) not in entries]


def _may_match(entry: Any, issued: Collection[type[Warning]]) -> bool:
    """Whether an entry can match a warning of one of the categories."""
    return any(issubclass(category, entry[2]) for category in issued)
