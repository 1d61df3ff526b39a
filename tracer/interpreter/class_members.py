"""What classes hold under a name, without asking descriptors or metaclasses."""

from __future__ import annotations

from typing import Any

from npexport.tracer.interpreter.frame import NULL


def find(mro: tuple[type, ...], name: str, default: Any = NULL) -> Any:
    """The attribute as the first class that has it holds it, or the default.

    >>> find(bool.__mro__, "real") is int.__dict__["real"]
    True
    """
    for cls in mro:
        value = cls.__dict__.get(name, NULL)
        if value is not NULL:
            return value
    return default
