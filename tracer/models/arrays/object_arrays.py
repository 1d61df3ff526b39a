"""Arrays of objects that a program makes and fills item by item: containers, like lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.tracer.arrays.api import object_arithmetic, objects, ufuncs
from npexport.tracer.arrays.core import coercion
from npexport.tracer.models.registry import of_numpy

_NAMES = ("shape", "dtype", "order")


def _making(function: Callable[..., Any], content: Any, names: tuple[str, ...] = _NAMES) -> Callable[..., Any]:
    """The model of a function that makes an array of one value; for numbers an operator."""
    of_numbers = ufuncs.model_of(function)

    def model(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | kwargs
        dtype = given.get("dtype")
        if dtype is not None and given.keys() <= set(names) and coercion.dtype_of(dtype) == objects.OBJECT:
            filler = objects.as_operand(given["fill_value"]) if "fill_value" in given else content
            found = objects.made(given.get("shape"), filler, given.get("order", "C"))
            if found is not None:
                return found
        return of_numbers(*args, **kwargs)

    return model


of_numpy(
    {
        np.empty: _making(np.empty, None),
        np.zeros: _making(np.zeros, 0),
        np.ones: _making(np.ones, 1),
        np.full: _making(np.full, None, ("shape", "fill_value", "dtype", "order")),
    }
)
object_arithmetic.define_operators()
