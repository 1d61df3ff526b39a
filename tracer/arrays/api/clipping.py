"""``np.clip``: its keywords are those of the ufunc that NumPy chooses by the given bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.numpy_internals import NO_VALUE, umath
from npexport.tracer.arrays.api import ufuncs
from npexport.tracer.arrays.core import coercion


def clip(
    a: Any, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, out: Any = None, *, min: Any = NO_VALUE, max: Any = NO_VALUE, **options: Any
) -> Any:
    """``np.clip``; with ``where=``, ``dtype=``, ``casting=`` and their kin a call of a ufunc."""
    named = {"a_min": a_min, "a_max": a_max, "min": min, "max": max}
    given = {name: bound for name, bound in named.items() if bound is not NO_VALUE}
    if not options or len(given) > 2 or given.keys() & {"a_min", "a_max"} not in (set(), {"a_min", "a_max"}):
        return ufuncs.model_of(np.clip)(a, **given, **options, **({} if out is None else {"out": out}))
    array = coercion.array_of(a)
    low, high = given.get("a_min", given.get("min")), given.get("a_max", given.get("max"))
    if array.dtype.kind in "iu":  # numbers beyond the dtype bound nothing
        limits = np.iinfo(array.dtype)
        low = None if type(low) is int and low <= limits.min else low
        high = None if type(high) is int and high >= limits.max else high
    bounds = [bound for bound in (low, high) if bound is not None]
    chosen = umath.clip if len(bounds) == 2 else np.positive if not bounds else np.minimum if low is None else np.maximum
    return ufuncs.call(chosen, array, *bounds, out=out, **options)
