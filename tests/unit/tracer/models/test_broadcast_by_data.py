"""Shapes that are broadcast where only the data know whether they fit, and the program catches what NumPy raises."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export
from tests.support.outcomes import outcome

PAIRS = ([1.0, 2, -1], [1.0, 2]), ([1.0, 2, 3], [1.0, 2, 3]), ([1.0, -1, -1], [1.0, 2]), ([-1.0, -1], [1.0]), ([2.0, 2], [2.0]), ([1.0], [])


def parts(x, y):
    return np.array_equiv(x[x > 0], y[y > 0]), np.array_equiv(x[x > 0], y), np.array_equiv([1, 2], x[x > 0])


def rows(x, y):
    return np.array_equiv(x[x > 0][:, None], y[None]), np.array_equiv(3, x[x > 0]), np.array_equiv([[1], [2, 3]], x[x > 0])


@pytest.mark.parametrize("function", [parts, rows])
@pytest.mark.parametrize("dynamic", [False, True])
def test_equivalent_arrays(function, dynamic):
    compared = 0
    for given in PAIRS[:3]:
        example = tuple(map(np.array, given))
        shapes = ({0: Dim.AUTO}, {0: Dim.AUTO}) if dynamic else None
        module = export(function, example, dynamic_shapes=shapes).module()
        for pair in PAIRS:
            args = tuple(np.array(each, float) for each in pair)
            if dynamic or [*map(np.shape, args)] == [*map(np.shape, example)]:
                try:
                    found = outcome(module, args)
                except InputMismatch:
                    assert len(args[0]) != len(args[1]) or len(args[0]) < 2  # another size, never other data
                    continue
                assert found == outcome(function, args)
                compared += 1
    assert compared >= 5


def broadcast(x, y):
    try:
        np.broadcast(x[x > 0], y)
    except ValueError:
        return False
    return True


def of_shapes(x, y):
    try:
        return np.broadcast_shapes(x[x > 0].shape, y.shape)
    except ValueError:
        return None


def arrays(x, y):
    try:
        return np.broadcast_arrays(x[x > 0], y)[0]
    except ValueError:
        return y


@pytest.mark.parametrize("function", [broadcast, of_shapes, arrays])
def test_caught(function):
    with pytest.raises(Unsupported, match="are broadcast, which raises ValueError") as caught:
        export(function, (np.ones(3), np.ones(2)))
    assert caught.value.code == "E126"


def test_what_fits_is_not_refused():
    def function(x, y):
        kept = x[x > 0]
        try:
            return np.broadcast_arrays(kept, kept * 2, y[:1])[2], np.broadcast(kept, kept).shape
        except ValueError:
            return None

    module = export(function, (np.ones(3), np.ones(2))).module()
    args = np.array([1.0, -1, 2]), np.array([4.0, 5])
    assert outcome(module, args) == outcome(function, args)
