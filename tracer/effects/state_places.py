"""Places of the exported object whose values are state: of one kind (`Place`), or of which data
decide what calls find (`Choice`, `MixedPlace`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import content
from npexport.ir.pytree import same_key
from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.mixed import Side, is_number
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion, options_of

NUMBERS: dict[type, tuple[type, ...]] = {bool: (bool, SymBool), int: (int, SymInt), float: (float, SymFloat), complex: (complex, Complex)}
"""Python numbers that may be state, each with the types that stand for it while tracing."""
IS_SET, IS_PYTHON, OPTION, IS_OPTION = ".is_set", ".is_python", ".option_", ".is_option_"
"""What the paths of such truths, and of options, end with."""
DTYPES: dict[type, type] = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
"""The dtypes in which state is stored."""


def inputs_in(shape: tuple[Any, ...]) -> frozenset[str]:
    """The sizes of inputs that those of a shape are made of."""
    return frozenset().union(*[size.expression.symbols & size.env.hints.keys() for size in shape if type(size) is SymInt])


class Known:
    """A place that holds the same data after every call."""

    def __init__(self, array: np.ndarray[Any, Any], writeable: bool = True) -> None:
        self.array = array
        self.writeable = writeable

    def equals(self, value: Any) -> bool:
        """Whether the program has left exactly these data here."""
        if type(value) is not ArrayProxy or not value.known or value.storage.version or value.meta.shape != self.array.shape:
            return False
        same = value.dtype == self.array.dtype and value.writeable == self.writeable
        return same and content(np.asarray(value.array)) == content(self.array)


class Place:
    """A place of the exported object whose value is state, and differs from call to call.

    ``kind``: ``bool``, ``int``, ``float``, ``complex`` (a Python number), ``np.generic`` (a NumPy
    scalar), ``np.ndarray``. ``array``: the value in the first call, for a number or a scalar as a
    0-d array; if there is no value yet, an example of its shape and dtype. ``sizes``: the shape,
    with ``None`` for every size that differs from call to call; ``symbols``: the sizes of inputs
    that those are made of. ``first``: whether the first call finds such a value there. ``assumed``:
    the first call finds none, but would do the same with this value.
    """

    def __init__(self, kind: type, array: np.ndarray[Any, Any], shape: tuple[Any, ...] = (), first: bool = False) -> None:
        self.kind = kind
        self.array = array
        self.sizes = tuple([size if type(size) is int else None for size in shape])
        self.symbols = inputs_in(shape)
        self.first = first
        self.assumed = False

    @property
    def has_value(self) -> bool:
        """Whether calls may read it, including the first one."""
        return self.first or self.assumed

    @property
    def places(self) -> list[Place]:
        """This one, as of `Fields`."""
        return [self]

    @property
    def resizes(self) -> bool:
        """Whether calls may leave an array of other sizes."""
        return None in self.sizes

    def widen(self, other: Place | Fields) -> None:
        """Let the sizes differ in which this array and another of its kind do."""
        if isinstance(other, Place) and self.array.dtype == other.array.dtype and len(self.sizes) == len(other.sizes):
            self.sizes = tuple([size if size == known else None for size, known in zip(self.sizes, other.sizes, strict=True)])

    @property
    def value(self) -> Any:
        """The first value as the program would find it; an array is known data."""
        if self.kind is np.ndarray:
            return Known(self.array, bool(self.array.flags.writeable))
        return self.array[()] if self.kind is np.generic else self.kind(self.array)

    def node(self, recorder: Recording, value: Any) -> Any:
        """The node of a number or scalar, as a 0-d array.

        An ``int`` that does not fit raises at run time.
        """
        value = value.scalar(self.array.dtype) if type(value) is Complex else value
        return recorder.again(ops.np.array, value, self.array.dtype)

    def takes(self, value: Any) -> bool:
        """Whether this value may be the state here."""
        if self.kind in NUMBERS:
            return type(value) in NUMBERS[self.kind]
        if self.kind is np.generic:
            return (type(value) is ScalarProxy or isinstance(value, np.generic)) and value.dtype == self.array.dtype
        if type(value) is not ArrayProxy or value.dtype != self.array.dtype or len(value.shape) != len(self.sizes):
            return False
        return all(mine is None or (type(size) is int and size == mine) for mine, size in zip(self.sizes, value.shape, strict=True))

    def parts(self, path: str, value: Any) -> list[tuple[str, Place, Any]]:
        """What this value makes the state at a path: path, place and value of each part."""
        return [(path, self, value)]


def number_place(kind: type, before: Any) -> Place:
    """The place of a Python number; ``before``: what the first call finds."""
    exact = type(before) is kind
    plain = exact or (kind is not bool and isinstance(before, (int, float, np.integer, np.floating)) and not isinstance(before, bool))
    return _place_of(kind, DTYPES[kind], _as_number(before, kind, DTYPES[kind]) if plain else None, exact)


def scalar_place(dtype: np.dtype[Any], before: Any) -> Place:
    """The place of a NumPy scalar; ``before``: what the first call finds."""
    exact = isinstance(before, np.generic) and before.dtype == dtype
    plain = isinstance(before, (int, float, complex, np.number)) or exact
    plain |= isinstance(before, np.ndarray) and before.shape == () and before.dtype == dtype
    return _place_of(np.generic, dtype, _as_number(before, lambda number: number, dtype) if plain else None, exact)


def _place_of(kind: type, dtype: Any, found: np.ndarray[Any, Any] | None, exact: bool) -> Place:
    """``found``: what the first call finds, if a number of this dtype; ``exact``: of this class."""
    return Place(kind, np.zeros((), dtype) if found is None else found, first=exact and found is not None)


def _as_number(before: Any, convert: Callable[[Any], Any], dtype: Any) -> np.ndarray[Any, Any] | None:
    """What the first call finds as a number of this dtype; ``None`` where there is no such number
    (``int(inf)``, one of more than 64 bits).
    """
    number = before.item() if isinstance(before, np.number) and before.dtype != dtype else before
    try:
        return np.array(convert(number), dtype)
    except (OverflowError, ValueError, TypeError):
        return None


class Fields:
    """The state of a tuple of the class ``kind``: a place for each of its items, also of tuples
    within it."""

    def __init__(self, kind: type, items: list[Place | Fields]) -> None:
        self.kind, self.items = kind, items
        self.symbols: frozenset[str] = frozenset().union(*[item.symbols for item in items])

    @property
    def places(self) -> list[Place]:
        """The places of the items, and of those within them."""
        return [place for item in self.items for place in item.places]

    @property
    def resizes(self) -> bool:
        """Whether calls may leave an array of other sizes in it."""
        return any(item.resizes for item in self.items)

    def widen(self, other: Place | Fields) -> None:
        """Let the sizes differ that differ in another of its kind."""
        for item, known in zip(self.items, other.items if isinstance(other, Fields) else (), strict=False):
            item.widen(known)

    def takes(self, value: Any) -> bool:
        """Whether this value may be the state here."""
        if not isinstance(value, tuple) or type(value) is not self.kind:
            return False
        parts = [*tuple.__iter__(value)]
        return len(parts) == len(self.items) and all(item.takes(part) for item, part in zip(self.items, parts, strict=True))

    def parts(self, path: str, value: Any) -> list[tuple[str, Place, Any]]:
        """What this value makes the state, as for a `Place`."""
        pairs = enumerate(zip(self.items, tuple.__iter__(value), strict=True))
        return [part for number, (item, within) in pairs for part in item.parts(f"{path}[{number}]", within)]

    def found(self, read: Callable[[Any, str], Any], origin: str) -> Any:
        """What the program finds here."""
        return tuple.__new__(self.kind, [read(item, f"{origin}[{number}]") for number, item in enumerate(self.items)])


class Choice:
    """A place of the exported object where the data decide which of several values calls find."""

    may_be_absent = False
    """Whether calls may find nothing here."""

    def found(self, read: Callable[[Any, str], Any], origin: str) -> tuple[list[Any], list[Any]]:
        """What the program finds here: values, and for all but the last the truth that it is that
        one. ``read``: what it finds at a path where state is, or data that are known.
        """
        raise NotImplementedError


class IsSet(NamedTuple):
    """The truth that state is there, of one place or of several, and where it is kept.
    ``together``: whether others may share it.
    """

    place: Place
    path: str
    together: bool

    @classmethod
    def at(cls, path: str, together: bool = False) -> IsSet:
        """That of a place, which is not set when the first call begins."""
        return cls(Place(bool, np.array(False), first=True), path + IS_SET, together)


class Open(Choice):
    """A place of the exported object where the first call finds no state, but ``before`` (``None``,
    a text, a number or an array of another kind; `NULL`: no attribute or key), and later calls find
    either that or state.

    ``value``: the state, once it is there; ``is_set``: the truth that it is, which may be that of
    several places. ``stand_in``: of an array ``before``, as the run finds it.
    """

    first = has_value = True

    def __init__(self, before: Any, value: Place | Fields, stand_in: Any, is_set: IsSet) -> None:
        for place in value.places:
            place.assumed = True  # nobody reads it before it is set
        self.before, self.value, self.may_be_absent, self.stand_in = before, value, before is NULL, stand_in
        self.is_set = is_set

    def takes(self, value: Any) -> bool:
        """Whether this value may be the state here."""
        found = self.states(value)
        return not found or (len(found) == 1 and self.value.takes(found[0][1]))

    def states(self, value: Any) -> list[tuple[Any, Any]]:
        """The possible values beside what the first call finds: truths, each with its value."""
        return states_beside(self.before, value, self.stand_in)

    def parts(self, path: str, value: Any) -> list[tuple[str, Place, Any]]:
        """What this value makes the state, as for a `Place`."""
        found = self.states(value)
        truth = self.is_set.path, self.is_set.place, found[0][0] if found else False
        return [*[part for _, state in found for part in self.value.parts(path, state)], truth]

    def found(self, read: Callable[[Any, str], Any], origin: str) -> tuple[list[Any], list[Any]]:
        value, is_set = read(self.value, origin), read(self.is_set.place, self.is_set.path)
        if type(self.before) is not np.ndarray:
            return [self.before, value], [sym_not(is_set)]
        self.stand_in = read(Known(self.before, bool(self.before.flags.writeable)), origin)
        return [self.stand_in, value], [sym_not(is_set)]


def is_set_of(places: dict[str, Any], path: str, value: Any, is_added: bool) -> IsSet:
    """The truth that state is there, at this path beside the other places. What the first call adds
    to one object, whatever the data, is there together as long as no later call tells otherwise:
    then each place has a truth of its own.
    """
    held, others = places.get(path), {at: each for at, each in places.items() if type(each) is Open}
    for at, each in others.items():
        if type(held) is Open and each is not held and each.is_set is held.is_set:
            each.is_set = IsSet.at(at)
    together = is_added and type(value) is not SymbolicUnion
    shared = [each.is_set for at, each in others.items() if together and each.is_set.together and _owner(at) == _owner(path)]
    return shared[0] if shared else IsSet.at(path, together)


def _owner(path: str) -> str:
    """The path of the object that holds what is at a path."""
    return path[: max(map(path.rfind, ".["))]


def states_beside(before: Any, value: Any, stand_in: Any) -> list[tuple[Any, Any]]:
    """The options of a value but for what the first call finds: truths, each with the value."""

    def is_before(option: Any) -> bool:
        return bool(option is stand_in and not option.storage.version) if type(option) is ArrayProxy else same_key(before, option)

    return [(test, option) for test, option in options_left(value) if not is_before(option)]


def options_left(value: Any) -> list[tuple[Any, Any]]:
    """The options of what a call leaves in a place, which may be nothing (`NULL`)."""
    if type(value) is DataText:
        return value.options()
    return [(True, NULL)] if value is DELETED else options_of(value)


class MixedPlace:
    """A place of the exported object whose number is Python's after some calls and NumPy's after
    others (`Mixed`).

    ``kind``: its type where it is Python's; ``value``: the number as a NumPy scalar; ``python``:
    the truth that it is Python's. ``first``: whether the first call finds such a number.
    """

    def __init__(self, kind: type, value: Place, before: Any) -> None:
        self.kind, self.value = kind, value
        self.first = value.first = self.takes(before)
        self.python = Place(bool, np.array(not isinstance(before, np.generic)), first=self.first)
        self.columns = [self.value, self.python]

    @property
    def plain(self) -> Any:
        """The first value as Python's, where the first call finds none of this kind."""
        return self.kind(self.value.array)

    @property
    def has_value(self) -> bool:
        """Whether calls may read it, the first one too."""
        return self.value.has_value

    def takes(self, value: Any) -> bool:
        """Whether a value may stand here."""
        side = Side(value) if is_number(value) else None
        dtype = self.value.array.dtype
        return side is not None and side.kind in (None, self.kind) and side.dtype in (None, dtype) and side.fits(self.kind, dtype)

    def parts(self, path: str, value: Any) -> list[tuple[str, Place, Any]]:
        """What the state becomes by this value, as of a `Place`."""
        side = Side(value)
        return [(path, self.value, side.scalar(self.value.array.dtype)), (path + IS_PYTHON, self.python, side.python)]


