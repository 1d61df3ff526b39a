"""What a C callable means while tracing: modelled by a function here, refused with a code, run as it is, or unknown.

Callables are judged by name, ``module`` and ``function`` or ``Type.method``, where the type is the C type that defines the method.
Order: a model of that name, a refusal of that name, a pure row of that name, then the rows for whole modules and types.
"""

from __future__ import annotations

import builtins
import functools
import re
import struct
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays import protocols
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.fence import Fence, refuse
from npexport.tracer.effects.kinds import is_function_record
from npexport.tracer.frames import CallbackAborted
from npexport.tracer.frames.owners import PACKAGE
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models import fallback, identity, pure, refused
from npexport.tracer.models.asking import Asking
from npexport.tracer.models.identity import Identity
from npexport.tracer.models.orders import ordered
from npexport.tracer.models.refused import Refusal
from npexport.tracer.models.sizes import sized

Model = Callable[..., Any]  # (world, vm, fn, args, kwargs) -> result or Invoke

MODELS: dict[tuple[str, str], Model] = {}
"""Models by module and name."""

_PURE_FUNCTIONS = {module: frozenset(names.split()) for module, names in pure.FUNCTIONS.items()}
_PURE_TYPES = {module: frozenset(names.split()) for module, names in pure.TYPES.items()}
_DEFINITIONS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
    staticmethod,
)
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType)


def models(module: str, *names: str) -> Callable[[Model], Model]:
    """Declare the model of one callable (or of several that mean the same). Refuses duplicates."""

    def register(model: Model) -> Model:
        for name in names:
            if (module, name) in MODELS:
                raise ValueError(f"{module}.{name} has two models")
            MODELS[module, name] = model
        return model

    return register


