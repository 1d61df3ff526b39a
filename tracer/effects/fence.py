"""Outside objects with state that cannot be copied: iterators, files, locks held elsewhere, handles
of C libraries.

A :class:`Fence` stands for one. Attributes that stay as they are can be read; everything else that
would use the object's state is refused.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from npexport.ir.meta import holds_data
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.views import no_subclass
from npexport.tracer.effects.copiers import state_of

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
        target = object.__getattribute__(self, "_target")
        if object.__getattribute__(self, "_code") in _MOVING and _tells_state(target, name):
            refuse(self)
        if _runs_python(target, name):
            raise Unsupported("E118", f"`{name}` of {describe(self)} is found by code that may change it")
        return read(target, name, object.__getattribute__(self, "_origin"))


_MOVING = ("E107", "E113")
"""The reasons of objects whose own work changes what they are: the next call finds other values."""
_FIXED = frozenset(
    ("bit_generator", "_bit_generator", "seed_seq", "_seed_seq", "entropy", "spawn_key", "pool_size", "gi_code", "cr_code", "ag_code",
     "__name__", "__qualname__")
)  # fmt: skip
"""Attributes of such objects that nothing changes."""


def _tells_state(target: Any, name: str) -> bool:
    """Whether the attribute is a variable of the object: a field of C, or of its ``__dict__``."""
    _, found = _held(target, name)
    fields = (types.GetSetDescriptorType, types.MemberDescriptorType)
    return name not in _FIXED and (isinstance(found, fields) or name in getattr(target, "__dict__", ()))


def _runs_python(target: Any, name: str) -> bool:
    """Whether a property, a descriptor or a hook for attributes runs if the attribute is read;
    those of classes of Python's own library and NumPy change nothing.
    """
    holder, found = _held(target, name)
    if type(_held(target, "__getattribute__")[1]) is not types.WrapperDescriptorType:
        holder, found = _held(target, "__getattribute__")
    elif holder is None:
        holder = None if name in (state_of(target) or ()) else _held(target, "__getattr__")[0]
    elif type(found) is not property and type(_held(found, "__get__")[1]) is not types.FunctionType:
        return False
    return holder is not None and holder.__module__.partition(".")[0] not in _TRUSTED


def _held(target: Any, name: str) -> tuple[type | None, Any]:
    """The class that holds an attribute, and what it holds."""
    return next(((cls, vars(cls)[name]) for cls in type(target).__mro__ if name in vars(cls)), (None, None))


def says_its_class(target: Any) -> bool:
    """Whether code of the object's own answers ``isinstance``, as that of weak proxies does."""
    return type(target) in weakref.ProxyTypes or _held(target, "__class__")[0] is not object


_TRUSTED = frozenset({*sys.stdlib_module_names, "numpy"})


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
    return target.__self__ if type(target) in _METHODS else target


_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)


def describe(fence: Fence) -> str:
    """``the generator `global stream` ``."""
    return f"the {type(owner_of(fence)).__qualname__} `{object.__getattribute__(fence, '_origin').replace(':', '.', 1)}`"


def refuse(fence: Fence) -> NoReturn:
    """Raise the ``Unsupported`` that says why this object cannot be used."""
    code = object.__getattribute__(fence, "_code")
    target = target_of(fence)
    if issubclass(type(target), np.ndarray):
        plain = type(target) is np.ndarray
        raise Unsupported(
            code if holds_data(target.dtype) else "E122",
            f"the program uses {describe(fence)}, which is {'no plain array of numbers' if plain else 'an array of a subclass'}",
            hint=None if plain else no_subclass(type(target)).hint,
        )
    raise Unsupported(code, f"the program uses {describe(fence)}, but {_REASONS[code]}")


_REFUSED = (
    "__setattr__ __delattr__ __iter__ __next__ __aiter__ __anext__ __await__ __len__ __getitem__ __setitem__ __delitem__ __contains__ "
    "__call__ __enter__ __exit__ __aenter__ __aexit__ __bool__ __int__ __float__ __complex__ __index__ __eq__ __ne__ __lt__ __le__ __gt__ "
    "__ge__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __matmul__ __rmatmul__ __truediv__ __rtruediv__ __floordiv__ "
    "__rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ __lshift__ __rlshift__ __rshift__ __rrshift__ __and__ __rand__ __or__ __ror__ "
    "__xor__ __rxor__ __neg__ __pos__ __abs__ __invert__ __array__ __str__ __repr__ __format__ __buffer__ __reduce_ex__ __fspath__"
).split()


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Fence, *args: Any, **kwargs: Any) -> NoReturn:
        refuse(self)

    method.__name__ = name
    return method


for _name in _REFUSED:
    setattr(Fence, _name, _refusing(_name))
Fence.__hash__ = object.__hash__  # type: ignore[method-assign]
