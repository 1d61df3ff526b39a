"""C that calls what it is given: where that is C that the world answers for, the world answers, or the call is refused."""

from __future__ import annotations

import bisect
import collections
import contextlib
import contextvars
import functools
import itertools
import operator
import time
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export, frame_hook
from tests.support.outcomes import outcome


class Partial(functools.partial):  # type: ignore[type-arg]
    pass


class Calling(functools.partial):  # type: ignore[type-arg]
    def __call__(self, *args: Any) -> Any:
        return super().__call__(*args)


DRAWS = {
    "map": lambda g: list(map(g.integers, [50, 60])),
    "map of a partial": lambda g: list(map(functools.partial(g.normal, size=2), [1.0, 2.0])),
    "map of its class": lambda g: list(map(type(g).normal, [g, g])),
    "reduce": lambda g: functools.reduce(g.normal, [1, 2, 3]),
    "starmap": lambda g: list(itertools.starmap(g.normal, [(1, 2), (3, 4)])),
    "accumulate": lambda g: list(itertools.accumulate([1, 2, 3], g.normal)),
    "defaultdict": lambda g: collections.defaultdict(g.random)[1],
    "sum": lambda g: sum(map(g.normal, [1.0, 2.0])),
    "fromiter": lambda g: np.fromiter(map(g.normal, [1.0, 2.0]), float),
    "sorted": lambda g: sorted([1, 2, 3], key=g.normal),
    "methodcaller": lambda g: list(map(operator.methodcaller("normal"), [g, g])),
    "__call__": lambda g: g.random.__call__(),
    "__call__ of __call__": lambda g: g.random.__call__.__call__(),
    "map of __call__": lambda g: list(map(g.random.__call__, [1, 2])),
    "__call__ of a partial": lambda g: functools.partial(g.random).__call__(),
    "__call__ of the class of partials": lambda g: functools.partial.__call__(functools.partial(g.normal, 3), 2),
    "partial of a class of one's own": lambda g: Partial(g.normal, 3)(2),
    "map of it": lambda g: list(map(Partial(g.normal, 3), [1, 2])),
    "that calls": lambda g: Calling(g.normal, 3)(2),
    "Python in it": lambda g: Calling(lambda a, b: a + b + g.random(), 3)(2),
}
REFUSED = {
    "bisect of C": (lambda x: bisect.bisect([1, 2], 1, key=Partial(time.time_ns.__call__)), "E106"),
    "clock": (lambda x: time.time.__call__(), "E106"),
    "clock by its class": (lambda x: type(time.time).__call__(time.time), "E106"),
    "clock in a context": (lambda x: contextvars.copy_context().run(time.time), "E106"),
    "clock in a partial": (lambda x: Partial(time.time)(), "E106"),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_the_programs(name: str) -> None:
    program, example = DRAWS[name], np.random.default_rng(0)
    before = repr(example.bit_generator.state)
    run = export(program, (example,)).module()
    assert repr(example.bit_generator.state) == before
    for seed in (5, 6):
        ours, eager = np.random.default_rng(seed), np.random.default_rng(seed)
        assert repr(run(ours)) == repr(program(eager))
        assert repr(ours.bit_generator.state) == repr(eager.bit_generator.state)


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_program_may_call_is_refused(name: str) -> None:
    program, code = REFUSED[name]
    with pytest.raises(ExportError) as caught:
        export(program, (np.ones(2),))
    assert caught.value.code == code


def finite(x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        raise ValueError("not finite")
    return x


CHECKED = {
    "map": lambda x, y: operator.sub(*map(finite, (x, y))),
    "map of map": lambda x, y: sum(map(finite, map(finite, [x, y]))),
    "reduce": lambda x, y: functools.reduce(lambda a, b: finite(a) * b, [x, y, x]),
    "starmap": lambda x, y: list(itertools.starmap(lambda a, b: finite(a) - b, [(x, y), (y, x)])),
    "accumulate": lambda x, y: list(itertools.accumulate([x, y], lambda a, b: a + finite(b))),
}


@pytest.mark.parametrize("name", CHECKED)
def test_what_c_calls_in_turn_may_raise_where_data_say_so(name: str) -> None:
    program = CHECKED[name]
    run = export(program, (np.ones(2), np.ones(2))).module()
    for x, y in itertools.product((np.ones(2), np.arange(2.0), np.array([1.0, np.nan])), repeat=2):
        assert outcome(run, (x, y)) == outcome(program, (x, y))


class Refusing:
    """A descriptor that calls what no program may call."""

    def __set_name__(self, owner: type, name: str) -> None:
        owner.when = time.time()  # type: ignore[attr-defined]


def in_a_class(x: np.ndarray) -> np.ndarray:
    class Made:
        part = Refusing()

    return x


def in_a_handler(x: np.ndarray) -> np.ndarray:
    try:
        return in_a_class(x)
    except RuntimeError:
        return x + 1


def in_a_suppression(x: np.ndarray) -> np.ndarray:
    with contextlib.suppress(Exception):
        return in_a_class(x)
    return x + 1


@pytest.mark.parametrize("program", [in_a_class, in_a_handler, in_a_suppression])
def test_no_exception_of_c_takes_the_place_of_a_refusal(program: Any) -> None:
    """CPython 3.11 raises ``RuntimeError`` for all that ``__set_name__`` raises."""
    with pytest.raises(ExportError) as caught:
        export(program, (np.ones(2),))
    assert caught.value.code == ("E106" if frame_hook() == "pep523" else "E119")
