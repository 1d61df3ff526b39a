"""Jumps (argument: the index of an instruction), truth and iteration."""

from __future__ import annotations

import operator
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.interpreter import generators, operators
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.blocks import OFTEN, may_write, write_loop
from npexport.tracer.interpreter.counting import COUNTED, Counting, begin
from npexport.tracer.interpreter.frame import FOR_ITER, NOTHING, NULL, PUSHED, Frame, Machine, Steps
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import handler
from npexport.tracer.interpreter.unrolling import loop_behind


@handler("JUMP", "go on at the target", examines=0, raises=False)
def jump(vm: Machine, frame: Frame, target: int) -> bool:
    if target < frame.pc:  # in the loop of a `yield from`
        return _again(frame, target)
    frame.pc = target
    return False


@handler("JUMP_BACKWARD", "go on at the target, counting a step", examines=0)
def jump_backward(vm: Machine, frame: Frame, target: int) -> bool:
    vm.steps -= 1
    if vm.steps < 0:
        vm.out_of_steps()
    return _again(frame, target)


def _again(frame: Frame, target: int) -> bool:
    """Go back to the target, and write the blocks of loops that often do."""
    ops = frame.ops
    ops.iterations += 1
    if ops.iterations == OFTEN:
        ops.iterations = 0
        if may_write(ops, frame.pc - 1):
            write_loop(frame.info, ops, frame.pc - 1)
            frame.pc = target
            return True
    frame.pc = target
    return False


def _branch(vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
    """Jump on an operand that is not a bool: the world may know where the program goes on."""
    if type(value) in NATIVE_TYPES and vm.world.choose(vm, frame, value, if_true, if_false):
        return True  # the frame may be another, or run otherwise
    return _test_again(vm, frame, value)


def _test_again(vm: Machine, frame: Frame, value: Any) -> bool:
    """The operand is not a bool: the instruction runs again on its truth."""
    frame.pc -= 1
    return frame.receive(operators.truth(vm, value, None))


@handler("POP_JUMP_IF_FALSE", "pop; jump if false", examines=1)
def pop_jump_if_false(vm: Machine, frame: Frame, target: int) -> Any:
    value = frame.stack.pop()
    if value is False:
        frame.pc = target
    elif value is not True:
        return _branch(vm, frame, value, frame.pc, target)
    return None


@handler("POP_JUMP_IF_TRUE", "pop; jump if true", examines=1)
def pop_jump_if_true(vm: Machine, frame: Frame, target: int) -> Any:
    value = frame.stack.pop()
    if value is True:
        frame.pc = target
    elif value is not False:
        return _branch(vm, frame, value, target, frame.pc)
    return None


@handler("POP_JUMP_IF_NONE", "pop; jump if None", examines=1, raises=False)
def pop_jump_if_none(vm: Machine, frame: Frame, target: int) -> None:
    if frame.stack.pop() is None:
        frame.pc = target


@handler("POP_JUMP_IF_NOT_NONE", "pop; jump if not None", examines=1, raises=False)
def pop_jump_if_not_none(vm: Machine, frame: Frame, target: int) -> None:
    if frame.stack.pop() is not None:
        frame.pc = target


_TESTS = frozenset({"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "UNARY_NOT"})


@handler("TO_BOOL", "replace the top by its truth", examines=1)
def to_bool(vm: Machine, frame: Frame, arg: Any) -> Any:
    if type(frame.stack[-1]) in NATIVE_TYPES and frame.info.decoded.instructions[frame.pc].name in _TESTS:
        return None  # which asks for the truth itself
    return frame.receive(operators.truth(vm, frame.stack.pop(), None))


@handler("UNARY_NOT", "replace the top by its negated truth", examines=1, raises=False)
def unary_not(vm: Machine, frame: Frame, arg: Any) -> Any:
    value = frame.stack.pop()
    if value is True or value is False:
        frame.stack.append(not value)
        return None
    if type(value) in NATIVE_TYPES:  # whether it is true may be more than True or False
        frame.stack.append(vm.native(operator.not_, (value,), {}, None))
        return None
    return _test_again(vm, frame, value)


# -- iteration


@handler("GET_ITER", "replace the top by its iterator", examines=1, effect=(1, 1))
def get_iter(vm: Machine, frame: Frame, arg: Any) -> Any:
    value = frame.stack.pop()
    counter = vm.world.counts(value) if type(value) in COUNTED else None
    if vm.world.placed and operators.is_stepped(value):
        return frame.receive(vm.start(operators.stepped(value), None))
    return frame.receive(operators.iterate(vm, value, None) if counter is None else counter)


@handler("FOR_ITER", "push the next item; when exhausted, pop the iterator and jump", examines=1)
def for_iter(vm: Machine, frame: Frame, target: int) -> Any:
    stack = frame.stack
    iterator = stack[-1]
    tp = type(iterator)
    if tp in operators.BUILTIN_ITERATORS:
        value = next(iterator, NULL)
    elif tp is GeneratorType and (state := generators.state_of(iterator)) is not None:
        if state.finished or (not state.started and state.over()):
            value = NULL
        else:
            return generators.resume(vm, state, None, None, None, FOR_ITER)
    else:
        return _for_any(vm, frame, iterator, tp, target)
    if value is NULL:
        stack.pop()
        frame.pc = target
    else:
        stack.append(value)
    return None


@handler("FOR_COPY", "like FOR_ITER, once for each iteration of a loop; an iterator of known items becomes a counter", examines=1)
def for_copy(vm: Machine, frame: Frame, target: int) -> Any:
    """The next item for a copy of the loop's body; other iterators go on as they are."""
    counter = vm.world.counts_known(vm, frame)
    if counter is None:
        iterator = frame.stack[-1]
        if type(iterator) is not Counting or iterator.is_static():
            return for_iter(vm, frame, target)
        frame.pc = loop_behind(frame.code, frame.pc - 1)  # no copies for a number of iterations that is not known
    elif counter.going():
        begin(counter.advance(frame.stack))
    else:
        frame.stack.pop()
        frame.pc = target
    return None


def _for_any(vm: Machine, frame: Frame, iterator: Any, tp: type, target: int) -> Any:
    if tp is Counting:
        return _for_counting(vm, frame, iterator, target)
    method = python_method(tp, "__next__") if tp.__flags__ & HEAP_TYPE else None
    request = (next, (iterator,)) if method is None else (method, (iterator,))
    vm.world.advances |= method is not None
    if method is None and tp is not AsyncGeneratorType:
        try:
            value = vm.native(next, (iterator,), {}, None)
        except StopIteration:
            frame.stack.pop()
            frame.pc = target
            return None
        return frame.receive(value)
    return vm.start(_for_steps(frame, request, target), None) is PUSHED


def _for_counting(vm: Machine, frame: Frame, counter: Counting, target: int) -> Any:
    going = vm.world.count(vm, frame, counter, target)
    if going is None:
        return True
    if going:
        begin(frame.stack[-1].advance(frame.stack))
    else:
        frame.stack.pop()
        frame.pc = target
    return None


def _for_steps(frame: Frame, request: tuple[Any, ...], target: int) -> Steps:
    try:
        value = yield request
    except StopIteration:
        frame.stack.pop()
        frame.pc = target
        return NOTHING
    frame.stack.append(value)
    return NOTHING
