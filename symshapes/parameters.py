"""What the parameters of public functions take: anything else is refused before it does harm, by
the parameter's name.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

from npexport.symshapes.errors import UserError
from npexport.symshapes.plain import with_article

FilePath: TypeAlias = "str | os.PathLike[str] | os.PathLike[bytes]"
_F = TypeVar("_F", bound=Callable[..., Any])
_C = TypeVar("_C", bound=type)


class Kind(NamedTuple):
    """What values ``fits``; ``text`` says it to people, ``hint`` what to write."""

    fits: Callable[[Any], bool]
    text: str
    hint: str | None = None

    @property
    def optional(self) -> Kind:
        """The same, or ``None``."""
        return self._replace(fits=lambda value: value is None or self.fits(value))


def instance(kind: type) -> Kind:
    """The instances of a class."""
    return Kind(lambda value: isinstance(value, kind), with_article(kind.__name__))


FLAG = Kind(lambda value: type(value).__name__ in ("bool", "bool_") or (type(value) is int and value in (0, 1)), "True or False")
"""NumPy's truths, too, and the numbers that equal one."""
TEXT = instance(str)._replace(text="a text")
PATH = Kind(lambda value: isinstance(value, (str, os.PathLike)), "a path")
"""`os.fsdecode` makes it a text. Bytes are none: they may be what stands in a file."""
MAPPING = Kind(lambda value: isinstance(value, Mapping), "a dict")
FUNCTION = Kind(callable, "a function")
TEXTS = Kind(
    lambda value: isinstance(value, Collection) and not isinstance(value, (str, bytes)) and all(isinstance(each, str) for each in value),
    "a tuple of texts",
    'Write ("layers.0",): a tuple, also of one.',
)
ARGUMENTS = Kind(lambda value: isinstance(value, (tuple, list)), "a tuple of arguments", "Pass the arguments as a tuple: (x,).")


def listed(kind: type, text: str) -> Kind:
    """Lists and tuples of instances of a class."""
    return Kind(lambda value: isinstance(value, (list, tuple)) and all(isinstance(each, kind) for each in value), text)


_OF_NUMBERS = ("bool", "int", "float")
"""Symbolic numbers are called so, too."""


def _is_truth(value: Any) -> bool:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return not isinstance(value, type) and value.dtype.kind in "biufc" and math.prod(value.shape) == 1
    return isinstance(value, numbers.Number) or type(value).__name__ in _OF_NUMBERS


TRUTH = Kind(_is_truth, "a truth, a number or an array of one element", "Compare: x.sum() > 0, len(items) > 0, (x > 0).all().")
"""What decides a branch, or is checked. Texts and containers are none: most that stand there were
to be compared.
"""


def takes(**kinds: Kind) -> Callable[[_F], _F]:
    """A decorator: the function's parameters of these names take these kinds of values.

    >>> @takes(path=PATH.optional)
    ... def write(path=None): ...
    >>> write(3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    npexport.symshapes.errors.UserError: E201 bad-argument: path is an int, not a path
    ...
    """

    def decorate(function: _F) -> _F:
        positions = {name: place for place, name in enumerate(inspect.signature(function).parameters)}
        rows = [(name, positions[name], kind) for name, kind in kinds.items()]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for name, place, kind in rows:
                if place < len(args):
                    require(name, args[place], kind)
                elif name in kwargs:
                    require(name, kwargs[name], kind)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def field_kinds(**kinds: Kind) -> Callable[[_C], _C]:
    """A decorator: the class takes these kinds of values for its fields.

    >>> import dataclasses
    >>> @field_kinds(name=TEXT)
    ... @dataclasses.dataclass
    ... class Named:
    ...     name: str
    >>> Named(3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    npexport.symshapes.errors.UserError: E201 bad-argument: name is an int, not a text
    ...
    """

    def decorate(cls: _C) -> _C:
        cls.__init__ = takes(**kinds)(cls.__init__)  # type: ignore[misc]
        return cls

    return decorate


def require(name: str, value: Any, kind: Kind) -> None:
    """Raises ``UserError`` (E201) where the parameter does not take the value."""
    if not kind.fits(value):
        what = "None" if value is None else with_article(value.__class__.__name__)
        raise UserError("E201", f"{name} is {what}, not {kind.text}", hint=kind.hint)
