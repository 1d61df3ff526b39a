"""Operators of users that C calls: ``map``, ``functools``, ``itertools``, factories, their own ``__call__``."""

import collections
import functools
import itertools
import operator

import numpy as np
import pytest

from npexport import Dim, custom_op, export, opaque, ops
from tests.support.outcomes import outcome


@custom_op("called::total")
def total(x: np.ndarray) -> float:
    return float(x.sum())


@custom_op("called::product")
def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x * y


@custom_op("called::zeros")
def zeros() -> np.ndarray:
    return np.zeros(3)


def doubled(x):
    return x * 2


total.register_fake(lambda x: 0.0)
product.register_fake(lambda x, y: np.empty_like(x))
zeros.register_fake(lambda: np.empty(3))
opaque(doubled, np.empty_like, name="called::doubled")


def factory(x):
    made = collections.defaultdict(zeros)
    made["a"] += x[0].sum()
    return made["a"]


def kept_by_a_class(x):
    class Kept:
        method = product
        static = staticmethod(product)

    return Kept().method(x, x), Kept.static(x, x)


def caught(x):
    try:
        return list(map(product, [x], [3]))
    except TypeError as error:
        return str(error)


def waited_for(x):
    try:
        found = product(x, x)
    except StopIteration:
        found = x
    return found


PROGRAMS = {
    "map": lambda x: list(map(total, [x, x * 2])),
    "map of several": lambda x: [*map(product, [x, x], [x, x])],
    "map over rows": lambda x: sum(map(total, x)),
    "map of a function that is opaque": lambda x: list(map(doubled, [x, x + 1])),
    "map of a lambda": lambda x: dict(map(lambda q: ("a", product(q, q)), [x])),
    "map of a partial": lambda x: list(map(functools.partial(product, x), [x])),
    "map of its call": lambda x: list(map(product.__call__, [x], [x])),
    "reduce": lambda x: functools.reduce(product, [x, x, x]),
    "accumulate": lambda x: list(itertools.accumulate([x, x, x], product)),
    "starmap": lambda x: list(itertools.starmap(product, [(x, x)])),
    "fromiter": lambda x: np.fromiter(map(total, [x, x]), float),
    "a factory": factory,
    "a class": kept_by_a_class,
    "operator.call": lambda x: operator.call(product, x, x),
    "its call": lambda x: [product.__call__(x, x), type(product).__call__(product, x, x), ops.called.product.__call__(x, x)],
    "what it does not take": caught,
    "a handler of StopIteration": waited_for,
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_do_what_eager_calls_do(program, dynamic):
    x = np.arange(6.0).reshape(2, 3)
    run = export(program, (x,), dynamic_shapes=({0: Dim.AUTO},) if dynamic else None).module()
    assert outcome(run, (x,)) == outcome(program, (x,))


def test_bodies_do_not_end_iterations():
    @custom_op("called::stops")
    def stops(x: np.ndarray) -> np.ndarray:
        raise StopIteration

    stops.register_fake(np.empty_like)
    x = np.ones(3)
    run = export(lambda x: [*map(stops, [x, x])], (x,)).module()
    for call in (stops, run):
        with pytest.raises(RuntimeError, match="`ops.called.stops` raised StopIteration"):
            call(x)
