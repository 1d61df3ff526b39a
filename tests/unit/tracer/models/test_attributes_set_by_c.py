"""Attributes that C sets, for which Python code does not stand: as ``map(setattr, …)`` and what properties call."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export


class Shared:
    """A class that is there before the call."""

    field = 1


class Metaclass(type):
    pass


def class_by_objects_method(x: Any) -> Any:
    class Own:
        pass

    try:
        object.__setattr__(Own, "a", 3)
    except TypeError as error:
        return x, str(error)
    return x + 1


def class_by_objects_method_of_a_metaclass(x: Any) -> Any:
    class Own(metaclass=Metaclass):
        pass

    try:
        list(map(object.__setattr__, [Own], ["a"], [3]))
    except TypeError as error:
        return x, str(error)
    return x + 1


def deleted_by_objects_method(x: Any) -> Any:
    class Own:
        field = 1

    try:
        object.__delattr__(Own, "field")
    except TypeError as error:
        return x, str(error)
    return x + 1


def name_that_is_none(x: Any) -> Any:
    try:
        setattr(Shared, 3, x)  # type: ignore[call-overload]
    except TypeError as error:
        return x, str(error)
    return x + 1


def deleted_name_that_is_none(x: Any) -> Any:
    try:
        list(map(delattr, [Shared], [3]))  # type: ignore[list-item]
    except TypeError as error:
        return x, str(error)
    return x + 1


def of_its_own_class(x: Any) -> Any:
    class Own:
        field = 1

    list(map(setattr, [Own, Own], ["a", "b"], [3, 4]))
    list(map(type.__setattr__, [Own], ["c"], [5]))
    list(map(delattr, [Own], ["field"]))
    return x + Own.a + Own.b * Own.c, hasattr(Own, "field")  # type: ignore[attr-defined]


def of_what_a_property_calls(x: Any) -> Any:
    class Own:
        pass

    property(None, partial(setattr, Own)).__set__("a", 3)
    property(None, None, partial(delattr, Own)).__delete__("a")
    property(partial(setattr, Own, "b")).__get__(4)
    return x + Own.b, hasattr(Own, "a"), property(len).__get__([1, 2]), type(property(len).__get__(None, list)) is property  # type: ignore[attr-defined]


ALIKE = [
    class_by_objects_method, class_by_objects_method_of_a_metaclass, deleted_by_objects_method, name_that_is_none,
    deleted_name_that_is_none, of_its_own_class, of_what_a_property_calls,
]  # fmt: skip


@pytest.mark.parametrize("f", ALIKE)
def test_what_c_sets_and_what_it_refuses(f: Any) -> None:
    x = np.arange(2.0)
    assert str(export(f, (x,)).module()(x)) == str(f(x))


CHANGING = [
    lambda x: list(map(setattr, [Shared], ["a"], [3])),
    lambda x: list(map(type.__setattr__, [Shared], ["a"], [3])),
    lambda x: list(map(type.__setattr__.__get__(Shared), ["a"], [3])),  # type: ignore[call-overload]
    lambda x: list(map(delattr, [Shared], ["field"])),
    lambda x: property(None, partial(setattr, Shared)).__set__("a", 3),
    lambda x: property(partial(setattr, Shared, "a")).__get__(3),
    lambda x: list(map(property(partial(setattr, Shared, "a")).__get__, [3])),
    lambda x: property(None, None, partial(delattr, Shared)).__delete__("field"),
]


@pytest.mark.parametrize("f", CHANGING)
def test_a_class_from_outside_is_not_changed(f: Any) -> None:
    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E112"
    assert not hasattr(Shared, "a") and Shared.field == 1


def name_of_data(x: Any) -> Any:
    class Own:
        field = 1

    setattr(Own, str(x[0]), 3)
    return x + Own.field


def test_a_name_that_data_make_is_refused() -> None:
    with pytest.raises(Unsupported) as caught:
        export(name_of_data, (np.ones(2),))
    assert caught.value.code == "E114"
