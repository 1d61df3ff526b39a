"""Shadows: the program only ever sees copies of mutable objects that existed before the call, under
one identity memo.

Laws:

1. ``enter`` is a function of identity: the same object gives the same shadow, and the shadow of a
   shadow is itself.
2. A shadow is complete when ``enter`` returns: nothing reachable from it by attributes and items is
   an original mutable object.
3. No Python of the user's runs while copying: contents are read by C, and tables filled with the
   hashes that they store (:mod:`hashing`). What cannot be copied so is fenced.
4. Arrays become what ``lift`` makes of them; immutable containers are rebuilt only if something in
   them was copied.
"""

from __future__ import annotations

import enum
import functools
import gc
import operator
import types
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.meta import holds_data
from npexport.tracer.effects.copiers import (
    COPIERS,
    LATE,
    by_class,
    copier_of,
    copy_contents,
    enter_state,
    is_stateless,
    state_of,
    step,
)
from npexport.tracer.effects.fence import Fence, shadow_of_method
from npexport.tracer.effects.hashing import can_be_copied, table, unasked
from npexport.tracer.effects.policy import (
    ATOMS,
    FENCED,
    GENERATORS,
    KEPT,
    KEPT_BASES,
    KEPT_C_MODULES,
    KEPT_PYTHON_MODULES,
    is_function_record,
    type_name,
)
from npexport.tracer.effects.recomputed import Recomputed
from npexport.tracer.effects.settled import NOTHING_SETTLED, PLACES, NoItems, Settled
from npexport.tracer.effects.special_methods import special_method_of_an_object
from npexport.tracer.effects.state_places import Known
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.native import NATIVE_TYPES


class Entry(NamedTuple):
    """One object that was copied."""

    original: Any
    shadow: Any
    origin: str


_OF_STATE = (*PLACES, Known, NoItems, Recomputed)


