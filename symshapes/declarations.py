"""Which module has declared the entries of a table, so that nothing is declared twice.

An exception that ends a module's first execution, such as Ctrl-C while npexport is imported, makes
Python forget the module and execute it again at the next import. What it has declared until then
gives way.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any


class Declarations:
    """The modules that have declared the entries of one table, by key; what is declared stands in
    the table itself.

    Examples
    --------
    >>> declared = Declarations()
    >>> declared.note("np.sin")
    >>> declared.gives_way("np.cos")
    False
    """

    def __init__(self) -> None:
        self._by_key: dict[Hashable, dict[str, Any] | None] = {}

    def note(self, key: Hashable) -> None:
        """The module that is being executed declares this entry."""
        self._by_key[key] = _executed()

    def gives_way(self, key: Hashable) -> bool:
        """Whether Python has forgotten the module that has declared this entry."""
        return _is_forgotten(self._by_key.get(key))


def _executed() -> dict[str, Any] | None:
    """The namespace of the module that is being executed; ``None`` where a function declares."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back  # type: ignore[assignment]
    return None if frame is None else frame.f_globals


def _is_forgotten(namespace: dict[str, Any] | None) -> bool:
    if namespace is None:
        return False
    module = sys.modules.get(namespace["__name__"])
    return module is None or vars(module) is not namespace
