"""Looks up the meaning of a C callable by its row: modelled by a function, refused with a code, run
as it is, or unknown.

Order: a model of that name or of the methods of its type, a refusal of that name, a row that says
pure, a refusal of the whole module.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from npexport.tracer.effects.fence import Fence, refuse
from npexport.tracer.effects.policy import is_function_record
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.frames.frame_ownership import PACKAGE
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.program import unanswered
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models import registry
from npexport.tracer.models.callables import callbacks, refused
from npexport.tracer.models.host_calls import RUN, own, run, run_on_numbers
from npexport.tracer.models.iteration.set_order_models import ordered
from npexport.tracer.models.numbers.sizes import NUMBERS, method_of_number, sized
from npexport.tracer.models.registry import DECLINED, Model, Refusal

registry.fill()
_DEFINITIONS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
    staticmethod,
)
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType)


class CallableResolver:
    """Finds the model of a callable, once per callable or type and method; ``arrays(fn)`` gives the
    models of NumPy's callables, or ``None``.
    """

    def __init__(self, arrays: Callable[[Any], Model | None]) -> None:
        self.arrays = arrays
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
            name = _name_of(fn) if isinstance(fn, type) else _function_name(fn)
            found = self.arrays(fn) or (_judge_class(fn) if isinstance(fn, type) else _verdict(*name))
            bases = map(_name_of, fn.__mro__) if isinstance(fn, type) else (name,)
            found = next((model for base in bases if (model := ordered(*base, found)) is not found), found)
            model = self._functions[fn] = sized(fn, registry.row(*name), found)
        return model

    def _python(self, fn: types.FunctionType) -> Model:
        """A Python function that is not interpreted: npexport's own, or one that has a model."""
        model = self._functions.get(fn)
        if model is None:
            name = (fn.__module__, fn.__qualname__)
            row = registry.row(*name)
            plain = own if fn.__module__.partition(".")[0] == PACKAGE else interpreting(fn)
            known = row.model or (plain if row.refused is None else _refusing(*name, row.refused))
            model = self._functions[fn] = self.arrays(fn) or known
        return model

    def _instance(self, fn: Any, kind: type) -> Model:
        """Any other C callable: a bound C method, ``functools.partial``, a Cython function."""
        if kind is types.MethodType:
            return self(fn.__func__)
        model = self.arrays(fn)
        if model is not None:
            return model
        name = None if kind is functools._lru_cache_wrapper else getattr(fn, "__qualname__", None)  # it bears the name of what it wraps
        if isinstance(name, str) and isinstance(getattr(fn, "__module__", None), str):
            return _judge(fn.__module__, name)
        return self._named(kind, "__call__")

    def _named(self, cls: type, name: str) -> Model:
        model = self._methods.get((cls, name))
        if model is None:
            found = _judge(*_method_name(cls, name))
            has = cls in NUMBERS and name != "__call__"  # a number that is called is an error of C
            model = self._methods[cls, name] = method_of_number(found) if has else found
        return model


def interpreting(fn: types.FunctionType) -> Model:
    """The model of a function that shares its code with one that has a model, as all functions do
    that one decorator wraps.
    """
    twin = unanswered(fn)

    def interpret(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
        return Invoke(twin, (fn.__self__, *args) if type(fn) is types.MethodType else args, kwargs)

    return interpret


def _fenced(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
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
    """The C type that defines a method (of a class or its metaclass), and the method's name; Python
    classes may override it.
    """
    meta: type = type(cls)
    owner = next((base for base in cls.__mro__ + meta.__mro__ if type(vars(base).get(name)) in _DEFINITIONS), cls)
    return owner.__module__, f"{owner.__qualname__}.{name}"


def _judge_class(cls: type) -> Model:
    """Calling a class runs the C ``__new__`` and ``__init__`` that it inherits."""
    found = _model(*_name_of(cls))
    if found is not None:
        return found
    verdicts = [_verdict(*_maker(method)) for method in (cls.__new__, cls.__init__) if type(method) is not types.FunctionType]  # type: ignore[misc]
    verdicts.sort(key=lambda model: not hasattr(model, "refusal"))  # a metaclass of C inherits a maker that has a model
    return next((model for model in verdicts if model not in RUN), run_on_numbers if run_on_numbers in verdicts else run)


def _maker(method: Any) -> tuple[str, str]:
    """The C type that makes objects or sets them up; a method of compiled code itself."""
    owner = getattr(method, "__self__", None) or getattr(method, "__objclass__", None)
    return _name_of(owner) if isinstance(owner, type) else (method.__module__, method.__qualname__)


def _judge(module: str, name: str) -> Model:
    return ordered(module, name, _verdict(module, name))


def _model(module: str, name: str) -> Model | None:
    """The model of a row: the function that it names; for calls that this declines, the model of C
    code that calls back or iterates, or else C itself.
    """
    row = registry.row(module, name)
    back = callbacks.calling(row.calls) if row.calls else callbacks.feeding(row.feeds) if row.feeds else None
    return back if row.model is None else _else(row.model, back or run)


def _else(first: Model, rest: Model) -> Model:
    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = first(world, vm, fn, args, kwargs)
        return rest(world, vm, fn, args, kwargs) if result is DECLINED else result

    return model


def _verdict(module: str, name: str) -> Model:
    owner = name.partition(".")[0]
    model = _model(module, name) or _model(module, f"{owner}.*")
    if model is None and name.endswith(".__hash__"):
        model = _model("builtins", "hash")
    if model is not None:
        return model
    refusal = registry.row(module, name).refused
    if refusal is None:
        if registry.said(module, name, "pure"):
            return run if registry.said(module, name, "asks") is False else run_on_numbers
        if module == "builtins" and owner.endswith(("Error", "Exception", "Exit", "Interrupt", "Iteration", "Warning", "Group")):
            return run
        refusal = registry.row(module, "*").refused
    return _refusing(module, name, refusal or Refusal("E101", "is implemented in C, and nothing is known of what it does"))


def _refusing(module: str, name: str, refusal: Refusal) -> Model:
    name = name.removesuffix(".__new__").removesuffix(".__init__")
    cls = getattr(sys.modules.get(module), name, None)
    shown = name if hasattr(builtins, name.partition(".")[0]) else f"{cls.__module__ if isinstance(cls, type) else module}.{name}"

    def refuse(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        raise refused.error(shown, refusal)

    refuse.refusal = refusal  # type: ignore[attr-defined]
    return refuse
