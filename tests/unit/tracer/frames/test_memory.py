"""What the hooks saw is not kept alive by them."""

from __future__ import annotations

import functools
import weakref

import pytest

from npexport.tracer.frames import CallbackAborted, call_answering, capture_root
from tests.support.callbacks import Box, add, behave, box, fail, square
from tests.support.collector import no_collection


class Thing:
    pass


@pytest.mark.parametrize("action", ["capture", "capture a method", "answer", "answer fails", "abort"])
def test_nothing_is_kept_alive(frame_hook, action):
    """Arguments die when the caller lets go of them, without the help of the garbage collector."""
    thing = Thing()
    died = weakref.ref(thing)
    with no_collection():
        if action == "capture":
            assert capture_root(functools.partial(add, thing)).localsplus["x"] is thing
        elif action == "capture a method":
            assert capture_root(functools.partial(box(thing), 1)).function is Box.__call__
        elif action == "answer":
            assert call_answering(behave, len, ([thing],), {}) == 1
        elif action == "answer fails":
            with pytest.raises(TypeError):
                call_answering(behave, len, (thing,), {})
        else:
            with pytest.raises((CallbackAborted, LookupError)):
                call_answering(fail, sorted, ([thing, thing],), {"key": square})
        del thing
        assert died() is None
