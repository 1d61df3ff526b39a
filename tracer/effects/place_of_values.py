"""The places of the values that calls leave in the exported object, where these are state."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.memory.layout import laid_out, stride_order
from npexport.tracer.arrays.memory.model import mirror
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.settled import is_state
from npexport.tracer.effects.state_places import NUMBERS, Fields, MixedPlace, Place, number_place, scalar_place


def place_of(before: Any, after: Any, again: bool) -> Place | MixedPlace | None:
    """What a place is that holds ``after``, if that is state."""
    kind = type(after)
    if kind is Mixed:
        return MixedPlace(after.kind, scalar_place(after.scalar.dtype, before), before)
    if kind in (SymBool, SymInt, SymFloat, Complex) or (again and kind in NUMBERS):
        return number_place(next(number for number, kinds in NUMBERS.items() if kind in kinds), before)
    if kind is ScalarProxy or (again and isinstance(after, np.generic)):
        return None if after.dtype.names else scalar_place(after.dtype, before)  # a record is a view of memory
    if kind is ArrayProxy and (again or is_state(after)):
        shape = tuple([getattr(size, "hint", size) or 0 for size in after.shape])
        order = stride_order(mirror(after.storage, after.link)) if after.storage.layout.known else None
        example = laid_out(shape, after.dtype, order, np.zeros)
        example.flags.writeable = after.writeable
        return Place(np.ndarray, example, after.shape)
    return None


def place_beside(before: Any, value: Any) -> Place | Fields | None:
    """The place of a value, or of a tuple of values, where the first call finds ``before``."""
    if issubclass(type(value), tuple) and value:
        items = [place_beside(DELETED, item) for item in tuple.__iter__(value)]
        return None if None in items else Fields(type(value), items)  # type: ignore[arg-type]
    place = place_of(before, value, True)
    return place if type(place) is Place and not place.first else None
