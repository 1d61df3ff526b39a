"""Results of a branch that share memory, with each other or with earlier arrays, on one side
only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from npexport.ir.ops.control_flow import fits
from npexport.tracer.arrays.core.chosen import Side
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.followed import Alias
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.model import Storage


class TornResults:
    """``regions``: the sides. ``joined``: the memory of each result, and what it is on each
    side.
    """

    def __init__(self, regions: Sequence[LoggingRegion], joined: list[tuple[Storage, Storage, Storage]]) -> None:
        self._regions = regions
        self._derived: dict[tuple[int, int], list[Storage]] = {}
        for result, *sides in joined:
            for side, storage in enumerate(sides):
                self._derived.setdefault((side, id(storage)), []).append(result)
        self._related = [(result, each) for result, *sides in joined for each in self._sharing(sides) if each is not result]

    def tear(self) -> list[Storage]:
        """Relate each result to whatever shares its memory on one side; returns the torn memory."""
        for one, other in self._related:
            recorder().torn.relate(one, other)
        return [one for one, _ in self._related]

    def _sharing(self, sides: list[Storage]) -> Iterator[Storage]:
        for side, (region, storage) in enumerate(zip(self._regions, sides, strict=True)):
            for near in _near(storage):
                if not region.owns(near):
                    yield near
                yield from self._derived.get((side, id(near)), [])

    def follow(self, truth: Any, results: list[tuple[Storage, ArrayProxy, ArrayProxy]]) -> None:
        """Note how the results are written to which are an earlier array on one side."""
        rec = recorder()
        for result, one, other in results:
            followed = all(self._is_followed(side, array.storage) for side, array in enumerate((one, other)))
            pairs = zip(self._regions, (one, other), strict=True)
            before = [None if region.owns(array.storage) else array for region, array in pairs]
            storages = [array.storage for array in before if array is not None]
            if followed and storages and fits(one.meta, other.meta):
                known = [rec.aliases[storage].earlier for storage in storages if storage in rec.aliases]
                earlier = frozenset[int]({storage.serial for storage in storages}.union(*known))
                first, second = [None if array is None else Side(rec, array) for array in before]
                rec.aliases[result] = Alias(rec.regions[-1] if rec.regions else None, truth, first, second, earlier)

    def _is_followed(self, side: int, storage: Storage) -> bool:
        """Whether it is known what shares this memory there: it is from before, or of one result
        alone.
        """
        owns = self._regions[side].owns
        return not owns(storage) or all(owns(each) and len(self._derived.get((side, id(each)), ())) <= 1 for each in _near(storage))


def _near(storage: Storage) -> tuple[Storage, ...]:
    """The memory, and all that shares it if the data say so."""
    return storage, *recorder().torn.of(storage)
