"""Operators that raise for some data and not for others: what a program that runs may raise, though its export did not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.symshapes.symint import SymInt
from npexport.tracer.arrays import standins
from npexport.tracer.arrays.proxy import ArrayProxy, all_known

Errors = tuple[type[Exception], ...]
OF_SIZES: Errors = (IndexError, ValueError)
"""What operators raise of sizes."""

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


def _place(args: tuple[Any, ...]) -> bool:
    """Whether the places are integers, also where they are known: whether they are there depends on sizes."""
    return type(args[1]) in (int, list, tuple) or _is_data(args[1], "iu")


def _any(kinds: str) -> Callable[[tuple[Any, ...]], bool]:
    return lambda args: any(_is_data(arg, kinds) for arg in args)


def _power(args: tuple[Any, ...], first: int = 0) -> bool:
    """Whether an integer may be raised to a negative power."""
    base, exponent = args[first], args[-1]
    negative = exponent < 0 if isinstance(exponent, (int, np.integer)) else _is_data(exponent, "i")
    return bool(negative) and (not isinstance(base, Node) or _is_data(base, "biu"))


def _power_at(args: tuple[Any, ...]) -> bool:
    return args[0] == "power" and _power((args[1], args[-1]))


def _indexed(args: tuple[Any, ...]) -> bool:
    """Whether data say which elements there are; one mask alone always fits."""
    items = args[1] if isinstance(args[1], tuple) else (args[1],)
    masks = sum(_is_data(item, "b") for item in items)
    return _is_data(args[1], "iu") or masks > 1 or (masks == 1 and any(isinstance(item, list) for item in items))


def _masked(args: tuple[Any, ...]) -> bool:
    """Whether as many values are written as data say that there are places."""
    return _is_data(args[1], "b") and bool(_shape(args[2]))


def _shape(arg: Any) -> tuple[Any, ...]:
    val = arg.meta.get("val") if isinstance(arg, Node) else None
    return val.shape if isinstance(val, TensorMeta) else ()


def _longer(args: tuple[Any, ...]) -> bool:
    """Whether a mask may have more elements than the axis, or the whole array, from which it chooses."""
    mask, chosen = (_shape(arg) if isinstance(arg, Node) else np.shape(arg) for arg in args[:2])
    axis = args[2] if len(args) > 2 else None
    if type(axis) is int and chosen:
        chosen = (chosen[axis],)
    static = all(type(size) is int for size in (*mask, *chosen))
    return mask != chosen and not (static and math.prod(mask) <= math.prod(chosen))


def _text_to(target: int, source: int) -> Callable[[tuple[Any, ...]], bool]:
    """Whether text is written to an array of another kind."""
    return lambda args: len(args) > source and _is_data(args[source], "SU") and not _is_data(args[target], "SU")


def _from_text(args: tuple[Any, ...]) -> bool:
    kinds = {args[0].meta["val"].dtype.kind, np.dtype(args[1]).kind} if _is_data(args[0], "SU") else set()
    return len(kinds) > 1


def _of_nothing(args: tuple[Any, ...]) -> bool:
    """``np.place`` of no values raises where the mask is true anywhere."""
    return any(type(size) is not int or size == 0 for size in _shape(args[2]))


def _inverts(args: tuple[Any, ...]) -> bool:
    return not isinstance(args[1], int) or args[1] < 0


_LINALG = (np.linalg.LinAlgError,)
_ROWS: tuple[tuple[str, Errors, Callable[[tuple[Any, ...]], bool], int | None], ...] = (
    ("inv solve cholesky svd svdvals eig eigh eigvals eigvalsh lstsq pinv cond polyfit", _LINALG, _always, None),
    ("matrix_power", _LINALG, _inverts, None),
    ("power", (ValueError,), _power, 1),
    ("ufunc_reduce ufunc_accumulate ufunc_reduceat", (ValueError,), lambda args: args[0] == "power" and _is_data(args[1], "iu"), None),
    ("ufunc_at", (ValueError,), _power_at, None),
    ("ufunc_where", (ValueError,), lambda args: args[0] == "power" and _power(args[3:5]), None),
    ("ufunc_reduceat ufunc_at", (IndexError,), lambda args: _is_data(args[2], "iu"), 2),
    ("index getitem setitem flat_index", (IndexError,), _indexed, 1),
    ("setitem", (ValueError,), _masked, None),
    ("setitem put put_along_axis place", (ValueError,), _text_to(0, 2), None),
    ("copyto fill_diagonal", (ValueError,), _text_to(0, 1), None),
    ("place", (ValueError,), _of_nothing, None),
    ("take take_along_axis put put_along_axis", (IndexError,), _place, 1),
    ("compress extract", (IndexError,), _longer, 0),
    ("choose", (ValueError,), _argument(0), 0),
    ("unravel_index ravel_multi_index", (ValueError,), _argument(0), 0),
    ("repeat", (ValueError,), _argument(1), 1),
    ("bincount", (ValueError,), _always, None),
    ("histogram histogram_bin_edges histogramdd histogram2d", (ValueError,), _always, None),
    ("digitize", (ValueError,), _argument(1), 1),
    ("searchsorted", (ValueError,), _argument(3), 3),
    ("quantile percentile nanquantile nanpercentile", (ValueError,), _argument(1), 1),
    ("quantile percentile nanquantile nanpercentile", (ValueError,), _argument(5), 5),
    ("nanargmax nanargmin", (ValueError,), _always, None),
    ("average", (ZeroDivisionError,), _argument(2), 2),
    ("astype", (ValueError,), _from_text, None),
    ("add subtract multiply astype sum cumsum", (OverflowError,), _any("mM"), None),
    ("array", (ValueError,), lambda args: len(args) > 1 and args[1] is not None and _from_text(args), None),
)
"""Operators, what they raise, for which arguments, and the argument whose data alone decide that."""
_NN = {"embedding embedding_bag nll_loss ctc_loss": (IndexError, ValueError), "one_hot": (ValueError,)}
_Row = tuple[Errors, Callable[[tuple[Any, ...]], bool], int | None]
_TABLE: dict[Op, list[_Row]] = {ops.sym.element: [((ValueError, OverflowError), _argument(0, "f"), None)]}
for _names, *_row in _ROWS:
    for _name in _names.split():
        _TABLE.setdefault(getattr(ops.np, _name), []).append(tuple(_row))  # type: ignore[arg-type]
for _names, _errors in _NN.items():
    _TABLE |= {getattr(ops.nn, _name): [(_errors, _always, None)] for _name in _names.split()}


def _rows(op: Op, args: tuple[Any, ...]) -> Iterator[_Row]:
    return (row for row in _TABLE.get(op, ()) if row[1](args))


def errors_of(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Errors:
    """The exceptions that the call may raise, depending on data."""
    if op not in _TABLE:
        return () if op.namespace in _OWN else (Exception,)
    if kwargs.get("mode") in ("wrap", "clip"):
        return ()
    return tuple([error for errors, _, _ in _rows(op, positional(op, args, kwargs)) for error in errors])


def positional(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments in the order of the schema."""
    if not kwargs:
        return args
    rest = list(op.signature.parameters.values())[len(args) :]
    return (*args, *[kwargs.get(parameter.name, parameter.default) for parameter in rest])


