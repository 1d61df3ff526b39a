"""``capture``: calls of a running program become programs, and the program notices nothing."""

from __future__ import annotations

import functools
import gc
import random
import sys
import threading
import weakref

import numpy as np
import pytest

from npexport import UserError, capture, export
from npexport.ir.pytree import tree_flatten
from npexport.tracer.driver.call_signatures import as_call, kind, referred, signature_of
from npexport.tracer.frames.watching import Watch
from tests.support.collector import small_heap, whole_heap


@pytest.fixture(autouse=True, scope="module")
def functions_are_found_by_what_refers_to_their_code():
    with whole_heap():
        yield


ONES = np.ones(2)
DEFAULTS = (1.5, None, 2, ONES)


def scale(x, factor=2.0):
    x *= factor
    return x


def add_all(*arrays, bias=0, **more):
    return functools.reduce(np.add, [*arrays, *more.values()]) + bias


class Scaler:
    def __init__(self, factor):
        self.factor = factor
        self.seen = np.zeros(3)

    def fit(self, x):
        self.seen = x.max(axis=0)
        return self

    def __call__(self, x):
        return x * self.factor


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@decorated
def doubled(x):
    return x * 2


@decorated
def tripled(x):
    return x * 3


def test_arguments_are_those_at_entry():
    x = np.ones(3)
    with capture(scale) as calls:
        scale(x)
    assert x.tolist() == [2, 2, 2]
    (program,) = calls.programs
    assert program.example_inputs[0][0].tolist() == [1, 1, 1]
    assert program.module()(np.ones(3)).tolist() == [2, 2, 2]


def test_sizes_that_differ_are_dynamic_and_others_not():
    with capture(scale) as calls:
        for rows in (2, 5, 2, 7):
            scale(np.ones((rows, 3)))
    (program,) = calls.programs
    assert program.module()(np.ones((11, 3))).shape == (11, 3)
    with pytest.raises(ValueError, match="expected"):
        program.module()(np.ones((2, 4)))


@pytest.mark.parametrize(
    "first, second",
    [
        ((np.ones(3),), (np.ones(3, np.float32),)),
        ((np.ones(3),), (np.ones((3, 1)),)),
        ((np.ones(3), 2), (np.ones(3), 3)),
        ((np.ones(3), 1), (np.ones(3), 1.0)),
        ((np.ones(3), 0.0), (np.ones(3), -0.0)),
    ],
)
def test_signatures(first, second):
    for limit, count in ((1, 1), (2, 2), (3, 2)):
        with capture(scale, limit=limit) as calls:
            for args in (first, second, first):
                np.testing.assert_array_equal(scale(args[0].copy(), *args[1:]), args[0] * (args[1] if args[1:] else 2.0))
        assert len(calls.programs) == count and not calls.problems


def test_structures_of_arguments():
    with capture(add_all) as calls:
        add_all(np.ones(2), np.ones(2), bias=3, c=np.ones(2))
    assert calls.programs[0].module()(np.ones(2), np.ones(2), bias=3, c=np.ones(2)).tolist() == [6, 6]


def test_one_array_given_twice_stays_one():
    with capture(add_all) as calls:
        x = np.ones(2)
        add_all(x, x)
    args, _ = calls.programs[0].example_inputs
    assert args[0] is args[1]


def test_methods_by_object():
    mine, other = Scaler(2.0), Scaler(3.0)
    with capture(mine) as calls:
        other(np.ones(3))
        mine(np.ones(3))
    assert [program.module()(np.ones(3)).tolist() for program in calls.programs] == [[2, 2, 2]]
    with capture(Scaler.__call__, limit=5) as calls:
        other(np.ones(3))
        mine(np.ones(3))
    assert [program.module()(np.ones(3)).tolist() for program in calls.programs] == [[3, 3, 3], [2, 2, 2]]


def test_methods_that_give_their_object():
    with capture(Scaler.fit) as calls:
        assert isinstance(Scaler(1.0).fit(np.arange(6.0).reshape(2, 3)), Scaler)
    run = calls.programs[0].module()
    assert run(np.full((2, 3), 7.0)) is None
    assert dict(run.named_buffers())["seen"].tolist() == [7, 7, 7]


