"""Conversions, lengths, iterators and the functions of ``operator``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType, GeneratorType
from typing import Any

from npexport.tracer.interpreter import generators, operators
from npexport.tracer.interpreter.attributes import python_method, special_method
from npexport.tracer.interpreter.calls import Args, Kwargs
from npexport.tracer.interpreter.frame import Continuation, Machine, Steps, Task
from npexport.tracer.interpreter.generator_functions import FIRST, GeneratorFunction, Nothing, runs_as_function
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.operators import is_user_type
from npexport.tracer.interpreter.polyfills import awaited_or
from npexport.tracer.interpreter.polyfills.generator_functions import first, first_or
from npexport.tracer.interpreter.polyfills.stepping import Placed, next_or, placed_class, placed_or
from npexport.tracer.interpreter.specials.declare import Special, special
from npexport.tracer.interpreter.stand_ins import is_of_c, method_of_c_as_text


def _text(builtin: Any, hook: str) -> Special:
    """``str`` and ``repr``: the user's method if there is one; ``object.__str__`` is ``repr``."""

    def convert(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if vm.tracing and args and is_of_c(args[0]):
            raise method_of_c_as_text()
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


special(str)(_text(str, "__str__"))
special(repr)(_text(repr, "__repr__"))


@special(format)
def _format(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if not kwargs and args and vm.tracing and is_of_c(args[0]):
        return vm.call(str, args[:1], {}, then)
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
def _bool(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) != 1 or kwargs:
        return vm.native(bool, args, kwargs, then)
    if args[0] is True or args[0] is False:
        return args[0]
    return operators.truth(vm, args[0], then) if is_user_type(type(args[0])) else vm.native(bool, args, {}, then)


@special(len)
def _len(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) != 1 or kwargs:
        return vm.native(len, args, kwargs, then)
    return operators.length(vm, args[0], then)


@special(hash)
def _hash(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    method = python_method(type(args[0]), "__hash__") if len(args) == 1 and not kwargs else None
    if method is None:
        return vm.native(hash, args, kwargs, then)
    return vm.start(_hash_steps(method, args[0]), then)


def _hash_steps(method: Any, obj: Any) -> Steps:
    result = yield method, (obj,)
    return result if type(result) in NATIVE_TYPES else hash(_Hashed(result))


class _Hashed:
    """Lets the host validate the result of a ``__hash__``."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def __hash__(self) -> int:
        return self.result  # type: ignore[no-any-return]


@special(operator.call)
def _call(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    return vm.call(args[0], args[1:], kwargs, then) if args else vm.native(operator.call, args, kwargs, then)


@special(iter)
def _iter(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if len(args) != 1 or kwargs or not is_user_type(type(args[0])):
        if len(args) == 1 and vm.world.placed and args[0].__class__ in vm.world.placed and getattr(args[0], "ndim", 1):
            return vm.call(placed_class(vm.world.placed[args[0].__class__]), args, {}, then)
        vm.world.advances = True
        return vm.native(iter, args, kwargs, then)
    return operators.iterate(vm, args[0], then)


@special(next)
def _next(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    if kwargs or not 1 <= len(args) <= 2:
        return vm.native(next, args, kwargs, then)
    iterator = args[0]
    tp = type(iterator)
    state = generators.state_of(iterator) if tp is GeneratorType else None
    if state is not None:
        more = type(then) is Task  # steps may ask for more
        if not more and runs_as_function(vm, iterator, FIRST) and vm.world.alone(vm, iterator):
            return vm.call(first if len(args) == 1 else first_or, (GeneratorFunction(iterator, FIRST), Nothing, *args[1:]), {}, then)
        if len(args) == 1:
            return generators.send(vm, state, None, then)
        request: tuple[Any, ...] = (iterator.__next__, ())
    else:
        method = python_method(tp, "__next__")
        if method is None:
            return vm.native(next, args, {}, then)
        request = (method, (iterator,))
    if len(args) == 1:
        return vm.call(request[0], request[1], {}, then)
    if vm.world.placed and state is None:
        return vm.call(placed_or, args, {}, then) if issubclass(tp, Placed) else vm.call(next_or, (method, *args), {}, then)
    vm.world.advances = True
    return vm.start(_next_steps(request, args[1]), then)


def _next_steps(request: tuple[Any, ...], default: Any) -> Steps:
    try:
        return (yield request)
    except StopIteration:
        return default


@special(anext)
def _anext(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    method = python_method(type(args[0]), "__anext__") if args else None
    if method is None or kwargs or len(args) > 2:
        return vm.native(anext, args, kwargs, then)
    if len(args) == 1:
        return vm.call(method, args, {}, then)
    return vm.start(_anext_steps(method, *args), then)


def _anext_steps(method: Any, iterator: Any, default: Any) -> Steps:
    return (yield awaited_or, ((yield method, (iterator,)), default))


def _operator(builtin: Any, count: int, run: Callable[..., Any]) -> None:
    def operate(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if kwargs or len(args) != count or not (is_user_type(type(args[0])) or is_user_type(type(args[-1]))):
            return vm.native(builtin, args, kwargs, then)
        return run(vm, *args, then)

    special(builtin)(operate)


for _row in operators.BINARY:
    _operator(_row.host, 2, lambda vm, left, right, then, row=_row: operators.binary(vm, row, left, right, then))
for _symbol, _host in operators.COMPARE.items():
    _operator(_host, 2, lambda vm, left, right, then, symbol=_symbol: operators.compare(vm, symbol, left, right, then))
for _symbol, (_function, _) in operators.UNARY.items():
    _operator(_function, 1, lambda vm, operand, then, symbol=_symbol: operators.unary(vm, symbol, operand, then))
_operator(operator.contains, 2, lambda vm, container, item, then: operators.contains(vm, item, container, then))
_operator(operator.getitem, 2, operators.get_item)
_operator(operator.truth, 1, operators.truth)
