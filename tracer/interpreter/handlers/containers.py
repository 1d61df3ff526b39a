"""Building and unpacking containers."""

from __future__ import annotations

from typing import Any

from npexport.tracer.interpreter import builders
from npexport.tracer.interpreter.frame import NOTHING, NULL, PUSHED, Frame, Machine, Steps
from npexport.tracer.interpreter.generator_functions import GeneratorFunction, runs_as_function
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.operators import SCALARS
from npexport.tracer.interpreter.program import handler


def _take(frame: Frame, count: int) -> list[Any]:
    if not count:
        return []
    stack = frame.stack
    items = stack[-count:]
    del stack[-count:]
    return items


@handler("BUILD_TUPLE", examines=0)
def build_tuple(vm: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(tuple(_take(frame, count)))


@handler("BUILD_LIST", examines=0)
def build_list(vm: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(_take(frame, count))


@handler("BUILD_SET", examines=lambda frame, arg: arg)
def build_set(vm: Machine, frame: Frame, count: int) -> Any:
    return _native(vm, frame, set, _take(frame, count))


@handler("BUILD_MAP", examines=lambda frame, arg: 2 * arg)
def build_map(vm: Machine, frame: Frame, count: int) -> Any:
    items = _take(frame, count * 2)
    return _native(vm, frame, dict, list(zip(items[::2], items[1::2], strict=True)))


@handler("BUILD_CONST_KEY_MAP", examines=0)
def build_const_key_map(vm: Machine, frame: Frame, count: int) -> None:
    keys = frame.stack.pop()
    frame.stack.append(dict(zip(keys, _take(frame, count), strict=True)))


def _native(vm: Machine, frame: Frame, fn: Any, items: list[Any]) -> Any:
    return frame.receive(vm.native(fn, (items,), {}, None) if items else fn())


@handler("BUILD_STRING", examines=lambda frame, arg: arg)
def build_string(vm: Machine, frame: Frame, count: int) -> None:
    parts = _take(frame, count)
    plain = all(type(part) is str for part in parts)
    frame.stack.append("".join(parts) if plain else vm.native("".join, (parts,), {}, None))


@handler("BUILD_SLICE", examines=lambda frame, arg: arg if type(arg) is int else 3)
def build_slice(vm: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(slice(*_take(frame, count)))


@handler("LIST_TO_TUPLE", examines=1)
def list_to_tuple(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack[-1] = tuple(frame.stack[-1])


@handler("LIST_APPEND", examines=0)
def list_append(vm: Machine, frame: Frame, depth: int) -> None:
    value = frame.stack.pop()
    frame.stack[-depth].append(value)


@handler("SET_ADD", examines=1)
def set_add(vm: Machine, frame: Frame, depth: int) -> Any:
    value = frame.stack.pop()
    target = frame.stack[-depth]
    if type(value) in SCALARS and id(target) not in vm.world.compared:
        target.add(value)
        return None
    return _quiet(vm, set.add, target, value)


@handler("MAP_ADD", examines=2)
def map_add(vm: Machine, frame: Frame, depth: int) -> Any:
    value = frame.stack.pop()
    key = frame.stack.pop()
    target = frame.stack[-depth]
    if type(key) in SCALARS:
        target[key] = value
        return None
    return _quiet(vm, dict.__setitem__, target, key, value)


def _quiet(vm: Machine, fn: Any, *args: Any) -> Any:
    return vm.start(_quiet_steps([(fn, args)]), None) is PUSHED


def _quiet_steps(call: list[Any]) -> Steps:
    """Makes a call, which it does not hold meanwhile: another object may take the place of the
    container.
    """
    yield call.pop()
    return NOTHING


@handler("LIST_EXTEND", examines=1)
def list_extend(vm: Machine, frame: Frame, depth: int) -> Any:
    iterable = frame.stack.pop()
    target = frame.stack[-depth]
    if builders.is_plain(iterable):
        target.extend(iterable)
        return None
    if depth == 1 and not target and runs_as_function(vm, iterable):
        frame.stack.pop()  # the list of its items takes its place
        return vm.call(GeneratorFunction(iterable), (), {}, None) is PUSHED
    return vm.start(builders.extend_steps(target, iterable), None) is PUSHED


@handler("SET_UPDATE", examines=1)
def set_update(vm: Machine, frame: Frame, depth: int) -> Any:
    iterable = frame.stack.pop()
    if NATIVE_TYPES & {type(iterable), type(frame.stack[-depth])}:
        return _quiet(vm, set.update, frame.stack[-depth], iterable)
    return vm.start(builders.set_update_steps(frame.stack[-depth], iterable), None) is PUSHED


@handler("DICT_UPDATE", examines=1)
def dict_update(vm: Machine, frame: Frame, depth: int) -> Any:
    mapping = frame.stack.pop()
    kinds = {type(mapping), type(frame.stack[-depth])}
    if NATIVE_TYPES & kinds and hasattr(type(mapping), "keys"):
        return _quiet(vm, dict.update, frame.stack[-depth], mapping)
    return vm.start(builders.dict_update_steps(frame.stack[-depth], mapping), None) is PUSHED


@handler("DICT_MERGE", examines=1)
def dict_merge(vm: Machine, frame: Frame, depth: int) -> Any:
    mapping = frame.stack.pop()
    stack = frame.stack
    fn = stack[-depth - 2]
    if fn is NULL:  # the layout of CPython 3.13
        fn = stack[-depth - 3]
    return vm.start(builders.merge_steps(stack[-depth], mapping, fn), None) is PUSHED


@handler("UNPACK_SEQUENCE", examines=1)
def unpack_sequence(vm: Machine, frame: Frame, count: int) -> Any:
    value = frame.stack.pop()
    if (type(value) is tuple or type(value) is list) and len(value) == count:
        frame.stack.extend(reversed(value))
        return None
    return vm.start(builders.unpack_steps(frame, value, count, 0, False), None) is PUSHED


@handler("UNPACK_EX", examines=1)
def unpack_ex(vm: Machine, frame: Frame, arg: tuple[int, int]) -> Any:
    before, after = arg
    return vm.start(builders.unpack_steps(frame, frame.stack.pop(), before, after, True), None) is PUSHED
