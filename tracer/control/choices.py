"""Results of branches and loops that are an array of the caller's where the data say so: such a
result is that very array when the program returns it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.arguments import leaves_of
from npexport.ir.graph import Node
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.model import Kind

_LASTING = (Kind.INPUT, Kind.STATE)


def choice_of(values: Sequence[Any], regions: Sequence[LoggingRegion], torn: Any) -> list[ArrayProxy | None] | None:
    """By side, the array of before that the result is there; ``None`` for one that the side makes.

    No list at all where that is not so, or both sides make one. ``torn``: what shares memory.
    """
    sides: list[ArrayProxy | None] = []
    for value, region in zip(values, regions, strict=True):
        if value is None or all(map(region.owns, (value.storage, *torn.get(value.storage, ())))):
            sides.append(None)
        elif may_be_given(value):
            sides.append(value)
        else:
            return None
    return sides if any(side is not None for side in sides) else None


def may_be_given(array: ArrayProxy) -> bool:
    """Whether it is an array that the caller passes, or state, or is one of these where the data
    say so, or a view of one that no data decide.
    """
    outside, steps = array.storage.outside, array.link.chain() if array.link is not None else ()
    if (outside is None or outside.kind not in _LASTING) and array.storage not in recorder().choices:
        return False
    return not any(type(leaf) is Node for step in steps for leaf in leaves_of((step.args, step.kwargs)))