class Shadows:
    """All shadows of one export.

    ``lift(value, origin)`` makes the stand-in of an array, of a `Place`, and of a random generator
    (or ``None``). ``settled``: the contents that objects have after a call, which are copied
    instead of the present ones.
    """

    def __init__(self, lift: Callable[[Any, str], Any], settled: Settled = NOTHING_SETTLED) -> None:
        self._lift = lift
        self._memo: dict[int, Any] = {}
        self.alive: list[tuple[Any, Any]] = []  # objects and their shadows
        self.marks: dict[int, object] = {}  # plain objects that the program has met, by identity
        self.inputs: set[int] = set()  # containers of the inputs, by identity
        self.entries: list[Entry] = []
        self.parts: list[tuple[str, Any]] = []  # of immutable objects that were made again: path and original
        self._queue: deque[tuple[Any, Any, str]] = deque()
        self._late: deque[tuple[Any, Any, str]] = deque()
        self._busy = False
        self._origins: dict[int, str] = {}
        self._shared: dict[int, set[str]] = {}  # the other paths to an object, by its identity
        self._replaced: dict[int, Any] = {}  # what the program put in the place of an object, by its identity
        self.cells: dict[int, tuple[types.CellType, types.CellType, str]] = {}
        self.settled = settled
        self.note_absent: Callable[[Any], None] | None = None  # told of every copy, if one may lack what calls set
        self.unfenced: tuple[str, ...] = ()  # classes whose objects are shadowed like others, by name
        self.watchers: list[Callable[[Any, str], None]] = []  # told of everything that is entered, with its origin

    def enter(self, value: Any, origin: str) -> Any:
        """What the program sees of ``value``."""
        if type(value) in KEPT:
            if type(value) is object:
                self.marks[id(value)] = value
            return value
        if self._busy:
            return self._enter(value, origin)
        self._busy = True
        try:
            shadow = self._enter(value, origin)
            self._drain()
        finally:
            self._busy = False
        for watch in self.watchers:
            watch(shadow, origin)
        return shadow

    def adopt(self, value: Any, shadow: Any) -> None:
        """Fix the shadow of an object: of inputs, and of objects that the world itself made."""
        self._memo[id(value)] = shadow
        self._memo[id(shadow)] = shadow
        self.alive.append((value, shadow))

    def replace(self, original: Any, new: Any, origin: str) -> None:
        """Let an object that the program made stand for ``original`` from now on."""
        self.adopt(original, new)
        self._replaced[id(original)] = new
        image = self.image(original)
        self._memo[id(image)] = new
        self.entries = [entry for entry in self.entries if entry.original is not image]
        self.entries.append(Entry(image, new, origin))

    def image(self, original: Any) -> Any:
        """The object at the beginning of the call: itself, or what earlier calls made of it."""
        return self.settled.images.get(id(original), original)

    def was_replaced(self, original: Any) -> bool:
        """Whether another object stands for this one."""
        return id(original) in self._replaced

    def is_outside(self, value: Any) -> bool:
        """Whether this is an object from outside, or the shadow of one."""
        return id(value) in self._memo

    def has_met(self, value: Any) -> bool:
        """The same, also of objects that nobody copies since they are nothing but themselves."""
        return id(value) in self.marks or self.is_outside(value)

    def path_of(self, value: Any) -> str:
        """The path by which the program reached an object first; empty if it holds nothing."""
        found = next((entry.origin for entry in self.entries if value is entry.shadow or value is entry.original), "")
        return found or self._origins.get(id(self.original_of(value)), "")

    def only_name(self, original: Any, origin: str) -> bool:
        """Whether the program reached the object by this path alone."""
        return self._origins.get(id(original)) == origin and id(original) not in self._shared

    def taken_by(self, original: Any, names: dict[str, Any]) -> str | None:
        """The path by which the program reached an object first, if one object stands in all its
        places now, which are ``names``; ``None`` if not.
        """
        first = self._origins.get(id(original), "")
        if names.keys() != {first, *self._shared.get(id(original), ())} or len(set(map(id, names.values()))) > 1:
            return None
        return first

    def aliases(self) -> dict[str, str]:
        """The other paths to objects, each with the first one."""
        return {path: self._origins.get(key, path) for key, paths in self._shared.items() for path in paths}

    def shadow_of(self, value: Any) -> Any:
        """The shadow of an object that was entered; the object itself if it was not, or is kept."""
        return self._memo.get(id(value), value)

    def original_of(self, shadow: Any) -> Any:
        """The object of which this is the shadow; itself where it is of none."""
        return next((value for value, mine in self.alive if mine is shadow and self._replaced.get(id(value)) is not shadow), shadow)

    def _read(self, obj: Any, name: str, origin: str) -> Any:
        """What the program sees of an attribute of a fenced object."""
        return self.enter(getattr(obj, name), f"{origin}.{name}")

    def enter_cell(self, cell: types.CellType, origin: str) -> types.CellType:
        """The shadow cell of a closure's cell."""
        known = self.cells.get(id(cell))
        if known is not None:
            return known[1]
        shadow = types.CellType()
        self.cells[id(cell)] = self.cells[id(shadow)] = (cell, shadow, origin)
        try:
            contents = self.settled.contents(cell)
        except ValueError:  # not bound yet
            pass
        else:
            shadow.cell_contents = self.enter(contents, origin)
        for watch in self.watchers:
            watch(shadow, origin)
        return shadow

    def _enter(self, value: Any, origin: str) -> Any:
        cls = type(value)
        if cls in KEPT:
            if cls is object:
                self.marks[id(value)] = value
            return value
        key = id(value)
        found = self._memo.get(key, self)
        if found is not self:
            if self._origins.get(key) != origin:
                self._shared.setdefault(key, set()).add(origin)
            return found
        self._origins[key] = origin
        if cls in _OF_STATE:
            return self._remember(value, self._lift(value, origin))
        special = _SPECIAL.get(cls)
        if special is not None:
            return self._remember(value, special(self, value, origin))
        if cls in NATIVE_TYPES and cls.__module__.startswith("npexport."):
            return value
        if issubclass(cls, np.ndarray):
            array = value.view(np.ndarray) if cls is np.memmap else value
            plain = type(array) is np.ndarray and holds_data(value.dtype)
            return self._remember(value, self._lift(array, origin) if plain else Fence(value, "E118", origin, self._read))
        if issubclass(cls, enum.Enum):
            return self._enter_member(value, origin)
        if cls.__module__ in GENERATORS:
            stand_in = self._lift(value, origin)
            return self._remember(value, Fence(value, "E107", origin, self._read) if stand_in is None else stand_in)
        if cls.__module__ in KEPT_PYTHON_MODULES or issubclass(cls, KEPT_BASES):
            return self._remember(value, value)
        if issubclass(cls, (tuple, frozenset)):
            return self._remember(value, self._rebuild(value, cls, origin))
        code = _fence_code(cls)
        if code is None or type_name(cls) in self.unfenced:
            return self._copy(value, cls, origin)
        return self._remember(value, Fence(value, code, origin, self._read))

    def _remember(self, value: Any, shadow: Any) -> Any:
        self.adopt(value, shadow)
        return shadow

    def _enter_member(self, value: Any, origin: str) -> Any:
        """A member of an enumeration is one object; a mutable one is read through a fence."""
        self._remember(value, value)
        held = {name: item for name, item in (state_of(value) or {}).items() if type(item) not in KEPT}
        if all(self._enter(item, f"{origin}.{name}") is item for name, item in held.items()):
            return value
        return self._remember(value, Fence(value, "E118", origin, self._read))

    def _copy(self, value: Any, cls: type, origin: str) -> Any:
        copier = copier_of(cls)
        if copier is None:
            code = _uncopyable_code(value, cls)
            return self._remember(value, value if code is None else Fence(value, code, origin, self._read))
        if copier is COPIERS[object] and is_stateless(value):
            return self._remember(value, value)
        image = self.image(value)
        late = issubclass(cls, LATE) and not _plain_keys(image)
        if late and not can_be_copied(image):
            return self._remember(value, Fence(value, "E118", origin, self._read))
        shadow = self._remember(value, copier.make(value, cls))
        self._memo[id(image)] = shadow
        self.entries.append(Entry(image, shadow, origin))
        item = (shadow, image, origin)
        if not late:
            self._queue.append(item)
        else:  # keys are hashed when they are put in: first they get their attributes
            for key in _keys(image):
                self._enter(key, f"{origin} key")
            self._late.append(item)
        return shadow

    def _drain(self) -> None:
        while self._queue or self._late:
            shadow, original, origin = (self._queue or self._late).popleft()
            copy_contents(shadow, original, self._enter, origin)
            if self.note_absent is not None:
                self.note_absent(shadow)

    def _rebuild(self, value: Any, cls: type, origin: str) -> Any:
        base: Any = tuple if issubclass(cls, tuple) else frozenset
        shadow: Any
        items = list(base.__iter__(value))
        entered = [item if type(item) in ATOMS else self._enter(item, f"{origin}[{index}]") for index, item in enumerate(items)]
        if not state_of(value) and all(map(operator.is_, items, entered)):
            return value
        if base is frozenset:
            self._drain()  # members need their attributes: what holds this set may be hashed next
            if not can_be_copied(value):
                return Fence(value, "E118", origin, self._read)
            members = {id(old): new for old, new in zip(items, entered, strict=True)}
            with unasked(value, members) as known:
                shadow = base.__new__(cls, table((members[key], None, number) for key, number in known.items()))
        else:
            shadow = base.__new__(cls, entered)
        enter_state(shadow, value, self._enter, origin)
        return shadow


