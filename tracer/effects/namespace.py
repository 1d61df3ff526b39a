"""``globals()`` and ``module.__dict__`` of modules from outside: a mapping whose reads and writes
are those of the global names.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, Protocol

from npexport.tracer.effects.overlay import DELETED, Overlay
from npexport.tracer.interpreter.native import named


class Names(Protocol):
    """The world's global names; `npexport.tracer.effects.world.ShadowedWorld` documents it."""

    overlay: Overlay

    def read_global(self, space: dict[str, Any], name: str) -> Any: ...
    def write_global(self, space: dict[str, Any], name: str, value: Any) -> None: ...


class Namespace(MutableMapping[str, Any]):
    """One module's names, as the program sees them; ``isinstance`` says ``dict``."""

    __slots__ = ("space", "world")

    def __init__(self, world: Names, space: dict[str, Any]) -> None:
        self.world = world
        self.space = space

    __class__ = dict  # type: ignore[assignment]

    def __getitem__(self, name: str) -> Any:
        written = self.world.overlay.find(self.space, name)
        if written is None:
            return self.world.read_global(self.space, name)
        if written.value is DELETED:
            raise KeyError(name)
        return written.value

    def __setitem__(self, name: str, value: Any) -> None:
        self.world.write_global(self.space, name, value)

    def __delitem__(self, name: str) -> None:
        self[name]
        self.world.write_global(self.space, name, DELETED)

    def __contains__(self, name: Any) -> bool:
        written = self.world.overlay.find(self.space, name)
        return name in self.space if written is None else written.value is not DELETED

    def __iter__(self) -> Iterator[str]:
        written = self.world.overlay.names(self.space)
        yield from (name for name in self.space if written.get(name, None) is not DELETED)
        yield from (name for name, value in written.items() if name not in self.space and value is not DELETED)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def copy(self) -> dict[str, Any]:
        """A dict of the program's own."""
        return dict(self)

    def __repr__(self) -> str:
        return f"<namespace of {self.space.get('__name__', '?')}>"


named(Namespace, "dict")
