"""The errors that users see: one small hierarchy, each with a stable code from :mod:`npexport.symshapes.codes`.

They live in the lowest room because every room raises them. An error carries data (code, message, hint,
locations); how it is rendered with the source line and carets is the business of ``str()`` alone.
"""

from __future__ import annotations

import copyreg
import os
from dataclasses import dataclass
from typing import Any

from npexport.symshapes.codes import CODES


@dataclass(frozen=True, slots=True)
class Location:
    """A span of a user's source: lines count from 1, columns from 0 as in ``co_positions``; ``None`` where unknown."""

    file: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    function: str = ""
    source: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"

    def render(self) -> str:
        """The line ``file:line in function`` and, where the source is known, the line with carets under the span."""
        text = f'  File "{self.file}", line {self.line}, in {self.function}'
        if not self.source.strip():
            return text
        stripped = self.source.strip()
        text += f"\n    {stripped}"
        if self.column is None or self.end_column is None:
            return text
        indent = len(self.source) - len(self.source.lstrip())
        start = max(self.column - indent, 0)
        stop = self.end_column - indent if self.end_line in (None, self.line) else len(stripped)
        stop = max(min(stop, len(stripped)), start + 1)
        return text + f"\n    {' ' * start}{'^' * (stop - start)}"


_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.dirname(os.__file__) + os.sep
_LIBRARIES = (f"site-packages{os.sep}numpy{os.sep}", f"dist-packages{os.sep}numpy{os.sep}")


def blamed(stack: tuple[Location, ...]) -> Location | None:
    """The innermost location that is not in the standard library, NumPy or npexport's layers: the user's own line."""
    for location in reversed(stack):
        file = location.file
        library = file.startswith(_STANDARD) and "-packages" not in file
        if not library and not any(part in file for part in _LIBRARIES) and not file.startswith((_HERE + "runtime", _HERE + "tracer")):
            return location
    return stack[-1] if stack else None


class ExportError(Exception):
    """Base of all errors of npexport.

    Attributes: ``code`` (``"E103"``), ``slug`` (``"data-dependent-branch"``), ``message``, ``hint`` (what to write
    instead, never empty), ``location`` (the user's line that is to blame, or ``None``), ``user_stack`` (locations,
    innermost last).
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        location: Location | None = None,
        user_stack: tuple[Location, ...] = (),
    ) -> None:
        row = CODES[code]
        super().__init__(message)
        self.code = code
        self.slug = row.slug
        self.message = message
        self.hint = hint or row.hint
        self.user_stack = tuple(user_stack)
        self.location = location if location is not None else blamed(self.user_stack)

    def __reduce__(self) -> Any:
        """Errors are pickled by their attributes: subclasses take other arguments."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def __str__(self) -> str:
        lines = [f"{self.code} {self.slug}: {self.message}"]
        stack = self.user_stack or ((self.location,) if self.location else ())
        lines += [location.render() for location in stack]
        lines.append(f"Hint: {self.hint}")
        lines.append(f"Read more: npexport explain {self.code}")
        return "\n".join(lines)


class Unsupported(ExportError):
    """A construct that strict mode cannot capture soundly (codes E1xx)."""


class UserError(ExportError):
    """A malformed call: spec, inputs, arguments (codes E2xx)."""


class InputMismatch(ExportError, ValueError):
    """An exported program was called with inputs that it is not valid for (codes E4xx)."""


class LoadError(ExportError, ValueError):
    """A damaged, foreign, too new or hostile archive (codes E5xx)."""


class InternalError(ExportError):
    """A defect of npexport itself (codes E9xx): never the user's fault."""
