"""The exceptions that an operator of a user states: a ``try`` of a program may wait for them.

Law: what a node raises is of a class that is stated, made of one text and nothing else, as the
exported program supposes; everything else is an error that names the operator, which no handler of
the program gets.
"""

from __future__ import annotations

import types
from typing import Any

from npexport.ir.facts import Raises, classes_in
from npexport.ir.ops.control import LONGEST_MESSAGE
from npexport.ir.raising import NOTHING, always
from npexport.runtime.operators.custom_schema import bad
from npexport.symshapes.errors import ExportError
from npexport.symshapes.plain import with_article

_OF_PROTOCOLS = (StopIteration, StopAsyncIteration, AttributeError, ExportError)
"""The exceptions with which Python itself goes on, and npexport's own."""

Stated = tuple[Raises, ...] | None


def stated_of(shown: str, raises: Any) -> Stated:
    """The statement of an operator's record; ``None`` if nothing is stated. Raises ``UserError``
    (E220).
    """
    if raises is None:
        return None
    classes = raises if isinstance(raises, tuple) else (raises,)
    for each in classes:
        _require_plain(shown, each)
    return (Raises(classes, always, None),) if classes else NOTHING


def _require_plain(shown: str, kind: Any) -> None:
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        what = kind.__name__ if isinstance(kind, type) else with_article(type(kind).__name__)
        raise bad(f"raises= of {shown} holds {what}", "Pass classes of exceptions: raises=(ValueError, np.linalg.LinAlgError).")
    if issubclass(kind, _OF_PROTOCOLS):
        raise bad(
            f"{shown} raises {kind.__name__}, which Python or npexport itself waits for", "Raise another exception, such as a ValueError."
        )
    if isinstance(kind.__init__, types.FunctionType) or isinstance(kind.__new__, types.FunctionType) or not _takes_text(kind):
        hint = "Raise a class that is made of a message alone: class Failed(ValueError): pass."
        raise bad(f"{shown} raises {kind.__name__}, which is not made of a text", hint)


def _takes_text(kind: type[Exception]) -> bool:
    try:
        return kind("text").args == ("text",)
    except TypeError:
        return False


def differs(statement: tuple[Raises, ...], error: Exception) -> str | None:
    """What is not as stated of an exception that a body has raised; ``None`` if all is."""
    classes = classes_in(statement)
    if is_as_stated(error, classes):
        return None
    name = type(error).__name__
    if type(error) in classes and hasattr(error, "__notes__"):
        return f"raises {name}, with the note: {error.__notes__[0]}"
    if type(error) in classes:
        return f"raises {name} with more than one text, or with one of over {LONGEST_MESSAGE} characters"
    names = "()" if not classes else ", ".join(kind.__name__ for kind in classes)
    return f"raises {name}, where raises={names if len(classes) < 2 else f'({names})'} is declared"


def is_as_stated(error: Exception, classes: tuple[type[Exception], ...]) -> bool:
    """Whether an exception is of one of these very classes, and nothing but a text."""
    text = error.args[0] if len(error.args) == 1 else None
    return type(error) in classes and type(text) is str and len(text) <= LONGEST_MESSAGE and not vars(error)
