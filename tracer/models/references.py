"""Weak references while tracing. CPython calls their callbacks when an object dies, which happens
at no fixed place of the program.
"""

from __future__ import annotations

import types
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import models
from npexport.tracer.models.running import run

_CONTAINERS = ("weakref", "_weakrefset")
"""Modules whose callbacks only remove a dead object from a container."""


@models("weakref", "ReferenceType", pure=True)
@models("weakref", "ReferenceType.__new__")
@models("_weakref", "proxy")
def reference(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``weakref.ref(obj, callback)``, its ``__new__`` for subclasses, and ``weakref.proxy``."""
    callback = args[-1] if len(args) > 1 else None
    if isinstance(callback, (types.FunctionType, types.MethodType)) and not _tidies(callback):
        name = callback.__qualname__
        raise Unsupported("E125", f"`{name}` is to be called when an object dies, which is at a time of its own")
    return run(world, vm, fn, args, kwargs)


def _tidies(callback: Any) -> bool:
    """Whether the callback is a container's own.

    That of ``WeakMethod`` calls the program's, if there is one.
    """
    if callback.__module__ not in _CONTAINERS or not isinstance(callback, types.FunctionType):
        return False
    variables = dict(zip(callback.__code__.co_freevars, callback.__closure__ or (), strict=True))
    return "callback" not in variables or variables["callback"].cell_contents is None
