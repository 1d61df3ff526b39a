"""Joins the two sides of a branch where they meet: what differs becomes results of one operator,
leaf by leaf.

A leaf is an array, a NumPy scalar or a Python number; both sides must give it the same kind, rank
and dtype; if they give it different sizes, only the data know those of the result. Containers and
objects that both sides made at the same place are joined inside. Everything else must be the same
object, or the same plain value.

Memory: two arrays that the two sides made for the same place become one new piece of memory, with
the same views of it. If a side leaves memory that it did not make, or two names for one piece of
memory that the other side keeps apart, the result has only the value: it *may alias* that. A later
write that one side would have shown through another name is followed (`aliased_writes`) or refused.
"""

from __future__ import annotations

import enum
import itertools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import key_of, leaves_of
from npexport.ir.graph import Node
from npexport.ir.ops.control_flow import NUMBERS, alike, fits
from npexport.ir.pytree import tree_flatten
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import SymBool, is_symbolic, python_type
from npexport.tracer.arrays.core import complexes, mixed
from npexport.tracer.arrays.core.aliased_writes import all_of
from npexport.tracer.arrays.core.complexes import Complex, is_complex
from npexport.tracer.arrays.core.filled_dict import FilledView
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_identity import is_list_within
from npexport.tracer.arrays.core.inner_lists import INNER
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.ownership import hidden
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.rebuilt_views import form_of_view, numbers_of, view_at, view_like
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.result_identity import Side, Ways, choice_of, joined_ways
from npexport.tracer.arrays.core.texts import DataText, is_text
from npexport.tracer.arrays.memory.layout_guards import is_backwards, may_have_gaps
from npexport.tracer.arrays.memory.model import Layout, Link, Sides, Storage
from npexport.tracer.control.absent_attributes import with_gaps
from npexport.tracer.control.aliasing_results import AliasingResults
from npexport.tracer.control.joined_parts import joined_parts
from npexport.tracer.control.leaves import is_value, meta_of, text
from npexport.tracer.control.one_sided import JOINED, REFERRING, Build, Mismatch, common_order, layout_of, require_one_order
from npexport.tracer.control.reversed_arrays import joined_backwards
from npexport.tracer.effects.copiers import copier_of
from npexport.tracer.effects.parts import HIDING, KINDS, Part, is_own, parts_of, same
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.snapshots import Snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion


class Chooses(Protocol):
    """Makes a `SymbolicUnion` of two values that cannot be joined into one, or raises the
    `Mismatch`. ``facts``: what is known of truths at the end of each side.
    """

    facts: tuple[Callable[[Any], bool | None], Callable[[Any], bool | None]]

    def __call__(self, join: Join, one: Any, other: Any, mismatch: Mismatch, /) -> Build: ...


class Loose(NamedTuple):
    """A result with the value of an array and not its memory: its place, and the sides' memory."""

    place: int
    one: Storage
    other: Storage


_ARRAYS = (ArrayProxy, ScalarProxy)
_NUMBERS = itertools.count()
"""Serial numbers of joins: inner ones come first."""


