"""Fixtures of all tests, and hypothesis's ways: reproducible by default, ``--hypothesis-profile=fuzz`` to look further."""

import importlib.util

import pytest
from hypothesis import settings

from npexport import Unsupported
from npexport.tracer import frames

settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("suite")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Without the extension, callbacks from C that have no polyfill are refused with E119: that is the contract, not a failure."""
    try:
        return (yield)
    except Unsupported as error:
        if error.code == "E119" and frames.frame_hook() == "settrace" and "frame_hook" not in pyfuncitem.fixturenames:
            pytest.skip(f"needs the C extension: {error.message}")
        raise


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
