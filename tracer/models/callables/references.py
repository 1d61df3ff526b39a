"""Weak references while tracing. CPython calls their callbacks when an object dies, which happens
at no fixed place of the program.
"""

from __future__ import annotations

import types
import weakref
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.registry import models

_CONTAINERS = ("weakref", "_weakrefset")
"""Modules whose callbacks only remove a dead object from a container."""


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
        callback[0] = _of_shadow(world, callback[0])
    original = world.shadows.original_of(target)
    if fn is weakref.proxy or type(original) is not type(target):
        original = target
    made = run(world, vm, fn, (*args[: place - 1], original, *callback), kwargs)
    if original is not target:
        world.shadows.adopt(made, made)
    return made


def _tidies(callback: Any) -> bool:
    """Whether the callback is a container's own.

    That of ``WeakMethod`` calls the program's, if there is one.
    """
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
