"""The recursion limit: the program's own, and the host's while programs run.

C code that calls back Python takes several host frames for one frame of the program (``functools.cache`` around a recursive
function), so the host gets a higher limit for as long as some thread interprets. In CPython 3.11 the same limit ends recursion in C
(the ``repr`` of a list in a list ...), which is to end where the program's own ends it: there the host's grows with the nested runs.
"""

from __future__ import annotations

import sys
import threading

HOST_LIMIT = 10_000
FRAMES = 10  # of the host for one of the program, at most
_SHARED = sys.version_info < (3, 12)
_MARGIN, _STEP = 60, 50  # of the host's own frames: without nested runs, for each of them

_lock = threading.Lock()
_runs = 0
_before = 0


def enter(tracing: bool) -> int:
    """A thread begins to interpret; the limit that its program sees."""
    global _before, _runs
    with _lock:
        if _runs == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(_before + _MARGIN if _SHARED and not tracing else max(_before, HOST_LIMIT))
        _runs += 1
        return _before


def nest(depth: int) -> None:
    """C calls back: this many runs are nested."""
    if _SHARED and depth % 8 == 0:
        limit = min(_before + _MARGIN + depth * _STEP, HOST_LIMIT)
        if limit > sys.getrecursionlimit():
            sys.setrecursionlimit(limit)


def raised(limit: int) -> int:
    """What the host's limit becomes where the program raises its own."""
    return limit if _SHARED else FRAMES * limit


def leave(limit: int) -> None:
    """A thread has done; what its program raised the limit to stays."""
    global _before, _runs
    with _lock:
        _runs -= 1
        _before = max(_before, limit)
        if _runs == 0:
            sys.setrecursionlimit(_before)
