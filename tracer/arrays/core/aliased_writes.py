"""Writes to memory that two arrays share depending on the data.

A result of a branch that is an earlier array, or a view of one, on one side only (`Alias`) is that
array as long as both exist. So a write to either is a write to the other one where the truth says
so (`write_through`), and memory of that kind can be written to. Where the data decide otherwise
what shares memory (loops, two results that one side puts into one piece of memory), there is no
`Alias`, and the write is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.symshapes.functions import sym_not
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import Region, branch
from npexport.tracer.arrays.core.result_identity import Ways, known_ways
from npexport.tracer.arrays.core.views import scatter
from npexport.tracer.arrays.memory.model import Storage


class Alias(NamedTuple):
    """The earlier arrays that a result is, as truths say. ``region``: the innermost sub-graph in
    which these are known. ``earlier``: the serial numbers of all memory that it may be in, also
    where nobody holds that any more.
    """

    region: Region | None
    ways: Ways
    earlier: frozenset[int]

    def arrays(self) -> Iterator[tuple[Any, ArrayProxy]]:
        """The earlier arrays that somebody holds, each with the truth that says whether it is
        that one.
        """
        here: Any = True
        for truth, array in known_ways(self.ways):
            if array is not None:
                yield here & truth, array
            here = here & sym_not(truth)


def has_known_aliases(recorder: Recording, storage: Storage) -> bool:
    """Whether truths tell of every array that shares this memory on some side: the memory may be an
    earlier array, and somebody still holds that.
    """
    aliases = _aliases(recorder)
    changed = _reached(aliases, storage)
    for each, alias in aliases.items():
        if any(array.storage in changed for _, array in alias.arrays()):
            changed.add(each)
    pairs = [(each, other) for each in changed for other in recorder.may_alias.of(each)]
    for each, other in pairs:
        common = serials(aliases, each) & serials(aliases, other)
        if not common or not common <= {memory.serial for memory in _reached(aliases, each)}:
            return False
    return True


def write_through(recorder: Recording, storage: Storage, write: Any) -> None:
    """Let all arrays that share this memory on some side show its new value. ``write(array,
    value)`` writes a node to a whole array.
    """
    aliases = _aliases(recorder)
    changed: dict[Storage, Any] = {storage: True}  # with the truth that says whether it is

    def take(one: ArrayProxy, other: ArrayProxy, truth: Any) -> None:
        """Write ``one`` to ``other``, which is the same if the truth holds, if ``one`` is
        changed."""
        here = changed[one.storage] & truth
        if here is not False:
            write(all_of(other.storage), _written(recorder, here, one, other))
            changed[other.storage] = changed.get(other.storage, False) | here

    for each, alias in reversed(aliases.items()):  # what it may be comes behind each
        for truth, array in alias.arrays() if each in changed else ():
            take(all_of(each), array, truth)
    for each, alias in aliases.items():
        for truth, array in alias.arrays() if each is not storage else ():
            if array.storage in changed:
                take(array, all_of(each), truth)


def all_of(storage: Storage) -> ArrayProxy:
    """The whole of a piece of memory, as an array."""
    return ArrayProxy(storage, None, storage.meta, storage.array, storage.writeable)


def _aliases(recorder: Recording) -> dict[Storage, Alias]:
    """Those whose truths can be asked here, the oldest first."""
    found = [(each, alias) for each, alias in recorder.aliases.items() if alias.region is None or alias.region in recorder.regions]
    return dict(sorted(found, key=lambda item: item[0].serial))


def _below(aliases: dict[Storage, Alias], storage: Storage) -> Iterator[tuple[Storage, Any, ArrayProxy]]:
    """The earlier arrays that the memory may be, and those that these may be: each after what may
    be it, with the truth that says so.
    """
    if storage in aliases:
        for truth, array in aliases[storage].arrays():
            yield storage, truth, array
            yield from _below(aliases, array.storage)


def serials(aliases: dict[Storage, Alias], storage: Storage) -> set[int]:
    return {storage.serial, *(aliases[storage].earlier if storage in aliases else ())}


def _reached(aliases: dict[Storage, Alias], storage: Storage) -> set[Storage]:
    """The memory, and every memory that it may be."""
    return {storage, *[array.storage for _, _, array in _below(aliases, storage)]}


def _written(recorder: Recording, truth: Any, one: ArrayProxy, other: ArrayProxy) -> Any:
    """The node of the memory of ``other`` after ``one`` is written to it if the truth holds. What
    either shows exists on that side alone.
    """
    regions = Region(recorder, "a write"), Region(recorder, "no write")
    before = recorder.current(other.storage, None)
    with regions[0]:
        value = recorder.current(one.storage, one.link)
        regions[0].outputs = (scatter(recorder, other.storage, other.link, value),)
    for step in other.link.chain() if other.link is not None else ():
        step.node, step.version = None, -1  # it shows the value on this side alone
    with regions[1]:
        regions[1].outputs = (before,)
    return branch(recorder, truth, *regions)[0].node()
