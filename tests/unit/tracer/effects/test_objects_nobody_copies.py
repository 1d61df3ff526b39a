"""Objects from outside that the program sees themselves, since nobody copies them: no export writes to them."""

import typing
import weakref
from collections import namedtuple

import numpy as np
import pytest

from npexport import ExportError, export

X = np.arange(3.0)


class Number(np.float64):
    pass


class Pair(tuple):
    pass


class Members(frozenset):
    pass


class Reference(weakref.ref):
    pass


class Point(namedtuple("Point", "x y")):  # noqa: SLOT002 (it has a dict)
    pass


OBJECTS = {
    "NumPy's function": np.pad,
    "scalar": Number(2),
    "tuple": Pair((1, X)),
    "named tuple": Point(1, 2),
    "frozenset": Members([1]),
    "reference": Reference(Pair),
    "static method": staticmethod(len),
    "class method": classmethod(len),
    "variable of types": typing.TypeVar("T"),
}


def state(value):
    return dict(getattr(value, "__dict__", {}))


def sets(value):
    value.told = 1


def deletes(value):
    del value.told


WRITES = {
    "set": sets,
    "setattr": lambda value: setattr(value, "told", 1),
    "object.__setattr__": lambda value: type(value).__setattr__(value, "told", 1),
    "dict": lambda value: value.__dict__.update(told=1),
    "vars": lambda value: vars(value).update(told=1),
}


@pytest.mark.parametrize("value", OBJECTS.values(), ids=OBJECTS)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_export_writes_an_attribute(value, write):
    def program(x):
        write(value)
        return x + 1

    if write in (WRITES["dict"], WRITES["vars"]) and not hasattr(value, "__dict__"):
        pytest.skip("its attributes are not in a dict that Python sees")
    before = state(value)
    for strict in (True, False):
        try:
            export(program, (X,), strict=strict)
        except ExportError as error:
            assert error.code == "E112"
        else:
            assert not strict  # where the report says that it is lost
        assert state(value) == before


def test_nor_deletes_one():
    value = Pair((1, 2))
    value.told = 3
    with pytest.raises(ExportError) as caught:
        export(lambda x: deletes(value) or x, (X,))
    assert caught.value.code == "E112" and value.told == 3


def test_a_text_of_documentation_stays():
    prop = property(len, doc="before")

    def program(x):
        prop.__doc__ = "after"
        return x

    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == "E112" and prop.__doc__ == "before"


def test_the_programs_own_objects_have_attributes():
    def program(x):
        pair = Pair((x, 1))
        pair.told = x + 1
        number = Members([2])
        number.told = pair.told * 2
        del pair.told
        point = Point(number.told, 3)
        point.told = point.x
        return point.told, hasattr(pair, "told")

    run = export(program, (X,)).module()
    np.testing.assert_equal(run(-X), program(-X))
