"""Stand-ins of arguments, and the errors that NumPy raises for them: arrays of the same shapes and
dtypes that own one element of memory, and numbers as examples of those that only the data know.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.meta import MOST_AXES, TensorMeta
from npexport.ir.printing import value_text
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, is_symbolic

_SMALL = 10_000

_READING: ContextVar[bool] = ContextVar("reading", default=False)


@contextmanager
def reading() -> Iterator[None]:
    """While this is active, arguments may be what a hostile file says: no kernel is called with
    those that make it work for long or take much memory."""
    token = _READING.set(True)
    try:
        yield
    finally:
        _READING.reset(token)


def works_long(given: Any) -> bool:
    """Whether a kernel might work long with arguments that are read: with as many elements as
    arrays have, and as numbers say."""
    if not _READING.get():
        return False
    numbers = [size for leaf in leaves_of(given) for size in (leaf.shape if isinstance(leaf, TensorMeta) else (leaf,))]
    sizes = [abs(example(number)) for number in numbers if isinstance(number, (int, np.integer, SymInt))]
    return math.prod([max(1, int(size)) for size in sizes]) > _SMALL


def require_little(kernel: Callable[..., Any], given: Any) -> None:
    """Refuse a call with which the kernel, if asked, might work long.

    Raises ``Unsupported``: E103 where sizes that only the data know have a part in it, or E101.
    """
    if works_long(given):
        name = getattr(kernel, "__name__", kernel)
        raise Unsupported("E103" if unknown_numbers(given) else "E101", f"{name} takes no arguments of these shapes and types")


def has_large(given: Any) -> bool:
    """Whether there are arrays of many elements among arguments."""
    return any(isinstance(leaf, TensorMeta) and math.prod(map(example, leaf.shape)) > _SMALL for leaf in leaves_of(given))


def of_axes_alone(given: Any) -> Any:
    """Stand-ins that have the axes of arrays and no more elements than those need, beside numbers
    that may be axes."""
    return map_leaves(given, _of_axes_alone)


def _of_axes_alone(value: Any) -> Any:
    if isinstance(value, TensorMeta) and not value.scalar:
        return np.zeros([min(example(size), 1) for size in value.shape], value.dtype)
    if type(value) is int or isinstance(value, SymInt):
        return max(-MOST_AXES - 1, min(MOST_AXES + 1, example(value)))
    return stand_in(value)


def raise_like(kernel: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise what ``kernel`` raises for arguments of these shapes and dtypes.

    Raises ``Unsupported`` (E103) where it raises that for some of the numbers that only the data
    know, and not for others; E101 where NumPy takes what the rule does not: arguments that have no
    meaning, and with which NumPy does nothing.
    """
    numbers = unknown_numbers((args, kwargs))
    require_little(kernel, (args, kwargs))
    found = [error_of(kernel, stand_in(args, unknown), stand_in(kwargs, unknown)) for unknown in (UNKNOWN if numbers else UNKNOWN[:1])]
    if found[0] is not None and all(same_error(found[0], other) for other in found[1:]):
        raise found[0]
    if any(found):
        raise Unsupported("E103", f"NumPy refuses this call of {getattr(kernel, '__name__', kernel)} for sizes that only the data know")
    given = ", ".join([*map(value_text, args), *[f"{name}={value_text(value)}" for name, value in kwargs.items()]])
    raise Unsupported(
        "E101",
        f"{getattr(kernel, '__name__', kernel)}({given}), which NumPy {np.__version__} takes",
        hint="Write what NumPy documents, which every NumPy takes.",
    )


UNKNOWN = (1, 7, 0, 2, 3, -1)
"""Examples of numbers that only the data know. An error that a call raises for all of them, with
the same message, it raises for all data.
"""


def unknown_numbers(given: Any) -> bool:
    """Whether there are numbers, or sizes of arrays, among arguments that only the data know."""
    shapes = [(getattr(leaf, "shape", None), leaf) for leaf in leaves_of(given)]  # a module may have a function of this name
    numbers = [number for shape, leaf in shapes for number in (shape if isinstance(shape, tuple) else (leaf,))]
    return not all(number.env.shows(number) for number in numbers if is_symbolic(number))


def error_of(function: Callable[..., Any], args: Any, kwargs: Any) -> Exception | None:
    """What a call raises; nothing is warned of."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*args, **kwargs)
        except Exception as error:
            require_own(error)
            return error
    return None


def same_error(first: Exception, other: Exception | None) -> bool:
    """Whether two exceptions are of the same type and say the same."""
    return type(other) is type(first) and str(other) == str(first)


def stand_in(value: Any, unknown: int = 1) -> Any:
    """``value`` with every meta replaced by an array of its shape and dtype that owns one element,
    sizes by the example's, ``unknown`` for those that only the data know."""
    if isinstance(value, TensorMeta):
        if value.scalar:
            return np.zeros((), value.dtype)[()]
        shape = tuple([example(size, unknown) for size in value.shape])
        small = math.prod(shape) <= _SMALL  # and laid out like any other array
        return np.zeros(shape, value.dtype) if small else np.broadcast_to(np.zeros((), value.dtype), shape)
    if isinstance(value, (SymInt, SymBool, SymFloat)):
        return example(value, unknown)
    if isinstance(value, (tuple, list)):
        return type(value)([stand_in(item, unknown) for item in value])
    if isinstance(value, dict):
        return {key: stand_in(item, unknown) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*[stand_in(bound, unknown) for bound in (value.start, value.stop, value.step)])
    return value


def example(size: Any, unknown: int = 1) -> Any:
    """The number at the example inputs; ``unknown``, as one of its type, where it depends on data.

    On a side of a branch that the example does not take, the nearest that is possible there.
    """
    if not isinstance(size, (SymInt, SymBool, SymFloat)):
        return size
    found = size.python(unknown) if size.hint is None else size.hint
    if type(size) is SymInt:
        interval = size.env.facts.bounds(size.expression)
        found = found if found <= interval.upper else int(interval.upper)
        found = found if found >= interval.lower else int(interval.lower)
    return found
