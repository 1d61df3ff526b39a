"""Calls that a function of the user's does not take (E201)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from npexport.symshapes.errors import UserError


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
