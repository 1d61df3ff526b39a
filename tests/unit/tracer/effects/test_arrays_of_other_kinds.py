"""Arrays of the exported object that calls replace by others: of other lengths (``self.h = np.append(self.h, v)``, along any axis), dtypes
and shapes, or by NumPy scalars, as arithmetic on 0-d arrays gives them (E112 before). Places that may become names of
one array, although the program asks whether they are one, are refused.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export, nn
from tests.support.arrays_harness import compare
from tests.support.calls_in_turn import require_eager_calls


class Zero:
    def __init__(self):
        self.total = np.array(0.0)

    def __call__(self, x):
        self.total = self.total + x.sum()
        return self.total * 2


class Counts:
    def __init__(self):
        self.n = np.array(0)

    def __call__(self, x):
        self.n = self.n + 1
        return x / self.n


class OneKind(Zero):
    def __init__(self):
        self.total = np.float32(0.5)

    def __call__(self, x):
        self.total = 0.9 * self.total + x.mean()
        return self.total


class Average:
    def __init__(self):
        self.mean = np.zeros(1)

    def __call__(self, x):
        self.mean = self.mean * 0.9 + x[:3]
        return self.mean * 2


class Sometimes(Average):
    def __call__(self, x):
        if x[0] > 0:
            self.mean = self.mean + x[:3]
        return self.mean * 2


class Difference:
    def __init__(self):
        self.last = np.zeros(3, dtype=int)

    def __call__(self, x):
        found = x[:3] - self.last
        self.last = x[:3].copy()
        return found


class Weights:
    def __init__(self):
        self.table = {"w": np.zeros(1), "b": np.array(0.0)}

    def __call__(self, x):
        self.table["w"] = self.table["w"] - x[:2]
        self.table["b"] = self.table["b"] - x.mean()
        return self.table["w"] * self.table["b"]


class History:
    def __init__(self):
        self.values = np.array([])

    def __call__(self, x):
        self.values = np.append(self.values, x.sum())
        return self.values.mean(), len(self.values)


class Rows:
    def __init__(self):
        self.rows, self.labels = np.zeros((0, 3)), np.array([], dtype=int)

    def __call__(self, x):
        nearest = ((self.rows - x[:3]) ** 2).sum(axis=1).min() if len(self.rows) else -1.0
        self.rows = np.vstack([self.rows, x[:3]])
        self.labels = np.append(self.labels, int(x[0] > 0))
        return nearest, self.labels.sum()


class Window:
    def __init__(self):
        self.buffer = np.zeros(2)

    def __call__(self, x):
        self.buffer = np.concatenate([self.buffer, x])[-7:]
        return self.buffer * 2


class Selected:
    def __init__(self):
        self.kept = np.zeros(2)

    def __call__(self, x):
        self.kept = self.kept[1:] if x[0] > 0 else np.append(self.kept, x[x > 0])
        return self.kept.sum(), self.kept.shape[0] * 2


class Columns:
    def __init__(self):
        self.columns = np.empty((3, 0))

    def __call__(self, x):
        self.columns = np.hstack([self.columns, x[:3, None]])
        return self.columns.mean(1), self.columns[:, -1], self.columns.ravel(order="K")


class Cache:
    def __init__(self):
        self.keys = self.values = None

    def __call__(self, x):
        keys, values = x[None, :2, None], 2 * x[None, :2, None]
        if self.keys is None:
            self.keys, self.values = keys, values
        else:
            self.keys, self.values = np.concatenate([self.keys, keys], axis=2), np.concatenate([self.values, values], axis=2)
        return (self.keys * self.values).sum(-1), self.keys.shape


class Both:
    def __init__(self):
        self.table = np.zeros((1, 1))

    def __call__(self, x):
        self.table = np.pad(self.table, ((0, 1), (0, 1)), constant_values=x[0])
        return self.table * 2


class Turned:
    def __init__(self):
        self.columns = np.ones((3, 1))

    def __call__(self, x):
        self.columns = np.vstack([self.columns.T, x[:3]]).T
        return self.columns.sum(0)


class Seen:
    def __init__(self):
        self.seen, self.least, self.most = 0, None, None

    def __call__(self, x):
        if self.seen == 0:
            self.least, self.most = x[:3], x[:3] * 1
        else:
            self.least = np.minimum(self.least, x[:3])
            self.most = np.maximum(self.most, x[:3])
        self.seen += 1
        return (x[:3] - self.least) / (self.most - self.least + 1)


class Joined:
    def __init__(self):
        self.all = None

    def __call__(self, x):
        self.all = x[:3] if self.all is None else np.concatenate([self.all, x[:3]])
        return self.all.mean(), len(self.all)


CLASSES = [
    *[Zero, Counts, OneKind, Average, Sometimes, Difference, Weights, History, Rows, Window, Selected, Columns, Cache, Both, Turned, Seen],
    Joined,
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", CLASSES)
def test_each_call_gives_what_it_gives_eagerly(kind: type, dynamic: bool) -> None:
    rng = np.random.default_rng(5)
    inputs = [rng.normal(size=4) for _ in range(7)]
    found = export(kind(), (inputs[0],), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None)
    require_eager_calls(found, kind, [*inputs, np.ones(6)] if dynamic else inputs)


def test_an_object_that_was_called_before_the_export_goes_on_from_there() -> None:
    mine, theirs = History(), History()
    for each in (mine, theirs):
        each(np.ones(3))
    module = export(mine, (np.ones(3),)).module()
    for x in np.arange(9.0).reshape(3, 3):
        compare(theirs(x), module(x))
    assert len(mine.values) == 1


class Followed:
    def __init__(self):
        self.a, self.b = np.zeros(4), None

    def __call__(self, x):
        if x[0] > 0:
            self.b = self.a
        return self.a is self.b


class Followed2(Followed):
    def __init__(self):
        self.a, self.b = np.zeros(4), np.zeros(4)


class Ordered:
    def __init__(self):
        self.columns = np.ones((2, 2))

    def __call__(self, x):
        self.columns = np.asfortranarray(np.hstack([self.columns, x[:2, None]]))
        return self.columns.ravel(order="K")


class Asked(Followed):
    def __call__(self, x):
        found = self.a is self.b
        self.a = x * 2
        self.b = self.a
        return found


class Shares(Followed2):
    def __call__(self, x):
        found = np.shares_memory(self.a, self.b)
        if x[0] > 0:
            self.b = self.a
        return found


class Registered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("values", np.array([]))

    def forward(self, x):
        self.values = np.append(self.values, x.sum())
        return self.values.mean()


@pytest.mark.parametrize("kind", [Followed, Followed2, Asked, Shares, Registered, Ordered])
def test_what_cannot_be_told_is_refused(kind: type) -> None:
    with pytest.raises(ExportError, match="E112"):
        export(kind(), (np.ones(4),))


class TwoNames(Followed):
    def __init__(self):
        self.a = self.b = np.zeros(1)

    def __call__(self, x):
        found = self.a.sum()
        self.b += 1
        if x[0] > 1:
            self.a = x * 2
        return found


class OneView(TwoNames):
    def __init__(self):
        self.b = np.zeros(3)
        self.a = self.b[:1]


class WholeView(TwoNames):
    def __init__(self):
        self.b = np.zeros(3)
        self.a = self.b[...]

    def __call__(self, x):
        if x[0] > 1:
            self.a = x * 2
        self.a = self.a.T
        return self.b[...]


@pytest.mark.parametrize("kind", [TwoNames, OneView, WholeView])
def test_arrays_with_two_names_are_refused(kind: type) -> None:
    with pytest.raises(ExportError, match="E112"):
        export(kind(), (np.ones(4),))


class ListOfViews:
    def __init__(self):
        self.b = np.zeros(3)
        self.rows = [self.b[...]]

    def __call__(self, x):
        self.b[0] += 1
        self.rows.append(x * 1)
        return sum(row.sum() for row in self.rows)


def test_lists_that_grow_and_hold_views_of_other_state_are_refused() -> None:
    with pytest.raises(ExportError, match=r"E11[27]"):
        export(ListOfViews(), (np.ones(3),))


class Registered(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.register_buffer("v", np.ones(3, np.float32))
        self.change = change

    def forward(self, x):
        self.v = self.change(self.v, x)
        return x


class HoldsOne:
    def __init__(self, change):
        self.part = Registered(change)

    def __call__(self, x):
        return self.part(x)


@pytest.mark.parametrize(
    "change", [lambda v, x: v + x, lambda v, x: v.astype(float), lambda v, x: x[:2] * 1], ids=["promoted", "cast", "shorter"]
)
@pytest.mark.parametrize("kind", [Registered, HoldsOne])
def test_registered_buffers_keep_their_kind(kind: type, change: object) -> None:
    with pytest.raises(ExportError, match=r"E112.*v` \(float32\[3\]\) by one of another kind"):
        export(kind(change), (np.ones(3),))
