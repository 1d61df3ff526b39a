"""Attributes that Python gives to every class: of a stand-in, a program sees those of the class for
which it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinMethodType, MethodType, MethodWrapperType, WrapperDescriptorType
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.plain import with_article
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.native import NATIVE_TYPES, c_name

_OF_EVERY_CLASS = frozenset({
    "__annotations__", "__dict__", "__doc__", "__firstlineno__", "__init__", "__module__", "__slots__", "__static_attributes__",
    "__weakref__",
})  # fmt: skip
_INIT = vars(object)["__init__"]
_ANEW = "Make a new object by a call of its class: list(items)."


def as_its_class(get: Callable[..., Any]) -> Callable[..., Any]:
    """A getter of attributes that hides what a stand-in's own class has."""

    def getter(vm: Any, obj: Any, name: str, then: Any) -> Any:
        if name not in _OF_EVERY_CLASS or vm.current_frame.info.internal:
            return get(vm, obj, name, then)
        cls = vm.world.type_of(obj)
        if not isinstance(cls, type) or cls is type(obj):  # it stands for nothing else, or data decide for what
            return get(vm, obj, name, then)
        found = find(cls.__mro__, name)
        if found is NULL:
            raise AttributeError(f"'{c_name(cls)}' object has no attribute '{name}'", name=name, obj=obj)
        if name == "__init__":
            return MethodType(_begin if found is _INIT else _begin_anew, obj)
        return get(vm, obj, name, then) if hasattr(type(found), "__get__") else found

    return getter


def _begin(self: Any, *args: Any, **kwargs: Any) -> None:
    """What ``object.__init__`` does to what a ``__new__`` of its own has made, whatever it is
    given.
    """


def _begin_anew(self: Any, *args: Any, **kwargs: Any) -> None:
    """What the ``__init__`` of a class does to an object that is there already."""
    raise Unsupported("E101", f"`__init__` of {with_article(type(self).__name__)} of which only the data know what it holds", hint=_ANEW)


_begin.__name__ = _begin_anew.__name__ = "__init__"
_DESCRIBING = frozenset({"__name__", "__qualname__", "__doc__", "__text_signature__"})


def is_of_c(value: Any) -> bool:
    """Whether a value is a method of a stand-in, which to the program is one of C."""
    return type(value) is MethodType and type(value.__self__) in NATIVE_TYPES


def method_of_c_as_text() -> Unsupported:
    """The refusal (E109) of such a method's text."""
    return Unsupported("E109", "the text of a method of an array tells where the array lies", hint="Use its name: x.sum.__name__.")


def type_of_c(vm: Any, method: MethodType) -> type:
    """What ``type(x.sum)`` gives for a method of a stand-in."""
    return MethodWrapperType if type(_member(vm, method)) is WrapperDescriptorType else BuiltinMethodType


def attribute_of_c(vm: Any, method: MethodType, name: str) -> Any:
    """``x.sum.name``: what a method of C has, of the class for which the stand-in stands."""
    if vm.current_frame.info.internal:
        return getattr(method, name)
    kind = type_of_c(vm, method)
    if not hasattr(kind, name):
        raise AttributeError(f"'{c_name(kind)}' object has no attribute '{name}'", name=name, obj=method)
    given: dict[str, Any] = {"__module__": None, "__class__": kind}
    if kind is BuiltinMethodType:
        given["__qualname__"] = f"{vm.world.type_of(method.__self__).__qualname__}.{method.__func__.__name__}"
    if name in given:
        return given[name]
    return getattr(_member(vm, method) if name in _DESCRIBING else method, name)


def _member(vm: Any, method: MethodType) -> Any:
    """What the class for which a stand-in stands holds under the name of a method."""
    name = method.__func__.__name__
    return find(vm.world.type_of(method.__self__).__mro__, name, None)
