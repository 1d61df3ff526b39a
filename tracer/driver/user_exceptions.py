"""Exceptions of the user's own code, told as one error with its line (E208)."""

from __future__ import annotations

import itertools

from npexport.symshapes.errors import Location, Unsupported, UserError, blamed
from npexport.tracer.bytecode.spans import location
from npexport.tracer.frames.frame_ownership import is_own
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.native import holds_native
from npexport.tracer.models.specialization import plain


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
        if holds_native((*error.args, *vars(error).values())):
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
