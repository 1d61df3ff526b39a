"""Powers of Python's numbers, of which only data may know the kind: a negative exponent makes a
float of integers, a negative base and a fraction a complex number.
"""

from __future__ import annotations

import math
from typing import Any

from npexport.ir.ops.signs import is_never_negative
from npexport.symshapes.env import known
from npexport.symshapes.symint import is_unbacked, python_type
from npexport.tracer.arrays.core.data_numbers import of_data
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import numbers
from npexport.tracer.models.registry import DECLINED, models


@models("_operator", "pow", "ipow", pure=True, asks=False)
def power(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``base ** exponent``; on a side that tells the kind, the operation itself."""
    if len(args) != 2 or kwargs or not world.captures or not {int, float, bool}.issuperset(map(python_type, args)):
        return DECLINED
    base, exponent = args
    if not (is_unbacked(base) or is_unbacked(exponent)):
        return DECLINED
    frame = vm.current_frame
    if python_type(exponent) is not float:
        open_ = python_type(base) is not float and is_unbacked(exponent) and known(exponent >= 0) is None
        return Invoke(numbers.power, args) if open_ and frame.code is not numbers.power.__code__ else DECLINED
    if (type(exponent) is float and (exponent.is_integer() or not math.isfinite(exponent))) or known(base >= 0) is True:
        return DECLINED
    proven = is_never_negative(base if isinstance(base, (int, float)) else world.recorder.argument(base))
    return _of_real(base, exponent) if proven else Invoke(numbers.real_power, (_of_real, *args))


@models("builtins", "pow", pure=True, scalars="kept")
def builtin_power(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``pow(base, exp)`` is ``base ** exp``."""
    given = dict(zip(("base", "exp", "mod"), args, strict=False)) | kwargs
    if set(given) != {"base", "exp"} or len(args) + len(kwargs) != len(given):
        return DECLINED
    return power(world, vm, fn, (given["base"], given["exp"]), {})


def _of_real(base: Any, exponent: Any) -> Any:
    return of_data("real_pow", base, exponent)