class Join:
    """Joins two sides that have run to their end; the truth says which one is taken. ``taken``: the
    world as it was before them.
    """

    def __init__(
        self, world: ShadowedWorld, truth: Any, taken: Snapshot, one: LoggingRegion, other: LoggingRegion, chooses: Chooses
    ) -> None:
        self.world, self.truth, self._chooses, self.taken = world, truth, chooses, taken
        self._one, self._other = self.regions = one, other
        self._number = next(_NUMBERS)
        self._insists = False  # whether what is of the graph on both sides may be one of several values, too
        self.leaves: list[tuple[Any, Any]] = []  # what each side gives
        self.mixes = False  # whether a number is Python's on one side and NumPy's on the other
        self._layouts: dict[int, tuple[Layout, Any, bool]] = {}  # by place: an array's layout, what made it, whether it is writeable
        self.memo: dict[tuple[int, int], Build] = {}
        self.partners: dict[int, Any] = {}  # what was made on one side -> what was made on the other
        self.memory: dict[int, tuple[int, Storage, Storage]] = {}  # by memory of either side: the place of its whole value
        self._loose: list[Loose] = []
        self._ways: dict[int, tuple[list[tuple[Any, Side | None]], ...]] = {}  # by place: what each side says that it is
        self.fills: list[tuple[Any, Part, list[Build]]] = []

    # Values

    def value(self, one: Any, other: Any, path: str) -> Build:
        """The joined value. Raises `Mismatch`."""
        if same(one, other) or (is_symbolic(one) and is_symbolic(other) and self._same_number(one, other)):
            return lambda results: one
        key = id(one), id(other)
        if key not in self.memo:
            self.memo[key] = self._choice(one, other, path)
        return self.memo[key]

    def optional(self, one: Any, other: Any, path: str) -> Build:
        """The same; an attempt that raises leaves nothing behind."""
        return self._attempt(lambda: self.value(one, other, path))

    def plain(self, one: Any, other: Any, path: str) -> Build | None:
        """The value that both sides leave; ``None`` if they differ."""
        try:
            return self.strict(one, other, path)
        except Mismatch:
            return None

    def strict(self, one: Any, other: Any, path: str) -> Build:
        """One value for both, for a holder that cannot hold one of several."""
        if same(one, other):
            return lambda results: one
        if SymbolicUnion in (type(one), type(other)):
            raise self.mismatch(path, one, other)
        return self._attempt(lambda: self._join(one, other, path))

    def insisting(self, one: Any, other: Any, path: str) -> Build:
        """The value, or one of several, of any kinds."""
        with self._insistence():
            return self.optional(one, other, path)

    def parts_of_before(self, owner: Any, one: tuple[Part, ...], other: tuple[Part, ...], path: str) -> list[tuple[Part, list[Build]]]:
        """The joined parts of an object that existed before the branch, each a value or one of
        several. Raises `Mismatch`.
        """
        with self._insistence():
            return joined_parts(self, *with_gaps(self.world, self.taken, owner, one, other), path)

    @contextmanager
    def _insistence(self) -> Iterator[None]:
        before, self._insists = self._insists, True
        try:
            yield
        finally:
            self._insists = before

    def _attempt(self, build: Callable[[], Build]) -> Build:
        """An attempt that raises `Mismatch` leaves nothing behind."""
        state: tuple[Any, ...] = self.leaves, self._layouts, self.memo, self.partners, self.memory, self._loose, self._ways, self.fills
        counts = [len(part) for part in state]
        try:
            return build()
        except Mismatch:
            for part, count in zip(state, counts, strict=True):
                while len(part) > count:
                    part.popitem() if type(part) is dict else part.pop()
            raise

    def _choice(self, one: Any, other: Any, path: str) -> Build:
        """The joined value, or one of both as the truth decides."""
        if SymbolicUnion not in (type(one), type(other)):
            try:
                return self._attempt(lambda: self._join(one, other, path))
            except Mismatch as raised:
                raised.of_graph |= _is_of_graph(one) and _is_of_graph(other)
                if raised.of_graph and not self._insists:
                    raise
                mismatch = raised.with_traceback(None)
        else:
            mismatch = Mismatch(path, "one of several", "another")
        return self._attempt(lambda: self._chooses(self, one, other, mismatch))

    def _join(self, one: Any, other: Any, path: str) -> Build:
        if _is_array(one) and _is_array(other):
            return self.array(one, other, path)
        if type(one) is type(other) is bool:  # and not the same
            truth = self.truth if one else sym_not(self.truth)
            return lambda results: truth
        if python_type(one) in NUMBERS and python_type(one) is python_type(other):
            return self.leaf(one, other)
        if is_complex(one) and is_complex(other):
            builds = [self.value(a, b, path) for a, b in zip(complexes.parts_of(one), complexes.parts_of(other), strict=True)]
            return lambda results: complexes.number(*[build(results) for build in builds])
        if type(one) in INNER and type(other) in INNER and one.store is other.store:
            number = self.value(one.number, other.number, path)
            return lambda results: one.store.list_at(number(results))
        if is_list_within(one) and is_list_within(other) and one.within.path == other.within.path:
            places = [self.strict(a, b, path) for a, b in zip(one.within[:2], other.within[:2], strict=True)]
            return lambda results: one.elsewhere(*[place(results) for place in places])
        if mixed.is_number(one) and mixed.is_number(other):
            return self._mixed(one, other, path)
        if is_text(one) and is_text(other):
            return self._texts(one, other, path)
        if type(one) is type(other) and isinstance(one, tuple) and len(one) == len(other):
            if getattr(one, "__dict__", None) or getattr(other, "__dict__", None):
                return self._record(one, other, path)
            ours = type(one).__module__.startswith("npexport.")  # its methods take no value that is one of several
            join = self.strict if ours else self.value
            builds = [join(a, b, f"{path}[{place}]") for place, (a, b) in enumerate(zip(one, other, strict=True))]
            return lambda results: tuple.__new__(type(one), [build(results) for build in builds])
        if type(one) is type(other) is slice:
            mine, theirs = [(each.start, each.stop, each.step) for each in (one, other)]
            ends = [self.strict(a, b, path) for a, b in zip(mine, theirs, strict=True)]
            return lambda results: slice(*[end(results) for end in ends])
        return self._object(one, other, path)

    def leaf(self, one: Any, other: Any) -> Build:
        """A result of the operator."""
        place = len(self.leaves)
        self.leaves.append((one, other))
        return lambda results: results[place]

    def _mixed(self, one: Any, other: Any, path: str) -> Build:
        """A Python number beside one of NumPy: its value, and whether it is Python's."""
        sides = mixed.Side(one), mixed.Side(other)
        together = mixed.kind_of(*sides)
        if together is None:
            raise self.mismatch(path, one, other)
        kind, dtype = together
        scalars = []
        for side, region in zip(sides, (self._one, self._other), strict=True):
            with region:
                scalars.append(side.scalar(dtype))
        value, kinds = self.leaf(*scalars), [self._told(side.python, place) for place, side in enumerate(sides)]
        if all(kind is False for kind in kinds):
            return value
        python = self._known_on_one_side(kinds[0], kinds[1]) or self.value(kinds[0], kinds[1], path)
        self.mixes = True
        name = path if " " in path else f"`{path}`"
        most = max(side.most for side in sides)
        return lambda results: Mixed(kind, python(results), value(results), name, most)

    def _known_on_one_side(self, one: Any, other: Any) -> Build | None:
        """A truth that is known on one side, and comes from before the branch on the other."""
        for known, open_, region, here in ((one, other, self._other, self.truth), (other, one, self._one, sym_not(self.truth))):
            if type(known) is bool and type(open_) is SymBool and not region.made(open_.expression.symbols):
                truth = here | open_ if known else sym_not(here) & open_
                return lambda results: truth
        return None

    def _told(self, truth: Any, place: int) -> Any:
        """A truth, or its value if it is known at the end of a side."""
        found = truth if type(truth) is bool else self._chooses.facts[place](truth)
        return truth if found is None else found

    def _texts(self, one: Any, other: Any, path: str) -> Build:
        """Join the values in two texts of one form."""
        (mine, form), (theirs, form_there) = tree_flatten(one), tree_flatten(other)
        if not (type(one) is type(other) is DataText and form == form_there):
            raise self.mismatch(path, one, other)
        builds = [self.value(a, b, path) for a, b in zip(mine, theirs, strict=True)]
        return lambda results: form.unflatten([build(results) for build in builds])

    def _same_number(self, one: Any, other: Any) -> bool:
        """Whether two numbers are the same expression of symbols that exist outside."""
        return type(one) is type(other) and bool(one.expression == other.expression) and not self._one.made(one.expression.symbols)

    def mismatch(self, path: str, one: Any, other: Any) -> Mismatch:
        return Mismatch(path, self.text(one), self.text(other))

    def text(self, value: Any) -> str:
        if value is NULL or type(value) in (Mixed, Complex, DataText) or is_value(value):
            return text(value)
        return repr(value) if type(value) in ATOMS else with_article(self.taken.named(value))

    # Objects

    def _object(self, one: Any, other: Any, path: str) -> Build:
        cls = type(one)
        joined = cls in REFERRING or (not is_own(cls) and not issubclass(cls, enum.Enum) and any(copier_of(cls) is row for row in JOINED))
        if cls is types.FunctionType is type(other):  # others exist before, and may be anybody's
            joined = one.__code__ is other.__code__ and self.world.is_local(one) and self.world.is_local(other)
        if cls is not type(other) or not joined or cls in HIDING or self.taken.knows(one) or self.taken.knows(other):
            raise self.mismatch(path, one, other)
        self._pair(one, other, path)
        self.memo[id(one), id(other)] = lambda results: one
        before, after = parts_of(one), parts_of(other)
        views = cls is FilledView and one.table is not other.table
        if not before or (cls is FilledList and not one.is_like(other)) or views:
            raise self.mismatch(path, one, other)
        if cls is FilledList:  # the structure of their items aside, which is one
            before, after = [(part._replace(keys=part.keys[:-1], values=part.values[:-1]),) for (part,) in (before, after)]
        for part, builds in joined_parts(self, before, after, path):
            self.fills.append((one, part, builds))
        return lambda results: one

    def _record(self, one: Any, other: Any, path: str) -> Build:
        """Join tuples with attributes: they become one object, wherever the sides hold it."""
        mine, theirs, cls = vars(one), vars(other), type(one)
        if list(mine) != list(theirs) or self.taken.knows(one) or self.taken.knows(other):
            raise self.mismatch(path, one, other)
        self._pair(one, other, path)
        items: list[Build] = []
        attributes: dict[str, Build] = {}
        made: list[Any] = []

        def build(results: list[Any]) -> Any:
            if not made:
                made.append(tuple.__new__(cls, [item(results) for item in items]))
                vars(made[0]).update({name: attribute(results) for name, attribute in attributes.items()})
            return made[0]

        self.memo[id(one), id(other)] = build
        items += [self.value(a, b, f"{path}[{place}]") for place, (a, b) in enumerate(zip(one, other, strict=True))]
        attributes |= {name: self.value(mine[name], theirs[name], f"{path}.{name}") for name in mine}
        return build

    def _pair(self, one: Any, other: Any, path: str) -> None:
        """Pair two objects that the sides made: they become one object."""
        if self.partners.setdefault(id(one), other) is not other or self.partners.setdefault(id(other), one) is not one:
            raise Mismatch(path, f"{self.text(one)} that has another name, too", self.text(other))

    # Arrays

    def array(self, one: Any, other: Any, path: str) -> Build:
        meta = meta_of(one)
        if not alike(meta, meta_of(other)):
            raise self.mismatch(path, one, other)
        if meta.scalar:
            if meta.dtype.kind == "V":
                raise Mismatch(path, "a record", "a record")
            if isinstance(one, np.generic) and isinstance(other, np.generic) and type(one) not in _ARRAYS and type(other) not in _ARRAYS:  # type: ignore[comparison-overlap]
                return self.leaf(one, other) if one.tobytes() != other.tobytes() else lambda results: one
            return self.leaf(one, other)
        if one.writeable is not other.writeable:
            raise self.mismatch(path, one, other)
        require_one_order(one, other, path)
        chain = _same_chain(one.link, other.link)
        made = self._one.owns(one.storage), self._other.owns(other.storage)
        if made == (False, False) and one.storage is other.storage and chain:
            sides = self._sides(one, other)
            return lambda results: _view(one.storage, one, sides)
        if made == (False, False) and one.storage is other.storage and (found := self._by_places(one, other, path)) is not None:
            return found
        if made == (True, True) and chain and (_is_transposed(one.link) or fits(one.storage.meta, other.storage.meta)):
            place = self._whole(one.storage, other.storage)
            if place is not None:
                return _of_memory(place, one, self._sides(one, other))
        if is_backwards(one) or is_backwards(other):
            return joined_backwards(self, one, other, path)
        build = self.leaf(one, other)
        place = len(self.leaves) - 1
        self.note_layouts(place, one, other, one.link is other.link is None)
        self._loose.append(Loose(place, one.storage, other.storage))
        self._note_ways(place)
        return build

    def _by_places(self, one: ArrayProxy, other: ArrayProxy, path: str) -> Build | None:
        """The view of earlier memory that differs on the sides in nothing but its places, of which
        data decide one: a loop around the branch carries these.
        """
        mine, theirs = numbers_of(one), numbers_of(other)
        if self.world.iteration is None or mine is None or theirs is None or not any(map(is_symbolic, (*mine, *theirs))):
            return None
        if form_of_view(one) != form_of_view(other):
            return None
        places = [self.value(a, b, path) for a, b in zip(mine, theirs, strict=True)]
        return lambda results: view_at(one, [self.world.recorder.argument(place(results)) for place in places], untold=True)

    def _sides(self, one: ArrayProxy, other: ArrayProxy) -> Sides | None:
        """Which views the arrays of the two sides are, unless they are one array. The result holds
        neither array, because whether others share their memory is decided by the arrays that are
        alive.
        """
        if one.link is other.link or one.link is None or other.link is None:
            return None
        return Sides(self._number, one.link, other.link)

    def resizes_memory(self, one: Any, other: Any) -> bool:
        """Whether two arrays of different sizes are in memory that the sides did not both make."""
        if not (type(one) is type(other) is ArrayProxy and alike(one.meta, other.meta)) or fits(one.meta, other.meta):
            return False
        return not (self._one.owns(one.storage) and self._other.owns(other.storage))

    def _whole(self, one: Storage, other: Storage) -> int | None:
        """The place of a memory that both sides made; ``None`` if either memory is already paired
        with another one.
        """
        mine, theirs = self.memory.get(id(one)), self.memory.get(id(other))
        if mine is None and theirs is None:
            self.leaf(all_of(one), all_of(other))
            mine = theirs = len(self.leaves) - 1, one, other
            self.memory[id(one)] = self.memory[id(other)] = mine
            self.note_layouts(mine[0], all_of(one), all_of(other), True)
            self._note_ways(mine[0])
        return mine[0] if mine is theirs and mine is not None else None

    def note_layouts(self, place: int, one: ArrayProxy, other: ArrayProxy, whole: bool) -> None:
        first, second = layout_of(one.storage), layout_of(other.storage)
        known = whole and first.known and second.known and first.order == second.order
        gaps, sizes = may_have_gaps(one) or may_have_gaps(other), first.sizes + second.sizes
        layout = Layout(common_order(one, other), first.depends | second.depends, known, gaps, sizes)
        self._layouts[place] = layout, _maker(one.storage, other.storage) if whole else None, one.writeable

    # Afterwards

    def finish(self, results: list[Any]) -> list[Storage]:
        """Fill the objects that both sides made, and tell the recorder what must not be written to;
        returns the memory that may alias other.
        """
        for place, (layout, maker, writeable) in self._layouts.items():
            storage = results[place].storage
            storage.node = self.world.recorder.laid(storage.node, layout.order)
            storage.layout, storage.hidden, storage.maker = layout, None, maker
            results[place].writeable = storage.writeable = writeable
        memory = [(results[place].storage, one, other) for place, one, other in (*self._loose, *dict.fromkeys(self.memory.values()))]
        joined = AliasingResults(self.world.recorder, (self._one, self._other), memory)
        ways = dict.fromkeys([place for place, *_ in self._loose]) | dict(self.ways(results))
        joined.follow(self.truth, [(results[place].storage, *self.leaves[place], told) for place, told in ways.items()])
        aliasing = joined.mark_aliases()
        for owner, part, builds in self.fills:
            put = KINDS[part.kind]
            if put is not None:
                put(owner, part._replace(values=tuple([build(results) for build in builds])))
        return aliasing

    def _note_ways(self, place: int) -> None:
        """Note what a result is that may be an earlier array. Truths that only one side knows
        become results themselves.
        """
        found = choice_of(self.leaves[place], self.regions, self.world.recorder.may_alias)
        if found is not None:
            one, other = found
            self._ways[place] = (
                [(truth if truth is True else self.leaf(truth, False), side) for truth, side in one],
                [(truth if truth is True else self.leaf(False, truth), side) for truth, side in other],
            )

    def ways(self, results: list[Any]) -> Iterator[tuple[int, Ways]]:
        """The results that may be an earlier array: their places, and what they are."""
        for place, sides in self._ways.items():
            one, other = [tuple([(truth if truth is True else truth(results), side) for truth, side in ways]) for ways in sides]
            yield place, joined_ways(self.truth, one, other)


