"""Calls of functions, methods, classes and callable objects, each of which pushes a frame where
Python runs.

`CALLERS` has one row per type.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE, PLACEHOLDER
from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.attributes import bind_special, entered, python_method
from npexport.tracer.interpreter.binding import bind
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import NULL, PUSHED, Continuation, ForeignHook, Frame, Machine, Steps
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import CodeInfo, code_info

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
Caller = Callable[[Any, Any, Args, Kwargs, "Continuation | None"], Any]

SPECIALS: dict[Any, Callable[[Any, Args, Kwargs, Continuation | None], Any]] = {}
"""Builtins that need the VM (``super()``, ``getattr`` ...): builtin -> function of (vm, args,
kwargs, then). `specials` fills it.
"""


def call_function(vm: Machine, fn: FunctionType, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    info = code_info(fn.__code__)
    if info.host:
        return vm.native(fn, args, kwargs, then)
    return enter_function(vm, fn, info, bind(vm, fn, info, args, kwargs), then)


def enter_function(vm: Machine, fn: Any, info: CodeInfo, fast: list[Any], then: Continuation | None) -> Any:
    """Start a function with its arguments in the slots: push its frame, or make its generator."""
    closure = vm.world.enter_closure(fn) if vm.tracing else fn.__closure__
    if closure:
        fast += closure
    code = fn.__code__
    if vm.world.inlining is not None and vm.world.inlining.changes:
        code = vm.world.inlining.entered(code, fast)
        info = code_info(code)
    if info.frameless is not None:
        return _without_frame(vm, fn, info, code, fast, then)
    frame = Frame(info, code, fast, fn.__globals__, fn.__builtins__)
    if not info.flags & inspect.CO_OPTIMIZED:
        frame.names = fn.__globals__  # a function made of a module's code
    if info.is_generator:
        return generators.make(vm, frame, fn.__name__, fn.__qualname__)
    return vm.push(frame, then)


def _without_frame(vm: Machine, fn: Any, info: CodeInfo, code: CodeType, fast: list[Any], then: Continuation | None) -> Any:
    """Run what needs no frame, unless somebody would look at the frame, or a limit is near."""
    if vm.on_step is not None or code is vm.watched or vm.depth >= vm.depth_limit or vm.steps < 1 or (vm.tracing and vm.world.asks):
        return vm.push(Frame(info, code, fast, fn.__globals__, fn.__builtins__), then)
    value = info.frameless(vm, fn, code, fast, then)  # type: ignore[misc]
    if value is not PUSHED:
        vm.steps -= 1
        fast.reverse()  # a list drops its last item first
    return value


def enter_plain(vm: Machine, fn: Any, args: list[Any]) -> Any:
    """A call that needs no binding: its value, or `PUSHED`; `NULL` if it is none."""
    code = fn.__code__
    info = code_info(code)
    if not info.plain or len(args) != info.argcount:
        return NULL
    if vm.tracing and (info.host or (vm.world.inlining is not None and vm.world.inlining.changes)):
        return NULL
    args += info.blank
    closure = vm.world.enter_closure(fn) if vm.tracing else fn.__closure__
    if closure:
        args += closure
    if info.frameless is not None:
        return _without_frame(vm, fn, info, code, args, None)
    return vm.push(Frame(info, code, args, fn.__globals__, fn.__builtins__), None)


def enter_code(vm: Machine, code: CodeType, globals_: dict[str, Any], names: Any, closure: Args, then: Continuation | None) -> Any:
    """Run the code of a module, a class body or ``exec`` in the namespace ``names``."""
    info = code_info(code)
    builtins = globals_.get("__builtins__", __builtins__)
    if isinstance(builtins, types.ModuleType):
        builtins = builtins.__dict__
    fast = [NULL] * info.first_free + list(closure)
    frame = Frame(info, code, fast, globals_, builtins)
    frame.names = names
    return generators.make(vm, frame, code.co_name, code.co_qualname) if info.is_generator else vm.push(frame, then)


def call_method(vm: Machine, method: MethodType, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if type(method.__self__) in NATIVE_TYPES:
        return vm.native(method, args, kwargs, then)
    return vm.call(method.__func__, (method.__self__, *args), kwargs, then)


def call_builtin(vm: Machine, fn: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    special = SPECIALS.get(fn)
    if special is not None:
        return special(vm, args, kwargs, then)
    owner = getattr(fn, "__self__", None)
    if owner is not None:
        method = METHODS.get((type(owner), fn.__name__))
        if method is not None:
            return method(vm, owner, args, kwargs, then)
        if type(fn) is types.MethodWrapperType:  # object.__setattr__ of an object: super().__setattr__(...)
            special = SPECIALS.get(fn.__objclass__.__dict__.get(fn.__name__))
            if special is not None:
                return special(vm, (owner, *args), kwargs, then)
    return vm.native(fn, args, kwargs, then)


METHODS: dict[tuple[type, str], Callable[[Any, Any, Args, Kwargs, Continuation | None], Any]] = {}
"""Methods of builtin objects that need the VM: (type of self, name) -> function of (vm, self, args,
kwargs, then)."""


def call_partial(vm: Machine, partial: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.call(partial.func, arguments_of_partial(partial, args), {**partial.keywords, **kwargs}, then)


def arguments_of_partial(partial: Any, args: Args) -> Args:
    """The positional arguments of a call: the first ones stand in the places that it left open."""
    places = sum(arg is PLACEHOLDER for arg in partial.args)
    if len(args) < places:
        raise TypeError(f"missing positional arguments in 'partial' call; expected at least {places}, got {len(args)}")
    given = iter(args)
    return (*[next(given) if arg is PLACEHOLDER else arg for arg in partial.args], *given)


def call_hook(vm: Machine, hook: ForeignHook, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """Call what the class of the first argument holds, as CPython does."""
    method = entered(vm, type(args[0]).__mro__, hook.name, hook.method) if vm.tracing else hook.method
    bound, leading = bind_special(method, args[0])
    return vm.call(bound, (*leading, *args[1:]), kwargs, then)


def call_static(vm: Machine, method: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.call(method.__func__, args, kwargs, then)


def call_object(vm: Machine, obj: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """Call an object without a row: a class with a metaclass, or one with ``__call__``."""
    tp = type(obj)
    if not tp.__flags__ & HEAP_TYPE or tp in NATIVE_TYPES:
        return call_builtin(vm, obj, args, kwargs, then) if tp.__hash__ is object.__hash__ else vm.native(obj, args, kwargs, then)  # type: ignore[comparison-overlap]
    if id(obj) in vm.world.modelled:
        return vm.native(obj, args, kwargs, then)
    method = find(tp.__mro__, "__call__")
    if type(method) is FunctionType:
        return vm.call(method, (obj, *args), kwargs, then)
    if method is type.__dict__["__call__"]:
        return call_class(vm, obj, args, kwargs, then)
    if method is NULL or type(method) is types.WrapperDescriptorType:
        return vm.native(obj, args, kwargs, then)
    fn, leading = bind_special(method, obj)
    return vm.call(fn, leading + args, kwargs, then)


# -- classes


class _Initialised:
    """The continuation of ``__init__``: the value of the call is the new object.

    Like C, it keeps the arguments alive until then.
    """

    __slots__ = ("args", "obj", "outer")

    def __init__(self, obj: Any, args: Args, outer: Continuation | None) -> None:
        self.obj = obj
        self.args = args
        self.outer = outer

    def returned(self, vm: Machine, value: Any) -> Any:
        if value is not None:
            raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
        return self.obj

    def raised(self, vm: Machine, error: BaseException) -> Any:
        raise error


_OBJECT_NEW = object.__new__


def call_class(vm: Machine, cls: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """``type.__call__``: ``__new__``, then ``__init__``."""
    special = SPECIALS.get(cls)
    if special is not None:
        return special(vm, args, kwargs, then)
    if not cls.__flags__ & HEAP_TYPE or cls in NATIVE_TYPES:
        return vm.native(cls, args, kwargs, then)
    mro = cls.__mro__
    vm.world.require_makeable(cls)
    new, init = find(mro, "__new__"), find(mro, "__init__")
    if type(new) is staticmethod:
        new = new.__func__
    if type(new) is FunctionType:
        return vm.start(instantiate(cls, new, args, kwargs), then)
    if type(init) is not FunctionType:
        if python_method(type(cls), "__call__") is not None and type not in mro:
            return vm.start(instantiate(cls, new, args, kwargs), then)  # the host would ask the metaclass again
        return vm.native(cls, with_module(vm, args) if type in mro else args, kwargs, then)
    if new is _OBJECT_NEW:
        obj = _OBJECT_NEW(cls)
        vm_then = _Initialised(obj, args, then)
        return _finish(vm, vm_then, vm.call(init, (obj, *args), kwargs, vm_then))
    return vm.start(instantiate(cls, new, args, kwargs), then)


def with_module(vm: Machine, args: Args) -> Args:
    """The arguments of ``type(name, bases, namespace)`` with the ``__module__`` that CPython takes
    from the calling frame.
    """
    namespace = args[-1] if len(args) >= 3 else None
    if not isinstance(namespace, dict) or "__module__" in namespace or vm.frame is None:
        return args
    module = vm.frame.globals.get("__name__")
    return args if module is None else (*args[:-1], {**namespace, "__module__": module})


def _finish(vm: Machine, then: _Initialised, value: Any) -> Any:
    """The result of an ``__init__``; a generator or coroutine function returns at once."""
    return value if value is PUSHED else then.returned(vm, value)


def instantiate(cls: type, new: Any, args: Args, kwargs: Kwargs) -> Steps:
    obj = yield (new, (cls, *args), kwargs)
    if cls not in type(obj).__mro__:
        return obj
    init = find(type(obj).__mro__, "__init__")
    if init is object.__init__ and (python_method(type(obj), "__new__") is not None or not (args or kwargs)):
        return obj
    fn, leading = bind_special(init, obj)
    value = yield (fn, leading + args, kwargs)
    if value is not None:
        raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
    return obj


CALLERS: dict[type, Caller] = {
    FunctionType: call_function,
    MethodType: call_method,
    type: call_class,
    types.BuiltinFunctionType: call_builtin,
    types.MethodWrapperType: call_builtin,
    types.WrapperDescriptorType: call_builtin,
    types.MethodDescriptorType: call_builtin,
    types.ClassMethodDescriptorType: call_builtin,
    functools.partial: call_partial,
    ForeignHook: call_hook,
    staticmethod: call_static,
    generators.Collect: lambda vm, collect, args, kwargs, then: generators.collect(vm, collect, then),
    generators.Resume: lambda vm, again, args, kwargs, then: generators.resume(vm, again.state, args[0], args[1], then, again.on_return),
}
