"""Generators, coroutines and asynchronous generators."""

from __future__ import annotations

import inspect
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

from npexport.tracer.bytecode.host import NOT_AWAITABLE
from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.attributes import python_method, special_method
from npexport.tracer.interpreter.flow_graph import is_read
from npexport.tracer.interpreter.frame import NOTHING, NULL, PUSHED, SEND, Frame, Machine, Steps
from npexport.tracer.interpreter.generators import AsyncValue
from npexport.tracer.interpreter.handlers.control import jump
from npexport.tracer.interpreter.inlining import Body
from npexport.tracer.interpreter.operators import BUILTIN_ITERATORS
from npexport.tracer.interpreter.program import handler
from npexport.tracer.interpreter.unwind import strip_traceback


@handler("YIELD_VALUE", "pop; suspend the frame (argument: whether it delegates to the iterator below)", examines=0)
def yield_value(vm: Machine, frame: Frame, delegates: bool) -> bool:
    """A generator that delegates yields at once, so that chains of them cost nothing."""
    value = frame.stack.pop()
    first = frame
    while True:
        then, back = frame.then, frame.back
        if type(then) is generators.Drain and (then.takes is None or then.takes(value)):  # it would resume the frame at once
            then.items.append(value)
            frame.stack.append(None)
            return frame is not first
        generators.suspend(vm, frame)
        if then is not None:
            vm.give(value, then)
            return True
        run, delegates = back.ops[back.pc]  # type: ignore[union-attr]
        if run is not yield_value or not delegates:
            back.stack.append(value)  # type: ignore[union-attr]
            return True
        back.pc += 1  # type: ignore[union-attr]
        frame = back  # type: ignore[assignment]


