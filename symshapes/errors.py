"""The errors that users see: one small hierarchy, each with a stable code from
:mod:`npexport.symshapes.codes`.

They live in the lowest room because every room raises them. An error carries data (code, message,
hint, locations); how it is rendered with the source line and carets is the business of ``str()``
alone.
"""

from __future__ import annotations

import copyreg
import functools
import itertools
import os
import sys
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from npexport.symshapes.codes import CODES
from npexport.symshapes.interrupts import Interrupted, is_interrupt
from npexport.symshapes.plain import plain, plain_lines

_P = ParamSpec("_P")
_R = TypeVar("_R")
_E = TypeVar("_E", bound=Exception)

DEBUG = "NPEXPORT_DEBUG"
"""The environment variable that keeps npexport's own frames in tracebacks."""


def brief(error: _E) -> _E:
    """The error without the frames in which it was found, since its text says where in the program
    it is. Defects of npexport keep them.
    """
    if _keeps_frames(error):
        return error
    error = as_public(error)
    error.__cause__ = None
    error.__suppress_context__ = True
    return error.with_traceback(None)


def as_public(error: _E) -> _E:
    """A refusal as users see it: subclasses of `Unsupported` are the tracer's, and hold objects
    that cannot be pickled.
    """
    if not isinstance(error, Unsupported) or type(error) is Unsupported:
        return error
    seen = Unsupported(error.code, error.message, hint=error.hint, location=error.location, user_stack=error.user_stack)
    for note in getattr(error, "__notes__", ()):
        seen.add_note(note)
    return seen  # type: ignore[return-value]


def _keeps_frames(error: Exception) -> bool:
    return (isinstance(error, ExportError) and error.code.startswith("E9")) or os.environ.get(DEBUG, "0") not in ("", "0")


