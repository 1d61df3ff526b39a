"""Dicts that may lack keys, as data decide: one side of a branch has put them in or taken them out.

The value of such a key is one of several (`npexport.tracer.interpreter.either`), of which `NULL` is
one. Laws:

1. Before anything looks into such a dict, it is known which keys it has: the instruction runs on
   the sides of a branch on that, and on each the dict is as in eager execution.
2. The keys stand in an order that is right whichever of them the dict has.
3. No view of the dict and no iterator of it is held then.
"""

from __future__ import annotations

import functools
import gc
import types
from collections import OrderedDict
from typing import Any

from npexport.tracer.interpreter.either import Asked, Either
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.world import World

VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType)
"""Types of what shows the contents of a dict."""
_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)
_DEPTH = 3


def may_lack(owner: Any) -> bool:
    """Whether data may decide which keys a dict has."""
    if not issubclass(type(owner), dict) or issubclass(type(owner), OrderedDict) or running.vm.world.binds_dicts:
        return False
    return not any(hasattr(type(one), "__next__") or type(one) in VIEWS for one in gc.get_referrers(owner))


def note(owner: Any) -> None:
    """Note that a dict may lack keys."""
    running.vm.world.open_dicts[id(owner)] = owner


def settle(world: World, values: Any, depth: int = _DEPTH) -> None:
    """Settle which keys the dicts among some values have, and in containers among them. Raises
    `Asked` if that is open.
    """
    for value in values:
        if id(value) in world.open_dicts:
            _settle(world, value)
        if depth:
            settle(world, _held(value), depth - 1)


def _held(value: Any) -> Any:
    cls = type(value)
    if cls in _METHODS:
        return (value.__self__,)
    if cls is functools.partial:
        return value.func, *value.args, *value.keywords.values()
    if issubclass(cls, dict):
        return tuple(dict.values(value))
    return value if cls in (tuple, list) else ()


def _settle(world: World, owner: dict[Any, Any]) -> None:
    for key, held in list(dict.items(owner)):
        if held is NULL or (type(held) is Either and any(option is NULL for option in held.options)):
            value = world.known(held)
            if type(value) is Either:
                raise Asked(value)
            if value is NULL:
                dict.__delitem__(owner, key)
            else:
                dict.__setitem__(owner, key, value)
