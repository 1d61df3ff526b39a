"""Finds what a program does while an exception that only the data decide propagates: ``finally``,
handlers that raise again, and ``__exit__``.

An exported program has no such path: it ends where the call raises. Code that only restores what
stood there before makes no difference, unless the program has changed that as state; code that
computes and writes something new cannot be represented. What called functions write is not examined
here.
"""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.tracer.interpreter import generators, operators
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.handler_analysis import GOES_ON, RAISES_AGAIN, Errors, in_handler, is_quiet, reachable
from npexport.tracer.interpreter.program import code_info

_LOADS = frozenset({"LOAD_FAST", "LOAD_CONST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"})
_STORES = frozenset({"STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL"})
_DELETIONS = frozenset({"DELETE_ATTR", "DELETE_SUBSCR", "DELETE_GLOBAL"})
_PUT_BACK = {warnings.catch_warnings: "global warnings."}
"""What such a manager restores and programs write by name: prefixes of the paths."""

_CHANGES = frozenset({"add_note", "__setattr__", "__setstate__"})
"""Methods of exceptions with which a handler changes what it raises again."""

PART = object()
"""Stands for the name of an element."""


class Cleanup(NamedTuple):
    """``written``: frame and instruction that write something new, or ``None``.

    ``restored``: the names that are written at all. ``calls``: whether functions are called, which
    may write as well. ``prefixes``: prefixes of the paths that context managers of libraries
    restore.
    """

    written: tuple[Frame, int] | None
    restored: frozenset[Any]
    calls: bool
    prefixes: frozenset[str] = frozenset()


def cleanup(vm: Machine, errors: Errors) -> Cleanup:
    """What runs between this instruction and the caller if one of these exceptions is raised."""
    found: list[Cleanup] = []
    frame = vm.frame
    while frame is not None:
        if not _of_frame(vm, frame, errors, found):
            break
        frame = frame.back
    written = next((done.written for done in found if done.written is not None), None)
    return Cleanup(
        written,
        frozenset().union(*(done.restored for done in found)),
        any(done.calls for done in found),
        frozenset().union(*(done.prefixes for done in found)),
    )


def _of_frame(vm: Machine, frame: Frame, errors: Errors, found: list[Cleanup]) -> bool:
    """Add what the frame's handlers do; whether the exception leaves the frame."""
    instructions, index = frame.info.decoded.instructions, frame.pc - 1
    while index >= 0 and (handler := frame.info.handlers[index]) is not None:
        outcome, index, begin = in_handler(vm, frame, handler, errors)
        if outcome not in GOES_ON:  # the program ends where this raises, whatever such a handler would do
            return False
        body = reachable(frame.code, begin)
        leave = next((instructions[at].arg for at in body if instructions[at].name == "WITH_EXCEPT_START"), None)
        if leave is not None:
            _of_manager(vm, frame, frame.stack[handler.depth + 3 - leave], errors, found)
        else:
            found.append(_of_body(frame, body))
        index = max((at for at in body if instructions[at].name in RAISES_AGAIN), default=-1)
    return True


def _of_manager(vm: Machine, frame: Frame, leave: Any, errors: Errors, found: list[Cleanup]) -> None:
    owner = getattr(leave, "__self__", None)
    state = generators.state_of(owner.gen) if isinstance(owner, contextlib._GeneratorContextManagerBase) else None
    if state is not None:
        _of_frame(vm, state.frame, errors, found)
        return
    if isinstance(owner, (contextlib.ExitStack, contextlib.AsyncExitStack)):
        for _, callback in owner._exit_callbacks:  # type: ignore[union-attr]
            _of_manager(vm, frame, getattr(callback, "__wrapped__", callback), errors, found)
    prefixes = frozenset(prefix for cls, prefix in _PUT_BACK.items() if isinstance(owner, cls))
    found.append(Cleanup(None, frozenset(), False, prefixes))
    function = leave.__func__ if isinstance(leave, types.MethodType) else leave
    if isinstance(function, types.FunctionType) and not is_quiet(function):
        info = code_info(function.__code__)
        inside = Frame(info, function.__code__, [], function.__globals__, frame.builtins)
        if not _is_own(vm, owner):
            found.append(_of_body(inside, range(len(info.decoded.instructions))))