@by_class
def _fence_code(cls: type) -> str | None:
    """The code of a class that is always fenced. (A copy's finaliser would run, too.)"""
    if python_method(cls, "__del__") is not None:
        return "E125"
    if special_method_of_an_object(cls) is not None:
        return "E118"
    return next((FENCED[name] for name in map(type_name, cls.__mro__) if name in FENCED), None)


def _uncopyable_code(value: Any, cls: type) -> str | None:
    """The code that refuses a C object that cannot be copied; ``None`` if it is kept as it is."""
    if hasattr(cls, "fileno") or cls.__module__ in ("_io", "_socket", "_ssl"):
        return "E105"
    if hasattr(cls, "__next__"):
        return "E113"
    return None if cls.__module__ in KEPT_C_MODULES or callable(value) or is_stateless(value) else "E118"


def _plain_keys(value: Any) -> bool:
    return all(type(key) in ATOMS for key in _keys(value))


def _keys(value: Any) -> Any:
    return dict.__iter__(value) if issubclass(type(value), dict) else set.__iter__(value)


def _bound(shadows: Shadows, value: types.MethodType, origin: str) -> Any:
    owner = shadows._enter(value.__self__, f"{origin}.__self__")
    return value if owner is value.__self__ else types.MethodType(value.__func__, owner)


