"""Exceptions that the program does not catch reach the caller of ``export`` as themselves: texts, causes, contexts, notes, frames."""

from __future__ import annotations

import contextlib
import functools
import traceback
import types

import numpy as np
import pytest

from npexport import export


class Problem(Exception):
    def __init__(self, code, *, hint="none"):
        super().__init__(f"code {code}")
        self.code = code
        self.hint = hint


def helper(x):
    raise Problem(7, hint="some")


def deep(x, n):
    return helper(x) if n == 0 else deep(x, n - 1)


def from_deep_inside(x, y):
    return deep(x, 3)


def with_cause(x, y):
    try:
        helper(x)
    except Problem as error:
        raise RuntimeError("outer") from error


def with_context(x, y):
    try:
        x.reshape(7)
    except ValueError:
        raise KeyError("key")  # noqa: B904


def through_finally(x, y):
    try:
        return x.reshape(7)
    finally:
        x = x + 1


def from_generator(x, y):
    def steps():
        yield 1
        raise Problem(3)

    return list(steps())


def with_notes(x, y):
    try:
        helper(x)
    except Problem as error:
        error.add_note("first")
        raise


def missing_key(x, y):
    return {"a": 1}["b"]


def missing_attribute(x, y):
    return x.nope


def missing_name(x, y):
    return undefined_thing  # noqa: F821


def unbound(x, y):
    if x.ndim > 5:
        q = 1
    return q


def division(x, y):
    return 1 // (x.ndim - 2)


def stopped(x, y):
    return next(iter([]))


def endless(x, y):
    def again(n):
        return again(n + 1)

    return again(0)


def leaving(x, y):
    raise SystemExit(4)


def interrupted(x, y):
    raise KeyboardInterrupt


def missing_argument(x, y):
    def f(a, *, b): ...

    f(1)


def through_manager(x, y):
    @contextlib.contextmanager
    def manager():
        try:
            yield
        finally:
            pass

    with manager():
        raise Problem(2)


def through_decorator(x, y):
    def decorator(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(*args)

        return wrapper

    @decorator
    def inner(v):
        raise Problem(9)

    return inner(x)


def called_by_c(x, y):
    return list(map(lambda v: 1 / 0, [1]))


def key_function(x, y):
    return sorted([1, 2], key=lambda v: v.q)


def in_property(x, y):
    class Owner:
        @property
        def size(self):
            raise AttributeError("inner")

    return Owner().size


def in_numpy(x, y):
    return np.stack([x, y])


PROGRAMS = [f for f in list(globals().values()) if isinstance(f, types.FunctionType) and f.__code__.co_varnames[:2] == ("x", "y")]


def inputs():
    return np.ones((3, 4)), np.ones(4)


def raised(call, *args):
    try:
        call(*args)
    except BaseException as error:  # noqa: BLE001
        return error
    raise AssertionError("nothing was raised")


def told(error, program):
    """What there is to know of an exception and of those that it came from."""
    if error is None:
        return None
    entries = traceback.extract_tb(error.__traceback__)
    frames = [(entry.name, entry.lineno) for entry in entries if entry.filename == __file__]
    if isinstance(error, RecursionError):
        return type(error), frames[1:3]
    frames = frames[[name for name, _ in frames].index(program.__name__) :] if program.__name__ in dict(frames) else frames
    cause, context = told(error.__cause__, program), told(error.__context__, program)
    return type(error), str(error), error.args, vars(error), frames, cause, context, error.__suppress_context__


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_exceptions_reach_the_caller_as_themselves(program):
    expected, actual = raised(program, *inputs()), raised(export, program, inputs())
    assert told(actual, program) == told(expected, program)
    files = [entry.filename for entry in traceback.extract_tb(actual.__traceback__)]
    assert not [file for file in files if "interpreter" in file or "kernels" in file or "arrays" in file]
