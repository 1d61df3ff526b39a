"""How much memory calls need."""

from __future__ import annotations

import tracemalloc
from typing import Any


def peak(call: Any, *args: Any) -> int:
    """The bytes that a call needs at most, when it is made for the second time."""
    call(*args)
    tracemalloc.start()
    try:
        call(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
