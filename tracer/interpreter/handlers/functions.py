"""Calls, making functions and classes, returning, imports, CPython's intrinsics.

At a call the stack holds [callable, self or marker, arguments...] or [marker, callable,
arguments...].
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType, MethodType, ModuleType
from typing import Any

from npexport.tracer.bytecode.canonical import Instruction
from npexport.tracer.bytecode.host import STOP_ITERATION_ERROR, TUPLES_ARE_MEASURED, host_instruction
from npexport.tracer.interpreter import builders
from npexport.tracer.interpreter.calls import CALLERS, call_function, call_object, enter_plain
from npexport.tracer.interpreter.frame import DISCARD, FOR_ITER, LEAVE, NULL, PUSHED, SEND, Frame, Machine, Steps
from npexport.tracer.interpreter.generators import finish, stop_iteration_error
from npexport.tracer.interpreter.nested_calls import is_one_of_nested
from npexport.tracer.interpreter.own_calls import values_of
from npexport.tracer.interpreter.program import HANDLERS, handler
from npexport.tracer.interpreter.symbolic_union import of_call
from npexport.tracer.interpreter.tail_calls import arguments_again, operands_of


def _operands(frame: Frame, count: int) -> tuple[Any, tuple[Any, ...]]:
    """(callable, positional arguments): takes both call layouts off the stack."""
    stack = frame.stack
    base = len(stack) - count
    below, top = stack[base - 2], stack[base - 1]
    if top is NULL:
        fn, args = below, tuple(stack[base:])
    elif below is NULL:
        fn, args = top, tuple(stack[base:])
    else:
        fn, args = below, tuple(stack[base - 1 :])
    del stack[base - 2 :]
    return fn, args


@handler("CALL", "call with n positional arguments", examines=of_call(0), effect=lambda count: (count + 2, 1), repeats=True)
def call(vm: Machine, frame: Frame, count: int) -> Any:
    stack = frame.stack
    base = -count - 1
    fn = stack[base - 1]
    args = stack[base:]
    del stack[base - 1 :]
    first = args[0]
    if first is NULL:
        del args[0]
    elif fn is NULL:
        fn = first
        del args[0]
    tp = type(fn)
    if tp is MethodType:
        args.insert(0, fn.__self__)
        fn = fn.__func__
        tp = type(fn)
    if tp is FunctionType:
        value = enter_plain(vm, fn, args)
        if value is NULL:
            value = call_function(vm, fn, tuple(args), _NO_KEYWORDS, None)
    else:
        value = (CALLERS.get(tp) or call_object)(vm, fn, tuple(args), _NO_KEYWORDS, None)
        args.reverse()  # a list drops its last item first
    if value is PUSHED:
        return True
    stack.append(value)
    return None


_NO_KEYWORDS: dict[str, Any] = {}


@handler("TAIL_CALL", "the arguments of the frame's function in place of a call of it; jump where another is called", examines=0)
def tail_call(vm: Machine, frame: Frame, target: int) -> None:
    values = arguments_again(vm, frame)
    if values is None:
        frame.pc = target
    else:
        frame.stack[:] = values


@handler(
    "LOAD_SAME",
    "push what instructions load of names and modules, or markers",
    examines=0,
    raises=False,
)
def load_same(vm: Machine, frame: Frame, instructions: tuple[Instruction, ...]) -> None:
    stack, depth = frame.stack, len(frame.stack)
    try:
        for name, arg, _ in instructions:
            if len(stack) > depth and not (type(stack[-1]) is ModuleType and arg in stack[-1].__dict__):
                raise NameError(arg)
            HANDLERS[name](vm, frame, arg)
    except NameError:
        stack[depth:] = [NULL] * values_of(instructions)


@handler("BEGIN_CALLS", "begin a loop in place of nested calls of which sizes decide how deep they go", examines=0, raises=False)
def begin_calls(vm: Machine, frame: Frame, arg: Any) -> None:
    vm.world.begin_calls(vm, frame)


@handler("NESTED_CALL", "the arguments in place of a call of the frame's function; jump where another is called", examines=0)
def nested_call(vm: Machine, frame: Frame, target: int) -> None:
    values, below = arguments_again(vm, frame), frame.stack[: operands_of(frame)]
    if values is None or not is_one_of_nested(frame, values, below):
        frame.pc = target
    else:
        frame.stack[:] = [*below, *values]


@handler(
    "CALL_KW",
    "call with (n, names): the last len(names) of the n are keywords",
    examines=of_call(1),
    effect=lambda arg: (arg[0] + 2, 1),
    repeats=True,
)
def call_kw(vm: Machine, frame: Frame, arg: tuple[int, tuple[str, ...]]) -> Any:
    count, names = arg
    stack = frame.stack
    kwargs = dict(zip(names, stack[-len(names) :], strict=True))
    del stack[-len(names) :]
    fn, args = _operands(frame, count - len(names))
    return frame.receive(vm.call(fn, args, kwargs, None))


@handler(
    "CALL_FUNCTION_EX",
    "call with a tuple and, if the argument says so, a dict",
    examines=of_call(2),
    effect=lambda has_keywords: (4 if has_keywords else 3, 1),
    repeats=True,
)
def call_function_ex(vm: Machine, frame: Frame, has_keywords: bool) -> Any:
    stack = frame.stack
    kwargs = stack.pop() if has_keywords else {}
    args = stack.pop()
    top, below = stack.pop(), stack.pop()
    fn = below if top is NULL else top
    if type(args) is list:
        args = tuple(args)
    if type(args) is tuple and type(kwargs) is dict:
        value = vm.call(fn, args, kwargs, None)
    else:
        value = vm.start(_spread_steps(fn, args, kwargs), None)
    return frame.receive(value)


def _spread_steps(fn: Any, args: Any, kwargs: Any) -> Steps:
    if type(args) is not tuple:
        yield from builders.require_iterable(args, f"{builders.function_name(fn)} argument after * must be an iterable, not {{}}")
        args = tuple((yield from builders.items_steps(args, measured=TUPLES_ARE_MEASURED)))
    if type(kwargs) is not dict:
        merged: dict[str, Any] = {}
        yield from builders.merge_steps(merged, kwargs, fn)
        kwargs = merged
    return (yield fn, args, kwargs)


@handler(
    "MAKE_FUNCTION",
    "pop code and what the flags name (1 defaults, 2 kwdefaults, 4 annotations, 8 closure, 16 what makes annotations)",
    examines=0,
)
def make_function(vm: Machine, frame: Frame, flags: int) -> None:
    stack = frame.stack
    code = stack.pop()
    closure = stack.pop() if flags & 8 else None
    fn = FunctionType(code, frame.globals, None, None, closure)
    if flags & 16:
        fn.__annotate__ = stack.pop()  # type: ignore[attr-defined]
    if flags & 4:
        annotations = stack.pop()
        if type(annotations) is tuple:
            annotations = dict(zip(annotations[::2], annotations[1::2], strict=True))
        fn.__annotations__ = annotations
    if flags & 2:
        fn.__kwdefaults__ = stack.pop()
    if flags & 1:
        fn.__defaults__ = stack.pop()
    if vm.tracing:
        vm.world.made(fn)
    stack.append(fn)


@handler("RETURN_VALUE", "pop; leave the frame", examines=0, raises=False)
def return_value(vm: Machine, frame: Frame, arg: Any) -> bool:
    value = frame.stack.pop()
    if frame.then is None and frame.real is None:  # `VM.leave`, where nothing is to be done but to go back
        vm.frame = back = frame.back
        frame.back = None
        frame.fast.reverse()  # a list drops its last item first
        vm.depth -= 1
        back.stack.append(value)  # type: ignore[union-attr]
    else:
        vm.give(value, vm.leave(frame))
    return True


@handler("RETURN_VALUE", "pop; end the generator with it", examines=0, generator=True)
def return_from_generator(vm: Machine, frame: Frame, arg: Any) -> bool:
    value = frame.stack.pop()
    on_return = frame.on_return
    then = vm.leave(frame)
    back: Any = vm.frame
    finish(frame.generator)
    if on_return == FOR_ITER:
        back.stack.pop()
        back.pc = back.ops[back.pc - 1][1]
    elif on_return >= SEND:
        back.stack[-1] = value
        back.pc = back.ops[back.pc - 1][1]
    elif on_return == LEAVE:
        vm.give(value, then)
    else:
        vm.fail(StopIteration() if value is None else StopIteration(value), then)
    return True


@handler(
    "HOST_INSTRUCTION",
    "pop n; push the result of CPython's own instruction (argument: n, name, argument)",
    examines=lambda frame, arg: arg[0],
)
def run_host_instruction(vm: Machine, frame: Frame, arg: tuple[int, str, int]) -> Any:
    count, name, value = arg
    stack = frame.stack
    operands = stack[-count:]
    del stack[-count:]
    if arg == STOP_ITERATION_ERROR:
        stack.append(stop_iteration_error(frame, operands[0]))
    else:
        stack.append(_instruction(name, value, count)(*operands))
    return None


_instruction = functools.cache(host_instruction)


@handler("PRINT_EXPR", "pop; show it as the interactive prompt does", examines=1)
def print_expr(vm: Machine, frame: Frame, arg: Any) -> bool:
    return vm.call(sys.displayhook, (frame.stack.pop(),), {}, DISCARD) is PUSHED


# -- imports


@handler("IMPORT_NAME", "pop level and names; push the module", examines=0, effect=(2, 1))
def import_name(vm: Machine, frame: Frame, name: str) -> Any:
    names = frame.stack.pop()
    level = frame.stack.pop()
    importer = frame.builtins.get("__import__", NULL)
    if importer is NULL:
        raise ImportError("__import__ not found")
    return frame.receive(vm.call(importer, (name, frame.globals, frame.names, names, level), {}, None))


@handler("IMPORT_FROM", "push an attribute of the module", examines=0, effect=(0, 1))
def import_from(vm: Machine, frame: Frame, name: str) -> Any:
    return frame.receive(vm.start(_import_from_steps(frame.stack[-1], name), None))


def _import_from_steps(module: Any, name: str) -> Steps:
    try:
        return (yield getattr, (module, name))
    except AttributeError:
        pass
    namespace: dict[str, Any] = {"module": module}
    return _host_import_from(namespace, name)


def _host_import_from(namespace: dict[str, Any], name: str) -> Any:
    """Lets CPython look in ``sys.modules`` and word its error."""
    code = compile("from module import name", "<import>", "exec")
    code = code.replace(co_names=tuple(name if known == "name" else known for known in code.co_names))
    exec(code, {"__builtins__": {"__import__": lambda *args: namespace["module"]}}, namespace)
    return namespace[name]


@handler("IMPORT_STAR", "pop the module; bind its public names", examines=0)
def import_star(vm: Machine, frame: Frame, arg: Any) -> None:
    module = frame.stack.pop()
    code = compile("from module import *", "<import>", "exec")
    found: dict[str, Any] = {}
    exec(code, {"__builtins__": {"__import__": lambda *args: module}}, found)
    for name, value in found.items():
        frame.names[name] = value
