"""CPython's own tests, interpreted. The whole list takes long (``python -m tests.conformance.python.cpython_fidelity``);
here the quick files run, and the lists of expected failures are held to their form: they may only shrink.
"""

import functools

import pytest

from tests.conformance.python import cpython_fidelity
from tests.support.shards import shard

pytest.importorskip("test.test_patma", reason="this CPython comes without its test package")

QUICK = (
    "test_patma",
    "test_generators",
    "test_yield_from",
    "test_with",
    "test_scope",
    "test_raise",
    "test_super",
    "test_except_star",
    "test_grammar",
    "test_extcall",
    "test_unpack_ex",
    "test_property",
    "test_named_expressions",
    "test_keywordonlyarg",
    "test_positional_only_arg",
    "test_exception_variations",
    "test_augassign",
    "test_binop",
    "test_listcomps",
    "test_decorators",
)
SMALLEST_SHARE = 0.99
"""Of the methods that pass natively: the target of the whole list, read off the recorded failures."""


@functools.cache
def expected():
    return cpython_fidelity.read_expected()


@pytest.mark.slow
@pytest.mark.parametrize("name", shard(QUICK, 2))
def test_file_is_interpreted_as_cpython_runs_it(name):
    passing, failing, _ = cpython_fidelity.fidelity(name)
    assert passing, "no test passes natively"
    new = {identifier: text[-800:] for identifier, text in failing.items() if identifier not in expected()}
    assert new == {}
    mended = [identifier for identifier in passing if identifier in expected() and identifier not in failing]
    assert mended == [], "these pass now: take them off the list of expected failures"


def test_every_expected_failure_has_a_reason():
    for identifier, reason in expected().items():
        assert identifier.startswith("test.test_")
        assert identifier.split(".")[1] in cpython_fidelity.FILES
        assert len(reason) > 10, identifier


def test_few_failures_are_expected():
    assert len(expected()) < (1 - SMALLEST_SHARE) * cpython_fidelity.METHODS
