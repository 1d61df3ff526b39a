"""What stand-ins for lists, dicts and sets have in common: they look like what they stand for, and
refuse the operations that they do not define.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

FILLED_LIST = "a list that a loop or earlier calls fill, as long as sizes or data say"


class ContainerStandIn:
    """``kind``: the class that the program sees; ``length``: the number of items."""

    __slots__ = ()
    kind: type
    length: Any
    refused: Callable[[str], Exception]

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.kind

    def __len__(self) -> Any:
        return self.length

    def __bool__(self) -> Any:
        return bool(self.length != 0)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(self.kind, name):
            return getattr(self.kind(), name)  # raises
        raise self.refused(f"is used with `{name}`")


def refusing(name: str, refused: Callable[[str], Exception]) -> Callable[..., NoReturn]:
    """A method that refuses the operation ``name``."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise refused(f"is used with `{name}`")

    return refuse


_SPECIALS = "reversed eq ne lt le gt ge hash format reduce reduce_ex deepcopy sizeof length_hint"
OF_SETS = "or ror ior and rand iand sub rsub isub xor rxor ixor repr str"
"""The special methods of dicts and sets, without the double underscores."""


def refuse_the_rest(cls: type, refused: Callable[[str], Exception], polyfills: Iterable[str], specials: str) -> None:
    """Give a stand-in the methods that models know by their qualified names, special methods that
    refuse, those that every stand-in refuses and ``specials``, and a refusal of ``__array__``, for
    which C of NumPy asks.
    """
    cls.refused = staticmethod(refused)  # type: ignore[attr-defined]
    for name in polyfills:
        method = refusing(name, refused)
        method.__module__, method.__name__, method.__qualname__ = cls.__module__, name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
    for name in (f"__{name}__" for name in f"{_SPECIALS} {specials}".split()):
        setattr(cls, name, refusing(name, refused))
    array = "__array__"
    setattr(cls, array, property(refusing(array, refused)))
