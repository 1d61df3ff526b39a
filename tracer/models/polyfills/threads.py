"""Threads of the program: what one is given to do is done at once, where it is started, which is
one of the orders that threads may take.

A thread begins with a context of its own, as CPython's does.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures._base import DoneAndNotDoneFutures
from typing import Any

from npexport.tracer.effects.thread_context import sets_context


def in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of a call in an empty context: the present one unless that holds something."""
    if sets_context():
        return contextvars.Context().run(function, *args, **kwargs)
    return function(*args, **kwargs)


class Begun(Future):  # type: ignore[type-arg]
    """The future of a call, which is made when its result is asked for or all are waited for."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        Future.__init__(self)
        self.work: Any = (function, args, kwargs)

    def run(self) -> None:
        """Make the call, and keep what it raises."""
        if self.work is not None:
            (function, args, kwargs), self.work = self.work, None
            try:
                result = in_thread(function, *args, **kwargs)
            except BaseException as error:
                self.set_exception(error)
            else:
                self.set_result(result)

    def result(self, timeout: Any = None) -> Any:
        """What the call raises is raised here, past nothing that would catch it."""
        if self.work is not None:
            (function, args, kwargs), self.work = self.work, None
            self.set_result(in_thread(function, *args, **kwargs))
        return Future.result(self, timeout)

    def exception(self, timeout: Any = None) -> Any:
        self.run()
        return Future.exception(self, timeout)

    def done(self) -> bool:
        self.run()
        return True

    def cancel(self) -> bool:
        self.run()
        return False

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        self.run()
        Future.add_done_callback(self, fn)


def executor_init(self: Any, max_workers: Any = None, thread_name_prefix: str = "") -> None:
    """``ThreadPoolExecutor(...)``; the number of workers changes nothing."""
    if max_workers is not None and max_workers <= 0:
        raise ValueError("max_workers must be greater than 0")
    self._shutdown, self._begun = False, []


def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """``executor.submit``."""
    if self._shutdown:
        raise RuntimeError("cannot schedule new futures after shutdown")
    self._begun.append(Begun(fn, args, kwargs))
    return self._begun[-1]


def executor_map(self: Any, fn: Callable[..., Any], *iterables: Any, **options: Any) -> Iterable[Any]:
    """``executor.map``; a time limit and the sizes of chunks and buffers change nothing."""
    return _results([self.submit(fn, *args) for args in zip(*iterables, strict=False)])


def _results(futures: list[Begun]) -> Iterable[Any]:
    for future in futures:
        yield future.result()


def shutdown(self: Any, wait: bool = True, *, cancel_futures: bool = False) -> None:
    """``executor.shutdown``."""
    self._shutdown = True
    for future in self._begun:
        future.run()


def as_completed(fs: Iterable[Any], timeout: Any = None) -> Iterable[Any]:
    """``concurrent.futures.as_completed``, in the order in which they were begun."""
    for future in dict.fromkeys(fs):
        future.run()
        yield future


def wait(fs: Iterable[Any], timeout: Any = None, return_when: str = "ALL_COMPLETED") -> Any:
    """``concurrent.futures.wait``: for all of them."""
    done = list(fs)
    for future in done:
        future.run()
    return DoneAndNotDoneFutures(set(done), set())


def thread_init(
    self: Any, group: Any = None, target: Any = None, name: Any = None, args: Any = (), kwargs: Any = None, *, daemon: Any = None
) -> None:
    """``threading.Thread(...)``. One without a name is called after how many there were before it:
    it has none here.
    """
    self._target, self._args, self._kwargs = target, args, {} if kwargs is None else kwargs
    if name is not None:
        self._name = str(name)
    self._daemonic, self._initialized, self._started = bool(daemon), True, threading.Event()


def start(self: Any) -> None:
    """``thread.start``. An exception of the thread, which CPython would print, is the program's."""
    if self._started.is_set():
        raise RuntimeError("threads can only be started once")
    self._started.set()
    try:
        in_thread(self.run)
    except SystemExit:
        pass


def join(self: Any, timeout: Any = None) -> None:
    """``thread.join``."""
    if not self._started.is_set():
        raise RuntimeError("cannot join thread before it is started")


def is_alive(self: Any) -> bool:
    """``thread.is_alive``."""
    return False


def pool_init(self: Any, processes: Any = None) -> None:
    """``multiprocessing.pool.ThreadPool(...)``."""
    if processes is not None and processes < 1:
        raise ValueError("Number of processes must be at least 1")
    self._state, self._pool = "RUN", ()


def apply(self: Any, func: Callable[..., Any], args: Any = (), kwds: Any = None) -> Any:
    """``pool.apply``."""
    _require_running(self)
    return in_thread(func, *args, **(kwds or {}))


def pool_map(self: Any, func: Callable[..., Any], iterable: Iterable[Any], chunksize: Any = None) -> list[Any]:
    """``pool.map``."""
    _require_running(self)
    return [in_thread(func, item) for item in iterable]


def starmap(self: Any, func: Callable[..., Any], iterable: Iterable[Any], chunksize: Any = None) -> list[Any]:
    """``pool.starmap``."""
    _require_running(self)
    return [in_thread(func, *args) for args in iterable]


def imap(self: Any, func: Callable[..., Any], iterable: Iterable[Any], chunksize: Any = 1) -> Iterable[Any]:
    """``pool.imap``."""
    _require_running(self)
    return iter([in_thread(func, item) for item in iterable])


def close(self: Any) -> None:
    """``pool.close`` and ``pool.terminate``."""
    self._state = "CLOSE"


def pool_join(self: Any) -> None:
    """``pool.join``."""
    if self._state == "RUN":
        raise ValueError("Pool is still running")


def _require_running(pool: Any) -> None:
    if pool._state != "RUN":
        raise ValueError("Pool not running")


def parallel_init(self: Any, n_jobs: Any = None, backend: Any = None, return_as: str = "list", **options: Any) -> None:
    """``joblib.Parallel(...)``; sizes of batches and limits of time change nothing."""
    self.n_jobs, self.return_as = n_jobs, return_as


def parallel_call(self: Any, iterable: Iterable[Any]) -> Any:
    """``joblib.Parallel(...)(delayed(function)(x) for x in xs)``."""
    results = (function(*args, **kwargs) for function, args, kwargs in iterable)
    return list(results) if self.return_as == "list" else results


def configured(self: Any, *args: Any, **kwargs: Any) -> Any:
    """What ``sklearn.utils.parallel.delayed`` makes of a function, called where it was made: the
    settings and filters of warnings that it would take over are those in force.
    """
    return self.function(*args, **kwargs)
