"""Coroutines and asynchronous generators, driven by event loops of the program."""

# ruff: noqa: E731, E741, E742, B008, B018, B023, B904

import collections
import contextlib
import inspect
import types


class Ready:
    def __init__(self, v):
        self.v = v

    def __await__(self):
        yield self
        return self.v


def _loop(coros):
    """A tiny event loop: round robin."""
    results, queue = {}, collections.deque(enumerate(coros))
    while queue:
        i, c = queue.popleft()
        try:
            c.send(None)
        except StopIteration as s:
            results[i] = s.value
        else:
            queue.append((i, c))
    return [results[i] for i in sorted(results)]


def async_round_robin(x, y):
    log = []

    async def work(name, n, v):
        for k in range(n):
            log.append((name, k))
            v = v + await Ready(k)
        return v

    return _loop([work("a", 2, x), work("b", 3, y)]), log


def async_generators_loop(x, y):
    async def rows():
        for r in x:
            await Ready(0)
            yield r * 2

    async def total():
        t = 0
        async for r in rows():
            t = t + r
        return t

    return _loop([total()])[0]


def async_comprehensions(x, y):
    async def aiter_(n):
        for k in range(n):
            yield k

    async def main():
        return (
            [k async for k in aiter_(3)],
            {k: await Ready(k) async for k in aiter_(2)},
            [await Ready(r) for r in y],
            sum([k async for k in aiter_(4) if k % 2]),
        )

    return _loop([main()])[0]


def async_with_errors(x, y):
    log = []

    class Lock:
        async def __aenter__(self):
            await Ready(1)
            log.append("locked")
            return self

        async def __aexit__(self, t, e, tb):
            log.append(t and t.__name__)
            return t is ValueError

    async def main():
        async with Lock(), Lock():
            raise ValueError("x")
        return x + 1

    return _loop([main()])[0], log


def async_iterator_class(x, y):
    class Count:
        def __init__(self, n):
            self.n = n

        def __aiter__(self):
            return self

        async def __anext__(self):
            if self.n == 0:
                raise StopAsyncIteration
            self.n -= 1
            return await Ready(self.n)

    async def main():
        out = []
        async for k in Count(3):
            out.append(k)
        else:
            out.append("end")
        return out, await anext(Count(2)), await anext(Count(0), "none")

    return x, _loop([main()])[0]


def async_contextmanager_helper(x, y):
    @contextlib.asynccontextmanager
    async def scope(v):
        await Ready(0)
        try:
            yield v * 2
        finally:
            await Ready(1)

    async def main():
        async with scope(x) as v:
            return v + 1

    return _loop([main()])[0]


def async_exceptions(x, y):
    async def bad():
        await Ready(0)
        raise KeyError("k")

    async def main():
        try:
            await bad()
        except KeyError as e:
            return str(e)
        finally:
            await Ready(2)

    return x, _loop([main()])[0]


def async_gather_by_hand(x, y):
    async def one(v):
        return await Ready(v)

    async def main():
        return [await c for c in [one(1), one(x), one("s")]]

    return _loop([main()])[0]


def coroutine_close_and_throw(x, y):
    log = []

    async def f():
        try:
            await Ready(1)
        except ValueError:
            log.append("value")
            return 5
        finally:
            log.append("fin")

    c = f()
    c.send(None)
    try:
        c.throw(ValueError())
    except StopIteration as s:
        log.append(s.value)
    d = f()
    d.send(None)
    d.close()
    e = f()
    e.close()
    return x, log, inspect.getcoroutinestate(e)


def types_coroutine(x, y):
    @types.coroutine
    def pause():
        return (yield "paused")

    async def main():
        return await pause()

    c = main()
    first = c.send(None)
    try:
        c.send(x * 2)
    except StopIteration as s:
        return s.value, first


def aexit_stack(x, y):
    log = []

    class R:
        async def __aenter__(self):
            log.append("a+")
            return 2

        async def __aexit__(self, *e):
            log.append("a-")
            return False

    async def main():
        async with contextlib.AsyncExitStack() as stack:
            k = await stack.enter_async_context(R())
            stack.callback(log.append, "sync")
            return x * k

    try:
        main().send(None)
    except StopIteration as s:
        return s.value, log
