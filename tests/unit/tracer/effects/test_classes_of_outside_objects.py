"""Objects from outside that answer by code of their own what their class is: nobody asks them but
the program.
"""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome


class Thing:
    weight = 2.0


class Silent:
    """Whose class cannot be asked for."""

    weight = 3.0

    @property
    def __class__(self):
        raise LookupError("which class?")


def dead():
    return weakref.proxy(Thing())


KEPT_ALIVE = Thing()
OBJECTS = {"dead": dead, "alive": lambda: weakref.proxy(KEPT_ALIVE), "silent": Silent}


class Holder:
    def __init__(self, thing):
        self.thing = thing
        self.total = np.zeros(())

    def __call__(self, x):
        self.total += x.sum()
        return x * self.total


def programs(thing):
    held, named, holder = [thing], {"thing": thing}, Holder(thing)

    def passed_by(x):
        inner = lambda first, *more, **names: len(more) + len(names)  # noqa: E731
        return x + inner(thing, thing, thing=thing), held[0] is thing, thing is None

    def around_a_branch(x):
        found = named["thing"]
        if x.sum() > 0:
            x = x + 1
        return x, found is thing

    def around_a_loop(x):
        found, total = holder.thing, 0.0
        for value in x:
            if value > 1:
                total = total + value
        return total, found is thing

    def stored(x):
        made = Holder(thing)
        made.again = held[0]
        return x * len({"a": made.again}), type(thing).__name__

    def raised(x):
        try:
            raise KeyError(thing)
        except KeyError as error:
            return x + len(error.args)

    return [passed_by, around_a_branch, around_a_loop, stored, raised, Holder(thing)]


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_objects_that_are_passed_by_are_not_asked_for_their_class(make, place):
    thing = make()
    x = np.array([1.0, -2.0, 3.0])
    program = export(programs(thing)[place], (x,)).module()
    for data in (x, -x):
        assert outcome(program, (data,)) == outcome(programs(thing)[place], (data,))
        program = export(programs(thing)[place], (x,)).module()


@pytest.mark.parametrize("make", [dead, OBJECTS["alive"]])
def test_the_class_of_what_a_weak_proxy_stands_for_is_refused(make):
    thing = make()
    for program in (lambda x: (x, isinstance(thing, Thing)), lambda x: (x, isinstance(thing, (int, Thing)))):
        with pytest.raises(Unsupported, match="ProxyType") as caught:
            export(program, (np.ones(2),))
        assert caught.value.code == "E118"
