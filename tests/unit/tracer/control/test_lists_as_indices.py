"""Lists that loops fill as data say, used as indices: NumPy makes arrays of integers of them, or masks."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said


def places(x):
    return [i for i, v in enumerate(x) if v > 0]


def written(x):
    x[places(x)] = 0
    return x


def peaks(x):
    found = []
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1]:
            found.append(i)
    return x[found], len(found)


def few(x):
    keep = []
    for i, v in enumerate(x):
        if v > 0:
            keep.append(np.int32(i))
        if len(keep) > 2:
            break
    x[keep] += 1
    return x[keep]


PROGRAMS = {
    "rows": lambda x: np.stack([x, x * 2], 1)[places(x)],
    "beside a number": lambda x: np.stack([x, x * 2], 1)[places(x), 0],
    "beside a slice": lambda x: x[None][:, places(x)],
    "in a tuple": lambda x: x[(places(x),)],
    "pairs": lambda x: x[[(i, i) for i in places(x)]] if places(x) else x,
    "out of range": lambda x: x[[i + 3 for i in places(x)]],
    "mask": lambda x: x[[bool(v > 0) for v in x]],
    "written": written,
    "peaks": peaks,
    "few": few,
    "added": lambda x: np.add.at(x, places(x), 1.0) or x,
}


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n", min=3)},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_equals_eager(name, shapes):
    program, rng = PROGRAMS[name], np.random.default_rng(1)
    run = export(program, (np.arange(6.0) - 3,), dynamic_shapes=shapes).module()
    for size in (6, 6, 6, 6) if shapes is None else (3, 4, 6, 9):
        for x in (rng.normal(size=size), np.zeros(size), -np.ones(size), np.ones(size)):
            given, wanted = x.copy(), x.copy()
            assert repr((said(run, given), given)) == repr((said(program, wanted), wanted))


def test_floats_are_no_indices():
    def program(x):
        return x[[v for v in x if v > 0]]

    with pytest.raises(ExportError, match="is an index, and holds"):
        export(program, (np.arange(3.0),))
