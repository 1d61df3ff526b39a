"""Objects that die while a program is exported: nothing of the program is called then, and weak containers take note of it."""

import functools
import weakref

import numpy as np
import pytest

from npexport import Unsupported, export


class Thing:
    def method(self):
        return 1


class Called:
    def __call__(self, dead):
        return None


DYING = [
    lambda x, thing: weakref.ref(thing, lambda dead: None),
    lambda x, thing: weakref.proxy(thing, lambda dead: None),
    lambda x, thing: weakref.WeakMethod(thing.method, lambda dead: None),
    lambda x, thing: weakref.finalize(thing, print),
    lambda x, thing: weakref.ref(thing, print),
    lambda x, thing: weakref.ref(thing, functools.partial(lambda a, dead: None, 1)),
    lambda x, thing: weakref.proxy(thing, Called()),
]
OUTSIDE = weakref.WeakSet(), weakref.WeakKeyDictionary(), weakref.WeakValueDictionary()


def of_torn_memory(x):
    y = x * 1
    z = y if x.sum() > 0 else y.copy()
    z += 1
    held = [y, z]
    del y, z
    held.clear()
    return x


def of_its_own(x):
    held = [Thing(), Thing()]
    things, keys = weakref.WeakSet(held), weakref.WeakKeyDictionary({held[0]: 1})
    held.clear()
    return x + len(things) + len(keys)


def of_outside(x):
    things, keys, values = OUTSIDE
    things.add(Thing())
    keys[Thing()] = 1
    values["a"] = Thing()
    left = len(things) + len(keys) + len(values)
    things.clear()
    return x + left


HELD = Thing()
THINGS, KEYS = weakref.WeakSet([HELD]), weakref.WeakKeyDictionary({HELD: [2]})


def of_what_is_held(x):
    own, reference = weakref.WeakSet([HELD]), weakref.ref(HELD)
    KEYS[HELD].append(3)
    last = KEYS[HELD].pop()
    return x * (HELD in THINGS) + (HELD in own) + (reference() is HELD) + sum(thing is HELD for thing in THINGS) + last


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("program", [of_what_is_held, of_torn_memory, of_its_own, of_outside])
def test_weak_containers_know_of_what_dies(program):
    """CPython runs their callbacks, also while C runs for the program."""
    np.testing.assert_array_equal(export(program, (np.ones(2),)).module()(np.ones(2)), program(np.ones(2)))


@pytest.mark.parametrize("program", DYING)
def test_calls_at_the_end_of_objects_are_refused(program):
    with pytest.raises(Unsupported) as raised:
        export(lambda x: (program(x, Thing()), x)[1], (np.ones(2),))
    assert raised.value.code == "E125"
