"""What compiled code can reach outside the program, and writes to past all that tells: objects are
examined before a call, and afterwards put back.
"""

from __future__ import annotations

import contextlib
import gc
import pickle
import random
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir.meta import content
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.interpreter.native import NATIVE_TYPES

_CONTAINERS = frozenset({list, dict, set, tuple, frozenset, deque, bytearray})
_OF_DATA = (np.ndarray, np.random.Generator, np.random.BitGenerator, random.Random)
_FIELDS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_NOT_LOOKED_INTO = frozenset({"numpy", *sys.stdlib_module_names})
_NO_FIELDS = frozenset({"__dict__", "__weakref__", "__class__"})


class OutsideState:
    """The objects that can be reached from ``roots`` and from the names of modules and of their
    classes, and what they hold now.
    """

    def __init__(self, roots: Iterable[Any], modules: Iterable[Any]) -> None:
        names = [name for name in modules if name in sys.modules and name.partition(".")[0] not in _NOT_LOOKED_INTO]
        self._own = frozenset(names)
        self._before: dict[int, tuple[Any, Any]] = {}
        pending = [*roots, np.random.get_bit_generator(), random._inst, *[sys.modules[name] for name in names]]
        while pending:
            value = pending.pop()
            if id(value) in self._before or not self._is_looked_at(value):
                continue
            self._before[id(value)] = value, self._held(value)
            pending += _reached(value)

    def _is_looked_at(self, value: Any) -> bool:
        if isinstance(value, type):
            return value.__module__ in self._own
        if isinstance(value, types.ModuleType):
            return value.__name__ in self._own
        cls = type(value)
        if cls in NATIVE_TYPES or cls in _CONTAINERS or isinstance(value, _OF_DATA):
            return cls not in NATIVE_TYPES
        is_function = hasattr(cls, "__get__")  # also those of Cython
        return not is_function and cls.__module__.partition(".")[0] not in _NOT_LOOKED_INTO

    def holds(self, value: Any) -> bool:
        """Whether an object could be reached before the call."""
        return id(value) in self._before

    def put_back(self) -> str | None:
        """Undo what was changed; the first of it in words."""
        changed = None
        for value, before in self._before.values():
            now = self._held(value)
            if not _same(before, now):
                _restore(value, before, now)
                changed = changed or _named(value, before, now)
        return changed

    def _held(self, value: Any) -> Any:
        """What the object holds: data, items, or the values of attributes by name."""
        if isinstance(value, np.ndarray):
            return value.copy()
        if type(value) in _CONTAINERS:
            return dict(value) if type(value) is dict else bytes(value) if type(value) is bytearray else list(value)
        if isinstance(value, np.random.BitGenerator):
            return pickle.dumps(value.state)
        if isinstance(value, random.Random):
            return pickle.dumps(value.getstate())
        if isinstance(value, types.ModuleType):  # a function may import others
            return {name: each for name, each in vars(value).items() if not isinstance(each, types.ModuleType)}
        held = dict(getattr(value, "__dict__", ()))
        return held if isinstance(value, type) else held | dict(self._fields(value))

    def _fields(self, value: Any) -> Iterator[tuple[str, Any]]:
        """What an object of a class of C holds under names; not what it makes anew whenever it is
        asked.
        """
        for cls in type(value).__mro__:
            for name, field in vars(cls).items() if cls.__module__ in self._own else ():
                if type(field) in _FIELDS and name not in _NO_FIELDS:
                    with contextlib.suppress(Exception):  # it has no value
                        found = field.__get__(value)
                        if _is(found, field.__get__(value)):
                            yield name, found


def _reached(value: Any) -> list[Any]:
    if isinstance(value, (type, types.ModuleType)):
        return list(vars(value).values())
    if isinstance(value, np.random.Generator):
        return [value.bit_generator]
    return (
        list(value.flat)
        if isinstance(value, np.ndarray) and value.dtype.hasobject
        else []
        if isinstance(value, _OF_DATA)
        else gc.get_referents(value)
    )


def _same(before: Any, now: Any) -> bool:
    if isinstance(before, np.ndarray):
        return bool(before.shape == now.shape and content(before) == content(now))
    if isinstance(before, bytes):
        return bool(before == now)
    if isinstance(before, list):
        return len(before) == len(now) and all(map(_is, before, now))
    return before.keys() == now.keys() and all(_is(item, now[name]) for name, item in before.items())


def _is(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and type(one) in ATOMS and (one == other or one != one))


def _restore(value: Any, before: Any, now: Any) -> None:
    if isinstance(value, np.ndarray):
        value[...] = before
    elif isinstance(value, (list, deque)):
        value.clear()
        value.extend(before)
    elif isinstance(value, (set, dict)):
        value.clear()
        value.update(before)
    elif isinstance(value, bytearray):
        value[:] = before
    elif isinstance(value, np.random.BitGenerator):
        value.state = pickle.loads(before)
    elif isinstance(value, random.Random):
        value.setstate(pickle.loads(before))
    else:
        for name in now.keys() - before.keys():
            delattr(value, name)
        for name, item in before.items():
            if name not in now or not _is(item, now[name]):
                setattr(value, name, item)


def _named(value: Any, before: Any, now: Any) -> str:
    if not isinstance(before, dict) or isinstance(value, dict):
        return f"an object of type {type(value).__name__} that it found outside"
    name = next(name for name in before.keys() | now.keys() if name not in before or name not in now or not _is(before[name], now[name]))
    where = value.__name__ if isinstance(value, (type, types.ModuleType)) else type(value).__name__
    return f"`{where}.{name}`, which it found outside"
