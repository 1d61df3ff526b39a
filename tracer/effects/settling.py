"""Derives the world of the next call from the writes of a run."""

from __future__ import annotations

import enum
import functools
import operator
import types
from collections import deque
from collections.abc import Container, Iterator
from typing import Any
from weakref import ReferenceType

import numpy as np

from npexport.ir.layout_copies import alike
from npexport.symshapes.errors import Location
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.data_bytes import DataBytes
from npexport.tracer.arrays.core.filled_dict import FilledDict
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import INNER
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.effects.absent_places import may_be_absent, put_absent
from npexport.tracer.effects.benign_caches import only_adds
from npexport.tracer.effects.copiers import contents_of, copier_of, copy_contents, places_of, state_of, step
from npexport.tracer.effects.difference import Write, leads_to
from npexport.tracer.effects.fence import Fence, target_of
from npexport.tracer.effects.names_as_found import name_as_found
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.place_of_values import place_beside, place_of
from npexport.tracer.effects.policy import ATOMS, KEPT, KEPT_BASES, KEPT_C_MODULES, is_constant
from npexport.tracer.effects.recomputed import Recomputed, recomputed
from npexport.tracer.effects.settled import FILLED, LISTS, ListPlace, NoItems, Settled, is_state
from npexport.tracer.effects.settled_lists import CannotSettle, list_place, may_come_first, of_lists, resized, sizes_within
from npexport.tracer.effects.shadows import Entry
from npexport.tracer.effects.shared_state import may_be_untied
from npexport.tracer.effects.state import SELF, belongs_to_root, is_registered
from npexport.tracer.effects.state_places import (
    NUMBERS,
    Known,
    MixedPlace,
    Open,
    Place,
    Several,
    is_set_of,
    number_place,
    option_number,
    options_left,
    scalar_place,
    states_beside,
    turns,
)
from npexport.tracer.effects.stores import Stores
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion

_UNKNOWN = (ArrayProxy, ScalarProxy, SymBool, SymInt, SymFloat, Complex)
_OPEN = (Mixed, SymbolicUnion, DataText, DataBytes, FilledList, FilledDict, *INNER)
"""Values whose type or structure the data decide: they cannot be state."""


class SizesNeeded(Exception):
    """The next call needs the state at ``path`` in the ``sizes`` of the inputs in which the first
    one left it. ``stack``: the line that needs it, if known.
    """

    def __init__(self, sizes: frozenset[str], path: str, stack: tuple[Location, ...] = ()) -> None:
        super().__init__(sizes, path)
        self.sizes = sizes
        self.path = path
        self.stack = stack


