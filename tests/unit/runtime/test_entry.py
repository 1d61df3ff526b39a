"""Calls of a module bind their arguments in the C extension, where it was built, as the function in Python binds them."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, export
from npexport.runtime.calling import Entry

X, Y = np.arange(6.0).reshape(2, 3), np.ones(3)
needs_c = pytest.mark.skipif(Entry is object, reason="the C extension was not built")


def plain(x, y):
    return x * y + 1


def defaults(x, scale=2.0, *, shift=1):
    return x * scale + shift


def unnamed(x, /, y, *, z):
    return x + y * z


def anything(x, *rest, **more):
    return x + len(rest) + len(more)


def nothing():
    return np.zeros(2)


def nested(pair, y):
    return pair[0] * y, pair[1]


CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = {
    "plain": (plain, (X, Y), {}, [
        ((X, Y), {}), ((X,), {"y": Y}), ((), {"y": Y, "x": X}), ((X,), {"x": X, "y": Y}), ((X,), {}), ((), {}), ((X, Y, Y), {}),
        ((X, Y), {"y": Y}), ((X,), {"z": Y}), ((Y, X), {}), ((X.T, Y), {}), ((X, None), {}), ((X, Y.astype("f4")), {}),
        ((X,), {"".join(["", "y"]): Y}), ((X,), {str(np.str_("y")): Y}),
    ]),
    "defaults": (defaults, (X,), {}, [
        ((X,), {}), ((X, 2.0), {}), ((X,), {"scale": 2.0, "shift": 1}), ((X, 2.0, 1), {}), ((X, 3.0), {}),
        ((), {"shift": 1}), ((X,), {"shift": 2}),
    ]),
    "unnamed": (unnamed, (X, Y), {"z": Y}, [
        ((X, Y), {"z": Y}), ((X,), {"y": Y, "z": Y}), ((X, Y, Y), {}), ((), {"x": X, "y": Y, "z": Y}), ((X, Y), {}),
    ]),
    "anything": (anything, (X, Y), {"k": Y}, [((X, Y), {"k": Y}), ((X,), {}), ((X, Y), {}), ((X, Y), {"j": Y})]),
    "nothing": (nothing, (), {}, [((), {}), ((X,), {}), ((), {"x": X})]),
    "nested": (nested, ((X, 2.0), Y), {}, [
        (((X, 2.0), Y), {}), (((X, 3.0), Y), {}), (([X, 2.0], Y), {}), ((), {"pair": (X, 2.0), "y": Y}),
    ]),
}  # fmt: skip


def outcome(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    try:
        return repr(call(*args, **kwargs))
    except (InputMismatch, TypeError) as error:
        return str(error)


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_that_of_the_function(name: str) -> None:
    function, args, kwargs, calls = CALLS[name]
    run = export(function, args, kwargs).module()
    for given, named in calls:
        expected = outcome(lambda *a, **k: type(run).__call__(run, *a, **k), given, named)
        assert outcome(run, given, named) == expected
        assert outcome(run.__call__, given, named) == expected


@needs_c
@pytest.mark.parametrize(
    "call", [lambda run: run(X, Y), lambda run: run(X, y=Y), lambda run: outcome(run, (X,), {}), lambda run: outcome(run, (Y, Y), {})]
)
def test_calls_keep_nothing(call: Callable[[Any], Any]) -> None:
    run = export(plain, (X, Y)).module()
    call(run)
    gc.collect()
    held = [run, X, Y, run._function, type(run)]
    before = [sys.getrefcount(each) for each in held]
    for _ in range(50):
        call(run)
    gc.collect()
    assert [sys.getrefcount(each) for each in held] == before


@needs_c
def test_modules_are_collected_with_what_they_are_bound_to() -> None:
    run = export(plain, (X, Y)).module()
    function, owner = weakref.ref(run._function), weakref.ref(type(run))
    run.self = run
    del run
    gc.collect()
    assert function() is None
    assert owner() is None


@needs_c
def test_what_watches_frames_sees_the_function_with_its_conventions() -> None:
    run = export(plain, (X, Y)).module()
    seen: list[dict[str, Any]] = []

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if event == "call" and frame.f_code.co_name == "__call__":
            seen.append(dict(frame.f_locals))

    sys.settrace(trace)
    try:
        run(X, y=Y)
    finally:
        sys.settrace(None)
    (names,) = seen
    assert names["a0"] is run
    assert names["x"] is X


@needs_c
def test_an_entry_is_bound_once_to_what_fits() -> None:
    run = export(plain, (X, Y)).module()
    with pytest.raises(TypeError, match="bound once"):
        run._bind(plain, plain, ("x",), (1,), None, 0, 1, None, (), ())
    for values, unnamed, positional, places in (((), 0, 1, ()), ((1,), 2, 1, ()), ((1,), 0, 1, (1,)), ((1,), 0, 2, ())):
        other = type("Other", (Entry,), {"__call__": plain})()
        with pytest.raises(TypeError, match="bound once"):
            other._bind(plain, plain, ("x",), values, None, unnamed, positional, None, places, ())
    with pytest.raises(TypeError):
        Entry()(1)