def _is_own(vm: Machine, manager: Any) -> bool:
    """Whether a context manager is the program's own and holds plain values only: nothing else sees
    what it does to itself.
    """
    shadows = getattr(vm.world, "shadows", None)
    if shadows is None or any(entry.shadow is manager for entry in shadows.entries) or not hasattr(manager, "__dict__"):
        return False
    return all(value is None or type(value) in (int, float, bool, str) for value in vars(manager).values())


def _of_body(frame: Frame, body: Sequence[int]) -> Cleanup:
    instructions = frame.info.decoded.instructions
    written, restored, calls = None, set(), False
    bound = [instructions[at + 2] for at in body if instructions[at].name == "CHECK_EXC_MATCH"]
    handled = [instruction.arg for instruction in bound if instruction.name == "STORE_FAST"]
    for at in body:
        name, arg, _ = instructions[at]
        if name in _STORES:
            restored.add(PART if name == "STORE_SUBSCR" else arg)
            writes = not _is_loaded(instructions, at) or _is_of(instructions, at - 1, handled) or _is_of_array(frame, instructions, at)
        elif name in _DELETIONS:
            restored.add(PART if name == "DELETE_SUBSCR" else arg)
            writes = False
        elif name == "BINARY_OP":
            writes = operators.is_in_place(arg) and not _counts(frame, instructions, at)
        else:
            writes = name == "LOAD_METHOD" and arg in _CHANGES and _is_of(instructions, at - 1, handled)
        written = (frame, at) if writes else written
        calls |= name.startswith("CALL")
    return Cleanup(written, frozenset(restored), calls)


def _is_of(instructions: Any, at: int, handled: Any) -> bool:
    """Whether the instruction loads the variable of a handled exception."""
    return instructions[at].name == "LOAD_FAST" and instructions[at].arg in handled


def _is_loaded(instructions: Any, store: int) -> bool:
    """Whether a store writes an existing value: that of a variable, an attribute or a constant."""
    at = store - 1
    for _ in range({"STORE_ATTR": 1, "STORE_SUBSCR": 2}.get(instructions[store].name, 0)):
        at = _before(instructions, at)
    return _before(instructions, at) != at


def _is_of_array(frame: Frame, instructions: Any, at: int) -> bool:
    """Whether a store is to an element of an array, or of an object held by an attribute or a
    non-local name: its previous value is not a constant, and no variable holds it.
    """
    if instructions[at].name != "STORE_SUBSCR":
        return False
    container = _before(instructions, at - 1)
    if instructions[container].name != "LOAD_FAST" or not frame.fast:
        return bool(instructions[container].name == "LOAD_ATTR" and instructions[_before(instructions, container)].name == "LOAD_CONST")
    return isinstance(frame.fast[instructions[container].arg], np.ndarray)


def _counts(frame: Frame, instructions: Any, at: int) -> bool:
    """Whether an in-place operator is applied to a local variable that holds a number or text,
    which is replaced instead of mutated.
    """
    start = _before(instructions, at - 1)
    if start == at - 1 or instructions[start].name != "LOAD_FAST" or not frame.fast:
        return False
    return type(frame.fast[instructions[start].arg]) in (int, float, complex, bool, str, bytes)


def _before(instructions: Any, at: int) -> int:
    """The instruction before a loaded value; the same one if nothing is loaded."""
    start = at
    while at >= 0 and instructions[at].name == "LOAD_ATTR":
        at -= 1
    return at - 1 if instructions[at].name in _LOADS else start
