"""What builtins mean for lists that loops fill
(`npexport.tracer.arrays.core.grown`).
"""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.grown import Grown
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.bytecode.host import FROM_3_12
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.registry import DECLINED, models


def total(world: Any, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``sum``."""
    values = args[0] if args and world.side is None else None
    if type(values) is ArrayProxy and world.counting and values.ndim and type(values.shape[0]) is SymInt:
        return Invoke(polyfills.sum_in_order, args, kwargs)
    if type(values) is not Grown:
        return DECLINED
    # From CPython 3.12 on, a sum of floats adds up their rounding errors, too.
    compensated = FROM_3_12 and values.item is float
    return Invoke(polyfills.sum_with_rest if compensated else polyfills.sum_in_order, args, kwargs)


def listed(world: Any, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list``."""
    is_filled = len(args) == 1 and not kwargs and type(args[0]) is Grown
    return args[0].copy() if is_filled and type(args[0].count) is not int else DECLINED


@models("npexport.tracer.arrays.core.grown", "Grown.pop")
def pop(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``list.pop``."""
    return Invoke(polyfills.pop_of_list, args, kwargs)


@models("npexport.runtime.kernels.control_flow", "with_room")
def with_room(world: Any, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a captured program that is called in another: nothing else holds the array."""
    return recorder().call(ops.control.with_room, *args)
