"""Outside arrays that share memory: a write to one gives the others their new values, at the places
that they have in common.

Inputs that share memory must share it in the same way at every call: they are the very same array
(``InputSpec.same_as``), or views of one memory with the strides of the example, the same number of
bytes apart (``InputSpec.overlaps``). Arrays of the state never move.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib._stride_tricks_impl import DummyArray
from numpy.lib.array_utils import byte_bounds

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.runtime.entry.checks import address, overlaps_itself
from npexport.symshapes.broadcasting import must_equal
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.memory.layout_guards import Layouts
from npexport.tracer.arrays.memory.model import ArrayRef, GraphBuilder, Kind, Placeholder, Storage

Array = np.ndarray[Any, Any]
_MOST = 1 << 22  # elements of arrays whose common places are looked for
_HELD_BY = {np.ndarray: "base", np.memmap: "base", memoryview: "obj", DummyArray: "base"}
"""Types that hold memory for others: the attribute that says for whom."""
_OF_A_VIEW = "Change those of a view: y = x.view(); or set them back before the program ends."
_LISTED = 1 << 12  # common places that may be listed one by one


class Common(NamedTuple):
    """The places that two arrays have in common.

    ``target[put]`` is ``source[taken]``, transposed by ``axes``, in the shape ``shape``, transposed
    by ``back``. If ``axes`` is ``None``, both are flattened first. ``whole``: all elements of the
    target are among them.
    """

    taken: Any
    axes: tuple[int, ...] | None
    shape: tuple[int, ...]
    back: tuple[int, ...]
    put: Any
    whole: bool


class Overlaps:
    """All outside arrays of an export, by the memory that they occupy."""

    def __init__(self, builder: GraphBuilder, layouts: Layouts) -> None:
        self._builder = builder
        self._layouts = layouts
        self._groups: dict[int, list[Placeholder]] = {}
        self._owners: list[Any] = []  # keeps their ids their own
        self.changes: dict[Placeholder, tuple[str, tuple[Any, ...]]] = {}
        self._sharing: dict[Placeholder, tuple[int, list[Placeholder]]] = {}
        self._common: dict[tuple[Placeholder, Placeholder], Common | None] = {}
        self.written: dict[Placeholder, None] = {}
        """The outside arrays that the program has written to, in the order of the first writes."""
        self.compared: set[frozenset[Placeholder]] = set()
        """Pairs of which the program asked whether they are one, or share memory."""

    def group(self, array: Array) -> list[Placeholder]:
        """The outside arrays whose memory has the same owner."""
        memory = owner(array)
        group = self._groups.get(id(memory))
        if group is None:
            group = self._groups[id(memory)] = []
            self._owners.append(memory)
        return group

    def of(self, placeholder: Placeholder) -> list[Placeholder]:
        """The other outside arrays that share memory with this one."""
        group = self.group(placeholder.array)
        size, found = self._sharing.get(placeholder, (0, []))
        if size != len(group):
            found = [other for other in group if other is not placeholder and np.shares_memory(other.array, placeholder.array)]
            self._sharing[placeholder] = len(group), found
        return found

    def meet(self, first: Storage | None, second: Storage | None) -> bool:
        """Whether two storages, or their outside arrays, share memory; scalars have none."""
        if first is second or first is None or second is None or first.outside is None or second.outside is None:
            return first is second
        return second.outside in self.of(first.outside)

    def changed(self, x: ArrayRef, what: str) -> None:
        """Note an outside array whose shape, dtype or flags have to be restored at the end.

        Raises ``Unsupported`` (E112) for one that is passed twice, or whose elements are another's.
        """
        for other, path in x.storage.outside.others if x.storage.outside is not None else ():
            if other is x:
                raise Unsupported("E112", f"the {what} of {path} itself are changed", hint=_OF_A_VIEW)
        if x.storage.outside is not None and x.storage.root is not None and x.storage.root() is x:
            placeholder = x.storage.outside
            if any(other.array is placeholder.array for other in self.group(placeholder.array) if other is not placeholder):
                raise Unsupported(
                    "E112", f"the {what} of {placeholder.path}, which is passed twice, are changed", hint="Change those of a view."
                )
            self.changes[placeholder] = (what, self._builder.stack())

    def settle_changes(self) -> None:
        """Record in their specs inputs that have another shape after the call, or are read-only.

        Raises ``Unsupported`` (E112) if an array of the state would have another shape, dtype or
        flags, or an input another dtype.
        """
        for placeholder, x in self.changed_now():
            what, stack = self.changes[placeholder]
            sizes = (*x.meta.shape, *placeholder.meta.shape)
            if placeholder.kind is Kind.INPUT and x.meta.dtype == placeholder.meta.dtype and all(type(size) is int for size in sizes):
                placeholder.reshaped = x.meta.shape if x.meta.shape != placeholder.meta.shape else None
                placeholder.frozen = placeholder.array.flags.writeable and not x.writeable
                continue
            raise Unsupported("E112", f"the {what} of {placeholder.path} itself are changed", hint=_OF_A_VIEW, user_stack=stack)

    def changed_now(self) -> Iterator[tuple[Placeholder, Any]]:
        """The outside arrays whose shape, dtype or flags differ now, and what stands for them."""
        for placeholder in self.changes:
            root = placeholder.storage.root
            x = root() if root is not None else None
            if x is not None and not (x.link is None and x.writeable == placeholder.array.flags.writeable):
                yield placeholder, x

    def tie(self, first: Placeholder, second: Placeholder) -> None:
        """Note that the program relies on two inputs being the very same array."""
        first, second = self._in_order(first, second)
        if second.same_as is None:
            second.same_as = first

    def relate(self, first: Placeholder, second: Placeholder, meet: Callable[..., bool] = np.shares_memory) -> None:
        """Note that the program relies on how two inputs overlap, or on their not doing so."""
        self.compared.add(frozenset((first, second)))
        if not (first.kind is second.kind is Kind.INPUT):
            return
        if first.array is second.array:
            self.tie(first, second)
            return
        first, second = self._in_order(first, second)
        offset = None
        if meet(first.array, second.array):
            for placeholder in (first, second):
                self._layouts.require(placeholder)
            offset = address(second.array) - address(first.array)
        if offset is not None or first not in second.overlaps:
            second.overlaps[first] = offset

    def require_dense(self, first: Placeholder, second: Placeholder) -> None:
        """Hold two arrays to having bounds apart, which they have as in the example: they share no
        memory, and leave none out between their elements.
        """
        if Kind.INPUT not in (first.kind, second.kind):
            return
        for placeholder in (first, second):
            low, high = byte_bounds(placeholder.array)
            if placeholder.array.size and high - low != placeholder.array.nbytes:
                hint = "Ask np.shares_memory, or pass a contiguous array as the example input."
                what = f"whether the memory between elements of {placeholder.path} belongs to others depends on the caller"
                raise Unsupported("E123", what, hint=hint)
            if placeholder.kind is Kind.INPUT:
                self._layouts.require(placeholder)

    def apart_from(self, nodes: Collection[Node]) -> Callable[[Placeholder], list[Placeholder]]:
        """What gives, of an outside array, those among these that it must share no memory with: it
        is read after they are written to, or written to itself, or the program asks of both.
        """
        written = [(number, other) for number, other in enumerate(self.written) if other.node in nodes and other.generator is None]
        compared: dict[Placeholder, list[Placeholder]] = {}
        for pair in self.compared:
            for one in pair:
                compared.setdefault(one, []).extend([other for other in pair - {one} if other.node in nodes and other.generator is None])

        def apart(placeholder: Placeholder) -> list[Placeholder]:
            sharing = {placeholder, *self.of(placeholder)} if written else {placeholder}
            before = len(self.written) if placeholder in self.written else placeholder.read_after
            return [*[other for number, other in written if number < before and other not in sharing], *compared.get(placeholder, ())]

        return apart

    def _in_order(self, first: Placeholder, second: Placeholder) -> tuple[Placeholder, Placeholder]:
        order = self._builder.placeholders.index
        return (first, second) if order(first) < order(second) else (second, first)

    def seen_by(self, placeholder: Placeholder) -> list[Placeholder]:
        """The arrays in use that a write to this one changes too.

        Raises ``Unsupported`` (E120) if a graph cannot express how.
        """
        if overlaps_itself(placeholder.array):
            raise Unsupported("E120", f"{placeholder.path} is written to, and several of its elements are one place in memory")
        others = [other for other in self.of(placeholder) if other.node is not None]
        for other in others:
            self._require_common(placeholder, other)
        reached = [placeholder, *others]
        for one in reached:
            for two in self.of(one):
                if two.node is not None:
                    self.relate(one, two)
                    if two not in reached:
                        reached.append(two)
        return others

    def _require_common(self, written: Placeholder, other: Placeholder) -> None:
        if written.kind is not other.kind or written.kind is Kind.CONSTANT:
            raise overlap(written, other, "one is part of the program, the other is not")
        if not other.array.flags.writeable:
            raise overlap(written, other, "which is read-only")
        if written.array is other.array or same_place(written.array, other.array):
            for one, two in zip(written.meta.shape, other.meta.shape, strict=True):
                must_equal(one, two)
            return
        if any(type(size) is not int for size in (*written.meta.shape, *other.meta.shape)):
            raise overlap(written, other, "and their sizes are dynamic")
        if (written, other) not in self._common:
            self._common[written, other] = common(written.array, other.array)
        if self._common[written, other] is None:
            raise overlap(written, other, "in a way that no slices describe")

    def after(self, written: Placeholder, other: Placeholder) -> Node:
        """The value of ``other`` after a write to ``written``, which shares memory with it."""
        value: Node = written.storage.node  # type: ignore[assignment]
        places = self._common.get((written, other))
        if places is None:  # the same elements, seen alike
            return value
        node, old = self._builder.node, other.storage.node
        if places.axes is None:
            value, old = node(ops.np.flatten, (value,)), node(ops.np.flatten, (old,))
            seen = node(ops.np.setitem, (old, places.put, node(ops.np.index, (value, places.taken))))
            return node(ops.np.reshape, (seen, other.meta.shape))
        seen = node(ops.np.transpose, (node(ops.np.getitem, (value, places.taken or ...)), places.axes))
        seen = node(ops.np.transpose, (node(ops.np.reshape, (seen, places.shape)), places.back))
        if not places.whole:
            return node(ops.np.setitem, (old, places.put or ..., seen))
        return seen if all(part.step > 0 for part in places.put) else node(ops.np.getitem, (seen, places.put))

    def catch_up(self, placeholder: Placeholder) -> None:
        """An outside array comes into use: earlier writes to overlapping ones were writes to it."""
        for other in self.of(placeholder):
            if other.mutated and other.node is not None:
                self.seen_by(other)
                placeholder.storage.node = self.after(other, placeholder)
                placeholder.storage.version += 1
                self.written[placeholder] = None


def common(source: Array, target: Array) -> Common | None:
    """Where the elements of ``target`` that are in ``source`` too lie in both; ``None`` where
    nothing short says it.

    >>> x = np.arange(6.0)
    >>> common(x[:4], x[2:]).taken, common(x[:4], x[2:]).put
    ((slice(2, 4, 1),), (slice(0, 2, 1),))
    """
    if source.dtype != target.dtype or max(source.size, target.size) > _MOST:
        return None
    mine, theirs = addresses(source), addresses(target)
    size = source.itemsize
    starts = np.concatenate([mine.ravel() % size, theirs.ravel() % size])
    if (starts != starts[0]).any():
        return None  # halves of elements overlap
    shared = np.isin(theirs, mine)
    given, put = _box(np.isin(mine, theirs), source), _box(shared, target)
    if given is not None and put is not None:
        found, wanted = mine[given], theirs[put]
        axes, order = _descending(found), _descending(wanted)
        shape = tuple([wanted.shape[axis] for axis in order])
        back = tuple(np.argsort(order).tolist())
        if found.size == wanted.size and np.array_equal(found.transpose(axes).reshape(shape).transpose(back), wanted):
            return Common(given, axes, shape, back, put, wanted.size == target.size)
    places = np.flatnonzero(shared)
    if len(places) > _LISTED:
        return None
    ascending = np.argsort(mine, axis=None)
    taken = ascending[np.searchsorted(mine.ravel()[ascending], theirs.ravel()[places])]
    return Common(taken, None, places.shape, (), places, False)


def _box(mask: Array, array: Array) -> tuple[slice, ...] | None:
    """The slices that select what the mask does, each in the direction of ascending addresses;
    ``None`` if there are none.
    """
    slices = []
    for axis in range(mask.ndim):
        places = np.flatnonzero(mask.any(axis=tuple([other for other in range(mask.ndim) if other != axis])))
        step = int(places[1] - places[0]) if len(places) > 1 else 1
        if len(places) > 1 and (np.diff(places) != step).any():
            return None
        first, last = int(places[0]), int(places[-1])
        if array.strides[axis] < 0:
            slices.append(slice(last, first - step if first >= step else None, -step))
        else:
            slices.append(slice(first, last + 1, step))
    return tuple(slices) if mask[tuple(slices)].all() else None


def _descending(places: Array) -> tuple[int, ...]:
    """The axes of an array of addresses, those with the longest steps first."""
    steps = [int(places.take(1, axis).flat[0] - places.flat[0]) if places.shape[axis] > 1 else 0 for axis in range(places.ndim)]
    return tuple(sorted(range(places.ndim), key=lambda axis: -steps[axis]))


def addresses(array: Array) -> Array:
    """The address of each element."""
    places = np.full(array.shape, address(array), np.int64)
    for axis, (size, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        places += (np.arange(size) * stride).reshape([-1 if other == axis else 1 for other in range(array.ndim)])
    return places


def owner(array: Array) -> Any:
    """The object that owns the memory: arrays that share some have the same owner."""
    held: Any = array
    while (deeper := getattr(held, _HELD_BY.get(type(held), ""), None)) is not None:
        held = deeper
    return held


def same_place(first: Array, second: Array) -> bool:
    """Whether two arrays are the same elements of the same memory, with the same strides."""
    return first is second or (
        address(first) == address(second)
        and first.shape == second.shape
        and first.strides == second.strides
        and first.dtype == second.dtype
    )


def overlap(written: Placeholder, other: Placeholder, why: str) -> Unsupported:
    """The error for a write that another outside array would show."""
    return Unsupported("E120", f"{written.path} is written to, and shares memory with {other.path}, {why}")
