"""What the command line prints with ``--format json`` of errors, problems and codes."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError, Location


def problem(error: ExportError | OSError) -> dict[str, Any]:
    """An error; the operating system's have no code."""
    if not isinstance(error, ExportError):
        return {"code": None, "slug": None, "message": str(error), "hint": None, "location": None, "stack": []}
    return {
        "code": error.code,
        "slug": error.slug,
        "message": error.message,
        "hint": error.hint,
        "location": _place(error.location),
        "stack": [_place(location) for location in error.user_stack],
    }


def explanation(found: Any) -> dict[str, Any]:
    """An ``Explanation``."""
    return {"ok": found.ok, "problems": [problem(each) for each in found.problems], "guards": [str(guard) for guard in found.guards]}


def code(page: Any) -> dict[str, Any]:
    """A code, and the text of its page in Markdown."""
    row = CODES[page.code]
    return {"code": page.code, "slug": row.slug, "hint": row.hint, "page": page.text}


def _place(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    names = ("file", "line", "column", "end_line", "end_column", "function", "source")
    return {name: getattr(location, name) for name in names}
