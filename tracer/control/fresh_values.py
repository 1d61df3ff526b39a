"""Containers and objects made on one path to the end of an iteration, taken apart: objects that
both paths make alike are made once, with contents that the data choose.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.effects.parts import KINDS, Part

FormOfPart = tuple[str, tuple[Any, ...]]


class Fresh:
    """Stands for an object of the class ``cls`` that nothing else holds. ``form``: the kind and
    keys of each part; ``items``: the contents of all parts.
    """

    __slots__ = ("cls", "form", "items")

    def __init__(self, cls: type, form: tuple[FormOfPart, ...], items: tuple[Any, ...]) -> None:
        self.cls, self.form, self.items = cls, form, items

    @classmethod
    def of(cls, value: Any, parts: tuple[Part, ...], items: list[Any]) -> Fresh:
        """The stand-in of an object of these parts."""
        return cls(type(value), tuple([(part.kind, _keys(part)) for part in parts]), tuple(items))

    def like(self, items: Any) -> Fresh:
        """The same with other items."""
        return Fresh(self.cls, self.form, tuple(items))

    @property
    def tag(self) -> Any:
        """The places of the items; equal keys of different types differ."""
        return self.cls, [(kind, [(type(key), key) for key in keys]) for kind, keys in self.form]

    def made(self, items: list[Any]) -> Any:
        """A new object with these items."""
        base: Any = next(base for base in (list, dict, object) if issubclass(self.cls, base))
        found, place = base.__new__(self.cls), 0
        for kind, keys in self.form:
            count = 0 if kind == "class" else len(keys)
            named: Any = keys if kind in ("attributes", "slots", "class") else dict.fromkeys(keys) if kind == "dict" else count
            KINDS[kind](found, Part(kind, named, tuple(items[place : place + count])))  # type: ignore[misc]
            place += count
        return found


def _keys(part: Part) -> tuple[Any, ...]:
    return tuple(range(len(part.values))) if part.kind == "list" else tuple(part.keys)
