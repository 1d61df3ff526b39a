"""Exceptions of the user's own code, told as one error with its line (E208), and calls that no code
of the user's takes (E201).
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

from npexport.symshapes.errors import Location, Unsupported, UserError, blamed
from npexport.tracer.bytecode.spans import location
from npexport.tracer.frames.frame_ownership import is_own
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.native import natives
from npexport.tracer.models.specialization import plain


class ArgumentMismatch(UserError, TypeError):
    """The example arguments do not fit the parameters: a ``TypeError`` that says what to pass."""


def unbound(error: TypeError, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> ArgumentMismatch:
    """The error for a call that Python could not bind."""
    try:
        parameters = [each for each in inspect.signature(f).parameters.values() if each.default is each.empty]
    except (TypeError, ValueError):  # it has no signature that Python can tell
        return ArgumentMismatch("E201", str(error))
    ordered = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    named = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    missing = [name for name in (*ordered[len(args) :], *named) if name not in kwargs]
    call = "(" + ", ".join(ordered) + ("," if len(ordered) == 1 else "") + ")"
    if named:
        call += ", {" + ", ".join(f'"{name}": {name}' for name in named) + "}"
    what = f"Pass an example of {' and '.join(f'`{name}`' for name in missing)}" if missing else "Pass what the function takes"
    return ArgumentMismatch(
        "E201",
        str(error),
        hint=f"{what}: export({'model' if getattr(f, '__name__', '') == 'forward' else getattr(f, '__name__', 'f')}, {call}).",
    )


def program_raises(error: BaseException) -> UserError:
    """The error that tells what the user's code raised, and where."""
    stack = frames_of(error)
    hint = "Correct the line: it raises this without npexport, too." if stack else None
    return UserError("E208", f"the program raises {type(error).__name__}: {error}", hint=hint, user_stack=stack)


def make_told(error: BaseException) -> None:
    """Leave no sizes in what an exception tells its caller. Raises ``Unsupported``, at the line
    that raises it, where only the data know what it tells.
    """
    try:
        if any(type(arg) is MessageOfData for arg in error.args):
            raise Unsupported("E104", f"the program raises a {type(error).__name__} whose text only the data know")
        error.args = plain(error.args, "it is told by an exception")
        for name, value in vars(error).items():
            vars(error)[name] = plain(value, "it is told by an exception")
        if any(True for _ in natives((*error.args, *vars(error).values()))):
            raise Unsupported("E104", f"the program raises a {type(error).__name__} that holds a value which only the data know")
    except Unsupported as refusal:
        refusal.user_stack = refusal.user_stack or frames_of(error)
        refusal.location = blamed(refusal.user_stack)
        raise refusal from None


def frames_of(error: BaseException) -> tuple[Location, ...]:
    """The user's frames of a traceback, innermost last."""
    found, traceback = [], error.__traceback__
    while traceback is not None:
        code, step = traceback.tb_frame.f_code, traceback.tb_lasti // 2
        if not is_own(traceback.tb_frame.f_globals) and not code.co_filename.startswith("<frozen "):
            found.append(location(code, next(itertools.islice(code.co_positions(), step, None), None)))
        traceback = traceback.tb_next
    return tuple(found)
