"""Generators, iterators, coroutines driven by hand."""

import itertools


def generator_function(x, y):
    def rows():
        for row in x:
            yield row * 2

    return list(rows())


def generator_arguments(x, y):
    def count(n, step=1):
        i = 0
        while i < n:
            yield i
            i += step

    return x * sum(count(10, step=3))


def generator_return(x, y):
    def g():
        yield 1
        return 5

    it = g()
    next(it)
    try:
        next(it)
    except StopIteration as stop:
        return x * stop.value


def generator_send(x, y):
    def accumulate():
        total = 0
        while True:
            value = yield total
            if value is None:
                return
            total = total + value

    acc = accumulate()
    next(acc)
    acc.send(x)
    return acc.send(y)


def generator_throw(x, y):
    def g():
        try:
            yield 1
        except ValueError as error:
            yield str(error)

    it = g()
    next(it)
    return x, it.throw(ValueError("boom"))


def generator_close(x, y):
    log = []

    def g():
        try:
            yield 1
            yield 2
        finally:
            log.append("closed")

    it = g()
    next(it)
    it.close()
    return x * len(log)


def yield_from(x, y):
    def inner():
        yield x
        yield y
        return 3

    def outer():
        n = yield from inner()
        yield n

    return list(outer())


def yield_from_list(x, y):
    def g():
        yield from [1, 2]
        yield from range(3)

    return x * sum(g())


def yield_from_deep(x, y):
    def g(n):
        if n:
            yield from g(n - 1)
        yield n

    return x + sum(g(50))


def delegating_send(x, y):
    def inner():
        got = yield "ready"
        return got

    def outer():
        result = yield from inner()
        yield result * 2

    it = outer()
    next(it)
    return it.send(x)


def generator_pipeline(x, y):
    def source():
        yield from range(10)

    def evens(items):
        for i in items:
            if i % 2 == 0:
                yield i

    def squared(items):
        return (i * i for i in items)

    return x * sum(squared(evens(source())))


def infinite_generator(x, y):
    def naturals():
        n = 0
        while True:
            yield n
            n += 1

    return x * sum(itertools.islice(naturals(), 5))


def generator_expression_closure(x, y):
    k = 2
    g = (row * k for row in x)
    k = 5
    return list(g)


def generator_consumed_by_c(x, y):
    def g():
        yield 3
        yield 1
        yield 2

    return x * max(g()) + min(g()), sorted(g()), tuple(g()), set(g()) == {1, 2, 3}, dict((i, i) for i in g())


def generator_unpacked(x, y):
    def g():
        yield x
        yield y

    a, b = g()
    return a * b


def generator_in_for_else(x, y):
    def g():
        yield 1

    for i in g():
        x = x + i
    else:
        x = x * 3
    return x


def next_default(x, y):
    return x * next(iter([]), 7)


def iterator_class(x, y):
    class Countdown:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return self

        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return self.n

    return x * sum(Countdown(5)), list(Countdown(3))


def getitem_iteration(x, y):
    class Squares:
        def __getitem__(self, i):
            if i >= 4:
                raise IndexError
            return i * i

    return x * sum(Squares()), 9 in Squares()


def iter_sentinel(x, y):
    values = iter([1, 2, 3, 0, 9])
    return x * sum(iter(lambda: next(values), 0))


def iterator_protocol_by_hand(x, y):
    it = iter([x, y])
    a = next(it)
    b = it.__next__()
    return a + b


def generator_tree(x, y):
    tree = (1, (2, (4, None, None), None), (3, None, None))

    def walk(node):
        if node:
            v, left, right = node
            yield from walk(left)
            yield v
            yield from walk(right)

    return x, list(walk(tree))


def generator_state(x, y):
    def g():
        yield 1

    it = g()
    before = it.gi_frame is not None
    list(it)
    return x, before, it.gi_frame is None


def generator_with_finally(x, y):
    log = []

    def g():
        try:
            yield from (1, 2)
        finally:
            log.append(0)

    total = sum(g())
    return x * total + len(log)


def stop_iteration_inside(x, y):
    def g():
        yield 1
        raise StopIteration

    try:
        list(g())
    except RuntimeError as error:
        return x, str(error)


def coroutine_by_hand(x, y):
    async def f(a):
        return a * 2

    c = f(x)
    try:
        c.send(None)
    except StopIteration as stop:
        return stop.value


def coroutine_chain(x, y):
    class Pause:
        def __await__(self):
            got = yield "pause"
            return got

    async def inner():
        return (await Pause()) + 1

    async def outer():
        return (await inner()) * 2

    c = outer()
    assert c.send(None) == "pause"
    try:
        c.send(x)
    except StopIteration as stop:
        return stop.value


def run_coroutine(x, y):
    async def f(n):
        total = 0
        for i in range(n):
            total = total + await g(i)
        return total

    async def g(i):
        return x * i

    def run(coroutine):
        try:
            while True:
                coroutine.send(None)
        except StopIteration as stop:
            return stop.value

    return run(f(4))


def async_with(x, y):
    log = []

    class Manager:
        async def __aenter__(self):
            log.append("in")
            return 3

        async def __aexit__(self, *exc):
            log.append("out")

    async def f():
        async with Manager() as k:
            return x * k

    try:
        f().send(None)
    except StopIteration as stop:
        return stop.value, log


def async_for(x, y):
    class Three:
        def __init__(self):
            self.i = 0

        def __aiter__(self):
            return self

        async def __anext__(self):
            if self.i == 3:
                raise StopAsyncIteration
            self.i += 1
            return self.i

    async def f():
        total = 0
        async for i in Three():
            total += i
        return x * total

    try:
        f().send(None)
    except StopIteration as stop:
        return stop.value


def async_generator(x, y):
    async def g():
        for i in range(3):
            yield x * i

    async def f():
        return [item async for item in g()]

    try:
        f().send(None)
    except StopIteration as stop:
        return stop.value


def async_comprehension(x, y):
    async def double(i):
        return i * 2

    async def f():
        return [await double(i) for i in range(3)]

    try:
        f().send(None)
    except StopIteration as stop:
        return x, stop.value