class Several(Choice):
    """A place of the exported object where calls leave one of several values, as data decide.

    ``options``: constants (`NULL`: nothing), and a `Place` for each value that is state;
    ``chosen``: by option, the truth that it is that one. ``first``: whether the first call finds
    one of the constants; otherwise no call may read what it finds.
    """

    def __init__(self, options: list[Any], before: Any) -> None:
        self.options, self.may_be_absent = options, any(option is NULL for option in options)
        found = option_number(options, before)
        self.first = self.has_value = found is not None and type(options[found]) is not Place
        self.chosen = [Place(bool, np.array(self.first and number == found), first=self.first) for number in range(len(options))]
        self.value = self.chosen[0]
        for place in self.places:
            place.assumed = self.first  # nobody reads it before it is chosen

    @property
    def places(self) -> list[Place]:
        """The options that are state."""
        return [option for option in self.options if type(option) is Place]

    def takes(self, value: Any) -> bool:
        """Whether this value may be left here."""
        found = [option_number(self.options, option) for _, option in options_left(value)]
        return None not in found and len({*found}) == len(found)

    def parts(self, path: str, value: Any) -> list[tuple[str, Place, Any]]:
        """What this value makes the state, as for a `Place`."""
        tests = {option_number(self.options, option): (test, option) for test, option in options_left(value)}
        found = [(f"{path}{IS_OPTION}{number}", place, tests.get(number, (False,))[0]) for number, place in enumerate(self.chosen)]
        states = [(number, place) for number, place in enumerate(self.options) if type(place) is Place and number in tests]
        return [*found, *[(f"{path}{OPTION}{number}", place, tests[number][1]) for number, place in states]]

    def found(self, read: Callable[[Any, str], Any], origin: str) -> tuple[list[Any], list[Any]]:
        parts = [(f"{origin}{OPTION}{number}", option) for number, option in enumerate(self.options)]
        options = [read(option, path) if type(option) is Place else option for path, option in parts]
        tests = [read(chosen, f"{origin}{IS_OPTION}{number}") for number, chosen in enumerate(self.chosen)]
        return options, tests[:-1]


def turns(value: Any) -> bool:
    """Whether a value may be one of those among which calls go on from one to the next."""
    return value is None or type(value) is str or isinstance(value, enum.Enum)


def option_number(options: list[Any], value: Any) -> int | None:
    """The number of the constant or place that takes a value."""
    fits = [option.takes(value) if type(option) is Place else same_key(option, value) for option in options]
    return fits.index(True) if True in fits else None
