"""Containers and objects made on one path to the end of an iteration, taken apart: objects that
both paths make alike are made once, with contents that the data choose.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.control_flow import MESSAGE
from npexport.tracer.arrays.core.proxy import ScalarProxy
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.effects.parts import KINDS, Part, parts_of
from npexport.tracer.interpreter.attempts import MessageOfData

_NAMED = frozenset({"attributes", "slots", "class", "named"})
"""The kinds of parts whose contents have names, or a class."""

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
        base: Any = next(base for base in (list, dict, BaseException, object) if issubclass(self.cls, base))
        found, place = base.__new__(self.cls), 0
        for kind, keys in self.form:
            count = 0 if kind == "class" else len(keys)
            named: Any = keys if kind in _NAMED else dict.fromkeys(keys) if kind == "dict" else count
            KINDS[kind](found, Part(kind, named, tuple(items[place : place + count])))  # type: ignore[misc]
            place += count
        return found


def exception_apart(error: BaseException) -> Any:
    """An exception, taken apart; itself if it holds what its arguments and attributes do not tell,
    or if another is its context. What an operator says is not kept.
    """
    parts = [part for part in parts_of(error) if "args" not in part.keys]
    if any(part.kind not in _NAMED for part in parts) or error.__context__ or error.__cause__ or error.__suppress_context__:
        return error
    parts.append(Part("named", ("args",), (tuple([_UNTOLD if _is_message(arg) else arg for arg in error.args]),)))
    return Fresh.of(error, tuple(parts), [value for part in parts for value in part.values])


_UNTOLD = MessageOfData("a loop is left by an exception of an operator, in a function called by the one that catches it")


def _is_message(arg: Any) -> bool:
    parts = arg.parts if type(arg) is DataText else (arg,)
    return any(type(part) is ScalarProxy and part.meta.dtype == MESSAGE for part in parts)


def _keys(part: Part) -> tuple[Any, ...]:
    return tuple(range(len(part.values))) if part.kind == "list" else tuple(part.keys)
