"""What objects of the program hold in C, changed on one side of a branch: refused, and not taken over on both sides."""

from __future__ import annotations

import decimal
import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export


def a_class() -> Any:
    class Base:
        version = 1

    class Made(Base):
        pass

    return Made


def another_base() -> type:
    class Other:
        version = 2

    return Other


def a_function() -> Any:
    def made() -> int:
        return 1

    return made


def an_exception_of_its_own() -> Any:
    class Own(OSError):
        @property
        def strerror(self) -> Any:  # type: ignore[override]
            raise AssertionError("nothing of the program runs where its objects are compared")

    return Own(1, "text")


def sets(name: str, value: Any) -> Callable[[Any], None]:
    return lambda held: setattr(held, name, value() if callable(value) else value)


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], None], Callable[[Any], Any]]] = {
    "name of a class": (a_class, sets("__name__", "Other"), lambda held: held.__name__),
    "qualified name of a class": (a_class, sets("__qualname__", "Other"), lambda held: held.__qualname__),
    "bases": (a_class, sets("__bases__", lambda: (another_base(),)), lambda held: held.version),
    "name of a function": (a_function, sets("__name__", "other"), lambda held: held.__name__),
    "qualified name of a function": (a_function, sets("__qualname__", "other"), lambda held: held.__qualname__),
    "module of a function": (a_function, sets("__module__", "other"), lambda held: held.__module__),
    "text of a function": (a_function, sets("__doc__", "other"), lambda held: held.__doc__),
    "annotations of a function": (a_function, sets("__annotations__", {"x": int, "y": int}), lambda held: len(held.__annotations__)),
    "flags of a decimal context": (
        lambda: decimal.Context(prec=5),
        lambda held: held.divide(decimal.Decimal(1), decimal.Decimal(3)),
        lambda held: bool(held.flags[decimal.Inexact]),
    ),
    "errno": (lambda: OSError(1, "text"), sets("errno", 5), lambda held: held.errno),
    "errno of a class of the program": (an_exception_of_its_own, sets("errno", 5), lambda held: held.errno),
    "value": (lambda: StopIteration(1), sets("value", 5), lambda held: held.value),
    "code": (lambda: SystemExit(1), sets("code", 5), lambda held: held.code),
    "name of a module": (lambda: ImportError("text", name="one"), sets("name", "other"), lambda held: held.name),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_field_that_one_side_changes_is_refused(name: str) -> None:
    make, change, look = CHANGES[name]

    def f(x: Any) -> Any:
        held = make()
        if x.sum() > 0:
            change(held)
        return x, look(held)

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E103"


@pytest.mark.parametrize("name", CHANGES)
def test_a_field_is_changed_before_a_branch_and_by_no_side(name: str) -> None:
    make, change, look = CHANGES[name]

    def f(x: Any) -> Any:
        held = make()
        change(held)
        y = x + 1 if x.sum() > 0 else x * 2
        return y, look(held)

    run = export(f, (np.ones(2),)).module()
    for x in (np.ones(2), -np.ones(2)):
        assert str(run(x)) == str(f(x))


def test_the_text_of_a_property_is_not_changed() -> None:
    """No property is known to be the program's own: one from outside must keep its text."""

    def f(x: Any) -> Any:
        held = property(a_function, doc="one")
        held.__doc__ = "other"
        return x, held.__doc__

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E112"


def exceptions_of_sides(x: Any) -> Any:
    try:
        if x.sum() > 0:
            raise OSError(1, "one")
        raise OSError(2, "other")
    except OSError as error:
        return x, error.errno, str(error)


def values_of_generators(x: Any) -> Any:
    def gives() -> Any:
        yield x[0]
        return x[1] if x.sum() > 0 else x[0]

    found = gives()
    next(found)
    try:
        next(found)
    except StopIteration as stop:
        return stop.value
    return None


@pytest.mark.parametrize("f", [exceptions_of_sides, values_of_generators])
def test_exceptions_with_fields_are_right_or_refused(f: Any) -> None:
    try:
        run = export(f, (np.ones(2),)).module()
    except Unsupported:
        return
    for x in (np.array([1.0, 2.0]), np.array([-1.0, -2.0])):
        assert str(run(x)) == str(f(x))


def test_a_partial_is_not_changed_in_place() -> None:
    def f(x: Any) -> Any:
        held = functools.partial(max, 1)
        if x.sum() > 0:
            held.__setstate__((min, (1,), {}, {}))  # type: ignore[attr-defined]
        return x, held(5)

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E112"


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python makes them when they are first read")
def test_an_annotation_that_one_side_makes_is_of_that_side() -> None:
    def f(x: Any) -> Any:
        def made(a: int) -> None:
            pass

        if x.sum() > 0:
            made.__annotations__["a"] = 1
        return x + (made.__annotations__["a"] == 1)

    run = export(f, (np.ones(2),)).module()
    for x in (np.ones(2), -np.ones(2)):
        assert str(run(x)) == str(f(x))
