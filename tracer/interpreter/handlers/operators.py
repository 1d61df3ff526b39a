"""Operators, items and formatting."""

from __future__ import annotations

import operator
from typing import Any

from npexport.tracer.interpreter import operators
from npexport.tracer.interpreter.frame import DISCARD, PUSHED, Frame, Machine
from npexport.tracer.interpreter.operators import BINARY, COMPARE, SCALARS
from npexport.tracer.interpreter.program import handler
from npexport.tracer.interpreter.symbolic_union import of_store


@handler("BINARY_OP", "pop two; push the result (argument: row of operators.BINARY)", examines=2, effect=(2, 1), repeats=True)
def binary_op(vm: Machine, frame: Frame, index: int) -> Any:
    stack = frame.stack
    right = stack.pop()
    left = stack.pop()
    if type(left) in SCALARS and type(right) in SCALARS:
        stack.append(BINARY[index].host(left, right))
        return None
    value = operators.binary(vm, BINARY[index], left, right, None)
    if value is PUSHED:
        return True
    stack.append(value)
    return None


@handler("COMPARE_OP", "pop two; push the comparison (argument: < <= == != > >=)", examines=2, effect=(2, 1), repeats=True)
def compare_op(vm: Machine, frame: Frame, symbol: str) -> Any:
    stack = frame.stack
    right = stack.pop()
    left = stack.pop()
    if type(left) in SCALARS and type(right) in SCALARS:
        stack.append(COMPARE[symbol](left, right))
        return None
    value = operators.compare(vm, symbol, left, right, None)
    if value is PUSHED:
        return True
    stack.append(value)
    return None


@handler("IS_OP", "pop two; push `is` (argument true: `is not`)", examines=2, raises=False)
def is_op(vm: Machine, frame: Frame, inverted: bool) -> None:
    right = frame.stack.pop()
    frame.stack.append(operators.is_one(vm, frame.stack.pop(), right, inverted))


@handler("CONTAINS_OP", "pop two; push `in` (argument true: `not in`)", examines=2, effect=(2, 1))
def contains_op(vm: Machine, frame: Frame, inverted: bool) -> Any:
    container = frame.stack.pop()
    item = frame.stack.pop()
    if inverted:
        value = vm.start(_not_in(item, container), None)
    else:
        value = operators.contains(vm, item, container, None)
    return frame.receive(value)


def _not_in(item: Any, container: Any) -> Any:
    return (yield operator.not_, ((yield operator.contains, (container, item)),))


@handler("UNARY_OP", "replace the top (argument: - + ~)", examines=1, effect=(1, 1), repeats=True)
def unary_op(vm: Machine, frame: Frame, symbol: str) -> Any:
    return frame.receive(operators.unary(vm, symbol, frame.stack.pop(), None))


@handler("BINARY_SUBSCR", "container[key]", examines=2, effect=(2, 1), repeats=True)
def binary_subscr(vm: Machine, frame: Frame, arg: Any) -> Any:
    key = frame.stack.pop()
    return frame.receive(operators.get_item(vm, frame.stack.pop(), key, None))


@handler("STORE_SUBSCR", "pop key, container, value; set the item", examines=of_store(2), effect=(3, 0), repeats=True, writes=True)
def store_subscr(vm: Machine, frame: Frame, arg: Any) -> Any:
    stack = frame.stack
    key, container = stack.pop(), stack.pop()
    return operators.set_item(vm, container, key, stack.pop(), DISCARD) is PUSHED


@handler("DELETE_SUBSCR", "pop key, container; del container[key]", examines=2, effect=(2, 0), writes=True)
def delete_subscr(vm: Machine, frame: Frame, arg: Any) -> Any:
    key, container = frame.stack.pop(), frame.stack.pop()
    return operators.delete_item(vm, container, key, DISCARD) is PUSHED


_CONVERSIONS = {1: str, 2: repr, 3: ascii}


@handler("CONVERT_VALUE", "replace the top by str, repr or ascii of it", examines=1, effect=(1, 1))
def convert_value(vm: Machine, frame: Frame, conversion: int) -> Any:
    return frame.receive(vm.call(_CONVERSIONS[conversion], (frame.stack.pop(),), {}, None))


@handler("FORMAT_SIMPLE", "replace the top by format(top)", examines=1, effect=(1, 1))
def format_simple(vm: Machine, frame: Frame, arg: Any) -> Any:
    if type(frame.stack[-1]) is str:
        return None
    return frame.receive(vm.call(format, (frame.stack.pop(), ""), {}, None))


@handler("FORMAT_WITH_SPEC", "pop spec, value; push format(value, spec)", examines=2, effect=(2, 1))
def format_with_spec(vm: Machine, frame: Frame, arg: Any) -> Any:
    spec = frame.stack.pop()
    return frame.receive(vm.call(format, (frame.stack.pop(), spec), {}, None))
