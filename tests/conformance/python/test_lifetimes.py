"""Objects live under ``interpret`` as long as they do in CPython: each program tells when its objects die."""

import functools
import gc

import pytest

from npexport import interpret
from tests.conformance.python.lifetimes import exceptions, generators, protocols, values  # noqa: F401 (they fill the table)
from tests.conformance.python.lifetimes.objects import PROGRAMS, out
from tests.support.collector import no_collection, small_heap


@pytest.fixture(autouse=True, scope="module")
def collector_at_rest():
    """Garbage of others is none of these tests' business."""
    with small_heap(), no_collection():
        yield


def observed(run):
    """What the program told, and what died of it only when garbage was collected."""
    out.clear()
    run()
    before = list(out)
    gc.collect()
    return before, out[len(before) :]


@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_die_when_they_would(name):
    native = observed(PROGRAMS[name])
    assert native[0]
    assert observed(functools.partial(interpret, PROGRAMS[name])) == native
