"""C callables that call Python back.

If the frame hook answers for Python that C starts, they run as they are. Under the fallback hook,
which cannot, those whose row names a polyfill are interpreted wherever their arguments may lead to
Python, and all others are refused (E119). Under both hooks the polyfill is used where they would
call a C function that the world answers for (``map(np.array, xs)``).
"""

from __future__ import annotations

import _abc
import abc
import functools
import inspect
import sys
import types
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.runtime.operators.called_operators import CalledOperator
from npexport.symshapes.symint import python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.filled_dict import FilledDict
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.effects.thread_context import OWN
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.attributes import python_method, special_method
from npexport.tracer.interpreter.calls import arguments_of_partial
from npexport.tracer.interpreter.frame import NULL, Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES, holds_native
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.containers import compared_keys, data_keys, filled_lists, inner_lists, items
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.iterables import is_iterated
from npexport.tracer.models.iteration.set_order_models import Text
from npexport.tracer.models.polyfills import dicts, lists
from npexport.tracer.models.registry import DECLINED, Feed, Model, models, operands

_CALLED = ("function", "func", "key", "predicate", "mycmp", "repl")
"""The parameters that polyfills call."""

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
"""Callables that do not look at the items that they iterate over."""


def _has_python(value: Any, names: tuple[str, ...]) -> bool:
    return any(python_method(type(value), name) is not None for name in names)


def _leads_to_python(value: Any) -> bool:
    """Whether C code that gets the value may start a Python frame: to call it, to iterate over it,
    to compare its contents.
    """
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


def is_modelled(world: ShadowedWorld, value: Any) -> bool:
    """Whether the world, not C, answers for calls of the value."""
    if type(value) is functools.partial:
        return is_modelled(world, value.func)
    if isinstance(value, CalledOperator) or (world.tracing and getattr(value, "__objclass__", None) in _STOOD_FOR):
        return True  # C checks the type of its first argument, for which there are stand-ins
    function = value.__func__ if type(value) is types.MethodType else value  # which may be Cython's
    if not callable(value) or isinstance(function, types.FunctionType) or type(value) in NATIVE_TYPES:
        return False
    if function is not value:
        return is_modelled(world, function)
    if python_method(type(value), "__call__") is not None:
        return False
    return not (isinstance(value, type) and _is_python_class(value)) and world.tracing and not _is_plain(world.judge(value))


_STOOD_FOR = frozenset({str, list, dict, set, deque})


def _is_plain(model: Any) -> bool:
    return model is run or (isinstance(model, Text) and model.plain is run)


_CALL_IN_TURN = frozenset((polyfills.map_, polyfills.reduce, polyfills.accumulate, polyfills.starmap))
"""Polyfills of C that only calls Python for one item after the other: a call that raises where data
say so leaves the program, which it would not be known to do through C.
"""


def calling(polyfill: Callable[..., Any]) -> Model:
    """The model of C that calls back: it runs, or its polyfill is interpreted instead."""
    signature = inspect.signature(polyfill)
    names = [name for name in signature.parameters if name in _CALLED]
    places = [
        place for place, name in enumerate(signature.parameters) if name in _CALLED and signature.parameters[name].kind in _POSITIONAL
    ]

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
        given = operands(fn, args)
        called = [given[place] for place in places if place < len(given)] + [kwargs[name] for name in names if name in kwargs]
        interpreted = polyfill in _CALL_IN_TURN or (world.aborts and fn is not functools.cmp_to_key)
        back = interpreted and any(map(_leads_to_python, (*given, *kwargs.values())))
        if back or any(is_modelled(world, value) for value in called):
            try:
                signature.bind(*given, **kwargs)
            except TypeError:
                return run(world, vm, fn, args, kwargs)  # C says what is wrong
            return Invoke(polyfill, given, kwargs)
        return run(world, vm, fn, args, kwargs)

    return model


def feeding(feed: Feed) -> Model:
    """The model of a C function that iterates over its arguments: where C cannot call Python, a
    polyfill turns iterables written in Python into lists.
    """
    polyfill, only_first = feed
    keeps = polyfill is polyfills.iterate  # what it is given: C asks iterators in Python itself

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
        last = 1 if only_first else len(args)
        lazily = [place < last and is_iterated(arg) and not (keeps and hasattr(type(arg), "__next__")) for place, arg in enumerate(args)]
        if any(lazy and (world.aborts or _has_positions_only(arg)) for lazy, arg in zip(lazily, args, strict=True)):
            return Invoke(polyfill, (fn, args, kwargs, lazily))
        return run(world, vm, fn, args, kwargs)

    return model


