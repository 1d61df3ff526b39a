"""Copies of trees of modules have the state of now: of any length, and in memory that is shared as it is here."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from npexport import export, unflatten

COPIES = {"copied": copy.deepcopy, "pickled": lambda tree: pickle.loads(pickle.dumps(tree))}


class Growing:
    def __init__(self):
        self.history, self.seen, self.curves = [], {}, []

    def __call__(self, x):
        self.history.append(float(x.sum()))
        self.curves.append(x * 2)
        key = int(x.argmax())
        self.seen[key] = self.seen.get(key, 0) + 1
        return np.array(self.history), sum(float(curve.sum()) for curve in self.curves), sorted(self.seen)


class Following:
    """The last state is the one that was the present one."""

    def __init__(self):
        self.now, self.last = np.zeros(3), np.zeros(3)

    def __call__(self, x):
        self.last = self.now
        self.now = self.now + x
        return self.last.sum()


@pytest.mark.parametrize("kind", [Growing, Following])
@pytest.mark.parametrize("way", COPIES)
def test_state_is_as_it_was_when_copied(kind, way):
    eager, inputs = kind(), [np.roll(np.array([1.0, 2.0, 4.0]), turn) for turn in range(5)]
    tree = unflatten(export(kind(), (inputs[0].copy(),)))
    for number, x in enumerate(inputs):
        if number in (1, 3):
            tree = COPIES[way](tree)
        want, have = eager(x.copy()), tree(x.copy())
        np.testing.assert_equal(have, want)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_leaves_the_tree_as_it_is(way):
    tree = unflatten(export(Growing(), (np.ones(3),)))
    tree(np.ones(3))
    copied = COPIES[way](tree)
    copied(np.ones(3))
    assert len(copied(np.ones(3))[0]) == 3 and len(tree(np.ones(3))[0]) == 2


def test_views_of_one_array_are_views_of_one_in_a_copy():
    class Windows:
        def __init__(self):
            self.all = np.zeros(4)
            self.first = self.all[:2]

        def __call__(self, x):
            self.first += x
            return self.all.sum()

    tree = unflatten(export(Windows(), (np.ones(2),)))
    tree(np.ones(2))
    for make in COPIES.values():
        copied = make(tree)
        copied(np.ones(2))
        assert copied.all.tolist() == [2, 2, 0, 0] and copied.first.tolist() == [2, 2]
    assert tree.all.tolist() == [1, 1, 0, 0]
