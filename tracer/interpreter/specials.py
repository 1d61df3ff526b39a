"""Builtins that need the VM: they look at frames, or run the user's special methods. One function a builtin, declared with `special`.

Each gets (vm, args, kwargs, then) and answers the value or `PUSHED`. Where nothing of the user's is involved the host's builtin does the work.
"""

from __future__ import annotations

import __future__
import builtins
import operator
import sys
import types
import typing
import warnings
from collections.abc import Callable
from types import CodeType, CoroutineType, FunctionType, GeneratorType
from typing import Any

from npexport.tracer.interpreter import attributes, generators, operators
from npexport.tracer.interpreter.attributes import find, python_method, special_method
from npexport.tracer.interpreter.calls import CALLERS, METHODS, SPECIALS, Args, Kwargs, call_class, enter_code
from npexport.tracer.interpreter.frame import NULL, PUSHED, Continuation, Frame, Steps, handled_exception
from npexport.tracer.interpreter.operators import is_user_type
from npexport.tracer.interpreter.unwind import FrameLocals, is_own, synthetic_frame

Special = Callable[[Any, Args, Kwargs, "Continuation | None"], Any]


def special(*builtin: Any) -> Callable[[Special], Special]:
    """Declares what the VM does in place of builtins."""

    def declare(function: Special) -> Special:
        for one in builtin:
            SPECIALS[one] = function
        return function

    return declare