def run(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The model of pure callables. Python that C calls back is interpreted."""
    if world.aborts:
        other = fallback.instead(vm, fn, args, kwargs)
        if other is not None:
            return other if type(other) is Invoke else answering(world, fn, *other)
    return answering(world, fn, fn, args, kwargs)


def own(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """npexport's own Python: where it is handed nothing of the program's, nothing can call back."""
    if protocols.is_plain((*args, *kwargs.values()) if kwargs else args):
        return fn(*args, **kwargs)
    if world.aborts:
        asking = Asking(vm, only="__index__")
        given, named = asking.stand_in(args), asking.stand_in(kwargs)
        return answering(world, fn, asking.call, (fn, given, named), {})
    return answering(world, fn, fn, args, kwargs)


def answering(world: Any, fn: Any, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``call(*args, **kwargs)``, which stands for ``fn``."""
    try:
        return world.answer(world.called_back, call, args, kwargs)
    except (TypeError, struct.error) as error:  # C that asks for the type itself does not take a stand-in
        for value in _stand_ins((getattr(fn, "__self__", None), *args, *kwargs.values())):
            _refuse_stand_in(fn, value, str(error))
        raise
    except CallbackAborted as aborted:
        raise aborted_call(fn, aborted) from None


def aborted_call(fn: Any, aborted: CallbackAborted) -> Unsupported:
    """The refusal of C that calls Python."""
    shown = getattr(fn, "__qualname__", fn)
    return Unsupported("E119", f"`{shown}` is implemented in C and calls the Python function `{aborted.code.co_qualname}`")


_WANTS_MEMORY = re.compile("^a bytes-like object is required|buffer API")
_WANTS_NUMBER = re.compile("^required argument is not|to Decimal is not supported|^must be real number|type (float|int|bool) is not JSON")
_DEPTH = 3


def _stand_ins(values: Iterable[Any], depth: int = _DEPTH) -> Iterator[Any]:
    """What among the values, and in containers among them, is not what it seems to be."""
    for value in values:
        if type(value) in NATIVE_TYPES:
            yield value
        elif depth and isinstance(value, (tuple, list, dict)):
            yield from _stand_ins(value.values() if isinstance(value, dict) else value, depth - 1)


def _refuse_stand_in(fn: Any, value: Any, reason: str) -> None:
    """Raises ``Unsupported`` where C would have accepted what the value stands for."""
    kind = type(value)
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    if kind is Fence:
        refuse(value)
    if kind is Identity:
        identity.refuse("a value of the program")
    number = is_symbolic(value) or kind is ScalarProxy
    if (number and _WANTS_NUMBER.search(reason)) or (kind in (ArrayProxy, ScalarProxy) and _WANTS_MEMORY.search(reason)):
        raise Unsupported("E104", f"`{name}` is implemented in C and needs a value that is known only when the program runs")


class Judge:
    """Finds the model of a callable, once per callable or type and method; ``arrays(fn)`` knows those of NumPy, or says ``None``."""

    def __init__(self, arrays: Callable[[Any], Model | None]) -> None:
        self._arrays = arrays
        self._functions: dict[Any, Model] = {}
        self._methods: dict[tuple[type, str], Model] = {}

    def __call__(self, fn: Any) -> Model:
        kind = type(fn)
        if kind is Fence:
            return _fenced
        if kind is types.MethodWrapperType:
            return self._named(fn.__objclass__, fn.__name__)
        if isinstance(fn, types.BuiltinFunctionType):  # or its subclass, of methods that know the class that defines them
            owner = fn.__self__
            if owner is not None and type(owner) is not types.ModuleType and not is_function_record(owner):
                return self._named(owner if isinstance(owner, type) else type(owner), fn.__name__)
        elif kind is types.FunctionType:
            return self._python(fn)
        elif not isinstance(fn, type) and kind not in _METHODS:
            return self._instance(fn, kind)
        model = self._functions.get(fn)
        if model is None:
            found = self._arrays(fn) or (_judge_class(fn) if isinstance(fn, type) else _judge(*_function_name(fn)))
            if isinstance(fn, type):
                found = next((model for base in fn.__mro__ if (model := ordered(*_name_of(base), found)) is not found), found)
            elif fn is np.fromiter:
                found = ordered("numpy", "fromiter", found)
            model = self._functions[fn] = sized(fn, found)
        return model

    def _python(self, fn: types.FunctionType) -> Model:
        """A Python function that is not interpreted: npexport's own, or one that a model answers for."""
        model = self._functions.get(fn)
        if model is None:
            name = (fn.__module__, fn.__qualname__)
            refusal = refused.FUNCTIONS.get(name)
            plain = own if fn.__module__.partition(".")[0] == PACKAGE else run
            known = MODELS.get(name) or (plain if refusal is None else _refusing(*name, refusal))
            model = self._functions[fn] = self._arrays(fn) or known
        return model

    def _instance(self, fn: Any, kind: type) -> Model:
        """Any other callable of C: a bound method of a C function, ``functools.partial``, a function of Cython."""
        if kind is types.MethodType:
            return self(fn.__func__)
        model = self._arrays(fn)
        if model is not None:
            return model
        name = None if kind is functools._lru_cache_wrapper else getattr(fn, "__qualname__", None)  # it bears the name of what it wraps
        if isinstance(name, str) and isinstance(getattr(fn, "__module__", None), str):
            return _judge(fn.__module__, name)
        return self._named(kind, "__call__")

    def _named(self, cls: type, name: str) -> Model:
        model = self._methods.get((cls, name))
        if model is None:
            model = self._methods[cls, name] = _judge(*_method_name(cls, name))
        return model


def _fenced(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    """A fenced callable, or a method of C of a fenced object."""
    refuse(fn)


def _name_of(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def _function_name(fn: Any) -> tuple[str, str]:
    owner = getattr(fn, "__objclass__", None)
    if owner is not None:
        return owner.__module__, f"{owner.__qualname__}.{fn.__name__}"
    name = fn.__name__ if is_function_record(getattr(fn, "__self__", None)) else fn.__qualname__
    return getattr(fn, "__module__", None) or "builtins", name


def _method_name(cls: type, name: str) -> tuple[str, str]:
    """The C type that defines a method (of a class or its metaclass), and the method's name; Python classes may override it."""
    meta: type = type(cls)
    owner = next((base for base in cls.__mro__ + meta.__mro__ if type(vars(base).get(name)) in _DEFINITIONS), cls)
    return owner.__module__, f"{owner.__qualname__}.{name}"


def _judge_class(cls: type) -> Model:
    """Calling a class runs the ``__new__`` and ``__init__`` of C that it inherits."""
    found = MODELS.get((cls.__module__, cls.__qualname__))
    if found is not None:
        return found
    makers = (getattr(cls.__new__, "__self__", object), getattr(cls.__init__, "__objclass__", object))  # type: ignore[misc]
    verdicts = [_verdict(maker.__module__, maker.__qualname__) for maker in makers if isinstance(maker, type)]
    return next((model for model in verdicts if model is not run), run)


def _judge(module: str, name: str) -> Model:
    return ordered(module, name, _verdict(module, name))


def _verdict(module: str, name: str) -> Model:
    owner = name.partition(".")[0]
    model = MODELS.get((module, name)) or MODELS.get((module, f"{owner}.*"))
    if model is None and name.endswith(".__hash__"):
        model = MODELS["builtins", "hash"]
    if model is not None:
        return model
    refusal = refused.FUNCTIONS.get((module, name))
    if refusal is not None:
        return _refusing(module, name, refusal)
    if name in _PURE_FUNCTIONS.get(module, ()) or owner in _PURE_TYPES.get(module, ()):
        return run
    if "*" in _PURE_FUNCTIONS.get(module, ()) or "*" in _PURE_TYPES.get(module, ()):
        return run
    if module == "builtins" and owner.endswith(("Error", "Exception", "Exit", "Interrupt", "Iteration", "Warning", "Group")):
        return run
    refusal = refused.FUNCTIONS.get((module, "*"))
    if refusal is not None:
        return _refusing(module, name, refusal)
    return _refusing(module, name, Refusal("E101", "is implemented in C, and nothing is known of what it does"))


def _refusing(module: str, name: str, refusal: Refusal) -> Model:
    shown = name if hasattr(builtins, name.partition(".")[0]) else f"{module}.{name}"

    def refuse(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        raise Unsupported(refusal.code, f"`{shown}` {refusal.what}", hint=refusal.hint)

    return refuse
