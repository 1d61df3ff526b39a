"""Branches on data within an iteration of a loop that might be captured: where they multiply, the loop is not one node, and the
export ends all the same."""

from __future__ import annotations

import itertools

import numpy as np

from npexport import export


def matching(edges):
    """Kuhn's algorithm: each turn looks for an augmenting path by recursion, and data say how deep that goes."""
    count = len(edges)
    partner = [-1] * count

    def augmented(left, seen):
        for right in range(count):
            if edges[left, right] and not seen[right]:
                seen[right] = True
                if partner[right] < 0 or augmented(partner[right], seen):
                    partner[right] = left
                    return True
        return False

    found = sum(augmented(left, [False] * count) for left in range(count))
    return found, partner


def test_a_recursion_in_a_loop():
    run = export(matching, (np.ones((2, 2), int),)).module()
    for cells in itertools.product((0, 1), repeat=4):
        edges = np.array(cells).reshape(2, 2)
        assert repr(run(edges)) == repr(matching(edges))