def steps(builtin: Any, counts: tuple[int, ...]) -> Callable[[Callable[..., Steps]], Callable[..., Steps]]:
    """Declares a builtin as a task of its positional arguments; any other call goes to the host, for its error."""

    def declare(function: Callable[..., Steps]) -> Callable[..., Steps]:
        def run(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
            if kwargs or len(args) not in counts:
                return vm.native(builtin, args, kwargs, then)
            return vm.start(function(*args), then)

        SPECIALS[builtin] = run
        return function

    return declare


def caller(vm: Any) -> Frame:
    """The user's frame that calls a builtin."""
    frame = vm.frame
    while frame.info.internal:
        frame = frame.back
    return frame  # type: ignore[no-any-return]


# -- attributes --------------------------------------------------------------------------------------------------------------------------


class _NoneAfter:
    """The continuation of ``setattr``: whatever the hook returned, the value is ``None``."""

    def __init__(self, outer: Continuation | None) -> None:
        self.outer = outer

    def returned(self, vm: Any, value: Any) -> Any:
        return None

    def raised(self, vm: Any, error: BaseException) -> Any:
        raise error


def _none(value: Any) -> Any:
    return PUSHED if value is PUSHED else None


@special(getattr)
def _getattr(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if kwargs or not 2 <= len(args) <= 3 or not isinstance(args[1], str):
        return vm.native(getattr, args, kwargs, then)
    if len(args) == 2:
        return attributes.get_attribute(vm, args[0], args[1], then)
    return vm.start(_getattr_steps(*args), then)


def _getattr_steps(obj: Any, name: str, default: Any) -> Steps:
    try:
        return (yield getattr, (obj, name))
    except AttributeError:
        return default


@steps(hasattr, (2,))
def _hasattr(obj: Any, name: Any) -> Steps:
    if not isinstance(name, str):
        return hasattr(obj, name)
    try:
        yield getattr, (obj, name)
    except AttributeError:
        return False
    return True


@special(setattr)
def _setattr(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if kwargs or len(args) != 3 or not isinstance(args[1], str):
        return vm.native(setattr, args, kwargs, then)
    return _none(attributes.set_attribute(vm, *args, _NoneAfter(then)))


@special(delattr)
def _delattr(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if kwargs or len(args) != 2 or not isinstance(args[1], str):
        return vm.native(delattr, args, kwargs, then)
    return _none(attributes.delete_attribute(vm, *args, _NoneAfter(then)))


@special(object.__getattribute__)
def _object_getattribute(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """Without ``__getattr__`` and ``__getattribute__``; a property or descriptor still runs."""
    if kwargs or len(args) != 2 or not isinstance(args[1], str):
        return vm.native(object.__getattribute__, args, kwargs, then)
    obj, name = args
    info = vm.types[type(obj)]
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
    """``object.__setattr__`` and its kin: below any hook of the user's, but properties and descriptors still run."""

    def write(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if kwargs or len(args) != count or not isinstance(args[1], str) or isinstance(args[0], type) is not (host.__objclass__ is type):
            return vm.native(host, args, kwargs, then)
        return _none(run(vm, vm.types[type(args[0])], *args, _NoneAfter(then), host))

    SPECIALS[host] = write


for _host in (object.__setattr__, type.__setattr__):
    _writer(_host, 3, attributes.set_plainly)
for _host in (object.__delattr__, type.__delattr__):
    _writer(_host, 2, attributes.delete_plainly)


@special(super)
def _super(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if args or kwargs:
        return vm.native(super, args, kwargs, then)
    frame = caller(vm)
    code = frame.code
    if code.co_argcount == 0:
        raise RuntimeError("super(): no arguments")
    obj = frame.fast[0]
    if type(obj) is types.CellType and code.co_varnames[0] in code.co_cellvars:
        obj = _contents(obj)
    if obj is NULL:
        raise RuntimeError("super(): arg[0] deleted")
    if "__class__" not in code.co_freevars:
        raise RuntimeError("super(): __class__ cell not found")
    cls = _contents(frame.fast[frame.info.first_free + code.co_freevars.index("__class__")])
    if cls is NULL:
        raise RuntimeError("super(): empty __class__ cell")
    return super(cls, obj)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NULL


# -- types -------------------------------------------------------------------------------------------------------------------------------


@special(type)
def _type(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) == 1 and not kwargs:
        return vm.world.type_of(args[0])
    return vm.native(type, args, kwargs, then)


@special(type.__call__)
def _type_call(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if not args or not isinstance(args[0], type):
        return vm.native(type.__call__, args, kwargs, then)
    return call_class(vm, args[0], args[1:], kwargs, then)


def _checker(builtin: Any, hook: str) -> Special:
    def check(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if kwargs or len(args) != 2:
            return vm.native(builtin, args, kwargs, then)
        value, cls = args
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


SPECIALS[isinstance] = _checker(isinstance, "__instancecheck__")
SPECIALS[issubclass] = _checker(issubclass, "__subclasscheck__")


@special(builtins.__build_class__)
def _build_class(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) < 2 or type(args[0]) is not FunctionType:
        return vm.native(builtins.__build_class__, args, kwargs, then)
    return vm.start(_class_steps(vm, args[0], args[1], args[2:], dict(kwargs)), then)


class _Body:
    """A callable of the VM alone: the body of a class, called with its namespace."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function


def _run_body(vm: Any, body: _Body, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    fn = body.function
    closure = vm.world.enter_closure(fn) if vm.tracing else fn.__closure__ or ()
    return enter_code(vm, fn.__code__, fn.__globals__, args[0], closure, then)


CALLERS[_Body] = _run_body


def _class_steps(vm: Any, body: FunctionType, name: str, given: tuple[Any, ...], kwargs: Kwargs) -> Steps:
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
        vm.world.making(namespace)
    cls = yield meta, (name, bases, namespace), kwargs
    if type(cell) is types.CellType and isinstance(cls, type):
        found = _contents(cell)
        if found is NULL:
            raise RuntimeError(f"__class__ not set defining {name!r} as {cls!r}. Was __classcell__ propagated to type.__new__?")
        if found is not cls:
            raise TypeError(f"__class__ set to {found!r} defining {name!r} as {cls!r}")
    if vm.tracing:
        vm.world.made(cls)
    return cls


def _resolved(given: tuple[Any, ...]) -> Steps:
    """The bases after ``__mro_entries__``; the same tuple where there is none."""
    bases: list[Any] = []
    changed = False
    for base in given:
        entries = NULL
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


# -- conversions and protocols -----------------------------------------------------------------------------------------------------------


def _text(builtin: Any, hook: str) -> Special:
    """``str`` and ``repr``: the user's method where there is one; ``object.__str__`` is ``repr``."""

    def convert(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if len(args) == 1 and not kwargs and is_user_type(type(args[0])):
            method = special_method(type(args[0]), hook)
            if method is object.__str__:
                method = special_method(type(args[0]), "__repr__")
            if type(method) is FunctionType:
                return vm.start(_checked_text(method, hook, args[0]), then)
        return vm.native(builtin, args, kwargs, then)

    return convert


def _checked_text(method: Any, hook: str, obj: Any) -> Steps:
    text = yield method, (obj,)
    if not isinstance(text, str):
        raise TypeError(f"{hook} returned non-string (type {type(text).__name__})")
    return text


SPECIALS[str] = _text(str, "__str__")
SPECIALS[repr] = _text(repr, "__repr__")


@special(format)
def _format(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if kwargs or not 1 <= len(args) <= 2 or not is_user_type(type(args[0])) or not isinstance(args[-1] if len(args) == 2 else "", str):
        return vm.native(format, args, kwargs, then)
    method = special_method(type(args[0]), "__format__")
    spec = args[1] if len(args) == 2 else ""
    if type(method) is FunctionType:
        return vm.start(_format_steps(method, args[0], spec), then)
    if method is object.__format__ and not spec:
        return vm.call(str, (args[0],), {}, then)
    return vm.native(format, args, {}, then)


def _format_steps(method: Any, obj: Any, spec: str) -> Steps:
    text = yield method, (obj, spec)
    if not isinstance(text, str):
        raise TypeError(f"__format__ must return a str, not {type(text).__name__}")
    return text


@special(bool)
def _bool(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) != 1 or kwargs:
        return vm.native(bool, args, kwargs, then)
    if args[0] is True or args[0] is False:
        return args[0]
    return operators.truth(vm, args[0], then) if is_user_type(type(args[0])) else vm.native(bool, args, {}, then)


@special(len)
def _len(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) != 1 or kwargs:
        return vm.native(len, args, kwargs, then)
    return operators.length(vm, args[0], then)


@special(iter)
def _iter(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) != 1 or kwargs or not is_user_type(type(args[0])):
        return vm.native(iter, args, kwargs, then)
    return operators.iterate(vm, args[0], then)


@special(next)
def _next(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if kwargs or not 1 <= len(args) <= 2:
        return vm.native(next, args, kwargs, then)
    iterator = args[0]
    tp = type(iterator)
    if tp is GeneratorType and generators.state_of(iterator) is not None:
        request: tuple[Any, ...] = (iterator.__next__, ())
    else:
        method = python_method(tp, "__next__")
        if method is None:
            return vm.native(next, args, {}, then)
        request = (method, (iterator,))
    if len(args) == 1:
        return vm.call(request[0], request[1], {}, then)
    return vm.start(_next_steps(request, args[1]), then)


def _next_steps(request: tuple[Any, ...], default: Any) -> Steps:
    try:
        return (yield request)
    except StopIteration:
        return default


def _operator(builtin: Any, count: int, run: Callable[..., Any]) -> None:
    def operate(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if kwargs or len(args) != count or not (is_user_type(type(args[0])) or is_user_type(type(args[-1]))):
            return vm.native(builtin, args, kwargs, then)
        return run(vm, *args, then)

    SPECIALS[builtin] = operate


for _row in operators.BINARY:
    _operator(_row.host, 2, lambda vm, left, right, then, row=_row: operators.binary(vm, row, left, right, then))
for _symbol, _host in operators.COMPARE.items():
    _operator(_host, 2, lambda vm, left, right, then, symbol=_symbol: operators.compare(vm, symbol, left, right, then))
for _symbol, (_host, _) in operators.UNARY.items():
    _operator(_host, 1, lambda vm, operand, then, symbol=_symbol: operators.unary(vm, symbol, operand, then))
_operator(operator.contains, 2, lambda vm, container, item, then: operators.contains(vm, item, container, then))
_operator(operator.getitem, 2, operators.get_item)
_operator(operator.truth, 1, operators.truth)


# -- frames ------------------------------------------------------------------------------------------------------------------------------


@special(globals)
def _globals(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if args or kwargs:
        return vm.native(globals, args, kwargs, then)
    return vm.world.enter(caller(vm).globals, "globals()") if vm.tracing else caller(vm).globals


def locals_of(frame: Frame) -> Any:
    """What ``locals()`` returns: the namespace of a class or module body (inside a comprehension a copy with its variables), else a new dict."""
    if frame.names is not None and all(value is NULL for value in frame.fast[: frame.info.first_free]):
        return frame.names
    return dict(FrameLocals(frame))


@special(locals)
def _locals(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(locals, args, kwargs, then) if args or kwargs else locals_of(caller(vm))


@special(vars)
def _vars(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(vars, args, kwargs, then) if args or kwargs else locals_of(caller(vm))


@special(dir)
def _dir(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.native(dir, args, kwargs, then) if args or kwargs else sorted(locals_of(caller(vm)))


@special(eval)
def _eval(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return _run_source(vm, eval, "eval", args, kwargs, then)


@special(exec)
def _exec(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return _run_source(vm, exec, "exec", args, kwargs, then)


def _run_source(vm: Any, builtin: Any, mode: str, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    frame = caller(vm)
    kwargs = dict(kwargs)
    closure = kwargs.pop("closure", None)
    source, globals_, names = (*args, None, None, None)[:3]
    globals_ = kwargs.pop("globals", globals_)
    names = kwargs.pop("locals", names)
    if not args or len(args) > 3 or kwargs or globals_ is not None and not isinstance(globals_, dict):
        return vm.native(builtin, args, kwargs, then)
    if globals_ is None:
        globals_ = frame.globals
        names = locals_of(frame) if names is None else names
    else:
        names = globals_ if names is None else names
        if vm.tracing:
            vm.world.made(globals_)  # the program's own dict, or a shadow
    if "__builtins__" not in globals_:
        globals_["__builtins__"] = frame.builtins
    if not isinstance(source, CodeType):
        if isinstance(source, str) and mode == "eval":
            source = source.lstrip(" \t")
        source = compile(source, "<string>", mode, frame.code.co_flags & _FUTURE_FLAGS, True)
    if source.co_freevars and closure is None or closure is not None and len(closure) != len(source.co_freevars):
        return vm.native(builtin, (source, globals_, names), {} if closure is None else {"closure": closure}, then)
    return enter_code(vm, source, globals_, names, closure or (), then)


_FUTURE_FLAGS = sum({getattr(__future__, name).compiler_flag for name in ("barry_as_FLUFL", "generator_stop", "annotations")})


@special(sys._getframe)
def _getframe(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    frames = vm.current_frames()
    depth = args[0] if args else 0
    if kwargs or len(args) > 1 or not isinstance(depth, int) or depth >= len(frames):
        return vm.native(sys._getframe, args, kwargs, then)
    frame = frames[-1 - max(depth, 0)]
    return synthetic_frame(frame)


def _getframemodulename(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    frames = vm.current_frames()
    depth = kwargs.get("depth", args[0] if args else 0)
    if not isinstance(depth, int) or depth >= len(frames):
        return vm.native(sys._getframemodulename, args, kwargs, then)  # type: ignore[attr-defined]
    return frames[-1 - max(depth, 0)].globals.get("__name__")


if hasattr(sys, "_getframemodulename"):
    SPECIALS[sys._getframemodulename] = _getframemodulename


@special(sys.getrecursionlimit)
def _getrecursionlimit(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.recursion_limit or vm.native(sys.getrecursionlimit, args, kwargs, then)


@special(sys.setrecursionlimit)
def _setrecursionlimit(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """The limit is the program's: the host, which needs more frames than the program has, only gets a higher one."""
    if kwargs or len(args) != 1 or type(args[0]) is not int or args[0] < 1 or args[0] > sys.getrecursionlimit():
        vm.native(sys.setrecursionlimit, args, kwargs, None)
    vm.limit_depth(args[0])
    return None


@special(sys.exc_info)
def _exc_info(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    error = handled_exception(vm.frame)
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)


@special(sys.exception)
def _exception(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return handled_exception(vm.frame)


def _in_user_frame(cls: Any) -> None:
    """``TypeVar`` and its kin take ``__module__`` from the frame that calls them: they get one with the user's globals."""

    def make(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        return FunctionType(_CALL, caller(vm).globals)(cls, args, kwargs)

    SPECIALS[cls] = make


_CALL = (lambda fn, args, kwargs: fn(*args, **kwargs)).__code__
for _cls in (typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple):
    if not any(type(_value) is FunctionType for _value in vars(_cls).values()):  # those of CPython 3.11 are Python themselves
        _in_user_frame(_cls)


# -- generators --------------------------------------------------------------------------------------------------------------------------


def _generator_method(tp: type, name: str, run: Callable[..., Any]) -> None:
    def method(vm: Any, host: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        state = generators.state_of(host)
        if state is None or kwargs:
            return vm.native(getattr(host, name), args, kwargs, then)
        return run(vm, host, state, args, then)

    METHODS[tp, name] = method


def _send(vm: Any, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if len(args) != 1:
        return vm.native(host.send, args, {}, then)
    return generators.send(vm, state, args[0], then)


def _advance(vm: Any, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if args:
        return vm.native(host.__next__, args, {}, then)
    return generators.send(vm, state, None, then)


def _throw(vm: Any, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if state.over() or not 1 <= len(args) <= 3:
        return vm.native(host.throw, args, {}, then)
    return vm.start(_throw_steps(state, args), then)


def _throw_steps(state: Any, args: Args) -> Steps:
    error = yield from generators.exception_of(args)
    return (yield generators.Throw(state), (error,))


def _close(vm: Any, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if state.over() or args:
        return vm.native(host.close, args, {}, then)
    return vm.start(generators.close_steps(state), then)


for _tp in (GeneratorType, CoroutineType):
    for _name, _run in (("send", _send), ("throw", _throw), ("close", _close)):
        _generator_method(_tp, _name, _run)
_generator_method(GeneratorType, "__next__", _advance)


def _generator_attribute(vm: Any, host: Any, name: str, then: Continuation | None) -> Any:
    """``gi_frame`` and its kin tell of the VM's frame."""
    read = _STATE_ATTRIBUTES.get(name.partition("_")[2])
    state = generators.state_of(host)
    if read is None or state is None or name[:3] not in ("gi_", "cr_", "ag_"):
        return getattr(host, name)
    getattr(host, name)  # the attribute of another kind of generator is an AttributeError
    return read(state)


def _delegate(state: Any) -> Any:
    delegate = state.delegate()
    return None if delegate is NULL else delegate


_STATE_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "frame": lambda state: None if state.over() else synthetic_frame(state.frame),
    "running": lambda state: state.running,
    "suspended": lambda state: state.started and not state.running and not state.over(),
    "code": lambda state: state.frame.code,
    "yieldfrom": _delegate,
    "await": _delegate,
}
for _tp in (GeneratorType, CoroutineType, types.AsyncGeneratorType):
    attributes.SPECIAL_GETTERS[_tp] = _generator_attribute


def frame_of(real: Any) -> Frame | None:
    """The user's frame that a synthetic frame object stands for."""
    names = real.f_locals
    return names.frame if type(names) is FrameLocals else None


def _frame_attribute(vm: Any, real: Any, name: str, then: Continuation | None) -> Any:
    """A synthetic frame tells of the user's frame."""
    read = _FRAME_ATTRIBUTES.get(name)
    frame = frame_of(real) if read is not None else None
    return getattr(real, name) if frame is None else read(frame, real)  # type: ignore[misc]


def _back(frame: Frame, real: Any) -> Any:
    back = frame.back
    while back is not None and back.info.internal:
        back = back.back
    if back is not None:
        return synthetic_frame(back)
    if frame.generator is not None and not frame.generator.running:
        return None
    host: Any = sys._getframe()
    while host is not None and is_own(host.f_code):
        host = host.f_back
    return host


_FRAME_ATTRIBUTES: dict[str, Callable[[Frame, Any], Any]] = {
    "f_code": lambda frame, real: frame.code,
    "f_lineno": lambda frame, real: frame.info.decoded.positions(frame.code, frame.pc - 1)[0],
    "f_lasti": lambda frame, real: frame.info.decoded.offset(frame.pc - 1),
    "f_back": _back,
}
attributes.SPECIAL_GETTERS[types.FrameType] = _frame_attribute


def _clear_frame(vm: Any, real: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """``frame.clear()`` of a synthetic frame: the user's frame lets go of its variables."""
    frame = frame_of(real)
    if frame is None or args or kwargs:
        return vm.native(real.clear, args, kwargs, then)
    state = frame.generator
    if state is not None and not state.running and not state.over():
        return vm.native(state.host().close, (), {}, then) if not state.started else vm.start(generators.close_steps(state), then)
    if frame.then is not None or frame.back is not None and frame.real is not None:
        raise RuntimeError("cannot clear an executing frame")
    frame.fast = [NULL] * len(frame.fast)
    return None


METHODS[types.FrameType, "clear"] = _clear_frame


@special(warnings.warn)
def _warn(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """The warning is of the user's frame that ``stacklevel`` means. While tracing the world answers."""
    if vm.tracing:
        return vm.native(warnings.warn, args, kwargs, then)
    given = dict(zip(("message", "category", "stacklevel", "source"), args)) | kwargs
    level = given.pop("stacklevel", 1)
    frames = vm.current_frames()
    if set(given) - {"message", "category", "source"} or "message" not in given or type(level) is not int or not 1 <= level <= len(frames):
        return vm.native(warnings.warn, args, kwargs, then)
    frame = frames[-level]
    message, category = given["message"], given.get("category")
    category = type(message) if isinstance(message, Warning) else UserWarning if category is None else category
    if not (isinstance(category, type) and issubclass(category, Warning)):
        return vm.native(warnings.warn, args, kwargs, then)
    line = frame.info.decoded.positions(frame.code, frame.pc - 1)[0] or frame.code.co_firstlineno
    registry = frame.globals.setdefault("__warningregistry__", {})
    module = frame.globals.get("__name__") or "<string>"
    details = (message, category, frame.code.co_filename, line, module, registry, frame.globals, given.get("source"))
    return vm.native(warnings.warn_explicit, details, {}, then)
