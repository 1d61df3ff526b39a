"""C that goes over what it is given, one item after the other: where that is a set, the order may differ between processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.tracer.effects.orders import varies

Model = Callable[..., Any]

CONSUMERS: dict[str, str] = {
    "builtins": (
        "list tuple iter enumerate zip map filter sum min max sorted any all dict dict.fromkeys dict.update str.join bytes.join "
        "list.extend list.__iadd__ list.__init__ set.__iter__ frozenset.__iter__"
    ),
    "_collections": "deque deque.extend deque.extendleft _count_elements",
    "collections": "deque deque.extend deque.extendleft OrderedDict",
    "_functools": "reduce",
    "array": "array array.extend",
    "itertools": (
        "accumulate batched chain chain.from_iterable combinations combinations_with_replacement compress cycle dropwhile "
        "filterfalse groupby islice pairwise permutations product starmap takewhile tee zip_longest"
    ),
    "math": "fsum prod sumprod",
    "_heapq": "heapify",
    "_operator": "iadd concat",
    "numpy": "fromiter",
}
_TEXTS = {("builtins", name) for name in ("str", "repr", "format", "set.__repr__", "frozenset.__repr__", "object.__str__")}
_NAMES = {(module, name) for module, names in CONSUMERS.items() for name in names.split()}


def ordered(module: str, name: str, model: Model) -> Model:
    """The model, with sets among the arguments in the order in which the program sees them."""
    if (module, name) in _NAMES:
        return Consumer(model)
    if (module, name) in _TEXTS:
        return Text(model)
    return Pop(model) if name == "set.pop" else model


class Ordered:
    """``plain`` is the model where no set's order varies."""

    def __init__(self, plain: Model) -> None:
        self.plain = plain


class Consumer(Ordered):
    """Of what goes over its arguments."""

    def __call__(self, world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        owner = getattr(fn, "__self__", None)
        if varies(owner):  # set.__iter__
            return iter(world.in_order(owner))
        items = tuple([world.in_order(arg) for arg in args])
        return self.plain(world, vm, fn, items, {name: world.in_order(arg) for name, arg in kwargs.items()})


class Text(Ordered):
    """Of what makes text of an object. C may call it: it is the program's business only where the program asks for the text of a set."""

    def __call__(self, world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = args[0] if args else getattr(fn, "__self__", None)
        if not varies(value):
            return self.plain(world, vm, fn, args, kwargs)
        text = ", ".join([vm.run(repr, (item,), {}) for item in world.in_order(value)])
        return f"{{{text}}}" if type(value) is set else f"{type(value).__name__}({{{text}}})"


class Pop(Ordered):
    """Of ``set.pop``."""

    def __call__(self, world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        owner: Any = args[0] if args else getattr(fn, "__self__", None)
        if not varies(owner):
            return self.plain(world, vm, fn, args, kwargs)
        item = next(iter(world.in_order(owner)))
        owner.discard(item)
        return item
