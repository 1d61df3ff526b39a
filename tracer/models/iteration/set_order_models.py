"""C functions that iterate over their arguments: if one is a set, the order may differ between
processes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.tracer.arrays.core.filled_dict import FilledDict, FilledView, listed
from npexport.tracer.arrays.core.texts import joined
from npexport.tracer.effects.set_order import varies
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import Model, row


def ordered(module: str, name: str, model: Model) -> Model:
    """The model, with sets among the arguments in the order in which the program sees them."""
    iterates = row(module, name).iterates
    if iterates is None:
        return model
    return _ORDERED[iterates](model)


class Ordered:
    """``plain`` is the model for sets whose order never varies."""

    def __init__(self, plain: Model) -> None:
        self.plain = plain


class Consumer(Ordered):
    """For functions that iterate over their arguments."""

    def __call__(self, world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        owner = getattr(fn, "__self__", None)
        if varies(owner):  # set.__iter__
            return iter(world.in_order(owner))
        keyed = "key" in kwargs
        items = tuple([_in_order(world, fn, arg, keyed) for arg in args])
        given = {name: _in_order(world, fn, arg, keyed) for name, arg in kwargs.items()}
        if keyed and any(type(arg) is FilledDict for arg in args):
            given["key"] = _of_present(given["key"], args)
        return self.plain(world, vm, fn, items, given)


def _of_present(key: Any, tables: tuple[Any, ...]) -> Any:
    """``d.get`` of a key of ``d`` is ``d[key]``."""
    own = getattr(key, "__self__", None)
    return own.__getitem__ if any(own is table for table in tables) and key.__name__ == "get" and type(own) is FilledDict else key


_WITHOUT_ORDER = (sorted, min, max, any, all)
"""What gives the same of a set in any order."""


_AT_ONCE = (*_WITHOUT_ORDER, sum, list, tuple)
"""What takes all items at once."""


def _in_order(world: ShadowedWorld, fn: Any, value: Any, keyed: bool) -> Any:
    """What a function iterates over instead of one of its arguments. ``keyed``: members may have
    equal keys.
    """
    if type(value) not in (FilledDict, FilledView) or fn not in _AT_ONCE:
        return world.in_order(value)
    if type(value) is FilledDict and (keyed or fn not in _WITHOUT_ORDER):
        value.require_order()
    return listed(value)


class Text(Ordered):
    """For functions that make text of an object.

    C code may call it, too: only a program that asks for the text of a set itself depends on its
    order.
    """

    def __call__(self, world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = args[0] if args else getattr(fn, "__self__", None)
        if not varies(value):
            return self.plain(world, vm, fn, args, kwargs)
        items = [part for item in world.in_order(value) for part in (", ", vm.run(repr, (item,), {}))]
        opening, end = ("{", "}") if type(value) is set else (f"{type(value).__name__}({{", "})")
        return joined([opening, *items[1:], end])


class Pop(Ordered):
    """For ``set.pop``."""

    def __call__(self, world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        owner: Any = args[0] if args else getattr(fn, "__self__", None)
        if not varies(owner):
            return self.plain(world, vm, fn, args, kwargs)
        item = next(iter(world.in_order(owner)))
        owner.discard(item)
        return item


_ORDERED: dict[str, Callable[[Model], Model]] = {"items": Consumer, "text": Text, "pop": Pop}
