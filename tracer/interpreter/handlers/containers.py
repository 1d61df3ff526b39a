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


@handler("BUILD_TUPLE", "pop n; push a tuple", examines=0, raises=False)
def build_tuple(vm: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(tuple(_take(frame, count)))


@handler("BUILD_LIST", "pop n; push a list", examines=0, raises=False)
def build_list(vm: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(_take(frame, count))


@handler("BUILD_SET", "pop n; push a set", examines=lambda frame, arg: arg, effect=lambda count: (count, 1))
def build_set(vm: Machine, frame: Frame, count: int) -> Any:
    return _native(vm, frame, set, _take(frame, count))


@handler("BUILD_MAP", "pop n pairs; push a dict", examines=lambda frame, arg: 2 * arg, effect=lambda count: (2 * count, 1))
def build_map(vm: Machine, frame: Frame, count: int) -> Any:
    items = _take(frame, count * 2)
    pairs = list(zip(items[::2], items[1::2], strict=True))
    if all(type(key) is str for key, _ in pairs):  # which asks nothing of a class
        return frame.stack.append(dict(pairs))
    return _native(vm, frame, dict, pairs)


@handler("BUILD_CONST_KEY_MAP", "pop keys and n values; push a dict", examines=0)
def build_const_key_map(vm: Machine, frame: Frame, count: int) -> None:
    keys = frame.stack.pop()
    frame.stack.append(dict(zip(keys, _take(frame, count), strict=True)))


def _native(vm: Machine, frame: Frame, fn: Any, items: list[Any]) -> Any:
    return frame.receive(vm.native(fn, (items,), {}, None) if items else fn())


@handler("BUILD_STRING", "pop n strings; push them joined", examines=lambda frame, arg: arg, effect=lambda count: (count, 1))
def build_string(vm: Machine, frame: Frame, count: int) -> None:
    parts = _take(frame, count)
    plain = all(type(part) is str for part in parts)
    frame.stack.append("".join(parts) if plain else vm.native("".join, (parts,), {}, None))


@handler("BUILD_SLICE", "pop 2 or 3; push a slice", examines=lambda frame, arg: arg if type(arg) is int else 3, raises=False)
def build_slice(vm: Machine, frame: Frame, count: int) -> None:
    frame.stack.append(slice(*_take(frame, count)))


@handler("LIST_TO_TUPLE", "replace a list by a tuple", examines=1, raises=False)
def list_to_tuple(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack[-1] = tuple(frame.stack[-1])


@handler("LIST_APPEND", "pop a value; append it to the n-th", examines=0, effect=(1, 0))
def list_append(vm: Machine, frame: Frame, depth: int) -> None:
    value = frame.stack.pop()
    frame.stack[-depth].append(value)


@handler("SET_ADD", "pop a value; add it to the n-th", examines=1, effect=(1, 0))
def set_add(vm: Machine, frame: Frame, depth: int) -> Any:
    value = frame.stack.pop()
    target = frame.stack[-depth]
    if type(value) in SCALARS and id(target) not in vm.world.compared:
        target.add(value)
        return None
    return _quiet(vm, set.add, target, value)


@handler("MAP_ADD", "pop key, value; set them in the n-th", examines=2, effect=(2, 0))
def map_add(vm: Machine, frame: Frame, depth: int) -> Any:
    value = frame.stack.pop()
    key = frame.stack.pop()
    target = frame.stack[-depth]
    if type(key) in SCALARS and type(target) is dict:
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


@handler("LIST_EXTEND", "pop an iterable; extend the n-th", examines=1, effect=(1, 0))
def list_extend(vm: Machine, frame: Frame, depth: int) -> Any:
    iterable = frame.stack.pop()
    target = frame.stack[-depth]
    if type(target) in NATIVE_TYPES:
        return _quiet(vm, list.extend, target, iterable)
    if builders.is_plain(iterable):
        target.extend(iterable)
        return None
    if depth == 1 and not target and runs_as_function(vm, iterable):
        frame.stack.pop()  # the list of its items takes its place
        return vm.call(GeneratorFunction(iterable), (), {}, None) is PUSHED
    if depth == 1 and type(iterable) in NATIVE_TYPES:
        frame.stack.pop()
        return frame.receive(vm.start(builders.extended_steps(target, iterable), None))
    return vm.start(builders.extend_steps(target, iterable), None) is PUSHED


@handler("SET_UPDATE", "pop an iterable; update the n-th", examines=1, effect=(1, 0))
def set_update(vm: Machine, frame: Frame, depth: int) -> Any:
    iterable = frame.stack.pop()
    if NATIVE_TYPES & {type(iterable), type(frame.stack[-depth])}:
        return _quiet(vm, set.update, frame.stack[-depth], iterable)
    return vm.start(builders.set_update_steps(frame.stack[-depth], iterable), None) is PUSHED


@handler("DICT_UPDATE", "pop a mapping; update the n-th", examines=1, effect=(1, 0))
def dict_update(vm: Machine, frame: Frame, depth: int) -> Any:
    mapping = frame.stack.pop()
    kinds = {type(mapping), type(frame.stack[-depth])}
    if NATIVE_TYPES & kinds and hasattr(type(mapping), "keys"):
        return _quiet(vm, dict.update, frame.stack[-depth], mapping)
    return vm.start(builders.dict_update_steps(frame.stack[-depth], mapping), None) is PUSHED


@handler("DICT_MERGE", "pop a mapping; update the n-th, refusing duplicate keywords", examines=1, effect=(1, 0))
def dict_merge(vm: Machine, frame: Frame, depth: int) -> Any:
    mapping = frame.stack.pop()
    stack = frame.stack
    fn = stack[-depth - 2]
    if fn is NULL:  # the layout of CPython 3.13
        fn = stack[-depth - 3]
    return vm.start(builders.merge_steps(stack[-depth], mapping, fn), None) is PUSHED


@handler("UNPACK_SEQUENCE", "pop an iterable; push its n items, first on top", examines=1, effect=lambda count: (1, count))
def unpack_sequence(vm: Machine, frame: Frame, count: int) -> Any:
    value = frame.stack.pop()
    if (type(value) is tuple or type(value) is list) and len(value) == count:
        frame.stack.extend(reversed(value))
        return None
    return vm.start(builders.unpack_steps(frame, value, count, 0, False), None) is PUSHED


@handler("UNPACK_EX", "pop an iterable; push (before, rest, after)", examines=1)
def unpack_ex(vm: Machine, frame: Frame, arg: tuple[int, int]) -> Any:
    before, after = arg
    return vm.start(builders.unpack_steps(frame, frame.stack.pop(), before, after, True), None) is PUSHED