@models("builtins", "iter", pure=True, iterates="items", calls=polyfills.iter_)
def iter_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The C iterator over an object without ``__iter__`` calls its ``__getitem__``."""
    frame = vm.current_frame
    if len(args) == 1 and type(args[0]) in (SymRange, FilledList) and frame.info.decoded.instructions[frame.pc].name == "POP_TOP":
        return iter(())  # nothing sees the iterator: the program only tests whether there is one, as np.iterable does
    return Invoke(polyfills.by_position, args) if len(args) == 1 and _has_positions_only(args[0]) else DECLINED


def _has_positions_only(value: Any) -> bool:
    """Whether an iterator over a value reads one item after the other, up to an ``IndexError``,
    which it catches: of C no handler of the program says so.
    """
    return special_method(type(value), "__iter__") is NULL and python_method(type(value), "__getitem__") is not None


@models("_operator", "getitem")
@models("builtins", "dict.__getitem__")
def item(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C calls ``__missing__``, or a ``defaultdict``'s factory; or else the polyfill does."""
    given = operands(fn, args)
    if len(given) == 2 and type(given[0]) is not list:
        given = data_keys.current(given[0]), given[1]
    if len(given) == 2 and world.captures and inner_lists.is_nested(*given):
        if inner_lists.are_state(world, given[0]):
            return items.list_at(*given)
        args = given = inner_lists.nested(world, given[0]), given[1]
    if len(given) == 2 and world.captures and items.is_read_at_data(*given):
        return items.get(*given)
    if len(given) == 2 and inner_lists.is_long(world, *given):
        args = given = inner_lists.stand_in(world, given[0]), given[1]
    if len(given) == 2 and world.captures and compared_keys.is_compared(*given):
        return compared_keys.get(*given)
    if len(given) == 2 and world.captures and items.is_part_of_data(*given):
        return items.part(*given)
    if len(given) == 2 and type(given[0]) is FilledList:
        args = given = given[0], items.number_of(given[1])
        if python_type(given[1]) is int and given[0].position(given[1]) is None:
            place = items.place_in(*given, "list index out of range")
            return Invoke(lists.getitem, given) if place is None else given[0].at(place)
    if len(given) == 2 and (type(given[0]) is FilledDict or (type(given[0]) is defaultdict and data_keys.is_key_of_data(given[1]))):
        changed = data_keys.changed(world, vm, fn, given[0], "__getitem__", given[1:])
        if changed is not DECLINED:
            return changed
    if len(given) == 2 and issubclass(type(given[0]), np.generic) and holds_native(given[1:]):
        args = given = coercion.known_scalar(given[0]), given[1]
    if len(given) == 2 and data_keys.is_absent(world, *given):
        if type(given[0]) is Counter:
            return 0
        raise KeyError(given[1])
    if len(given) == 2 and isinstance(given[0], dict) and type(given[0]) is not dict:
        polyfill = _of_missing(world, given[0])
        if polyfill is not None and not run(world, vm, dict.__contains__, given, {}):
            return Invoke(polyfill, given)
    return run(world, vm, fn, args, kwargs)


_ASSIGNED = (list, tuple, range, FilledList)
"""The types of what a part of a list that a loop fills may be replaced by."""