def briefly(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, with tracebacks of refusals and of file system errors shortened to the frames
    of its callers and one of its own.
    """

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except (ExportError, OSError) as failure:
            if _keeps_frames(failure) or is_interrupt(failure):
                raise
            error: BaseException = brief(failure)
        except Interrupted as carrier:
            error = carrier.error
        try:
            raise error
        finally:
            del error  # its traceback holds this frame

    return call


@dataclass(frozen=True, slots=True)
class Location:
    """A span of a user's source.

    Parameters
    ----------
    file : str
        The file, as the code object names it.
    line : int
        The line, from 1.
    column, end_line, end_column : int, optional
        The span: columns count from 0 as in ``co_positions``; ``None`` where unknown.
    function : str, optional
        The name of the function.
    source : str, optional
        The text of the line, empty where it is not known.

    Examples
    --------
    >>> print(Location("model.py", 3, 8, 3, 9, "f", "    if x:").render())
      File "model.py", line 3, in f
        if x:
            ^
    """

    file: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    function: str = ""
    source: str = ""

    def __str__(self) -> str:
        return plain(f"{self.file}:{self.line} in {self.function}")

    @property
    def code(self) -> str:
        """The line without indentation; of a very long one what lies around the span, ``...`` for
        the rest.
        """
        return self._clipped()[0]

    def _clipped(self) -> tuple[str, int, int]:
        """``code`` and where the span lies in it; of a span that goes on, its beginning."""
        text = plain(self.source.strip())
        if self.column is None or self.end_column is None:
            return _window(text, 0, 0)
        indent = len(self.source) - len(self.source.lstrip())
        start = max(self.column - indent, 0)
        stop = self.end_column - indent if self.end_line in (None, self.line) else len(text)
        return _window(text, start, max(min(stop, len(text)), start + 1))

    def render(self) -> str:
        """The line ``file:line in function`` and, where the source is known, the line with carets
        under the span. Of a notebook it names the cell, as IPython's tracebacks do.
        """
        place = _cell(self.file) or f'File "{self.file}"'
        text = plain(f"  {place}, line {self.line}, in {self.function}")
        code, start, stop = self._clipped()
        if not code:
            return text
        text += f"\n    {code}"
        return text if stop <= start else text + f"\n    {' ' * start}{'^' * (stop - start)}"


def _cell(file: str) -> str | None:
    """``Cell In[3]`` if it is a file that IPython, in a notebook or a terminal, keeps a cell in."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = getattr(getattr(shell, "compile", None), "format_code_name", lambda name: None)(file)  # since IPython 8
    return None if named is None else " ".join(named)


_WIDTH = 120
_MARGIN = 40
"""The length to which longer lines are cut, and the part of it before the span."""


def _window(text: str, start: int, stop: int) -> tuple[str, int, int]:
    """The part of a line that a reader needs to see the span, and the span in it.

    >>> text, start, stop = _window("f(" + "a, " * 100 + "bad, " + "c, " * 100 + ")", 302, 305)
    >>> text[start:stop], text[:6], text[-6:], len(text)
    ('bad', '... a,', 'c, ...', 126)
    """
    if len(text) <= _WIDTH:
        return text, start, stop
    first = max(min(start - _MARGIN, len(text) - _WIDTH), 0)
    last = first + _WIDTH
    before, after = "..." * (first > 0), "..." * (last < len(text))
    shift = len(before) - first
    return before + text[first:last] + after, start + shift, min(stop, last) + shift


_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.dirname(os.__file__) + os.sep
_LIBRARIES = (f"site-packages{os.sep}numpy{os.sep}", f"dist-packages{os.sep}numpy{os.sep}")


def _is_own(location: Location) -> bool:
    """Whether a file belongs neither to the standard library nor to NumPy nor to npexport's
    layers.
    """
    file = location.file
    library = file.startswith("<frozen ") or (file.startswith(_STANDARD) and "-packages" not in file)
    return not library and not any(part in file for part in _LIBRARIES) and not _is_layer(location)


def _is_layer(location: Location) -> bool:
    """Whether a file belongs to npexport's layers, such as ``nn.Module.__call__``."""
    return location.file.startswith((f"{_HERE}runtime{os.sep}", f"{_HERE}tracer{os.sep}"))


def own_frames(stack: tuple[Location, ...]) -> tuple[Location, ...]:
    """The user's own lines, outermost first."""
    return tuple(filter(_is_own, stack))


def blamed(stack: tuple[Location, ...]) -> Location | None:
    """The innermost line of the user's own code; the innermost line of all if there is none."""
    return next(filter(_is_own, reversed(stack)), stack[-1] if stack else None)


MADE: ContextVar[list[ExportError] | None] = ContextVar("npexport_errors_made", default=None)
"""Collects every error that is made, if set: C may swallow an exception."""


class ExportError(Exception):
    """Base of all errors of npexport.

    Parameters
    ----------
    code : str
        The stable code, such as ``"E103"``; ``npexport explain E103`` prints its page.
    message : str
        What is wrong.
    hint : str, optional
        What to write instead; by default that of the code.
    location : Location, optional
        The user's line that is to blame; by default the innermost of ``user_stack``.
    user_stack : tuple of Location, optional
        The user's frames, innermost last.

    Attributes
    ----------
    slug : str
        The name of the code, such as ``"data-dependent-branch"``.
    code, message, hint, location, user_stack
        As above; ``hint`` is never empty, ``location`` is ``None`` where no line is to blame.

    Examples
    --------
    >>> error = ExportError("E103", "a branch depends on data")
    >>> error.slug, bool(error.hint)
    ('data-dependent-branch', True)
    """

    _uncaught = True  # no handler of an exported program gets it (`npexport.ir.declared.uncaught`)

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
        made = MADE.get()
        if made is not None:
            made.append(self)

    def __reduce__(self) -> Any:
        """Errors are pickled by their attributes: subclasses take other arguments."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def __str__(self) -> str:
        lines = [f"{self.code} {self.slug}: {plain_lines(self.message)}"]
        stack = self.user_stack or ((self.location,) if self.location else ())
        shown = stack if _keeps_frames(self) else tuple(location for location in stack if not _is_layer(location))
        lines += _rendered(shown or stack)
        lines.append(f"Hint: {plain_lines(self.hint)}")
        lines.append(f"Read more: npexport explain {self.code}")
        return "\n".join(lines)


_REPEATS = 3
"""How often one line is shown in a row, as in Python's own tracebacks."""


def _rendered(stack: tuple[Location, ...]) -> list[str]:
    """The frames in words; of a recursion its first few, and how many others there are."""
    lines = []
    for location, group in itertools.groupby(stack):
        count = len(list(group))
        lines += [location.render()] * min(count, _REPEATS)
        if count > _REPEATS:
            more = count - _REPEATS
            lines.append(f"  [Previous line repeated {more} more time{'s' * (more > 1)}]")
    return lines


ENDS_RUN = (ExportError, Interrupted)
"""What ends a run of the program: no handler of the program's may take it."""


class Unsupported(ExportError):
    """A construct that strict mode cannot capture soundly (codes E1xx).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> try:
    ...     npexport.export(lambda x: x.tofile("x.bin"), (np.ones(3),))
    ... except npexport.Unsupported as error:
    ...     print(error.code, error.message)
    E105 ndarray.tofile writes a file
    """


class UserError(ExportError):
    """A malformed call: spec, inputs, arguments (codes E2xx).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> try:
    ...     npexport.export(np.sin, np.ones(3))
    ... except npexport.UserError as error:
    ...     print(error.code, error.message)
    E201 args is an ndarray, not a tuple
    """


class InputMismatch(ExportError, ValueError):
    """An exported program was called with inputs that it is not valid for (codes E4xx).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> run = npexport.export(np.sin, (np.ones(3),)).module()
    >>> try:
    ...     run(np.ones(4))
    ... except npexport.InputMismatch as error:
    ...     print(error.code, error.message)
    E401 the inputs do not fit the program:
      - x.shape[0]: expected 3, got 4
    """


class LoadError(ExportError, ValueError):
    """A damaged, foreign, too new or hostile archive (codes E5xx).

    Examples
    --------
    >>> import io, npexport
    >>> try:
    ...     npexport.load(io.BytesIO(b"no archive"))
    ... except npexport.LoadError as error:
    ...     print(error.code, error.slug)
    E501 damaged-archive
    """


class InternalError(ExportError):
    """A defect of npexport itself (codes E9xx): never the user's fault.

    Examples
    --------
    >>> error = InternalError("E901", "an unexpected IndexError")
    >>> error.slug
    'internal-error'
    """
