"""The garbage collector while a test looks at lifetimes: what is taken from it is given back."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """What ends when it is dropped ends at once or not at all."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextlib.contextmanager
def small_heap() -> Iterator[None]:
    """The collector, and ``gc.get_referrers``, look only at what is made inside."""
    frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if frozen:
            gc.freeze()


@contextlib.contextmanager
def whole_heap() -> Iterator[None]:
    """The collector, and ``gc.get_referrers``, look at what collecting the tests has made, too."""
    frozen = gc.get_freeze_count() > 0
    gc.unfreeze()
    try:
        yield
    finally:
        if frozen:
            gc.freeze()
