"""Models of C callables of Python and its standard library: one function per callable.

Those that print or warn are in :mod:`output`. A model is called as ``model(world, vm, fn, args,
kwargs)``; it may run ``fn``, return a result of its own, return an ``Invoke``, or refuse.
"""

from __future__ import annotations

import contextvars
import copy
import copyreg
import operator
import types
import weakref
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import ERROR_STATE
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_slice_indices
from npexport.symshapes.symint import SymInt, is_symbolic, python_type
from npexport.tracer.arrays.core import generators
from npexport.tracer.arrays.core.array_iterator import Rows
from npexport.tracer.arrays.core.data_bytes import DataBytes
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.numpy_oracle import raise_for_stand_ins
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy
from npexport.tracer.arrays.core.run_dependent_numbers import Identity, refuse, steady
from npexport.tracer.effects.hashing import hash_of_origin
from npexport.tracer.effects.namespace import Namespace
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.operators import is_one
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.callables.modelled_functions import answer_models
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.polyfills.methods import attributes_of
from npexport.tracer.models.registry import models, receiver

_IDENTIFIED = (ArrayProxy, FilledList)
_GUARDED = (type, types.ModuleType, types.FunctionType)
"""Outside objects that are written to only through the world."""


@models("builtins", "type", pure=True)
def type_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``type(x)`` of a stand-in is the type that it stands for."""
    if len(args) == 1 and not kwargs:
        return world.type_of(args[0])
    return new_class(world, vm, fn, (fn, *args), kwargs)


@models("builtins", "type.__new__")
def new_class(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The class is the program's at once: ``__init_subclass__`` sees it before the call returns."""
    if len(args) == 4:
        world.making({"__qualname__": args[1], **args[3]}, args[2])
    return world.made_by(run(world, vm, type.__new__, args, kwargs))


