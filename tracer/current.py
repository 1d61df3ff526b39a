"""The export that is in progress in this thread."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from npexport.symshapes.errors import InternalError

if TYPE_CHECKING:
    from npexport.tracer.arrays.recorder import Recorder
    from npexport.tracer.session import Session

CURRENT: ContextVar[Session | None] = ContextVar("npexport_session", default=None)


def current() -> Session | None:
    """The session that is active in this thread, or ``None``."""
    return CURRENT.get()


def recorder() -> Recorder:
    """The recorder of the active session. Raises ``InternalError`` where none is active."""
    session = CURRENT.get()
    if session is None:
        raise InternalError("E901", "an array proxy is used after the export that made it has ended")
    return session.recorder
