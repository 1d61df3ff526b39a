"""The frame hook: it sees Python frames, with their arguments bound by CPython, before their bodies
run.

There are two hooks: a C extension over PEP 523, which can also answer for a frame, and
``sys.settrace`` (with ``sys.monitoring`` from CPython 3.12 on), which can only abort it. The
environment variable ``NPEXPORT_FRAME_HOOK`` (``pep523`` or ``settrace``) chooses one; by default
the extension is used where it was built.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from npexport.runtime.extensions import extension
from npexport.symshapes.errors import UserError
from npexport.tracer.bytecode.host import HAS_MONITORING
from npexport.tracer.frames import settrace
from npexport.tracer.frames.settrace import CallbackAborted, Captured

__all__ = ["CallbackAborted", "Hook", "RootFrame", "call_answering", "capture_root", "choose", "frame_hook", "hook"]

VARIABLE = "NPEXPORT_FRAME_HOOK"
PEP523 = "pep523"
SETTRACE = "settrace"

Callback = Callable[[FunctionType, dict[str, Any]], Any]


class Hook(NamedTuple):
    """One way to see frames.

    ``capture`` and ``answer`` have the contracts of `settrace.capture` and `call_answering`;
    ``session`` gives a context in which many calls of ``answer`` are cheap. ``watching`` is the
    module with ``watch`` and ``unwatch``, if the hook can watch.
    """

    name: str
    capture: Callable[[Callable[[], object]], Captured | None]
    answer: Callable[[Callback, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
    session: Callable[[], AbstractContextManager[None]]
    watching: Any = None


@dataclass(frozen=True, slots=True)
class RootFrame:
    """A frame as CPython made it for a call whose body did not run.

    ``localsplus`` holds the bound arguments by name (defaults filled in, ``*args`` a tuple,
    ``**kwargs`` a dict); it is the namespace if the code has one (class bodies).
    """

    function: FunctionType
    localsplus: dict[str, Any]
    globals: dict[str, Any]
    builtins: dict[str, Any]

    @property
    def code(self) -> CodeType:
        return self.function.__code__

    @property
    def closure(self) -> tuple[CellType, ...]:
        return self.function.__closure__ or ()


@cache
def hook() -> Hook:
    """The hook in use. Raises as `choose` does."""
    return choose(os.environ.get(VARIABLE, ""))


def choose(wanted: str) -> Hook:
    """The hook of a name, ``""`` for the best. Raises `UserError` (E206) if there is none."""
    if wanted not in ("", PEP523, SETTRACE):
        raise UserError("E206", f"{VARIABLE} is {wanted!r}; it is {PEP523!r}, {SETTRACE!r} or unset")
    if wanted != SETTRACE:
        try:
            built = extension("npexport.tracer.frames._evalframe")
        except ImportError as error:
            if wanted == PEP523:
                raise UserError("E206", f"{VARIABLE} is {PEP523!r}, but the C extension cannot be imported: {error}") from error
        else:
            return Hook(PEP523, built.capture, built.answer, nullcontext, built if hasattr(built, "watch") else None)
    if HAS_MONITORING:
        from npexport.tracer.frames import monitoring

        return Hook(SETTRACE, settrace.capture, monitoring.answer, monitoring.session)
    return Hook(SETTRACE, settrace.capture, settrace.answer, nullcontext)


def frame_hook() -> str:
    """The name of the frame hook in use: ``"pep523"`` (the C extension) or ``"settrace"`` (pure
    Python).

    Raises `UserError` if ``NPEXPORT_FRAME_HOOK`` asks for another, or for the extension where it
    was not built.

    >>> from npexport import frame_hook
    >>> frame_hook() in ("pep523", "settrace")
    True
    """
    return hook().name


def capture_root(call: Callable[[], object]) -> RootFrame:
    """The first frame that ``call()`` starts, npexport's own and those of functools left out.

    Its body never runs.

    ``call`` performs the user's call, so that CPython itself binds the arguments: what it raises
    (``TypeError``) is raised as it is. It is best a ``functools.partial``: a tool that uses
    ``sys.monitoring`` is called in every Python frame, a lambda's too, and would be seen first.
    Raises `UserError` (E207) if no Python frame is started.
    """
    captured = hook().capture(call)
    if captured is None:
        raise UserError("E207", "the call does not reach any Python function: there is no bytecode to export")
    return RootFrame(*captured)


def call_answering(callback: Callback, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``fn(*args, **kwargs)``; every frame of the user's that is started directly below (C code
    that calls back) goes to the callback.

    ``callback(function, localsplus)`` runs with the hook off and returns the frame's result; what
    it raises is raised by the frame. For generator functions it returns the generator. CPython
    evaluates npexport's own frames, and those of libraries below them; also generators that have
    started, and npexport's VM, with the hook off. If the hook is ``settrace``, which cannot answer,
    `CallbackAborted` is raised instead and the body does not run.
    """
    return hook().answer(callback, fn, args, kwargs)
