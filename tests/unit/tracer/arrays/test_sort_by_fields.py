"""Sorting of records by some of their fields."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export

PEOPLE = np.array(
    [("b", 3, 1.5), ("a", 3, 0.5), ("c", 1, 2.5), ("a", 2, -1.0), ("b", 1, 0.0)], [("name", "U2"), ("age", int), ("w", float)]
)
OTHERS = PEOPLE[[4, 0, 3, 1, 2]]

CALLS = (
    "np.sort(p, order='age')",
    "np.sort(p, order=['w'])",
    "np.sort(p, order=('age', 'name'), kind='stable')",
    "np.sort(p, -1, None, 'w')",
    "np.sort(np.stack([p, p[::-1]]), axis=0, order='age')",
    "np.argsort(p, order='w')",
    "p.argsort(order=['name', 'age'])",
    "np.partition(p, 2, order='w')['w'][2]",
    "p[np.argpartition(p, 1, order='w')[1]]",
    "in_place(p, 'age')",
    "in_place(p[1:], ['name', 'w'])",
    "parted(p)['w'][2]",
)
WRONG = ("np.sort(p, order='size')", "np.sort(p, order=['age', 'age'])", "np.sort(p['w'], order='w')", "p.argsort(order='size')")


def in_place(p, order):
    p = p.copy()
    p.sort(order=order)
    return p


def parted(p):
    p = p.copy()
    p.partition(2, order="w")
    return p


def calling(body):
    return eval(f"lambda p: {body}", {"np": np, "in_place": in_place, "parted": parted})


@pytest.mark.parametrize("body", CALLS)
def test_records_are_sorted_by_the_fields_that_order_names(body):
    eager = calling(body)
    run = export(eager, (PEOPLE,)).module()
    for people in (PEOPLE, OTHERS):
        np.testing.assert_array_equal(run(people), eager(people), strict=True)


@pytest.mark.parametrize("body", WRONG)
def test_what_order_may_not_name_raises_what_numpy_raises(body):
    with pytest.raises(ValueError) as wanted:
        calling(body)(PEOPLE)
    with pytest.raises(ValueError) as found:
        export(calling(body), (PEOPLE,))
    assert str(found.value) == str(wanted.value)
