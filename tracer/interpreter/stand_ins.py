"""Attributes that Python gives to every class: of a stand-in, a program sees those of the class for
which it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.tracer.interpreter.native import NATIVE_TYPES, c_name

_OF_EVERY_CLASS = frozenset({
    "__annotations__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__slots__", "__static_attributes__", "__weakref__",
})  # fmt: skip


def stands_for_another(tp: type) -> bool:
    """Whether objects of this type say that they are of another class."""
    return tp in NATIVE_TYPES and any(type(vars(base).get("__class__")) is property for base in tp.__mro__)


def as_its_class(get: Callable[..., Any]) -> Callable[..., Any]:
    """A getter of attributes that hides what a stand-in's own class has."""

    def getter(vm: Any, obj: Any, name: str, then: Any) -> Any:
        if name not in _OF_EVERY_CLASS or vm.current_frame.info.internal:
            return get(vm, obj, name, then)
        cls = vm.world.type_of(obj)
        holder = next((vars(base) for base in cls.__mro__ if name in vars(base)), None)
        if holder is None:
            raise AttributeError(f"'{c_name(cls)}' object has no attribute '{name}'", name=name, obj=obj)
        found = holder[name]
        return get(vm, obj, name, then) if hasattr(type(found), "__get__") else found

    return getter
