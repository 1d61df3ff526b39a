"""What the constructors and methods of layers take, told by their annotations.

The checks are Python of this room, which a tracer interprets: they may stand in traced programs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from npexport.symshapes.parameters import FLAG, FUNCTION, TEXT, Kind, require

LAYERS = "npexport.runtime.nn."
_F = TypeVar("_F", bound=Callable[..., Any])


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and getattr(value, "shape", ()) == ()


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__")


def _is_whole_or_none(value: Any) -> bool:
    return value is None or _is_whole(value)


def _is_dtype(value: Any) -> bool:
    try:
        np.dtype(value)
    except (TypeError, ValueError):
        return False
    return True


def _all(fits: Any) -> Any:
    return lambda value: isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict)) and all(map(fits, value))


def _either(text: str, *fits: Any) -> Kind:
    return Kind(lambda value: any(each(value) for each in fits), text)


_ARRAY = Kind(lambda value: hasattr(value, "shape") and not isinstance(value, type), "an array")
_FLOAT = Kind(_is_number, "a number")
_MODULE = Kind(lambda value: hasattr(value, "named_parameters"), "a Module")
_SIZES = _either("an integer or a tuple of integers", _is_whole, _all(_is_whole))
_KINDS = {
    "bool": FLAG,
    "int": Kind(_is_whole, "an integer"),
    "float": _FLOAT,
    "str": TEXT,
    "DTypeLike": Kind(_is_dtype, "a dtype"),
    "np.random.Generator": Kind(lambda value: hasattr(value, "bit_generator"), "a numpy.random.Generator"),
    "Sizes": _SIZES,
    "Sizes | Sequence[int | None]": _either("an integer or a tuple of integers and None", _is_whole, _all(_is_whole_or_none)),
    "Sizes | str": _either("an integer, a tuple of integers or a text", _SIZES.fits, TEXT.fits),
    "Sequence[int]": Kind(_all(_is_whole), "a tuple of integers"),
    "float | Sequence[float]": _either("a number or a tuple of numbers", _is_number, _all(_is_number)),
    "Array": _ARRAY,
    "Module": _MODULE,
    "str | Callable[[Array], Array]": _either("a text or a function", TEXT.fits, callable),
    "Callable[[Array, Array], Array]": FUNCTION,
    "Callable[..., Any]": FUNCTION,
    "Callable[[Module], Any]": FUNCTION,
    "Iterable[Any]": Kind(lambda value: isinstance(value, Iterable), "a list"),
}
"""By what an annotation says; with ``| None`` the parameter may also be ``None``. Of annotations
that are not here, nothing is asked.
"""


def checked(function: _F) -> _F:
    """The function, which refuses what its annotations do not say (E201)."""
    code = function.__code__
    rows = []
    for place, name in enumerate(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]):
        said = function.__annotations__.get(name, "")
        kind = _KINDS.get(said.removesuffix(" | None"))
        if kind is not None:
            rows.append((name, place if place < code.co_argcount else None, kind.optional if said.endswith(" | None") else kind))
    if not rows:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for name, place, kind in rows:
            if place is not None and place < len(args):
                value = args[place]
            elif name in kwargs:
                value = kwargs[name]
            else:
                continue
            if not kind.fits(value):
                require(name, value, kind)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]