class Settling:
    """Follows the runs of one export. ``settled`` is the world after the last of them.

    ``moving``: numbers that a call changes are state, even if a second call might not change them.
    ``recorder``: of the first run; what that run computes from arrays that it does not write, and
    keeps, is not state. ``opening``: where the first call finds no state, later calls find either
    that or state. ``unread``: but no call reads arrays, before it writes them, of sizes that differ
    from call to call. ``growing``: a list that the first call makes longer or shorter may have any
    length; otherwise it may if the next call makes it longer again.
    """

    def __init__(
        self, moving: bool = False, recorder: Recording | None = None, opening: bool = False, unread: bool = False, growing: bool = False
    ) -> None:
        self.settled = Settled()
        self.first: list[Entry] = []  # of the first run
        self._moving = moving
        self._recorder = recorder
        self._opening = opening
        self._unread = unread
        self._growing = growing
        self._recomputed: dict[int, Recomputed | None] = {}  # by identity of the value
        self._found: dict[str, Any] = {}  # what the first call finds, by path
        self._constant: set[str] = set()
        self._untied: dict[str, np.ndarray[Any, Any]] = {}  # what stands for an array under one of its names, by path
        self._filled: set[str] = set()  # by caches outside the exported object
        self._true: dict[int, Any] = {}  # by identity of an image, the original
        self._alive: list[Any] = []

    def after(self, world: ShadowedWorld, writes: list[Write]) -> None:
        """Take over what a run left behind. Raises `CannotSettle`."""
        shadows = world.shadows
        if initial := not self.first:
            self.first = list(shadows.entries)
            for entry in self.first:
                for path, value in _by_path(entry.original, entry.origin).items():
                    self._found.update(_within(path, value))
        copied = {id(mine) for _, mine in shadows.alive if copier_of(type(mine)) is not None}
        self._inverse = {
            id(shadow): value
            for value, shadow in shadows.alive
            if id(shadow) not in shadows.inputs and not (shadow is value and id(value) in copied)
        }
        self._world = world
        self._memo: dict[int, Any] = {}
        if self._growing or not initial:
            writes = list(of_lists(shadows, writes))
        for write in writes:
            if may_be_untied(world, write):
                self._untied[write.path] = self.settled.untie(write.before)
            elif belongs_to_root(write.path):
                self._decide(write, initial)
            elif not initial or not only_adds(write, shadows):
                raise CannotSettle(write.path)
            else:
                self._constant.add(write.path)
                self._filled.add(write.path)
        self._level(writes)
        paths = [write.path for write in writes]
        for entry in shadows.entries:
            if not isinstance(entry.original, tuple) and any(_holds(entry, write) for write in writes):
                self._imagine(entry, paths)
        for cell, shadow, origin in list(shadows.cells.values()):
            if origin in paths and id(cell) not in self.settled.cells:
                self.settled.cells[id(cell)] = self._settle(shadow.cell_contents, origin)
        for write in world.overlay.surviving(shadows.shadow_of):
            self.settled.names.append((write.owner, write.name, self._settle(write.value, write.name)))
        name_as_found(self.settled, [self._true.get(id(root), root) for root, _, origin in self.first if origin == SELF])

    def later(self) -> Settled:
        """The world of later calls; arrays assumed for the first one are arrays of the graph."""
        return self._with({id(place): place.array for place in self._assumed() if place.kind is np.ndarray})

    def assumed(self) -> Settled:
        """The world of later calls, with the data that the first one is assumed to find known."""
        joint = {id(held): NoItems(held) if isinstance(held, ListPlace) else held.plain for held in self._joint() if held.value.assumed}
        return self._with({id(place): place.value for place in self._assumed()} | joint)

    def initial(self) -> Settled:
        """The world of the first call, except that its numbers are state."""
        found = Settled()
        found.places, found.ignored = self.settled.places, frozenset(self._constant)
        found.recomputed, found.aliases, found.ties = self.settled.recomputed, self.settled.aliases, self.settled.ties
        exact = {path: place for path, place in found.places.items() if place.first}
        for entry in self.first:
            if any(leads_to(entry.origin, path) for path in (*exact, *self._untied)) and not isinstance(entry.original, tuple):
                enter = functools.partial(_replaced, places=exact | self._untied)
                image = found.images[id(entry.original)] = self._copy(entry.original, enter, entry.origin)
                put_absent(image, entry.shadow, entry.origin, exact)
        return found

    @property
    def exact(self) -> bool:
        """Whether the first call differs from the later ones only in the values of its state."""
        return not self._constant and all(place.first for place in self.settled.places.values())

    @property
    def assumes(self) -> bool:
        """Whether the first call is assumed to find what it does not."""
        return bool(self._assumed()) or any(held.value.assumed for held in self._joint())

    def assume(self, places: list[Place]) -> None:
        """Let the first call find these.

        Raises `SizesNeeded` where their sizes differ from call to call, `CannotSettle` where they
        are assumed already.
        """
        paths = {id(place): path for path, place in self.settled.places.items()}
        for place in places:
            joint = next((held for held in self._joint() if place in held.columns), None)
            if joint is not None and not place.assumed:
                for column in joint.columns:
                    column.assumed = True
                continue
            if place.symbols and id(place) in paths:
                raise SizesNeeded(place.symbols, paths[id(place)])
            if place.assumed or place.resizes or id(place) not in paths:
                raise CannotSettle
            place.assumed = True

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays that the first call is assumed to find, where they have an order, by path."""
        assumed = self._assumed()
        return {path: place.array for path, place in self.settled.places.items() if place in assumed and place.array.ndim > 1}

    @property
    def fills(self) -> bool:
        """Whether the first call fills caches outside the exported object."""
        return bool(self._filled)

    def require_entered(self, places: Container[Place]) -> None:
        """Raises `CannotSettle` where the later calls found something else in a place of the state
        than they leave there.
        """
        for path, held in self.settled.places.items():
            place = (held if type(held) is Place else held.value).places[0]
            if place not in places and not (place.assumed and place.kind is np.ndarray):
                raise CannotSettle(path)

    def require_remembered(self, world: ShadowedWorld, stores: Stores) -> None:
        """Raises `CannotSettle` if a later call rewrites a cache outside the object."""
        for entry in world.shadows.entries:
            before, after = _by_path(entry.original, entry.origin), _by_path(entry.shadow, entry.origin)
            for path in before.keys() & self._filled:
                moved = after.get(path, DELETED) is not world.shadows.shadow_of(before[path])
                place = path[len(entry.origin) :]
                if moved or stores.makes(entry.shadow, place) or stores.makes(state_of(entry.shadow), step(place[1:])):
                    raise CannotSettle(path)

    def _assumed(self) -> list[Place]:
        return [place for place in self.settled.places.values() if type(place) is Place and place.assumed]

    def _joint(self) -> list[ListPlace | MixedPlace]:
        return [place for place in self.settled.places.values() if isinstance(place, (ListPlace, MixedPlace))]

    def _with(self, values: dict[int, Any]) -> Settled:
        found = Settled()
        found.places, found.cells, found.names = self.settled.places, self.settled.cells, self.settled.names
        found.images, found.ties = dict(self.settled.images), self.settled.ties
        if values:
            for key, image in found.images.items():
                copied = self._copy(image, lambda value, path: _swapped(value, values), "")
                found.images[key] = copied
                self._true[id(copied)] = self._true[id(image)]
                self._alive.append(copied)
        return found

    def _copy(self, source: Any, enter: Any, origin: str) -> Any:
        copier = copier_of(type(source))
        if copier is None:
            raise CannotSettle(origin)
        image = copier.make(source, type(source))
        copy_contents(image, source, enter, origin)
        return image

    # Places

    def _decide(self, write: Write, initial: bool) -> None:
        before = self._found.get(write.path, DELETED)
        again = write.path in self._constant or write.path in self.settled.places
        again |= self._moving and type(before) in NUMBERS and type(write.after) in NUMBERS
        again |= not initial and any(leads_to(added, write.path) for added in self._constant)
        place: Any = None
        if not (initial and self._again(write.after) is not None):
            grows = self._growing or not initial or type(write.after) in FILLED
            listed = self._listed(write, before) if grows else None
            place = listed or self._opened(write, before, initial) or self._several(write, before) or place_of(before, write.after, again)
        if place is not None:
            if type(place) is Place and place.kind is np.ndarray is type(before) and is_registered(write.owner, write.name):
                self._require_like(place, before, write.path)
            self.settled.places[write.path] = place
            self._constant.discard(write.path)
        elif again or not initial:  # after one call all is as it stays
            raise CannotSettle(write.path)
        else:
            self._constant.add(write.path)

    def _opened(self, write: Write, before: Any, initial: bool) -> Open | None:
        """The place of what is state besides what the first call finds."""
        before, stand_in = self._first_value(write, before), self._world.shadows.shadow_of(before)
        if not self._opening or not may_come_first(self._world, write, before):
            return None
        states = [option for _, option in states_beside(before, write.after, stand_in)]
        place = place_beside(before, states[0]) if len(states) == 1 else None
        if place is None:
            return None
        if self._unread and type(write.after) is ArrayProxy and place.symbols:
            return None
        held = self.settled.places.get(write.path)
        if type(held) is Open:
            place.widen(held.value)
        if place.symbols:
            raise SizesNeeded(place.symbols, write.path)
        is_set = is_set_of(self.settled.places, write.path, write.after, initial and before is NULL)
        return Open(before, place, stand_in, is_set)

    def _first_value(self, write: Write, before: Any) -> Any:
        """What the first call finds in a place; `NULL` if nothing that other calls may find."""
        absent = self._opening and before is DELETED and may_be_absent(write.owner, write.path)
        return NULL if absent else before

    def _listed(self, write: Write, before: Any) -> ListPlace | Place | None:
        """The place of a list, or an array, that calls make longer or shorter."""
        if self._growing and (array := resized(self._world, write, before)) is not None:
            return array
        found = list_place(self._world, write, before, self.settled.places.get(write.path))
        if found is None:
            if type(write.after) in LISTS and (symbols := sizes_within(write.after)):
                raise SizesNeeded(symbols, write.path)  # earlier items may have had other sizes
            return None
        for column in found.columns:
            self._require_settled(column, write.path)
        inside = f"{write.path}["  # the places of its items, as long as it had a length
        self._constant = {path for path in self._constant if not path.startswith(inside)}
        for path in [path for path in self.settled.places if path.startswith(inside)]:
            del self.settled.places[path]
        return found

    def _several(self, write: Write, before: Any) -> Several | None:
        """The place of what is one of several values, the first of which may be what the first call
        finds; or of a text or a member of an enumeration that each call replaces by the next one.
        """
        held, before = self.settled.places.get(write.path), self._first_value(write, before)
        left = [option for _, option in options_left(write.after)]
        if type(write.after) not in (SymbolicUnion, DataText):
            moves = self._moving and (type(held) is Several or write.path in self._constant) and all(map(turns, (write.before, *left)))
            if not moves:
                return None
            left.insert(0, write.before)
        known = before is NULL or is_constant(before, self._world.is_local)
        options = list(held.options) if type(held) is Several else [before] if known else []
        for option in left:
            if option_number(options, option) is None:
                place = option if is_constant(option, self._world.is_local) else place_of(DELETED, option, True)
                if type(place) is not Place and place is not option:
                    return None
                options.append(place)
        found = Several(options, before)
        for place in found.places if found.first else ():
            self._require_settled(place, write.path)
        return None if found.first and len(options) == 2 and found.places else found  # `before` and one state: an `Open` place

    def _require_like(self, place: Place, before: Any, path: str) -> None:
        """Raises where a registered buffer would be of another kind than the module's own."""
        if (place.array.dtype, place.array.shape) != (before.dtype, before.shape):
            raise CannotSettle(path)

    def _require_settled(self, place: Place, path: str) -> None:
        """Raises where the sizes of state differ from call to call."""
        if place.symbols:
            raise SizesNeeded(place.symbols, path)
        if place.resizes:
            raise CannotSettle(path)

    def _level(self, writes: list[Write]) -> None:
        """If one number of a sequence is state, all of its kind are, since they may move."""
        for write in writes:
            place = self.settled.places.get(write.path)
            if type(place) is not Place or place.kind is np.ndarray:
                continue
            if not isinstance(write.owner, (list, tuple, deque)) or write.name is not None:
                continue
            origin = write.path[: write.path.rindex("[")]
            for path in [origin + key for key, _ in contents_of(write.owner) if origin + key not in self.settled.places]:
                found = self._found.get(path, DELETED)
                alike = scalar_place(place.array.dtype, found) if place.kind is np.generic else number_place(place.kind, found)
                if alike.first:
                    self.settled.places[path] = alike

    def _again(self, value: Any) -> Recomputed | None:
        """The value as later calls compute it again, if they can."""
        if self._recorder is None or not is_state(value):
            return None
        if id(value) not in self._recomputed:
            self._alive.append(value)
            self._recomputed[id(value)] = recomputed(self._recorder, value)
        return self._recomputed[id(value)]

    @property
    def computations(self) -> list[Recomputed]:
        """The values that every call computes again."""
        return [found for found in self._recomputed.values() if found is not None]

    # Images

    def _imagine(self, entry: Entry, paths: list[str]) -> None:
        original = entry.original
        before = _by_path(original, entry.origin)

        def enter(value: Any, path: str) -> Any:
            if path in before and path not in self.settled.places and not any(leads_to(path, written) for written in paths):
                return before[path]
            return self._settle(value, path)

        true = self._true.get(id(original), original)
        image = self._copy(entry.shadow, enter, entry.origin)
        self._true[id(image)] = true
        self._alive.append((true, image))
        self.settled.images[id(true)] = image

    def _settle(self, value: Any, path: str) -> Any:
        """The value in the next world."""
        place = self.settled.places.get(path, self._untied.get(path))
        if place is not None:
            return place
        kind = type(value)
        if kind in _OPEN:
            raise CannotSettle(path)
        if kind in ATOMS or issubclass(kind, (np.generic, np.dtype)) and kind is not ScalarProxy:  # type: ignore[comparison-overlap]
            return value
        if kind in _UNKNOWN:
            return self._settled_data(value, path)
        if id(value) in self._inverse and not isinstance(value, tuple):
            found = self._inverse[id(value)]
            return self._true.get(id(found), found)
        if kind is Fence:
            return target_of(value)
        if kind in KEPT or issubclass(kind, (*KEPT_BASES, enum.Enum)):
            self._require_constant(value, path)
            return value
        if id(value) not in self._memo:
            self._alive.append(value)
            self._memo[id(value)] = self._rebuilt(value, kind, path)
        return self._memo[id(value)]

    def _settled_data(self, value: Any, path: str) -> Any:
        if not is_state(value):
            return Known(alike(value.array), value.writeable)
        cached = self._again(value)
        if cached is not None:
            self.settled.recomputed.add(path)
            return cached
        place = place_of(DELETED, value, False)
        if place is None or not belongs_to_root(path):
            raise CannotSettle(path)
        self.settled.places[path] = place
        return place

    def _rebuilt(self, value: Any, kind: type, path: str) -> Any:
        if issubclass(kind, (tuple, frozenset)):
            base: Any = tuple if issubclass(kind, tuple) else frozenset
            return base.__new__(kind, [self._settle(item, f"{path}[{index}]") for index, item in enumerate(base.__iter__(value))])
        if kind is types.MethodType:
            return types.MethodType(value.__func__, self._settle(value.__self__, f"{path}.__self__"))
        copier = copier_of(kind)
        if copier is None:
            if kind.__module__ not in KEPT_C_MODULES or (issubclass(kind, ReferenceType) and not self._leads_outside(value())):
                raise CannotSettle(path)
            return value
        image = self._memo[id(value)] = copier.make(value, kind)
        copy_contents(image, value, self._settle, path)
        self._true[id(image)] = image
        self.settled.images[id(image)] = image
        return image

    def _leads_outside(self, value: Any) -> bool:
        """Whether a weak reference leads nowhere, or to what the next call finds as well."""
        is_kept = type(value) in KEPT or isinstance(value, KEPT_BASES)
        return not self._world.is_local(value) if is_kept else value is None or self._world.shadows.is_outside(value)

    def _require_constant(self, value: Any, path: str) -> None:
        """Functions and classes that a run made differ from those of the next one."""
        if self._world.is_local(value):
            raise CannotSettle(path)


