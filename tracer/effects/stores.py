"""The stores of a run, whatever they store: they distinguish a cache that is only read from one
that every call writes again.
"""

from __future__ import annotations

import types
from typing import Any

from npexport.tracer.effects.copiers import step
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.interpreter.handlers.operators import store_subscr
from npexport.tracer.interpreter.handlers.variables import store_attr

_WRITERS = frozenset({"__setitem__", "__ior__", "update", "setattr", "__setattr__"})
_CALLED = (types.BuiltinMethodType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType)


class Stores:
    """Called before every instruction of a run; ``makes(obj, path)`` says afterwards whether the
    run stored into that place of an object.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, str | None], Any] = {}

    def __call__(self, frame: Frame) -> None:
        handler, name = frame.ops[frame.pc - 1]
        if handler is store_subscr:
            key, container = frame.stack[-1], frame.stack[-2]
            self._note(container, step(key))
        elif handler is store_attr:
            self._note(frame.stack[-1], f".{name}")
        else:
            self._look_at_calls(frame.stack[-8:])

    def _look_at_calls(self, stack: list[Any]) -> None:
        """Note C functions that store, by their position on the stack before they are called."""
        for position, called in enumerate(stack):
            if type(called) in _CALLED and called.__name__ in _WRITERS:
                for argument in (getattr(called, "__self__", None), *stack[position + 1 :]):
                    self._note(argument, None)

    def _note(self, obj: Any, place: str | None) -> None:
        self._found[id(obj), place] = obj

    def makes(self, obj: Any, place: str) -> bool:
        """Whether the run stored into this place: ``.name`` or ``[key]``."""
        return (id(obj), place) in self._found or (id(obj), None) in self._found
