"""Results of a branch that share memory, with each other or with earlier arrays, on one side
only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from npexport.ir.ops.control_flow import fits
from npexport.tracer.arrays.core.aliased_writes import Alias, serials
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.rebuilt_views import view_after_branch
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.result_identity import Side, Ways
from npexport.tracer.arrays.memory.model import Storage


class AliasingResults:
    """``regions``: the sides. ``joined``: the memory of each result, and what it is on each
    side.
    """

    def __init__(self, recorder: Recording, regions: Sequence[LoggingRegion], joined: list[tuple[Storage, Storage, Storage]]) -> None:
        self._recorder, self._regions, self._joined = recorder, regions, joined
        self._derived: dict[tuple[int, int], list[Storage]] = {}
        for result, *sides in joined:
            for side, storage in enumerate(sides):
                self._derived.setdefault((side, id(storage)), []).append(result)
        self._related = [(result, each) for result, *sides in joined for each in self._sharing(sides) if each is not result]

    def mark_aliases(self) -> list[Storage]:
        """Relate each result to whatever shares its memory on one side; returns what may alias
        other memory.
        """
        for one, other in self._related:
            self._recorder.may_alias.relate(one, other)
        self._recorder.mingled.update(self._mingled())
        return [one for one, _ in self._related]

    def _mingled(self) -> Iterator[Storage]:
        """The results that may share memory that a side has made."""
        for side, region in enumerate(self._regions):
            for result, *sides in self._joined:
                made = [near for near in self._near(sides[side]) if region.owns(near)]
                others = [other for near in made for other in self._derived.get((side, id(near)), ()) if other is not result]
                yield from (result, *others) if others else ()

    def _sharing(self, sides: list[Storage]) -> Iterator[Storage]:
        for side, (region, storage) in enumerate(zip(self._regions, sides, strict=True)):
            for near in self._near(storage):
                if not region.owns(near):
                    yield near
                yield from self._derived.get((side, id(near)), [])

    def follow(self, truth: Any, results: list[tuple[Storage, ArrayProxy, ArrayProxy, Ways | None]]) -> None:
        """Note how the results are written to which are an earlier array on one side. ``truth``: of
        the branch; with each result, what it is, if truths say it that are known here.
        """
        rec = self._recorder
        for result, one, other, ways in results:
            followed = all(self._has_known_aliases(side, array.storage, ways is not None) for side, array in enumerate((one, other)))
            pairs = list(zip(self._regions, (one, other), strict=True))
            before = [array.storage for region, array in pairs if not region.owns(array.storage)]
            known = [rec.aliases[array.storage].earlier for _, array in pairs if array.storage in rec.aliases]
            earlier = frozenset[int]({storage.serial for storage in before}.union(*known))
            if followed and earlier and fits(one.meta, other.meta):
                if ways is None:
                    shown = [None if region.owns(array.storage) else view_after_branch(region, array) for region, array in pairs]
                    if sum(array is not None for array in shown) < len(before):
                        continue
                    first, second = [None if array is None else Side(rec, array) for array in shown]
                    ways = (truth, first), (True, second)
                rec.aliases[result] = Alias(rec.regions[-1] if rec.regions else None, ways, earlier)

    def _has_known_aliases(self, side: int, storage: Storage, told: bool) -> bool:
        """Whether it is known what shares this memory there: it is from before, or of one result
        alone, or is another earlier memory if truths say so (``told``: which are known here).
        """
        owns, aliases = self._regions[side].owns, self._recorder.aliases
        if not owns(storage):
            return True
        earlier = aliases[storage].earlier if told and storage in aliases else frozenset[int]()
        return all(
            len(self._derived.get((side, id(each)), ())) <= 1 if owns(each) else not earlier.isdisjoint(serials(aliases, each))
            for each in self._near(storage)
        )

    def _near(self, storage: Storage) -> tuple[Storage, ...]:
        """The memory, and all that shares it depending on the data."""
        return storage, *self._recorder.may_alias.of(storage)
