"""Special methods that are no functions, and work on an object from outside: operators reach them in C."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from npexport.tracer.effects.special_methods import special_method_of_an_object

LOG: list[Any] = []
TABLE: dict[Any, Any] = {}


class Counter:
    total = 0

    def add(self, *args: Any) -> int:
        self.total += 1
        return self.total


COUNTER = Counter()


def append(log: list[Any], *args: Any) -> None:
    log.append(3)


class Writing:
    __call__ = LOG.append
    __setitem__ = TABLE.__setitem__
    __getitem__ = TABLE.setdefault
    __neg__ = COUNTER.add
    __pos__ = staticmethod(functools.partial(append, LOG))
    __invert__ = staticmethod(functools.partial(operator.setitem, TABLE, 4, 4))


class Derived(Writing):
    pass


def called(one: Any) -> Any:
    one(3)


def set_item(one: Any) -> Any:
    one["key"] = 3


USES: list[Any] = [
    called,
    set_item,
    operator.itemgetter("key"),
    operator.neg,
    operator.pos,
    operator.inv,
    lambda one: [*map(one, [3])],
]
HELD: Any = Derived()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("makes", [False, True])
def test_nothing_outside_is_changed(use: Any, makes: bool) -> None:
    def f(x: Any) -> Any:
        use(Derived() if makes else HELD)
        return x

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E118"
    assert (LOG, TABLE, COUNTER.total) == ([], {}, 0)


MEMBERS = frozenset({1, 2})


class Reading:
    """Its special methods hold what never changes."""

    __contains__ = MEMBERS.__contains__
    __call__ = staticmethod(functools.partial(np.add, 1.0))
    __class_getitem__ = classmethod(type(list[int]))  # type: ignore[var-annotated]
    __len__ = functools.partial(len, (1, 2))  # type: ignore[assignment]


def test_what_cannot_change_is_used() -> None:
    one: Any = Reading()

    def f(x: Any) -> Any:
        other: Any = Reading()
        return x + (1 in one) + (3 in other) + one(2.0) + len([Reading[int]])

    x = np.arange(2.0)
    assert export(f, (x,)).module()(x).tolist() == f(x).tolist()


def test_a_class_of_the_program_holds_its_own_objects() -> None:
    def f(x: Any) -> Any:
        held: list[Any] = []

        class Own:
            __call__ = held.append

        own: Any = Own()
        own(x * 2)
        return held[0] + 1

    x = np.arange(2.0)
    assert export(f, (x,)).module()(x).tolist() == f(x).tolist()


def test_which_special_method_it_is() -> None:
    assert special_method_of_an_object(Derived) == "__call__"
    assert special_method_of_an_object(Reading) is None
    for cls in (Counter, dict, functools.partial, np.ndarray, type, object):
        assert special_method_of_an_object(cls) is None
