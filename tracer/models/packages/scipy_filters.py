"""Compiled filters of SciPy, which fill an array that they are passed: operators, whose results are
written into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.op import registered
from npexport.ir.scipy_filters import FILTERS, PROMOTING, RETURNING, SIGNALS, TAKES
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core import writes
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills.coordinates import coordinates
from npexport.tracer.models.registry import Model, models


def _filling(name: str, parameters: list[str]) -> Model:
    place, count = parameters.index("output"), len(parameters)

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs.keys() == {"out"} and len(args) == place == count - 1:
            args, kwargs = (*args, kwargs["out"]), {}
        arrays = [args[0], args[place]] if len(args) == count and not kwargs else []
        read = [*arrays, args[1]] if name in PROMOTING else arrays
        if not arrays or not all(type(array) is ArrayProxy and array.dtype.char in TAKES for array in read):
            raise Unsupported("E101", f"`{fn.__name__}` is called with arguments that its operator does not take")
        source, output = arrays
        if source.storage is output.storage and source.link is not output.link:
            raise Unsupported("E101", f"`{fn.__name__}` writes to memory that it reads in part")
        if not output.writeable:
            raise Unsupported("E101", f"`{fn.__name__}` writes to an array that is read-only")
        given = [tuple(arg) if type(arg) is list else arg for arg in (*args[:place], *args[place + 1 :])]
        dtype = np.result_type(source.dtype, args[1].dtype) if name in PROMOTING else output.dtype
        result = world.recorder.call(registered(f"scipy.{name}"), *given, tuple(output.shape), dtype)
        if dtype != output.dtype:
            return result
        writes.assign(output, result)
        return output if name in RETURNING else None

    return model


for _name, (_module, _function, _parameters) in FILTERS.items():
    models(_module, _function, pure=True)(_filling(_name, _parameters.split()))


@models(SIGNALS, "_linear_filter", pure=True)
def linear_filter(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs or not all(type(arg) is ArrayProxy for arg in (*args[:3], *args[4:])):
        raise Unsupported("E101", f"`{fn.__name__}` is called with arguments that its operator does not take")
    return world.recorder.call(registered("scipy.linear_filter"), *args)


@models("scipy.interpolate._interpnd", "_ndim_coords_from_arrays")
def coordinates_of(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return Invoke(coordinates, args, kwargs)