_LOOKED_AT = frozenset({ops.np.index, ops.np.getitem, ops.np.setitem, ops.np.put, ops.np.ufunc_at, ops.np.ufunc_reduceat})
"""Operators whose models ask NumPy about known places themselves."""


def decided(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], nodes: tuple[Any, ...], named: dict[str, Any], errors: Errors) -> bool:
    """Whether the program knows all data that decide, which do not raise. What they raise is raised.

    ``args`` and ``kwargs``: as the program sees them; ``nodes`` and ``named``: as they stand in the graph. Sizes for which something is
    raised become constants.
    """
    given = positional(op, args, kwargs)
    if not all(place is not None and all_known(given[place]) for _, _, place in _rows(op, positional(op, nodes, named))):
        return False
    sizes = [size for arg in given if isinstance(arg, ArrayProxy) for size in arg.shape if isinstance(size, SymInt)]
    if any(size.hint is None for size in sizes):  # only the data know what it is
        return False
    if op not in _LOOKED_AT:
        try:
            for kind in errors:
                standins.raise_for_stand_ins(op.kernel, args, kwargs, kind)
        except errors:
            for size in sizes:
                int(size)
            raise
    return not sizes


def may_warn(op: Op, args: tuple[Any, ...]) -> bool:
    """Whether NumPy may warn of a floating-point error: of what overflows, or of what is no number."""
    if op.namespace not in ("np", "nn") or "view" in op.traits:
        return False
    return _any("fc")(args) or op in (ops.np.divide, ops.np.floor_divide, ops.np.remainder)