def _within(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The value and, of tuples, what is within it, by path."""
    yield path, value
    if isinstance(value, tuple):
        for key, item in contents_of(value):
            yield from _within(path + key, item)


def _by_path(obj: Any, origin: str) -> dict[str, Any]:
    """What an object holds, by path."""
    return {origin + step: value for step, value in places_of(obj)}


def _holds(entry: Entry, write: Write) -> bool:
    """Whether a write was to this object, or to one within it."""
    return entry.shadow is write.owner or (entry.origin != write.path and leads_to(entry.origin, write.path))


def _swapped(value: Any, values: dict[int, Any]) -> Any:
    if id(value) in values:
        return values[id(value)]
    if isinstance(value, tuple):
        items = [_swapped(item, values) for item in tuple.__iter__(value)]
        return value if all(map(operator.is_, items, tuple.__iter__(value))) else tuple.__new__(type(value), items)
    return value


def _replaced(value: Any, path: str, places: dict[str, Any]) -> Any:
    """The value with the places within it; only tuples have no images of their own."""
    if path in places:
        return places[path]
    if isinstance(value, tuple) and any(leads_to(path, place) for place in places):
        items = [_replaced(item, path + key, places) for key, item in contents_of(value)]
        return tuple.__new__(type(value), items)
    return value
