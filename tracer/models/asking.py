"""Stand-ins for the program's objects in the hands of C: their special methods are npexport's own Python, which asks the VM.

Where the frame hook cannot answer for Python that C starts, C is handed stand-ins wherever it only asks its arguments, and keeps none of
them: it makes text or numbers of them, compares them, calls them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from npexport.tracer.interpreter.attributes import HEAP_TYPE, find
from npexport.tracer.interpreter.native import NATIVE_TYPES

_CONTENTS: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    tuple: lambda items: tuple.__getitem__(items, slice(None)),
    list: list.copy,
    dict: dict.copy,
}
"""Bases whose objects C reads without asking, and how their stand-ins get the same contents."""
_LEFT = frozenset({
    "__new__", "__init__", "__del__", "__getattribute__", "__setattr__", "__delattr__", "__getattr__", "__init_subclass__", "__set_name__",
    "__class_getitem__", "__subclasshook__", "__slots__", "__dict__", "__weakref__", "__module__", "__qualname__", "__doc__", "__class__",
    "__annotations__", "__reduce__", "__reduce_ex__", "__static_attributes__", "__firstlineno__", "__type_params__", "__abstractmethods__",
    "__match_args__", "__orig_bases__", "__parameters__", "__dataclass_fields__", "__dataclass_params__", "__call__",
})  # fmt: skip
"""What is no special method that C asks objects for; calls have a stand-in of their own."""
_IMMUTABLE = 1 << 8
"""The flag of classes that C makes at run time, as ``deque``: the program's never have it."""
_OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)


class Asking:
    """The stand-ins of one call of C: an object has one, so that what is the same object is the same to C.

    ``only``: of objects that have this special method. ``attributes``: C asks for attributes, too.
    """

    __slots__ = ("attributes", "found", "lists", "only", "originals", "vm")

    def __init__(self, vm: Any, *, only: str = "__class__", attributes: bool = False) -> None:
        self.vm = vm
        self.only = only
        self.attributes = attributes
        self.found: dict[int, Any] = {}
        self.originals: dict[int, Any] = {}
        self.lists: list[tuple[list[Any], list[Any]]] = []  # originals and copies

    def stand_in(self, value: Any) -> Any:
        """What C is handed for the value: containers of objects are copied."""
        kind = type(value)
        if id(value) in self.found:
            return self.found[id(value)]
        if kind is tuple or kind is list:
            items = [self.stand_in(item) for item in value]
            plain = all(map(_is, items, value))
            made: Any = value if plain else items if kind is list else tuple(items)
            if kind is list:  # to which C may add what it is handed
                self.lists.append((value, made))
            if plain:
                return value
        elif kind is dict:
            made = {key: self.stand_in(item) for key, item in value.items()}
            if all(map(_is, made.values(), value.values())):
                return value
        elif kind is slice:
            made = slice(self.stand_in(value.start), self.stand_in(value.stop), self.stand_in(value.step))
        elif not hasattr(kind, self.only):
            return value
        elif kind is types.FunctionType or kind is types.MethodType:
            made = _asking_call(self, value)
        elif kind.__flags__ & HEAP_TYPE and kind not in NATIVE_TYPES and not isinstance(value, type):
            made = self._of_object(value, kind)
        else:
            made = value
        if made is value:
            return value
        self.found[id(value)] = made
        self.originals[id(made)] = value
        return made

    def _of_object(self, value: Any, kind: type) -> Any:
        """An object of a class of the same name and base, with the special methods that are not C's."""
        base = next(cls for cls in kind.__mro__ if not cls.__flags__ & HEAP_TYPE or cls.__flags__ & _IMMUTABLE)
        if not (base is object or base in _CONTENTS or issubclass(base, BaseException)):
            return value
        found: dict[str, Any] = {}
        for cls in reversed(kind.__mro__[: kind.__mro__.index(base)]):
            found |= {name: method for name, method in vars(cls).items() if name.startswith("__") and name.endswith("__")}
        space = {
            name: None if method is None else _asking_method(self, name)
            for name, method in found.items()
            if name not in _LEFT and type(method) not in _OF_C
        }
        if not space and not self.attributes:
            return value
        if base is object:
            space["__getattr__"] = _asking_attribute(self)
        made: Any = type(kind.__name__, (base,), {**space, "__module__": kind.__module__, "__qualname__": kind.__qualname__})
        if issubclass(base, BaseException):
            return base.__new__(made, *value.args)
        if base in (list, dict):
            filled = made()
            base.__init__(filled, _CONTENTS[base](value))
            return filled
        return made() if base is object else base.__new__(made, _CONTENTS[base](value))  # type: ignore[call-arg]

    def original(self, value: Any) -> Any:
        """The program's object for what C gives back."""
        if id(value) in self.originals:
            return self.originals[id(value)]
        if type(value) in (tuple, list):
            return type(value)([self.original(item) for item in value])
        return value

    def call(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What ``call`` gives of the arguments' originals, where these are stand-ins; lists that it changed are changed."""
        before = [list(copy) for _, copy in self.lists]
        try:
            return self.original(call(*args, **kwargs))
        finally:
            for (original, copy), known in zip(self.lists, before, strict=True):
                if len(copy) != len(known) or not all(map(_is, copy, known)):
                    original[:] = [self.original(item) for item in copy]


def _is(left: Any, right: Any) -> bool:
    return left is right


def _originals(asking: Asking, values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([asking.original(value) for value in values])


def _asking_method(asking: Asking, name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        obj = asking.originals[id(self)]
        found = find(type(obj).__mro__, name)
        if type(found) is types.FunctionType:
            result = asking.vm.run(found, (obj, *_originals(asking, args)), kwargs)
        else:
            result = asking.vm.run(asking.vm.run(getattr, (obj, name)), _originals(asking, args), kwargs)
        return asking.stand_in(result)  # which C may ask in turn

    method.__name__ = name
    return method


def _asking_attribute(asking: Asking) -> Any:
    def attribute(self: Any, name: str) -> Any:
        return asking.stand_in(asking.vm.run(getattr, (asking.originals[id(self)], name)))

    return attribute


def _asking_call(asking: Asking, function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        named = {name: asking.original(value) for name, value in kwargs.items()}
        return asking.stand_in(asking.vm.run(function, _originals(asking, args), named))

    return call
