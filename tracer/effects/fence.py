"""Outside objects with state that cannot be copied: iterators, files, locks held elsewhere, handles
of C libraries.

A :class:`Fence` stands for one. Its attributes can be read; everything else that would use the
object's state is refused.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir.meta import holds_data
from npexport.symshapes.errors import Unsupported

_REASONS = {
    "E105": "it reads or writes outside the program",
    "E107": "it draws random numbers from state that is not an argument of the program",
    "E108": "it reads or changes the environment of the process",
    "E110": "it synchronises threads or processes",
    "E111": "it belongs to the Python interpreter",
    "E113": "its position would move, and existed before the call",
    "E125": "copies of it would be finalized",
    "E118": "its state existed before the call and cannot be copied",
}


class Fence:
    """The stand-in of one fenced object; ``isinstance`` answers as for the object itself."""

    __slots__ = ("_code", "_origin", "_read", "_target")

    def __init__(self, target: Any, code: str, origin: str, read: Callable[[Any, str, str], Any]) -> None:
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_code", code)
        object.__setattr__(self, "_origin", origin)
        object.__setattr__(self, "_read", read)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(object.__getattribute__(self, "_target"))

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return type(object.__getattribute__(self, "_target"))
        read = object.__getattribute__(self, "_read")
        return read(object.__getattribute__(self, "_target"), name, object.__getattribute__(self, "_origin"))

    def __repr__(self) -> str:
        return f"<{describe(self)}>"


def target_of(fence: Fence) -> Any:
    """The object behind the fence."""
    return object.__getattribute__(fence, "_target")


def shadow_of_method(fence: Fence, method: types.BuiltinMethodType) -> Fence:
    """The fence around a bound C method of a fenced object, refused for the object's reasons."""
    part = {name: object.__getattribute__(fence, name) for name in ("_code", "_origin", "_read")}
    return Fence(method, part["_code"], part["_origin"], part["_read"])


def owner_of(fence: Fence) -> Any:
    """The outside object that the fence, or the method behind it, belongs to."""
    target = target_of(fence)
    return target.__self__ if isinstance(target, _METHODS) else target


_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)


def describe(fence: Fence) -> str:
    """``the generator `global stream` ``."""
    return f"the {type(owner_of(fence)).__qualname__} `{object.__getattribute__(fence, '_origin').replace(':', '.', 1)}`"


def refuse(fence: Fence) -> NoReturn:
    """Raise the ``Unsupported`` that says why this object cannot be used."""
    code = object.__getattribute__(fence, "_code")
    if isinstance(target_of(fence), np.ndarray):
        raise Unsupported(
            code if holds_data(target_of(fence).dtype) else "E122",
            f"the program uses {describe(fence)}, which is no plain array of numbers",
        )
    raise Unsupported(code, f"the program uses {describe(fence)}, but {_REASONS[code]}")


_REFUSED = (
    "__setattr__ __delattr__ __iter__ __next__ __aiter__ __anext__ __await__ __len__ __getitem__ __setitem__ __delitem__ __contains__ "
    "__call__ __enter__ __exit__ __aenter__ __aexit__ __bool__ __int__ __float__ __complex__ __index__ __eq__ __ne__ __lt__ __le__ __gt__ "
    "__ge__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __matmul__ __rmatmul__ __truediv__ __rtruediv__ __floordiv__ "
    "__rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ __lshift__ __rlshift__ __rshift__ __rrshift__ __and__ __rand__ __or__ __ror__ "
    "__xor__ __rxor__ __neg__ __pos__ __abs__ __invert__ __array__ __str__ __format__ __buffer__ __reduce_ex__ __fspath__"
).split()


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Fence, *args: Any, **kwargs: Any) -> NoReturn:
        refuse(self)

    method.__name__ = name
    return method


for _name in _REFUSED:
    setattr(Fence, _name, _refusing(_name))
Fence.__hash__ = object.__hash__  # type: ignore[method-assign]