def test_decorated_functions_share_their_code():
    with capture(tripled) as calls:
        doubled(np.ones(2))
        tripled(np.ones(2))
    assert [program.module()(np.ones(2)).tolist() for program in calls.programs] == [[3, 3]]


def test_predicates_see_libraries_and_inner_functions():
    def outer(x):
        def inner(y):
            return y + offset

        offset = 1
        return inner(x)

    with capture(lambda code: code.co_name == "inner") as calls:
        outer(np.ones(2))
    assert calls.programs[0].module()(np.ones(2)).tolist() == [2, 2]
    with capture(lambda code: code.co_name == "average") as calls:
        np.average(np.ones(4))
    assert calls.programs[0].module()(np.full(4, 3.0)) == 3


def test_predicates_see_what_the_collector_has_frozen():
    """Nobody tells then which function a frame is of."""

    def outer(weight):
        def inner(x, bias=1):
            return x * weight + bias

        return inner

    double, triple = outer(2), outer(3)
    with small_heap(), capture(lambda code: code.co_name in ("inner", "scale"), limit=5) as calls:
        for size in (3, 4):
            double(np.ones(size))
            triple(np.ones(size), bias=2)
        scale(np.ones(2), 4.0)
    assert calls.problems == []
    twice, thrice, scaled = [program.module() for program in calls.programs]
    x = np.arange(5.0)
    np.testing.assert_array_equal(twice(x, 1), x * 2 + 1)
    np.testing.assert_array_equal(thrice(x, 2), x * 3 + 2)
    np.testing.assert_array_equal(scaled(np.ones(2), 4.0), [4.0, 4])


def test_functions_of_predicates_are_searched_for_once(monkeypatch):
    searches = []
    referrers = gc.get_referrers
    monkeypatch.setattr(gc, "get_referrers", lambda *objects: searches.append(objects) or referrers(*objects))

    def closure(weight):
        def closed(x):
            return x * weight

        return closed

    with capture(lambda code: code.co_name in ("scale", "closed"), limit=2) as calls:
        for size in range(1, 6):
            scale(np.ones(size), 4.0)
            closure(2)(np.ones(size))
    assert len(searches) <= 2 and len(calls.programs) == 2 and not calls.problems
    scaled, closed = [program.module() for program in calls.programs]
    assert scaled(np.ones(9), 4.0).tolist() == [4.0] * 9 and closed(np.ones(1)).tolist() == [2.0]


def taking(a, b=1.5, c=None, *rest, d=2, e=ONES, **more):
    return a


def without_rest(a, b=1.5, c=None, *, d=2, e=ONES):
    return a


def test_signatures_that_are_told_quickly_are_the_same():
    """Two calls have equal quick signatures exactly if the calls as they are made again are alike."""
    rng = random.Random(5)
    alike = 0
    values = [ONES, np.ones(2), np.ones((2, 2)), np.ones(2, np.float32), np.float64(1), np.int32(1), 1, True, 1.5, 0.0, -0.0, None, "a"]
    values += [float("1.5"), 2, 1j, b"a", Scaler(1), Scaler(2), np.dtype("f4"), taking, [1], (np.ones(2),), {"k": 1}]
    for function in (taking, without_rest):
        seen = []
        for _ in range(700):
            bound = {name: rng.choice(values) if rng.random() < 0.4 else default for name, default in zip("abcde", (ONES, *DEFAULTS))}
            if function is taking:
                bound |= {"rest": rng.choice([(), (), (1,)]), "more": rng.choice([{}, {}, {"f": 1}])}
            quick, shapes = signature_of(function, bound)
            f, args, kwargs = as_call(function, bound)
            leaves, spec = tree_flatten((args, kwargs))
            seen.append((quick, (referred(f), spec, tuple(map(kind, leaves)))))
            if quick is not None:
                assert shapes == tuple(leaf.shape for leaf in leaves if isinstance(leaf, np.ndarray))
        assert any(quick is None for quick, _ in seen)
        quickly = [each for each in seen if each[0] is not None]
        for quick, whole in quickly:
            for other, other_whole in quickly:
                assert (quick == other) is (whole == other_whole)
                alike += quick == other
    assert alike > 3_000


