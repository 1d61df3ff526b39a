"""The frame hooks under load: tens of thousands of frames, threads, the recursion limit."""

import functools
import gc
import sys
import tracemalloc

import pytest

from npexport.tracer import frames
from npexport.tracer.frames import CallbackAborted, call_answering, capture_root
from tests.support.callbacks import add, behave, box, counting, fail, square
from tests.support.threads import run_at_once


def rounds(count, frame_hook):
    for number in range(count):
        assert capture_root(functools.partial(add, number)).localsplus["x"] == number
        assert call_answering(behave, sorted, ([2, 1],), {}) == [1, 2]
        with pytest.raises((LookupError, CallbackAborted)):
            call_answering(fail, sorted, ([2, 1],), {"key": square})
        if frame_hook == "pep523":
            assert call_answering(behave, sorted, ([-2, 1],), {"key": square}) == [1, -2]
            assert list(call_answering(behave, counting, (3,), {})) == [0, 1, 2]
            assert call_answering(behave, box(1), (2,), {}) == 3


def test_tens_of_thousands_of_frames_do_not_leak(frame_hook):
    count = 10_000 if frame_hook == "pep523" else 300
    rounds(100, frame_hook)
    gc.collect()
    objects = len(gc.get_objects())
    references = [sys.getrefcount(item) for item in (square, add, counting, behave, square.__code__, add.__code__)]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    rounds(count, frame_hook)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 60_000, "bytes that stayed"
    assert len(gc.get_objects()) - objects < 100, "other tests' garbage may have gone meanwhile"
    assert [sys.getrefcount(item) for item in (square, add, counting, behave, square.__code__, add.__code__)] == references


def test_threads(frame_hook):
    errors = []

    def work():
        try:
            rounds(300 if frame_hook == "pep523" else 30, frame_hook)
        except BaseException as error:
            errors.append(error)

    run_at_once(*[work] * 4)
    assert errors == []
    assert gc.isenabled()
    assert frames.frame_hook() == frame_hook


@pytest.mark.usefixtures("frame_hook")
def test_at_the_recursion_limit():
    """Wherever the limit strikes, frames are unwound as usual: a RecursionError comes out and nothing is left behind."""
    gc.collect()
    references = sys.getrefcount(square)

    def deeper(function, localsplus):
        return call_answering(deeper, next, (map(square, [localsplus["x"] + 1]),), {})

    def down(depth):
        root = capture_root(functools.partial(square, depth))
        assert root.localsplus == {"x": depth}
        del root
        down(depth + 1)

    for _ in range(4):
        with pytest.raises(RecursionError):
            down(0)
        with pytest.raises((RecursionError, CallbackAborted)):
            deeper(square, {"x": 0})
    gc.collect()
    assert sys.getrefcount(square) == references
    assert gc.isenabled()
    assert capture_root(functools.partial(square, 1)).function is square
