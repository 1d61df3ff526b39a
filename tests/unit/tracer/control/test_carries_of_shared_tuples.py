"""What several variables hold may be written to in a loop that binds one of them anew: a tuple, or a value that is one of several
kinds, is held by each of them, and so are its arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome


class Pair(NamedTuple):
    total: Any
    count: Any


def in_a_tuple(a: Any) -> Any:
    low = store = (np.zeros(()), 0)
    for i in range(int(a[3])):
        if a[i] < a[5]:
            store[0][...] = store[0] + 1
            store = (store[0] + 0, store[1] + 1)
    return a + low[0], store[0]


def in_a_named_tuple(a: Any) -> Any:
    low = store = Pair(np.zeros(()), 0)
    for i in range(int(a[3])):
        if a[i] < a[5]:
            store.total[...] = store.total + 1
            store = Pair(store.total + 0, store.count + 1)
    return a + low.total


def one_of_several(a: Any) -> Any:
    k, low, high = 2, 0, 3
    while low < high:
        pivot, store = a[high], low
        for i in range(low, high):
            if a[i] < pivot:
                store += 1
        a[high] = a[store]
        if store == k:
            break
        elif store < k:
            low = np.asarray(store + 1).astype(int)
        else:
            high = store - 1
    return a


def of_one_variable(a: Any) -> Any:
    store = (np.zeros(()), 0)
    for i in range(int(a[3])):
        if a[i] < a[5]:
            store[0][...] = store[0] + 1
            store = (store[0] + 0, store[1] + 1)
    return a + store[0]


@pytest.mark.parametrize("f", [in_a_tuple, in_a_named_tuple, one_of_several])
def test_what_other_variables_hold_is_not_written_to(f: Any) -> None:
    with pytest.raises(Unsupported, match="which other variables may hold"):
        export(f, (np.array([4, 2, 1, -1, -1, 3]),))


def test_what_one_variable_holds_is() -> None:
    run = export(of_one_variable, (np.array([4.0, 2, 1, 3, -1, 3]),)).module()
    for count in range(6):
        given = (np.array([4.0, 2, 1, count, -1, 3]),)
        assert outcome(run, given) == outcome(of_one_variable, given)
