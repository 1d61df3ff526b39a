"""Weak references while tracing. CPython calls their callbacks when an object dies, which happens
at no fixed place of the program.
"""

from __future__ import annotations

import gc
import types
import weakref
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.difference import differences
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.registry import models, receiver

_CONTAINERS = ("weakref", "_weakrefset")
"""Modules whose callbacks only remove a dead object from a container."""

_REMOVING = {(set, "discard"), (set, "remove"), (list, "remove")}
"""Methods of containers that do so as callbacks."""


@models("weakref", "ReferenceType", pure=True)
@models("weakref", "ReferenceType.__new__")
@models("_weakref", "proxy")
def reference(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``weakref.ref(obj, callback)``, its ``__new__`` for subclasses, and ``weakref.proxy``.

    A reference to an object from outside is one to the original, as those that containers from
    outside hold: they are equal.
    """
    place = 2 if fn.__name__ == "__new__" else 1
    if len(args) < place:
        return run(world, vm, fn, args, kwargs)  # raises
    target, *callback = args[place - 1 :]
    if callback and callback[0] is not None:
        if not _tidies(callback[0]):
            name = getattr(callback[0], "__qualname__", None) or type(callback[0]).__qualname__
            raise Unsupported("E125", f"`{name}` is to be called when an object dies, and the program does not determine when that is")
        if isinstance(callback[0], types.FunctionType):
            callback[0] = _of_shadow(world, callback[0])
    original = world.shadows.original_of(target)
    if fn is weakref.proxy or type(original) is not type(target):
        original = target
    made = run(world, vm, fn, (*args[: place - 1], original, *callback), kwargs)
    if original is not target:
        world.shadows.adopt(made, made)
    return made


@models("weakref", "ReferenceType.__call__", "ReferenceType.__callback__")
def dereference(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """An outside weak reference leads outside, the program's own to an object of the program.

    Originals outlive the export, also those that the program would let die.
    """
    reference = fn if isinstance(fn, weakref.ref) else receiver(fn, args)[0]
    value = fn(*args, **kwargs)
    if value is None or not world.shadows.is_outside(reference):
        return value
    for write in differences(world.shadows, world.overlay):
        if _reaches(write.before, value):
            what = f"a weak reference to a `{type(value).__qualname__}` is followed after the program has replaced `{write.path}`"
            raise Unsupported("E125", f"{what}, which holds it: the program does not determine when it dies")
    return world.enter(value, "a weak reference")


_MOST_HELD = 10_000
"""How many objects are looked at for what one of them holds; more are said to hold it."""


def _reaches(holder: Any, target: Any) -> bool:
    """Whether an object holds another, directly or by others."""
    found, todo = {id(holder)}, [holder]
    while todo and len(found) < _MOST_HELD:
        one = todo.pop()
        if one is target:
            return True
        held = [each for each in gc.get_referents(one) if id(each) not in found and not isinstance(each, _SHARED)]
        found.update(map(id, held))
        todo += held
    return bool(todo)


_SHARED = (type, types.ModuleType, types.FunctionType, types.CodeType)
"""Objects that programs share, and that hold nearly everything."""


def _tidies(callback: Any) -> bool:
    """Whether the callback only removes the reference from a container.

    That of ``WeakMethod`` calls the program's, if there is one.
    """
    if isinstance(callback, types.BuiltinMethodType):
        return (type(callback.__self__), callback.__name__) in _REMOVING
    if not isinstance(callback, types.FunctionType) or callback.__module__ not in _CONTAINERS:
        return False
    variables = dict(zip(callback.__code__.co_freevars, callback.__closure__ or (), strict=True))
    return "callback" not in variables or variables["callback"].cell_contents is None


def _of_shadow(world: ShadowedWorld, callback: types.FunctionType) -> types.FunctionType:
    """The callback of a container from outside, for the shadow of it that the program sees: CPython
    calls it.
    """
    reference, *rest = callback.__defaults__ or (None,)
    container = None if reference is None else reference()
    shadow = world.shadows.shadow_of(container)
    if shadow is container:
        return callback
    return types.FunctionType(
        callback.__code__, callback.__globals__, callback.__name__, (weakref.ref(shadow), *rest), callback.__closure__
    )
