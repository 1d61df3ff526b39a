"""The threads that blocks of arrays are spread over: one pool for the process, made when it is
first needed.

The thread that has work takes part in it: so the work gets done however busy the pool is, and no
thread waits for one that is waiting itself. A forked process has a pool of its own. A thread that a
signal or a finaliser interrupts while it hands out work hands out no other work meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

_pools: list[tuple[int, ThreadPoolExecutor]] = []
_here = threading.local()


def cores(threads: int | None) -> int:
    """The number of threads that ``threads=`` stands for; ``None``: one for each core that the
    process may use.
    """
    if threads is not None:
        return threads
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def together(work: Callable[[], Any], threads: int, stop: Callable[[], Any]) -> None:
    """Run ``work`` in this thread and in up to ``threads - 1`` others, in the context of this one.

    It returns when every thread that has begun is done. ``stop`` is called before it waits, so that
    the others end soon if this one has raised. Whatever ``work`` raises in them is dropped.
    """
    others: list[Future[Any]] = []
    if not getattr(_here, "busy", False):
        _here.busy = True
        try:
            for _ in range(threads - 1):
                others.append(_pool(threads - 1).submit(copy_context().run, work))
        except RuntimeError:  # no more threads, or the interpreter is about to end
            pass
        finally:
            _here.busy = False
    try:
        work()
    finally:
        stop()
        for other in others:
            if not other.cancel():
                other.exception()


def _pool(threads: int) -> ThreadPoolExecutor:
    """The pool, of at least ``threads`` threads. A smaller one that it replaces ends when its work
    is done.
    """
    pools = list(_pools)
    if not pools or pools[-1][0] < threads:
        _pools[:] = [(threads, ThreadPoolExecutor(threads, "npexport"))]
        for _, old in pools:
            old.shutdown(wait=False)
    return _pools[-1][1]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)
