"""Dicts that may lack keys, as data decide: one side of a branch has put them in or taken them out.

The value of such a key is one of several (`npexport.tracer.interpreter.symbolic_union`), of which
`NULL` is one. Laws:

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

from npexport.ir.containers import register_dict_of_some
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit, SymbolicUnion, is_bound
from npexport.tracer.interpreter.world import World

VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType)
"""Types of what shows the contents of a dict."""
_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)
_DEPTH = 3


def hides(referrer: Any) -> bool:
    """Whether an object refers to a container and cannot be examined."""
    return type(referrer) in _METHODS or _shows(referrer)


def _shows(referrer: Any) -> bool:
    """Whether an object shows what is in a container, without being asked for a method of it."""
    return type(referrer) in VIEWS or hasattr(type(referrer), "__next__")


def may_lack(owner: Any) -> bool:
    """Whether data may decide which keys a dict has."""
    if not issubclass(type(owner), dict) or issubclass(type(owner), OrderedDict) or running.vm.world.binds_dicts:
        return False
    return not any(map(_shows, gc.get_referrers(owner)))


def note(owner: Any) -> None:
    """Note that a dict may lack keys."""
    running.vm.world.partial_dicts[id(owner)] = owner


def is_open(value: Any) -> bool:
    """Whether data decide whether there is a value."""
    return value is NULL or (type(value) is SymbolicUnion and any(option is NULL for option in value.options))


def lacks_keys(owner: Any) -> bool:
    """Whether data decide which keys a dict has."""
    return issubclass(type(owner), dict) and any(map(is_open, dict.values(owner)))


def settle(world: World, values: Any, depth: int = _DEPTH) -> None:
    """Settle which keys the dicts among some values have, and in containers among them. Raises
    `NeedsCaseSplit` if that is open.
    """
    for value in values:
        if id(value) in world.partial_dicts:
            settle_keys(world, value, list(dict.keys(value)))
        if depth:
            settle(world, _held(value), depth - 1)


class Lacking:
    """A dict that may lack keys, as part of a result (`npexport.ir.dicts_of_some`)."""

    def __init__(self, world: Any, owner: dict[Any, Any]) -> None:
        context, self.children = [], list[Any]()
        for key, value in dict.items(owner):
            held = world.known(value)
            if held is NULL:
                continue
            there = is_bound(held)
            context.append((key, there is not True))
            self.children += [there] * (there is not True) + [without_absence(held)]
        self.context = tuple(context)


register_dict_of_some(Lacking)


def without_absence(value: Any) -> Any:
    """The value if there is one."""
    if type(value) is not SymbolicUnion or not is_open(value):
        return value
    pairs = [(test, option) for test, option in zip(value.tests, value.options, strict=True) if option is not NULL]
    tests, options = map(tuple, zip(*pairs, strict=True))
    return options[0] if len(pairs) == 1 else SymbolicUnion(tests, options, value.name, value.text)


def _held(value: Any) -> Any:
    cls = type(value)
    if cls in _METHODS:
        return (value.__self__,)
    if cls is functools.partial:
        return value.func, *value.args, *value.keywords.values()
    if issubclass(cls, dict):
        return tuple(dict.values(value))
    return value if cls in (tuple, list) else ()


def settle_keys(world: World, owner: dict[Any, Any], keys: list[Any]) -> None:
    """Settle which of some keys a dict has, and drop all that it is known to lack: their order says
    nothing. Raises `NeedsCaseSplit` if that is open.
    """
    for key in keys:
        held = dict.get(owner, key)
        if is_open(held):
            value = world.known(held)
            if type(value) is SymbolicUnion:
                raise NeedsCaseSplit(value)
            if value is not NULL:
                dict.__setitem__(owner, key, value)
                continue
            for absent in [each for each, other in dict.items(owner) if is_open(other) and world.known(other) is NULL]:
                dict.__delitem__(owner, absent)
