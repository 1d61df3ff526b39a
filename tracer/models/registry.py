"""What is known of C callables: one row each.

A row holds everything that is known of its callable; `callables.lookup` reads it. Callables are
named by ``module`` and ``function`` or ``Type.method``, where the type is the C type that defines
the method; ``Type.*`` and ``*`` stand for all that have no row of their own. Modules in
``FILLED_BY`` declare rows, with :func:`rows` or, if a row has a model, with the decorator
:func:`models`. A callable has one row: a second one is refused. A Python function that has a model
has a row, too.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from npexport.symshapes.declarations import Declarations

Model = Callable[..., Any]
"""Called as ``model(world, vm, fn, args, kwargs)``: it may run ``fn``, return a result of its own,
return an ``Invoke``, or refuse.
"""

FILLED_BY = {
    "iteration": ("counted",),
    "containers": ("filled_lists", "data_keys", "membership", "container_methods"),
    "numbers": ("mixed_numbers", "complex_numbers", "texts", "sizes_in_order", "powers", "spelled_methods"),
    "operators": ("checking", "control_flow", "custom_ops", "compiled"),
    "arrays": (
        "numpy_functions", "numpy_ranges", "numpy_stacking", "numpy_series", "numpy_text", "numpy_views", "numpy_types", "numpy_api",
        "numpy_bytes", "numpy_random", "object_arrays", "pyfuncs",
    ),
    "packages": ("libraries", "assertions", "validation", "scipy_filters", "scipy_fits", "trees"),
    "callables": (
        "pure", "builtin_rows", "refused", "python", "caches", "output", "callbacks", "references", "searches", "threads",
    ),
}  # fmt: skip
"""The modules that declare rows, by their rooms in this package."""

DECLINED: Final = object()
"""Returned by a model that leaves the call to the rest of its row."""


class Refusal(NamedTuple):
    """Why a callable cannot be part of an exported program."""

    code: str
    what: str
    hint: str | None = None
    reads: bool = False
    """Whether it changes nothing outside, so that it may run while a program is exported."""


class Feed(NamedTuple):
    """How iterables written in Python are passed to C code that iterates over its arguments: by a
    polyfill, for all arguments or for the first one.
    """

    polyfill: Callable[..., Any]
    only_first: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one callable. What is not stated is unknown, and treated in the safe way."""

    model: Model | None = None
    """What it means while tracing."""
    refused: Refusal | None = None
    """Why no program may call it."""
    pure: bool | None = None
    """Its result depends on its arguments only, and it writes to nothing else. For a type: the same
    holds for its methods, on the object.
    """
    asks: bool | None = None
    """Whether it reads numbers among its arguments itself, so that sizes become constants. By
    default it does.
    """
    iterates: Literal["items", "text", "pop"] | None = None
    """How it depends on the order of a set: it iterates over its arguments, makes text of them, or
    takes one item.
    """
    calls: Callable[..., Any] | None = None
    """The polyfill that is interpreted instead where it would call Python, or a C function that the
    world answers for.
    """
    feeds: Feed | None = None
    """How iterables written in Python are passed to it where C cannot call Python."""
    sizes: Callable[..., Any] | None = None
    """What is called instead if an argument is a size; by default the entry of
    ``symshapes.functions.MODELS``.
    """
    scalars: Literal["kept", "integers", "floats"] | None = None
    """What happens with NumPy scalars beside sizes: they are kept, since it returns one of them or
    the result of their operators; or they become Python integers or floats, if only the data know
    them. By default they become numbers if NumPy computes them from sizes only.
    """
    typed: int | None = None
    """The index of the argument whose type it examines."""
    form: str | None = None
    """The text that it makes of data, as a form of ``DataText``."""


def receiver(fn: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The object of a method call, bound or not, and the other arguments."""
    bound = getattr(fn, "__self__", None)
    return (args[0], args[1:]) if args and (bound is None or isinstance(bound, (types.ModuleType, type))) else (bound, args)


def operands(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, with the object of a bound method in front."""
    bound = getattr(fn, "__self__", None)
    return args if bound is None or isinstance(bound, (types.ModuleType, type)) else (bound, *args)


ROWS: dict[tuple[str, str], Row] = {}
OF_NUMPY: dict[Any, Callable[..., Any]] = {}
"""NumPy's own callables, whose names are not reliable: the function that is called instead of each,
with its own signature.
"""
_UNKNOWN = Row()
_DECLARED = Declarations()


def rows(module: str, names: str, **facts: Any) -> None:
    """Declare the row of one callable, or of several of which the same is known.

    Refuses a second row.
    """
    row = Row(**facts)
    for name in names.split():
        if (module, name) in ROWS and not _DECLARED.gives_way((module, name)):
            raise ValueError(f"{module}.{name} has two rows")
        _DECLARED.note((module, name))
        ROWS[module, name] = row


def models(module: str, *names: str, **facts: Any) -> Callable[[Model], Model]:
    """Declare the row of callables that mean the same, with the function below as its model."""

    def register(model: Model) -> Model:
        rows(module, " ".join(names), model=model, **facts)
        return model

    return register


def of_numpy(calls: Mapping[Any, Callable[..., Any]]) -> None:
    """Declare what is called instead of NumPy's own callables. Refuses a second row."""
    if twice := [call for call in calls if call in OF_NUMPY and not _DECLARED.gives_way(call)]:
        raise ValueError(f"{twice} have two rows")
    for call in calls:
        _DECLARED.note(call)
    OF_NUMPY.update(calls)


def row(module: str, name: str) -> Row:
    """The row of the callable of this name itself, not of its type or module."""
    return ROWS.get((module, name), _UNKNOWN)


def said(module: str, name: str, fact: str) -> Any:
    """The row of the callable, or else that of its type's methods, of its type, of its module;
    ``None`` if there is none.
    """
    owner = name.partition(".")[0]
    for place in (name, f"{owner}.*", owner, "*"):
        known = getattr(row(module, place), fact)
        if known is not None:
            return known
    return None


def fill() -> None:
    """Import the modules that declare rows."""
    for room, names in FILLED_BY.items():
        for name in names:
            importlib.import_module(f"{__package__}.{room}.{name}")