def _bound_builtin(shadows: Shadows, value: types.BuiltinMethodType, origin: str) -> Any:
    owner = value.__self__
    if owner is None or type(owner) in KEPT or issubclass(type(owner), type) or is_function_record(owner):
        return value
    shadow = shadows._enter(owner, f"{origin}.__self__")
    if type(shadow) is Fence:  # C that is handed the method would call it
        return shadow_of_method(shadow, value)
    if shadow is owner:
        return value
    name = value.__name__
    method = next(vars(base)[name] for base in type(owner).__mro__ if type(vars(base).get(name)) in _METHODS)
    return method.__get__(shadow, type(shadow))


_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)


def _partial(shadows: Shadows, value: Any, origin: str) -> Any:
    fn = shadows._enter(value.func, f"{origin}.func")
    shadows.parts += [(f"{origin}.args[{index}]", arg) for index, arg in enumerate(value.args)]
    shadows.parts += [(f"{origin}.keywords[{name!r}]", arg) for name, arg in value.keywords.items()]
    args = [shadows._enter(arg, f"{origin}.args{step(index)}") for index, arg in enumerate(value.args)]
    kwargs = {name: shadows._enter(arg, f"{origin}.keywords{step(name)}") for name, arg in value.keywords.items()}
    made = functools.partial(fn, *args, **kwargs)
    vars(made).update({name: shadows._enter(each, f"{origin}.{name}") for name, each in vars(value).items()})
    shadows.entries.append(Entry(value, made, origin))
    return made


def _view(shadows: Shadows, value: Any, origin: str) -> Any:
    """The keys, values or items of a dictionary from outside are those of its shadow."""
    (owner,) = gc.get_referents(value)
    shadow = shadows._enter(owner, origin)
    return Fence(value, "E118", origin, shadows._read) if type(shadow) is Fence else _VIEWS[type(value)](shadow)


def _super(shadows: Shadows, value: Any, origin: str) -> Any:
    return super(value.__thisclass__, shadows._enter(value.__self__, f"{origin}.__self__"))


def _mapping_proxy(shadows: Shadows, value: Any, origin: str) -> Any:
    (owner,) = gc.get_referents(value)
    shadow = shadows._enter(owner, origin)
    return Fence(value, "E118", origin, shadows._read) if type(shadow) is Fence else types.MappingProxyType(shadow)


_VIEWS: dict[type, Callable[[Any], Any]] = {
    type(getattr(base(), name)()): getattr(base, name) for base in (dict, OrderedDict) for name in ("keys", "values", "items")
}
_SPECIAL: dict[type, Callable[[Shadows, Any, str], Any]] = {
    types.MethodType: _bound,
    types.BuiltinMethodType: _bound_builtin,
    types.MethodWrapperType: _bound_builtin,
    functools.partial: _partial,
    types.MappingProxyType: _mapping_proxy,
    types.CellType: Shadows.enter_cell,
    super: _super,
    **dict.fromkeys(_VIEWS, _view),
}
"""Immutable objects that refer to mutable ones."""