@models("builtins", "type.__instancecheck__")
def instancecheck(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``cls.__instancecheck__(x)``: ``isinstance`` knows the types of stand-ins."""
    return Invoke(isinstance, (*args, fn.__self__), kwargs)


@models("builtins", "slice.indices")
def slice_indices(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C would make a dynamic size a number."""
    part = getattr(fn, "__self__", None)
    raise_for_stand_ins(slice.indices, (part, *args), kwargs)
    if type(part) is slice and len(args) == 1 and any(map(is_symbolic, (part.start, part.stop, part.step, *args))):
        return sym_slice_indices(part, args[0])
    return run(world, vm, fn, args, kwargs)


@models("builtins", "getset_descriptor.__get__ member_descriptor.__get__", pure=True)
def field(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``np.ndarray.__dict__["shape"].__get__(x)``; the fields of other types refuse an array."""
    descriptor, rest = receiver(fn, args)
    if rest and type(rest[0]) is ArrayProxy:
        if issubclass(np.ndarray, descriptor.__objclass__):
            return Invoke(getattr, (rest[0], descriptor.__name__))
        raise_for_stand_ins(fn, args, kwargs)
    return run(world, vm, fn, args, kwargs)


@models("_operator", "length_hint")
def length_hint(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``operator.length_hint(x)``: the length of an array, or what its iterator has left."""
    given = [0 if type(arg) is SymInt else () if type(arg) in NATIVE_TYPES else arg for arg in args[1:]]
    fn(*[(), *given][: len(args)], **kwargs)  # for its errors
    if type(args[0]) is Rows:
        return args[0].array.shape[0] - args[0].position
    return Invoke(len, args[:1]) if type(args[0]) is ArrayProxy and args[0].ndim else run(world, vm, fn, args, kwargs)


@models("builtins", "object.__repr__")
def plain_text(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``object.__repr__(x)`` names the class and address of an object, as no stand-in has it."""
    obj, _ = receiver(fn, args)
    if type(obj) in NATIVE_TYPES:
        raise Unsupported("E109", f"the text of an object of {world.type_of(obj).__name__} tells where it lies")
    return run(world, vm, fn, args, kwargs)


@models("builtins", "object.__reduce_ex__")
def reduce_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C calls the ``__reduce__`` of the class, or once asks ``copyreg`` for its slots: where it
    cannot, it finds them in the class.
    """
    obj, rest = receiver(fn, args)
    cls = type(obj)
    if generators.is_own_source(obj) and vm.frame is not None and vm.frame.code is copy.deepcopy.__code__:
        return [generators.duplicate(obj)].pop, ()
    if not world.aborts or "__slotnames__" in vars(cls) or cls in NATIVE_TYPES or type(cls).__setattr__ is not type.__setattr__:  # type: ignore[comparison-overlap]
        return run(world, vm, fn, args, kwargs)
    if len(rest) == 1 and not kwargs and python_method(cls, "__reduce__") is not None:
        return Invoke(obj.__reduce__)
    copyreg._slotnames(cls)  # type: ignore[attr-defined]
    try:
        return run(world, vm, fn, args, kwargs)
    finally:
        if "__slotnames__" in vars(cls):
            del cls.__slotnames__


@models("builtins", "function", pure=True)
def new_function(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``types.FunctionType(code, globals())`` has the globals themselves: what it reads and writes
    there goes through the world.
    """
    given = [arg.space if type(arg) is Namespace else arg for arg in args]
    return world.made_by(run(world, vm, fn, tuple(given), kwargs))


@models("builtins", "module", pure=True)
def new_module(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``types.ModuleType(name)``: its names are the program's own."""
    module = run(world, vm, fn, args, kwargs)
    if fn is types.ModuleType:
        world.made(vars(module))
    return world.made_by(module)


@models("builtins", "len", pure=True)
def len_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C's ``len`` would make a dynamic size a number."""
    if len(args) == 1 and is_symbolic(args[0]):
        len(python_type(args[0])())  # raises: a number has none
    if len(args) == 1 and type(args[0]) in NATIVE_TYPES and not kwargs and hasattr(type(args[0]), "__len__"):
        return args[0].__len__()
    return run(world, vm, fn, args, kwargs)


@models("builtins", "bytes", "bytearray", "memoryview", pure=True)
def buffer_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C would treat a stand-in for an array as a sequence of numbers."""
    if fn is bytes and len(args) == 1 and not kwargs:
        if type(args[0]) is DataBytes:
            return args[0]
        if type(args[0]) is ArrayProxy and args[0].ndim and args[0].dtype.kind in "biufc":
            return args[0].tobytes()
    if args and type(args[0]) in NATIVE_TYPES and isinstance(args[0], (np.ndarray, np.generic)):
        raise Unsupported("E123", f"{fn.__name__}() touches the bytes of an array")
    return run(world, vm, fn, args, kwargs)


@models("linecache", "checkcache", "getline", "getlines", "lazycache", "updatecache")
def source_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The source lines in tracebacks are those of the program itself."""
    return fn(*args, **kwargs)


@models("builtins", "vars")
def vars_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    return Invoke(attributes_of, args) if len(args) == 1 and not kwargs else Invoke(locals, args, kwargs)


def _real(value: Any) -> Any:
    """An object with the names of what a stand-in stands for."""
    return python_type(value)() if is_symbolic(value) else value.example_of_type() if isinstance(value, Proxy) else value


@models("builtins", "dir", pure=True)
def dir_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """With the names that the program wrote to outside classes, functions and modules."""
    names = run(world, vm, fn, tuple(map(_real, args)), kwargs)
    if not world.overlay.writes or len(args) != 1:
        return names
    owners = reversed((args[0], *(args[0].__mro__ if isinstance(args[0], type) else type(args[0]).__mro__)))
    for owner in owners:
        for name, value in world.overlay.names(owner).items():
            names = [known for known in names if known != name] + [name] * (value is not world.overlay.deleted)
    return sorted(names)


@models("importlib", "import_module")
@models("builtins", "__import__")
def import_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A module's own code is not part of the program: the host runs it once, as an import outside
    the program would. Its functions may be operators.
    """
    module = fn(*args, **kwargs)
    answer_models()
    return module


@models("builtins", "id")
def id_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Arrays and lists that are one have one ``id``."""
    if kwargs or len(args) != 1:
        return fn(*args, **kwargs)  # raises
    value = args[0]
    number = id(world.shadows.original_of(value))
    world.numbered[id(value)] = value
    if type(value) not in _IDENTIFIED:
        return Identity(number)
    for ref, earlier in world.identified:
        same = False if ref() is None else world.same(value, ref())
        if is_symbolic(same):
            refuse("whether two objects are one")
        if same:
            return Identity(earlier)
    world.identified.append((weakref.ref(value) if type(value) is ArrayProxy else lambda: value, number))
    return Identity(number)


@models("_operator", "is_", "is_not")
def is_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    if kwargs or len(args) != 2:
        return fn(*args, **kwargs)  # raises
    left, right = args
    return is_one(vm, left, right, fn is operator.is_not)


@models("builtins", "hash")
def hash_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Only numbers, and tuples of them, hash alike in every run. Hashes that are told by addresses
    are the originals', as those are that containers and attributes from outside hold.
    """
    bound, others = receiver(fn, args)
    if not others and not kwargs:
        fn, args = hash_of_origin((fn, args), bound, world.shadows.original_of)
    value = run(world, vm, fn, args, kwargs)
    if steady(bound):
        return value
    world.numbered[id(bound)] = bound
    return Identity(value)


@models("builtins", "setattr", pure=True)
@models("builtins", "object.__setattr__", "type.__setattr__")
def setattr_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    given = _with_target(fn, args)
    if not kwargs and len(given) == 3 and _is_guarded(fn, *given[:2]):
        return world.store_attr(*given)
    return run(world, vm, fn, args, kwargs)


@models("builtins", "delattr", pure=True)
@models("builtins", "object.__delattr__", "type.__delattr__")
def delattr_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    given = _with_target(fn, args)
    if not kwargs and len(given) == 2 and _is_guarded(fn, *given):
        return world.delete_attr(*given)
    return run(world, vm, fn, args, kwargs)


def _with_target(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return (fn.__self__, *args) if type(fn) is types.MethodWrapperType else args


def _is_guarded(fn: Any, target: Any, name: Any) -> bool:
    """Whether only the world writes to the object, and C would: ``object.__setattr__`` takes no
    class.
    """
    of = getattr(fn, "__objclass__", None)
    taken = isinstance(name, str) and type(name) not in NATIVE_TYPES and (of is None or isinstance(target, type) is (of is type))
    return taken and isinstance(target, _GUARDED)


@models("builtins", "property.__get__", "property.__set__", "property.__delete__")
def property_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """What a property calls may be C, which writes to what it is given."""
    given = _with_target(fn, args)
    called = {"__get__": "fget", "__set__": "fset", "__delete__": "fdel"}[fn.__name__]
    count = 3 if called == "fset" else 2
    if kwargs or not count <= len(given) <= count + (called == "fget") or type(given[0]) is not property or given[1] is None:
        return run(world, vm, fn, args, kwargs)
    function = getattr(given[0], called)
    return run(world, vm, fn, args, kwargs) if function is None else Invoke(function, given[1:count])


@models("_contextvars", "ContextVar.get")
def context_get(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``set`` has no effect outside the export's context; earlier values are entered here."""
    variable, rest = receiver(fn, args)
    value = variable.get(*rest)
    if variable in contextvars.copy_context():
        outside = world.context.get(variable, world) is value
    else:
        outside = not rest and world.shadows.is_outside(variable)
    return world.enter(value, f"context variable {variable.name}") if outside else value


@models("_contextvars", "ContextVar.set", "ContextVar.reset")
def context_set(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """NumPy's error state is handled by the module that knows the states of the program."""
    variable, rest = receiver(fn, args)
    if variable is not ERROR_STATE or len(rest) != 1 or kwargs:
        return fn(*args, **kwargs)
    return world.errors.set(*rest) if fn.__name__ == "set" else world.errors.reset(*rest)


@models("_abc", "_abc_register")
def abc_register(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    if not world.is_local(args[0]):
        raise Unsupported("E112", f"the program registers a class with `{args[0].__qualname__}`, which other programs share")
    return fn(*args, **kwargs)


@models("sys", "_clear_type_descriptors")
def clear_descriptors(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``dataclass(slots=True)`` asks for it before it makes the class again."""
    if not world.is_local(args[0]):
        raise Unsupported("E112", f"the program changes the class `{args[0].__qualname__}`, which other programs share")
    return fn(*args, **kwargs)


@models("re", "_compile")
def compile_pattern(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Python code that keeps a cache for the whole process and runs nothing of the user's."""
    return fn(*args, **kwargs)


@models("importlib.util", "find_spec")
@models("importlib.metadata", "entry_points", "version", "distribution")
def installed(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Installed packages are facts of the export, like the version of Python."""
    return fn(*args, **kwargs)
