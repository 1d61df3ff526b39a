"""Objects that may lack an attribute, as data decide: one side of a branch has set it.

Such an attribute is one of several values (`npexport.tracer.interpreter.symbolic_union`), of which
`NULL` is one. Laws:

1. Before it is read or deleted, it is known whether the object has it: the instruction runs on the
   sides of a branch on that, and on each the attribute is there, or is not.
2. The order of the attributes of such an object is not known. Nobody may see it: its ``__dict__``
   is not given away, and nothing but the object holds it; no call of C gets the object that may
   look at its attributes.
3. `npexport.tracer.effects.parts` names the attributes of such an object in one order, which only
   gets longer, whether or not the object has them.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS
from npexport.tracer.interpreter.class_members import find
from npexport.tracer.interpreter.frame import NULL, Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit, SymbolicUnion, keeps
from npexport.tracer.interpreter.world import World

Names = tuple[str, ...]


def names_of(owner: Any) -> Names:
    """The attributes that an object may lack, among others; none for any other object."""
    vm = running.vm
    found = None if vm is None else vm.world.partial_objects.get(id(owner))
    return () if found is None else found[1]


def may_lack(vm: Machine, owner: Any) -> bool:
    """Whether data may decide which attributes an object has."""
    cls = type(owner)
    if not cls.__flags__ & HEAP_TYPE or cls in NATIVE_TYPES or cls in SPECIAL_GETTERS or vm.types[cls].is_shared:
        return False
    if isinstance(owner, (BaseException, types.SimpleNamespace, functools.partial)):  # whose C reads attributes
        return False
    return _references(owner) <= _OWN_REFERENCES


def _state_of(owner: Any) -> Any:
    try:
        return object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None


def _references(owner: Any) -> int:
    """How many there are to the ``__dict__`` of an object."""
    state = _state_of(owner)
    return 0 if state is None else sys.getrefcount(state)


class _Plain:
    def __init__(self) -> None:
        self.attribute = 1


_OWN_REFERENCES = _references(_Plain())
"""The number if nothing else holds it."""


def note(vm: Machine, owner: Any, names: Iterable[str]) -> Names:
    """Note that an object may lack these attributes; all of them, in their order."""
    _, known = vm.world.partial_objects.get(id(owner), (owner, ()))
    found = tuple(dict.fromkeys((*known, *names)))
    vm.world.partial_objects[id(owner)] = owner, found
    if type(owner) not in vm.types.lacking:
        vm.types.lacking = {**vm.types.lacking, type(owner): require_told}
        vm.types.pop(type(owner), None)
    return found


def require_own(vm: Machine, owner: Any) -> None:
    """Raises ``Unsupported`` (E103) where data may not decide which attributes an object has."""
    if not may_lack(vm, owner):
        raise _refused(owner, "and others may read all of them")


def require_told(vm: Machine, owner: Any, name: str) -> None:
    """Settle whether an object has an attribute. Raises `NeedsCaseSplit` if that is open, and
    ``Unsupported`` (E103) for the ``__dict__`` of an object that may lack some.
    """
    found = vm.world.partial_objects.get(id(owner))
    if found is None:
        return
    if name == "__dict__":
        if vm.frame is not None and vm.frame.code is _OF_CACHES:  # which looks at the one attribute that it is asked for
            return
        raise _refused(owner, "and its `__dict__` shows that")
    if name not in found[1]:
        return
    held = _held(owner, name)
    if type(held) is not SymbolicUnion or not any(option is NULL for option in held.options):
        return
    value = vm.world.known(held)
    if type(value) is SymbolicUnion:
        raise NeedsCaseSplit(value)
    _put(owner, name, value)


def require_untouched(world: World, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises ``Unsupported`` (E103) for a call of C that may look at all attributes of an object
    that may lack some.
    """
    if getattr(fn, "__name__", None) in _HARMLESS or keeps(fn):
        return
    for value in (getattr(fn, "__self__", None), *args, *kwargs.values()):
        found = _lacking(world, value, _DEPTH if getattr(fn, "__name__", None) not in _MOVING else 0)
        if found is not None:
            raise _refused(found, f"and `{getattr(fn, '__name__', type(fn).__name__)}` may read all of them")


_OF_CACHES = functools.cached_property.__get__.__code__
_DEPTH = 3
_HARMLESS = frozenset(
    "isinstance issubclass type id callable super partial ref getattr hasattr setattr delattr __setattr__ __delattr__".split()
)
_MOVING = frozenset(
    "list tuple dict set len iter enumerate zip reversed map filter extend get items values keys copy pop popitem update next "
    "min max sorted sum any all index count remove eq ne lt le gt ge contains".split()
)
"""C callables that do not look at the attributes of what a container holds."""


def _lacking(world: World, value: Any, depth: int) -> Any:
    found = world.partial_objects.get(id(value))
    if found is not None:
        return found[0]
    if not depth or type(value) not in (tuple, list, dict):
        return None
    items = value.values() if type(value) is dict else value
    return next((found for item in items if (found := _lacking(world, item, depth - 1)) is not None), None)


def _refused(owner: Any, why: str) -> Unsupported:
    cls = type(owner)
    return Unsupported(
        "E103",
        f"a branch depends on data, and decides which attributes an object of the class {cls.__name__} has, {why}",
        hint="Set all attributes before the branch, in __init__: self.found = None, or np.zeros(3).",
    )


def _held(owner: Any, name: str) -> Any:
    state = _state_of(owner)
    if state is not None and name in state:
        return state[name]
    slot = find(type(owner).__mro__, name)
    if type(slot) is not types.MemberDescriptorType:
        return NULL
    try:
        return slot.__get__(owner)
    except AttributeError:
        return NULL


def _put(owner: Any, name: str, value: Any) -> None:
    state = _state_of(owner)
    in_state = state is not None and name in state
    slot: Any = None if in_state else find(type(owner).__mro__, name)
    change: tuple[Callable[..., Any], Any] = (state.__delitem__, name) if in_state else (slot.__delete__, owner)
    if value is NULL:
        change[0](change[1])
    elif in_state:
        state[name] = value
    else:
        slot.__set__(owner, value)
