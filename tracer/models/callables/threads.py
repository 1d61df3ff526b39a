"""Threads that a program starts and waits for.

What they do is done where they are started, one after the other. That is one of the orders that
they may take, so a program that depends on the order is refused in strict mode where it asks for
it: `as_completed`, ``imap_unordered``.
"""

from __future__ import annotations

from _thread import LockType as LOCK
from collections.abc import Callable
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import threads
from npexport.tracer.models.registry import DECLINED, Model, models, receiver, rows

_POOL, _EXECUTOR, _FUTURES = "multiprocessing.pool", "concurrent.futures.thread", "concurrent.futures._base"
_JOBLIB, _SKLEARN = "joblib.parallel", "sklearn.utils.parallel"
PYTHON: tuple[str, ...] = (_POOL, _EXECUTOR, _FUTURES, "threading", _JOBLIB, _SKLEARN)
"""Modules with Python functions that have models here."""


def _interpreted(polyfill: Any) -> Model:
    """The model that interprets a function instead of the library's."""

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
        bound = getattr(fn, "__self__", None)
        return Invoke(polyfill, args if bound is None else (bound, *args), kwargs)

    return model


def _begun(polyfill: Any) -> Model:
    """The same for one that runs functions of the program in other threads."""
    interpreted = _interpreted(polyfill)

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if world.errors.current():
            hint = "Set it in the function that the thread calls."
            raise Unsupported("E110", "a thread does not begin with the error state that the program has set (np.errstate)", hint=hint)
        return interpreted(world, vm, fn, args, kwargs)

    return model


_LIBRARY: tuple[tuple[str, Callable[[Any], Model], dict[str, Any]], ...] = (
    (_EXECUTOR, _interpreted, {"ThreadPoolExecutor.__init__": threads.executor_init, "ThreadPoolExecutor.shutdown": threads.shutdown}),
    (_EXECUTOR, _begun, {"ThreadPoolExecutor.submit": threads.submit}),
    (_FUTURES, _begun, {"Executor.map": threads.executor_map}),
    ("threading", _interpreted, {"Thread.__init__": threads.thread_init, "Thread.join": threads.join, "Thread.is_alive": threads.is_alive}),
    (_POOL, _interpreted, {"ThreadPool.__init__": threads.pool_init, "Pool.join": threads.pool_join}),
    (_POOL, _interpreted, {"Pool.close": threads.close, "Pool.terminate": threads.close}),
    (_POOL, _begun, {"Pool.apply": threads.apply, "Pool.map": threads.pool_map}),
    (_POOL, _begun, {"Pool.starmap": threads.starmap, "Pool.imap": threads.imap}),
    (_JOBLIB, _interpreted, {"Parallel.__init__": threads.parallel_init}),
    (_SKLEARN, _interpreted, {"_FuncWrapper.__call__": threads.configured}),
)
for _module, _model, _polyfills in _LIBRARY:
    for _name, _polyfill in _polyfills.items():
        rows(_module, _name, model=_model(_polyfill))


@models("threading", "Thread.start")
def start(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A daemon may go on without end, and nobody waits for it."""
    if receiver(fn, args)[0]._daemonic:
        raise Unsupported(
            "E110", "the program starts a daemon thread, which need not end", hint="Start a thread that is not a daemon, and join it."
        )
    return _begun(threads.start)(world, vm, fn, args, kwargs)


@models(_JOBLIB, "Parallel.__call__")
def parallel(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """One job at a time is done as joblib does it. Of several, each may be done by a process, which
    works on copies.
    """
    jobs, _ = receiver(fn, args)
    if jobs.n_jobs not in (None, 1):
        hint = "Set n_jobs=1 (estimator.set_params(n_jobs=1)): the exported program has threads of its own."
        raise Unsupported("E110", f"joblib.Parallel runs {jobs.n_jobs} jobs at once", hint=hint)
    if jobs.return_as == "generator_unordered":
        raise Unsupported("E110", "joblib.Parallel gives results in the order in which jobs end", hint="Use return_as='generator'.")
    return _interpreted(threads.parallel_call)(world, vm, fn, args, kwargs)


_IN_ORDER: dict[str, Any] = {"as_completed": threads.as_completed, "Pool.imap_unordered": threads.imap}


def _require_permit(world: ShadowedWorld, refusal: Unsupported) -> None:
    if not world.permits(refusal):
        raise refusal


@models(_FUTURES, "wait")
def wait(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """``wait(futures)``; for the first of them, it would depend on the order in which they end."""
    if len(args) > 2 or kwargs.get("return_when", "ALL_COMPLETED") != "ALL_COMPLETED":
        hint = "Wait for all: wait(futures)."
        _require_permit(world, Unsupported("E110", "`concurrent.futures.wait` waits for the first that ends", hint=hint))
    return _interpreted(threads.wait)(world, vm, fn, args, kwargs)


@models(_FUTURES, "as_completed")
@models(_POOL, "Pool.imap_unordered")
def in_order_of_completion(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """Without strict, threads end in the order in which they were begun."""
    hint = "Iterate over the futures in the order in which they were begun: [future.result() for future in futures], or pool.map."
    _require_permit(world, Unsupported("E110", f"`{fn.__qualname__}` gives results in the order in which threads end", hint=hint))
    return _interpreted(_IN_ORDER[fn.__qualname__])(world, vm, fn, args, kwargs)


@models("_thread", "lock.acquire", "lock.__enter__")
def acquire(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """A lock that is held would be waited for without end, since no other thread releases it."""
    lock, rest = receiver(fn, args)
    blocking = rest[0] if rest else kwargs.get("blocking", True)
    if type(lock) is LOCK and lock.locked() and blocking:
        raise Unsupported("E110", "the program waits for a lock that it holds itself, which another thread would have to release")
    return DECLINED
