"""Containers of stores (`npexport.tracer.arrays.core.inner_lists`) as results."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.inner_lists import LISTS, MOST_ITEMS, Store, refused


def columns_of_containers(store: Store, numbers: Any) -> tuple[Any, list[Any]]:
    """The structure of an item, and columns: the numbers of containers, how many items each of them
    has, and those of the items of all of them, one container after the other.
    """
    call = recorder().call
    lengths = call(ops.np.take, store.counts.columns[0], numbers)
    if store.table is None:
        item = (int, int) if store.kind not in (*LISTS, set) else int
        return item, [numbers, lengths, *[call(ops.np.zeros, (0,), np.dtype(np.int64))] * (2 if type(item) is tuple else 1)]
    keys, *columns = store.table.rows.arrays()
    order = call(ops.np.argsort, keys, kind="stable")
    begin = call(ops.np.searchsorted, call(ops.np.take, keys, order), numbers * MOST_ITEMS if store.kind in LISTS else numbers)
    each = call(ops.np.repeat, begin - (call(ops.np.cumsum, lengths) - lengths), lengths)
    places = call(ops.np.take, order, each + call(ops.np.arange, each.shape[0]))
    return _item_of(store), [numbers, lengths, *[call(ops.np.take, column, places, 0) for column in columns]]


def _item_of(store: Store) -> Any:
    """The structure of the items of a store that has some."""
    key, *rest = store.table.rows.item  # type: ignore[union-attr]
    if store.kind in LISTS:
        return rest[0]
    return (key[1], *rest) if rest else key[1]


def require_once(store: Store, owner: Any) -> None:
    """Containers of a store are returned within one other: two of them may hold the same one."""
    if store.returned is not None and store.returned is not owner:
        raise refused("is returned, and other results may hold it, too: return copies, `[list(group) for group in groups]`")
    store.returned = owner
