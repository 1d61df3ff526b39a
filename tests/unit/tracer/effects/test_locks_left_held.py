"""Locks from outside: a program that leaves one held does what no exported program does."""

import gc
import threading

import numpy as np
import pytest

from npexport import ExportError, export

X = np.arange(3.0)
LOCK, NESTED, CONDITION = threading.Lock(), threading.RLock(), threading.Condition()


def given_back(x):
    with LOCK, NESTED, CONDITION:
        y = x + LOCK.locked()
    LOCK.acquire()
    LOCK.release()
    return y * (1 + LOCK.locked())


@pytest.mark.parametrize(
    "take",
    [LOCK.acquire, LOCK.__enter__, lambda: LOCK.acquire(blocking=False), NESTED.acquire, CONDITION.acquire, lambda: NESTED.acquire() and 1],
)
def test_one_that_stays_held_is_an_effect(take):
    def program(x):
        take()
        return x + 1

    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == "E112" and not LOCK.locked() and not NESTED._is_owned()
    assert export(program, (X,), strict=False).report.lost


def test_one_that_is_given_back_is_none():
    run = export(given_back, (X,)).module()
    np.testing.assert_array_equal(run(-X), given_back(-X))
    assert not LOCK.locked()


def test_whether_garbage_is_collected_is_not_asked():
    with pytest.raises(ExportError) as caught:
        export(lambda x: x * gc.isenabled(), (X,))
    assert caught.value.code == "E108"
