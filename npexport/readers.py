"""Standard streams whose reader may leave early, as `head` does, and that may be closed or full."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, Any


class Patient:
    """A stream to which a command goes on writing when nobody reads any more, so that it does what
    it is for and ends with its own code; what is written after that goes nowhere. So it does where
    there is no stream at all (``>&-``), and after any other failure, which is raised once.

    >>> import io
    >>> text = io.StringIO()
    >>> print("shown", file=Patient(text)), text.getvalue()
    (None, 'shown\\n')
    """

    def __init__(self, stream: IO[str] | None) -> None:
        self._stream: IO[str] = open(os.devnull, "w") if stream is None else stream  # noqa: SIM115 -- as long as the process

    def write(self, text: str) -> int:
        self._tried(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._tried(self._stream.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _tried(self, step: Callable[[], Any]) -> None:
        try:
            step()
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
            if not isinstance(error, BrokenPipeError):
                raise


__all__ = ["Patient"]
