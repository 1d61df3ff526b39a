"""The recursion limit: the program's own, and the host's while programs run.

C code that calls back Python takes several host frames for one frame of the program (``functools.cache`` around a recursive
function), so the host gets a higher limit for as long as some thread interprets.
"""

from __future__ import annotations

import sys
import threading

HOST_LIMIT = 10_000

_lock = threading.Lock()
_runs = 0
_before = 0


def enter() -> int:
    """A thread begins to interpret; the limit that its program sees."""
    global _before, _runs
    with _lock:
        if _runs == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, HOST_LIMIT))
        _runs += 1
        return _before


def leave(limit: int) -> None:
    """A thread has done; what its program raised the limit to stays."""
    global _before, _runs
    with _lock:
        _runs -= 1
        _before = max(_before, limit)
        if _runs == 0:
            sys.setrecursionlimit(_before)
