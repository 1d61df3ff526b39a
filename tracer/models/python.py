"""Models of C callables of Python and its standard library: one function a callable. Those that say something are in :mod:`output`.

A model is called as ``model(world, vm, fn, args, kwargs)``; it may run ``fn``, answer itself, return an ``Invoke``, or refuse.
"""

from __future__ import annotations

import contextvars
import copyreg
import functools
import types
import weakref
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_slice_indices
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.protocols import may_run_python
from npexport.tracer.effects.namespace import Namespace
from npexport.tracer.frames import CallbackAborted, frame_hook
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.polyfills import libraries
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.callbacks import is_modelled
from npexport.tracer.models.identity import Identity, steady
from npexport.tracer.models.lookup import aborted_call, models, run

_GUARDED = (type, types.ModuleType, types.FunctionType)
"""Objects from outside that are written to through the world alone."""


@models("builtins", "type")
def type_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """``type(x)`` of a stand-in is the type that it stands for."""
    if len(args) == 1 and not kwargs:
        return world.type_of(args[0])
    return new_class(world, vm, fn, (fn, *args), kwargs)


@models("builtins", "type.__new__")
def new_class(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """The class belongs to the program from the moment that it exists: ``__init_subclass__`` sees it before the call returns."""
    if len(args) == 4:
        world.making({"__qualname__": args[1], **args[3]}, args[2])
        if world.aborts:
            return _class_of_python(world, args, kwargs)
    return world.made_by(run(world, vm, type.__new__, args, kwargs))


def _class_of_python(world: Any, args: Any, kwargs: Any) -> Any:
    """The class is there when C calls Python's ``__set_name__`` or ``__init_subclass__``: what is to happen then is interpreted."""
    try:
        return world.made_by(world.answer(world.called_back, type.__new__, args, kwargs))
    except CallbackAborted as aborted:
        given = [item for value in aborted.bound.values() for item in (value if type(value) is tuple else (value,))]
        cls = next((item for item in given if isinstance(item, type) and (item.__name__, type(item)) == (args[1], args[0])), None)
        if cls is None or aborted.code.co_name not in ("__set_name__", "__init_subclass__", "_generic_init_subclass"):
            raise aborted_call(type.__new__, aborted) from None
    return Invoke(libraries.class_made, (world.made_by(cls), kwargs))


@models("builtins", "type.__instancecheck__")
def instancecheck(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """``cls.__instancecheck__(x)``: ``isinstance`` knows what stands for what."""
    return Invoke(isinstance, (*args, fn.__self__), kwargs)


@models("builtins", "slice.indices")
def slice_indices(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C would make a dynamic size a number."""
    part = getattr(fn, "__self__", None)
    if type(part) is slice and len(args) == 1 and any(map(is_symbolic, (part.start, part.stop, part.step, *args))):
        return sym_slice_indices(part, args[0])
    return fn(*args, **kwargs)


_REDUCING = ("__getstate__", "__getnewargs__", "__getnewargs_ex__")


@models("builtins", "object.__reduce_ex__")
def reduce_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C asks ``copyreg`` for the slots of the class, once: where the hook cannot answer for that, it finds the answer in the class."""
    obj, rest = _receiver(fn, args)
    cls = type(obj)
    if world.aborts and rest and type(rest[0]) is int and rest[0] > 1:
        reduce = python_method(cls, "__reduce__")
        if reduce is not None:
            return Invoke(reduce, (obj,))
        if any(python_method(cls, name) is not None for name in _REDUCING) and cls.__base__ in (object, dict, list):
            return Invoke(libraries.reduced, (obj,))
    if frame_hook() == "pep523" or "__slotnames__" in vars(cls) or cls in NATIVE_TYPES:
        return run(world, vm, fn, args, kwargs)
    copyreg._slotnames(cls)  # type: ignore[attr-defined]
    try:
        return run(world, vm, fn, args, kwargs)
    finally:
        if "__slotnames__" in vars(cls):
            del cls.__slotnames__


@models("builtins", "function")
def new_function(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """``types.FunctionType(code, globals())`` has the globals themselves: what it reads and writes of them goes through the world."""
    given = [arg.space if type(arg) is Namespace else arg for arg in args]
    return world.made_by(run(world, vm, fn, tuple(given), kwargs))


@models("builtins", "module")
def new_module(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """``types.ModuleType(name)``: its names are the program's own."""
    module = run(world, vm, fn, args, kwargs)
    if fn is types.ModuleType:
        world.made(vars(module))
    return world.made_by(module)


@models("builtins", "len")
def len_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C's ``len`` would make a dynamic size a number."""
    if len(args) == 1 and is_symbolic(args[0]):
        len(python_type(args[0])())  # raises: a number has none
    if len(args) == 1 and type(args[0]) in NATIVE_TYPES and not kwargs:
        return args[0].__len__()
    return fn(*args, **kwargs)


@models("builtins", "bytes", "bytearray", "memoryview")
def buffer_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """C would take a stand-in for an array as a sequence of numbers."""
    if args and type(args[0]) in NATIVE_TYPES and isinstance(args[0], (np.ndarray, np.generic)):
        raise Unsupported("E123", f"{fn.__name__}() touches the bytes of an array")
    return run(world, vm, fn, args, kwargs)


@models("linecache", "checkcache", "getline", "getlines", "lazycache", "updatecache")
def source_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """The lines that tracebacks show are those of the program itself."""
    return fn(*args, **kwargs)


@models("builtins", "vars")
def vars_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    return Invoke(getattr, (args[0], "__dict__"), {}) if len(args) == 1 and not kwargs else Invoke(locals, args, kwargs)


@models("builtins", "dir")
def dir_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """With the names that the program wrote to outside classes, functions and modules."""
    names = run(world, vm, fn, args, kwargs)
    if not world.overlay or len(args) != 1:
        return names
    owners = reversed((args[0], *(args[0].__mro__ if isinstance(args[0], type) else type(args[0]).__mro__)))
    for owner in owners:
        for name, value in world.overlay.names(owner).items():
            names = [known for known in names if known != name] + [name] * (value is not world.overlay.deleted)
    return sorted(names)


@models("builtins", "__import__")
def import_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """A module's own code is not part of the program: the host runs it, once, as an import outside the program would have."""
    return fn(*args, **kwargs)


class _Remembered:
    """The cache of a function where C's cannot be used."""

    def __init__(self, fn: Any) -> None:
        self.hits = self.misses = 0
        self.results: dict[Any, Any] = {}
        self.parameters = fn.cache_parameters()

    def call(self, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
        key = functools._make_key(args, kwargs, self.parameters["typed"])
        if key in self.results:
            self.hits += 1
            self.results[key] = self.results.pop(key)  # the last to be forgotten
            return self.results[key]
        self.misses += 1
        result = vm.run(fn, args, kwargs)
        size = self.parameters["maxsize"]
        if size != 0:
            self.results[key] = result
            if size is not None and len(self.results) > size:
                del self.results[next(iter(self.results))]
        return result


def _remembers(world: Any, fn: Any, *given: Any) -> bool:
    return (world.aborts and not may_run_python(given, {})) or is_modelled(world, fn.__wrapped__)


@models("functools", "_lru_cache_wrapper.__call__")
def cached_call(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """The cache calls from C; where no hook can answer for that, or C must not be called, results are remembered here."""
    if world.aborts and fn.__wrapped__.__module__ == "typing":
        return Invoke(fn.__wrapped__, args, kwargs)  # what is equal there is the same to the program
    if not _remembers(world, fn, *args, *kwargs.values()):
        return run(world, vm, fn, args, kwargs)
    return world.remembered.setdefault(fn, _Remembered(fn)).call(vm, fn.__wrapped__, args, kwargs)


@models("functools", "_lru_cache_wrapper.cache_info")
def cache_info(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    cache, _ = _receiver(fn, args)
    if not _remembers(world, cache):
        return run(world, vm, fn, args, kwargs)
    known = world.remembered.setdefault(cache, _Remembered(cache))
    return functools._CacheInfo(known.hits, known.misses, known.parameters["maxsize"], len(known.results))


@models("functools", "_lru_cache_wrapper.cache_clear")
def cache_clear(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    cache, _ = _receiver(fn, args)
    world.remembered.pop(cache, None)
    return run(world, vm, fn, args, kwargs)


@models("builtins", "id")
def id_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    return Identity(fn(*args, **kwargs))


@models("builtins", "hash")
def hash_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Numbers, and tuples of them, hash alike in every run; nothing else does."""
    value = run(world, vm, fn, args, kwargs) if may_run_python(args, kwargs) else fn(*args, **kwargs)
    receiver, _ = _receiver(fn, args)
    return value if steady(receiver) else Identity(value)


@models("builtins", "setattr")
def setattr_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    if len(args) == 3 and isinstance(args[0], _GUARDED):
        return world.store_attr(*args)
    return fn(*args, **kwargs)


@models("builtins", "delattr")
def delattr_(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    if len(args) == 2 and isinstance(args[0], _GUARDED):
        return world.delete_attr(*args)
    return fn(*args, **kwargs)


@models("builtins", "type.__setattr__", "function.__setattr__", "module.__setattr__", "object.__setattr__")
def setattr_method(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    target, rest = _receiver(fn, args)
    if isinstance(target, _GUARDED) and len(rest) == 2:
        return world.store_attr(target, *rest)
    return fn(*args, **kwargs)


@models("builtins", "type.__delattr__", "function.__delattr__", "module.__delattr__", "object.__delattr__")
def delattr_method(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    target, rest = _receiver(fn, args)
    if isinstance(target, _GUARDED) and len(rest) == 1:
        return world.delete_attr(target, *rest)
    return fn(*args, **kwargs)


def _receiver(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The object of a method call, bound or not, and the other arguments."""
    bound = getattr(fn, "__self__", None)
    return (args[0], args[1:]) if args and (bound is None or type(bound) is types.ModuleType) else (bound, args)


@models("weakref", "ReferenceType.__call__", "ReferenceType.__callback__")
def dereference(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """A reference from outside leads outside, one that the program made to what the program knows."""
    reference = fn if isinstance(fn, weakref.ref) else _receiver(fn, args)[0]
    value = fn(*args, **kwargs)
    return world.enter(value, "a weak reference") if world.shadows.knows(reference) else value


@models("_contextvars", "ContextVar.get")
def context_get(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Exports run in a copy of the context, so that ``set`` has no effect outside; what was set before is entered here."""
    variable, rest = _receiver(fn, args)
    value = variable.get(*rest)
    if variable in contextvars.copy_context():
        outside = world.context.get(variable, world) is value
    else:
        outside = not rest and world.shadows.knows(variable)
    return world.enter(value, f"context variable {variable.name}") if outside else value


@models("_abc", "_abc_register")
def abc_register(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    if not world.is_local(args[0]):
        raise Unsupported("E112", f"the program registers a class with `{args[0].__qualname__}`, which other programs share")
    return fn(*args, **kwargs)


@models("sys", "_getframemodulename")
def frame_module(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    depth = args[0] if args else kwargs.get("depth", 0)
    space = vm.globals_at(depth)
    return None if space is None else space.get("__name__")


@models("re", "_compile")
def compile_pattern(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """Python that keeps a cache for the whole process and runs nothing of the user's."""
    return fn(*args, **kwargs)


@models("importlib.metadata", "entry_points", "version", "distribution")
def installed(world: Any, vm: Any, fn: Any, args: Any, kwargs: Any) -> Any:
    """What is installed is, like the version of Python, a fact of the export."""
    return fn(*args, **kwargs)
