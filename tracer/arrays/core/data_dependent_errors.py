"""Operators that raise for some data and not for others: what the program may raise at run time
although its export did not.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.raising import SILENT, computes_numbers, is_data
from npexport.tracer.arrays.core import numpy_oracle
from npexport.tracer.arrays.core.proxy import all_known, sizes_of

Errors = tuple[type[Exception], ...]
OF_SIZES: Errors = (IndexError, ValueError, ZeroDivisionError)
"""What operators raise because of sizes."""


def decided(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], nodes: tuple[Any, ...], named: dict[str, Any], errors: Errors) -> bool:
    """Whether the program knows all data that decide, and they do not raise.

    What they raise is raised.

    ``args`` and ``kwargs``: as the program sees them; ``nodes`` and ``named``: as they are in the
    graph. Sizes for which something is raised become constants.
    """
    given, seen = op.positional(args, kwargs), op.positional(nodes, named)
    rows = [row for row in op.statements if row.when(seen)]
    if not rows or not all(row.place is not None and all_known(given[row.place]) for row in rows):
        return False
    sizes = sizes_of(given)
    if any(size.hint is None for size in sizes):  # only the data know what it is
        return False
    if "asked" not in op.traits:
        try:
            for kind in errors:
                numpy_oracle.raise_for_stand_ins(op.kernel, args, kwargs, kind)
        except errors:
            for size in sizes:
                int(size)
            raise
    return not sizes


def text_of(op: Op, error: type[BaseException]) -> str | None:
    """The message of an operator's exception, if it does not depend on data."""
    return next((row.text for row in op.statements if error in row.errors), None)


def may_warn(op: Op, args: tuple[Any, ...], made: Any) -> bool:
    """Whether NumPy may warn of a floating-point error: for values that overflow, or are not
    numbers. For integers it does if it makes floats of them (``made``: the result of the call),
    divides by them, or if they are scalars.
    """
    if op.namespace in SILENT or "view" in op.traits:
        return False
    if any(is_data(arg, "fc") for arg in args) or (computes_numbers(op, args) and not op.is_quiet(*args)):
        return True
    if not any(is_data(arg, "biu") for arg in args):
        return False
    nodes = [arg for arg in args if type(arg) is Node and is_data(arg, "biu")]
    scalars = bool(nodes) and all(node.meta["val"].scalar for node in nodes)
    return "divides" in op.traits or (not op.is_quiet(*args) and (scalars or _has_floats(made)))


def _has_floats(made: Any) -> bool:
    if isinstance(made, (tuple, list)):
        return any(map(_has_floats, made))
    return isinstance(made, TensorMeta) and made.dtype.kind in "fc"
