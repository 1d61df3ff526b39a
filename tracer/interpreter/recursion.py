"""The recursion limit: the program's own, and the host's while programs run.

C code that calls back Python takes several host frames for one frame of the program (``functools.cache`` around a recursive
function), so the host gets a higher limit for as long as some thread interprets. In CPython 3.11 the same limit ends recursion in C
(the ``repr`` of a list in a list ...), and where the hook does not answer for callbacks it ends recursion of Python that C runs: there it
is to end where the program's own ends it, and the host's limit grows with the nested runs. How many runs may be nested is bounded by the C
stack of the thread.
"""

from __future__ import annotations

import ctypes
import sys
import threading

HOST_LIMIT = 10_000
FRAMES = 10  # of the host for one of the program, at most
_SHARED = sys.version_info < (3, 12)
_MARGIN, _STEP = 60, 50  # of the host's own frames: without nested runs, for each of them
_BYTES, _RESERVE = 8 << 10, 256 << 10  # of the C stack: for each nested run (``sorted`` takes the most), and for all else
_EVERY = 8  # nested runs the limits are looked at

_lock = threading.Lock()
_runs = 0
_before = 0


class _Stack(threading.local):
    runs = 0  # that fit in the C stack of this thread, once that was asked


_stack = _Stack()


def enter(follows: bool) -> int:
    """A thread begins to interpret; the limit that its program sees. ``follows``: the host's limit is to end what the program's would."""
    global _before, _runs
    with _lock:
        if _runs == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(_before + _MARGIN if follows else max(_before, HOST_LIMIT))
        _runs += 1
        return _before


def follows(tracing: bool, blind: bool) -> bool:
    """Whether the host's limit stays near the program's: ``blind`` is an interpreter that does not see what C calls back."""
    return blind or (_SHARED and not tracing)


def nest(depth: int, grows: bool) -> None:
    """C calls back: this many runs are nested. Raises ``RecursionError`` where the C stack would not hold another."""
    if depth % _EVERY:
        return
    if grows:
        limit = min(_before + _MARGIN + depth * _STEP, HOST_LIMIT)
        if limit > sys.getrecursionlimit():
            sys.setrecursionlimit(limit)
    if _stack.runs == 0:
        _stack.runs = max((_stack_size() - _RESERVE) // _BYTES, 2 * _EVERY)
    if depth + _EVERY > _stack.runs:
        raise RecursionError("maximum recursion depth exceeded")


def _stack_size() -> int:
    """The size of this thread's C stack, where the system tells; else what Python's threads get, or little."""
    process = ctypes.CDLL(None) if sys.platform == "linux" else None
    if not hasattr(process, "pthread_getattr_np"):
        return threading.stack_size() or 1 << 20
    attributes, address, size = ctypes.create_string_buffer(256), ctypes.c_void_p(), ctypes.c_size_t()
    process.pthread_self.restype = ctypes.c_void_p
    process.pthread_getattr_np(ctypes.c_void_p(process.pthread_self()), attributes)
    process.pthread_attr_getstack(attributes, ctypes.byref(address), ctypes.byref(size))
    process.pthread_attr_destroy(attributes)
    return size.value


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
