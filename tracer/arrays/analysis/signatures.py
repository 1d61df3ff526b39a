"""The signatures of NumPy's functions: which arguments they take, by position and by name, and
which have defaults.

For a C function without ``__text_signature__`` the signature is the first line of its
documentation.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any

_PLACES = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def signature_of(function: Any) -> inspect.Signature | None:
    """The signature of a function, or ``None`` where nothing tells it.

    >>> import numpy as np
    >>> signature_of(np.packbits)
    <Signature (a, /, axis=None, bitorder='big')>
    """
    try:
        return inspect.signature(function)
    except ValueError:
        text = (function.__doc__ or "").strip()
        line = next(iter(text.splitlines()), "")
        if line.endswith("("):  # a parameter a line
            line = " ".join(text.partition("\n)")[0].split()) + ")"
        return _documented(line.partition("->")[0])


def by_name(signature: inspect.Signature) -> inspect.Signature:
    """The signature in which every positional parameter also has a name."""
    parameters = signature.parameters.values()
    return signature.replace(parameters=[p.replace(kind=_PLACES[1]) if p.kind is _PLACES[0] else p for p in parameters])


def _documented(line: str) -> inspect.Signature | None:
    """The signature that ``name(a, /, axis=None)`` shows.

    Defaults that are not literals stay unknown.
    """
    try:
        (definition,) = ast.parse(f"def {line.strip()}: pass").body
    except SyntaxError:
        return None
    assert isinstance(definition, ast.FunctionDef)
    given = definition.args
    places = [(arg.arg, _PLACES[0]) for arg in given.posonlyargs] + [(arg.arg, _PLACES[1]) for arg in given.args]
    without = len(places) - len(given.defaults)
    defaults = [inspect.Parameter.empty] * without + [_literal(default) for default in given.defaults]
    parameters = [inspect.Parameter(name, kind, default=default) for (name, kind), default in zip(places, defaults, strict=True)]
    if given.vararg is not None:
        parameters.append(inspect.Parameter(given.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        value = inspect.Parameter.empty if default is None else _literal(default)
        parameters.append(inspect.Parameter(arg.arg, inspect.Parameter.KEYWORD_ONLY, default=value))
    return inspect.Signature(parameters)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _UNSHOWN


class _Unshown:
    """A default that the documentation names but does not show."""


_UNSHOWN = _Unshown()
