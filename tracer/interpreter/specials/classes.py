"""``type``, ``isinstance``, making classes."""

from __future__ import annotations

import _abc
import builtins
import types
from abc import ABCMeta
from types import FunctionType, GeneratorType
from typing import Any

from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.calls import CALLERS, Args, Kwargs, call_class, enter_code, with_module
from npexport.tracer.interpreter.frame import NULL, Continuation, Machine, Steps
from npexport.tracer.interpreter.polyfills import instance_check
from npexport.tracer.interpreter.specials.attributes import contents
from npexport.tracer.interpreter.specials.declare import Special, special
from npexport.tracer.interpreter.specials.generators import iterator_of_c
from npexport.tracer.interpreter.stand_ins import is_of_c, type_of_c


@special(type)
def _type(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) == 1 and not kwargs:
        return iterator_of_c(args[0]) or vm.world.type_of(args[0])
    return vm.native(type, with_module(vm, args), kwargs, then)


@special(type.__new__)
def _type_new(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(type.__new__, with_module(vm, args) if len(args) == 4 else args, kwargs, then)


@special(type.__call__)
def _type_call(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if not args or not isinstance(args[0], type):
        return vm.native(type.__call__, args, kwargs, then)
    return call_class(vm, args[0], args[1:], kwargs, then)


def _checker(builtin: Any, hook: str) -> Special:
    def check(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if kwargs or len(args) != 2:
            return vm.native(builtin, args, kwargs, then)
        value, cls = args
        if builtin is isinstance and type(value) is GeneratorType:
            found = iterator_of_c(value)
            if found is not None:
                return vm.call(issubclass, (found, cls), {}, then)
            other = type(cls) is type and not hasattr(cls, "__next__")  # no class of iterators
            if type(cls) is not tuple and not other and not (vm.frame is not None and vm.frame.info.internal):
                vm.world.type_of(value)  # which may not be a generator for the program
        if builtin is isinstance and vm.tracing:
            if is_of_c(value):
                return vm.call(issubclass, (type_of_c(vm, value), cls), {}, then)
            vm.world.require_class(value)
        if builtin is isinstance and type(value) is cls:
            return True
        if type(cls) is type:
            return vm.native(builtin, args, {}, then)
        if type(cls) is tuple:
            return vm.start(_any_of(builtin, value, cls), then)
        method = python_method(type(cls), hook)
        if method is None:
            return vm.native(builtin, args, {}, then)
        return vm.start(_truth_of(method, (cls, value)), then)

    return check


def _any_of(builtin: Any, value: Any, classes: tuple[Any, ...]) -> Steps:
    for cls in classes:
        if (yield builtin, (value, cls)):
            return True
    return False


def _truth_of(method: Any, args: Args) -> Steps:
    return (yield bool, ((yield method, args),))


special(isinstance)(_checker(isinstance, "__instancecheck__"))
special(issubclass)(_checker(issubclass, "__subclasscheck__"))


@special(_abc._abc_instancecheck)
def _abc_instancecheck(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """C calls the metaclass's ``__subclasscheck__``: one written in Python is run by the VM."""
    if len(args) == 2 and not kwargs:
        method = python_method(type(args[0]), "__subclasscheck__")
        if method is not None and method is not ABCMeta.__subclasscheck__:
            return vm.call(instance_check, args, {}, then)
    return vm.native(_abc._abc_instancecheck, args, kwargs, then)


@special(builtins.__build_class__)
def _build_class(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) < 2 or type(args[0]) is not FunctionType:
        return vm.native(builtins.__build_class__, args, kwargs, then)
    return vm.start(_class_steps(vm, args[0], args[1], args[2:], dict(kwargs)), then)


class _Body:
    """A callable known to the VM only: the body of a class, called with its namespace."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function


def _run_body(vm: Machine, body: _Body, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    fn = body.function
    closure = vm.world.enter_closure(fn) if vm.tracing else fn.__closure__ or ()
    return enter_code(vm, fn.__code__, fn.__globals__, args[0], closure, then)


CALLERS[_Body] = _run_body


def _class_steps(vm: Machine, body: FunctionType, name: str, given: tuple[Any, ...], kwargs: Kwargs) -> Steps:
    """What ``class name(*given, **kwargs):`` does."""
    bases = yield from _resolved(given)
    meta = kwargs.pop("metaclass", None)
    if meta is None:
        meta = type(bases[0]) if bases else type
    if isinstance(meta, type):
        meta = _winner(meta, bases)
    try:
        prepare = yield getattr, (meta, "__prepare__")
    except AttributeError:
        namespace: Any = {}
    else:
        namespace = yield prepare, (name, bases), kwargs
    if not hasattr(type(namespace), "__getitem__"):
        owner = meta.__name__ if isinstance(meta, type) else "<metaclass>"
        raise TypeError(f"{owner}.__prepare__() must return a mapping, not {type(namespace).__name__}")
    cell = yield _Body(body), (namespace,)
    if bases is not given:
        namespace["__orig_bases__"] = given
    if vm.tracing:
        vm.world.making(namespace, bases)
    cls = yield meta, (name, bases, namespace), kwargs
    if type(cell) is types.CellType and isinstance(cls, type):
        found = contents(cell)
        if found is NULL:
            raise RuntimeError(f"__class__ not set defining {name!r} as {cls!r}. Was __classcell__ propagated to type.__new__?")
        if found is not cls:
            raise TypeError(f"__class__ set to {found!r} defining {name!r} as {cls!r}")
    if vm.tracing:
        vm.world.made(cls)
    return cls


def _resolved(given: tuple[Any, ...]) -> Steps:
    """The bases after ``__mro_entries__``; the same tuple if none has it."""
    bases: list[Any] = []
    changed = False
    for base in given:
        entries: Any = NULL
        if not isinstance(base, type):
            try:
                hook = yield getattr, (base, "__mro_entries__")
            except AttributeError:
                pass
            else:
                entries = yield hook, (given,)
                if not isinstance(entries, tuple):
                    raise TypeError("__mro_entries__ must return a tuple")
        if entries is NULL:
            bases.append(base)
        else:
            changed = True
            bases.extend(entries)
    return tuple(bases) if changed else given


def _winner(meta: type, bases: tuple[Any, ...]) -> type:
    """The most derived metaclass."""
    for base in bases:
        if type(base) in meta.__mro__:
            continue
        if meta not in type(base).__mro__:
            raise TypeError(
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases"
            )
        meta = type(base)
    return meta
