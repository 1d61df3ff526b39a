"""``getattr`` and its kin, ``object.__setattr__``, ``super()``."""

from __future__ import annotations

import types
from collections.abc import Callable
from types import FunctionType
from typing import Any

from npexport.tracer.interpreter import attributes
from npexport.tracer.interpreter.calls import Args, Kwargs
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import NULL, PUSHED, Continuation, Machine, Steps
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.specials.declare import caller, special


class _NoneAfter:
    """The continuation of ``setattr``: the value is ``None``, whatever the method returned."""

    def __init__(self, outer: Continuation | None) -> None:
        self.outer = outer

    def returned(self, vm: Machine, value: Any) -> Any:
        return None

    def raised(self, vm: Machine, error: BaseException) -> Any:
        raise error


def _none(value: Any) -> Any:
    return PUSHED if value is PUSHED else None


def _takes_name(args: Args, kwargs: Kwargs, count: int) -> bool:
    """Whether a call has as many arguments, by position, of which the second is a text."""
    return not kwargs and len(args) == count and isinstance(args[1], str)


def _read(name: Any) -> str:
    """The text itself in place of a stand-in, which says what it is or refuses to."""
    return str(name) if type(name) in NATIVE_TYPES else name


@special(getattr)
def _getattr(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if _takes_name(args, kwargs, 2):
        return attributes.get_attribute(vm, args[0], _read(args[1]), then)
    if _takes_name(args, kwargs, 3):
        return vm.start(_getattr_steps(args[0], _read(args[1]), args[2]), then)
    return vm.native(getattr, args, kwargs, then)


def _getattr_steps(obj: Any, name: str, default: Any) -> Steps:
    try:
        return (yield getattr, (obj, name))
    except AttributeError:
        return default


@special(hasattr)
def _hasattr(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if not _takes_name(args, kwargs, 2):
        return vm.native(hasattr, args, kwargs, then)
    return vm.start(_hasattr_steps(args[0], _read(args[1])), then)


def _hasattr_steps(obj: Any, name: str) -> Steps:
    answer = attributes.SPECIAL_HAS.get(type(obj))
    if answer is not None and (found := answer(obj, name)) is not None:
        return found
    try:
        yield getattr, (obj, name)
    except AttributeError:
        return False
    return True


@special(setattr)
def _setattr(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if not _takes_name(args, kwargs, 3):
        return vm.native(setattr, args, kwargs, then)
    return _none(attributes.set_attribute(vm, args[0], _read(args[1]), args[2], _NoneAfter(then)))


@special(delattr)
def _delattr(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if not _takes_name(args, kwargs, 2):
        return vm.native(delattr, args, kwargs, then)
    return _none(attributes.delete_attribute(vm, args[0], _read(args[1]), _NoneAfter(then)))


@special(object.__getattribute__)
def _object_getattribute(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """Without ``__getattr__`` and ``__getattribute__``; a property or descriptor still runs."""
    if not _takes_name(args, kwargs, 2):
        return vm.native(object.__getattribute__, args, kwargs, then)
    obj, name = args[0], _read(args[1])
    if type(obj) in NATIVE_TYPES:
        return attributes.get_attribute(vm, obj, name, then)
    info = vm.types[type(obj)]
    if info.tp in vm.types.lacking:
        vm.types.lacking[info.tp](vm, obj, name)
    kind, value = info.member(name)
    if kind == attributes.PROPERTY and value.fget is not None:
        return vm.call(value.fget, (obj,), {}, then)
    if kind == attributes.DATA_DESCRIPTOR or kind == attributes.DESCRIPTOR and not attributes.in_instance(obj, name):
        getter = find(type(value).__mro__, "__get__")
        if type(getter) is FunctionType:
            return vm.call(getter, (value, obj, info.tp), {}, then)
    value = object.__getattribute__(obj, name)
    if kind == attributes.VALUE and vm.tracing and not attributes.in_instance(obj, name):
        return attributes.entered(vm, info.mro, name, value)
    return value


def _writer(host: Any, count: int, run: Callable[..., Any]) -> None:
    """``object.__setattr__`` and its kin: no hook, but properties and descriptors still run."""

    def write(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if not _takes_name(args, kwargs, count) or issubclass(type(args[0]), type) is not (host.__objclass__ is type):
            return vm.native(host, args, kwargs, then)
        obj, name, *value = args
        return _none(run(vm, vm.types[type(obj)], obj, _read(name), *value, _NoneAfter(then), host))

    special(host)(write)


for _setter in (object.__setattr__, type.__setattr__):
    _writer(_setter, 3, attributes.set_plainly)
for _deleter in (object.__delattr__, type.__delattr__):
    _writer(_deleter, 2, attributes.delete_plainly)


@special(super)
def _super(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if args or kwargs:
        return vm.native(super, args, kwargs, then)
    frame = caller(vm)
    code = frame.code
    if code.co_argcount == 0:
        raise RuntimeError("super(): no arguments")
    obj = frame.fast[0]
    if type(obj) is types.CellType and code.co_varnames[0] in code.co_cellvars:
        obj = contents(obj)
    if obj is NULL:
        raise RuntimeError("super(): arg[0] deleted")
    if "__class__" not in code.co_freevars:
        raise RuntimeError("super(): __class__ cell not found")
    cls = contents(frame.fast[frame.info.first_free + code.co_freevars.index("__class__")])
    if cls is NULL:
        raise RuntimeError("super(): empty __class__ cell")
    return super(cls, obj)


def contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NULL
