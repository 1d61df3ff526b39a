"""Results in which dicts may lack keys, as data decide."""

from __future__ import annotations

from typing import Any

from npexport.ir.containers import STANDS_FOR, find_kind
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.partial_dicts import Lacking
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion


def complete(world: ShadowedWorld, result: Any) -> Any:
    """The result with stand-ins for dicts that may lack keys; what holds one is made anew, unless
    it is the caller's.
    """
    return _complete(world, result, {}) if world.partial_dicts else result


def _complete(world: ShadowedWorld, value: Any, found: dict[int, Any]) -> Any:
    cls: Any = type(value)
    kind = find_kind(cls)
    if kind is None or (cls in STANDS_FOR and cls is not SymbolicUnion):
        return value
    if id(value) in found:
        return found[id(value)]
    found[id(value)] = value  # if it contains itself
    made: Any = value
    if cls is SymbolicUnion:
        options = [_complete(world, option, found) for option in value.options]
        if any(new is not old for new, old in zip(options, value.options, strict=True)):
            made = SymbolicUnion(value.tests, tuple(options), value.name, value.text)
    elif cls is dict and (owner := world.partial_dicts.get(id(value), {})) is value:
        made = Lacking(world, owner)
        made.children = [_complete(world, child, found) for child in made.children]
    elif not world.shadows.is_outside(value):
        children, context = kind.parts(value)
        completed = [_complete(world, child, found) for child in children]
        if any(new is not old for new, old in zip(completed, children, strict=True)):
            made = kind.build(cls, context, completed)
    found[id(value)] = made
    return made
