"""Calls of a module bind their arguments in the C extension, where it was built, as the function in Python binds them."""

from __future__ import annotations

import gc
import sys
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from npexport.runtime.compiled import Base as Entry
from tests.support.memory import peak

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


ONE_CALL: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "negative": (lambda x: -x, (X,)),
    "transpose": (lambda x: x.T, (X,)),
    "reshape": (lambda x: x.reshape(3, -1), (X,)),
    "sum": (lambda x: x.sum(axis=1), (X,)),
    "sum of all": (lambda x: x.sum(keepdims=True), (X,)),
    "swapped": (lambda x, y: y - x, (X, Y)),
    "twice": (lambda x: x * x, (X,)),
    "constant": (lambda x: 3 * x, (X,)),
    "row": (lambda x: x[1], (X,)),
    "element": (lambda x: x[1, -1], (X,)),
    "slice": (lambda x: x[:, ::2], (X,)),
    "write": (lambda x: x.__setitem__((0, 1), 3.0), (X,)),
    "write of an array": (lambda x, y: x.__setitem__(0, y), (X, Y)),
    "in place": (lambda x: x.sort(), (X,)),
    "itself": (lambda x, y: y, (X, Y)),
    "nothing": (lambda x: None, (X,)),
    "size": (lambda x: x.shape, (X,)),
    "written and returned": (lambda x: (x.__setitem__(0, 1.0), x)[1], (X,)),
    "by name": (lambda x: np.concatenate([x, x], axis=1), (X,)),
    "copy": (lambda x: x.copy(order="F"), (X,)),
    "two calls": (lambda x: np.sin(x)[0], (X,)),
    "a pair": (lambda x: (x.T, x), (X,)),
    "elements": (lambda x: x[0, 0] + x[1, 1] * 2 - x[0, 1], (X,)),
    "numbers": (lambda x: [float(x[0, 1]), -float(x[1, 2]), float(x[0, 0]) < 1], (X,)),
    "a list of elements": (lambda x: np.array([x[0, 1], x[1, 0], 2.0]), (X,)),
    "views of views": (lambda x, y: (x.T[1:][::-1], y[1:], y.reshape(3, 1)), (X, Y)),
    "an element at another": (lambda x, k: x[k[0], k[1]], (X, np.array([1, 2]))),
    "written twice": (lambda x, y: (x.__setitem__((0, 1), y[0]), x.__setitem__(1, y))[0], (X, Y)),
}


@pytest.mark.parametrize("name", ONE_CALL)
def test_programs_of_one_call(name: str) -> None:
    function, args = ONE_CALL[name]
    run = export(function, tuple([each.copy() for each in args])).module()
    mine, theirs, third = [tuple([each.copy() for each in args]) for _ in range(3)]
    found, again, expected = run(*mine), type(run).__call__(run, *third), function(*theirs)
    for one, two in ((found, expected), (again, expected), (mine, theirs), (third, theirs)):
        assert repr(one) == repr(two)
        assert type(one) is type(two)
    if isinstance(found, np.ndarray):
        assert [found is each for each in mine] == [expected is each for each in theirs]
        assert [np.shares_memory(found, each) for each in mine] == [np.shares_memory(expected, each) for each in theirs]
        assert found.strides == expected.strides


@needs_c
def test_what_one_call_raises_is_noted_and_kept_by_nobody() -> None:
    index = np.array([0, 7])

    def taken(x, k):
        return x[k]

    run = export(taken, (X.copy(), np.array([0, 1]))).module()
    found = []
    for call in (run, lambda *args: type(run).__call__(run, *args)):
        with pytest.raises(IndexError, match="index 7 is out of bounds") as raised:
            call(X, index)
        found.append(raised.value.__notes__)
    assert found[0] == found[1]
    assert "Raised by" in found[0][0]
    before = sys.getrefcount(index), sys.getrefcount(run)
    for _ in range(20):
        assert outcome_of_index(run, index)
    gc.collect()
    assert (sys.getrefcount(index), sys.getrefcount(run)) == before


@needs_c
def test_the_line_of_each_call_is_noted() -> None:
    def taken(x, k):
        first = x[k[0]]
        return first, x[k[1]]

    run = export(taken, (X[0].copy(), np.array([0, 1]))).module()
    for index in np.array([0, 7]), np.array([7, 0]):
        notes = []
        for call in (run, lambda *args: type(run).__call__(run, *args)):
            with pytest.raises(IndexError, match="index 7 is out of bounds") as raised:
                call(X[0], index)
            notes.append(raised.value.__notes__)
        assert notes[0] == notes[1]
        assert f"line {taken.__code__.co_firstlineno + 1 + int(index[1] == 7)}" in notes[0][0]


@needs_c
def test_results_are_dropped_where_the_source_drops_them() -> None:
    run = export(lambda x: np.cumsum(np.cumsum(np.cumsum(x)[::2])[::2])[1], (np.ones(400_000),)).module()
    x, tracked = np.ones(400_000), []
    for call in (run, run._function):
        tracemalloc.start()
        call(*(() if call is run else (run,)), x)
        tracked.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert tracked[0] <= tracked[1] * 1.01


@needs_c
@pytest.mark.parametrize(
    "step", [(0, len, (-1,), (), 1), (3, None, (0,), (), 1), (5, 99, (0, 0), (), 1), (99, None, (), (), 1), (0, len, (5,), (), 1), ()]
)
def test_steps_that_are_none_are_refused(step: tuple[Any, ...]) -> None:
    run = export(lambda x: np.sin(x) * np.cos(x) if x.ndim > 5 else (x + 1).sort(), (X,)).module()
    with pytest.raises(TypeError):
        run._call_directly(print, (step,), (), -1)


def outcome_of_index(call: Callable[..., Any], index: Any) -> bool:
    try:
        call(X, index)
    except IndexError:
        return True
    return False


@needs_c
def test_warnings_that_are_errors_are_raised_once() -> None:
    run = export(lambda x: np.log(x), (X + 1,)).module()
    told = []
    with np.errstate(divide="call"), np.errstate(call=lambda kind, flag: told.append(kind)):
        run(X * 0)
    assert told == ["divide by zero"]
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered in log") as raised:
        run(X * 0)
    assert "Raised by" in raised.value.__notes__[0]


def test_a_program_of_one_call_checks_its_guards():
    program = export(lambda x: x.reshape(-1, 3), (np.ones(6),), dynamic_shapes=({0: Dim.AUTO},))
    assert program.guards
    run = program.module()
    assert run(np.ones(9)).shape == (3, 3)
    with pytest.raises(InputMismatch):
        run(np.ones(7))


def test_one_call_is_made_of_sizes_that_are_promised_alone() -> None:
    run = export(lambda x: -x, (np.ones((4, 2)),), dynamic_shapes=({0: Dim("n", min=2, max=8)},)).module()
    assert repr(run(np.ones((8, 2)))) == repr(-np.ones((8, 2)))
    for shape in ((9, 2), (1, 2), (4, 3), (4,)):
        with pytest.raises(InputMismatch):
            run(np.ones(shape))


def test_what_is_written_in_place_is_let_go() -> None:
    def unit(x: Any) -> Any:
        return x / np.sqrt((np.abs(x) ** 2).sum(axis=1, keepdims=True))

    x = np.ones((600, 20), complex)
    run = export(unit, (x,)).module()
    assert peak(run, x) <= peak(unit, x) + 10_000
