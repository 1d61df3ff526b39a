"""Several results of an operator of a user: the container that its annotation names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from npexport.symshapes.plain import with_article


@dataclass(frozen=True)
class Group:
    """Results in a ``container``: a tuple, a list, a dict with texts as keys, or a class of named
    tuples. ``kinds``: the type of each, or one for any number of them.
    """

    container: type
    kinds: tuple[type, ...] | type

    def text(self, names: dict[type, str]) -> str:
        """The annotation; ``names``: of the types."""
        if self.container is dict:
            return f"dict[str, {names[self.kinds]}]"  # type: ignore[index]
        if hasattr(self.container, "_fields"):
            return self.container.__name__
        if isinstance(self.kinds, tuple):
            return f"tuple[{', '.join(names[kind] for kind in self.kinds)}]"
        return f"{self.container.__name__}[{names[self.kinds]}{', ...' if self.container is tuple else ''}]"

    def kinds_of(self, count: int) -> tuple[type, ...]:
        """The types of so many results."""
        return self.kinds if isinstance(self.kinds, tuple) else (self.kinds,) * count

    def apart(self, shown: str, results: Any) -> tuple[list[Any], tuple[str, ...]]:
        """The results, and the keys of a dict. Raises ``TypeError`` for another container; a list
        and a tuple stand for one another.
        """
        is_sequence = isinstance(results, (tuple, list))
        if self.container is dict:
            if type(results) is dict and all(type(key) is str for key in results):
                return list(results.values()), tuple(results)
        elif is_sequence if self.container in (tuple, list) else type(results) is self.container:
            found = list(results)
            if len(self.kinds_of(len(found))) == len(found):
                return found, ()
        many = f" of {len(self.kinds)}" if isinstance(self.kinds, tuple) and self.container is tuple else ""
        kind = "a dict with texts as keys" if self.container is dict else with_article(self.container.__name__)
        what = f"{len(results)} values" if is_sequence and self.container in (tuple, list) else with_article(type(results).__name__)
        raise TypeError(f"`{shown}` is declared to return {kind}{many}, and returns {what}")

    def together(self, keys: tuple[str, ...], parts: list[Any]) -> Any:
        """The container of these results."""
        if self.container is dict:
            return dict(zip(keys, parts, strict=True))
        make: Callable[..., Any] = self.container if self.container in (tuple, list) else self.container._make  # type: ignore[attr-defined]
        return make(parts)
