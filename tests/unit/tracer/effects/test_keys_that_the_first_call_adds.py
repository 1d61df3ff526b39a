"""Keys and attributes that the first call adds together, in a loop too, and later calls read
(``self.v[k] = v if k not in self.v else 0.9 * self.v[k] + 0.1 * v``): one truth tells whether they are there (E112 before).
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.calls_in_turn import require_eager_calls


class Averages:
    def __init__(self):
        self.v = {}

    def __call__(self, x):
        for k, v in zip("abc", x[:3], strict=True):
            self.v[k] = v if k not in self.v else 0.9 * self.v[k] + 0.1 * v
        return sum(self.v.values()), list(self.v)


class ByDefault(Averages):
    def __call__(self, x):
        for k, v in (("a", x[0]), ("b", x[1])):
            self.v[k] = 0.9 * self.v.get(k, v) + 0.1 * v
        return self.v["a"] - self.v["b"], list(self.v)


class InTurn(Averages):
    """The order of keys is that in which the first call adds them."""

    def __call__(self, x):
        for k in ("b", "a"):
            if k in self.v:
                self.v[k] = self.v[k] + x[0]
            else:
                self.v[k] = x[1]
        return list(self.v.items())


class Attributes:
    def __call__(self, x):
        if hasattr(self, "mean"):
            self.mean, self.peak = 0.5 * self.mean + x.mean(), max(self.peak, x.max())
        else:
            self.mean, self.peak = x.mean(), x.max()
        return self.mean + self.peak


class Twice(Averages):
    """What one loop adds, the next one finds."""

    def __call__(self, x):
        for _ in range(2):
            for k in ("a", "b"):
                self.v[k] = x[0] if k not in self.v else self.v[k] + x[1]
        return self.v["a"] * self.v["b"]


class OrderOfData(Averages):
    """The order of keys is that in which the data let the first call add them."""

    def __call__(self, x):
        for k in ("low", "high") if x[0] > 0 else ("high", "low"):
            self.v[k] = 0.5 * self.v.get(k, x[0]) + x[1]
        return list(self.v.items())


class PutLast(Averages):
    def __call__(self, x):
        for k in "ab":
            if k not in self.v:
                self.v[k] = x[0]
        if x[1] > 0:
            self.v["a"] = self.v.pop("a")
        return list(self.v)


class OneOfThem(Averages):
    def __call__(self, x):
        for k, v in (("a", x[0]), ("b", x[1])):
            if k not in self.v:
                self.v[k] = v
        if x[2] > 0 and "b" in self.v:
            del self.v["b"]
        return sorted(self.v)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("kind", [Averages, ByDefault, InTurn, Attributes, Twice, OrderOfData, PutLast, OneOfThem])
def test_each_call_gives_what_it_gives_eagerly(kind: type, dynamic: bool) -> None:
    rng = np.random.default_rng(11)
    inputs = [rng.normal(size=4) for _ in range(8)]
    try:
        found = export(kind(), (inputs[0],), dynamic_shapes=({0: Dim("n", min=3)},) if dynamic else None)
    except ExportError as refusal:
        assert kind is OneOfThem and refusal.code in ("E103", "E112")
        return
    require_eager_calls(found, kind, inputs)


def test_one_truth_tells_that_all_are_there() -> None:
    program = export(Averages(), (np.ones(3),))
    flags = [spec.target for spec in program.graph_signature.input_specs if spec.target and spec.target.endswith("is_set")]
    assert flags == ["v.a.is_set"]
