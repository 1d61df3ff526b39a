"""Root frames: any callable, arguments bound by CPython, no body run, with either hook."""

import dataclasses
import functools
import gc
import inspect
import operator
import sys
import threading
import warnings

import pytest

from npexport.symshapes.errors import UserError
from npexport.tracer import frames
from npexport.tracer.frames import capture_root
from tests.support.threads import run_at_once

pytestmark = pytest.mark.usefixtures("frame_hook")

RAN = []


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()


def function(a, b=2, /, c=3, *args, k, d=5, **kwargs):
    RAN.append("function")


def generator(x):
    RAN.append("generator")
    yield x


async def coroutine(x):
    RAN.append("coroutine")


async def async_generator(x):
    RAN.append("async_generator")
    yield x


def argument_is_cell(x, y=1):
    RAN.append("argument_is_cell")

    def inner():
        return x

    return inner


def closure_over(value):
    def inner(x):
        RAN.append("closure")
        return value + x

    return inner


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        RAN.append("wrapper")
        return function(*args, **kwargs)

    return wrapper


@logged
def wrapped(x):
    RAN.append("wrapped")


@functools.lru_cache
def cached(x):
    RAN.append("cached")


@functools.singledispatch
def dispatched(x):
    RAN.append("dispatched")


@dispatched.register
def dispatched_int(x: int):
    RAN.append("dispatched_int")


class Thing:
    def __init__(self, x, y=2):
        RAN.append("__init__")

    def __call__(self, x):
        RAN.append("__call__")

    def method(self, x):
        RAN.append("method")

    @classmethod
    def class_method(cls, x):
        RAN.append("class_method")

    @staticmethod
    def static_method(x):
        RAN.append("static_method")

    def __add__(self, other):
        RAN.append("__add__")

    @property
    def prop(self):
        RAN.append("prop")

    @functools.cached_property
    def cached_prop(self):
        RAN.append("cached_prop")


class New:
    def __new__(cls, x):
        RAN.append("__new__")


class Meta(type):
    def __call__(cls, x):
        RAN.append("Meta.__call__")


class WithMeta(metaclass=Meta):
    pass


@dataclasses.dataclass
class Point:
    x: int
    y: int = 7


thing = object.__new__(Thing)
inner = closure_over(10)
lambda_ = lambda x, *rest: RAN.append("lambda")

CALLS = [
    # callable, args, kwargs, the function whose frame it is, its bound locals
    (function, (1,), {"k": 9}, function, {"a": 1, "b": 2, "c": 3, "args": (), "k": 9, "d": 5, "kwargs": {}}),
    (
        function,
        (1, 4, 6, 8),
        {"k": 9, "z": 0},
        function,
        {"a": 1, "b": 4, "c": 6, "args": (8,), "k": 9, "d": 5, "kwargs": {"z": 0}},
    ),
    (generator, (1,), {}, generator, {"x": 1}),
    (coroutine, (1,), {}, coroutine, {"x": 1}),
    (async_generator, (1,), {}, async_generator, {"x": 1}),
    (argument_is_cell, (4,), {}, argument_is_cell, {"x": 4, "y": 1}),
    (inner, (1,), {}, inner, {"x": 1}),
    (lambda_, (1, 2), {}, lambda_, {"x": 1, "rest": (2,)}),
    (wrapped, (1,), {}, wrapped, {"args": (1,), "kwargs": {}}),
    (cached, (1,), {}, cached.__wrapped__, {"x": 1}),
    (dispatched, (1,), {}, dispatched_int, {"x": 1}),
    (dispatched, ("s",), {}, dispatched.registry[object], {"x": "s"}),
    (functools.partial(function, 1, k=3), (2,), {"c": 4}, function, {"a": 1, "b": 2, "c": 4, "args": (), "k": 3, "d": 5, "kwargs": {}}),
    (functools.partial(functools.partial(generator), 5), (), {}, generator, {"x": 5}),
    (thing, (1,), {}, Thing.__call__, {"self": thing, "x": 1}),
    (thing.method, (1,), {}, Thing.method, {"self": thing, "x": 1}),
    (Thing.method, (thing, 1), {}, Thing.method, {"self": thing, "x": 1}),
    (Thing.class_method, (1,), {}, Thing.class_method.__func__, {"cls": Thing, "x": 1}),
    (Thing.static_method, (1,), {}, Thing.static_method, {"x": 1}),
    (New, (1,), {}, New.__new__, {"cls": New, "x": 1}),
    (WithMeta, (1,), {}, Meta.__call__, {"cls": WithMeta, "x": 1}),
    (operator.methodcaller("method", 3), (thing,), {}, Thing.method, {"self": thing, "x": 3}),
    (operator.add, (thing, 3), {}, Thing.__add__, {"self": thing, "other": 3}),
    (operator.attrgetter("prop"), (thing,), {}, Thing.prop.fget, {"self": thing}),
    (operator.attrgetter("cached_prop"), (thing,), {}, Thing.cached_prop.func, {"self": thing}),
]


@pytest.mark.parametrize(("target", "args", "kwargs", "expected", "bound"), CALLS)
def test_root_frame(target, args, kwargs, expected, bound):
    root = capture_root(functools.partial(target, *args, **kwargs))
    assert RAN == []
    assert root.function is expected
    assert root.code is expected.__code__
    assert root.localsplus == bound
    assert tuple(root.localsplus) == root.code.co_varnames[: len(bound)]
    assert root.closure == (expected.__closure__ or ())
    assert root.globals is expected.__globals__
    assert root.builtins is expected.__builtins__