@handler("ASYNC_GEN_WRAP", "mark the top as a value of an asynchronous generator", examines=0)
def async_gen_wrap(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack[-1] = AsyncValue(frame.stack[-1])


@handler(
    "SEND", "resume the iterator below the top; push what it yields; when it returns, put its value in both's place and jump", examines=0
)
def send(vm: Machine, frame: Frame, target: int) -> Any:
    """If the receiver delegates in turn, go on with its SEND at once."""
    first = frame
    while True:
        stack = frame.stack
        value = stack.pop()
        receiver = stack[-1]
        if type(receiver) not in (GeneratorType, CoroutineType):
            break
        state = generators.state_of(receiver)
        if state is None or state.finished or (not state.started and state.over()):
            break
        generators.resume(vm, state, value, None, None, SEND)
        frame = state.frame
        run, start = frame.ops[frame.pc]
        if run is not jump or frame.ops[start][0] is not send:
            return True
        target = frame.ops[start][1]
        frame.pc = start + 1
    if value is None and type(receiver) in BUILTIN_ITERATORS:
        item = next(receiver, NULL)
        if item is NULL:
            stack[-1] = None
            frame.pc = target
        else:
            stack.append(item)
        return frame is not first
    return vm.start(_send_steps(frame, receiver, value, target), None) is PUSHED or frame is not first


def _send_steps(frame: Frame, receiver: Any, value: Any, target: int) -> Steps:
    try:
        if value is None and special_method(type(receiver), "__next__") is not NULL:
            yielded = yield next, (receiver,)
        else:
            yielded = yield (yield getattr, (receiver, "send")), (value,)
    except StopIteration as stop:
        result = stop.value
    else:
        frame.stack.append(yielded)
        return NOTHING
    frame.stack[-1] = result
    frame.pc = target
    return NOTHING


@handler("END_SEND", "drop the second from the top", examines=0)
def end_send(vm: Machine, frame: Frame, arg: Any) -> None:
    del frame.stack[-2]


@handler("CLEANUP_THROW", "turn a StopIteration that came out of throw() into its value, else raise again", examines=0)
def cleanup_throw(vm: Machine, frame: Frame, arg: Any) -> Any:
    stack = frame.stack
    error = stack[-1]
    if isinstance(error, StopIteration):
        del stack[-3:]
        stack += [None, error.value]
        return None
    vm.throw(error, again=True)
    return True


@handler("GET_YIELD_FROM_ITER", "replace the top by what `yield from` iterates", examines=1)
def get_yield_from_iter(vm: Machine, frame: Frame, arg: Any) -> Any:
    value = frame.stack[-1]
    if type(value) is CoroutineType:
        if not frame.info.flags & (inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE):
            raise TypeError("cannot 'yield from' a coroutine object in a non-coroutine generator")
        return None
    if type(value) is GeneratorType:
        return None
    frame.stack.pop()
    return frame.receive(vm.call(iter, (value,), {}, None))


@handler("GET_AWAITABLE", "replace the top by the iterator of an awaitable", examines=1, effect=(1, 1))
def get_awaitable(vm: Machine, frame: Frame, context: int) -> Any:
    value = frame.stack.pop()
    if type(value) is CoroutineType:
        if _awaited(value):
            raise RuntimeError("coroutine is being awaited already")
        frame.stack.append(value)
        return None
    if type(value) is GeneratorType and _is_iterable_coroutine(value):
        frame.stack.append(value)
        return None
    return frame.receive(vm.start(_await_steps(value, context), None))


def _awaited(coroutine: Any) -> bool:
    state = generators.state_of(coroutine)
    return coroutine.cr_await is not None if state is None else state.delegate() is not NULL


def _is_iterable_coroutine(generator: Any) -> bool:
    state = generators.state_of(generator)
    flags = generator.gi_code.co_flags if state is None else state.frame.info.flags
    return bool(flags & inspect.CO_ITERABLE_COROUTINE)


_CONTEXTS = {1: "__aenter__", 2: "__aexit__"}


def _await_steps(value: Any, context: int) -> Steps:
    tp = type(value)
    method = special_method(tp, "__await__")
    if method is NULL:
        if context in _CONTEXTS:
            raise TypeError(f"'async with' received an object from {_CONTEXTS[context]} that does not implement __await__: {tp.__name__}")
        raise TypeError(NOT_AWAITABLE.format(tp.__name__))
    if python_method(tp, "__await__") is None:
        iterator = yield tp.__await__, (value,)
    else:
        iterator = yield method, (value,)
    if type(iterator) is CoroutineType or type(iterator) is GeneratorType and _is_iterable_coroutine(iterator):
        raise TypeError("__await__() returned a coroutine")
    if special_method(type(iterator), "__next__") is NULL:
        raise TypeError(f"__await__() returned non-iterator of type '{type(iterator).__name__}'")
    return iterator


@handler("GET_AITER", "replace the top by its asynchronous iterator", examines=1)
def get_aiter(vm: Machine, frame: Frame, arg: Any) -> Any:
    return frame.receive(vm.start(_aiter_steps(frame.stack.pop()), None))


def _aiter_steps(value: Any) -> Steps:
    tp = type(value)
    if special_method(tp, "__aiter__") is NULL:
        raise TypeError(f"'async for' requires an object with __aiter__ method, got {tp.__name__}")
    iterator = yield tp.__aiter__, (value,)
    if special_method(type(iterator), "__anext__") is NULL:
        raise TypeError(f"'async for' received an object from __aiter__ that does not implement __anext__: {type(iterator).__name__}")
    return iterator


@handler("GET_ANEXT", "push the awaitable of the next item", examines=0)
def get_anext(vm: Machine, frame: Frame, arg: Any) -> Any:
    return frame.receive(vm.start(_anext_steps(frame.stack[-1]), None))


def _anext_steps(iterator: Any) -> Steps:
    tp = type(iterator)
    if tp is AsyncGeneratorType:
        return iterator.__anext__()
    if special_method(tp, "__anext__") is NULL:
        raise TypeError(f"'async for' requires an iterator with __anext__ method, got {tp.__name__}")
    value = yield tp.__anext__, (iterator,)
    if type(value) is CoroutineType or type(value) is GeneratorType and _is_iterable_coroutine(value):
        return value
    try:
        return (yield from _await_steps(value, 0))
    except GeneratorExit:
        raise
    except BaseException as error:
        cause = error
        strip_traceback(cause)
    failed = TypeError(f"'async for' received an invalid object from __anext__: {type(value).__name__}")
    failed.__cause__ = failed.__context__ = cause
    raise failed


@handler("END_ASYNC_FOR", "drop a StopAsyncIteration and the iterator, else raise again", examines=0)
def end_async_for(vm: Machine, frame: Frame, arg: Any) -> Any:
    stack = frame.stack
    error = stack.pop()
    if isinstance(error, StopAsyncIteration):
        stack.pop()
        return None
    vm.throw(error, again=True)
    return True


# Generators that are written into the loops over them


@handler("ENTER_GENERATOR", "pop the generator whose code follows, and fill its slots; jump where the top is no such generator", examines=0)
def enter_generator(vm: Machine, frame: Frame, target: int) -> None:
    """Go on in the generator's code, or at the target if another is on top of the stack."""
    body, base = frame.info.decoded.entries[frame.pc - 1]
    state = _fresh(frame.stack[-1], body)
    if state is None or not _is_taken(vm, frame):
        frame.pc = target
        return
    values = list(state.frame.fast)
    generators.finish(state)
    frame.fast[base : base + len(values)] = values


def _is_taken(vm: Machine, frame: Frame) -> bool:
    """Take the generator off the stack, and out of variables that are not read any more; fails if
    somebody else holds it.
    """
    iterator, before = frame.stack.pop(), list(frame.fast)
    for slot, value in enumerate(before):
        if value is iterator and not is_read(frame, slot, frame.pc):
            frame.fast[slot] = NULL
    if vm.world.alone(vm, iterator):
        return True
    frame.fast[:] = before
    frame.stack.append(iterator)
    return False


def _fresh(iterator: Any, body: Body) -> Any:
    """The state of a generator if it has this body and has not begun."""
    state = generators.state_of(iterator) if type(iterator) is GeneratorType else None
    if state is None or state.started or state.running or state.over():
        return None
    return state if body.is_of(state.frame) else None
