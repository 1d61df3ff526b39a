"""Combinations of flags: the first who makes one enters it in the table of its class, for all.

A program that does so does what any other would, so its class makes them itself: they are one
object each, in the program and outside.
"""

from __future__ import annotations

import enum
from typing import Any

from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.program import unanswered
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.registry import models, receiver

MODULE = "enum"
_BASES = (object, int)
"""Of which members are made without Python of the program's."""
_FLAG: Any = enum.Flag
_INTERPRETED = unanswered(_FLAG._missing_.__func__)
_INVERTED = unanswered(_FLAG.__invert__)


def _is_outside(world: ShadowedWorld, cls: Any) -> bool:
    """Whether a class of flags is one from outside that makes its members as `enum` does."""
    if type(cls) is not enum.EnumType or world.is_local(cls):
        return False
    made: Any = cls
    return made._member_type_ in _BASES and made._iter_member_.__func__.__module__ == MODULE


@models(MODULE, "Flag._missing_")
def _missing(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    cls, given = receiver(fn, args)
    if _is_outside(world, cls) and not kwargs and [type(value) for value in given] == [int]:
        try:
            return _FLAG._missing_.__func__(cls, *given)
        except ValueError:  # interpreted code raises it, whose lines the caller sees
            pass
    return Invoke(_INTERPRETED, (cls, *given), kwargs)


@models(MODULE, "Flag.__invert__")
def _invert(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """It stands in the table of the class; the member, which remembers it, is left as it was."""
    member, given = receiver(fn, args)
    if _is_outside(world, type(member)) and not given and not kwargs:
        remembered = "_inverted_" in vars(member)
        found = _FLAG.__invert__(member)
        if not remembered:
            vars(member).pop("_inverted_", None)
        return found
    return Invoke(_INVERTED, (member, *given), kwargs)
