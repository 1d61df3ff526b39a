"""Operators that raise for some data and not for others: what a program that runs may raise, though its export did not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op

Errors = tuple[type[Exception], ...]

_OWN = ("np", "nn", "sym", "scipy", "control")
"""Namespaces of operators that this table knows; any other may raise anything."""


def _is_data(arg: Any, kinds: str) -> bool:
    """Whether an argument, or an item of it, is an array or number of these kinds of dtypes that only the data know."""
    if isinstance(arg, (tuple, list)):
        return any(_is_data(item, kinds) for item in arg)
    val = arg.meta.get("val") if isinstance(arg, Node) else None
    return isinstance(val, TensorMeta) and val.dtype.kind in kinds


def _always(args: tuple[Any, ...]) -> bool:
    return True


def _argument(position: int, kinds: str = "biufcSUmM") -> Callable[[tuple[Any, ...]], bool]:
    return lambda args: len(args) > position and _is_data(args[position], kinds)


def _any(kinds: str) -> Callable[[tuple[Any, ...]], bool]:
    return lambda args: any(_is_data(arg, kinds) for arg in args)


def _power(args: tuple[Any, ...]) -> bool:
    return _is_data(args[1], "i") and (not isinstance(args[0], Node) or _is_data(args[0], "biu"))


def _from_text(args: tuple[Any, ...]) -> bool:
    return _is_data(args[0], "SU") and np.dtype(args[1]).kind not in "SU"


def _inverts(args: tuple[Any, ...]) -> bool:
    return not isinstance(args[1], int) or args[1] < 0


_ROWS: tuple[tuple[str, Errors, Callable[[tuple[Any, ...]], bool]], ...] = (
    ("inv solve cholesky svd svdvals eig eigh eigvals eigvalsh lstsq pinv cond polyfit", (np.linalg.LinAlgError,), _always),
    ("matrix_power", (np.linalg.LinAlgError,), _inverts),
    ("power", (ValueError,), _power),
    ("getitem index setitem", (IndexError,), lambda args: any(_is_data(arg, "iu") for arg in args[1:2])),
    ("take take_along_axis put put_along_axis", (IndexError,), _argument(1, "iu")),
    ("compress", (IndexError,), _argument(0)),
    ("choose", (ValueError,), _argument(0)),
    ("unravel_index ravel_multi_index", (ValueError,), _argument(0)),
    ("repeat", (ValueError,), _argument(1)),
    ("bincount", (ValueError,), _always),
    ("histogram histogram_bin_edges histogramdd histogram2d", (ValueError,), _always),
    ("digitize", (ValueError,), _argument(1)),
    ("quantile percentile nanquantile nanpercentile", (ValueError,), _argument(1)),
    ("nanargmax nanargmin", (ValueError,), _always),
    ("average", (ZeroDivisionError,), _argument(2)),
    ("astype", (ValueError,), _from_text),
    ("ufunc_at", (IndexError,), _any("iu")),
)
_TABLE: dict[Op, tuple[Errors, Callable[[tuple[Any, ...]], bool]]] = {
    getattr(ops.np, name): (errors, when) for names, errors, when in _ROWS for name in names.split()
}
_TABLE[ops.nn.embedding] = ((IndexError,), _always)
_TABLE[ops.nn.one_hot] = ((ValueError,), _always)


def errors_of(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Errors:
    """The exceptions that the call may raise, depending on data."""
    if kwargs.get("mode", "raise") != "raise":
        return ()
    row = _TABLE.get(op)
    if row is None:
        return () if op.namespace in _OWN else (Exception,)
    errors, when = row
    return errors if when(args) else ()


def may_warn(op: Op, args: tuple[Any, ...]) -> bool:
    """Whether NumPy may warn of a floating-point error: of what overflows, or of what is no number."""
    if op.namespace not in ("np", "nn") or "view" in op.traits:
        return False
    return _any("fc")(args) or op in (ops.np.divide, ops.np.floor_divide, ops.np.remainder)
