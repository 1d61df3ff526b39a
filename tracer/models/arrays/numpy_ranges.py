"""``np.arange`` and ``np.linspace``."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, is_symbolic
from npexport.tracer.arrays.api import arguments, ufuncs
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import Proxy
from npexport.tracer.models.converter import as_type
from npexport.tracer.models.registry import of_numpy


def _of_type(limit: Any) -> Any:
    """1, of the type of a limit."""
    if isinstance(limit, Proxy):
        return limit.dtype.type(1)
    return 1 if type(limit) is SymInt or (type(limit) is int and -1 < limit < 1 << 31) else limit


def arange(*limits: Any, dtype: Any = None, **options: Any) -> Any:
    """``np.arange``: integers that only the data know are sizes."""
    if len(limits) == 4 and dtype is None:
        *limits, dtype = limits  # type: ignore[assignment]
    arguments.require_device(options.pop("device", None))
    given = dict(zip(("start", "stop", "step"), limits, strict=False)) | options
    if "start" not in given and given.get("stop") is not None:
        given = options = given | {"start": 0}
    if given.keys() >= {"start", "stop"} and len(given) == len(limits) + len(options) and not given.keys() - {"start", "stop", "step"}:
        limits, options = tuple([given[name] for name in ("start", "stop", "step") if name in given]), {}
    unknown = [limit for limit in (*limits, *options.values()) if isinstance(limit, Proxy) and not limit.known]
    if unknown and all(limit.dtype.kind in "iu" and not limit.ndim for limit in unknown):
        if dtype is None:
            dtype = np.arange(*map(_of_type, limits), **{name: _of_type(value) for name, value in options.items()}).dtype
        wraps = len(limits) > 1 and any(limit.dtype != np.int64 for limit in unknown)
        length = arguments.static(limits[1] - limits[0]) if wraps else None  # NumPy subtracts in their dtype: 0 - 1 is 255
        limits, options = arguments.static(limits), {name: arguments.static(value) for name, value in options.items()}
        if wraps:
            limits = (limits[0], limits[0] + length, *limits[2:])
    return ufuncs.model_of(np.arange)(*limits, dtype=dtype, **options)


def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """``np.linspace``."""
    arguments.require_device(device)
    if isinstance(num, (float, np.generic)):
        num = operator.index(num)  # type: ignore[arg-type]  # raises for what is no integer
    num = arguments.known_parameter(np.linspace, "num", num)
    endpoint = bool(arguments.known_parameter(np.linspace, "endpoint", endpoint))
    made = None if dtype is None else coercion.dtype_of(dtype)
    if made is not None and made.subdtype is not None:
        raise Unsupported(
            "E101", f"np.linspace of the dtype {made}, which has a shape", hint="Write the shape of the result: np.broadcast_to."
        )
    points = recorder().call(
        ops.np.linspace,
        coercion.operand(start),
        coercion.operand(stop),
        num,
        endpoint,
        dtype=made,
        axis=arguments.moved_to(arguments.known_parameter(np.linspace, "axis", axis)),
    )
    if not retstep:
        return points
    steps = num - 1 if endpoint else num
    dtype = np.result_type(*map(as_type, (coercion.operand(start), coercion.operand(stop), 1.0)))
    ends = [coercion.array_of(end * 1.0) if is_symbolic(end) else end for end in (stop, start)]
    length = ufuncs.call(np.subtract, *ends, dtype=dtype)
    return points, length / steps if steps > 0 else np.nan


of_numpy({np.arange: arange, np.linspace: linspace})