def test_root_frame_of_class():
    root = capture_root(functools.partial(Thing, 1))
    assert root.function is Thing.__init__
    self = root.localsplus.pop("self")
    assert type(self) is Thing and vars(self) == {}
    assert root.localsplus == {"x": 1, "y": 2}


def test_root_frame_of_generated_init():
    root = capture_root(functools.partial(Point, 1))
    assert root.function is Point.__init__
    assert {**root.localsplus, "self": None} == {"self": None, "x": 1, "y": 7}


def test_closure_cells_are_the_functions_own():
    first, second = closure_over(1), closure_over(2)
    assert capture_root(functools.partial(first, second)).closure is first.__closure__
    root = capture_root(functools.partial(second, first))
    assert root.closure is second.__closure__
    assert root.localsplus == {"x": first}


def test_argument_is_the_callers_object():
    value = [1]
    assert capture_root(functools.partial(inner, value)).localsplus["x"] is value


BAD_CALLS = [
    (function, (), {}),
    (function, (1,), {}),
    (function, (1, 2, 3), {"k": 1, "c": 2}),
    (inner, (1, 2), {}),
    (inner, (), {"x": 1, "y": 2}),
    (lambda_, (), {}),
    (Thing, (), {}),
    (Thing, (1, 2, 3), {}),
    (thing.method, (), {}),
    (generator, (), {}),
    (functools.partial(inner, 1), (2,), {}),
]


@pytest.mark.parametrize(("target", "args", "kwargs"), BAD_CALLS)
def test_binding_errors_are_cpythons(target, args, kwargs):
    with pytest.raises(TypeError) as expected:
        target(*args, **kwargs)
    with pytest.raises(TypeError) as raised:
        capture_root(functools.partial(target, *args, **kwargs))
    assert str(raised.value) == str(expected.value)
    assert RAN == []


@pytest.mark.parametrize("call", [functools.partial(len, []), int, functools.partial(map, inner, [1])])
def test_no_python_frame(call):
    with pytest.raises(UserError) as raised:
        capture_root(call)
    assert raised.value.code == "E207"


def test_c_code_that_raises_before_any_frame():
    with pytest.raises(ValueError, match="invalid literal"):
        capture_root(functools.partial(int, "x"))


def test_exception_swallowed_on_its_way_out():
    """C code that drops the exception, or turns it into another, does not get a second frame to run."""

    class Odd:
        def __eq__(self, other):
            RAN.append("__eq__")

        __hash__ = object.__hash__

        def __del__(self):
            pass

    root = capture_root(functools.partial(operator.contains, [Odd(), Odd()], 3))
    assert root.function is Odd.__eq__
    assert RAN == []


def test_npexports_own_frames_are_passed_over():
    from npexport.ir.pytree import tree_map

    root = capture_root(functools.partial(tree_map, inner, [1, 2]))
    assert (root.function, root.localsplus) == (inner, {"x": 1})


def test_other_threads_run_freely():
    begun, stop, counted = threading.Event(), threading.Event(), []

    def counter():
        total = 0
        while not stop.is_set():
            total += inner(0)
            begun.set()
        counted.append(total)

    thread = threading.Thread(target=counter)
    thread.start()
    begun.wait()
    try:
        for _ in range(2000):
            assert capture_root(functools.partial(function, 1, k=2)).function is function
    finally:
        stop.set()
        thread.join()
    assert counted[0] > 0


def test_threads_capture_at_once():
    failures = []

    def work(number):
        local = closure_over(number)
        for _ in range(500):
            root = capture_root(functools.partial(local, number))
            if root.function is not local or root.localsplus != {"x": number}:
                failures.append(root)

    run_at_once(*(functools.partial(work, number) for number in range(4)))
    assert failures == []
    assert RAN == []


def test_unawaited_coroutine_does_not_warn():
    gc.collect()  # other tests' garbage may warn
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        capture_root(functools.partial(coroutine, 1))
    assert told == []


def test_program_runs_as_usual_afterwards():
    capture_root(functools.partial(inner, 1))
    assert inner(1) == 11
    assert RAN.pop() == "closure"
    assert inspect.getgeneratorstate(generator(1)) == "GEN_CREATED"


@pytest.mark.parametrize("value", ["dynamo", "PEP523"])
def test_wrong_hook_name(monkeypatch, value):
    monkeypatch.setenv("NPEXPORT_FRAME_HOOK", value)
    frames.hook.cache_clear()
    with pytest.raises(UserError) as raised:
        frames.frame_hook()
    assert raised.value.code == "E206"
    assert value in str(raised.value)


def test_missing_extension(monkeypatch):
    monkeypatch.setitem(sys.modules, "npexport.tracer.frames._evalframe", None)
    monkeypatch.setenv("NPEXPORT_FRAME_HOOK", "pep523")
    frames.hook.cache_clear()
    with pytest.raises(UserError) as raised:
        frames.frame_hook()
    assert raised.value.code == "E206"
    monkeypatch.delenv("NPEXPORT_FRAME_HOOK")
    frames.hook.cache_clear()
    assert frames.frame_hook() == "settrace"
