"""Fixtures of all tests, and hypothesis's ways: reproducible by default, ``--hypothesis-profile=fuzz`` to look further."""

import contextvars
import functools
import gc
import importlib.util
import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from npexport import Unsupported
from npexport.ir.op import REGISTRY
from npexport.tracer import frames
from tests.support.shards import SUITE, is_drawn

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("suite")
if hasattr(providers, "_local_constants"):  # numbers from the text of modules that happen to be loaded are no examples
    providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What collecting the tests makes stays: the garbage collector need not look through it again and again.

    It is at work meanwhile: Dask keeps for ever whether it was when Dask was imported.
    """
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def what_stays_is_set_aside():
    """What the tests of a file leave behind stays, too: collections of garbage in later tests would look through it."""
    yield
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    """A suite that draws (`tests.support.shards`) leaves the other cases out."""
    if SUITE:
        left_out = [item for item in items if not is_drawn(item)]
        config.hook.pytest_deselected(items=left_out)
        rest = set(left_out)
        items[:] = [item for item in items if item not in rest]


def pytest_itemcollected(item):
    """A name with an address in it differs from process to process, and pytest-xdist runs nothing then."""
    if " at 0x" in item.nodeid:
        raise pytest.UsageError(f"{item.nodeid} is named by an address: give ids")


@pytest.fixture(autouse=True)
def operators_of_users():
    """Operators that a test declares are gone after it."""
    before = set(REGISTRY.of_users.values())
    yield
    for op in set(REGISTRY.of_users.values()) - before:
        REGISTRY.forget(op)


@pytest.fixture(autouse=True)
def frame_hook_in_use():
    """The frame hook is the same after each test: it is chosen once, by the environment."""
    before, variable = frames.hook(), os.environ.get(frames.VARIABLE)
    yield
    assert os.environ.get(frames.VARIABLE) == variable
    if frames.hook() is not before:
        frames.hook.cache_clear()
        assert frames.hook() == before


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Without the extension, Python that C calls back is refused with E119: what is marked ``needs_answers`` has to be.

    Programs that are about something else, and meet it, have then nothing to show.

    A test leaves no context variable set: it runs in a copy of the context.
    """
    function = pyfuncitem.obj
    pyfuncitem.obj = functools.partial(contextvars.copy_context().run, function)
    needs = pyfuncitem.get_closest_marker("needs_answers") is not None and frames.frame_hook() == "settrace"
    try:
        result = yield
    except Unsupported as error:
        if error.code != "E119" or frames.frame_hook() != "settrace":
            raise
        if needs:
            return True
        if "frame_hook" not in pyfuncitem.fixturenames:
            pytest.skip(f"needs the C extension: {error.message}")
        raise
    finally:
        pyfuncitem.obj = function
    if needs:
        pytest.fail("what C calls back is answered for without the extension: the marker is to go")
    return result


_NEEDS_EXTENSION = pytest.mark.skipif(
    importlib.util.find_spec("npexport.tracer.frames._evalframe") is None, reason="the C extension was not built"
)


@pytest.fixture(params=[pytest.param("pep523", marks=_NEEDS_EXTENSION), "settrace"])
def frame_hook(request, monkeypatch):
    """Each frame hook in turn, chosen as users choose it."""
    yield from chosen(request.param, monkeypatch)


@pytest.fixture(params=[pytest.param("pep523", marks=_NEEDS_EXTENSION)])
def pep523(request, monkeypatch):
    """The hook that can answer for a frame."""
    yield from chosen(request.param, monkeypatch)


def chosen(name, monkeypatch):
    monkeypatch.setenv("NPEXPORT_FRAME_HOOK", name)
    frames.hook.cache_clear()
    assert frames.frame_hook() == name
    yield name
    frames.hook.cache_clear()
