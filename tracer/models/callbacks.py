"""C callables that call back. Where the frame hook answers for callbacks of Python they run as they are; under the fallback, which cannot,
the common higher-order ones are interpreted as polyfills wherever their arguments may lead to Python. Either way they are polyfills
where they would call C that the world answers for (``map(np.array, xs)``).
"""

from __future__ import annotations

import _abc
import functools
import inspect
import itertools
import operator
import re
import sys
import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from npexport.tracer.frames import SETTRACE, hook
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.polyfills import libraries
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.extremes import choosing
from npexport.tracer.models.fallback import is_iterated
from npexport.tracer.models.lookup import MODELS, models, run
from npexport.tracer.models.orders import Text

POLYFILLS: dict[Any, Callable[..., Any]] = {
    sorted: polyfills.sorted_,
    list.sort: polyfills.sort,
    max: polyfills.max_,
    min: polyfills.min_,
    map: polyfills.map_,
    filter: polyfills.filter_,
    iter: polyfills.iter_,
    reversed: polyfills.reversed_,
    functools.reduce: polyfills.reduce,
    functools.cmp_to_key: polyfills.cmp_to_key,
    itertools.accumulate: polyfills.accumulate,
    itertools.dropwhile: polyfills.dropwhile,
    itertools.filterfalse: polyfills.filterfalse,
    itertools.groupby: polyfills.groupby,
    itertools.starmap: polyfills.starmap,
    itertools.takewhile: polyfills.takewhile,
    operator.contains: polyfills.contains,
    re.Pattern.sub: polyfills.substitute,
}
CONSUMERS = (list, tuple, set, frozenset, sum, any, all, enumerate, zip, str.join, list.extend)
_OVER_THE_FIRST = (sum, enumerate)

_CALLED = ("function", "func", "key", "predicate", "mycmp", "repl")
"""The parameters of polyfills that they call."""

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_COMPARED = ("__lt__", "__gt__", "__eq__")
_BUILTIN_FUNCTIONS = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.NoneType,
)


_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(iter({}.values())))
"""What they go over is not looked at."""


def _name(fn: Any) -> tuple[str, str]:
    owner = getattr(fn, "__objclass__", None)
    return (owner.__module__, fn.__qualname__) if owner else (fn.__module__, fn.__qualname__)


def _has_python(value: Any, names: tuple[str, ...]) -> bool:
    return any(python_method(type(value), name) is not None for name in names)


def _leads_to_python(value: Any) -> bool:
    """Whether C that is handed the value may start a Python frame: to call it, to go over it, to compare what is in it."""
    kind = type(value)
    if kind in NATIVE_TYPES or isinstance(value, _BUILTIN_FUNCTIONS):
        return kind is types.BuiltinFunctionType and isinstance(value.__self__, dict) and _has_python(value.__self__, ("__missing__",))
    if kind in _ITERATORS:
        return True
    if kind in (list, tuple, set, frozenset):
        return any(_has_python(item, _COMPARED) for item in value)
    if isinstance(value, type):
        return _is_python_class(value)
    return callable(value) or is_iterated(value) or _has_python(value, _COMPARED)


def _is_python_class(cls: type) -> bool:
    return any(python_method(cls, name) is not None for name in ("__new__", "__init__")) or type(cls) is not type


def is_modelled(world: Any, value: Any) -> bool:
    """Whether the world, not C, is to answer calls of the value."""
    if type(value) is functools.partial:
        return is_modelled(world, value.func)
    if not callable(value) or isinstance(value, (types.FunctionType, types.MethodType)) or type(value) in NATIVE_TYPES:
        return False
    if python_method(type(value), "__call__") is not None:
        return False
    return not (isinstance(value, type) and _is_python_class(value)) and world.tracing and not _is_plain(world.judge(value))


def _is_plain(model: Any) -> bool:
    return model is run or (isinstance(model, Text) and model.plain is run)


def _register(fn: Any, polyfill: Callable[..., Any]) -> None:
    signature = inspect.signature(polyfill)
    names = [name for name in signature.parameters if name in _CALLED]
    places = [
        place for place, name in enumerate(signature.parameters) if name in _CALLED and signature.parameters[name].kind in _POSITIONAL
    ]

    @models(*_name(fn))
    def model(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
        receiver = getattr(fn, "__self__", None)
        given = args if receiver is None or type(receiver) is types.ModuleType else (receiver, *args)
        called = [given[place] for place in places if place < len(given)] + [kwargs[name] for name in names if name in kwargs]
        back = hook().name == SETTRACE and any(map(_leads_to_python, (*given, *kwargs.values())))
        if back or any(is_modelled(world, value) for value in called):
            try:
                signature.bind(*given, **kwargs)
            except TypeError:
                return run(world, vm, fn, args, kwargs)  # C says what is wrong
            return Invoke(polyfill, given, kwargs)
        return run(world, vm, fn, args, kwargs)


def _register_consumer(fn: Any) -> None:
    @models(*_name(fn))
    def model(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
        last = 1 if fn in _OVER_THE_FIRST else len(args)
        lazily = [place < last and is_iterated(arg) for place, arg in enumerate(args)]
        if hook().name == SETTRACE and any(lazily):
            return Invoke(polyfills.consume, (fn, args, kwargs, lazily))
        return run(world, vm, fn, args, kwargs)


for _fn, _polyfill in POLYFILLS.items():
    _register(_fn, _polyfill)
for _fn in CONSUMERS:
    _register_consumer(_fn)
for _fn in max, min:
    MODELS[_name(_fn)] = choosing(MODELS[_name(_fn)])


@models("_operator", "getitem")
def item(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C calls the factory of a ``defaultdict``: the program does where C may not."""
    if len(args) == 2 and isinstance(args[0], defaultdict) and type(args[0]).__missing__ is defaultdict.__missing__:
        factory = args[0].default_factory
        called = is_modelled(world, factory) or (hook().name == SETTRACE and _leads_to_python(factory))
        if called and not run(world, vm, operator.contains, args, {}):
            return Invoke(polyfills.missing, args)
    return run(world, vm, fn, args, kwargs)


@models("operator", "methodcaller.__call__")
def method_caller(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    make, given = fn.__reduce__()
    if type(make) is functools.partial:
        return Invoke(polyfills.call_method, (*args, *make.args, *given), make.keywords)
    return Invoke(polyfills.call_method, (*args, *given), kwargs)


@models("_abc", "_abc_instancecheck", "_abc_subclasscheck")
def abc_check(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C calls the methods of ``ABCMeta``, and those C again: nothing in it is the program's unless a class has a hook of its own."""
    owner = next(base for base in args[0].__mro__ if "__subclasshook__" in vars(base))
    if world.aborts and fn is _abc._abc_instancecheck:
        return Invoke(polyfills.instance_check, args)
    if world.aborts and owner is not object and owner.__module__.partition(".")[0] not in sys.stdlib_module_names:
        registered = [cls for reference in _abc._get_dump(args[0])[0] if (cls := reference()) is not None]
        return Invoke(libraries.subclass_check, (*args, registered))
    if owner is object or owner.__module__.partition(".")[0] in sys.stdlib_module_names:
        return fn(*args, **kwargs)
    return run(world, vm, fn, args, kwargs)