def _is_of_graph(value: Any) -> bool:
    return _is_array(value) or python_type(value) in NUMBERS or is_complex(value) or type(value) is Mixed


def _is_array(value: Any) -> bool:
    return type(value) in _ARRAYS or isinstance(value, np.generic)


def _same_chain(one: Link | None, other: Link | None) -> bool:
    """Whether two chains of views select the same places of their memory."""
    while one is not None and other is not None:
        if one is other:
            return True
        arguments = one.args, tuple(one.kwargs.items())
        if one.op is not other.op or any(type(leaf) is Node for leaf in leaves_of(arguments)):
            return False
        if key_of(arguments) != key_of((other.args, tuple(other.kwargs.items()))):
            return False
        one, other = one.parent, other.parent
    return one is other


def _is_transposed(link: Link | None) -> bool:
    """Whether a view has all elements of its memory, for all sizes."""
    return link is None or all(step.op is ops.np.transpose for step in link.chain())


def _maker(one: Storage, other: Storage) -> Node | None:
    """The node that tells later whether the array is a view of one that the program never sees; if
    only one side cannot tell yet, that side's node.
    """
    for storage in (one, other):
        try:
            if not hidden(storage):
                continue
        except Unsupported:
            pass
        return storage.maker
    return None


def _of_memory(place: int, like: ArrayProxy, sides: Sides | None) -> Build:
    return lambda results: results[place] if like.link is None else _view(results[place].storage, like, sides)


def _view(storage: Storage, like: ArrayProxy, sides: Sides | None) -> ArrayProxy:
    """The view that both sides have of this memory."""
    view = view_like(storage, like)
    if view.link is not None and sides is not None:
        view.link.sides = sides
    return view