def test_threads_and_generators():
    def running():
        yield scale(np.ones(3))
        yield scale(np.ones(4))

    with capture(scale, limit=2) as calls:
        list(running())
        thread = threading.Thread(target=scale, args=(np.ones((2, 2)),))
        thread.start()
        thread.join()
    assert [len(program.example_inputs[0][0].shape) for program in calls.programs] == [1, 2]
    assert calls.programs[0].module()(np.ones(9)).shape == (9,)


def test_random_generators_are_copied():
    def draw(rng):
        return rng.random(3)

    with capture(draw) as calls:
        drawn = draw(np.random.default_rng(5))
    np.testing.assert_array_equal(calls.programs[0].module()(np.random.default_rng(5)), drawn)


def test_problems_reach_nobody_who_runs():
    def shown(x):
        return [len(f"{value}") for value in x]

    with capture(shown) as calls:
        assert shown(np.ones(1)) == [3]
    assert not calls.programs and [problem.code for problem in calls.problems] == ["E114"]
    with capture(lambda code: 1 / 0) as calls:
        scale(np.ones(1))
    assert not calls.programs and "ZeroDivisionError" in calls.problems[0].message


def test_calls_that_do_something_else_by_size_stay_static():
    def by_size(x):
        return x + 1 if len(x) > 3 else x - 1

    with capture(by_size) as calls:
        by_size(np.ones(5))
        by_size(np.ones(2))
    assert [problem.code for problem in calls.problems] == ["E401"]
    assert calls.programs[0].module()(np.ones(5)).tolist() == [2] * 5


def tools():
    monitoring = getattr(sys, "monitoring", None)
    return [monitoring and monitoring.get_tool(tool) for tool in range(6)], sys.gettrace(), threading.gettrace(), gc.isenabled()


@pytest.mark.parametrize("target", [scale, lambda code: code.co_name == "scale"])
def test_leaves_no_trace(target):
    before = tools()
    with pytest.raises(KeyError), capture(target) as calls:
        scale(np.ones(3))
        raise KeyError
    assert tools() == before and len(calls.programs) == 1
    with capture(target) as calls:
        scale(np.ones(3))
    scale(np.ones((3, 3)))
    assert tools() == before and len(calls.programs) == 1
    with capture(target) as calls:
        export(scale, (np.ones(3),))
        scale(np.ones(3))
    assert tools() == before and len(calls.programs) == 1


def test_arguments_live_no_longer():
    class Data(np.ndarray):
        pass

    alive = []

    def drops(x):
        seen = weakref.ref(x)
        del x
        alive.append(seen() is not None)

    def given():
        with capture(drops, limit=1):
            drops(np.ones(1))
            drops(np.ones((1, 1)).view(Data))

    given()
    if sys.version_info >= (3, 12):
        assert alive[1] is False
    assert len(alive) == 2


def test_an_outer_trace_function_goes_on():
    seen = []

    def trace(frame, event, arg):
        seen.append(frame.f_code.co_name)

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        with capture(scale) as calls:
            scale(np.ones(3))
        assert sys.gettrace() is trace
    finally:
        sys.settrace(outer)
    assert "scale" in seen and len(calls.programs) == 1


def test_where_no_tool_number_is_free(monkeypatch):
    monkeypatch.setattr("npexport.tracer.frames.watching.free_tool", lambda: None)
    before = tools()
    seen = []

    def counted():
        yield 1
        yield 2

    with Watch([scale, counted], lambda started: seen.append(started.code.co_name)):
        list(counted())
        thread = threading.Thread(target=scale, args=(np.ones(2),))
        thread.start()
        thread.join()
    scale(np.ones(2))
    assert seen[-1] == "scale" and seen.count("scale") == 1 and seen.count("counted") == 1 and tools() == before


