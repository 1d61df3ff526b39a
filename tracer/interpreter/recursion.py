"""The recursion limit: the program's own, and the host's while programs run.

C code that calls Python back takes several host frames for one frame of the program
(``functools.cache`` around a recursive function), so the host gets a higher limit while any thread
interprets. In CPython 3.11 the same limit bounds recursion in C (the ``repr`` of a list in a list
...), and where the hook does not answer for callbacks it bounds the recursion of Python that C
runs: there, recursion has to end where the program's own limit ends it, and the host's limit grows
with the number of nested runs. The C stack of the thread bounds the number of nested runs.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from typing import Any

from npexport.tracer.bytecode.host import C_SHARES_RECURSION_LIMIT
from npexport.tracer.frames.switch import Switch

HOST_LIMIT = 10_000
FRAMES = 10  # of the host for one of the program, at most
_MARGIN, _STEP = 60, 50  # of the host's own frames: without nested runs, for each of them
_BYTES, _RESERVE = 8 << 10, 160 << 10  # of the C stack: for each nested run (``sorted`` takes the most), and for what is not nested
_EVERY = 8  # nested runs the limits are looked at
_PROCESS: Any = ctypes.CDLL(None) if sys.platform == "linux" else None
_POINTER = {"x86_64": 160, "aarch64": 432}.get(os.uname().machine) if hasattr(_PROCESS, "getcontext") else None
"""Where ``getcontext`` writes the stack pointer; on other platforms the size of the stack bounds
the number of runs.
"""


class _Stack(threading.local):
    end: int | None = None  # of this thread's C stack, once that was asked
    runs = 0  # that fit in it


_stack = _Stack()


class _Host:
    """The host's limit, which npexport sets while any thread interprets.

    ``found`` holds the earlier limit, or ``None``: a new list after each change.
    """

    def __init__(self) -> None:
        self.found: list[int | None] = [None]
        self.switch = Switch(self._take, self._give_back)

    def _take(self) -> None:
        self.found = [sys.getrecursionlimit()]

    def _give_back(self) -> None:
        before, self.found = self.found[0], [None]
        if before is not None:
            sys.setrecursionlimit(before)

    def programs(self) -> int:
        """The limit that programs see: the earlier one."""
        while True:
            found = self.found
            limit = sys.getrecursionlimit()
            if self.found is found:
                return limit if found[0] is None else found[0]


_host = _Host()


def enter(run: object, follows: bool) -> int:
    """A thread begins to interpret; returns the limit that its program sees.

    ``follows``: the host's limit has to end what the program's would end.
    """
    ours = _host.switch.hold(run)
    limit = _host.programs()
    wanted = limit + _MARGIN if follows else HOST_LIMIT
    if ours and wanted > sys.getrecursionlimit():
        sys.setrecursionlimit(wanted)
    return limit


def follows(tracing: bool, blind: bool) -> bool:
    """Whether the host's limit stays near the program's: ``blind`` is an interpreter that does not
    see what C calls back.
    """
    return blind or (C_SHARES_RECURSION_LIMIT and not tracing)


def nest(depth: int, grows: bool) -> None:
    """C calls back, so that this many runs are nested.

    Raises ``RecursionError`` if the C stack would not hold another.
    """
    if depth % _EVERY:
        return
    if grows:
        limit = min(_host.programs() + _MARGIN + depth * _STEP, HOST_LIMIT)
        if limit > sys.getrecursionlimit():
            sys.setrecursionlimit(limit)
    if _stack.end is None:
        _stack.end, _stack.runs = _end_of_stack()
    full = depth + _EVERY > _stack.runs if _POINTER is None else _stack_pointer() - _stack.end < _RESERVE
    if full:
        raise RecursionError("maximum recursion depth exceeded")


def _end_of_stack() -> tuple[int, int]:
    """The end of this thread's C stack, if the system tells, and how many nested runs fit in it."""
    if not hasattr(_PROCESS, "pthread_getattr_np"):
        return 0, max((threading.stack_size() or 1 << 20) // _BYTES, 2 * _EVERY)
    attributes, address, size = ctypes.create_string_buffer(256), ctypes.c_void_p(), ctypes.c_size_t()
    thread = ctypes.pythonapi.PyThread_get_thread_ident
    thread.restype = ctypes.c_ulong
    _PROCESS.pthread_getattr_np(ctypes.c_ulong(thread()), attributes)
    _PROCESS.pthread_attr_getstack(attributes, ctypes.byref(address), ctypes.byref(size))
    _PROCESS.pthread_attr_destroy(attributes)
    return address.value or 0, max(size.value // _BYTES, 2 * _EVERY)


def _stack_pointer() -> int:
    context = ctypes.create_string_buffer(4096)
    _PROCESS.getcontext(context)
    return int.from_bytes(context[_POINTER : _POINTER + 8], sys.byteorder)  # type: ignore[operator, arg-type]


def raised(limit: int) -> int:
    """The new limit of the host when the program raises its own."""
    return limit if C_SHARES_RECURSION_LIMIT else FRAMES * limit


def leave(run: object, limit: int) -> None:
    """A thread is done; the limit that its program has set stays.

    May be called again after an interruption.
    """
    found = _host.found
    if found[0] is not None and limit > found[0]:
        found[0] = limit
    _host.switch.release(run)
