"""Pattern matching."""

from __future__ import annotations

from typing import Any

from npexport.tracer.bytecode.host import IS_MAPPING, IS_SEQUENCE, MATCH_SELF, NOT_A_CLASS
from npexport.tracer.interpreter.frame import NOTHING, PUSHED, Frame, Machine, Steps
from npexport.tracer.interpreter.program import handler


@handler("GET_LEN", "push len(top)", examines=1, effect=(0, 1))
def get_len(vm: Machine, frame: Frame, arg: Any) -> Any:
    return frame.receive(vm.call(len, (frame.stack[-1],), {}, None))


@handler("MATCH_SEQUENCE", "push whether the top is a sequence", examines=1, effect=(0, 1))
def match_sequence(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack.append(bool(vm.world.type_of(frame.stack[-1]).__flags__ & IS_SEQUENCE))


@handler("MATCH_MAPPING", "push whether the top is a mapping", examines=1, effect=(0, 1))
def match_mapping(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack.append(bool(vm.world.type_of(frame.stack[-1]).__flags__ & IS_MAPPING))


@handler("MATCH_KEYS", "push the values of the keys, or None", examines=2)
def match_keys(vm: Machine, frame: Frame, arg: Any) -> Any:
    keys, subject = frame.stack[-1], frame.stack[-2]
    return vm.start(_keys_steps(frame, keys, subject), None) is PUSHED


def _keys_steps(frame: Frame, keys: tuple[Any, ...], subject: Any) -> Steps:
    seen: set[Any] = set()
    values: list[Any] = []
    missing = object()
    get = (yield getattr, (subject, "get")) if keys else None
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        value = yield get, (key, missing)
        if value is missing:
            frame.stack.append(None)
            return NOTHING
        values.append(value)
    frame.stack.append(tuple(values))
    return NOTHING


@handler("MATCH_CLASS", "pop subject, class, names; push the attributes, or None", examines=3)
def match_class(vm: Machine, frame: Frame, count: int) -> Any:
    names = frame.stack.pop()
    cls = frame.stack.pop()
    return frame.receive(vm.start(_class_steps(frame.stack.pop(), cls, count, names), None))


def _class_steps(subject: Any, cls: Any, count: int, names: tuple[str, ...]) -> Steps:
    """The attributes that a class pattern examines, or ``None`` if the subject does not match."""
    if not isinstance(cls, type):
        raise TypeError(NOT_A_CLASS)
    if not (yield isinstance, (subject, cls)):
        return None
    attributes: list[Any] = []
    seen: set[str] = set()
    if count:
        positional = yield from _match_args(cls, count)
        if positional is None:
            attributes.append(subject)
            positional = ()
        for name in positional:
            if not isinstance(name, str):
                raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
        names = (*positional, *names)
    for name in names:
        if name in seen:
            raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
        seen.add(name)
        try:
            attributes.append((yield getattr, (subject, name)))
        except AttributeError:
            return None
    return tuple(attributes)


def _match_args(cls: type, count: int) -> Steps:
    """The names of positional sub-patterns; ``None`` if a single one matches the subject itself."""
    matches_self = bool(cls.__flags__ & MATCH_SELF)
    try:
        declared = yield getattr, (cls, "__match_args__")
    except AttributeError:
        declared = None
    if declared is None:
        allowed = 1 if matches_self else 0
    elif type(declared) is not tuple:
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {type(declared).__name__})")
    else:
        allowed = len(declared)
        matches_self = False
    if count > allowed:
        plural = "" if allowed == 1 else "s"
        raise TypeError(f"{cls.__name__}() accepts {allowed} positional sub-pattern{plural} ({count} given)")
    return None if matches_self else declared[:count]
