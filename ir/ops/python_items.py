"""Items of Python's lists and dicts at places that only the data know."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Raises
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.python_numbers import fresh
from npexport.ir.ops.python_orders import kind_of
from npexport.ir.ops.rules import Rejected, record
from npexport.ir.ops.rules import value as scalar_or_array
from npexport.ir.raising import NOTHING, always
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt, python_type

TEXTS = (
    "list index out of range",
    "tuple index out of range",
    "string index out of range",
    "list assignment index out of range",
    "pop index out of range",
)
"""Python's messages for places where a sequence has no item."""


@record(
    kernel="python_items.place", namespace="py", traits="data_dependent_shape", raises=(Raises((IndexError,), always, None),), step="place"
)
def place(index: Any, count: Any, text: Any, /) -> Any:
    """The place, counted from the beginning, of item ``index`` of ``count`` items.

    Raises ``IndexError(text)`` where there is none.
    """
    if python_type(index) not in (int, bool) or python_type(count) is not int or known(count < 1) or text not in TEXTS:
        raise Rejected
    return fresh_size(0, count - 1)


@record(kernel="python_items.repetitions", namespace="py", traits="data_dependent_shape", raises=(Raises((OverflowError,), always, None),))
def repetitions(count: Any, /) -> Any:
    """How often ``list * count`` repeats the list: a negative count is 0.

    Raises ``OverflowError`` where 64 bits do not hold the count.
    """
    if python_type(count) is not int:
        raise Rejected
    return fresh_size(0, sys.maxsize)


@record(
    kernel="python_items.key_place",
    namespace="py",
    traits="data_dependent_shape",
    raises=(Raises((KeyError,), always, None),),
    step="find_key",
)
def key_place(keys: Any, key: Any, or_end: Any, /) -> Any:
    """The place of a number among the keys of a dict, which are integers and truths; of one that is
    none of them their number, if ``or_end``. Else raises ``KeyError(key)``.
    """
    of_numpy = isinstance(key, (TensorMeta, np.integer))
    integer = not key.ndim and key.dtype.kind in "iu" if of_numpy else python_type(key) in (int, bool)
    if not keys or any(type(each) not in (int, bool) for each in keys) or not integer or type(or_end) is not bool:
        raise Rejected
    return fresh_size(0, len(keys) - (not or_end))


@record(kernel="list_rows.row_place", namespace="py", traits="data_dependent_shape", raises=NOTHING, step="find")
def row_place(columns: Any, key: Any, count: Any, /) -> Any:
    """The place of a key among the first ``count`` rows: a number in each of the columns, arrays of
    one axis. It is ``count`` where none of them is the key.
    """
    fits = [isinstance(column, TensorMeta) and column.ndim == 1 and column.dtype.kind in "biuf" for column in columns]
    if not fits or not all(fits) or len(key) != len(columns) or python_type(count) is not int:
        raise Rejected
    return fresh_size(0, max(_ends(count)[1], 0))


def _of_places(node: Any) -> str:
    least = _ends(node.args[1].meta["val"] if hasattr(node.args[1], "meta") else node.args[1])[0]
    return "({0} if {1} < {0} else {0} + 1 if {0} > 0 else 1)" if least >= 0 else ""


@record(
    kernel="python_items.rows_with", namespace="py", traits="data_dependent_shape", raises=NOTHING, emit=Emit(own=_of_places), step="rows"
)
def rows_with(count: Any, place: Any, /) -> Any:
    """The number of rows once there is one at ``place``: ``count`` if that is the place of one of
    them, else one more.
    """
    if python_type(count) is not int or python_type(place) is not int:
        raise Rejected
    return fresh_size(1, max(_ends(count)[1], 0) + 1)


@record(kernel="list_rows.list_rows", namespace="py", traits="c_order data_dependent_shape", raises=NOTHING)
def list_rows(keys: Any, numbers: Any, step: Any, lengths: Any, /) -> Any:
    """The rows of lists that lie in one table: of each list in turn so many, in the order of their
    ``keys``, from the first key on that is not less than ``step`` times the number of the list.
    """
    metas = (keys, numbers, lengths)
    if not all(isinstance(meta, TensorMeta) and meta.ndim == 1 and meta.dtype.kind == "i" for meta in metas) or type(step) is not int:
        raise Rejected
    return TensorMeta((fresh_size(0, None),), np.dtype(np.intp))


@record(kernel="python_items.row_moved", namespace="py", traits="c_order scatter", raises=NOTHING, step="move")
def row_moved(x: Any, place: Any, to: Any, /) -> TensorMeta:
    """``x`` with the row of one place at another, as ``rows.insert(to, rows.pop(place))`` does it;
    ``x`` itself where one of the places has no row.
    """
    if not isinstance(x, TensorMeta) or not x.ndim or python_type(place) is not int or python_type(to) is not int:
        raise Rejected
    return TensorMeta(x.shape, x.dtype)


def _ends(item: Any) -> tuple[Any, Any]:
    """The lower and upper bound of an integer."""
    if type(item) is not SymInt:
        return int(item), int(item)
    found = item.env.facts.bounds(item.expression)
    return found.lower, found.upper


@record(kernel="python_items.item", namespace="py", traits="data_dependent_shape", raises=NOTHING, emit=Emit(("{0}[{1}]",)), step="pick")
def item(items: Any, place: Any, /) -> Any:
    """The number that stands at a place, which is one of theirs."""
    if not items or len({kind_of(each) for each in items}) > 1 or python_type(place) not in (int, bool):
        raise Rejected
    first = items[0]
    if isinstance(first, (TensorMeta, np.generic)):
        return scalar_or_array((), first.dtype)
    if python_type(first) is not int:
        return fresh(python_type(first))
    ends = [_ends(each) for each in items]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return fresh_size(low, high)
