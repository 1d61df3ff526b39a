"""Tuples of state in places where the first call finds none; places that get one array, or one tuple."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome


class Point(NamedTuple):
    x: float
    y: float


BODIES = {
    "numbers": """
        here, far = (float(x[0]), float(x[1])), 0.0
        if self.last is not None: far = abs(here[0] - self.last[0]) + abs(here[1] - self.last[1])
        self.last = here
        return far
    """,
    "arrays and numbers": """
        r = 0.0
        if self.last is not None:
            y, n = self.last
            r = (x - y).sum() * n
        self.last = (x * 2, self.n)
        self.n += 1
        return r
    """,
    "named": """
        r = 0.0 if self.last is None else self.last.x - x[0]
        if x[1] > 0: self.last = Point(x[0], x[1])
        return r
    """,
    "made where there is none": """
        if self.last is None: self.last = (np.zeros(2), np.zeros(2))
        h, c = self.last
        c = c * 0.9 + x
        self.last = np.tanh(c), c
        return h + c
    """,
    "unset again": """
        self.last = (x[0], x[1]) if x[0] > 0 else None
        return 0.0 if self.last is None else self.last[1] - self.last[0]
    """,
    "absent": """
        r = self.lack[0] + x if hasattr(self, "lack") else x
        self.lack = (r, x)
        return r * 1
    """,
    "a result": """
        before, self.last = self.last, (x * 2, 1.5)
        return before
    """,
    "tuples within tuples": """
        r = 0.0 if self.last is None else self.last[0] + (x - self.last[1][0]).sum() * self.last[1][1][0]
        self.last = x.sum(), (x * 2, (self.n, x[0] > 0))
        self.n += 1
        return r
    """,
    "named within tuples, unset again": """
        r = 0.0 if self.last is None else self.last[0].x - self.last[1][0]
        self.last = (Point(x[0], float(x[1])), (x[1], 3)) if x[0] > 0 else None
        return r, self.last
    """,
    "tuples within absent ones": """
        if not hasattr(self, "lack"): self.lack = (x.copy(), 1), (x.sum(),)
        else: self.lack = (self.lack[0][0] + x, self.lack[0][1] + 1), (self.lack[1][0] * 2,)
        return self.lack[0][0] / self.lack[0][1], self.lack[1]
    """,
    "where it raises": """
        if self.last is not None and x[0] > 0.5: raise ValueError(float(self.last[1]))
        self.last = (x, x.sum())
        if x[1] > 0.5: raise KeyError("late")
        return self.last is None
    """,
}


def class_of(body):
    scope = {"np": np, "Point": Point}
    begin = "class P:\n    def __init__(self):\n        self.last = self.other = None\n        self.n = 0\n    def __call__(self, x):"
    exec(begin + body, scope)
    return scope["P"]


@pytest.mark.parametrize("form", [lambda program: program, reloaded, lambda program: program.run_decompositions()])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_tuple_of_state(body, form):
    eager = class_of(body)()
    run = form(export(class_of(body)(), (np.ones(2) / 4,))).module()
    for call in range(8):
        x = np.round(np.random.default_rng(call).standard_normal(2), 2)
        assert outcome(run, (x,)) == outcome(eager, (x,))


SHARED = {
    "two places": """
        r = 0.0
        if self.last is not None:
            self.last += 1
            r = self.other.sum()
        self.last = self.other = x * 2
        return r
    """,
    "two items": """
        r = 0.0
        if self.last is not None:
            y, z = self.last
            y += 1
            r = z.sum()
        y = x * 2
        self.last = (y, y[:])
        return r
    """,
    "a place and a buffer": """
        if self.other is None: self.other = np.zeros(2)
        self.other += x
        r = 0.0 if self.last is None else self.last.sum()
        self.last = self.other
        return r
    """,
}


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED)
def test_an_array_in_two_places_is_refused_where_a_call_writes_to_one(body):
    with pytest.raises(ExportError) as refused:
        export(class_of(body)(), (np.ones(2),))
    assert refused.value.code == "E112" and "two arrays before the call, and one after it" in refused.value.message


COMPARED = {
    "numbers": "t = x.sum()",
    "tuples": "t = (x.sum(), x[0])",
}


@pytest.mark.parametrize("made", COMPARED.values(), ids=COMPARED)
def test_whether_two_places_have_one_object_is_refused(made):
    body = f"""
        r = self.last is self.other
        {made}
        self.last = t
        if x[0] > 0: self.other = t
        return r
    """
    with pytest.raises(ExportError) as refused:
        export(class_of(body)(), (np.ones(2),))
    assert "E109" in refused.value.message or refused.value.code == "E109"
