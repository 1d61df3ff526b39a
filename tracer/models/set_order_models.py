"""C functions that iterate over their arguments: if one is a set, the order may differ between
processes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
        items = tuple([world.in_order(arg) for arg in args])
        return self.plain(world, vm, fn, items, {name: world.in_order(arg) for name, arg in kwargs.items()})


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
