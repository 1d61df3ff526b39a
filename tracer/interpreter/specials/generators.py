"""Methods and attributes of the generators that the VM made."""

from __future__ import annotations

import types
from collections.abc import Callable
from types import CoroutineType, FrameType, GeneratorType
from typing import Any

from npexport.tracer.interpreter import attributes, generators, throwing
from npexport.tracer.interpreter.calls import METHODS, Args, Kwargs
from npexport.tracer.interpreter.frame import NULL, Continuation, Machine, Steps
from npexport.tracer.interpreter.native import c_name
from npexport.tracer.interpreter.polyfills import STAND_FOR
from npexport.tracer.interpreter.unwind import synthetic_frame


def _generator_method(tp: type, name: str, run: Callable[..., Any]) -> None:
    def method(vm: Machine, host: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        state = generators.state_of(host)
        if state is None or kwargs:
            return vm.native(getattr(host, name), args, kwargs, then)
        return run(vm, host, state, args, then)

    METHODS[tp, name] = method


def _send(vm: Machine, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if len(args) != 1:
        return vm.native(host.send, args, {}, then)
    return generators.send(vm, state, args[0], then)


def _advance(vm: Machine, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if args:
        return vm.native(host.__next__, args, {}, then)
    return generators.send(vm, state, None, then)


def _throw(vm: Machine, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if state.over() or not 1 <= len(args) <= 3:
        return vm.native(host.throw, args, {}, then)
    return vm.start(_throw_steps(state, args), then)


def _throw_steps(state: Any, args: Args) -> Steps:
    error = yield from throwing.exception_of(args)
    return (yield throwing.Throw(state), (error,))


def _close(vm: Machine, host: Any, state: Any, args: Args, then: Continuation | None) -> Any:
    if state.over() or args:
        return vm.native(host.close, args, {}, then)
    return vm.start(throwing.close_steps(state), then)


_METHODS = frozenset({"send", "throw", "close"})
for _tp in (GeneratorType, CoroutineType):
    for _name, _run in (("send", _send), ("throw", _throw), ("close", _close)):
        _generator_method(_tp, _name, _run)
_generator_method(GeneratorType, "__next__", _advance)


def iterator_of_c(value: Any) -> type | None:
    """The class of the iterator for which an interpreted generator stands, if only one has it."""
    code = generators.code_of(value) if type(value) is GeneratorType else None
    return None if code is None else STAND_FOR.get(code)


def _generator_attribute(vm: Machine, host: Any, name: str, then: Continuation | None) -> Any:
    """``gi_frame`` and its kin refer to the frame of the VM."""
    state = generators.state_of(host)
    if name in _METHODS and state is not None and not state.frame.info.internal:
        return getattr(host, name)
    if type(host) is GeneratorType and name not in ("__iter__", "__next__"):
        real = iterator_of_c(host)
        if real is not None and not any(name in vars(cls) for cls in real.__mro__):
            raise AttributeError(f"'{c_name(real)}' object has no attribute '{name}'", name=name, obj=host)
        vm.world.type_of(host)  # which may not be a generator for the program
    read = _STATE_ATTRIBUTES.get(name.partition("_")[2])
    if state is None and name[2:] == "_code":
        code = getattr(host, name)
        return generators.code_of(host) or code
    if read is None or state is None or name[:3] not in ("gi_", "cr_", "ag_"):
        return getattr(host, name)
    getattr(host, name)  # the attribute of another kind of generator is an AttributeError
    return read(state)


def _frame_object(state: Any) -> FrameType:
    """Nothing keeps the frame object of a suspended generator, which would keep this alive."""
    frame = synthetic_frame(state.frame)
    if not state.running:
        state.frame.real = None
    return frame


def _delegate(state: Any) -> Any:
    delegate = state.delegate()
    return None if delegate is NULL else delegate


_STATE_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "frame": lambda state: None if state.over() else _frame_object(state),
    "running": lambda state: state.running,
    "suspended": lambda state: state.started and not state.running and not state.over(),
    "code": lambda state: state.frame.code,
    "yieldfrom": _delegate,
    "await": _delegate,
}
for _owner in (GeneratorType, CoroutineType, types.AsyncGeneratorType):
    attributes.SPECIAL_GETTERS[_owner] = _generator_attribute
