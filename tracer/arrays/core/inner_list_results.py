"""Containers of stores (`npexport.tracer.arrays.core.inner_lists`) as results."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.inner_lists import LISTS, MOST_ITEMS, Store, refused


def columns_of_containers(store: Store, numbers: Any) -> tuple[Any, list[Any]]:
    """The structure of an item, and columns: the numbers of containers, how many items each of them
    has, and those of the items of all of them, one container after the other.
    """
    return of_store(store, numbers, lambda *given: (_item_of(store), _columns(store, *given)))


def of_store(store: Store, owner: Any, make: Callable[..., Any]) -> Any:
    """What ``make`` gives for the owner and the arrays of a store."""
    return made_once(store, [owner, store.counts.columns[0], *(() if store.table is None else store.table.rows.arrays())], make)


def made_once(keeper: Any, given: list[Any], make: Callable[..., Any]) -> Any:
    """What ``make`` gives for a container and arrays. The same arrays each time, since what is
    returned twice is one object. ``keeper``: where they are kept, as ``columns``.
    """
    for before, found in keeper.columns:
        if len(before) == len(given) and all(map(operator.is_, before, given)):
            return found
    found = make(*given)
    keeper.columns.append((given, found))
    return found


def _columns(store: Store, numbers: Any, counts: Any, keys: Any = None, *columns: Any) -> list[Any]:
    call = recorder().call
    lengths = call(ops.np.take, counts, numbers)
    if keys is None:
        return [numbers, lengths, *[call(ops.np.zeros, (0,), np.dtype(np.int64))] * (1 if store.kind in (*LISTS, set) else 2)]
    places = call(ops.py.list_rows, keys, numbers, MOST_ITEMS if store.kind in LISTS else 1, lengths)
    return [numbers, lengths, *[call(ops.np.take, column, places, 0) for column in columns]]


def _item_of(store: Store) -> Any:
    """The structure of the items of a store: of integers where it has none."""
    if store.table is None:
        return int if store.kind in (*LISTS, set) else (int, int)
    key, *rest = store.table.rows.item
    if store.kind in LISTS:
        return rest[0]
    return (key[1], *rest) if rest else key[1]


def require_once(store: Store, owner: Any) -> None:
    """Containers of a store are returned within one other: two of them may hold the same one."""
    if store.returned is not None and store.returned is not owner:
        raise refused("is returned, and other results may hold it, too: return copies, `[list(group) for group in groups]`")
    store.returned = owner
