"""What a call works out of arrays that no call writes, and keeps, the program works out in every call."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from npexport import export
from tests.support.forms import reloaded
from tests.support.functions import function_of

SCALES = np.array([1.0, 2.0, 4.0])


class Base:
    def __init__(self):
        self.base = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
        self._kept = None
        self.table = {}

    def __call__(self, x):
        return x * self.kept


class CachedProperty(Base):
    kept = functools.cached_property(lambda self: self.work_out())
    kept.__set_name__(None, "kept")


class FilledNone(Base):
    @property
    def kept(self):
        if self._kept is None:
            self._kept = self.work_out()
        return self._kept


class HasAttribute(Base):
    @property
    def kept(self):
        if not hasattr(self, "late"):
            self.late = self.work_out()
        return self.late


class InDict(Base):
    @property
    def kept(self):
        if "kept" not in self.table:
            self.table["kept"] = self.work_out()
        return self.table["kept"]


class InContainers(Base):
    @property
    def kept(self):
        if self._kept is None:
            self._kept = {"parts": [self.work_out(), (3.0, self.base.mean(axis=0))]}
        return self._kept["parts"][0] + self._kept["parts"][1][1]


class InSteps(Base):
    half = functools.cached_property(lambda self: self.work_out() / 2)
    half.__set_name__(None, "half")
    kept = functools.cached_property(lambda self: self.half + self.work_out())
    kept.__set_name__(None, "kept")


def in_place(self):
    made = np.zeros(3)
    made[1:] = self.base[0, 1:]
    return made


WORK = {
    "arithmetic": lambda self: self.base[0] / self.base.sum(),
    "may raise": lambda self: np.linalg.inv(self.base)[1],
    "with constants": lambda self: np.hanning(3) + np.sin(self.base[2]),
    "of another module": lambda self: SCALES * 2 + self.base[1],
    "a view of what it made": lambda self: (self.base @ self.base).T[1],
    "transposed": lambda self: np.exp(self.base).T,
    "a scalar": lambda self: self.base.max(),
    "a number": lambda self: float(self.base.sum()),
    "an integer": lambda self: int(self.base.sum()),
    "written by parts": in_place,
}
KINDS = (CachedProperty, FilledNone, HasAttribute, InDict, InContainers, InSteps)


@pytest.mark.parametrize(("kind", "work"), list(itertools.product(KINDS, WORK)), ids=lambda value: getattr(value, "__name__", value))
def test_programs_work_it_out_and_keep_nothing(kind, work):
    cls = type(kind.__name__, (kind,), {"work_out": WORK[work]})
    mine, eager = cls(), cls()
    before = {name: np.copy(value) if isinstance(value, np.ndarray) else dict(value or {}) for name, value in vars(mine).items()}
    program = export(mine, (np.ones(3),))
    assert list(vars(mine)) == list(before) and not mine.table and mine._kept is None
    assert not [spec for spec in program.graph_signature.output_specs if "MUTATION" in spec.kind.name]
    for run in (program.module(), reloaded(program).module()):
        for x in (np.arange(3.0), np.full(3, np.nan), np.ones(3)):
            np.testing.assert_array_equal(run(x), eager(x), strict=True)


def keeps(body, **names):
    """An object whose calls run ``body``."""
    lines = "\n        ".join(body.splitlines())
    return function_of(
        f"class Program:\n    kept = None\n    def __init__(self):\n        self.base = np.arange(1.0, 4.0)\n"
        f"    def __call__(self, x):\n        {lines}\n",
        {"np": np, **names},
    )


STATE = (
    "if self.kept is None: self.kept = x * 2\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * x.sum()\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2\nself.base += x\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2\nself.base = self.base + x\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2\nelse: self.base += x\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2\nself.kept += x\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2; return x\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2\nelse: self.base[:1] = 0\nreturn x + self.kept",
    "if self.kept is None: self.kept = self.base * 2; self.base[0] = 7\nreturn x + self.kept",
)


RESULTS = ("self.kept", "self.kept[1:]", "[x, {'k': self.kept}]")
HANDED_OUT = [f"if self.kept is None: self.kept = self.base * 2\nreturn {result}" for result in RESULTS]


def arrays_in(result):
    return [result] if type(result) is np.ndarray else [result[0], result[1]["k"]]


@pytest.mark.parametrize("body", [*STATE, *HANDED_OUT])
def test_what_differs_from_call_to_call_is_state(body):
    """Callers write to what they get: what is kept may be that array."""
    program = keeps(body)
    mine, eager = program(), program()
    found = export(mine, (np.ones(3),))
    np.testing.assert_array_equal(mine.base, [1.0, 2.0, 3.0])
    assert mine.kept is None and "kept.is_set" in dict(found.named_buffers())
    run = found.module()
    for x in np.arange(15.0).reshape(5, 3):
        have, want = run(x.copy()), eager(x.copy())
        assert repr(have) == repr(want)
        for array in [*arrays_in(have), *arrays_in(want)]:
            array[...] = 7.0


def test_other_state_goes_on():
    program = keeps(
        "if self.kept is None: self.kept = np.sqrt(self.base)\nself.count += 1\nself.sum += x\nreturn self.sum * self.kept + self.count"
    )
    mine, eager = program(), program()
    for each in (mine, eager):
        each.count, each.sum = 0, np.zeros(3)
    run = export(mine, (np.ones(3),)).module()
    for x in (np.arange(3.0), np.ones(3), np.arange(3.0) - 7):
        np.testing.assert_array_equal(run(x), eager(x), strict=True)


def test_what_raises_the_first_time_raises_where_the_call_does():
    program = keeps(
        "self.seen += x\n"
        "if self.kept is None: self.kept = np.linalg.inv(self.base.reshape(1, 3).T @ self.base.reshape(1, 3))\n"
        "return x @ self.kept"
    )
    mine, eager = program(), program()
    for each in (mine, eager):
        each.seen, each.base = np.zeros(3), np.zeros(3)
    run = export(mine, (np.ones(3),)).module()
    for each in (run, eager, run, eager):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            each(np.ones(3))
    np.testing.assert_array_equal(dict(run.named_buffers())["seen"], eager.seen)


def test_a_global_cache():
    table = {}

    def program(x):
        if "w" not in table:
            table["w"] = SCALES / SCALES.sum()
        return x * table["w"]

    run = export(program, (np.ones(3),)).module()
    assert not table
    for x in (np.arange(3.0), np.ones(3)):
        np.testing.assert_array_equal(run(x), x * (SCALES / 7.0), strict=True)
