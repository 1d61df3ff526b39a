"""Threads that a program starts and waits for: what they do is part of the program."""

import contextvars
import queue
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest

from npexport import ExportError, export

X = np.arange(6.0).reshape(2, 3)
LEVEL = contextvars.ContextVar("level", default=1)


def doubled_if_large(row):
    return row * 2 if row.sum() > 4 else row


def mapped(x):
    with ThreadPoolExecutor(4) as pool:
        return np.stack(list(pool.map(doubled_if_large, x)))


def submitted(x):
    pool = ThreadPoolExecutor()
    futures = [pool.submit(np.dot, row, b=row) for row in x]
    done, rest = wait(futures)
    pool.shutdown()
    try:
        pool.submit(np.sin, x)
    except RuntimeError:
        return [future.result() for future in futures], len(done), len(rest), [future.done() for future in futures]


def raising_on_data(x):
    with ThreadPoolExecutor() as pool:
        return list(pool.map(np.linalg.inv, [x @ x.T, x @ x.T + np.eye(2)]))


def failing(x):
    def fail(y):
        raise ValueError(y.shape)

    with ThreadPoolExecutor() as pool:
        future = pool.submit(fail, x)
    try:
        future.result()
    except ValueError as error:
        return x * error.args[0][0], type(future.exception()).__name__


def started(x):
    out, lock, totals = np.empty_like(x), threading.Lock(), [0.0]

    def work(place, *, power):
        out[place] = x[place] ** power
        with lock:
            totals[0] = totals[0] + x[place].sum()

    threads = [threading.Thread(target=work, args=(place,), kwargs={"power": 2}, name=f"t{place}") for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out, totals, [(thread.name, thread.is_alive(), thread.daemon) for thread in threads]


class Worker(threading.Thread):
    def __init__(self, jobs):
        super().__init__()
        self.daemon = False
        self.jobs, self.done = jobs, []

    def run(self):
        while (job := self.jobs.get()) is not None:
            self.done.append(job + 1)


def workers(x):
    jobs = queue.Queue()
    for job in (*x, None):
        jobs.put(job)
    worker = Worker(jobs)
    worker.start()
    worker.join()
    return worker.done


def pooled(x):
    with ThreadPool(2) as pool:
        parts = pool.map(np.cumsum, list(x)), pool.starmap(np.add, [(x, 1), (x, 2)]), pool.apply(np.sin, (x,)), list(pool.imap(np.sum, x))
    return parts


def contexts(x):
    token = LEVEL.set(3)
    with ThreadPoolExecutor() as pool:
        inside = pool.submit(LEVEL.get).result()
    outside = LEVEL.get()
    LEVEL.reset(token)
    return x * inside + outside, contextvars.Context().run(np.sin, x), contextvars.Context().run(lambda: np.cos(x) * LEVEL.get())


@pytest.mark.parametrize("program", [mapped, submitted, raising_on_data, failing, started, workers, pooled, contexts])
def test_threads_are_captured(program):
    exported = export(program, (X,)).module()
    for data in (X, np.array([[4.0, -1.0, 2.0], [0.5, 3.0, 1.0]])):
        try:
            expected = program(data)
        except np.linalg.LinAlgError:
            with pytest.raises(np.linalg.LinAlgError):
                exported(data)
        else:
            np.testing.assert_equal(exported(data), expected)


@pytest.mark.parametrize("name", ["current_allocator", "format_options"])
def test_what_is_set_before_is_no_matter_to_threads(frame_hook, name):
    """Compiled programs set the first, `np.set_printoptions` sets another of the second name."""

    def exported():
        contextvars.ContextVar(name).set(1)
        return export(started, (X,)).module()(X)

    np.testing.assert_equal(contextvars.Context().run(exported), started(X))


def in_other_contexts(x):
    copied, empty = contextvars.copy_context(), contextvars.Context()

    def scaled(y, level):
        LEVEL.set(level)
        return y * LEVEL.get() if y.sum() > 0 else y - 2 * LEVEL.get()

    inner, rows = copied.run(scaled, x, level=3), copied.run(lambda: (row * LEVEL.get() for row in x))
    nested = empty.run(lambda: (LEVEL.get(), copied.run(LEVEL.get)))
    try:
        empty.run(lambda: copied.run(lambda: empty.run(int)))
    except RuntimeError as error:
        entered = str(error).partition(":")[0]
    return inner, list(rows), nested, LEVEL.get(), copied[LEVEL], entered


def test_what_runs_in_another_context_is_the_programs(frame_hook):
    exported = export(in_other_contexts, (X,)).module()
    for data in (X, -X):
        np.testing.assert_equal(exported(data), in_other_contexts(data))


def in_order_of_ends(x):
    with ThreadPoolExecutor() as pool:
        places = {pool.submit(np.sum, row): place for place, row in enumerate(x)}
        out = np.zeros(2)
        for future in as_completed(places):
            out[places[future]] = future.result()
    return out


def unordered(x):
    with ThreadPool(2) as pool:
        return sum(pool.imap_unordered(np.sum, list(x)))


def first(x):
    with ThreadPoolExecutor() as pool:
        wait([pool.submit(np.sum, x)], return_when=FIRST_COMPLETED)
    return x


@pytest.mark.parametrize("program", [in_order_of_ends, unordered, first])
def test_strict_mode_refuses_what_depends_on_the_order_of_threads(program):
    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == "E110"
    np.testing.assert_array_equal(export(program, (X,), strict=False).module()(X), program(X))


def waiting(x):
    jobs = queue.Queue()
    worker = Worker(jobs)
    worker.start()
    jobs.put(None)
    return x


def settings(x):
    with np.errstate(all="ignore"), ThreadPoolExecutor() as pool:
        return list(pool.map(np.log, x))


def daemon(x):
    threading.Thread(target=print, daemon=True).start()
    return x


def timed(x):
    stop = threading.Event()

    def poll():
        while not stop.is_set():
            stop.wait(0.1)

    threading.Thread(target=poll).start()
    stop.set()
    return x


def held(x):
    lock = threading.Lock()
    with lock:
        lock.acquire()
    return x


@pytest.mark.parametrize("program", [waiting, settings, held, daemon, timed])
@pytest.mark.parametrize("strict", [True, False])
def test_what_waits_for_another_thread_is_refused(program, strict):
    with pytest.raises(ExportError) as caught:
        export(program, (X,), strict=strict)
    assert caught.value.code == "E110"