@models("_operator", "setitem")
def set_item(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C asks an index for its number."""
    if len(args) == 3 and inner_lists.is_long(world, *args[:2]):
        args = inner_lists.stand_in(world, args[0]), *args[1:]
    if len(args) == 3 and type(args[0]) is FilledList and filled_lists.is_part(*args[:2]) and type(args[2]) in _ASSIGNED:
        return Invoke(lists.assign_part, (args[0], *filled_lists.ends_of(args[1]), args[2]))
    if len(args) == 3 and type(args[0]) is FilledList:
        args = args[0], items.number_of(args[1]), args[2]
        if python_type(args[1]) is int and args[0].position(args[1]) is None:
            place = items.place_in(args[0], args[1], lists.NO_PLACE)
            return Invoke(lists.setitem, args) if place is None else args[0].set(place, args[2])
    if len(args) == 3 and world.captures and items.is_at_data(*args[:2]) and type(args[0]) not in (tuple, str):
        changed = items.set_(*args)
        if changed is not DECLINED:
            return changed
    if len(args) == 3 and (type(args[0]) is FilledDict or data_keys.is_key_of_data(args[1])):
        changed = data_keys.changed(world, vm, fn, args[0], "__setitem__", args[1:])
        if changed is not DECLINED:
            return changed
    return run(world, vm, fn, args, kwargs)


@models("builtins", "list.insert", "list.pop")
def at_place(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """At a place that only the data know."""
    given = operands(fn, args)
    if len(given) < 2 or kwargs or not world.captures or type(given[0]) is not list or not items.is_at_data(*given[:2]):
        return run(world, vm, fn, args, kwargs)
    change = items.insert if fn.__name__ == "insert" else items.pop
    return change(given[0], items.index_of_data(given[1]), *given[2:])


@models("builtins", "dict.get")
def get_(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """For a key that only the data know, among integers."""
    given = operands(fn, args)
    owner = data_keys.current(given[0]) if given else None
    if type(owner) is FilledDict:
        return Invoke(dicts.get, (owner, *given[1:]))
    if len(given) in (2, 3) and not kwargs and world.captures and type(given[0]) is dict and items.is_at_data(*given[:2]):
        return items.get_or(given[0], given[1], given[2] if len(given) == 3 else None)
    if len(given) in (2, 3) and not kwargs and world.captures and compared_keys.is_compared(*given[:2]):
        return compared_keys.get_or(given[0], given[1], given[2] if len(given) == 3 else None)
    if len(given) in (2, 3) and not kwargs and data_keys.is_absent(world, *given[:2]):
        return given[2] if len(given) == 3 else None
    return run(world, vm, fn, args, kwargs)


def _of_missing(world: ShadowedWorld, container: Any) -> Any:
    """What supplies the items that a dict lacks, where C cannot call it."""
    method = special_method(type(container), "__missing__")
    if method is vars(defaultdict)["__missing__"]:
        factory = container.default_factory
        return polyfills.missing if is_modelled(world, factory) or (world.aborts and _leads_to_python(factory)) else None
    return method if world.aborts and type(method) is types.FunctionType else None


_OF_C = ("builtin_function_or_method", "method", "method_descriptor", "wrapper_descriptor", "classmethod_descriptor", "method-wrapper")


@models("functools", "partial.__call__")
@models("builtins", *[f"{kind}.__call__" for kind in _OF_C])
def call_of_callable(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``f.__call__(x)`` is ``f(x)``, also for what the world answers for."""
    if type(fn) is not types.WrapperDescriptorType:  # a method of an object, or an object of a subclass of ``partial``
        args = (fn.__self__ if type(fn) is types.MethodWrapperType else fn, *args)
    if args and isinstance(args[0], functools.partial):
        target = args[0]
        return Invoke(target.func, arguments_of_partial(target, args[1:]), {**target.keywords, **kwargs})
    if not args or type(special_method(type(args[0]), "__call__")) is not types.WrapperDescriptorType:
        return DECLINED
    return Invoke(args[0], args[1:], kwargs)


@models("_contextvars", "Context.run")
def run_in_context(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The program goes on in another context, under both hooks."""
    given = operands(fn, args)
    return given[0].run(vm.run, given[1], given[2:], kwargs) if len(given) > 1 else DECLINED


@models("_contextvars", "Context", pure=True)
def new_context(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """An empty context, but for what the export itself keeps there."""
    made = fn(*args, **kwargs)
    for variable in OWN:
        made.run(variable.set, variable.get())
    return made


@models("operator", "methodcaller.__call__")
def method_caller(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    make, given = fn.__reduce__()
    if type(make) is functools.partial:
        return Invoke(polyfills.call_method, (*args, *make.args, *given), make.keywords)
    return Invoke(polyfills.call_method, (*args, *given), kwargs)


@models("_abc", "_abc_instancecheck", typed=1)
@models("_abc", "_abc_subclasscheck")
def abc_check(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """C calls the methods of ``ABCMeta``, and those call C again: none of it is the program's code
    unless a class defines a hook.
    """
    owner = next(base for base in args[0].__mro__ if "__subclasshook__" in vars(base))
    hooked = owner is not object and owner.__module__.partition(".")[0] not in sys.stdlib_module_names
    is_instance = fn is _abc._abc_instancecheck
    if is_instance and ((world.aborts and hooked) or _tells_its_class(args[1])):
        return Invoke(polyfills.instance_check, args)
    if not hooked:  # by Python that calls nothing but these: protocols of ``typing`` ask which module calls their checks
        check = abc.ABCMeta.__instancecheck__ if is_instance else abc.ABCMeta.__subclasscheck__
        return check(*args, **kwargs)
    if world.aborts:
        registered = [cls for reference in _abc._get_dump(args[0])[0] if (cls := reference()) is not None]
        return Invoke(polyfills.subclass_check, (*args, registered))
    return run(world, vm, fn, args, kwargs)


def _tells_its_class(value: Any) -> bool:
    """Whether ``value.__class__`` runs Python of the program's."""
    return type(value) not in NATIVE_TYPES and type(special_method(type(value), "__class__")) is property
