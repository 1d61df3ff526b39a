"""Frames that are watched while the program runs: what is told of them, how often Python is asked, and what stays installed."""

import dis
import sys
import threading

import pytest

from npexport.tracer.frames import hook
from npexport.tracer.frames.watching import Watch
from tests.support.functions import function_of

BEFORE_MONITORING = sys.version_info < (3, 12)
ON_C_STACK = BEFORE_MONITORING and hook().watching is not None


def plain(a, b=2, *rest, c, **more):
    return a


def cell_argument(x):
    def inner():
        return x

    return inner()


def closure_over(value):
    def inner(x):
        return value, x

    return inner


def counts(n):
    yield from range(n)


def counts_of_cell(n):
    yield from [n for _ in [0] if n]
    yield (lambda: n)()


async def waits(x):
    return x


def finished(coroutine):
    with pytest.raises(StopIteration) as stopped:
        coroutine.send(None)
    return stopped.value.value


inner = closure_over(7)

CALLS = [
    # what runs, whose code, what its frame holds
    (lambda: plain(1, c=3), plain, {"a": 1, "b": 2, "rest": (), "c": 3, "more": {}}),
    (lambda: plain(1, 5, 6, c=3, d=4), plain, {"a": 1, "b": 5, "rest": (6,), "c": 3, "more": {"d": 4}}),
    (lambda: cell_argument(3), cell_argument, {"x": 3}),
    (lambda: inner(3), inner, {"x": 3, "value": 7}),
    (lambda: list(counts(3)), counts, {"n": 3}),
    (lambda: list(counts_of_cell(3)), counts_of_cell, {"n": 3}),
    (lambda: counts(3).send(None), counts, {"n": 3}),
    (lambda: finished(waits(4)), waits, {"x": 4}),
    (lambda: sorted([1], key=inner), inner, {"x": 1, "value": 7}),
]


@pytest.mark.parametrize(("run", "function", "values"), CALLS)
@pytest.mark.parametrize("by_code", [True, False])
def test_what_a_frame_holds(run, function, values, by_code):
    seen = []
    codes = [function] if by_code else lambda code: code is function.__code__
    with Watch(codes, lambda started: seen.append((started.code, started.namespace, dict(started.values), started.function))):
        run()
    run()
    assert [each[:3] for each in seen] == [(function.__code__, function.__globals__, values)]
    assert seen[0][3] in (None, function)


def test_generators_that_never_start_are_not_seen():
    seen = []
    with Watch([counts], seen.append):
        counts(3)
        running = counts(3)
        running.close()
        suspended = counts(3)
    assert list(suspended) == [0, 1, 2] and seen == []


def test_generators_that_have_started_are_not_seen_again():
    seen = []
    running = counts(3)
    next(running)
    with Watch([counts], seen.append):
        assert list(running) == [1, 2]
    assert seen == []


def test_a_predicate_is_asked_once_of_each_code():
    asked = []

    def meant(code):
        asked.append(code.co_name)
        return False

    def often():
        for _ in range(50):
            plain(1, c=2)

    with Watch(meant, pytest.fail):
        often()
        often()
    assert [asked.count(name) for name in ("often", "plain")] == [1, 1]


def test_a_predicate_is_asked_of_equal_code_in_another_file():
    """CPython takes codes for equal that differ in their file alone."""
    twins = []
    for file in ("one.py", "other.py"):
        twin = function_of(compile("def twin(a):\n    return a\n", file, "exec"))
        twins.append(twin)
    one, other = twins
    assert one.__code__ == other.__code__ and one.__code__ is not other.__code__
    for meant in (lambda code: code.co_filename == "other.py", [other]):
        seen = []
        with Watch(meant, lambda started: seen.append((started.code.co_filename, started.values["a"]))):
            one(1), other(2), one(3), other(4)
        assert seen == [("other.py", 2), ("other.py", 4)]


def test_one_within_another():
    outer, inner_ = [], []
    with Watch([plain], lambda started: outer.append(started.values["a"])):
        plain(1, c=1)
        with Watch([plain, cell_argument], inner_.append):
            plain(2, c=1)
            cell_argument(3)
        plain(4, c=1)
        cell_argument(5)
    assert outer == [1, 2, 4]
    assert [started.code.co_name for started in inner_] == ["plain", "cell_argument"]


@pytest.mark.skipif(BEFORE_MONITORING and not ON_C_STACK, reason="sys.settrace sees no thread that runs already")
def test_threads_that_run_already():
    seen, begin, done = [], threading.Event(), threading.Event()

    def work():
        begin.wait()
        plain(8, c=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    with Watch([plain], lambda started: seen.append(started.values["a"])):
        begin.set()
        done.wait()
    thread.join()
    assert seen == [8]


class Stop(BaseException):
    pass


@pytest.mark.parametrize("run", [lambda: plain(1, c=1), lambda: list(counts(2))])
def test_an_interrupt_reaches_the_program(run):
    """As one of Ctrl-C does that comes while a frame is looked at."""

    def interrupted(started):
        raise Stop

    with Watch([plain, counts], interrupted), pytest.raises(Stop):
        run()
    run()


def test_arguments_and_functions_are_not_kept():
    value = object()
    with Watch([plain], lambda started: None):
        plain(value, c=1)
        before = sys.getrefcount(value), sys.getrefcount(plain), sys.getrefcount(plain.__code__)
        for _ in range(100):
            plain(value, c=1)
        assert (sys.getrefcount(value), sys.getrefcount(plain), sys.getrefcount(plain.__code__)) == before


@pytest.mark.skipif(not ON_C_STACK, reason="only the evaluator takes C stack for a frame, and only before CPython 3.12 it watches")
def test_thousands_of_frames_within_one_another():
    def deep(n):
        return n and deep(n - 1)

    seen = []
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        with Watch(lambda code: code in (deep.__code__, plain.__code__), seen.append) as watch:
            deep(90_000)
            plain(1, c=1)
    finally:
        sys.setrecursionlimit(limit)
    assert watch.missed and 1_000 < len(seen) < 3_000 and seen[-1].code is plain.__code__
    with Watch([plain], seen.append) as watch:
        plain(1, c=1)
    assert not watch.missed


@pytest.mark.skipif(not BEFORE_MONITORING, reason="only before CPython 3.12 functions tell of themselves")
def test_functions_get_their_own_code_back():
    own = plain.__code__
    outer, within = Watch([plain], lambda started: None), Watch([plain], lambda started: None)
    with outer, within:
        assert plain.__code__ is not own and plain(1, c=2) == 1
        assert list(dis.findlinestarts(plain.__code__))[-1][1] == list(dis.findlinestarts(own))[-1][1]
        outer.__exit__()
        assert plain.__code__ is not own
    assert plain.__code__ is own
    with Watch([plain], lambda started: None):
        plain.__code__ = counts.__code__.replace()  # the program's own new code stays
    assert plain.__code__ is not own and plain.__code__ == counts.__code__
    plain.__code__ = own


@pytest.mark.skipif(not BEFORE_MONITORING, reason="only before CPython 3.12 functions tell of themselves")
def test_a_trace_function_sees_the_same_lines():
    def lines(run):
        seen = []

        def trace(frame, event, arg):
            if frame.f_code.co_filename == __file__:
                seen.append((event, frame.f_code.co_name, frame.f_lineno))
                return trace
            return None

        outer = sys.gettrace()
        sys.settrace(trace)
        try:
            run()
        finally:
            sys.settrace(outer)
        return seen

    for run, function, _ in CALLS:
        alone = lines(run)
        with Watch([function], [].append):
            assert lines(run) == alone
