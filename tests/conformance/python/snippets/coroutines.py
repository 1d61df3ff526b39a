"""Coroutines and asynchronous generators."""

# ruff: noqa

import asyncio
import inspect
import types


def coroutine_by_hand():
    @types.coroutine
    def pause(x):
        return (yield x)

    async def inner(x):
        got = await pause(x)
        return got * 2

    async def outer():
        a = await inner(1)
        b = await inner(2)
        return a, b

    c = outer()
    out = [c.send(None), c.send(10)]
    try:
        c.send(20)
    except StopIteration as stop:
        out.append(stop.value)
    return out


def coroutine_throw_and_close():
    @types.coroutine
    def pause():
        yield

    log = []

    async def f():
        try:
            await pause()
        except ValueError as error:
            log.append(str(error))
            await pause()
        finally:
            log.append("finally")

    c = f()
    c.send(None)
    c.throw(ValueError("v"))
    c.close()
    return log, inspect.getcoroutinestate(c)


def coroutine_reused():
    async def f():
        return 1

    c = f()
    try:
        c.send(None)
    except StopIteration:
        pass
    c.send(None)


def await_not_awaitable():
    async def f():
        await 5

    f().send(None)


def asyncio_run():
    async def work(n):
        await asyncio.sleep(0)
        return n * n

    async def main():
        return await asyncio.gather(*(work(i) for i in range(4)))

    return asyncio.run(main())


def asyncio_error():
    async def bad():
        await asyncio.sleep(0)
        raise ValueError("async")

    async def main():
        try:
            await bad()
        except ValueError as error:
            return str(error)

    return asyncio.run(main())


def async_with():
    log = []

    class M:
        async def __aenter__(self):
            log.append("enter")
            return "value"

        async def __aexit__(self, *exc):
            log.append(exc[0].__name__ if exc[0] else None)
            return True

    async def main():
        async with M() as value:
            log.append(value)
            raise KeyError
        return "end"

    return asyncio.run(main()), log


def async_for():
    class Count:
        def __init__(self, n):
            self.n = n

        def __aiter__(self):
            return self

        async def __anext__(self):
            if self.n == 0:
                raise StopAsyncIteration
            self.n -= 1
            return self.n

    async def main():
        out = []
        async for x in Count(3):
            out.append(x)
        else:
            out.append("else")
        return out, [x async for x in Count(2)], {x: 1 async for x in Count(2)}

    return asyncio.run(main())


def async_generators():
    async def gen(n):
        try:
            for i in range(n):
                await asyncio.sleep(0)
                got = yield i
                if got:
                    log.append(got)
        finally:
            log.append("closed")

    log = []

    async def main():
        out = [x async for x in gen(3)]
        g = gen(5)
        out.append(await g.__anext__())
        out.append(await g.asend("sent"))
        await g.aclose()
        return out

    return asyncio.run(main()), log


def async_generator_throw():
    async def gen():
        try:
            yield 1
        except ValueError:
            yield 2

    async def main():
        g = gen()
        return await g.__anext__(), await g.athrow(ValueError)

    return asyncio.run(main())


def async_for_not_iterable():
    async def main():
        async for _ in [1]:
            pass

    asyncio.run(main())


def async_context_manager():
    import contextlib

    log = []

    @contextlib.asynccontextmanager
    async def m():
        log.append(1)
        yield 2
        log.append(3)

    async def main():
        async with m() as x:
            log.append(x)

    asyncio.run(main())
    return log


def async_comprehension_mixed():
    async def double(x):
        return x * 2

    async def main():
        return [await double(x) for x in range(3)], [y for y in [await double(1)]]

    return asyncio.run(main())


def async_generator_dropped():
    log = []

    async def count(n):
        try:
            for k in range(n):
                yield k
        finally:
            log.append("closed")

    async def use():
        await anext(count(3), "none")
        log.append("anext")
        await anext(count(3))
        log.append("anext again")
        async for k in count(3):
            break
        log.append("loop")
        it = count(3)
        await it.__anext__()
        del it
        log.append("end")

    try:
        use().send(None)
    except StopIteration:
        return log
