"""Two containers of the state that calls replace by one: what is written to one is then seen in both."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from npexport import ExportError, export


class Two:
    def __init__(self):
        self.a, self.b = {"x": np.zeros(3)}, {"x": np.ones(3)}


class Dicts(Two):
    def __call__(self, x):
        self.a["x"] = self.a["x"] + x
        found = self.b["x"] * 1
        self.a = self.b = {"x": self.a["x"] * 1}
        return found


class Objects:
    def __init__(self):
        self.a, self.b = SimpleNamespace(x=np.zeros(3)), SimpleNamespace(x=np.ones(3))

    def __call__(self, x):
        self.a.x = self.a.x + x
        found = self.b.x * 1
        self.a = self.b = SimpleNamespace(x=self.a.x * 2)
        return found


class Asked:
    def __init__(self):
        self.a, self.b = [np.zeros(3)], [np.ones(3)]

    def __call__(self, x):
        found = self.a is self.b
        self.a = self.b = [self.a[0] + x]
        return found


class Longer(Asked):
    def __call__(self, x):
        self.a.append(x * 1)
        found = len(self.b)
        self.a.pop()
        self.a = self.b = [self.a[0] + x]
        return found


class Within(Two):
    def __init__(self):
        super().__init__()
        self.held = [self.b]
        del self.b

    def __call__(self, x):
        self.a["x"] = self.a["x"] + x
        found = self.held[0]["x"] * 1
        self.a = {"x": self.a["x"] * 1}
        self.held = [self.a]
        return found


@pytest.mark.parametrize("kind", [Dicts, Objects, Asked, Longer, Within])
def test_two_containers_do_not_become_one(kind):
    with pytest.raises(ExportError, match="E112"):
        export(kind(), (np.ones(3),))


class Apart(Two):
    def __call__(self, x):
        self.a["x"] = self.a["x"] + x
        found = self.b["x"] * 1
        self.a, self.b = {"x": self.a["x"] * 1}, {"x": self.a["x"] * 1}
        return found


def test_two_that_are_replaced_by_two_are_captured():
    eager, run = Apart(), export(Apart(), (np.ones(3),)).module()
    for number in range(3):
        x = np.arange(3.0) + number
        assert run(x).tobytes() == eager(x).tobytes()
