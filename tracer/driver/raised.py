"""Exceptions of the user's own code, told as one error with its line (E208)."""

from __future__ import annotations

import itertools
from types import TracebackType

from npexport.symshapes.errors import Location, UserError
from npexport.tracer.bytecode.spans import location
from npexport.tracer.frames.frame_ownership import is_own


def program_raises(error: BaseException) -> UserError:
    """The error that tells what the user's code raised, and where."""
    stack = _frames(error.__traceback__)
    hint = "Correct the line: it raises this without npexport, too." if stack else None
    return UserError("E208", f"the program raises {type(error).__name__}: {error}", hint=hint, user_stack=stack)


def _frames(traceback: TracebackType | None) -> tuple[Location, ...]:
    """The user's frames of a traceback, innermost last."""
    found = []
    while traceback is not None:
        code, step = traceback.tb_frame.f_code, traceback.tb_lasti // 2
        if not is_own(traceback.tb_frame.f_globals) and not code.co_filename.startswith("<frozen "):
            found.append(location(code, next(itertools.islice(code.co_positions(), step, None), None)))
        traceback = traceback.tb_next
    return tuple(found)
