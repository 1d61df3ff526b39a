"""Results of branches and loops that are an earlier array if the data say so: such a result is that
very array if the program returns both, or the caller holds that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.arguments import leaves_of
from npexport.ir.graph import Node
from npexport.tracer.arrays.core.chosen import Side, chosen_of
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.model import Kind, Storage

_LASTING = (Kind.INPUT, Kind.STATE)


def choice_of(values: Sequence[Any], regions: Sequence[LoggingRegion], torn: Any) -> list[Side | None] | None:
    """By side, the earlier array that the result is; ``None`` for one that the side makes.

    No list at all if that cannot be told, or both sides make one. ``torn``: what shares memory.
    """
    sides: list[Side | None] = []
    for value, region in zip(values, regions, strict=True):
        if value is None or all(map(region.owns, (value.storage, *torn.get(value.storage, ())))):
            sides.append(None)
        elif not region.owns(value.storage) and may_be_given(value) and _is_known(value.storage, regions, torn):
            sides.append(Side(recorder(), value))
        else:
            return None
    return sides if any(side is not None for side in sides) else None


def _is_known(storage: Storage, regions: Sequence[LoggingRegion], torn: Any) -> bool:
    """Whether the data tell when earlier memory is that of another array, for all memory that it
    may have shared then; memory that a side has made does not exist on the other one.
    """
    rec = recorder()
    chosen = chosen_of(rec, storage)
    return all(
        any(region.owns(other) for region in regions) or other in chosen or storage in chosen_of(rec, other)
        for other in torn.get(storage, ())
    )


def may_be_given(array: ArrayProxy) -> bool:
    """Whether a program may return the array itself if the data say so: it is one that the caller
    passes, or state, or the program's own, or a view of one that does not depend on data.
    """
    outside, steps = array.storage.outside, array.link.chain() if array.link is not None else ()
    if outside is not None and outside.kind not in _LASTING:
        return False
    return not any(type(leaf) is Node for step in steps for leaf in leaves_of((step.args, step.kwargs)))
