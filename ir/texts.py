"""How a text that depends on data is written from values: one row of ``FORMS`` declares a form.

In a graph such a text is a tuple of arguments (`npexport.ir.ops.control.TEXT`). In the structure of
a result it is a container: its context names the form, and holds the parts that are plain texts,
with ``None`` in the places of the children.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

METHODS = frozenset(
    "capitalize casefold center expandtabs ljust lower lstrip removeprefix removesuffix replace rjust rstrip strip swapcase title upper "
    "zfill".split()
)
"""The methods that return a text for every text."""


JOINED_BY = "joined by"
"""The form of a text that joins a list of texts, of any length."""


def _percent(template: str, values: Any) -> str:
    return template % values  # type: ignore[no-any-return]


def _format_of(template: str, args: Any, kwargs: Any) -> str:
    return template.format(*args, **kwargs)


def _joined(*parts: str) -> str:
    return "".join(parts)


def _joined_by(separator: str, parts: Sequence[str]) -> str:
    return separator.join(parts)


def _applied(name: str, text: str, *args: Any) -> str:
    if name not in METHODS:
        raise ValueError(f"{name!r} makes no text of a text")
    return getattr(text, name)(*args)  # type: ignore[no-any-return]


OF_NUMPY: dict[str, frozenset[str]] = {
    "array2string": frozenset({"max_line_width", "precision", "suppress_small", "separator", "prefix", "threshold", "edgeitems", "sign",
                               "floatmode", "suffix"}),
    "array_str": frozenset({"max_line_width", "precision", "suppress_small"}),
    "array_repr": frozenset({"max_line_width", "precision", "suppress_small"}),
    "format_float_positional": frozenset({"precision", "unique", "fractional", "trim", "sign", "pad_left", "pad_right", "min_digits"}),
    "format_float_scientific": frozenset({"precision", "unique", "trim", "sign", "pad_left", "exp_digits", "min_digits"}),
    "build_err_msg": frozenset({"err_msg", "header", "verbose", "names", "precision"}),
}  # fmt: skip
"""NumPy's functions that make text of an array, or of arrays, and their options that run no Python
of others."""


def of_numpy(name: str) -> Callable[..., Any]:
    """The function of this name."""
    return getattr(np, name, None) or getattr(np.testing._private.utils, name)  # type: ignore[no-any-return]


def _of_numpy(name: str, value: Any, options: Any) -> str:
    if not set(options) <= OF_NUMPY[name]:
        raise ValueError(f"`np.{name}` has no options {sorted(options)}")
    return of_numpy(name)(value, **options)  # type: ignore[no-any-return]


def _chosen(truth: bool, one: str, other: str) -> str:
    return one if truth else other


_DISPLAY = re.compile(r"f'[^']*'")


def _display(parts: Sequence[str]) -> str:
    """The text of which these are the parts as one literal, if all are names or literals of such;
    else nothing.
    """
    inner = [f"{{{part}}}" if part.isidentifier() else part[2:-1] if _DISPLAY.fullmatch(part) else "" for part in parts]
    return f"f'{''.join(inner)}'" if inner and all(inner) else ""


def _hexadecimal(array: Any) -> str:
    return array.tobytes().hex()  # type: ignore[no-any-return]


OF_INTEGERS = ("bin", "chr", "hex", "oct")
"""The forms that are builtins which write an integer."""
FORMS: dict[str, Callable[..., str]] = {
    "format": format,
    "str": str,
    "repr": repr,
    "ascii": ascii,
    "percent": _percent,
    "method": _format_of,
    "join": _joined,
    JOINED_BY: _joined_by,
    "apply": _applied,
    "choose": _chosen,
    "numpy": _of_numpy,
    "hexadecimal": _hexadecimal,
    **{name: getattr(builtins, name) for name in OF_INTEGERS},
}
COUNTS = {
    **dict.fromkeys(OF_INTEGERS, 1),
    "format": 2,
    "str": 1,
    "repr": 1,
    "ascii": 1,
    "percent": 2,
    "method": 3,
    "choose": 3,
    "numpy": 3,
    "hexadecimal": 1,
    JOINED_BY: 2,
}
"""The number of parts of a text of each form, except for forms with any number."""
_SOURCES: dict[str, Callable[[Any, list[str], Callable[[Any], str]], str]] = {
    "format": lambda first, parts, named: (
        f"f'{{{parts[0]}:{{{parts[1]}}}}}'" if all(map(str.isidentifier, parts)) else f"{named(format)}({', '.join(parts)})"
    ),
    "percent": lambda first, parts, named: f"({parts[0]} % {parts[1]})",
    "method": lambda first, parts, named: f"{parts[0]}.format(*{parts[1]}, **{parts[2]})",
    "join": lambda first, parts, named: _display(parts) or f"''.join([{', '.join(parts)}])",
    JOINED_BY: lambda first, parts, named: f"{parts[0]}.join({parts[1]})",
    "apply": lambda first, parts, named: f"{parts[1]}.{first}({', '.join(parts[2:])})",
    "choose": lambda first, parts, named: f"({parts[1]} if {parts[0]} else {parts[2]})",
    "hexadecimal": lambda first, parts, named: f"{parts[0]}.tobytes().hex()",
    "numpy": lambda first, parts, named: f"{named(of_numpy(first))}({parts[1]}, **{parts[2]})",
}
"""Python that writes a text of each form, but for those that call a builtin of the form's name: of
its first part as it stands, all parts as sources, and how a function is called."""
_NAMES: dict[Any, Any] = {"apply": METHODS, "numpy": OF_NUMPY}
"""What the first part of a text names, by its form."""


def parts_of(context: tuple[Any, ...], children: Sequence[Any]) -> list[Any]:
    """The parts of a text of this context with these children."""
    rest = iter(children)
    return [next(rest) if part is None else part for part in context[1:]]


def written(context: tuple[Any, ...], children: Sequence[Any]) -> str:
    """The text of this context with these values in the places of its children."""
    return FORMS[context[0]](*parts_of(context, children))


def fits(context: Any, count: int) -> bool:
    """Whether this is the context of a text of so many children."""
    if type(context) is not tuple or not context or context[0] not in FORMS or any(type(part) not in (str, type(None)) for part in context):
        return False
    expected = COUNTS.get(context[0], len(context) - 1)
    return len(context) - 1 == expected and context[1:].count(None) == count and context[1] in _NAMES.get(context[0], context[1:2])


def _sources(context: tuple[Any, ...], children: Sequence[str], plain: Callable[[str], str] = repr) -> list[str]:
    return parts_of(tuple([part if part is None else plain(part) for part in context]), children)


def shown(context: tuple[Any, ...], children: Sequence[str]) -> str:
    """The structure, as it is printed."""
    return f"text({', '.join([repr(context[0]), *_sources(context, children)])})"


def source(context: tuple[Any, ...], children: Sequence[str], named: Callable[[Any], str], plain: Callable[[str], str] = repr) -> str:
    """The text as an expression of Python; ``named``: how a function is called; ``plain``: how a
    part that is a plain text is written.
    """
    form, parts = context[0], _sources(context, children, plain)
    if form in _SOURCES:
        return _SOURCES[form](context[1], parts, named)
    return f"{named(FORMS[form])}({', '.join(parts)})"
