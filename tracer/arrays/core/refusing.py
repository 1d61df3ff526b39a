"""Methods of stand-ins for lists, dicts and sets that nothing answers for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn


def refusing(name: str, refused: Callable[[str], Exception]) -> Callable[..., NoReturn]:
    """A method that refuses the operation ``name``."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise refused(f"does `{name}`")

    return refuse


def refuse_the_rest(cls: type, refused: Callable[[str], Exception], polyfills: Iterable[str], specials: Iterable[str]) -> None:
    """Give a stand-in the methods that models know by their qualified names, the special methods
    of these names, which refuse, and a refusal of ``__array__``, for which C of NumPy asks.
    """
    for name in polyfills:
        method = refusing(name, refused)
        method.__module__, method.__name__, method.__qualname__ = cls.__module__, name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
    for name in (f"__{name}__" for name in specials):
        setattr(cls, name, refusing(name, refused))
    array = "__array__"
    setattr(cls, array, property(refusing(array, refused)))
