"""The forms of calls of ufuncs and their methods that NumPy refuses, whatever the arrays are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.tracer.arrays.api import arguments
from npexport.tracer.arrays.core import numpy_oracle
from npexport.tracer.arrays.core.proxy import ArrayProxy

_SECOND = {"reduceat": ([0],), "outer": (np.ones(1),)}
"""What methods take after an array."""
_OUTS = {"reduce": 3, "accumulate": 3, "reduceat": 4}
"""The place of the output; a tuple of one is only taken by name."""


def require(ufunc: np.ufunc, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises what NumPy raises of a call of a method, also of a ufunc that has no such method."""
    second = _SECOND.get(name, ())
    if name != "__call__" and (ufunc.nin != 2 or ufunc.nout != 1 or ufunc.signature is not None):
        getattr(ufunc, name)(np.ones(1), *second)
    if name in ("__call__", "outer"):
        _require_options(ufunc, len(args) if name == "__call__" else ufunc.nin, kwargs)
    elif name in _OUTS and len(args) > _OUTS[name] and type(args[_OUTS[name]]) is tuple:
        getattr(np.add, name)(np.ones(1), *second, 0, args[_OUTS[name] - 1], (np.ones(1),))  # it looks at the dtype first
    if kwargs.get("out") is ... and name not in ("__call__", "outer"):
        getattr(np.add, name)(np.ones(1), *second, out=...)  # which not every version knows


def _require_options(ufunc: np.ufunc, count: int, options: dict[str, Any]) -> None:
    """Raises NumPy's errors for parameters that it refuses with any value, or as defaults."""
    refused: dict[str, Any] = {name: None for name in ("sig", "signature") if name in options and options[name] is None}
    refused |= {"where": True} if "where" in options and ufunc.signature is not None else {}
    if "out" in options and ((options["out"] is None and ufunc.nout > 1) or count > ufunc.nin):
        refused["out"] = None
    if "dtype" in options and options.keys() & {"signature", "sig"}:
        refused |= {name: options[name] for name in ("dtype", "sig", "signature") if name in options}
    if "subok" in options and type(options["subok"]) is not bool:
        refused["subok"] = options["subok"]
    if refused:
        ufunc(*[np.zeros((1, 1))] * max(count, ufunc.nin), **refused)


def output(method: Callable[..., Any], dtype: Any, out: Any, *places: Any) -> Any:
    """``out=`` of a method as one array, or ``None``; NumPy says what else it does not take."""
    if out is None:
        return None
    one = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if type(one) is not ArrayProxy:
        numpy_oracle.raise_for_stand_ins(method, (np.ones(1), *places), {"dtype": dtype, "out": out}, Exception)
    return arguments.out_array(one)