def steps(x):
    yield x


async def awaited(x):
    return x


async def async_steps(x):
    yield x


class Told:
    scaled = property(scale)
    shift = functools.cached_property(scale)

    @functools.lru_cache  # noqa: B019
    def kept(self, n):
        return np.ones(n) * 2

    @staticmethod
    def static(x):
        return x + 1

    @classmethod
    def of_class(cls, x):
        return x - 1


UNWATCHED = {
    "ufunc": (np.sin, "Give a Python function"),
    "number": (3, "Give a Python function"),
    "class": (int, "Class.__init__"),
    "partial": (functools.partial(scale, factor=2.0), "target.func"),
    "property": (Told.scaled, "Class.name.fget"),
    "cached property": (Told.shift, "Class.name.func"),
    "generator": (steps, "list(steps(x))"),
    "coroutine": (awaited, "one that is called in it"),
    "asynchronous generator": (async_steps, "one that is called in it"),
}


@pytest.mark.parametrize(("target", "hint"), UNWATCHED.values(), ids=UNWATCHED)
def test_what_cannot_be_watched(target, hint):
    with pytest.raises(UserError) as refused:
        capture(target)
    assert refused.value.code == "E207" and hint in refused.value.hint
    with pytest.raises(UserError):
        capture(scale, limit=0)


WRAPPED = {
    "cache": (Told.kept, lambda told, x: told.kept(3), lambda told, x: (3,)),
    "static method": (vars(Told)["static"], lambda told, x: told.static(x), lambda told, x: (x,)),
    "class method": (vars(Told)["of_class"], lambda told, x: told.of_class(x), lambda told, x: (x,)),
    "NumPy's": (np.pad, lambda told, x: np.pad(x, 1), lambda told, x: (x, 1)),
}


@pytest.mark.parametrize(("target", "call", "arguments"), WRAPPED.values(), ids=WRAPPED)
def test_functions_in_wrappers(target, call, arguments):
    told, x = Told(), np.arange(3.0)
    with capture(target) as calls:
        expected = call(told, x)
    np.testing.assert_array_equal(calls.programs[0].module()(*arguments(told, x)), expected)


def test_fit_of_scikit_learn():
    preprocessing = pytest.importorskip("sklearn.preprocessing", reason="scikit-learn is not installed")
    data = np.random.default_rng(0).random((8, 3))
    with capture(preprocessing.MaxAbsScaler.fit) as calls:
        fitted = preprocessing.MaxAbsScaler().fit(data)
    assert fitted.max_abs_.tolist() == abs(data).max(axis=0).tolist()
    run = calls.programs[0].module()
    run(data * 3)
    np.testing.assert_array_equal(dict(run.named_buffers())["max_abs_"], abs(data * 3).max(axis=0))


@pytest.mark.slow
def test_a_fit_that_leaves_one_of_several_kinds():
    preprocessing = pytest.importorskip("sklearn.preprocessing", reason="scikit-learn is not installed")
    data = np.random.default_rng(0).random((8, 3))
    with capture(preprocessing.StandardScaler.fit) as calls:
        preprocessing.StandardScaler().fit(data)
    run = calls.programs[0].module()
    run(data * 3)
    held, wanted = dict(run.named_buffers()), preprocessing.StandardScaler().fit(data * 3)
    np.testing.assert_array_equal(held["scale_"], wanted.scale_)
    assert held["n_samples_seen_.is_option_0"] and held["n_samples_seen_.option_0"] == wanted.n_samples_seen_ == 8


def test_functions_of_scikit_image():
    color = pytest.importorskip("skimage.color", reason="scikit-image is not installed")
    images = np.random.default_rng(0).random((2, 4, 5, 3))
    with capture(color.rgb2gray) as calls:
        for size in (4, 3):
            color.rgb2gray(images[0, :size])
    np.testing.assert_array_equal(calls.programs[0].module()(images[1, :2]), color.rgb2gray(images[1, :2]))
